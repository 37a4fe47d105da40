// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Paths out of steps. A superblock begins with the block that ran most and goes on, and back, as long as
 * more than half of what came there goes on alike; each block with the branch that led to it is in one superblock. How often
 * it was run through to its end is a product of shares, each of which is known of two branches in a row: further
 * back than that nothing is remembered.
 */
#include <stdlib.h>
#include <string.h>

#include "base/numbered.h"
#include "brstat-int.h"

#define SUPER_MAX 64 /* blocks */

/* Where it goes on from an edge, and where it comes from: the step taken most. */
struct links {
	uint32_t next, prev;	     /* steps; ID_NONE = not known */
	uint64_t nr_next, nr_prev;   /* all */
	uint64_t top_next, top_prev; /* those two steps */
};

struct grow {
	struct brstat *b;
	struct links *links; /* by edge */
	bool *used;	     /* by step */
	uint32_t forward[SUPER_MAX], back[SUPER_MAX];
};

/* calloc() in large pages, where it is that much. */
static void *new_array(size_t n, size_t size)
{
	void *v = calloc(n, size);

	mem_large(v, n * size);
	return v;
}

static uint32_t before_of(const struct brstat *b, uint32_t step)
{
	return b->steps.v[step].before;
}

static void find_links(struct grow *g)
{
	const struct brstat *b = g->b;

	for (uint32_t i = 0; i < b->edge_keys.n; i++)
		g->links[i] = (struct links){ .next = ID_NONE, .prev = ID_NONE };
	for (uint32_t i = 0; i < b->steps.n; i++) {
		const struct walk_step *st = &b->steps.v[i];
		struct links *from, *to;

		if (i + AHEAD < b->steps.n) {
			__builtin_prefetch(&g->links[st[AHEAD].edge], 1);
			if (st[AHEAD].before != ID_NONE)
				__builtin_prefetch(&g->links[st[AHEAD].before], 1);
		}
		if (st->stretch == ID_NONE)
			continue;
		from = &g->links[before_of(b, i)];
		to = &g->links[st->edge];
		from->nr_next += st->nr;
		to->nr_prev += st->nr;
		if (from->next == ID_NONE || st->nr > from->top_next) {
			from->next = i;
			from->top_next = st->nr;
		}
		if (to->prev == ID_NONE || st->nr > to->top_prev) {
			to->prev = i;
			to->top_prev = st->nr;
		}
	}
}

static uint64_t object_of(const struct loc *l)
{
	return l->dso ? l->dso->idx : ID_NONE;
}

/*
 * By location, in @rank, which is all 0: how many places lie before those that edges have, by object and address, and this
 * one. @v and @tmp have room for both ends of all edges. 0 or -ENOMEM.
 */
static int rank_places(const struct brstat *b, struct numbered *v, struct numbered *tmp,
		       uint32_t *rank)
{
	struct numbered *by_addr, *sorted;
	const struct loc *last = NULL;
	uint32_t at = 0;
	size_t n = 0;

	vec_for_each (info, &b->info) {
		const uint32_t ends[2] = { info->from, info->to };

		for (unsigned i = 0; i < 2; i++)
			if (!rank[ends[i]]) {
				rank[ends[i]] = 1;
				v[n++] = (struct numbered){ resolver_loc(b->res, ends[i])->addr,
							    ends[i] };
			}
	}
	by_addr = numbered_sort(v, tmp, n);
	for (size_t i = 0; by_addr && i < n; i++)
		by_addr[i].number = object_of(resolver_loc(b->res, by_addr[i].id));
	sorted = by_addr ? numbered_sort(by_addr, by_addr == v ? tmp : v, n) : NULL;
	for (size_t i = 0; sorted && i < n; i++) {
		const struct loc *l = resolver_loc(b->res, sorted[i].id);

		at += !last || last->addr != l->addr || last->dso != l->dso;
		rank[sorted[i].id] = at;
		last = l;
	}
	return sorted ? 0 : -ENOMEM;
}

uint32_t *brstat_rank_edges(const struct brstat *b)
{
	size_t n = b->info.n, nr_locs = 0;
	uint32_t *rank = calloc(n + 1, sizeof(*rank)), *place;
	struct numbered *v = new_array(4 * (n + 1), sizeof(*v)), *sorted = NULL;

	vec_for_each (info, &b->info)
		nr_locs = max_u64(nr_locs, max_u64(info->from, info->to) + 1);
	place = calloc(nr_locs + 1, sizeof(*place));
	if (v && rank && place && !rank_places(b, v, v + 2 * n, place)) {
		for (uint32_t i = 0; i < n; i++)
			v[i] = (struct numbered){
				(uint64_t)place[b->info.v[i].from] << 32 | place[b->info.v[i].to], i
			};
		sorted = numbered_sort(v, v + n, n);
	}
	for (uint32_t i = 0; sorted && i < n; i++)
		rank[sorted[i].id] = i;
	if (!sorted) {
		free(rank);
		rank = NULL;
	}
	free(place);
	free(v);
	return rank;
}

/* Most often first, ~number times each; equal ones as they are. NULL: no memory. */
static struct numbered *sort_steps(const struct brstat *b, size_t *n, struct numbered **mem)
{
	struct numbered *v = new_array(2 * ((size_t)b->steps.n + 1), sizeof(*v));

	*mem = v;
	*n = 0;
	for (uint32_t i = 0; v && i < b->steps.n; i++) {
		const struct walk_step *st = &b->steps.v[i];

		if (st->stretch == ID_NONE ||
		    !brstat_is_listed(b, resolver_loc(b->res, b->info.v[st->edge].from)))
			continue;
		v[(*n)++] = (struct numbered){ ~st->nr, i };
	}
	return v ? numbered_sort(v, v + *n, *n) : NULL;
}

static int add_super(struct grow *g, uint32_t nr_back, uint32_t nr_forward)
{
	struct brstat *b = g->b;
	struct brstat_super s = { .first = (uint32_t)b->super_steps.n, .through = 1 };

	if (vec_reserve(&b->super_steps, b->super_steps.n + nr_back + nr_forward))
		return -ENOMEM;
	while (nr_back)
		b->super_steps.v[b->super_steps.n++] = g->back[--nr_back];
	for (uint32_t i = 0; i < nr_forward; i++)
		b->super_steps.v[b->super_steps.n++] = g->forward[i];
	s.nr = (uint32_t)b->super_steps.n - s.first;
	for (uint32_t i = 0; i < s.nr; i++) {
		uint32_t id = b->super_steps.v[s.first + i];
		const struct walk_step *st = &b->steps.v[id];
		const struct code_stretch *t = &b->stretches.v[st->stretch];

		s.runs += st->nr;
		s.insns += st->nr * t->nr_insns;
		s.cycles += st->cycles;
		s.nr_cycles += st->nr_cycles;
		if (i)
			s.through *= (double)st->nr / (double)g->links[before_of(b, id)].nr_next;
	}
	s.begins = b->steps.v[b->super_steps.v[s.first]].nr;
	return vec_push(&b->supers, s);
}

static int grow_super(struct grow *g, uint32_t seed)
{
	const struct brstat *b = g->b;
	uint32_t f = 0, r = 0, at = seed;

	g->forward[f++] = seed;
	g->used[seed] = true;
	while (f < SUPER_MAX / 2) {
		const struct links *l = &g->links[b->steps.v[at].edge];

		if (l->next == ID_NONE || l->top_next * 2 <= l->nr_next || g->used[l->next])
			break;
		at = l->next;
		g->used[at] = true;
		g->forward[f++] = at;
	}
	for (at = seed; r < SUPER_MAX / 2;) {
		const struct links *l = &g->links[before_of(b, at)];

		if (l->prev == ID_NONE || l->top_prev * 2 <= l->nr_prev || g->used[l->prev])
			break;
		at = l->prev;
		g->used[at] = true;
		g->back[r++] = at;
	}
	return add_super(g, r, f);
}

/* Most runs first; equal ones as they were made. 0 or -ENOMEM. */
static int sort_supers(struct brstat *b)
{
	size_t n = b->supers.n;
	struct numbered *v = new_array(2 * (n + 1), sizeof(*v)), *sorted = NULL;
	struct brstat_super *to = new_array(n + 1, sizeof(*to));

	for (size_t i = 0; v && i < n; i++)
		v[i] = (struct numbered){ ~b->supers.v[i].runs, (uint32_t)i };
	if (v && to)
		sorted = numbered_sort(v, v + n, n);
	for (size_t i = 0; sorted && i < n; i++) {
		to[i] = b->supers.v[sorted[i].id];
		to[i].sum = to[i].runs + (i ? to[i - 1].sum : 0);
	}
	if (sorted) {
		free(b->supers.v);
		b->supers.v = to;
		b->supers.cap = n + 1;
		to = NULL;
	}
	free(v);
	free(to);
	return sorted ? 0 : -ENOMEM;
}

/* Of a step that is the seed of one maybe, and is known in any case. */
static void ask_for_super(const struct grow *g, uint32_t step)
{
	const struct walk_step *st = &g->b->steps.v[step];

	if (g->used[step])
		return;
	__builtin_prefetch(&g->links[st->before]);
	__builtin_prefetch(&g->links[st->edge]);
	__builtin_prefetch(&g->b->stretches.v[st->stretch]);
}

static int list_supers(struct brstat *b)
{
	struct grow *g = calloc(1, sizeof(*g));
	struct numbered *mem, *v;
	size_t n = 0;
	int ret = -ENOMEM;

	if (!g)
		return ret;
	g->b = b;
	g->links = new_array(b->edge_keys.n + 1, sizeof(*g->links));
	g->used = calloc(b->steps.n + 1, sizeof(*g->used));
	v = sort_steps(b, &n, &mem);
	if (g->links && g->used && v) {
		find_links(g);
		ret = 0;
	}
	for (size_t i = 0; !ret && i < n; i++) {
		if (i + 2 * AHEAD < n)
			__builtin_prefetch(&b->steps.v[v[i + 2 * AHEAD].id]);
		if (i + AHEAD < n)
			ask_for_super(g, v[i + AHEAD].id);
		b->sum.runs += ~v[i].number;
		if (!g->used[v[i].id])
			ret = grow_super(g, v[i].id);
	}
	ret = ret ?: sort_supers(b);
	free(g->links);
	free(g->used);
	free(g);
	free(mem);
	return ret;
}

void brstat_super_ends(const struct brstat *b, const struct brstat_super *s, uint32_t i,
		       const struct loc *ends[4])
{
	uint32_t id = b->super_steps.v[s->first + i];
	const uint32_t edge[2] = { before_of(b, id), b->steps.v[id].edge };

	for (unsigned k = 0; k < 4; k++)
		ends[k] = resolver_loc(b->res, (uint32_t)brstat_edge_locs(b, edge[k / 2])[k % 2]);
}

void brstat_super_block(const struct brstat *b, const struct brstat_super *s, uint32_t i,
			const struct loc **start, const struct loc **end)
{
	const struct loc *ends[4];

	brstat_super_ends(b, s, i, ends);
	*start = ends[1];
	*end = ends[2];
}

/* ---- loops ------------------------------------------------------------------------------------- */

static int by_rounds(const void *x, const void *y)
{
	const struct brstat_loop *a = x, *b = y;

	if (a->rounds != b->rounds)
		return a->rounds < b->rounds ? 1 : -1;
	if (a->taken != b->taken)
		return a->taken < b->taken ? 1 : -1;
	if (a->dso != b->dso)
		return a->dso->idx < b->dso->idx ? -1 : 1;
	if (a->back != b->back)
		return a->back < b->back ? -1 : 1;
	return a->head < b->head ? -1 : a->head > b->head;
}

/* So many, at an address of an object; of jumps back also where they come from. */
struct weight {
	uint64_t addr, from, nr; /* nr: later of all up to here */
	uint64_t dso;		 /* its number */
};

struct weights {
	VEC(struct weight) starts, ends, backs;
};

static int cmp_weight(const void *x, const void *y)
{
	const struct weight *a = x, *b = y;

	if (a->dso != b->dso)
		return a->dso < b->dso ? -1 : 1;
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

/* What lies before a place. */
static uint64_t sum_before(const struct weight *v, size_t n, const struct weight *place)
{
	size_t lo = 0;

	while (n) {
		size_t half = n / 2;

		if (cmp_weight(&v[lo + half], place) < 0) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo ? v[lo - 1].nr : 0;
}

static void add_up(struct weight *v, size_t n)
{
	/* As cmp_weight() has them: by what it looks at last, first. */
	if (n && (numbered_sort_items(v, n, sizeof(*v), offsetof(struct weight, from)) ||
		  numbered_sort_items(v, n, sizeof(*v), offsetof(struct weight, addr)) ||
		  numbered_sort_items(v, n, sizeof(*v), offsetof(struct weight, dso))))
		qsort(v, n, sizeof(*v), cmp_weight);
	for (size_t i = 1; i < n; i++)
		v[i].nr += v[i - 1].nr;
}

/* Of an edge: how often code ran in front of it, and behind it, that is known from end to end. */
struct known {
	uint64_t front, behind;
};

static int weigh_edge(const struct brstat *b, struct weights *w, uint32_t edge,
		      const struct known *k)
{
	const struct loc *from = resolver_loc(b->res, (uint32_t)brstat_edge_locs(b, edge)[0]);
	const struct loc *to = resolver_loc(b->res, (uint32_t)brstat_edge_locs(b, edge)[1]);
	struct weight at = { .nr = k->front, .addr = from->addr };

	if (k->front && from->dso) {
		at.dso = from->dso->idx;
		if (vec_push(&w->ends, at))
			return -ENOMEM;
	}
	if (!k->behind || !to->dso)
		return 0;
	at = (struct weight){ .nr = k->behind, .addr = to->addr, .dso = to->dso->idx };
	if (vec_push(&w->starts, at))
		return -ENOMEM;
	at.from = from->addr;
	if (from->dso == to->dso && from->sym == to->sym && from->addr >= to->addr)
		return vec_push(&w->backs, at);
	return 0;
}

static int weigh_edges(const struct brstat *b, struct weights *w)
{
	struct known *k = calloc(b->edge_keys.n + 1, sizeof(*k));
	int ret = k ? 0 : -ENOMEM;

	for (uint32_t i = 0; !ret && i < b->steps.n; i++) {
		const struct walk_step *st = &b->steps.v[i];

		if (st->stretch == ID_NONE)
			continue;
		k[st->edge].front += st->nr;
		k[st->before].behind += st->nr;
	}
	for (uint32_t i = 0; !ret && i < b->edge_keys.n; i++)
		ret = weigh_edge(b, w, i, &k[i]);
	free(k);
	if (ret)
		return ret;
	add_up(w->starts.v, w->starts.n);
	add_up(w->ends.v, w->ends.n);
	add_up(w->backs.v, w->backs.n);
	return 0;
}

/*
 * How often the head ran: blocks that begin there or before, less those that end before. And how often of these it
 * was not come to from inside.
 */
static void count_heads(const struct weights *w, struct brstat_loop *l)
{
	struct weight at = { .addr = l->head, .dso = l->dso->idx }, next = at;
	uint64_t back;

	next.addr++;
	l->rounds =
		sum_before(w->starts.v, w->starts.n, &next) - sum_before(w->ends.v, w->ends.n, &at);
	next = at;
	next.from = l->back + 1;
	back = sum_before(w->backs.v, w->backs.n, &next) - sum_before(w->backs.v, w->backs.n, &at);
	l->entries = l->rounds - min_u64(back, l->rounds);
}

static int list_loops(struct brstat *b)
{
	struct weights w = { 0 };
	int ret = vec_reserve(&b->loop_list, b->loops.n + 1) ? -ENOMEM : weigh_edges(b, &w);

	for (uint32_t i = 0; !ret && i < b->loops.n; i++) {
		const struct loop *l = &b->loops.v[i];
		struct brstat_loop new = { .dso = l->dso,
					   .sym = l->sym,
					   .head = l->head,
					   .back = l->back,
					   .taken = l->taken };

		if (!l->taken ||
		    !brstat_is_listed(
			    b, &(struct loc){ .dso = l->dso, .sym = l->sym, .addr = l->head }))
			continue;
		for (unsigned k = 0; k < BRSTAT_ROUNDS; k++) {
			new.whole[k] = l->whole[k];
			new.cut[k] = l->cut[k];
		}
		count_heads(&w, &new);
		b->loop_list.v[b->loop_list.n++] = new;
	}
	vec_free(&w.starts);
	vec_free(&w.ends);
	vec_free(&w.backs);
	if (b->loop_list.n)
		qsort(b->loop_list.v, b->loop_list.n, sizeof(*b->loop_list.v), by_rounds);
	return ret;
}

double brstat_mean_rounds(const struct brstat_loop *l)
{
	return l->entries ? (double)l->rounds / (double)l->entries : -1;
}

/* ---- calls ------------------------------------------------------------------------------------- */

static int by_astray(const void *x, const void *y)
{
	const struct brstat_calls *a = x, *b = y;
	uint64_t p = a->calls > a->returns ? a->calls - a->returns : a->returns - a->calls;
	uint64_t q = b->calls > b->returns ? b->calls - b->returns : b->returns - b->calls;

	if (a->astray != b->astray)
		return a->astray < b->astray ? 1 : -1;
	if (p != q)
		return p < q ? 1 : -1;
	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	if (a->at->dso != b->at->dso)
		return !a->at->dso || (b->at->dso && a->at->dso->idx < b->at->dso->idx) ? -1 : 1;
	return a->sort < b->sort ? -1 : a->sort > b->sort;
}

static struct brstat_calls *calls_of(struct brstat *b, const uint64_t *edge, int end)
{
	uint32_t id = brstat_function(b, (uint32_t)edge[end]);
	struct brstat_calls new = { .at = resolver_loc(b->res, (uint32_t)edge[end]) };

	if (id == ID_NONE)
		return NULL;
	new.sort = new.at->sym ? new.at->sym->start : 0;
	return id == b->calls.n && vec_push(&b->calls, new) ? NULL : &b->calls.v[id];
}

static int list_calls(struct brstat *b)
{
	size_t n = 0;

	for (uint32_t i = 0; i < b->info.n; i++) {
		const struct edge_info *info = &b->info.v[i];
		struct site *site = &b->sites.v[info->site];
		const uint64_t *edge = brstat_edge_locs(b, i);
		struct brstat_calls *c;
		enum insn_branch kind;

		brstat_read_site(b, site);
		kind = site->known ? (enum insn_branch)site->kind : brstat_kind_of_type(info->type);
		if (kind != INSN_CALL && kind != INSN_IND_CALL && kind != INSN_RET)
			continue;
		c = calls_of(b, edge, kind != INSN_RET);
		if (!c)
			return -ENOMEM;
		*(kind == INSN_RET ? &c->returns : &c->calls) += info->nr;
	}
	for (uint32_t i = 0; i < b->edge_keys.n; i++) {
		uint32_t site = b->info.v[i].site;
		struct brstat_calls *c;

		if (site >= b->returns.n ||
		    !(b->returns.v[site].matched + b->returns.v[site].astray))
			continue;
		c = calls_of(b, brstat_edge_locs(b, i), 0);
		if (!c)
			return -ENOMEM;
		c->matched += b->returns.v[site].matched;
		c->astray += b->returns.v[site].astray;
		b->returns.v[site] = (struct return_count){ 0 };
	}
	for (size_t i = 0; i < b->calls.n; i++)
		if (b->calls.v[i].calls + b->calls.v[i].returns &&
		    brstat_is_listed(b, b->calls.v[i].at))
			b->calls.v[n++] = b->calls.v[i];
	b->calls.n = n;
	if (n)
		qsort(b->calls.v, n, sizeof(*b->calls.v), by_astray);
	return 0;
}

int brstat_list_paths(struct brstat *b)
{
	return list_supers(b) ?: list_loops(b) ?: list_calls(b);
}

size_t brstat_nr_supers(const struct brstat *b)
{
	return b->supers.n;
}

const struct brstat_super *brstat_super(const struct brstat *b, size_t i)
{
	return &b->supers.v[i];
}

size_t brstat_nr_loops(const struct brstat *b)
{
	return b->loop_list.n;
}

const struct brstat_loop *brstat_loop(const struct brstat *b, size_t i)
{
	return &b->loop_list.v[i];
}

size_t brstat_nr_calls(const struct brstat *b)
{
	return b->calls.n;
}

const struct brstat_calls *brstat_calls(const struct brstat *b, size_t i)
{
	return &b->calls.v[i];
}
