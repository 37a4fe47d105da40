// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sample's call chain says who had called whom when it was taken; its branch stack says how the CPU
 * came there. So the chain holds for what ran after the newest branch, and walking the branches back
 * from there changes it step by step: before a call its caller ran, with one call less going on; before
 * a return its callee ran, with one call more, to where the return went; a jump, into another function
 * too, changes nothing of what waits for a return. Each range between two branches is counted in the
 * context that it ran in, each branch in that of its source.
 *
 * Calls are known by where they return to: that is what chains hold, what returns go to, and what
 * follows a call's instruction. Calls among the branches that were not returned from have to be the innermost
 * ones of the chain. Where the first of them is missing there, the sampled function has no frame (yet), and
 * the kernel, which follows frame pointers, left out its caller: it is put in. Else chain and branches
 * contradict each other: then the context is what the branches know, and nothing is known of who called that.
 *
 * Addresses are raw, in their address space, until its maps are about to change, as in convert.c.
 */
#include <limits.h>
#include <stdlib.h>

#include "convert/contexts-int.h"
#include "convert/raw-int.h"
#include "insn/insn.h"
#include "session/session.h"

#define RAW_START   9 /* bits */
#define NO_CONTEXT  UINT32_MAX
#define SAMPLE_USER PERF_RECORD_MISC_USER

void contexts_free(struct contexts *x)
{
	if (!x)
		return;
	vec_for_each (code, &x->code) {
		convert_elf_close(&code->file);
		if (code->dec)
			insn_free(code->dec);
	}
	vec_free(&x->code);
	raw_table_free(&x->counts);
	vec_free(&x->raw);
	htab_free(&x->raw_tab);
	vec_free(&x->sites);
	vec_free(&x->calls);
	htab_free(&x->site_tab);
	vec_free(&x->v);
	htab_free(&x->tab);
	vec_free(&x->count);
	htab_free(&x->count_tab);
	free(x);
}

static int contexts_new(struct contexts **out, struct convert *c,
			const struct convert_context_opts *opts)
{
	struct contexts *x = calloc(1, sizeof(*x));

	*out = NULL;
	if (!x || raw_table_init(&x->counts, RAW_START, false) ||
	    vec_push(&x->v, ((struct context){ NO_CONTEXT, NO_DSO, 0 }))) {
		contexts_free(x);
		return -ENOMEM;
	}
	x->c = c;
	x->opts = opts;
	*out = x;
	return 0;
}

int convert_contexts(struct convert *c, const struct convert_context_opts *opts, struct err *e)
{
	if (!c->session || !session_env(c->session)->unwind)
		return err_set(e, -EINVAL, "nobody reads call chains");
	return contexts_new(&c->contexts, c, opts)
		       ? err_set(e, -ENOMEM, "no memory for calling contexts")
		       : 0;
}

/* ---- what an instruction does ---- */

static void open_code(struct contexts *x, struct call_code *code, const char *name)
{
	const char *path = x->opts->file ? x->opts->file(x->opts->ctx, name) : NULL;
	char moved[PATH_MAX];

	if (!path && x->c->session && session_symfs_path(x->c->session, name, moved, sizeof(moved)))
		path = moved;
	code->asked = true;
	if (convert_elf_open(&code->file, path ? path : name, x->c->elf_flags, NULL) ||
	    convert_decoder(&code->dec, &code->file, NULL)) {
		convert_elf_close(&code->file);
		code->file = (struct object_file){ 0 };
		code->dec = NULL;
	}
}

static void look_at(const struct call_code *code, uint64_t offset, struct call_site *site)
{
	uint64_t vaddr = code->dec ? convert_elf_vaddr(&code->file, offset) : NO_END;
	size_t n = 0;
	unsigned char *bytes =
		vaddr == NO_END ? NULL : convert_elf_code(&code->file, vaddr, 16, &n);
	struct insn in;

	if (bytes && insn_decode(code->dec, bytes, n, vaddr, &in) > 0) {
		site->kind = (uint8_t)in.branch;
		site->len = in.len;
	}
	free(bytes);
}

/* What is at @addr; good until the next question. NULL: no memory. */
static const struct call_site *site_of(struct contexts *x, uint32_t space, uint64_t addr)
{
	struct call_site add = { .addr = addr, .space = space };
	uint64_t hash = hash_mix(addr, space), offset;
	uint32_t i, dso;

	for (struct htab_it it = htab_find(&x->site_tab, hash); htab_next(&x->site_tab, &it, &i);)
		if (x->sites.v[i].addr == addr && x->sites.v[i].space == space)
			return &x->sites.v[i];
	dso = convert_resolve(x->c, space, addr, &offset);
	if (dso != NO_DSO) {
		if (vec_reach(&x->code, dso, ((struct call_code){ .asked = false })))
			return NULL;
		if (!x->code.v[dso].asked)
			open_code(x, &x->code.v[dso], machine_dso(x->c->m, dso)->name);
		look_at(&x->code.v[dso], offset, &add);
	}
	if (vec_push(&x->sites, add) || htab_add(&x->site_tab, hash, (uint32_t)x->sites.n - 1))
		return NULL;
	return &x->sites.v[x->sites.n - 1];
}

static bool is_call(const struct call_site *s)
{
	return s->kind == INSN_CALL || s->kind == INSN_IND_CALL;
}

/* ---- contexts by address ---- */

static uint32_t raw_node(struct contexts *x, uint32_t parent, uint32_t space, uint64_t ret)
{
	struct raw_context add = { .parent = parent, .space = space, .ret = ret };
	uint64_t hash = hash_mix(hash_mix(ret, parent), space);
	uint32_t i;

	for (struct htab_it it = htab_find(&x->raw_tab, hash); htab_next(&x->raw_tab, &it, &i);)
		if (x->raw.v[i].parent == parent && x->raw.v[i].space == space &&
		    x->raw.v[i].ret == ret)
			return i;
	if (parent != NO_CONTEXT)
		add.depth = x->raw.v[parent].depth + 1;
	i = (uint32_t)x->raw.n;
	return vec_push(&x->raw, add) || htab_add(&x->raw_tab, hash, i) ? NO_CONTEXT : i;
}

/* Nothing is known of callers. */
static uint32_t root(struct contexts *x, uint32_t space)
{
	return raw_node(x, NO_CONTEXT, space, 0);
}

/* A call that returns to @ret is made in context @at: what it enters is so deep at most. */
static uint32_t called(struct contexts *x, uint32_t at, uint64_t ret)
{
	uint32_t space;

	if (at == NO_CONTEXT)
		return at;
	space = x->raw.v[at].space;
	if (x->raw.v[at].depth >= CONTEXT_DEPTH)
		at = root(x, space);
	return at == NO_CONTEXT ? at : raw_node(x, at, space, ret);
}

static bool is_root(const struct contexts *x, uint32_t at)
{
	return x->raw.v[at].parent == NO_CONTEXT;
}

/* The context that the sampled function ran in, by the chain. */
static uint32_t chain_context(struct contexts *x, struct thread *th, const struct sample *s)
{
	struct unwind *u = session_env(x->c->session)->unwind;
	bool walked = unwind_is_walked(&s->event->attr);
	const struct frame *f;
	ssize_t n = unwind_chain(u, th, s, &f), leaf = 0;
	uint32_t at;

	if (n < 0)
		return NO_CONTEXT;
	while (leaf < n && f[leaf].cpumode != SAMPLE_USER)
		leaf++;
	at = root(x, th->space);
	x->with += leaf < n;
	for (ssize_t i = n; --i > leaf && at != NO_CONTEXT;)
		if (f[i].cpumode == SAMPLE_USER)
			at = called(x, at, f[i].ip + !walked);
	return at;
}

/*
 * x->calls: where the calls return to that the branch stack has seen made and not return, the newest first.
 * 0 or -ENOMEM.
 */
static int find_calls(struct contexts *x, uint32_t space, const struct sample_branches *b)
{
	unsigned returned = 0;
	int ret = 0;

	x->calls.n = 0;
	for (uint64_t i = 0; i < b->nr && !ret; i++) {
		uint64_t from = sample_branch_from(b, i), to = sample_branch_to(b, i);
		const struct call_site *s;

		if (convert_in_kernel(from, to))
			continue;
		s = site_of(x, space, from);
		if (!s)
			return -ENOMEM;
		if (!s->len)
			break;
		if (s->kind == INSN_RET)
			returned++;
		else if (is_call(s) && returned)
			returned--;
		else if (is_call(s))
			ret = vec_push(&x->calls, from + s->len);
	}
	return ret;
}

/* Whether the calls from the @i-th on are the innermost ones of @at. */
static bool are_innermost(const struct contexts *x, size_t i, uint32_t at)
{
	for (; i < x->calls.n; i++, at = x->raw.v[at].parent)
		if (is_root(x, at) || x->raw.v[at].ret != x->calls.v[i])
			return false;
	return true;
}

/*
 * The context that the sampled function ran in, by chain (@at) and branches, which are to be believed where
 * they know better. @walked: the chain may lack the caller.
 */
static uint32_t settle(struct contexts *x, uint32_t space, uint32_t at, bool walked)
{
	if (are_innermost(x, 0, at))
		return at;
	if (walked && are_innermost(x, 1, at))
		return called(x, at, x->calls.v[0]);
	x->broken += !is_root(x, at);
	at = root(x, space);
	for (size_t i = x->calls.n; i-- > 0 && at != NO_CONTEXT;)
		at = called(x, at, x->calls.v[i]);
	return at;
}

/* ---- walking branches back ---- */

/* The context before the branch, of which @at is the one behind it. */
static uint32_t before(struct contexts *x, uint32_t at, uint32_t space, uint64_t from, uint64_t to)
{
	const struct call_site *s = site_of(x, space, from);

	if (!s)
		return NO_CONTEXT;
	if (s->kind == INSN_RET)
		return called(x, at, to);
	if (s->len && !is_call(s))
		return at;
	if (is_root(x, at))
		return at;
	if (s->len && x->raw.v[at].ret == from + s->len)
		return x->raw.v[at].parent;
	return root(x, space); /* a return to elsewhere, or code that nobody knows */
}

static int count_branches(struct contexts *x, uint32_t space, const struct sample_branches *b,
			  uint32_t at)
{
	uint64_t end = NO_END;
	int ret = 0;

	for (uint64_t i = 0; i < b->nr && !ret; i++) {
		uint64_t from = sample_branch_from(b, i), to = sample_branch_to(b, i);

		if (convert_in_kernel(from, to))
			continue;
		/* Something between was not recorded. */
		if (end != NO_END && raw_len(to, end) == NO_LEN)
			at = root(x, space);
		else if (end != NO_END)
			ret = raw_add(&x->counts, at, NO_END, to, end);
		at = at == NO_CONTEXT ? at : before(x, at, space, from, to);
		if (at == NO_CONTEXT)
			return -ENOMEM;
		ret = ret ?: raw_add(&x->counts, at, from, to, NO_END);
		end = from;
	}
	return ret;
}

int contexts_sample(struct contexts *x, struct thread *th, const struct sample *s)
{
	uint32_t at = chain_context(x, th, s);

	if (at == NO_CONTEXT)
		return -ENOMEM;
	if (raw_has_branches(s)) {
		if (find_calls(x, th->space, &s->branches))
			return -ENOMEM;
		at = settle(x, th->space, at, unwind_is_walked(&s->event->attr));
		return at == NO_CONTEXT ? -ENOMEM : count_branches(x, th->space, &s->branches, at);
	}
	return raw_add(&x->counts, at, NO_END, s->ip, NO_END);
}

/* ---- to objects ---- */

static uint32_t node(struct contexts *x, const struct context *add)
{
	uint64_t hash = hash_mix(hash_mix(add->addr, add->parent), add->dso);
	uint32_t i;

	for (struct htab_it it = htab_find(&x->tab, hash); htab_next(&x->tab, &it, &i);)
		if (x->v.v[i].parent == add->parent && x->v.v[i].dso == add->dso &&
		    x->v.v[i].addr == add->addr)
			return i;
	i = (uint32_t)x->v.n;
	return vec_push(&x->v, *add) || htab_add(&x->tab, hash, i) ? NO_CONTEXT : i;
}

/* Parents were made first, so they are asked first. */
static int find_contexts(struct contexts *x)
{
	vec_for_each (r, &x->raw) {
		struct context add = { .dso = NO_DSO };
		uint32_t at = CONTEXT_NONE;

		if (r->parent != NO_CONTEXT) {
			add.parent = x->raw.v[r->parent].found;
			add.dso = convert_resolve(x->c, r->space, r->ret - 1, &add.addr);
			/* What is in no file is one place: nothing is told of it. */
			at = add.dso == NO_DSO ? CONTEXT_NONE : node(x, &add);
		}
		if (at == NO_CONTEXT)
			return -ENOMEM;
		r->found = at;
	}
	return 0;
}

static int add_count(struct contexts *x, const struct context_count *add)
{
	const struct edge *a = &add->edge;
	uint64_t hash = hash_mix(hash_mix(hash_mix(a->from, a->to), a->end),
				 (uint64_t)a->to_dso << 32 | add->context);
	uint32_t i;

	for (struct htab_it it = htab_find(&x->count_tab, hash);
	     htab_next(&x->count_tab, &it, &i);) {
		struct edge *e = &x->count.v[i].edge;

		if (e->from != a->from || e->to != a->to || e->end != a->end ||
		    e->from_dso != a->from_dso || e->to_dso != a->to_dso ||
		    x->count.v[i].context != add->context)
			continue;
		e->count += a->count;
		return 0;
	}
	return vec_push(&x->count, *add) ?: htab_add(&x->count_tab, hash, (uint32_t)x->count.n - 1);
}

static int flush_one(struct contexts *x, const struct raw *r)
{
	const struct raw_key *k = &r->key;
	const struct raw_context *in = &x->raw.v[raw_key_space(k)];
	struct context_count add = { .context = in->found };
	struct edge *e = &add.edge;

	*e = (struct edge){ .from = NO_END, .from_dso = NO_DSO, .end = NO_END, .count = r->count };
	e->to_dso = convert_resolve(x->c, in->space, k->to, &e->to);
	if (raw_key_len(k) != NO_LEN &&
	    convert_resolve(x->c, in->space, raw_end(k), &e->end) != e->to_dso)
		return 0;
	if (k->from != NO_END) {
		e->from_dso = convert_resolve(x->c, in->space, k->from, &e->from);
		if (e->from_dso == NO_DSO)
			e->from = 0;
	}
	return e->to_dso == NO_DSO ? 0 : add_count(x, &add);
}

int contexts_merge(struct contexts *x, const struct contexts *from, const struct session_maps *maps)
{
	uint32_t *to = calloc(from->v.n, sizeof(*to));
	int ret = to ? 0 : -ENOMEM;

	/* The first is that nothing is known. */
	for (size_t i = 1; i < from->v.n && !ret; i++) {
		struct context add = from->v.v[i];

		add.parent = to[add.parent];
		add.dso = convert_mapped(maps, add.dso);
		to[i] = node(x, &add);
		ret = to[i] == NO_CONTEXT ? -ENOMEM : 0;
	}
	for (size_t i = 0; i < from->count.n && !ret; i++) {
		struct context_count add = from->count.v[i];

		add.context = to[add.context];
		add.edge.from_dso = convert_mapped(maps, add.edge.from_dso);
		add.edge.to_dso = convert_mapped(maps, add.edge.to_dso);
		ret = add_count(x, &add);
	}
	x->with += from->with;
	x->broken += from->broken;
	free(to);
	return ret;
}

void contexts_say(const struct contexts *x)
{
	if (!x->with)
		log_to(&x->c->log, LOG_WARN,
		       "no sample has callers in user space: all is counted without context");
	else if (x->broken > x->with / 20)
		log_to(&x->c->log, LOG_WARN,
		       "%.1f %% of samples have branches that contradict their call chain: of who called, "
		       "what the branches tell is counted",
		       100.0 * (double)x->broken / (double)x->with);
}

int contexts_flush(struct contexts *x)
{
	int ret = find_contexts(x);

	for (uint32_t i = 0; i < x->counts.n && !ret; i++)
		ret = flush_one(x, &x->counts.v[x->counts.used[i]]);
	vec_for_each (r, &x->raw)
		x->c->spaces.v[r->space].dirty = false;
	raw_table_clear(&x->counts);
	x->raw.n = x->sites.n = 0;
	htab_free(&x->raw_tab);
	htab_free(&x->site_tab);
	return ret;
}
