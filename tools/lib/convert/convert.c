// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples in, edges between objects out. A branch is first counted by its raw addresses and its
 * address space, and only when that space's maps are about to change, or at the end, is it told
 * what lies there: recordings have hundreds of millions of branches and few different ones.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/side.h"
#include "convert/contexts-int.h"
#include "convert/raw-int.h"
#include "session/session.h"
#include "symbol/symbol.h"

#define RAW_START 9	      /* bits */
#define COUNT_MAX 0xff000000u /* raw counts are flushed before they wrap */

int convert_new(struct convert **out, struct machine *m, struct err *e)
{
	struct convert *c = calloc(1, sizeof(*c));

	*out = NULL;
	if (!c || raw_table_init(&c->raw, RAW_START, false)) {
		free(c);
		return err_set(e, -ENOMEM, "no memory for a profile");
	}
	c->m = m;
	*out = c;
	return 0;
}

int convert_keep_cycles(struct convert *c)
{
	raw_table_free(&c->raw);
	return raw_table_init(&c->raw, RAW_START, true);
}

void convert_free(struct convert *c)
{
	if (!c)
		return;
	contexts_free(c->contexts);
	raw_table_free(&c->raw);
	vec_free(&c->edges);
	htab_free(&c->edge_tab);
	vec_free(&c->ips);
	htab_free(&c->ip_tab);
	vec_free(&c->spaces);
	for (size_t i = 0; i < c->objects.n; i++) {
		free(c->objects.v[i].edge);
		symbol_origins_close(c->objects.v[i].origins);
		convert_elf_close(&c->objects.v[i].file);
	}
	vec_free(&c->objects);
	free(c->object_of);
	free(c);
}

/* ---- raw to objects, while the maps still say where an address lies ---- */

static bool is_file(const struct dso *dso)
{
	return dso && dso->kind == DSO_USER && dso->name[0] == '/';
}

uint32_t convert_resolve(struct convert *c, uint32_t space, uint64_t addr, uint64_t *offset)
{
	struct thread *th = c->spaces.v[space].th;
	struct map_hit hit;

	*offset = addr;
	if (!machine_find_map(c->m, th, PERF_RECORD_MISC_USER, addr, &hit) ||
	    !is_file(hit.map->dso))
		return NO_DSO;
	*offset = hit.addr;
	return hit.map->dso->idx;
}

static uint64_t edge_hash(const struct edge *e)
{
	return hash_mix(hash_mix(hash_mix(e->from, e->to), e->end),
			(uint64_t)e->from_dso << 32 | e->to_dso);
}

#define NO_EDGE UINT32_MAX

static uint32_t edge_at(const struct convert *c, const struct edge *like, uint64_t hash)
{
	uint32_t i;

	for (struct htab_it it = htab_find(&c->edge_tab, hash); htab_next(&c->edge_tab, &it, &i);) {
		const struct edge *e = &c->edges.v[i];

		if (e->from == like->from && e->to == like->to && e->end == like->end &&
		    e->from_dso == like->from_dso && e->to_dso == like->to_dso)
			return i;
	}
	return NO_EDGE;
}

static void add_counts(struct edge *e, const struct edge *add)
{
	e->count += add->count;
	e->mispred += add->mispred;
	e->cycles += add->cycles;
	e->cycles_n += add->cycles_n;
	e->type = e->type ? e->type : add->type;
}

static int add_hashed(struct convert *c, const struct edge *add, uint64_t hash)
{
	uint32_t at = edge_at(c, add, hash);

	if (at == NO_EDGE)
		return vec_push(&c->edges, *add)
			       ?: htab_add(&c->edge_tab, hash, (uint32_t)c->edges.n - 1);
	add_counts(&c->edges.v[at], add);
	return 0;
}

/* Edges whose places are asked for before the first of them is added. */
struct batch {
	struct edge v[16];
	uint64_t hash[16];
	unsigned n;
};

/* An edge lies in two lines of the cache: its first member in one, its last in the other. */
static inline void edge_prefetch(const struct convert *c, uint32_t at)
{
	__builtin_prefetch(&c->edges.v[at], 1);
	__builtin_prefetch(&c->edges.v[at].type, 1);
}

static void ask_for_batch(const struct convert *c, const struct batch *b)
{
	for (unsigned i = 0; i < b->n; i++) {
		uint32_t at = htab_peek(&c->edge_tab, b->hash[i]);

		if (at != NO_EDGE)
			edge_prefetch(c, at);
	}
}

static int add_batch(struct convert *c, struct batch *b)
{
	int ret = 0;

	ask_for_batch(c, b);
	for (unsigned i = 0; i < b->n && !ret; i++)
		ret = add_hashed(c, &b->v[i], b->hash[i]);
	b->n = 0;
	return ret;
}

static int batch_edge(struct convert *c, struct batch *b, const struct edge *e)
{
	b->v[b->n] = *e;
	b->hash[b->n] = edge_hash(e);
	htab_prefetch(&c->edge_tab, b->hash[b->n++]);
	return b->n == ARRAY_SIZE(b->v) ? add_batch(c, b) : 0;
}

int convert_take(struct convert *c, const struct convert_branch *b)
{
	const struct edge e = {
		.from_dso = b->from_here ? b->dso->idx : NO_DSO,
		.to_dso = b->to_here ? b->dso->idx : NO_DSO,
		.from = b->from_here ? b->from : 0,
		.to = b->to_here ? b->to : 0,
		.end = b->to_here && b->end >= b->to ? b->end : NO_END,
		.count = b->count,
		.mispred = b->mispred,
	};

	c->stats.branches += b->count;
	c->stats.with_branches = 1; /* how many samples they were of is not known */
	return add_hashed(c, &e, edge_hash(&e));
}

static int flush_one(struct convert *c, struct batch *b, const struct raw *r,
		     const struct raw_more *more)
{
	struct edge e = { .end = NO_END, .count = r->count, .mispred = r->mispred };
	uint32_t space = raw_key_space(&r->key);
	uint64_t end = raw_end(&r->key);

	if (more) {
		e.cycles = more->cycles;
		e.cycles_n = more->cycles_n;
		e.type = more->type;
	}
	e.from_dso = convert_resolve(c, space, r->key.from, &e.from);
	e.to_dso = convert_resolve(c, space, r->key.to, &e.to);
	/* A range lies in one object. */
	if (end != NO_END && e.to_dso != NO_DSO &&
	    convert_resolve(c, space, end, &end) == e.to_dso && end >= e.to)
		e.end = end;
	if (e.from_dso == NO_DSO && e.to_dso == NO_DSO) {
		c->stats.outside += r->count;
		return 0;
	}
	if (e.from_dso != NO_DSO && e.to_dso != NO_DSO)
		c->stats.mapped += r->count;
	else
		c->stats.one_end += r->count;
	/* What is elsewhere is one place: every reader calls it unknown. */
	if (e.from_dso == NO_DSO)
		e.from = 0;
	if (e.to_dso == NO_DSO)
		e.to = 0;
	return batch_edge(c, b, &e);
}

#define SOON 16 /* branches, edges that are asked for before their turn */

#define ROOM_MOST (1u << 18)

/* For the first of all. Of many processes that run the same there are fewer edges than branches. */
static int room_for_edges(struct convert *c)
{
	size_t n = min_u64(c->raw.n, ROOM_MOST);

	return c->edges.n ? 0 : vec_reserve(&c->edges, n) ?: htab_reserve(&c->edge_tab, n);
}

static int flush(struct convert *c)
{
	struct batch b = { .n = 0 };
	int ret = room_for_edges(c);

	for (uint32_t i = 0; i < c->raw.n && !ret; i++) {
		uint32_t at = c->raw.used[i];
		const struct raw *r = &c->raw.v[at];

		if (i + SOON < c->raw.n)
			__builtin_prefetch(&c->raw.v[c->raw.used[i + SOON]]);
		ret = flush_one(c, &b, r, c->raw.more ? &c->raw.more[at] : NULL);
		c->spaces.v[raw_key_space(&r->key)].dirty = false;
		raw_table_empty(&c->raw, at);
	}
	ret = ret ?: add_batch(c, &b);
	if (ret)
		raw_table_clear(&c->raw);
	c->raw.n = 0;
	c->since = 0;
	return ret ?: c->contexts ? contexts_flush(c->contexts) : 0;
}

int convert_before(struct convert *c, const struct record *rec)
{
	uint32_t tid_at = 12; /* MMAP, MMAP2, COMM: pid, tid */
	struct thread *th;

	switch (rec->type) {
	case PERF_RECORD_EXIT: tid_at = 16; break; /* pid, ppid, tid */
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM: break;
	default: return 0; /* touches no user map that is there */
	}
	if ((!c->raw.n && !c->contexts) || rec->size < tid_at + 4)
		return 0;
	th = machine_thread(c->m, (int32_t)load_u32(rec->data + 8, rec->swap),
			    (int32_t)load_u32(rec->data + tid_at, rec->swap));
	if (!th)
		return -ENOMEM;
	return th->space < c->spaces.n && c->spaces.v[th->space].dirty ? flush(c) : 0;
}

/* ---- samples ---- */

static int note_space(struct convert *c, struct thread *th)
{
	if (vec_reach(&c->spaces, th->space, ((struct convert_space){ NULL, false })))
		return -ENOMEM;
	c->spaces.v[th->space] = (struct convert_space){ th, true };
	return 0;
}

/* Branches whose places in the table are asked for before the first of them is counted. */
#define AHEAD 32

/* What is looked for of the branches at hand. */
struct ahead {
	uint32_t hash[AHEAD];
	uint64_t rest[AHEAD]; /* of the key */
};

/*
 * Up to AHEAD branches of this machine's byte order, of which none is the kernel's; that is found out on the way, and then
 * nothing was counted: -EAGAIN. *end: where the range ends that the first one begins.
 */
static int add_plain(struct raw_table *t, uint32_t space, const unsigned char *p, unsigned n,
		     uint64_t *end)
{
	uint64_t until = *end, bits = 0;
	struct ahead w;

	for (unsigned i = 0; i < n; i++) {
		const unsigned char *b = p + (size_t)i * BRANCH_ENTRY_SIZE;
		struct raw_add a;

		raw_set(&a, space, load_u64(b, false), load_u64(b + 8, false), until, 0);
		raw_prefetch(t, &a);
		w.hash[i] = a.hash;
		w.rest[i] = a.key.rest;
		bits |= a.key.from | a.key.to;
		until = a.key.from;
	}
	if (unlikely(bits >= KERNEL_START))
		return -EAGAIN;
	for (unsigned i = 0; i < n; i++) {
		const unsigned char *b = p + (size_t)i * BRANCH_ENTRY_SIZE;
		const struct raw_key k = { load_u64(b, false), load_u64(b + 8, false), w.rest[i] };

		if (unlikely(raw_count(t, &k, w.hash[i], (uint32_t)branch_load_flags(b, false))))
			return -ENOMEM;
	}
	*end = until;
	return 0;
}

/* The same of any: those of the kernel are passed over. */
static int add_any(struct convert *c, uint32_t space, const unsigned char *p, unsigned n, bool swap,
		   uint64_t *end)
{
	for (unsigned i = 0; i < n; i++, p += BRANCH_ENTRY_SIZE) {
		uint64_t from = load_u64(p, swap), to = load_u64(p + 8, swap);
		struct raw_add a;

		if (convert_in_kernel(from, to)) {
			c->stats.kernel++;
			continue;
		}
		raw_set(&a, space, from, to, *end, branch_load_flags(p, swap));
		if (raw_count(&c->raw, &a.key, a.hash, a.flags))
			return -ENOMEM;
		*end = from;
	}
	return 0;
}

/* The branches of a stack. What ran after one begins where it led to, and ends with the next one, which is newer. */
static int add_stack(struct convert *c, uint32_t space, const struct sample_branches *b)
{
	uint64_t end = NO_END;

	c->stats.branches += b->nr;
	for (uint64_t at = 0; at < b->nr; at += AHEAD) {
		const unsigned char *p = b->entries + at * BRANCH_ENTRY_SIZE;
		unsigned n = (unsigned)min_u64(AHEAD, b->nr - at);
		int ret = b->swap ? -EAGAIN : add_plain(&c->raw, space, p, n, &end);

		if (ret == -EAGAIN)
			ret = add_any(c, space, p, n, b->swap, &end);
		if (ret)
			return ret;
	}
	return 0;
}

static int count_ip(struct convert *c, const struct ip *add)
{
	uint64_t hash = hash_mix(add->addr, add->dso);
	uint32_t i;

	for (struct htab_it it = htab_find(&c->ip_tab, hash); htab_next(&c->ip_tab, &it, &i);) {
		if (c->ips.v[i].addr != add->addr || c->ips.v[i].dso != add->dso)
			continue;
		c->ips.v[i].count += add->count;
		return 0;
	}
	return vec_push(&c->ips, *add) ?: htab_add(&c->ip_tab, hash, (uint32_t)c->ips.n - 1);
}

static int add_ip(struct convert *c, uint32_t space, uint64_t ip)
{
	struct ip add = { .count = 1 };

	add.dso = convert_resolve(c, space, ip, &add.addr);
	c->stats.user_ips++;
	if (add.dso == NO_DSO) {
		c->stats.ips_outside++;
		return 0;
	}
	return count_ip(c, &add);
}

static int add_context(struct convert *c, struct thread *th, const struct sample *s)
{
	return c->contexts ? contexts_sample(c->contexts, th, s) : 0;
}

int convert_sample(struct convert *c, struct thread *th, const struct sample *s)
{
	int ret;

	c->stats.samples++;
	if (!th)
		return 0;
	if (raw_has_branches(s)) {
		if (!s->branches.nr) {
			c->stats.empty_stacks++;
			return 0;
		}
		c->stats.with_branches++;
		c->since += s->branches.nr;
		ret = c->since > COUNT_MAX ? flush(c) : 0;
		if (!ret)
			ret = note_space(c, th);
		ret = ret ?: add_stack(c, th->space, &s->branches);
		return ret ?: add_context(c, th, s);
	}
	if (!c->event)
		c->event = s->event;
	if (!(s->present & PERF_SAMPLE_IP) || s->cpumode != PERF_RECORD_MISC_USER)
		return 0;
	ret = note_space(c, th) ?: add_ip(c, th->space, s->ip);
	return ret ?: add_context(c, th, s);
}

int convert_end(struct convert *c)
{
	return flush(c);
}

/* ---- another one's ---- */

static void add_stats(struct convert_stats *to, const struct convert_stats *s)
{
	to->samples += s->samples;
	to->with_branches += s->with_branches;
	to->branches += s->branches;
	to->empty_stacks += s->empty_stacks;
	to->kernel += s->kernel;
	to->mapped += s->mapped;
	to->one_end += s->one_end;
	to->outside += s->outside;
	to->user_ips += s->user_ips;
	to->ips_outside += s->ips_outside;
}

struct flush_side {
	struct convert *c;
	int ret;
};

static void flush_side(void *ctx, size_t i)
{
	struct flush_side *f = (struct flush_side *)ctx + i;

	f->ret = flush(f->c);
}

/* The edges of another one, as they are here, and where those lie that are here already. */
struct joined {
	struct convert *c;
	const struct convert *from;
	const struct session_maps *maps;
	uint32_t *at;
};

#define FIND_AT_ONCE 4096

static struct edge joined_edge(const struct joined *j, size_t i)
{
	struct edge e = j->from->edges.v[i];

	e.from_dso = convert_mapped(j->maps, e.from_dso);
	e.to_dso = convert_mapped(j->maps, e.to_dso);
	return e;
}

static void find_edges(void *ctx, size_t part)
{
	const struct joined *j = ctx;
	size_t i = part * FIND_AT_ONCE, end = min_u64(i + FIND_AT_ONCE, j->from->edges.n);
	struct batch b = { .n = 0 };

	while (i < end) {
		size_t first = i;

		for (b.n = 0; i < end && b.n < ARRAY_SIZE(b.v); i++, b.n++) {
			b.v[b.n] = joined_edge(j, i);
			b.hash[b.n] = edge_hash(&b.v[b.n]);
			htab_prefetch(&j->c->edge_tab, b.hash[b.n]);
		}
		ask_for_batch(j->c, &b);
		for (unsigned k = 0; k < b.n; k++)
			j->at[first + k] = edge_at(j->c, &b.v[k], b.hash[k]);
	}
}

/* Edges have been found in the order of the branches: so they are afterwards. */
static int join_edges(struct joined *j, unsigned threads)
{
	struct convert *c = j->c;
	size_t n = j->from->edges.n;
	struct batch b = { .n = 0 };
	int ret = 0;

	j->at = malloc((n + 1) * sizeof(*j->at));
	if (!j->at)
		return -ENOMEM;
	side_by_side(threads, (n + FIND_AT_ONCE - 1) / FIND_AT_ONCE, find_edges, j);
	for (size_t i = 0; !ret && i < n; i++) {
		struct edge e = joined_edge(j, i);

		if (i + SOON < n && j->at[i + SOON] != NO_EDGE)
			edge_prefetch(c, j->at[i + SOON]);
		if (j->at[i] == NO_EDGE)
			ret = batch_edge(c, &b, &e);
		else
			add_counts(&c->edges.v[j->at[i]], &e);
	}
	free(j->at);
	return ret ?: add_batch(c, &b);
}

static int merge(struct convert *c, struct convert *from, const struct session_maps *maps)
{
	struct flush_side both[2] = { { .c = c }, { .c = from } };
	struct joined j = { c, from, maps, NULL };
	int ret;

	/* Each has a machine of its own, unless they are pieces that one session read. */
	side_by_side(maps ? 2 : 1, 2, flush_side, both);
	ret = both[0].ret ?: both[1].ret;
	ret = ret ?: join_edges(&j, maps ? 2 : 1);
	for (size_t i = 0; !ret && i < from->ips.n; i++) {
		struct ip ip = from->ips.v[i];

		ip.dso = convert_mapped(maps, ip.dso);
		ret = count_ip(c, &ip);
	}
	if (!ret && c->contexts && from->contexts)
		ret = contexts_merge(c->contexts, from->contexts, maps);
	return ret;
}

int convert_merge(struct convert *c, struct convert *from, const struct session_maps *maps,
		  struct err *e)
{
	if (merge(c, from, maps))
		return err_set(e, -ENOMEM, "no memory for the profile");
	add_stats(&c->stats, &from->stats);
	if (!c->event && from->event)
		c->event = maps ? perfdata_event(maps->to->pd, from->event->joined) : from->event;
	return 0;
}

/* ---- the end: edges by object ---- */

static int object_at(struct convert *c, uint32_t dso)
{
	struct convert_elf ob = { .dso = dso };
	const struct dso *d;

	d = machine_dso(c->m, dso);
	ob.pub.dso = d;
	ob.pub.name = d->short_name;
	for (unsigned i = 0; i < d->build_id_size && i < 20; i++)
		snprintf(ob.pub.build_id + 2 * i, 3, "%02x", d->build_id[i]);
	c->object_of[dso] = (uint32_t)c->objects.n;
	return vec_push(&c->objects, ob);
}

static inline int object_needed(struct convert *c, uint32_t dso)
{
	return dso == NO_DSO || likely(c->object_of[dso] != NO_DSO) ? 0 : object_at(c, dso);
}

static struct convert_elf *object_of(struct convert *c, uint32_t dso)
{
	return dso == NO_DSO ? NULL : &c->objects.v[c->object_of[dso]];
}

static void count_edge(struct convert *c, const struct edge *e)
{
	struct convert_elf *from = object_of(c, e->from_dso), *to = object_of(c, e->to_dso);

	if (from)
		from->pub.from += e->count;
	if (to)
		to->pub.to += e->count;
	if (from && from == to)
		from->pub.within += e->count;
	if (from)
		from->pub.edges++;
	if (to && to != from)
		to->pub.edges++;
}

static int give_edges(struct convert *c)
{
	for (size_t i = 0; i < c->objects.n; i++) {
		struct convert_elf *ob = &c->objects.v[i];

		ob->edge = malloc((ob->pub.edges + 1) * sizeof(*ob->edge));
		if (!ob->edge)
			return -ENOMEM;
	}
	for (size_t i = 0; i < c->edges.n; i++) {
		const struct edge *e = &c->edges.v[i];
		struct convert_elf *from = object_of(c, e->from_dso), *to = object_of(c, e->to_dso);

		if (from)
			from->edge[from->nr_edges++] = (uint32_t)i;
		if (to && to != from)
			to->edge[to->nr_edges++] = (uint32_t)i;
	}
	return 0;
}

static int by_weight(const void *a, const void *b)
{
	const struct convert_elf *x = a, *y = b;
	uint64_t wx = x->pub.from + x->pub.to + x->pub.ips;
	uint64_t wy = y->pub.from + y->pub.to + y->pub.ips;

	if (wx != wy)
		return wx < wy ? 1 : -1;
	return strcmp(x->pub.dso->name, y->pub.dso->name);
}

int convert_finish(struct convert *c, struct err *e)
{
	size_t dsos = machine_nr_dsos(c->m);
	int ret = flush(c);

	if (c->contexts)
		contexts_say(c->contexts);
	c->object_of = malloc((dsos + 1) * sizeof(*c->object_of));
	if (!c->object_of)
		ret = -ENOMEM;
	else
		memset(c->object_of, 0xff, (dsos + 1) * sizeof(*c->object_of));
	for (size_t i = 0; i < c->edges.n && !ret; i++)
		ret = object_needed(c, c->edges.v[i].from_dso)
			      ?: object_needed(c, c->edges.v[i].to_dso);
	for (size_t i = 0; i < c->ips.n && !ret; i++)
		ret = object_needed(c, c->ips.v[i].dso);
	for (size_t i = 0; i < c->edges.n && !ret; i++)
		count_edge(c, &c->edges.v[i]);
	for (size_t i = 0; i < c->ips.n && !ret; i++)
		object_of(c, c->ips.v[i].dso)->pub.ips += c->ips.v[i].count;
	if (!ret && c->objects.n) {
		qsort(c->objects.v, c->objects.n, sizeof(*c->objects.v), by_weight);
		for (size_t i = 0; i < c->objects.n; i++)
			c->object_of[c->objects.v[i].dso] = (uint32_t)i;
		ret = give_edges(c);
	}
	return ret ? err_set(e, ret, "no memory for the profile of %zu edges", c->edges.n) : 0;
}

const struct convert_stats *convert_stats(const struct convert *c)
{
	return &c->stats;
}

size_t convert_nr_objects(const struct convert *c)
{
	return c->objects.n;
}

const struct convert_object *convert_object(const struct convert *c, size_t i)
{
	return i < c->objects.n ? &c->objects.v[i].pub : NULL;
}
