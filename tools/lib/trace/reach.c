// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How far libtraceevent would go when it prints a sample: lengths of __print_hex(), counts of __print_array()
 * and places in arrays are taken from the sample, and divisors too (1.7.1 looks at none of them). They are
 * computed here as the library will, from what it made of the format. What cannot be computed counts as too far.
 */
#include "config.h"
#include "trace-int.h"

#if HAVE_LIBTRACEEVENT
#include <stdlib.h>

#include <event-parse.h>

#include "base/base.h"

struct sight {
	struct tep_handle *tep;
	struct tep_event *event;
	const unsigned char *data;
};

static const struct tep_format_field *field_of(const struct sight *s, const struct tep_print_arg *a)
{
	return a->field.field ? a->field.field : tep_find_any_field(s->event, a->field.name);
}

static bool field_value(const struct sight *s, const struct tep_print_arg *a, uint64_t *v)
{
	const struct tep_format_field *f = field_of(s, a);

	if (!f || (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8))
		return false;
	*v = tep_read_number(s->tep, s->data + f->offset, f->size);
	return true;
}

static bool atom_value(const struct tep_print_arg *a, uint64_t *v)
{
	if (!a->atom.atom)
		return false;
	*v = strtoull(a->atom.atom, NULL, 0); /* a name that nobody knows is 0 */
	return true;
}

static bool operation(const char *op, uint64_t a, uint64_t b, uint64_t *v)
{
	switch (op[0]) {
	case '+': *v = a + b; return true;
	case '-': *v = a - b; return true;
	case '*': *v = a * b; return true;
	case '&': *v = a & b; return !op[1];
	case '/':
		if (!b || a > INT64_MAX || b > INT64_MAX)
			return false;
		*v = a / b;
		return true;
	case '<':
		if (op[1] != '<' || b > 63)
			return false;
		*v = a << b;
		return true;
	case '>':
		if (op[1] != '>' || b > 63)
			return false;
		*v = a >> b;
		return true;
	default: return false;
	}
}

static bool value(const struct sight *s, const struct tep_print_arg *a, uint64_t *v)
{
	uint64_t left, right;

	switch (a->type) {
	case TEP_PRINT_ATOM: return atom_value(a, v);
	case TEP_PRINT_FIELD: return field_value(s, a, v);
	case TEP_PRINT_TYPE: /* of 7 bits: the same in every type */
		return value(s, a->typecast.item, v) && *v < 128;
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		if (!a->dynarray.field)
			return false;
		/* the place in the lower 16 bits, the length above */
		*v = tep_read_number(s->tep, s->data + a->dynarray.field->offset, 4) >> 16;
		return true;
	case TEP_PRINT_OP:
		return a->op.left && a->op.right && value(s, a->op.left, &left) &&
		       value(s, a->op.right, &right) && operation(a->op.op, left, right, v);
	default: return false;
	}
}

/* At most this many of @size bytes each. */
static bool few(const struct sight *s, const struct tep_print_arg *count, uint64_t size)
{
	uint64_t n;

	return value(s, count, &n) && n <= TRACE_REACH && size <= TRACE_REACH &&
	       n * size <= TRACE_REACH;
}

/* What may be printed as an array: the library takes anything for one of these. */
static bool is_array(const struct sight *s, const struct tep_print_arg *a)
{
	return a->type == TEP_PRINT_DYNAMIC_ARRAY ? a->dynarray.field != NULL
						  : a->type == TEP_PRINT_FIELD && field_of(s, a);
}

static bool array_near(const struct sight *s, const struct tep_print_arg *a)
{
	uint64_t size;

	return is_array(s, a->int_array.field) && value(s, a->int_array.el_size, &size) &&
	       few(s, a->int_array.count, size);
}

/* "array[index]" */
static bool index_near(const struct sight *s, const struct tep_print_arg *a)
{
	const struct tep_print_arg *left = a->op.left;
	const struct tep_format_field *f;

	while (left && left->type == TEP_PRINT_TYPE)
		left = left->typecast.item;
	if (!left || !is_array(s, left))
		return false;
	f = left->type == TEP_PRINT_FIELD ? field_of(s, left) : left->dynarray.field;
	return few(s, a->op.right, max_u64(8, (uint64_t)f->elementsize));
}

static bool near(const struct sight *s, const struct tep_print_arg *a);

static bool op_near(const struct sight *s, const struct tep_print_arg *a)
{
	uint64_t divisor;

	if (a->op.op[0] == '[')
		return index_near(s, a);
	if ((a->op.op[0] == '/' || a->op.op[0] == '%') &&
	    (!a->op.right || !value(s, a->op.right, &divisor) || !divisor || divisor > INT64_MAX))
		return false;
	return (!a->op.left || near(s, a->op.left)) && (!a->op.right || near(s, a->op.right));
}

static bool near(const struct sight *s, const struct tep_print_arg *a)
{
	switch (a->type) {
	case TEP_PRINT_FLAGS: return near(s, a->flags.field);
	case TEP_PRINT_SYMBOL: return near(s, a->symbol.field);
	case TEP_PRINT_TYPE: return near(s, a->typecast.item);
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR: return is_array(s, a->hex.field) && few(s, a->hex.size, 1);
	case TEP_PRINT_INT_ARRAY: return array_near(s, a);
	case TEP_PRINT_OP: return op_near(s, a);
	default: return true;
	}
}

bool trace_near(struct tep_handle *tep, struct tep_event *event, const void *data)
{
	const struct sight s = { tep, event, data };

	for (const struct tep_print_arg *a = event->print_fmt.args; a; a = a->next)
		if (!near(&s, a))
			return false;
	return true;
}
#endif
