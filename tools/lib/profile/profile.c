// SPDX-License-Identifier: GPL-2.0-or-later
/* The way of a sample: location, filters, group, row, chain. */
#include "emit/emit.h"
#include "profile-int.h"
#include "script/script.h"

static uint64_t chain_needs(const struct profile *p)
{
	uint64_t need = PERF_SAMPLE_CALLCHAIN;

	if (p->u)
		need |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_BRANCH_STACK |
			PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	return need;
}

int profile_new(struct profile **out, const struct profile_opts *opts, struct machine *m,
		struct resolver *res, struct unwind *u, struct err *e)
{
	const struct acc_env env = { res, opts->arch, opts->redact };
	struct profile *p = calloc(1, sizeof(*p));
	int ret;

	if (!p)
		return err_set(e, -ENOMEM, "no memory for a profile");
	p->o = *opts;
	p->m = m;
	p->res = res;
	p->u = u;
	p->need = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD | PERF_SAMPLE_ID |
		  PERF_SAMPLE_IDENTIFIER;
	p->unknown = prof_name_id(p, "[unknown]");
	p->parallelism = 1;
	ret = prof_cols_setup(p, e);
	if (!ret && prof_sums_start(&p->sums, &p->o, &env))
		ret = err_set(e, -ENOMEM, "no memory to count samples");
	if (!ret)
		ret = prof_filter_setup(p, e);
	if (!ret)
		ret = prof_parent_setup(p, e);
	if (!ret && p->o.branch)
		ret = prof_branch_init(p) ? err_set(e, -ENOMEM, "no memory for branches")
					  : prof_ipc_init(p, e);
	if (!ret)
		ret = prof_chain_init(p) ? err_set(e, -ENOMEM, "no memory for call chains") : 0;
	if (!ret)
		ret = prof_queue_init(p) ? err_set(e, -ENOMEM, "no memory to count samples") : 0;
	if (p->o.branch || p->o.history)
		p->need |= PERF_SAMPLE_BRANCH_STACK;
	if (p->o.filter.by_socket)
		p->need |= PERF_SAMPLE_CPU;
	if (p->o.use_chains || p->o.children || p->parent_re.set)
		p->need |= chain_needs(p);
	if (p->o.use_chains && p->o.chain.key == CHAIN_BY_ADDRESS)
		p->ip_is_key = true;
	p->one_step = p->by_symbol && !p->o.branch && !p->ip_is_key &&
		      p->o.chain.key == CHAIN_BY_FUNCTION;
	if (ret) {
		profile_free(p);
		return ret;
	}
	*out = p;
	return 0;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < p->nr_cols; i++) {
		free(p->cols[i].rank);
		free(p->cols[i].rank2);
	}
	vec_for_each (ev, &p->events) {
		free(ev->rows);
		free(ev->nested);
	}
	vec_free(&p->events);
	prof_tuples_free(&p->groups);
	prof_tuples_free(&p->places);
	prof_tuples_free(&p->places2);
	prof_tuples_free(&p->daddrs);
	prof_tuples_free(&p->frame_keys);
	htab_free(&p->bare_tab);
	htab_free(&p->step_tab);
	vec_free(&p->frame_at);
	vec_free(&p->steps);
	vec_free(&p->place_width);
	vec_free(&p->place2_width);
	vec_free(&p->comm_name);
	vec_free(&p->sockets);
	trace_free(p->trace);
	vec_free(&p->dso_name);
	vec_free(&p->frames);
	vec_free(&p->step_list);
	vec_free(&p->locs);
	prof_sums_free(&p->sums);
	prof_ipc_free(p);
	prof_parent_free(p);
	vec_free(&p->sym_place);
	vec_free(&p->members);
	vec_free(&p->nest);
	prof_queue_free(p);
	vec_free(&p->rows);
	htab_free(&p->row_tab);
	intern_free(&p->names);
	if (p->reg_text.buf)
		obuf_free(&p->reg_text);
	arena_free(&p->tree);
	arena_free(&p->text);
	prof_chain_free(p);
	prof_branch_free(p);
	prof_filter_free(p);
	free(p);
}

uint64_t profile_need(const struct profile *p)
{
	return p->need;
}

/* ---- one sample ------------------------------------------------------------------------------ */

static bool wants_chains(const struct profile *p)
{
	return p->o.use_chains || p->o.children;
}

/* Samples wait for others, and their places are found with their chains. */
static bool in_batches(const struct profile *p)
{
	return wants_chains(p) && p->ch.q->limit > 1;
}

static int add_row(struct profile *p, const struct sample *s, struct thread *th, uint32_t place,
		   uint32_t group)
{
	struct profile_row *row;
	struct acc_in in;

	if (wants_chains(p) && !p->o.history)
		return prof_chain_add(p, s, th, group, place);
	row = prof_row_own(p, group, place, th->idx, s->cpumode, (uint32_t)p->ch.nodes.n);
	if (!row)
		return -ENOMEM;
	in = prof_acc_in(p, s, th);
	if (p->o.history)
		return prof_history_add(p, &in, group, row);
	prof_row_count(row, s->period, 1);
	return prof_sums_add(&p->sums, row->idx, &in);
}

/* The place of a sample at @ip; false when filters drop it (*out is ID_NONE then). */
static bool find_place(struct profile *p, uint8_t cpumode, uint64_t ip, struct thread *th,
		       uint32_t *out)
{
	uint32_t loc;

	*out = ID_NONE;
	p->at_thread = th;
	/* Rows are those of the branches. */
	if (p->o.branch && !p->filtering) {
		*out = 0;
		return true;
	}
	loc = resolver_find(p->res, th, cpumode, ip);
	if (loc == LOC_NONE)
		return true;
	if (p->filtering && !prof_filter_pass(p, th, loc, ip))
		return false;
	*out = p->o.branch ? 0 : prof_place_of_loc(p, loc, ip, false);
	return true;
}

/* Samples that count nowhere. */
static bool ignored(struct profile *p, const struct sample *s, struct thread *th)
{
	uint32_t loc;

	/* Upstream counts samples that have a branch. */
	if (p->o.branch && !s->branches.nr)
		return true;
	if (!p->o.filter.hide_unresolved)
		return false;
	loc = resolver_find(p->res, th, s->cpumode, s->ip);
	return loc != LOC_NONE && !resolver_loc(p->res, loc)->sym;
}

void profile_set_parallelism(struct profile *p, uint32_t n)
{
	p->parallelism = n ? n : 1;
	p->parallel |= n > 1;
}

/* What filters leave out is part of what shares are of. */
static int left_out(struct profile *p, const struct sample *s, struct thread *th)
{
	struct acc_in in = prof_acc_in(p, s, th);

	if (p->o.branch)
		in.times = s->branches.nr;
	return prof_sums_left_out(&p->sums, s->event ? s->event->idx : 0, &in);
}

int profile_add(struct profile *p, const struct sample *s, struct thread *th, struct err *e)
{
	struct event_rows *ev = prof_event_rows(p, s->event ? s->event->idx : 0);
	uint64_t weight = p->o.branch ? s->branches.nr : s->period;
	uint32_t place = ID_NONE, group;
	bool late, pass;
	int ret;

	if (!ev)
		return err_set(e, -ENOMEM, "no memory to count samples");
	if (p->queue) {
		ev->totals.nr_samples++;
		ev->totals.period += weight;
		ev->totals.nr_filtered_samples++;
		ev->totals.filtered_period += weight;
		ret = prof_queue_add(p, s, th);
		return ret ? err_set(e, ret, "no memory to count samples") : 0;
	}
	if (ignored(p, s, th))
		return 0;
	p->parent = p->parent_re.set ? prof_parent_of(p, s, th) : 0;
	if (p->ignore.re.set && wants_chains(p) && !prof_wants_unwind(p, s)) {
		s = prof_ignore_callees(p, s, th);
		if (!s)
			return err_set(e, -ENOMEM, "no memory to count samples");
	}
	/* The place is most often found with the chain. */
	late = in_batches(p) && !p->filtering;
	pass = (late || find_place(p, s->cpumode, s->ip, th, &place)) &&
	       (!p->o.filter.exclude_other || p->parent) && prof_filter_sample(p, s);
	ev->totals.nr_samples++;
	ev->totals.period += weight;
	if (!pass) {
		ret = p->sums.nr_share ? left_out(p, s, th) : 0;
		return ret ? err_set(e, ret, "no memory to count samples") : 0;
	}
	ev->totals.nr_filtered_samples++;
	ev->totals.filtered_period += weight;
	group = prof_group_of(p, s, th);
	if (group == ID_NONE || (!late && place == ID_NONE))
		return err_set(e, -ENOMEM, "no memory to count samples");
	ret = p->o.branch ? prof_branch_add(p, s, th, group) : add_row(p, s, th, place, group);
	if (!ret && p->flow)
		return brflow_add(p->flow, s, th, e);
	return ret ? err_set(e, ret, "no memory to count samples") : 0;
}

/* Every sample that passed is in one row. */
static int sum_events(struct profile *p)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < p->rows.n; i++)
		ret = prof_sums_event(&p->sums, profile_row_event(p, &p->rows.v[i]), i);
	return ret;
}

int profile_finish(struct profile *p, struct err *e)
{
	int ret = 0;

	log_debug("%zu rows, %u places, %u groups, %zu chain nodes, %zu chains", p->rows.n,
		  p->places.n, p->groups.n, p->ch.nodes.n, p->ch.leafs.n);
	ret = prof_queue_finish(p);
	if (!ret)
		ret = prof_chain_flush(p);
	if (p->o.branch)
		prof_branch_flush(p);
	prof_branch_free(p);
	/* Nothing new comes any more: what finds old ones may go. */
	prof_tuples_free(&p->frame_keys);
	vec_free(&p->frame_at);
	htab_free(&p->bare_tab);
	htab_free(&p->step_tab);
	htab_free(&p->places.tab);
	vec_free(&p->locs);
	vec_free(&p->step_list);
	vec_free(&p->sym_place);
	prof_queue_free(p);
	prof_chain_forget(&p->ch);
	prof_sums_stop(&p->sums);
	resolver_forget(p->res);
	if (!ret)
		ret = prof_ipc_finish(p);
	if (!ret && (p->o.use_chains || p->o.children))
		ret = prof_chain_finish(p);
	if (!ret && p->sums.nr_share)
		ret = sum_events(p);
	if (!ret && p->max_members)
		ret = prof_rows_group(p);
	htab_free(&p->groups.tab);
	htab_free(&p->row_tab);
	prof_cols_drop_latency(p);
	if (!ret)
		ret = prof_rows_sort(p);
	return ret ? err_set(e, ret, "no memory to sort rows") : 0;
}

void profile_row_json(const struct profile *p, const struct profile_row *row, struct emit *e)
{
	for (unsigned i = 0; i < p->sums.n; i++) {
		const struct sum *sum = &p->sums.v[i];

		if (sum->acc->json)
			sum->acc->json(row, prof_slot(&sum->row, row->idx), e);
	}
}

void profile_frame(const struct profile *p, uint32_t frame, struct obuf *o)
{
	const struct frame_info *f = &p->frames.v[frame];

	if (!f->sym) {
		if (f->ip)
			obuf_lit(o, "0x");
		obuf_hex(o, f->ip);
		return;
	}
	prof_put_name(p, f->sym, o);
	if (f->srcline) {
		obuf_char(o, ' ');
		emit_safe(o, f->srcline);
	}
	if (f->sym->is_inline)
		obuf_lit(o, " (inlined)");
}
