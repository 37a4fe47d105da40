// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Clusters of basic blocks for clang -fbasic-block-sections=list: in which order the blocks of hot functions
 * lie, and that all others go away from them. What is hot and how control goes from block to block is
 * counted by branches and by the ranges between them; blocks are then joined into chains along the edges that
 * were taken most, as Pettis and Hansen did ("Profile guided code positioning", 1990), so that what follows
 * another one mostly is behind it and no branch is taken. The chain with the entry is the first, as
 * compilers want it; of the others the densest.
 */
#include <stdlib.h>

#include "convert/blocks-int.h"

#define NONE UINT32_MAX

struct flow_edge { /* between blocks of one function, by index */
	uint32_t from, to;
	uint64_t count;
};

/* By its head; a chain is a list of blocks. */
struct chain {
	uint32_t head, fn;
	bool entry;
	double heat, size; /* runs of its bytes, bytes */
};

struct layout {
	struct blocks_map map;
	VEC(struct flow_edge) edges;
	VEC(struct chain) chains;
	uint32_t *next, *head, *tail; /* by block: next of its chain; tail by the chain's head */
	uint64_t *heat;		      /* by function */
	uint64_t *fell;		      /* by block: ranges that begin there, less those that end */
	uint64_t lost, counted;
};

/* ---- counting ------------------------------------------------------------------------------------- */

static int add_edge(struct layout *l, const struct block *from, const struct block *to,
		    uint64_t count)
{
	if (from->fn != to->fn)
		return 0;
	return vec_push(&l->edges, ((struct flow_edge){ (uint32_t)(from - l->map.v.v),
							(uint32_t)(to - l->map.v.v), count }));
}

/*
 * From where a branch went to the next one that was taken: all blocks in between, one after the other. Only the ends of
 * ranges are kept; each may pass all blocks of a function.
 */
static void add_range(struct layout *l, const struct local_edge *g)
{
	struct block *b = blocks_at(&l->map, g->to);
	const struct block *last = blocks_at(&l->map, g->end);

	if (!b || !last || last < b || last->fn != b->fn)
		return;
	/* A call comes back into the middle of a block that ran before it. */
	if (b->start == g->to)
		b->count += g->count;
	l->fell[b - l->map.v.v] += g->count;
	l->fell[last - l->map.v.v] -= g->count;
}

static int end_ranges(struct layout *l)
{
	uint64_t n = 0;

	for (size_t i = 0; i + 1 < l->map.v.n; i++) {
		struct block *b = &l->map.v.v[i];

		n += l->fell[i];
		if (n && add_edge(l, b, b + 1, n))
			return -ENOMEM;
		b[1].count += n;
	}
	return 0;
}

static int count_one(struct layout *l, const struct local_edge *g)
{
	struct block *from = g->from == NO_END ? NULL : blocks_at(&l->map, g->from);
	struct block *to = g->to == NO_END ? NULL : blocks_at(&l->map, g->to);

	*(to ? &l->counted : &l->lost) += g->to == NO_END ? 0 : g->count;
	if (from && to && to->start == g->to && add_edge(l, from, to, g->count))
		return -ENOMEM;
	if (to && g->end == NO_END && to->start == g->to)
		to->count += g->count;
	if (g->end != NO_END)
		add_range(l, g);
	return 0;
}

static int by_blocks(const void *a, const void *b)
{
	const struct flow_edge *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static int by_count(const void *a, const void *b)
{
	const struct flow_edge *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return by_blocks(a, b);
}

/* Equal ones added up, those taken most first. */
static void sort_edges(struct layout *l)
{
	size_t n = 0;

	if (!l->edges.n)
		return;
	qsort(l->edges.v, l->edges.n, sizeof(*l->edges.v), by_blocks);
	for (size_t i = 0; i < l->edges.n; i++)
		if (n && !by_blocks(&l->edges.v[n - 1], &l->edges.v[i]))
			l->edges.v[n - 1].count += l->edges.v[i].count;
		else
			l->edges.v[n++] = l->edges.v[i];
	l->edges.n = n;
	qsort(l->edges.v, n, sizeof(*l->edges.v), by_count);
}

/* ---- chains --------------------------------------------------------------------------------------- */

static bool is_entry(const struct layout *l, uint32_t b)
{
	return !l->map.v.v[b].id;
}

/* Each block is a chain of its own; those along an edge become one where one ends and the other begins. */
static void join(struct layout *l)
{
	for (uint32_t i = 0; i < l->map.v.n; i++) {
		l->next[i] = NONE;
		l->head[i] = l->tail[i] = i;
	}
	vec_for_each (g, &l->edges) {
		uint32_t head, at = g->from, steps = 0;

		if (l->next[g->from] != NONE || l->head[g->to] != g->to || is_entry(l, g->to))
			continue;
		/* Heads are brought up to date on the way: a chain's blocks point towards it. */
		for (head = at; l->head[head] != head; head = l->head[head])
			steps++;
		while (steps && l->head[at] != head) {
			uint32_t up = l->head[at];

			l->head[at] = head;
			at = up;
		}
		if (head == g->to)
			continue;
		l->next[g->from] = g->to;
		l->head[g->to] = head;
		l->tail[head] = l->tail[g->to];
	}
}

static int find_chains(struct layout *l)
{
	for (uint32_t i = 0; i < l->map.v.n; i++) {
		struct chain c = { .head = i, .fn = l->map.v.v[i].fn, .entry = is_entry(l, i) };

		if (l->head[i] != i)
			continue;
		for (uint32_t b = i; b != NONE; b = l->next[b]) {
			const struct block *bl = &l->map.v.v[b];
			double size = (double)(bl->end - bl->start);

			c.size += size;
			c.heat += size * (double)bl->count;
			l->heat[bl->fn] += (bl->end - bl->start) * bl->count;
		}
		/* The entry stands first whether it was seen or not; what else did not run stays out. */
		if ((c.heat > 0 || c.entry) && vec_push(&l->chains, c))
			return -ENOMEM;
	}
	return 0;
}

/* Functions: the most run first; the entry's chain, then the densest. */
static int by_order(const void *a, const void *b, void *ctx)
{
	const struct layout *l = ctx;
	const struct chain *x = a, *y = b;
	double dx = x->heat / x->size, dy = y->heat / y->size;

	if (x->fn != y->fn && l->heat[x->fn] != l->heat[y->fn])
		return l->heat[x->fn] < l->heat[y->fn] ? 1 : -1;
	if (x->fn != y->fn)
		return x->fn < y->fn ? -1 : 1;
	if (x->entry != y->entry)
		return y->entry - x->entry;
	if (dx != dy)
		return dx < dy ? 1 : -1;
	return x->head < y->head ? -1 : x->head > y->head;
}

/* ---- writing -------------------------------------------------------------------------------------- */

/* A name that was there before stands for another function, and compilers refuse it twice. */
static bool is_new(struct htab *seen, const struct layout *l, uint32_t fn, int *code)
{
	const char *name = l->map.fns.v[fn];
	uint64_t hash = name ? hash_bytes(name, strlen(name)) : 0;
	uint32_t i;

	if (!convert_fits_line(name, "/"))
		return false;
	for (struct htab_it it = htab_find(seen, hash); htab_next(seen, &it, &i);)
		if (!strcmp(l->map.fns.v[i], name))
			return false;
	*code = *code ?: htab_add(seen, hash, fn);
	return !*code;
}

static ssize_t put(struct layout *l, struct obuf *o)
{
	bool v1 = l->map.has_ids, good = false;
	uint32_t fn = NONE;
	struct htab seen = { 0 };
	ssize_t n = 0;
	int code = 0;

	if (l->chains.n)
		qsort_r(l->chains.v, l->chains.n, sizeof(*l->chains.v), by_order, l);
	vec_for_each (c, &l->chains) {
		if (!l->heat[c->fn])
			break;
		if (c->fn != fn) {
			if (good)
				obuf_char(o, '\n');
			fn = c->fn;
			good = c->entry && is_new(&seen, l, fn, &code);
			if (good) {
				if (v1 && !n)
					obuf_lit(o, "v1\n");
				obuf_str(o, v1 ? "f " : "!");
				obuf_str(o, l->map.fns.v[fn]);
				obuf_str(o, v1 ? "\nc" : "\n!!");
				n++;
			}
		}
		for (uint32_t b = c->head; good && b != NONE; b = l->next[b]) {
			if (v1 || b != c->head || !c->entry)
				obuf_char(o, ' ');
			obuf_dec(o, l->map.v.v[b].id);
		}
	}
	if (good)
		obuf_char(o, '\n');
	htab_free(&seen);
	return code ? code : n;
}

static int lay_out(struct layout *l, const struct convert *c, const struct convert_elf *ob,
		   struct err *e)
{
	size_t n = 0, blocks;
	struct local_edge *v;
	int ret = blocks_read(&l->map, &ob->file, e);

	if (ret)
		return ret;
	v = convert_local(c, ob, &n, e);
	blocks = l->map.v.n + 1;
	l->next = malloc(blocks * sizeof(*l->next));
	l->head = malloc(blocks * sizeof(*l->head));
	l->tail = malloc(blocks * sizeof(*l->tail));
	l->heat = calloc(l->map.fns.n + 1, sizeof(*l->heat));
	l->fell = calloc(blocks, sizeof(*l->fell));
	ret = v && l->next && l->head && l->tail && l->heat && l->fell ? 0 : -ENOMEM;
	for (size_t i = 0; i < n && !ret; i++)
		ret = count_one(l, &v[i]);
	ret = ret ?: end_ranges(l);
	free(v);
	if (!ret) {
		sort_edges(l);
		join(l);
		ret = find_chains(l);
	}
	return ret ? err_set(e, ret, "no memory for the blocks of %s", ob->pub.name) : 0;
}

static ssize_t write_propeller(const struct convert *c, const struct convert_elf *ob,
			       struct obuf *o, struct err *e)
{
	struct layout l = { 0 };
	ssize_t ret = lay_out(&l, c, ob, e);

	if (!ret && l.lost > (l.lost + l.counted) / 20)
		log_to(&c->log, LOG_WARN,
		       "%s: %.1f %% of its branches go to code that its map of basic blocks does not tell of",
		       ob->pub.dso->name, 100.0 * (double)l.lost / (double)(l.lost + l.counted));
	ret = ret ? ret : put(&l, o);
	blocks_free(&l.map);
	vec_free(&l.edges);
	vec_free(&l.chains);
	free(l.next);
	free(l.head);
	free(l.tail);
	free(l.heat);
	free(l.fell);
	return ret;
}

static int prepare(const struct convert *c, struct convert_elf *ob, struct err *e)
{
	struct blocks_map map = { 0 };
	int ret = convert_need_branches(c, ob, "in which order blocks run", e)
			  ?: blocks_read(&map, &ob->file, e);

	blocks_free(&map);
	return ret;
}

const struct convert_format convert_propeller = {
	.name = "propeller",
	.holds = "orders of basic blocks, for clang -fbasic-block-sections=list",
	.prepare = prepare,
	.object = write_propeller,
};
