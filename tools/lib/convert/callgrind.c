// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Callgrind's profile format (valgrind.org/docs/manual/cl-format.html), for KCachegrind and
 * callgrind_annotate: what each instruction of a function cost itself, what its calls cost, and where
 * it jumped to. An event is a column of costs, periods; so a function's own cost is perf report's.
 *
 * Inlined code is the function's that it was inlined into, at its own file and line (fi=, fe=): that is
 * how the format has it. Calls are not counted by samples: a call's number is that of samples seen in
 * it. A call that recurs in a stack is added once, for the outermost, so that none passes the total.
 * Jumps come from branch stacks, within functions; what a range of code passed
 * without a branch was not taken there, which makes a jump conditional.
 */
#include <stdlib.h>

#include "convert/raw-int.h"
#include "convert/stacks-int.h"
#include "session/session.h"

/* Own cost at a frame's address and line, or the cost of calling @callee from there. */
struct callgrind_cost {
	uint32_t function, frame, callee; /* STACKS_NONE: own */
	uint64_t calls;
};

struct callgrind_jump {
	uint32_t from, to; /* locations; of a range where it began and what branch ended it */
	uint64_t count, fell;
	bool range, conditional;
};

struct callgrind {
	struct stacks *st;
	VEC(struct callgrind_cost) costs;
	struct htab cost_tab;
	VEC(uint64_t) values; /* by cost and event */
	VEC(struct callgrind_jump) jumps;
	struct htab jump_tab;
	struct intern names[3]; /* objects, files, functions: a space of numbers each */
	struct obuf text;
	size_t nr_events;
	int code;
};

enum { OBJECTS, FILES, FUNCTIONS };

static int begin(struct convert_run *r, struct err *e)
{
	struct callgrind *k = r->own = calloc(1, sizeof(*k));

	if (!k || obuf_init(&k->text, -1, 0))
		return err_set(e, -ENOMEM, "no memory for the profile");
	return stacks_new(&k->st, r, 0, e);
}

/* ---- reading -------------------------------------------------------------------------------------- */

static int add_jump(struct callgrind *k, const struct callgrind_jump *j)
{
	uint64_t hash = hash_mix((uint64_t)j->from << 1 | j->range, j->to);
	uint32_t i;

	for (struct htab_it it = htab_find(&k->jump_tab, hash); htab_next(&k->jump_tab, &it, &i);) {
		struct callgrind_jump *o = &k->jumps.v[i];

		if (o->from != j->from || o->to != j->to || o->range != j->range)
			continue;
		o->count += j->count;
		o->conditional |= j->conditional;
		return 0;
	}
	i = (uint32_t)k->jumps.n;
	return vec_push(&k->jumps, *j) ?: htab_add(&k->jump_tab, hash, i);
}

/* Both ends in one function: what is drawn as an arrow in it. */
static bool in_one(const struct stacks *st, uint32_t a, uint32_t b)
{
	const struct loc *x = resolver_loc(st->env->resolver, a);
	const struct loc *y = resolver_loc(st->env->resolver, b);

	return x->sym && x->sym == y->sym && x->dso == y->dso;
}

static int add_branches(struct callgrind *k, const struct session_sample *in)
{
	const struct sample_branches *b = &in->s->branches;
	struct resolver *res = k->st->env->resolver;
	uint32_t newer = LOC_NONE; /* the source of the next newer branch */
	int ret = 0;

	for (uint64_t i = 0; i < b->nr && !ret; i++) {
		struct callgrind_jump j = { .count = 1 }, range = { .count = 1, .range = true };
		struct branch_entry br;

		sample_branch(b, i, &br);
		j.from = resolver_find(res, in->thread, PERF_RECORD_MISC_CPUMODE_UNKNOWN, br.from);
		j.to = resolver_find(res, in->thread, PERF_RECORD_MISC_CPUMODE_UNKNOWN, br.to);
		if (j.from == LOC_NONE || j.to == LOC_NONE)
			return -ENOMEM;
		j.conditional = br.type == BR_COND;
		if (in_one(k->st, j.from, j.to))
			ret = add_jump(k, &j);
		range.from = j.to;
		range.to = newer;
		if (!ret && newer != LOC_NONE && in_one(k->st, range.from, range.to))
			ret = add_jump(k, &range);
		newer = j.from;
	}
	return ret;
}

static int one_sample(struct convert_run *r, const struct session_sample *in, struct err *e)
{
	struct callgrind *k = r->own;

	r->samples++;
	if (raw_has_branches(in->s) && !in->again && add_branches(k, in))
		return err_set(e, -ENOMEM, "no memory for branches");
	return stacks_add(k->st, r, in, e);
}

static int merge(struct convert_run *r, struct convert_run *from, const struct session_maps *maps,
		 struct err *e)
{
	struct callgrind *k = r->own, *other = from->own;

	vec_for_each (j, &other->jumps) {
		struct callgrind_jump add = *j;

		if (maps) {
			add.from = maps->loc[j->from];
			add.to = maps->loc[j->to];
		}
		if (add_jump(k, &add))
			return err_set(e, -ENOMEM, "no memory for branches");
	}
	return stacks_merge(k->st, other->st, maps, NULL, e);
}

/* ---- costs ---------------------------------------------------------------------------------------- */

/* The values of a cost, which is made where it is not there; NULL: no memory. */
static uint64_t *cost_of(struct callgrind *k, uint32_t function, uint32_t frame, uint32_t callee,
			 uint64_t calls)
{
	uint64_t hash = hash_mix(hash_mix(function, frame), callee);
	uint32_t i;

	for (struct htab_it it = htab_find(&k->cost_tab, hash); htab_next(&k->cost_tab, &it, &i);) {
		struct callgrind_cost *c = &k->costs.v[i];

		if (c->function != function || c->frame != frame || c->callee != callee)
			continue;
		c->calls += calls;
		return &k->values.v[i * k->nr_events];
	}
	i = (uint32_t)k->costs.n;
	if (vec_push(&k->costs, ((struct callgrind_cost){ function, frame, callee, calls })) ||
	    htab_add(&k->cost_tab, hash, i) ||
	    vec_reach(&k->values, (i + 1) * k->nr_events - 1, 0)) {
		k->code = -ENOMEM;
		return NULL;
	}
	return &k->values.v[i * k->nr_events];
}

/* The node of the function that @node's code stands in: itself, unless it was inlined. */
static uint32_t real_node(const struct stacks *st, uint32_t node)
{
	while (st->frames.v[st->nodes.v[node].frame].inlined &&
	       st->nodes.v[node].parent != STACKS_NONE)
		node = st->nodes.v[node].parent;
	return node;
}

static uint32_t function_at(const struct stacks *st, uint32_t node)
{
	return st->function_of[st->nodes.v[node].frame];
}

/* Whether the same call stands further out in the stack of @node, a function that @caller called. */
static bool is_recursive(const struct stacks *st, uint32_t caller, uint32_t node)
{
	uint32_t from = function_at(st, caller), to = function_at(st, node), below = caller;

	for (uint32_t at = st->nodes.v[caller].parent; at != STACKS_NONE;) {
		uint32_t real = real_node(st, at);

		if (function_at(st, real) == from && function_at(st, below) == to)
			return true;
		below = real;
		at = st->nodes.v[real].parent;
	}
	return false;
}

/* @total: by node and column, samples in the last one; with what is called from there. */
static void add_up(struct callgrind *k, uint64_t *total)
{
	const struct stacks *st = k->st;
	size_t n = k->nr_events, width = n + 1;
	size_t column = 0;

	vec_for_each (c, &st->counts) {
		uint32_t real;
		uint64_t *v;

		if (c->node == STACKS_NONE || k->code)
			continue;
		for (column = 0; column + 1 < n && st->events.v[column] != c->event;)
			column++;
		real = real_node(st, c->node);
		v = cost_of(k, function_at(st, real), st->nodes.v[c->node].frame, STACKS_NONE, 0);
		if (!v)
			return;
		v[column] += c->v[1];
		total[c->node * width + column] += c->v[1];
		total[c->node * width + n] += c->v[0];
	}
	for (size_t i = st->nodes.n; i-- > 0;) {
		uint32_t parent = st->nodes.v[i].parent;

		for (size_t j = 0; j < width && parent != STACKS_NONE; j++)
			total[parent * width + j] += total[i * width + j];
	}
}

static void add_calls(struct callgrind *k, const uint64_t *total)
{
	const struct stacks *st = k->st;
	size_t n = k->nr_events, width = n + 1;

	for (uint32_t i = 0; i < st->nodes.n && !k->code; i++) {
		uint32_t site = st->nodes.v[i].parent, caller;
		uint64_t *v;

		/* Inlined frames are no functions; what is outermost was not called. */
		if (st->frames.v[st->nodes.v[i].frame].inlined || site == STACKS_NONE)
			continue;
		caller = real_node(st, site);
		if (is_recursive(st, caller, i))
			continue;
		v = cost_of(k, function_at(st, caller), st->nodes.v[site].frame, function_at(st, i),
			    total[i * width + n]);
		for (size_t j = 0; v && j < n; j++)
			v[j] += total[i * width + j];
	}
}

static int by_function(const void *a, const void *b, void *ctx)
{
	const struct callgrind *k = ctx;
	const struct callgrind_cost *x = &k->costs.v[*(const uint32_t *)a];
	const struct callgrind_cost *y = &k->costs.v[*(const uint32_t *)b];
	bool own_x = x->callee == STACKS_NONE, own_y = y->callee == STACKS_NONE;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (own_x != own_y)
		return own_x ? -1 : 1;
	if (x->frame != y->frame)
		return x->frame < y->frame ? -1 : 1;
	return x->callee < y->callee ? -1 : x->callee > y->callee;
}

/* ---- jumps ---------------------------------------------------------------------------------------- */

static const struct loc *loc_of(const struct callgrind *k, uint32_t loc)
{
	return resolver_loc(k->st->env->resolver, loc);
}

/* By function, then by where they come from; ranges behind jumps. */
static int by_source(const void *a, const void *b, void *ctx)
{
	const struct callgrind *k = ctx;
	const struct callgrind_jump *x = a, *y = b;
	const struct loc *lx = loc_of(k, x->from), *ly = loc_of(k, y->from);

	if (lx->sym != ly->sym)
		return lx->sym->idx < ly->sym->idx ? -1 : 1;
	if (x->range != y->range)
		return x->range ? 1 : -1;
	if (lx->addr != ly->addr)
		return lx->addr < ly->addr ? -1 : 1;
	lx = loc_of(k, x->to);
	ly = loc_of(k, y->to);
	return lx->addr < ly->addr ? -1 : lx->addr > ly->addr;
}

/* The first of v[0] to before v[n] that is not in front of location @loc. */
static size_t jump_from(const struct callgrind *k, const struct callgrind_jump *v, size_t n,
			uint32_t loc)
{
	size_t from = 0;

	while (from < n) {
		size_t half = from + (n - from) / 2;

		if (loc_of(k, v[half].from)->addr < loc_of(k, loc)->addr)
			from = half + 1;
		else
			n = half;
	}
	return from;
}

/*
 * What ranges of a function, v[jumps] to before v[n], passed: v[0] to before v[jumps]. First what more pass one than the
 * one before it, or fewer: each may pass all.
 */
static void count_passed(const struct callgrind *k, struct callgrind_jump *v, size_t jumps,
			 size_t n)
{
	for (size_t i = jumps; i < n; i++) {
		size_t from = jump_from(k, v, jumps, v[i].from);
		size_t to = jump_from(k, v, jumps, v[i].to);

		if (from >= to)
			continue;
		v[from].fell += v[i].count;
		if (to < jumps)
			v[to].fell -= v[i].count;
	}
	for (size_t i = 1; i < jumps; i++)
		v[i].fell += v[i - 1].fell;
}

/* Jumps in order of functions; ranges are gone. */
static void end_jumps(struct callgrind *k)
{
	struct callgrind_jump *v = k->jumps.v;
	size_t n = k->jumps.n, out = 0;

	htab_free(&k->jump_tab);
	if (n)
		qsort_r(v, n, sizeof(*v), by_source, k);
	for (size_t i = 0, j, jumps; i < n; i = j) {
		const struct symbol *sym = loc_of(k, v[i].from)->sym;

		for (j = i, jumps = 0; j < n && loc_of(k, v[j].from)->sym == sym; j++)
			jumps += !v[j].range;
		count_passed(k, &v[i], jumps, j - i);
	}
	for (size_t i = 0; i < n; i++)
		if (!v[i].range)
			v[out++] = v[i];
	k->jumps.n = out;
}

/* ---- writing -------------------------------------------------------------------------------------- */

/* "KEY=(ID) NAME" the first time, "KEY=(ID)" from then on. */
static void put_name(struct callgrind *k, const char *key, int space, const char *name,
		     struct obuf *o)
{
	size_t before = k->names[space].str.n;
	uint32_t id;

	k->text.len = 0;
	emit_safe(&k->text, name);
	id = intern_n(&k->names[space], k->text.buf, k->text.len);
	if (id == INTERN_NONE) {
		k->code = -ENOMEM;
		return;
	}
	obuf_printf(o, "%s=(%u)", key, id);
	if (k->names[space].str.n != before) {
		obuf_char(o, ' ');
		obuf_str(o, intern_str(&k->names[space], id));
	}
	obuf_char(o, '\n');
}

/* As the linker laid it out: what disassemblers list. */
static uint64_t listed(const struct stacks *st, struct dso *dso, uint64_t addr)
{
	return dso && dso->kind == DSO_USER ? symbol_listed_addr(st->env->resolver, dso, addr)
					    : addr;
}

static void put_place(const struct stacks *st, struct dso *dso, uint64_t addr, uint32_t line,
		      struct obuf *o)
{
	obuf_lit(o, "0x");
	obuf_hex(o, listed(st, dso, addr));
	obuf_char(o, ' ');
	obuf_dec(o, line);
}

/* The file that its code begins in: what was sampled may be inlined from another one. */
static const char *file_of(const struct stacks *st, uint32_t function)
{
	const struct stacks_frame *f = &st->frames.v[st->functions.v[function]];
	struct dso *dso = (struct dso *)stacks_dso(st, f);
	struct srcline at;

	if (f->sym && dso && symbol_srcline(st->env->resolver, dso, f->sym->start, &at) && at.line)
		return at.file;
	return stacks_line(st, f, &at) ? at.file : "???";
}

static void put_function(struct callgrind *k, uint32_t function, bool called, struct obuf *o)
{
	const struct stacks *st = k->st;
	const struct stacks_frame *f = &st->frames.v[st->functions.v[function]];
	const struct dso *dso = stacks_dso(st, f);
	char buf[256];

	put_name(k, called ? "cob" : "ob", OBJECTS, dso ? dso->name : "???", o);
	put_name(k, called ? "cfi" : "fl", FILES, file_of(st, function), o);
	put_name(k, called ? "cfn" : "fn", FUNCTIONS, stacks_name(st, f, buf, sizeof(buf)), o);
}

static void put_values(const struct callgrind *k, const uint64_t *v, struct obuf *o)
{
	for (size_t i = 0; i < k->nr_events; i++) {
		obuf_char(o, ' ');
		obuf_dec(o, v[i]);
	}
	obuf_char(o, '\n');
}

/* Costs and jumps of @function are in file @name from here on; *file: in which those before were. */
static void put_file(struct callgrind *k, uint32_t function, const char *name, const char **file,
		     struct obuf *o)
{
	if (!strcmp(name, *file))
		return;
	put_name(k, strcmp(name, file_of(k->st, function)) ? "fi" : "fe", FILES, name, o);
	*file = name;
}

/* @file: that of the costs before, in the same function. */
static void put_cost(struct callgrind *k, const struct callgrind_cost *c, const uint64_t *values,
		     const char **file, struct obuf *o)
{
	const struct stacks *st = k->st;
	const struct stacks_frame *f = &st->frames.v[c->frame];
	struct dso *dso = (struct dso *)stacks_dso(st, f);
	struct srcline at = { .file = *file };
	bool known = stacks_line(st, f, &at);

	if (known)
		put_file(k, c->function, at.file, file, o);
	if (c->callee != STACKS_NONE) {
		const struct stacks_frame *g = &st->frames.v[st->functions.v[c->callee]];

		put_function(k, c->callee, true, o);
		obuf_printf(o, "calls=%llu ", (unsigned long long)c->calls);
		put_place(st, (struct dso *)stacks_dso(st, g),
			  g->sym ? g->sym->start : stacks_addr(st, g), 0, o);
		obuf_char(o, '\n');
	}
	put_place(st, dso, stacks_addr(st, f), known ? at.line : 0, o);
	put_values(k, values, o);
}

/* 0: it is not known, and *file stays. */
static uint32_t line_of(const struct stacks *st, const struct loc *l, const char **file)
{
	struct srcline at;

	if (!symbol_srcline(st->env->resolver, l->dso, l->addr, &at) || !at.line)
		return 0;
	*file = at.file;
	return at.line;
}

static void put_jump(struct callgrind *k, uint32_t function, const struct callgrind_jump *j,
		     const char **file, struct obuf *o)
{
	const struct loc *from = loc_of(k, j->from), *to = loc_of(k, j->to);
	const char *from_file = *file, *to_file;
	uint32_t from_line = line_of(k->st, from, &from_file), to_line;

	to_file = from_file;
	to_line = line_of(k->st, to, &to_file);
	put_file(k, function, from_file, file, o);
	if (strcmp(to_file, from_file))
		put_name(k, "jfi", FILES, to_file, o);
	if (j->fell || j->conditional)
		obuf_printf(o, "jcnd=%llu/%llu ", (unsigned long long)j->count,
			    (unsigned long long)j->count + j->fell);
	else
		obuf_printf(o, "jump=%llu ", (unsigned long long)j->count);
	put_place(k->st, to->dso, to->addr, to_line, o);
	obuf_char(o, '\n');
	put_place(k->st, from->dso, from->addr, from_line, o);
	obuf_char(o, '\n');
}

/* Jumps of functions that have costs stand with them; the others' get the function alone. */
static void put_jumps(struct callgrind *k, uint32_t function, const struct symbol *sym,
		      const char **file, struct obuf *o)
{
	size_t from = 0, to = k->jumps.n;

	while (from < to) {
		size_t half = from + (to - from) / 2;

		if (loc_of(k, k->jumps.v[half].from)->sym->idx < sym->idx)
			from = half + 1;
		else
			to = half;
	}
	for (; from < k->jumps.n && loc_of(k, k->jumps.v[from].from)->sym == sym; from++)
		put_jump(k, function, &k->jumps.v[from], file, o);
}

static void put_costs(struct callgrind *k, const uint32_t *order, struct obuf *o)
{
	const struct stacks *st = k->st;
	const char *file = NULL;

	for (size_t i = 0; i < k->costs.n && !k->code; i++) {
		const struct callgrind_cost *c = &k->costs.v[order[i]];
		bool last = i + 1 == k->costs.n || k->costs.v[order[i + 1]].function != c->function;
		const struct symbol *sym = st->frames.v[st->functions.v[c->function]].sym;

		if (!file) {
			obuf_char(o, '\n');
			put_function(k, c->function, false, o);
			file = file_of(st, c->function);
		}
		put_cost(k, c, &k->values.v[order[i] * k->nr_events], &file, o);
		if (!last)
			continue;
		if (sym)
			put_jumps(k, c->function, sym, &file, o);
		file = NULL;
	}
}

static void put_head(struct callgrind *k, struct obuf *o)
{
	const struct perfdata *pd = k->st->env->pd;
	const struct perfdata_env *env = perfdata_env(pd);
	uint64_t *sum = calloc(k->nr_events, sizeof(*sum));

	obuf_lit(o, "# callgrind format\nversion: 1\ncreator: perf\n");
	if (env->nr_cmdline) {
		obuf_lit(o, "cmd:");
		for (uint32_t i = 0; i < env->nr_cmdline; i++) {
			obuf_char(o, ' ');
			emit_safe(o, env->cmdline[i]);
		}
		obuf_char(o, '\n');
	}
	obuf_lit(o, "positions: instr line\nevents:");
	vec_for_each (event, &k->st->events) {
		const struct perfdata_event *ev = perfdata_event(pd, *event);

		/* Words of letters, digits and '_'. */
		obuf_char(o, ' ');
		for (const char *s = ev && ev->name[0] ? ev->name : "event"; *s; s++)
			obuf_char(o, (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
						     (*s >= '0' && *s <= '9')
					     ? *s
					     : '_');
	}
	obuf_lit(o, "\nsummary:");
	for (size_t i = 0; sum && i < k->costs.n; i++)
		for (size_t j = 0; k->costs.v[i].callee == STACKS_NONE && j < k->nr_events; j++)
			sum[j] += k->values.v[i * k->nr_events + j];
	if (sum)
		put_values(k, sum, o);
	else
		k->code = -ENOMEM;
	free(sum);
}

static int finish(struct convert_run *r, struct err *e)
{
	struct callgrind *k = r->own;
	uint64_t *total = NULL;
	uint32_t *order = NULL;

	if (stacks_end(k->st) || stacks_functions(k->st))
		return err_set(e, -ENOMEM, "no memory for the profile");
	k->nr_events = k->st->events.n;
	total = calloc((k->st->nodes.n + 1) * (k->nr_events + 1), sizeof(*total));
	if (total) {
		add_up(k, total);
		add_calls(k, total);
		order = malloc((k->costs.n + 1) * sizeof(*order));
	}
	for (uint32_t i = 0; order && i < k->costs.n; i++)
		order[i] = i;
	if (order && !k->code) {
		qsort_r(order, k->costs.n, sizeof(*order), by_function, k);
		end_jumps(k);
		put_head(k, r->out);
		put_costs(k, order, r->out);
	} else {
		k->code = -ENOMEM;
	}
	free(total);
	free(order);
	return k->code || k->text.code ? err_set(e, -ENOMEM, "no memory for the profile") : 0;
}

static void end(struct convert_run *r)
{
	struct callgrind *k = r->own;

	if (!k)
		return;
	vec_free(&k->costs);
	htab_free(&k->cost_tab);
	vec_free(&k->values);
	vec_free(&k->jumps);
	htab_free(&k->jump_tab);
	for (size_t i = 0; i < ARRAY_SIZE(k->names); i++)
		intern_free(&k->names[i]);
	free(k->text.buf);
	stacks_free(k->st);
	free(k);
}

const struct convert_format convert_callgrind = {
	.name = "callgrind",
	.holds = "costs by instruction and line, calls, jumps of branch stacks, for KCachegrind",
	.begin = begin,
	.sample = one_sample,
	.merge = merge,
	.finish = finish,
	.free = end,
};
