// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The loop over the records, and one sample's way to the consumer. What is cheap to know comes first:
 * an event that nobody wants and a time outside of the spans cost no parsing. Then the sample is
 * parsed as far as the consumer's need for its event says, which is asked once.
 *
 * Two things may not be skipped with a sample. Counters that a sample carries are running totals:
 * the next sample's part is the difference, so these samples are parsed whatever becomes of them.
 * And --switch-on and --switch-off see every sample, or they would not know what happened.
 */
#include "session-int.h"

#define EXPECT_BYTES 192 /* of a sample: its head, and what begins behind it */

/* ---- what is known beforehand ---------------------------------------------------------------- */

/* The parts of a sample of a group are of its other events, with their needs. */
static uint64_t group_need(struct session *s, const struct perfdata_event *event)
{
	uint64_t all = 0;
	bool none = true;

	for (size_t i = 0; i < perfdata_nr_events(s->env.pd); i++) {
		const struct perfdata_event *other = perfdata_event(s->env.pd, i);
		uint64_t need = SESSION_NONE;

		if (other == event || other->leader == event->leader)
			need = s->c->need(s->ctx, other);
		none &= need == SESSION_NONE;
		all |= need == SESSION_NONE ? 0 : need;
	}
	return none ? SESSION_NONE : all;
}

/* Whether --event lets a sample through that is handed on as one: of a group, with the counters of all. */
static bool is_chosen(const struct session *s, const struct perfdata_event *event)
{
	bool whole = event->attr.sample_type & PERF_SAMPLE_READ &&
		     event->attr.read_format & PERF_FORMAT_GROUP;

	if (!s->by_event)
		return true;
	for (size_t i = 0; i < perfdata_nr_events(s->env.pd); i++)
		if (bits_test(&s->events, i) &&
		    (i == event->idx ||
		     (whole && perfdata_event(s->env.pd, i)->leader == event->leader)))
			return true;
	return false;
}

static void make_plan(struct session *s, const struct perfdata_event *event, struct event_plan *p)
{
	const struct perf_event_attr *attr = &event->attr;
	bool parts = attr->sample_type & PERF_SAMPLE_READ && !(s->c->flags & SESSION_WHOLE);

	p->ready = true;
	p->parts = parts;
	p->need = parts ? group_need(s, event) : s->c->need(s->ctx, event);
	p->none = p->need == SESSION_NONE && !s->switches;
	if (p->need == SESSION_NONE)
		p->need = 0;
	p->chosen = is_chosen(s, event);
	p->left_out = !p->chosen && !parts && !s->switches && !p->none;
	p->none |= p->left_out;
	if (parts && !p->none)
		p->need |= PERF_SAMPLE_READ;
	if (s->by_cpu)
		p->need |= PERF_SAMPLE_CPU;
	if (s->filtering)
		p->need |= PERF_SAMPLE_TID | (s->filter->by_place ? PERF_SAMPLE_IP : 0);
	p->defers = p->need & attr->sample_type & PERF_SAMPLE_CALLCHAIN &&
		    attr_flag(attr, ATTR_FLAG_DEFER_CALLCHAIN);
	p->stitches = s->env.unwind && s->o->stitch_lbr && p->need & PERF_SAMPLE_BRANCH_STACK &&
		      attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
	if (p->stitches)
		p->need |= PERF_SAMPLE_TID | PERF_SAMPLE_IP;
	p->thread = p->need & PERF_SAMPLE_TID;
	if (attr->sample_type & PERF_SAMPLE_TID)
		p->tid_at = 8 + attr_head_offset(attr->sample_type, PERF_SAMPLE_TID);
	if (attr->sample_type & PERF_SAMPLE_IP)
		p->ip_at = 8 + attr_head_offset(attr->sample_type, PERF_SAMPLE_IP);
	p->plain = !p->none && !p->defers && !parts && !s->switches && !s->by_event && !s->by_cpu &&
		   !s->times.v.n && !s->filtering && !s->o->first_sample &&
		   s->slice_end == UINT64_MAX;
}

static inline const struct event_plan *plan_of(struct session *s,
					       const struct perfdata_event *event)
{
	const struct event_plan none = { 0 };

	if (unlikely(event->idx >= s->plans.n) && vec_reach(&s->plans, event->idx, none))
		return NULL;
	if (unlikely(!s->plans.v[event->idx].ready))
		make_plan(s, event, &s->plans.v[event->idx]);
	return &s->plans.v[event->idx];
}

const struct event_plan *session_plan(struct session *s, const struct perfdata_event *event)
{
	return plan_of(s, event);
}

/* ---- one sample ------------------------------------------------------------------------------ */

static int note_bad(struct session *s, const struct record *rec, struct err *e)
{
	int ret = 0;

	if (!s->counts.bad++)
		s->counts.first_bad = *e;
	s->counts.bad_samples += rec->type == PERF_RECORD_SAMPLE;
	if (s->c->bad)
		ret = s->c->bad(s->ctx, rec, e);
	if (!ret)
		err_clear(e);
	return ret;
}

static bool in_time(const struct session *s, uint64_t time)
{
	return !s->times.v.n || time == RECORD_NO_TIME || time_spans_have(&s->times, time);
}

bool session_wants(const struct session *s, uint64_t time, uint32_t cpu)
{
	if (s->by_cpu && cpu != UINT32_MAX && !bits_test(&s->cpus, cpu))
		return false;
	return in_time(s, time);
}

bool session_in_slice(const struct session *s)
{
	return s->nr >= s->o->first_sample && s->nr < s->slice_end;
}

/* 1: it passes, 0: it is left out. */
static int passes_filter(struct session *s, const struct sample *sm, struct thread *th,
			 struct err *e)
{
	uint32_t loc;

	if (!session_filter_thread(s->filter, th, machine_comm(s->env.machine, th->comm)))
		return 0;
	if (!s->filter->by_place || !s->env.resolver)
		return 1;
	loc = resolver_find(s->env.resolver, th, sm->cpumode, sm->ip);
	if (loc == LOC_NONE)
		return err_set(e, -ENOMEM, "no memory for locations");
	return session_filter_place(s->filter, resolver_loc(s->env.resolver, loc), sm->ip);
}

/* A sample outside of the slice: what follows in its thread may go on where its stack ends. */
static int pass_over(struct session *s, const struct sample *sm, struct thread *th, struct err *e)
{
	const struct frame *frames;

	if (unwind_chain(s->env.unwind, th, sm, &frames) < 0)
		return err_set(e, -ENOMEM, "no memory for call stacks");
	return 0;
}

/* A sample of one counter, which no switch leaves out. */
static int hand_on(struct session *s, const struct event_plan *plan, const struct record *rec,
		   struct sample *sm, struct err *e)
{
	struct session_sample out = { .s = sm, .rec = rec };
	int ret;

	if (unlikely(s->by_event) &&
	    !(plan->parts ? bits_test(&s->events, sm->event->idx) : plan->chosen)) {
		s->counts.left_out++;
		return 0;
	}
	if (unlikely(!session_wants(s, rec->time, sm->cpu))) {
		s->counts.left_out++;
		return 0;
	}
	if (likely(plan->thread)) {
		out.thread = machine_thread(s->env.machine, (int32_t)sm->pid, (int32_t)sm->tid);
		if (unlikely(!out.thread))
			return err_set(e, -ENOMEM, "no memory for threads");
	}
	/* who filters has asked for the thread */
	if (unlikely(s->filtering) && out.thread &&
	    (!(s->c->flags & SESSION_UNFILTERED) || !session_in_slice(s))) {
		ret = passes_filter(s, sm, out.thread, e);
		s->counts.left_out += !ret;
		if (ret <= 0)
			return ret;
	}
	if (unlikely(!session_in_slice(s)))
		return plan->stitches ? pass_over(s, sm, out.thread, e) : 0;
	s->counts.samples++;
	/* What is of the sample counts with the first part that comes: that of the event which took it may be 0, or left out. */
	out.again = s->came;
	s->came = true;
	return s->c->sample(s->ctx, &out, e);
}

/* A sample whose chain is whole; takes groups of counters apart. */
static int take_whole(struct session *s, const struct event_plan *plan, const struct record *rec,
		      struct sample *sm, struct err *e)
{
	struct sample part;
	int ret = 0;

	s->came = false;
	if (likely(!plan->parts || !(sm->present & PERF_SAMPLE_READ))) {
		ret = hand_on(s, plan, rec, sm, e);
		s->nr++;
		return ret;
	}
	for (uint64_t i = 0; !ret && i < sample_nr_parts(sm); i++)
		if (sample_part(&s->totals, s->env.pd, sm, i, &part) &&
		    (!s->switches || session_switch_pass(&s->sw, part.event)))
			ret = hand_on(s, plan, rec, &part, e);
	s->nr++;
	return ret;
}

/* The rest of its chain came, or did not: it was parsed before, and switches saw it. */
static int take_deferred(struct session *s, const struct record *rec, const struct u64s *user,
			 struct err *e)
{
	const struct event_plan *plan = plan_of(s, rec->event);
	struct sample sm;

	if (!plan)
		return err_set(e, -ENOMEM, "no memory for events");
	if (sample_parse_some(rec, plan->need, &sm, e))
		return note_bad(s, rec, e);
	if (session_deferred_join(&s->deferred, &sm, user))
		return err_set(e, -ENOMEM, "no memory for call chains");
	return take_whole(s, plan, rec, &sm, e);
}

static bool can_skip(const struct session *s, const struct event_plan *plan,
		     const struct record *rec)
{
	if (s->switches || plan->parts || plan->defers)
		return false;
	return !in_time(s, rec->time) || (!plan->stitches && !session_in_slice(s));
}

bool session_passes_over(const struct session *s, const struct event_plan *plan,
			 const struct record *rec)
{
	return plan->none || can_skip(s, plan, rec);
}

/* One of those that something may leave out, keep or take apart. */
static int take_checked(struct session *s, const struct event_plan *plan, const struct record *rec,
			struct err *e)
{
	struct sample sm;

	if (unlikely(session_passes_over(s, plan, rec))) {
		s->counts.left_out += plan->left_out || (!plan->none && !in_time(s, rec->time));
		s->nr++;
		return 0;
	}
	if (unlikely(sample_parse_some(rec, plan->need, &sm, e))) {
		s->nr++;
		return note_bad(s, rec, e);
	}
	if (unlikely(s->switches) && !(plan->parts && sm.present & PERF_SAMPLE_READ) &&
	    !session_switch_pass(&s->sw, rec->event)) {
		s->nr++;
		return 0;
	}
	if (unlikely(plan->defers) && session_deferred_keep(&s->deferred, rec, &sm))
		return 0;
	return take_whole(s, plan, rec, &sm, e);
}

/*
 * Where samples are of about one size, those that follow lie in steps of it. Memory is asked for what is two further than the
 * one that is told of, so that its address is there then.
 */
static inline void expect_next(const struct session *s, const struct event_plan *plan, size_t size)
{
	size_t nr = 0, at = (SESSION_EXPECT - 1) * size;
	const unsigned char *p = s->ahead ? NULL : perfdata_behind(s->env.pd, &nr);

	if (unlikely(!p || !plan->ip_at || nr < at + EXPECT_BYTES))
		return;
	s->c->expect(s->ctx, load_u64(p + at + plan->ip_at, false));
	at += 2 * size;
	if (unlikely(nr < at + EXPECT_BYTES))
		return;
	for (size_t i = 0; i < EXPECT_BYTES; i += 64)
		__builtin_prefetch(p + at + i);
}

static int take_sample(struct session *s, const struct record *rec, struct err *e)
{
	struct session_sample out = { .s = &s->series.s, .rec = rec };
	const struct event_plan *plan;

	if (unlikely(!rec->event)) {
		err_set(e, -EINVAL, RECORD_FMT " before any event",
			RECORD_ARG(rec->offset, rec->type));
		return note_bad(s, rec, e);
	}
	plan = plan_of(s, rec->event);
	if (unlikely(!plan))
		return err_set(e, -ENOMEM, "no memory for events");
	if (unlikely(machine_advance(s->env.machine, rec->time)))
		return err_set(e, -ENOMEM, "no memory for code compiled at run time");
	if (unlikely(!plan->plain))
		return take_checked(s, plan, rec, e);
	s->nr++;
	if (s->c->expect)
		expect_next(s, plan, rec->size);
	if (unlikely(sample_parse_next(&s->series, rec, plan->need, e)))
		return note_bad(s, rec, e);
	if (likely(plan->thread)) {
		out.thread =
			machine_thread(s->env.machine, (int32_t)out.s->pid, (int32_t)out.s->tid);
		if (unlikely(!out.thread))
			return err_set(e, -ENOMEM, "no memory for threads");
	}
	s->counts.samples++;
	return s->c->sample(s->ctx, &out, e);
}

/* ---- other records --------------------------------------------------------------------------- */

static void count_lost(struct session *s, const struct record *rec)
{
	struct record_lost l;

	if (record_lost(rec, &l, NULL) || l.by_filter)
		return;
	if (rec->type == PERF_RECORD_LOST_SAMPLES) {
		s->counts.lost_samples += l.lost;
	} else {
		s->counts.lost_events += l.lost;
		s->counts.lost_chunks++;
	}
}

void session_count_running(struct session *s, const struct record *rec)
{
	switch (rec->type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		s->running += rec->misc & PERF_RECORD_MISC_SWITCH_OUT ? -1 : 1;
		break;
	case PERF_RECORD_EXIT: s->running--; break;
	default: break;
	}
}

/* What the spine itself learns from a record. */
static int note_record(struct session *s, const struct record *rec, struct err *e)
{
	struct deferred_chain chain;

	switch (rec->type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case PERF_RECORD_EXIT: session_count_running(s, rec); return 0;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES: count_lost(s, rec); return 0;
	case PERF_RECORD_CALLCHAIN_DEFERRED:
		if (session_deferred_read(rec, &chain, e))
			return note_bad(s, rec, e);
		return session_deferred_complete(s, &chain, take_deferred, e);
	default: return 0;
	}
}

/* As upstream: one thread runs when recording starts, and no more than there are CPUs. */
uint32_t session_parallelism(const struct session *s)
{
	uint32_t cpus = perfdata_env(s->env.pd)->nr_cpus_avail;
	int64_t max = cpus ? cpus : 4096;

	return (uint32_t)(s->running < 1 ? 1 : s->running > max ? max : s->running);
}

static int take_other(struct session *s, const struct record *rec, struct err *e)
{
	int ret = note_record(s, rec, e), before = 0;

	if (ret)
		return ret;
	if (s->c->before)
		before = s->c->before(s->ctx, rec, e);
	/* Code that was loaded before comes to lie below what is mapped now. */
	if (rec->time != RECORD_NO_TIME && machine_advance(s->env.machine, rec->time))
		return err_set(e, -ENOMEM, "no memory for code compiled at run time");
	ret = machine_record(s->env.machine, rec, before ? NULL : e);
	ret = before ? before : ret;
	if (!ret && s->c->record)
		ret = s->c->record(s->ctx, rec, e);
	return likely(ret >= 0) || ret == -ENOMEM ? ret : note_bad(s, rec, e);
}

/* ---- the loop -------------------------------------------------------------------------------- */

static int next_record(struct session *s, struct record *rec)
{
	if (s->have_first) {
		s->have_first = false;
		*rec = s->first;
		return 1;
	}
	if (unlikely(s->member))
		return session_member_next(s, rec, &s->damage);
	return s->ahead ? perfdata_ahead_next(s->ahead, rec, &s->damage)
			: perfdata_next_ordered(s->env.pd, rec, &s->damage);
}

int session_read_records(struct session *s, const struct session_consumer *c, void *ctx,
			 struct err *e)
{
	struct record rec;
	int ret = 0;

	s->c = c;
	s->ctx = ctx;
	/* A second CPU reads and orders while this one counts. */
	if (!s->member && !s->beside && perfdata_ahead_useful(s->env.pd))
		ret = perfdata_ahead_start(&s->ahead, s->env.pd, e);
	/* Where no more threads are allowed this one does both. */
	if (ret == -EAGAIN) {
		log_to(&s->o->log, LOG_INFO, "%s: one thread reads", e->text);
		err_clear(e);
		ret = 0;
	}
	while (!ret && next_record(s, &rec) > 0)
		ret = rec.type == PERF_RECORD_SAMPLE ? take_sample(s, &rec, e)
						     : take_other(s, &rec, e);
	perfdata_ahead_stop(s->ahead);
	s->ahead = NULL;
	if (!ret)
		ret = session_deferred_complete(s, NULL, take_deferred, e);
	return ret < 0 || !c->last ? ret : c->last(ctx, e);
}

int session_read(struct session *s, const struct session_consumer *c, void *ctx, struct err *e)
{
	int ret = session_read_records(s, c, ctx, e);

	if (ret >= 0 && c->finish)
		ret = c->finish(ctx, e);
	return ret < 0 ? ret : 0;
}
