// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loops and calls, stack by stack. A loop is a branch back to an instruction of its function, and all that lies
 * between; calls out of it and back belong to it. A stack shows a piece of what happened: how many rounds a
 * loop made is known where it was seen to be come to. Where it was seen to be left, too, that is a whole count, else
 * one that is cut: so many rounds or more.
 *
 * A return goes back to behind the call: where both are in a stack and it does not, the CPU's guess was wrong.
 */
#include <stdlib.h>

#include "branch/branch.h"
#include "brstat-int.h"

#define CALL_BYTES 16
#define CALLS_MAX  64

/*
 * Branches looked at for the loops of one stack. How often each is depends on the code: some 400 times in the longest stack that
 * fits a record. Code that has thousands of branches back to one place is made to be slow: what its loops did then is not seen.
 */
#define LOOKS (1U << 20)

enum follow { INSIDE, LEFT, LOST };

static const struct edge_info *info_at(const struct brstat *b, size_t i)
{
	return &b->info.v[b->walk.v[i].edge];
}

static unsigned traits_at(const struct brstat *b, size_t i)
{
	return b->walk.v[i].traits;
}

static bool calls(enum insn_branch k)
{
	return k == INSN_CALL || k == INSN_IND_CALL || k == INSN_SYSCALL;
}

static bool returns(enum insn_branch k)
{
	return k == INSN_RET || k == INSN_SYSRET;
}

/* ---- loops ------------------------------------------------------------------------------------- */

static void find_spot(const struct brstat *b, size_t i)
{
	const struct edge_info *info = info_at(b, i);
	const unsigned traits = traits_at(b, i);
	const enum insn_branch kind = (enum insn_branch)(traits >> TRAIT_KIND);

	b->spots.v[i] = (struct spot){
		.from = resolver_loc(b->res, info->from),
		.to = resolver_loc(b->res, info->to),
		.site = info->site,
		.broken = traits & TRAIT_BROKEN,
		.calls = calls(kind),
		.returns = returns(kind),
	};
}

/* Stacks are gone through again and again: what is looked at then is found once. */
static inline const struct spot *spot_at(const struct brstat *b, size_t i)
{
	if (unlikely(!b->spots.v[i].from))
		find_spot(b, i);
	return &b->spots.v[i];
}

/* The loop back from a branch to @head, if that is the one that was asked for last. */
static inline struct loop *loop_of(struct brstat *b, uint32_t site, uint64_t head)
{
	uint32_t id = site < b->loop_at.n ? b->loop_at.v[site] : ID_NONE;

	return id != ID_NONE && b->loops.v[id].head == head ? &b->loops.v[id] : NULL;
}

static int find_loop(struct brstat *b, uint32_t site, const struct loc *at, uint64_t head)
{
	const uint64_t key[2] = { site, head };
	uint32_t id = keys_tuple_id(&b->loop_keys, key);
	struct loop new = { .dso = at->dso,
			    .sym = at->sym,
			    .head = head,
			    .back = b->sites.v[site].addr,
			    .site = site };

	if (id == ID_NONE || vec_reach(&b->loop_at, site, ID_NONE))
		return -ENOMEM;
	if (id == b->loops.n && vec_push(&b->loops, new))
		return -ENOMEM;
	b->loop_at.v[site] = id;
	return 0;
}

/* loop_of() has it then. Where code cannot be read a branch may lead to several: each is a loop. 0 or -ENOMEM. */
static inline int add_loop(struct brstat *b, uint32_t site, const struct loc *at, uint64_t head)
{
	return likely(loop_of(b, site, head)) ? 0 : find_loop(b, site, at, head);
}

static bool in_loop(const struct loop *l, const struct loc *at)
{
	return at->dso == l->dso && at->sym == l->sym && at->addr >= l->head && at->addr <= l->back;
}

static bool look(struct brstat *b)
{
	if (!b->looks)
		return false;
	b->looks--;
	return true;
}

/*
 * From behind branch @i - 1, which led into the loop, up to branch @n: whether that stayed in it. *rounds: and how
 * often it came to the head by another branch than the loop's own.
 */
static enum follow follow(struct brstat *b, const struct loop *l, size_t i, size_t n,
			  uint32_t *rounds)
{
	unsigned depth = 0;

	for (; i < n; i++) {
		const struct spot *at = spot_at(b, i);

		if (at->broken || !look(b))
			return LOST;
		if (!depth && !in_loop(l, at->from))
			return LEFT;
		if (at->calls) {
			depth++;
		} else if (at->returns) {
			if (!depth--)
				return LEFT;
		} else if (!depth) {
			if (!in_loop(l, at->to))
				return LEFT;
			*rounds += at->to->addr == l->head && at->site != l->site;
		}
	}
	return depth ? LOST : INSIDE;
}

/* Back from the code before branch @i: whether it is seen how the loop was come to. */
static bool begins(struct brstat *b, const struct loop *l, size_t i, uint32_t *rounds)
{
	unsigned depth = 0;

	for (; i; i--) {
		const struct spot *at = spot_at(b, i), *last = spot_at(b, i - 1);
		const struct loc *start = last->to;

		if (at->broken || !look(b))
			return false;
		if (!depth) {
			if (start->sym != l->sym || start->dso != l->dso || start->addr > l->back)
				return false;
			if (start->addr < l->head)
				return at->from->addr >= l->head;
			if (start->addr == l->head &&
			    (last->calls || last->returns || !in_loop(l, last->from)))
				return true;
			*rounds += start->addr == l->head;
		}
		if (last->returns)
			depth++;
		else if (last->calls && !depth--)
			return false;
	}
	return false;
}

static void count_rounds(const struct brstat *b, struct loop *l, uint32_t rounds, bool whole)
{
	unsigned i = (unsigned)min_u64(rounds, BRSTAT_ROUNDS) - 1;

	(whole ? l->whole : l->cut)[i] += b->times;
}

/* @left: it was seen to be left. */
static void end_loop(const struct brstat *b, struct loop *l, bool left)
{
	if (l->active && l->whole_begin)
		count_rounds(b, l, l->rounds + 1, left);
	l->active = false;
}

static int loop_taken(struct brstat *b, struct loop *l, size_t i)
{
	uint32_t more = 0;

	l->taken += b->times;
	if (l->active) {
		enum follow f = follow(b, l, l->pos + 1, i + 1, &more);

		if (f == INSIDE) {
			l->rounds += 1 + more;
			l->pos = i;
			return 0;
		}
		end_loop(b, l, f == LEFT);
	} else if (l->stack != b->stack && vec_push(&b->touched, (uint32_t)(l - b->loops.v))) {
		return -ENOMEM;
	}
	more = 0;
	l->stack = b->stack;
	l->active = true;
	l->pos = i;
	l->whole_begin = begins(b, l, i, &more);
	l->rounds = 1 + more;
	return 0;
}

/* The loop's branch lies in the code before branch @i and was not taken. */
static void loop_passed(struct brstat *b, struct loop *l, size_t i)
{
	uint32_t more = 0;

	if (l->active) {
		enum follow f = follow(b, l, l->pos + 1, i, &more);

		if (f == INSIDE && in_loop(l, spot_at(b, i - 1)->to)) {
			l->rounds += more;
			end_loop(b, l, true);
			return;
		}
		end_loop(b, l, f == LEFT);
	}
	more = 0;
	if (begins(b, l, i, &more))
		count_rounds(b, l, 1 + more, true);
}

/* Whether a conditional branch that was passed leads back in its function: to @at's. */
static bool leads_back(const struct site *s, const struct loc *at)
{
	return s->target && s->target <= s->addr && at->sym && s->target >= at->sym->start;
}

static int passed(struct brstat *b, size_t i)
{
	const struct code_stretch *t;
	uint32_t stretch;

	if (!i)
		return 0;
	if (brstat_between(b, b->walk.v[i - 1].edge, b->walk.v[i].edge, &stretch))
		return -ENOMEM;
	if (stretch == ID_NONE)
		return 0;
	t = &b->stretches.v[stretch];
	for (uint32_t k = 0; k < t->nr; k++) {
		uint32_t site = b->inside.v[t->first + k];
		const struct site *s = &b->sites.v[site];
		const struct loc *at = spot_at(b, i)->from;

		if (!leads_back(s, at))
			continue;
		if (add_loop(b, site, at, s->target))
			return -ENOMEM;
		loop_passed(b, loop_of(b, site, s->target), i);
	}
	return 0;
}

static int taken(struct brstat *b, size_t i)
{
	const struct spot *at = spot_at(b, i);

	if (add_loop(b, at->site, at->from, at->to->addr))
		return -ENOMEM;
	return loop_taken(b, loop_of(b, at->site, at->to->addr), i);
}

/* ---- what steps are ---------------------------------------------------------------------------- */

/* What the instruction is, else what the recording says, else what it looks like. */
static enum insn_branch find_kind(const struct brstat *b, const struct edge_info *info,
				  unsigned type, const struct loc *from, const struct loc *to)
{
	const struct site *site = &b->sites.v[info->site];

	if (site->known)
		return (enum insn_branch)site->kind;
	if (type)
		return brstat_kind_of_type(type);
	if (from->sym == to->sym && from->dso == to->dso)
		return INSN_JUMP;
	return to->sym && to->addr == to->sym->start ? INSN_CALL : INSN_RET;
}

bool brstat_passes_loops(const struct brstat *b, const struct code_stretch *t,
			 const struct loc *end)
{
	for (uint32_t k = 0; k < t->nr; k++)
		if (leads_back(&b->sites.v[b->inside.v[t->first + k]], end))
			return true;
	return false;
}

uint32_t brstat_edge_traits(const struct brstat *b, uint32_t edge, unsigned type)
{
	const struct edge_info *info = &b->info.v[edge];
	const struct loc *from = resolver_loc(b->res, info->from);
	const struct loc *to = resolver_loc(b->res, info->to);
	enum insn_branch kind = find_kind(b, info, type, from, to);
	uint32_t traits = (uint32_t)kind << TRAIT_KIND;

	if (kind == INSN_CALL || kind == INSN_IND_CALL)
		traits |= TRAIT_CALLS;
	if (kind == INSN_RET)
		traits |= TRAIT_RETURNS;
	if ((kind == INSN_COND || kind == INSN_JUMP) && from->dso && from->dso == to->dso &&
	    from->sym == to->sym && to->addr <= from->addr)
		traits |= TRAIT_TAKEN;
	return traits;
}

uint32_t brstat_pair_traits(const struct brstat *b, uint32_t stretch)
{
	if (stretch == ID_NONE)
		return TRAIT_BROKEN;
	return b->stretches.v[stretch].passes_loops ? TRAIT_PASSED : 0;
}

void brstat_note_type(struct edge_info *info, unsigned type)
{
	if (type > info->type)
		info->type = (uint8_t)type;
}

/* ---- calls ------------------------------------------------------------------------------------- */

/* 12 KB, which fit an L1 cache, and so many that it hardly counts that the first ones wait for memory. */
#define LATE_RETURNS 1024

/* Whether it went back to behind the call. */
static void count_return(struct brstat *b, const struct late_return *r)
{
	const struct edge_info *call = &b->info.v[r->call], *info = &b->info.v[r->edge];
	const struct loc *from = resolver_loc(b->res, call->from);
	const struct loc *to = resolver_loc(b->res, info->to);
	struct return_count *n = &b->returns.v[info->site];

	if (from->dso == to->dso && to->addr > from->addr && to->addr - from->addr <= CALL_BYTES)
		n->matched += r->times;
	else
		n->astray += r->times;
}

/* Of one whose turn comes soon; @edges alone: those are looked at for the rest. */
static void ask_for_return(const struct brstat *b, const struct late_return *r, bool edges)
{
	const struct edge_info *call = &b->info.v[r->call], *info = &b->info.v[r->edge];

	if (edges) {
		/* Both ends of what may lie across two lines. */
		__builtin_prefetch(&call->from);
		__builtin_prefetch(&info->site);
		__builtin_prefetch(&info->to);
		return;
	}
	__builtin_prefetch(resolver_loc(b->res, call->from));
	__builtin_prefetch(resolver_loc(b->res, info->to));
	__builtin_prefetch(&b->returns.v[info->site], 1);
}

int brstat_settle_returns(struct brstat *b)
{
	static const struct return_count none;
	const size_t n = b->late_returns.n;
	const struct late_return *r = b->late_returns.v;

	if (n && vec_reach(&b->returns, b->sites.n - 1, none))
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (i + 2 * AHEAD < n)
			ask_for_return(b, &r[i + 2 * AHEAD], true);
		if (i + AHEAD < n)
			ask_for_return(b, &r[i + AHEAD], false);
		count_return(b, &r[i]);
	}
	b->late_returns.n = 0;
	return 0;
}

/* Where a return is, what it belongs to is not at hand: that is looked at later, together with others. */
static int note_return(struct brstat *b, uint32_t call, uint32_t edge)
{
	const struct late_return new = { call, edge, b->times };

	if (b->late_returns.n == LATE_RETURNS && brstat_settle_returns(b))
		return -ENOMEM;
	return vec_push(&b->late_returns, new);
}

static int count_returns(struct brstat *b)
{
	uint32_t call[CALLS_MAX];
	unsigned depth = 0;

	vec_for_each (i, &b->noted) {
		const struct stride *s = &b->walk.v[*i];

		if (s->traits & TRAIT_BROKEN)
			depth = 0; /* something else was in between */
		if (s->traits & TRAIT_CALLS) {
			if (depth == CALLS_MAX)
				memmove(call, call + 1, --depth * sizeof(call[0]));
			call[depth++] = s->edge;
		} else if (s->traits & TRAIT_RETURNS && depth) {
			if (note_return(b, call[--depth], s->edge))
				return -ENOMEM;
		}
	}
	return 0;
}

int brstat_walk_loops(struct brstat *b)
{
	unsigned all = 0;
	int ret = 0;

	vec_for_each (i, &b->noted)
		all |= traits_at(b, *i);
	if (all & TRAIT_CALLS && all & TRAIT_RETURNS)
		ret = count_returns(b);
	if (!(all & (TRAIT_TAKEN | TRAIT_PASSED)))
		return ret;
	if (vec_reserve(&b->spots, b->walk.n))
		return -ENOMEM;
	memset(b->spots.v, 0, b->walk.n * sizeof(*b->spots.v));
	b->touched.n = 0;
	b->looks = LOOKS;
	vec_for_each (i, &b->noted) {
		if (!ret && traits_at(b, *i) & TRAIT_PASSED)
			ret = passed(b, *i);
		if (!ret && traits_at(b, *i) & TRAIT_TAKEN)
			ret = taken(b, *i);
	}
	for (size_t i = 0; !ret && i < b->touched.n; i++) {
		struct loop *l = &b->loops.v[b->touched.v[i]];
		uint32_t more = 0;

		if (l->active) {
			bool left = follow(b, l, l->pos + 1, b->walk.n, &more) == LEFT;

			l->rounds += more;
			end_loop(b, l, left);
		}
	}
	return ret;
}

/* ---- pieces ------------------------------------------------------------------------------------ */

int brstat_merge_loops(struct brstat *b, const struct brstat *from, struct dso *const *dso)
{
	const struct return_count none = { 0 };

	for (uint32_t i = 0; i < from->loops.n; i++) {
		const struct loop *add = &from->loops.v[i];
		const struct site *s = &from->sites.v[add->site];
		struct dso *d = dso ? dso[s->dso->idx] : s->dso;
		const struct loc at = { .dso = d, .sym = symbol_find(b->res, d, s->addr) };
		uint32_t site = brstat_site(b, d, s->addr);
		struct loop *to;

		if (site == ID_NONE || add_loop(b, site, &at, add->head))
			return -ENOMEM;
		to = loop_of(b, site, add->head);
		to->taken += add->taken;
		for (unsigned k = 0; k < BRSTAT_ROUNDS; k++) {
			to->whole[k] += add->whole[k];
			to->cut[k] += add->cut[k];
		}
	}
	for (uint32_t i = 0; i < from->returns.n; i++) {
		const struct return_count *add = &from->returns.v[i];
		const struct site *s = &from->sites.v[i];
		uint32_t site;

		if (!(add->matched + add->astray))
			continue;
		site = brstat_site(b, s->dso && dso ? dso[s->dso->idx] : s->dso, s->addr);
		if (site == ID_NONE || vec_reach(&b->returns, site, none))
			return -ENOMEM;
		b->returns.v[site].matched += add->matched;
		b->returns.v[site].astray += add->astray;
	}
	return 0;
}
