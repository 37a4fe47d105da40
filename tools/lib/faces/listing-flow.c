// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What branch stacks tell of a listing, as columns, as a comment behind instructions and as JSON. All
 * of it is quotients of struct listing_flow; what has no divisor is not known and says so: "-"
 * where instructions ran but stacks have no cycles, nothing where no stack saw them run.
 */
#include "faces/listing-int.h"

#define TARGETS_MAX 3 /* of an indirect branch, in a comment */

static const struct listing_flow *flow_of(const struct listing *l, const struct listing_line *line)
{
	return l->flow && line->insn != LISTING_NONE ? &l->flow[line->insn] : NULL;
}

static double quotient(uint64_t a, uint64_t b)
{
	return (double)a / (double)b;
}

static double percent(uint64_t part, uint64_t whole)
{
	return 100 * quotient(part, whole);
}

/* ---- columns ---------------------------------------------------------------------------------- */

bool faces_flow_shown(const struct faces_listings *f, const struct listing *l)
{
	(void)f;
	return l->flow != NULL;
}

void faces_flow_ipc(const struct faces_listings *f, const struct listing *l,
		    const struct listing_line *line, uint32_t k, struct obuf *o)
{
	const struct listing_flow *at = flow_of(l, line);

	(void)f;
	(void)k;
	if (at && at->ipc_cycles)
		obuf_printf(o, "%.2f", quotient(at->ipc_insns, at->ipc_cycles));
	else if (at && at->executions)
		obuf_char(o, '-');
}

/* At the branch that ends a stretch: cycles are of that. */
void faces_flow_cycles(const struct faces_listings *f, const struct listing *l,
		       const struct listing_line *line, uint32_t k, struct obuf *o)
{
	const struct listing_flow *at = flow_of(l, line);

	(void)f;
	(void)k;
	if (at && at->nr_cycles)
		obuf_printf(o, "%.0f(%u/%u)", quotient(at->cycles, at->nr_cycles), at->min,
			    at->max);
	else if (at && at->taken)
		obuf_char(o, '-');
}

void faces_flow_runs(const struct faces_listings *f, const struct listing *l,
		     const struct listing_line *line, uint32_t k, struct obuf *o)
{
	const struct listing_flow *at = flow_of(l, line);

	(void)f;
	(void)k;
	if (at && at->executions)
		obuf_dec(o, at->executions);
}

/* ---- comments --------------------------------------------------------------------------------- */

/* A comment begins once, with the first thing that is said. */
static void begin_comment(struct obuf *o, bool *begun)
{
	if (!*begun)
		obuf_lit(o, "\t#");
	*begun = true;
}

static bool is_indirect(const struct listing_line *line)
{
	return line->branch == INSN_IND_JUMP || line->branch == INSN_IND_CALL;
}

/* " -> hash 92.0%, other 8.0%": where an indirect branch goes, by what was seen. */
static void put_targets(const struct listing *l, const struct listing_flow *at, struct obuf *o)
{
	for (uint32_t i = 0; i < at->nr_edges && i < TARGETS_MAX; i++) {
		const struct listing_edge *e = &l->edge[at->edge + i];

		obuf_str(o, i ? ", " : " -> ");
		if (e->to != LISTING_NONE)
			obuf_printf(o, "%llx", (unsigned long long)e->addr + l->shift);
		else if (e->sym)
			emit_safe(o, e->sym->name);
		else
			emit_safe(o, e->dso ? e->dso->short_name : "?");
		obuf_printf(o, " %.1f%%", percent(e->nr, at->left));
	}
	if (at->nr_edges > TARGETS_MAX)
		obuf_printf(o, ", %u more", at->nr_edges - TARGETS_MAX);
}

/* Loops come in the order of their heads. */
static const struct listing_loop *loop_at(const struct listing *l, const struct listing_line *line)
{
	uint32_t lo = 0, n = l->nr_loops;

	while (n) {
		uint32_t half = n / 2;

		if (&l->line[l->loop[lo + half].head] < line) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo < l->nr_loops && &l->line[l->loop[lo].head] == line ? &l->loop[lo] : NULL;
}

static void put_loop(const struct listing *l, const struct listing_line *line, struct obuf *o)
{
	const struct listing_loop *loop = loop_at(l, line);

	if (loop && loop->iterations && loop->entries)
		obuf_printf(o, " loop: %.1f iterations", quotient(loop->iterations, loop->entries));
}

void faces_flow_comment(const struct listing *l, const struct listing_line *line, struct obuf *o)
{
	const struct listing_flow *at = flow_of(l, line);
	bool begun = false;

	if (!at)
		return;
	if (at->began && at->executions) {
		begin_comment(o, &begun);
		obuf_printf(o, " +%.2f%%", percent(at->began, at->executions));
		put_loop(l, line, o);
	}
	if (at->taken && at->executions) {
		begin_comment(o, &begun);
		obuf_printf(o, " -%.2f%%", percent(at->taken, at->executions));
	}
	if (at->left && at->flagged) {
		begin_comment(o, &begun);
		obuf_printf(o, " (p:%.2f%%)", percent(at->flagged - at->mispred, at->flagged));
	}
	if (at->left && is_indirect(line)) {
		begin_comment(o, &begun);
		put_targets(l, at, o);
	}
}

void faces_flow_summary(const struct listing *l, struct obuf *o)
{
	const struct listing_flow_sum *s = &l->flow_sum;

	if (!l->flow || !l->nr_insns)
		return;
	if (s->cycles)
		obuf_printf(o, " (Average IPC: %.2f, IPC Coverage: %.1f%%)",
			    quotient(s->insns, s->cycles), percent(s->measured, l->nr_insns));
	else
		obuf_printf(o,
			    " (Average IPC: -, no cycles in the branch stacks; Coverage: %.1f%%)",
			    percent(s->executed, l->nr_insns));
}

/* ---- JSON ------------------------------------------------------------------------------------- */

void faces_flow_ipc_json(const struct faces_listings *f, const struct listing *l,
			 const struct listing_line *line, uint32_t k, struct emit *e)
{
	const struct listing_flow *at = flow_of(l, line);

	(void)f;
	(void)k;
	if (at && at->ipc_cycles)
		emit_f64(e, "ipc", quotient(at->ipc_insns, at->ipc_cycles), 4);
	else if (at && at->executions)
		emit_str(e, "ipc", NULL);
}

void faces_flow_cycles_json(const struct faces_listings *f, const struct listing *l,
			    const struct listing_line *line, uint32_t k, struct emit *e)
{
	const struct listing_flow *at = flow_of(l, line);

	(void)f;
	(void)k;
	if (!at || !at->taken)
		return;
	if (!at->nr_cycles) {
		emit_str(e, "cycles", NULL);
		return;
	}
	emit_object(e, "cycles");
	emit_f64(e, "average", quotient(at->cycles, at->nr_cycles), 2);
	emit_u64(e, "min", at->min);
	emit_u64(e, "max", at->max);
	emit_u64(e, "count", at->nr_cycles);
	emit_end(e);
}

static void put_edge_json(const struct listing *l, const struct listing_edge *edge, struct emit *e)
{
	emit_object(e, NULL);
	bool here = edge->from != LISTING_NONE && edge->to != LISTING_NONE;

	/* As disassemblers list this object; of others that is not known here. */
	emit_hex(e, "address", edge->addr + (edge->dso == l->dso ? l->shift : 0));
	if (here)
		emit_u64(e, "offset", edge->addr - l->start);
	if (edge->sym) {
		emit_str(e, "symbol", edge->sym->name);
		emit_u64(e, "symbol_offset", edge->addr - edge->sym->start);
	}
	emit_str(e, "object", edge->dso ? edge->dso->name : NULL);
	emit_u64(e, "count", edge->nr);
	if (edge->flagged)
		emit_u64(e, "mispredicted", edge->mispred);
	emit_end(e);
}

void faces_flow_runs_json(const struct faces_listings *f, const struct listing *l,
			  const struct listing_line *line, uint32_t k, struct emit *e)
{
	const struct listing_flow *at = flow_of(l, line);

	(void)f;
	(void)k;
	if (!at)
		return;
	emit_u64(e, "executions", at->executions);
	if (at->entered)
		emit_u64(e, "entered", at->entered);
	if (!at->nr_edges)
		return;
	emit_u64(e, "taken", at->taken);
	emit_array(e, "edges");
	for (uint32_t i = at->edge; i < at->edge + at->nr_edges; i++)
		put_edge_json(l, &l->edge[i], e);
	emit_end(e);
}

static void put_loops_json(const struct listing *l, struct emit *e)
{
	emit_array(e, "loops");
	for (uint32_t i = 0; i < l->nr_loops; i++) {
		const struct listing_loop *loop = &l->loop[i];

		emit_object(e, NULL);
		emit_u64(e, "head", l->line[loop->head].addr - l->start);
		emit_u64(e, "end", l->line[loop->end].addr - l->start);
		emit_u64(e, "depth", loop->depth);
		if (l->flow && loop->iterations) {
			emit_u64(e, "iterations", loop->iterations);
			emit_u64(e, "entries", loop->entries);
		}
		emit_end(e);
	}
	emit_end(e);
}

void faces_flow_json(const struct listing *l, struct emit *e)
{
	const struct listing_flow_sum *s = &l->flow_sum;

	if (l->nr_loops)
		put_loops_json(l, e);
	if (!l->flow)
		return;
	emit_object(e, "branches");
	emit_u64(e, "instructions", l->nr_insns);
	emit_u64(e, "executed", s->executed);
	emit_u64(e, "measured", s->measured);
	if (s->cycles)
		emit_f64(e, "ipc", quotient(s->insns, s->cycles), 4);
	else
		emit_str(e, "ipc", NULL);
	emit_u64(e, "checked", s->checked);
	emit_u64(e, "fit", s->fit);
	emit_array(e, "entered_from");
	for (uint32_t i = l->nr_leaving; i < l->nr_edges; i++)
		put_edge_json(l, &l->edge[i], e);
	emit_end(e);
	emit_end(e);
}
