// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What linkers order functions by: their symbols, those with most code run first; or who calls whom
 * how often, of which lld makes an order by itself. A symbol is all that a linker knows a section
 * by, so functions of one name are one here, and what is no symbol of the object is left out.
 */
#include <stdlib.h>

#include "convert/convert-int.h"

struct call {
	uint32_t caller, callee; /* numbers of names; callee 0: a symbol alone */
	uint64_t weight;
};

struct order {
	const struct convert_elf *ob;
	struct intern names;
	VEC(struct call) call;
	struct htab tab;
};

static int add(struct order *r, uint32_t caller, uint32_t callee, uint64_t weight)
{
	uint64_t key = hash_u64((uint64_t)caller << 32 | callee);
	uint32_t i;

	for (struct htab_it it = htab_find(&r->tab, key); htab_next(&r->tab, &it, &i);)
		if (r->call.v[i].caller == caller && r->call.v[i].callee == callee) {
			r->call.v[i].weight += weight;
			return 0;
		}
	return vec_push(&r->call, ((struct call){ caller, callee, weight }))
		       ?: htab_add(&r->tab, key, (uint32_t)r->call.n - 1);
}

/* '#' begins a comment. */
static bool fits_line(const char *s)
{
	return convert_fits_line(s, "") && *s != '#';
}

/* The number of the symbol of @fn; 0 = it has none. INTERN_NONE: no memory. */
static uint32_t name_of(struct order *r, const struct function *fn)
{
	return fn && fits_line(fn->symbol) ? intern(&r->names, fn->symbol) : 0;
}

/* ---- functions -------------------------------------------------------------------------------- */

/* Code from a branch's target to the next branch; the target alone when that was not seen. */
static int add_run(struct order *r, const struct local_edge *l)
{
	const struct function *fn = convert_elf_function(&r->ob->file, l->to);
	uint32_t name = name_of(r, fn);
	uint64_t bytes = 1;

	if (!name || name == INTERN_NONE)
		return name ? -ENOMEM : 0;
	if (l->end != NO_END)
		bytes = min_u64(l->end, fn->end - 1) - l->to + 1;
	return add(r, name, 0, bytes * l->count);
}

static int add_samples(struct order *r, const struct convert *c)
{
	vec_for_each (ip, &c->ips) {
		uint64_t addr =
			ip->dso == r->ob->dso ? convert_elf_vaddr(&r->ob->file, ip->addr) : NO_END;
		uint32_t name = name_of(r, convert_elf_function(&r->ob->file, addr));

		if (name && (name == INTERN_NONE || add(r, name, 0, ip->count)))
			return -ENOMEM;
	}
	return 0;
}

/* ---- calls ------------------------------------------------------------------------------------ */

/* A branch from another function to where this one begins; returns go elsewhere. */
static int add_call(struct order *r, const struct local_edge *l)
{
	const struct function *from = convert_elf_function(&r->ob->file, l->from);
	const struct function *to = convert_elf_function(&r->ob->file, l->to);
	uint32_t caller, callee;

	if (!from || !to || from == to || to->start != l->to)
		return 0;
	caller = name_of(r, from);
	callee = name_of(r, to);
	if (caller == INTERN_NONE || callee == INTERN_NONE)
		return -ENOMEM;
	return caller && callee && caller != callee ? add(r, caller, callee, l->count) : 0;
}

/* ---- writing ---------------------------------------------------------------------------------- */

static int by_weight(const void *a, const void *b, void *ctx)
{
	const struct call *x = a, *y = b;
	const struct order *r = ctx;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return strcmp(intern_str(&r->names, x->caller), intern_str(&r->names, y->caller))
		       ?: strcmp(intern_str(&r->names, x->callee),
				 intern_str(&r->names, y->callee));
}

static ssize_t put(struct order *r, struct obuf *o)
{
	if (r->call.n)
		qsort_r(r->call.v, r->call.n, sizeof(*r->call.v), by_weight, r);
	vec_for_each (c, &r->call) {
		obuf_str(o, intern_str(&r->names, c->caller));
		if (c->callee) {
			obuf_char(o, ' ');
			obuf_str(o, intern_str(&r->names, c->callee));
			obuf_char(o, ' ');
			obuf_dec(o, c->weight);
		}
		obuf_char(o, '\n');
	}
	return (ssize_t)r->call.n;
}

static ssize_t write_order(const struct convert *c, const struct convert_elf *ob,
			   int (*fn)(struct order *r, const struct local_edge *l), struct obuf *o,
			   struct err *e)
{
	struct order r = { .ob = ob };
	size_t n = 0;
	struct local_edge *v = convert_local(c, ob, &n, e);
	ssize_t ret = v ? 0 : -ENOMEM;

	if (!ret && intern(&r.names, "") == INTERN_NONE)
		ret = -ENOMEM;
	for (size_t i = 0; i < n && !ret; i++)
		if (v[i].to != NO_END)
			ret = fn(&r, &v[i]);
	if (!ret && fn == add_run)
		ret = add_samples(&r, c);
	if (ret)
		err_set(e, -ENOMEM, "no memory for the functions of %s", ob->pub.name);
	else
		ret = put(&r, o);
	free(v);
	vec_free(&r.call);
	htab_free(&r.tab);
	intern_free(&r.names);
	return ret;
}

static ssize_t write_symbols(const struct convert *c, const struct convert_elf *ob, struct obuf *o,
			     struct err *e)
{
	return write_order(c, ob, add_run, o, e);
}

static ssize_t write_calls(const struct convert *c, const struct convert_elf *ob, struct obuf *o,
			   struct err *e)
{
	return write_order(c, ob, add_call, o, e);
}

int convert_need_branches(const struct convert *c, const struct convert_elf *ob, const char *what,
			  struct err *e)
{
	if (c->stats.with_branches)
		return 0;
	err_set(e, -EINVAL, "%s: %s is seen in branch stacks, and there are none",
		ob->pub.dso->name, what);
	err_hint(e, "Record them: perf record -b. Without, --to symbol-order orders by samples.");
	return -EINVAL;
}

/* Calls are branches. */
static int need_branches(const struct convert *c, struct convert_elf *ob, struct err *e)
{
	return convert_need_branches(c, ob, "who calls whom", e);
}

const struct convert_format convert_symbol_order = {
	.name = "symbol-order",
	.holds = "symbols, the hottest first, for ld.lld --symbol-ordering-file",
	.object = write_symbols,
};

const struct convert_format convert_call_order = {
	.name = "call-order",
	.holds = "who calls whom how often, for ld.lld --call-graph-ordering-file",
	.prepare = need_branches,
	.object = write_calls,
};
