// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branches of branch stacks: edges from an address to another, stretches of code from where one branch went
 * to through the next one, and chains of PATH_LEN branches. A branch that says neither that it was
 * mispredicted nor that it was not counts as unknown.
 */
#include "insn/insn.h"
#include "page-int.h"

#define PATH_LEN  4
#define MAX_EDGES 1000
#define MAX_REST  500 /* stretches, chains */

static int add_to(struct page *p, struct page_log *l, const uint64_t *key,
		  const struct page_tally *t)
{
	uint32_t i = page_log_row(p, l, key);

	if (i == NONE)
		return -ENOMEM;
	page_tally_add(&l->rows.v[i], t);
	return 0;
}

/*
 * From @start, where the branch before went to, through @end. Functions can be left without a branch, by a
 * signal perhaps: then it is not known where it began.
 */
static int add_stretch(struct page *p, uint32_t start, uint32_t end, const struct page_tally *t)
{
	const struct loc *a = resolver_loc(p->env->resolver, start);
	const struct loc *b = resolver_loc(p->env->resolver, end);
	const uint64_t key[2] = { start, end };

	if (!b->dso || a->dso != b->dso || a->sym != b->sym || a->addr > b->addr)
		return 0;
	return add_to(p, &p->ranges, key, t);
}

/* The last branches, oldest first. */
struct chain {
	uint64_t edge[PATH_LEN];
	struct page_tally of[PATH_LEN];
	unsigned n;
};

static int add_chain(struct page *p, struct chain *c, uint32_t edge, const struct page_tally *t)
{
	struct page_tally sum = { .nr = 1, .nr_cycles = 1 };

	if (c->n == PATH_LEN) {
		memmove(c->edge, c->edge + 1, sizeof(c->edge) - sizeof(*c->edge));
		memmove(c->of, c->of + 1, sizeof(c->of) - sizeof(*c->of));
		c->n--;
	}
	c->edge[c->n] = edge;
	c->of[c->n++] = *t;
	if (c->n < PATH_LEN)
		return 0;
	for (unsigned i = 0; i < PATH_LEN; i++) {
		sum.mispred += c->of[i].mispred;
		sum.flagged += c->of[i].flagged;
		/* What came before the oldest branch is not part of the chain. */
		if (i)
			sum.cycles += c->of[i].cycles;
		if (i && !c->of[i].nr_cycles)
			sum.nr_cycles = 0;
	}
	if (!sum.nr_cycles)
		sum.cycles = 0;
	return add_to(p, &p->paths, c->edge, &sum);
}

int page_add_branches(struct page *p, const struct sample *s, struct thread *th)
{
	bool all = sample_branch_filter(s) & PERF_SAMPLE_BRANCH_ANY;
	struct chain chain = { .n = 0 };
	uint32_t before = LOC_NONE;
	int ret = 0;

	for (uint64_t i = s->branches.nr; !ret && i-- > 0;) {
		struct branch_entry b;
		struct page_tally t;
		uint64_t key[2];
		uint32_t from, to;

		sample_branch(&s->branches, i, &b);
		from = resolver_find(p->env->resolver, th, PERF_RECORD_MISC_CPUMODE_UNKNOWN,
				     b.from);
		to = resolver_find(p->env->resolver, th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, b.to);
		if (from == LOC_NONE || to == LOC_NONE)
			return -ENOMEM;
		t = (struct page_tally){
			.nr = 1,
			.mispred = b.mispred,
			.flagged = b.mispred || b.predicted,
			.cycles = b.cycles,
			.nr_cycles = b.cycles != 0,
		};
		key[0] = from;
		key[1] = to;
		ret = add_to(p, &p->edges, key, &t);
		ret = ret ?: add_chain(p, &chain, keys_tuple_id(&p->edges.things, key), &t);
		if (!ret && all && before != LOC_NONE)
			ret = add_stretch(p, before, from, &t);
		before = to;
		p->branches++;
	}
	return ret;
}

/* ---- the page -------------------------------------------------------------------------------------- */

/* Whether the function at a location is shown as instructions. */
static bool in_code(const struct page *p, uint64_t loc)
{
	const struct symbol *sym = resolver_loc(p->env->resolver, (uint32_t)loc)->sym;

	return sym && page_shows_code(p, sym);
}

static bool starts_in_code(const struct page *p, const uint64_t *key)
{
	return in_code(p, key[0]);
}

static void put_end(struct page *p, const char *name, uint32_t loc, struct json *j)
{
	const struct loc *l = resolver_loc(p->env->resolver, loc);

	page_open(j, name, '{');
	if (l->sym) {
		page_str(j, "name", l->sym->name);
		page_num(j, "offset", l->addr - l->sym->start);
	} else {
		page_key(j, "address");
		obuf_printf(j->o, "\"0x%llx\"", (unsigned long long)l->addr);
	}
	if (l->dso)
		page_str(j, "object", l->dso->short_name);
	page_close(j, '}');
}

/* Instructions of a stretch, whose last one begins at its end; 0: its code cannot be read or decoded. */
static uint64_t count_insns(struct page *p, struct decoders *d, const struct loc *a,
			    const struct loc *b)
{
	struct resolver *res = p->env->resolver;
	struct insn_decoder *dec = keys_decoder(d, res, session_arch(p->session), b->dso);
	uint8_t code[4096];
	struct insn in;
	ssize_t size;
	uint64_t n = 0;

	if (!dec || b->addr - a->addr >= sizeof(code) - 16)
		return 0;
	size = symbol_read_code(res, b->dso, a->addr, code, (size_t)(b->addr - a->addr) + 16);
	for (ssize_t at = 0; size > at; at += in.len, n++) {
		if (a->addr + (uint64_t)at == b->addr)
			return n + 1;
		if (a->addr + (uint64_t)at > b->addr ||
		    insn_decode(dec, code + at, (size_t)(size - at), a->addr + (uint64_t)at, &in) <=
			    0)
			return 0;
	}
	return 0;
}

static void put_ranges(struct page *p, struct json *j)
{
	struct decoders dec = { 0 };

	page_open(j, "ranges", '[');
	for (uint32_t i = 0; i < p->ranges.nr_shown; i++) {
		const uint64_t *key = keys_tuple_get(&p->ranges.things, p->ranges.shown[i]);
		uint64_t n;

		page_open(j, NULL, '{');
		put_end(p, "from", (uint32_t)key[0], j);
		put_end(p, "to", (uint32_t)key[1], j);
		n = count_insns(p, &dec, resolver_loc(p->env->resolver, (uint32_t)key[0]),
				resolver_loc(p->env->resolver, (uint32_t)key[1]));
		if (n)
			page_num(j, "insns", n);
		page_close(j, '}');
	}
	page_close(j, ']');
	keys_decoders_free(&dec);
}

static void put_edge(struct page *p, uint32_t edge, struct json *j)
{
	const uint64_t *key = keys_tuple_get(&p->edges.things, edge);

	page_open(j, NULL, '{');
	put_end(p, "from", (uint32_t)key[0], j);
	put_end(p, "to", (uint32_t)key[1], j);
	page_close(j, '}');
}

static void put_paths(struct page *p, struct json *j)
{
	page_open(j, "paths", '[');
	for (uint32_t i = 0; i < p->paths.nr_shown; i++) {
		const uint64_t *key = keys_tuple_get(&p->paths.things, p->paths.shown[i]);

		page_open(j, NULL, '[');
		for (unsigned k = 0; k < PATH_LEN; k++)
			put_edge(p, (uint32_t)key[k], j);
		page_close(j, ']');
	}
	page_close(j, ']');
}

int page_put_flow(struct page *p, struct json *j)
{
	page_open(j, "branches", '{');
	page_num(j, "all", p->branches);
	page_open(j, "edges", '[');
	for (uint32_t i = 0; i < p->edges.nr_shown; i++)
		put_edge(p, p->edges.shown[i], j);
	page_close(j, ']');
	put_ranges(p, j);
	put_paths(p, j);
	page_open(j, "rows", '{');
	if (page_put_log(&p->edges, "edges", j) || page_put_log(&p->ranges, "ranges", j) ||
	    page_put_log(&p->paths, "paths", j))
		return -ENOMEM;
	page_close(j, '}');
	page_close(j, '}');
	return 0;
}

int page_choose_flow(struct page *p)
{
	return page_log_choose(p, &p->edges, MAX_EDGES, starts_in_code) ?:
	       page_log_choose(p, &p->ranges, MAX_REST, starts_in_code) ?:
	       page_log_choose(p, &p->paths, MAX_REST, NULL);
}

void page_start_logs(struct page *p)
{
	p->edges.things.width = p->ranges.things.width = 2;
	p->paths.things.width = PATH_LEN;
	p->places.things.width = p->vectors.things.width = 1;
	p->vectors.has_simd = true;
	p->edges.has_flags = p->ranges.has_flags = p->paths.has_flags = true;
	p->edges.least = p->ranges.least = p->paths.least = p->vectors.least = 3;
	p->places.least = 2;
	p->edges.shift = p->ranges.shift = p->paths.shift = p->vectors.shift = 3;
	p->places.shift = 2;
}
