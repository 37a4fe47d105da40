// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What branch stacks say of the instructions of one function. Stretches are laid over them: how many
 * hold an instruction is a running sum over where they begin and end, so that a function costs its
 * instructions and its stretches, not their product. Instructions and cycles of stretches are summed
 * up in the same way: the quotient is the instructions per cycle of all stretches that an
 * instruction ran in, known at each of them and not only where a block ends.
 *
 * A stretch whose ends are no instructions of this listing was not recorded of this code. How many
 * branches fit what the code says (flow_fit) tells whether the file is the one that ran.
 */
#include <stdlib.h>

#include "annotate-int.h"
#include "branch/branch.h"

/* By instruction: what begins at it, less what ended before it. */
struct change {
	int64_t runs, insns, cycles;
};

static int lay_stretches(struct listing_build *b, const struct annotate_branches *f,
			 struct change *changes)
{
	size_t nr;
	const struct annotate_ref *r = annotate_refs_of(&f->within, b->l.sym->idx, &nr);

	for (size_t i = 0; i < nr; i++) {
		const struct annotate_stretch *t = &f->stretches.v[r[i].id];
		uint32_t end_loc = (uint32_t)keys_tuple_get(&f->stretch_keys, r[i].id)[1];
		uint32_t first = annotate_insn_start(b, r[i].addr);
		uint32_t last = annotate_insn_start(b, resolver_loc(b->res, end_loc)->addr);
		struct listing_flow *at;
		int64_t insns;

		if (first == LISTING_NONE || last == LISTING_NONE || last < first) {
			b->l.flow_sum.misfits += t->nr;
			continue;
		}
		insns = (int64_t)((last - first + 1) * t->nr_cycles);
		changes[first].runs += (int64_t)t->nr;
		changes[last + 1].runs -= (int64_t)t->nr;
		changes[first].insns += insns;
		changes[last + 1].insns -= insns;
		changes[first].cycles += (int64_t)t->cycles;
		changes[last + 1].cycles -= (int64_t)t->cycles;
		b->l.flow_sum.insns += (uint64_t)insns;
		b->l.flow_sum.cycles += t->cycles;
		b->l.flow[first].began += t->nr;
		at = &b->l.flow[last];
		at->taken += t->nr;
		if (!t->nr_cycles)
			continue;
		at->min = at->nr_cycles ? (uint16_t)min_u64(at->min, t->min) : t->min;
		at->max = (uint16_t)max_u64(at->max, t->max);
		at->cycles += t->cycles;
		at->nr_cycles += t->nr_cycles;
	}
	return 0;
}

static void sum_up(struct listing_build *b, const struct change *changes)
{
	struct change now = { 0 };

	for (uint32_t i = 0; i < b->l.nr_insns; i++) {
		struct listing_flow *at = &b->l.flow[i];

		now.runs += changes[i].runs;
		now.insns += changes[i].insns;
		now.cycles += changes[i].cycles;
		at->executions = (uint64_t)now.runs;
		at->ipc_insns = (uint64_t)now.insns;
		at->ipc_cycles = (uint64_t)now.cycles;
		b->l.flow_sum.executed += at->executions != 0;
		b->l.flow_sum.measured += at->ipc_cycles != 0;
		b->l.flow_sum.most = max_u64(b->l.flow_sum.most, at->executions);
	}
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* Whether an instruction of kind @is can have made a branch of the recorded type. */
static bool fits(unsigned type, enum insn_branch is)
{
	switch (type) {
	case BR_COND: return is == INSN_COND;
	case BR_UNCOND: return is == INSN_JUMP;
	case BR_IND: return is == INSN_IND_JUMP;
	case BR_CALL: return is == INSN_CALL;
	case BR_IND_CALL: return is == INSN_IND_CALL;
	case BR_RET: return is == INSN_RET;
	case BR_SYSCALL: return is == INSN_SYSCALL;
	default: return is != INSN_NO_BRANCH;
	}
}

/* Interrupts and exceptions leave code anywhere: they prove nothing. */
static bool says_something(const struct listing_build *b, const struct annotate_edge *edge,
			   const struct loc *to)
{
	if (edge->type == BR_IRQ || edge->type == BR_SERROR || edge->type == BR_NO_TX ||
	    edge->type == BR_EXTEND || edge->type == BR_ERET)
		return false;
	return edge->type || (to->dso && to->dso->kind == b->l.dso->kind);
}

static int push_edge(struct listing_build *b, const struct annotate_branches *f, uint32_t id,
		     uint32_t from, uint32_t to, bool leaves)
{
	const struct annotate_edge *edge = &f->edges.v[id];
	const uint64_t *k = keys_tuple_get(&f->edge_keys, id);
	const struct loc *other = resolver_loc(b->res, (uint32_t)k[leaves ? 1 : 0]);
	struct listing_edge e = { .from = from,
				  .to = to,
				  .dso = other->dso,
				  .sym = other->sym,
				  .addr = other->addr,
				  .nr = edge->nr,
				  .mispred = edge->mispred,
				  .flagged = edge->flagged,
				  .followed = edge->followed };

	return vec_push(&b->edges, e);
}

/* Branches of this function's instructions, wherever they go. */
static int list_leaving(struct listing_build *b, const struct annotate_branches *f)
{
	size_t nr;
	const struct annotate_ref *r = annotate_refs_of(&f->leaving, b->l.sym->idx, &nr);

	for (size_t i = 0; i < nr; i++) {
		const struct annotate_edge *edge = &f->edges.v[r[i].id];
		uint32_t to_loc = (uint32_t)keys_tuple_get(&f->edge_keys, r[i].id)[1];
		const struct loc *to = resolver_loc(b->res, to_loc);
		uint32_t from = annotate_insn_start(b, r[i].addr), target = LISTING_NONE;
		struct listing_flow *at;
		bool fit = from != LISTING_NONE;

		if (to->sym == b->l.sym) {
			target = annotate_insn_start(b, to->addr);
			fit &= target != LISTING_NONE;
		}
		if (says_something(b, edge, to)) {
			b->l.flow_sum.checked += edge->nr;
			if (fit && fits(edge->type, (enum insn_branch)b->insns.v[from].branch))
				b->l.flow_sum.fit += edge->nr;
		}
		if (from == LISTING_NONE)
			continue;
		at = &b->l.flow[from];
		if (!at->nr_edges)
			at->edge = (uint32_t)b->edges.n;
		at->nr_edges++;
		at->left += edge->nr;
		at->mispred += edge->mispred;
		at->flagged += edge->flagged;
		if (target != LISTING_NONE)
			b->l.flow[target].entered += edge->nr;
		if (push_edge(b, f, r[i].id, from, target, true))
			return -ENOMEM;
	}
	b->l.nr_leaving = (uint32_t)b->edges.n;
	return 0;
}

/* Branches of other functions' to this one's. */
static int list_arriving(struct listing_build *b, const struct annotate_branches *f)
{
	size_t nr;
	const struct annotate_ref *r = annotate_refs_of(&f->arriving, b->l.sym->idx, &nr);

	for (size_t i = 0; i < nr; i++) {
		uint32_t from_loc = (uint32_t)keys_tuple_get(&f->edge_keys, r[i].id)[0];
		uint32_t to = annotate_insn_start(b, r[i].addr);

		if (to == LISTING_NONE || resolver_loc(b->res, from_loc)->sym == b->l.sym)
			continue;
		b->l.flow[to].entered += r[i].nr;
		if (push_edge(b, f, r[i].id, LISTING_NONE, to, false))
			return -ENOMEM;
	}
	return 0;
}

/* ---- loops ----------------------------------------------------------------------------------- */

/*
 * Two loops of which each begins or ends inside of the other are one that is come to in its middle, cut by
 * the order of addresses: who comes to the second's head comes from inside, so that neither can be told how
 * often it was come to. @open, one for each loop, gets those around the one at hand.
 */
static void find_crossing(struct listing_build *b, uint32_t *open, bool *crosses)
{
	const struct listing_loop *loops = b->loops.v;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < b->loops.n; i++) {
		while (nr && loops[open[nr - 1]].end < loops[i].head)
			nr--;
		/* Code with more loops around each other is made to take time. */
		for (uint32_t k = nr; k-- && nr - k <= 256;)
			if (loops[open[k]].end >= loops[i].head &&
			    loops[open[k]].end < loops[i].end)
				crosses[i] = crosses[open[k]] = true;
		open[nr++] = i;
	}
}

/* The loop whose head is the line @line. */
static struct listing_loop *loop_at(struct listing_build *b, uint32_t line)
{
	size_t low = 0, high = b->loops.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (b->loops.v[mid].head < line)
			low = mid + 1;
		else
			high = mid;
	}
	return low < b->loops.n && b->loops.v[low].head == line ? &b->loops.v[low] : NULL;
}

/*
 * How often a loop's head ran, and how often of these it was come to from outside. Jumps back
 * count as far as it is known what ran after them, as the head's executions do. To look for them
 * in each loop would cost as much as all loops are long, which may lie in each other.
 */
static void count_loops(struct listing_build *b, const bool *crosses)
{
	const uint32_t *line = b->insn_line.v;

	for (uint32_t i = 0; i < b->l.nr_leaving; i++) {
		const struct listing_edge *edge = &b->edges.v[i];
		struct listing_loop *loop =
			edge->to == LISTING_NONE ? NULL : loop_at(b, line[edge->to]);

		/* As entries for now: those that are none. */
		if (loop && line[edge->from] >= loop->head && line[edge->from] <= loop->end)
			loop->entries += edge->followed;
	}
	vec_for_each (loop, &b->loops) {
		uint64_t back = loop->entries;

		loop->entries = 0;
		if (crosses[loop - b->loops.v])
			continue;
		loop->iterations = b->l.flow[b->lines.v[loop->head].insn].executions;
		loop->entries = loop->iterations - min_u64(back, loop->iterations);
	}
}

int annotate_flow_loops(struct listing_build *b)
{
	uint32_t *open;
	bool *crosses;

	if (!b->l.flow || !b->loops.n)
		return 0;
	open = calloc(b->loops.n, sizeof(*open));
	crosses = calloc(b->loops.n, sizeof(*crosses));
	if (open && crosses) {
		find_crossing(b, open, crosses);
		count_loops(b, crosses);
	}
	free(open);
	free(crosses);
	return open && crosses ? 0 : -ENOMEM;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* A file whose branches are elsewhere than those that were recorded is another one. */
static int judge(struct listing_build *b)
{
	const struct listing_flow_sum *s = &b->l.flow_sum;

	if (s->checked < 20 || s->fit >= s->checked - s->checked / 20)
		return 0;
	return annotate_note(b,
			     "only %.1f%% of the recorded branches are branches in %s: it may not "
			     "be the file that ran",
			     100.0 * (double)s->fit / (double)s->checked, b->l.path);
}

int annotate_flow(struct listing_build *b)
{
	const struct annotate_branches *f = &b->a->branches;
	struct change *changes;
	size_t leaving, arriving;

	annotate_refs_of(&f->leaving, b->l.sym->idx, &leaving);
	annotate_refs_of(&f->arriving, b->l.sym->idx, &arriving);
	if (!leaving && !arriving)
		return 0;
	b->l.nr_insns = (uint32_t)b->insns.n;
	b->l.flow = calloc(b->insns.n + 1, sizeof(*b->l.flow));
	changes = calloc(b->insns.n + 2, sizeof(*changes));
	if (!b->l.flow || !changes || lay_stretches(b, f, changes) || list_leaving(b, f) ||
	    list_arriving(b, f)) {
		free(changes);
		return -ENOMEM;
	}
	sum_up(b, changes);
	free(changes);
	b->l.edge = b->edges.v;
	b->l.nr_edges = (uint32_t)b->edges.n;
	return judge(b);
}
