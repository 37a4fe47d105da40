// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether a format may be shown to libtraceevent, whose parser (1.7.1) believes that a token follows
 * wherever the kernel always writes one, and reads through NULL or in front of a string when none does.
 * So a format is read here first, by the grammar that kernels keep to, and nothing is kept of it:
 *
 *	field  =  "\tfield:" words and stars, word, array ";" "\toffset:" N ";" "\tsize:" N ";" "\tsigned:" N ";"
 *	print  =  "print fmt: " strings { "," expr }
 *	expr   =  unary { op unary } [ "?" expr ":" expr ]
 *	unary  =  { "-" | "!" | "~" | "+" | "(" type ")" } primary { "[" expr "]" }
 *	primary = number | string | char | word | ( "REC" | "(REC)" ) "->" word | "(" expr ")" | call
 *
 * Calls are those that ftrace documents for its formats (Documentation/trace/events.rst of the kernel
 * and the macros of trace_events: __print_flags() and the like).
 */
#include "config.h"
#include "base/base.h"
#include "trace-int.h"

#if HAVE_LIBTRACEEVENT
#include <stdlib.h>

/* More than any kernel writes: the parser calls itself for each operand of an expression, and each in brackets. */
#define DEPTH	 256
#define TYPE_MAX 16

struct reader {
	const char *p; /* ends with a NUL */
	const struct trace_format *format;
	unsigned depth;
};

static bool expr(struct reader *r);

static bool deeper(struct reader *r)
{
	return ++r->depth <= DEPTH;
}

static void blanks(struct reader *r)
{
	while (*r->p == ' ' || *r->p == '\t' || *r->p == '\n')
		r->p++;
}

/* Skips the text and the blanks in front of it, if it stands there. */
static bool take(struct reader *r, const char *text)
{
	size_t n = strlen(text);

	blanks(r);
	if (strncmp(r->p, text, n) != 0)
		return false;
	r->p += n;
	return true;
}

static bool word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* A word's length, 0 when there is none; numbers begin with a digit. */
static size_t word(struct reader *r)
{
	size_t n = 0;

	blanks(r);
	if (*r->p >= '0' && *r->p <= '9')
		return 0;
	while (word_char(r->p[n]))
		n++;
	r->p += n;
	return n;
}

static bool number(struct reader *r)
{
	blanks(r);
	if (*r->p < '0' || *r->p > '9')
		return false;
	while (word_char(*r->p))
		r->p++;
	return true;
}

/* What stands between two of @quote. */
static bool quoted(struct reader *r, char quote)
{
	blanks(r);
	if (*r->p != quote)
		return false;
	for (r->p++; *r->p && *r->p != quote; r->p++)
		if (*r->p == '\\' && r->p[1])
			r->p++;
	if (!*r->p)
		return false;
	r->p++;
	return true;
}

/* One or more strings, one behind the other. */
static bool strings(struct reader *r)
{
	if (!quoted(r, '"'))
		return false;
	while (quoted(r, '"'))
		;
	return true;
}

/* Words, then stars: the parser copies all for each of them. */
static bool type(struct reader *r)
{
	unsigned words = 0, stars = 0;

	while (words <= TYPE_MAX && word(r))
		words++;
	while (words && stars <= TYPE_MAX && take(r, "*"))
		stars++;
	return words && words <= TYPE_MAX && stars <= TYPE_MAX;
}

/* ---- calls ------------------------------------------------------------------------------------- */

/* "{ value, "name" }", one or more; the last one's name may be "((void *)0)". */
static bool names(struct reader *r)
{
	do {
		if (!take(r, "{") || !expr(r) || !take(r, ",") || !expr(r) || !take(r, "}"))
			return false;
	} while (take(r, ","));
	return true;
}

static bool flags_call(struct reader *r)
{
	return expr(r) && take(r, ",") && strings(r) && take(r, ",") && names(r);
}

static bool symbolic_call(struct reader *r)
{
	return expr(r) && take(r, ",") && names(r);
}

static bool field(struct reader *r)
{
	const char *name;
	size_t n;

	blanks(r);
	name = r->p;
	n = word(r);
	return n && trace_has_field(r->format, name, n);
}

static bool two_call(struct reader *r)
{
	return expr(r) && take(r, ",") && expr(r);
}

static bool three_call(struct reader *r)
{
	return two_call(r) && take(r, ",") && expr(r);
}

static const struct call {
	const char *name;
	bool (*args)(struct reader *r);
} calls[] = {
	{ "__print_flags", flags_call },
	{ "__print_flags_u64", flags_call },
	{ "__print_symbolic", symbolic_call },
	{ "__print_symbolic_u64", symbolic_call },
	{ "__print_hex", two_call },
	{ "__print_hex_str", two_call },
	{ "__print_array", three_call },
	{ "__get_str", field },
	{ "__get_rel_str", field },
	{ "__get_bitmask", field },
	{ "__get_rel_bitmask", field },
	{ "__get_cpumask", field },
	{ "__get_rel_cpumask", field },
	{ "__get_dynamic_array", field },
	{ "__get_rel_dynamic_array", field },
	{ "__get_dynamic_array_len", field },
	{ "__get_rel_dynamic_array_len", field },
	{ "sizeof", type },
	{ "__builtin_expect", two_call },
};

static bool call(struct reader *r, const char *name, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (!strncmp(calls[i].name, name, n) && !calls[i].name[n])
			return calls[i].args(r) && take(r, ")");
	return false;
}

/* ---- expressions ------------------------------------------------------------------------------- */

/* "->FIELD" of a field that there is. */
static bool member(struct reader *r)
{
	return take(r, "->") && field(r);
}

static bool named(struct reader *r)
{
	const char *name;
	size_t n;

	blanks(r);
	name = r->p;
	n = word(r);
	if (!n)
		return false;
	if (take(r, "("))
		return call(r, name, n);
	if (n == 3 && !strncmp(name, "REC", n))
		return member(r);
	return true;
}

static bool primary(struct reader *r)
{
	bool good;

	if (take(r, "(REC)"))
		good = member(r);
	else if (take(r, "("))
		good = expr(r) && take(r, ")");
	else
		good = number(r) || strings(r) || quoted(r, '\'') || named(r);
	while (good && take(r, "["))
		good = deeper(r) && expr(r) && take(r, "]");
	return good;
}

/* "(type)"; one word in brackets is one only where an operand follows: "(a) - b". */
static bool cast(struct reader *r)
{
	struct reader to = *r, one;
	bool alone;

	if (!take(&to, "("))
		return false;
	one = to;
	alone = word(&one) && take(&one, ")");
	if (!type(&to) || !take(&to, ")"))
		return false;
	blanks(&to);
	if (alone && !word_char(*to.p) && !strchr("(\"'~!", *to.p))
		return false;
	*r = to;
	return true;
}

static bool unary(struct reader *r)
{
	while (deeper(r)) {
		if (cast(r))
			continue;
		blanks(r);
		if (!*r->p || !strchr("-!~+", *r->p))
			return primary(r);
		r->p++;
	}
	return false;
}

/* What is known not to be 0, or only by the sample: the parser computes what is constant. */
static bool divisor(const struct reader *r)
{
	struct reader to = *r;
	const char *at;
	unsigned opened = 0;

	while (take(&to, "("))
		opened++;
	blanks(&to);
	at = to.p;
	if (!(number(&to) && strtoull(at, NULL, 0)) && !(take(&to, "REC") && member(&to)) &&
	    !(take(&to, "sizeof(") && type(&to) && take(&to, ")")))
		return false;
	while (opened && take(&to, ")"))
		opened--;
	return !opened;
}

static bool operator(struct reader *r)
{
	static const char *const ops[] = {
		"&&", "||", "==", "!=", "<=", ">=", "<<", ">>",
		"+",  "-",  "*",  "&",	"|",  "^",  "<",  ">",
	};

	if (take(r, "/") || take(r, "%"))
		return divisor(r);
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		if (take(r, ops[i]))
			return true;
	return false;
}

static bool expr(struct reader *r)
{
	unsigned depth = r->depth;
	bool good = unary(r);

	while (good && operator(r))
		good = unary(r);
	if (good && take(r, "?"))
		good = expr(r) && take(r, ":") && expr(r);
	r->depth = depth;
	return good;
}

/* ---- lines ------------------------------------------------------------------------------------- */

/*
 * Are widths those of people's eyes? A sample that says one prints gigabytes of blanks: from it, with @stars, only
 * "%.*s", which ends with the string, and "%*p", the bytes of an array.
 */
static bool narrow(const char *p, const char *end, bool stars)
{
	for (; p < end; p++) {
		unsigned digits = 0;

		if (*p != '%')
			continue;
		for (p++; p < end && strchr("-+ #0123456789.*", *p); p++) {
			digits = *p >= '0' && *p <= '9' ? digits + 1 : 0;
			if (digits > 3)
				return false;
			if (*p == '*' && (!stars || (p[1] != 'p' && (p[1] != 's' || p[-1] != '.'))))
				return false;
		}
	}
	return true;
}

bool trace_print_sound(const struct trace_format *f, const char *text)
{
	struct reader r = { .p = text, .format = f };
	bool good = strings(&r) && narrow(text, r.p, true);

	while (good && take(&r, ","))
		good = expr(&r);
	blanks(&r);
	return good && !*r.p;
}

/* What trace_printk() left, printed as an event's strings are, but for what it takes from the sample. */
bool trace_printk_sound(const char *text, size_t n)
{
	return narrow(text, text + n, false);
}

/* "LABEL:N;"; @at: N. */
static bool place(struct reader *r, const char *label, const char **at)
{
	if (*r->p != '\t' || !take(r, label))
		return false;
	*at = r->p;
	r->p += *r->p == '-';
	return number(r) && take(r, ";");
}

/* "[N]", "[NAME]", "[]". */
static bool array(struct reader *r)
{
	if (!take(r, "["))
		return true;
	if (!number(r))
		word(r);
	return take(r, "]");
}

bool trace_field_sound(const char *text)
{
	static const char which[] = "common_type";
	const char *offset, *size, *number_at, *last = text;
	struct reader r = { .p = text };
	unsigned parts = 0;
	bool is_which;
	size_t n;

	/* "unsigned long args[2]", "__data_loc char[] name", "const char * name" */
	while (parts <= TYPE_MAX && (n = word(&r))) {
		parts++;
		last = r.p - n;
		for (unsigned stars = 0; stars < TYPE_MAX && take(&r, "*"); stars++)
			;
	}
	if (parts < 2 || parts > TYPE_MAX || !array(&r))
		return false;
	is_which = !strncmp(last, which, strlen(which));
	word(&r);
	if (!take(&r, ";") || !place(&r, "offset:", &offset) || !place(&r, "size:", &size))
		return false;
	/* By the place that it has in one event the library finds out which event a sample is of, whatever is printed. */
	if (is_which && (strtol(offset, NULL, 0) != 0 || strtol(size, NULL, 0) != 2))
		return false;
	return !*r.p || (place(&r, "signed:", &number_at) && !*r.p);
}
#endif
