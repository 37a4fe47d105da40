// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads the recording once and writes the page: what is the same in all pages up to the data, the
 * data, and the rest. The two halves are made of tools/web/ when perf is built, with the hash of the
 * script in the policy of the first one; nothing is put together here that a browser would run.
 */
#include "page-embed.h"
#include "page-int.h"
#include "unwind/unwind.h"

uint64_t page_need(const struct page *p, const struct perfdata_event *event)
{
	/* Registers of vectors: where there are none they are not read. */
	return (p->code ? annotate_need(p->code) : 0) | page_need_registers(p) |
	       unwind_need(&event->attr) | PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER |
	       PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
	       PERF_SAMPLE_PERIOD | PERF_SAMPLE_BRANCH_STACK;
}

static int add_branches(struct page *p, const struct session_sample *in, struct err *e)
{
	if (in->again || !(in->s->present & PERF_SAMPLE_BRANCH_STACK) ||
	    !page_has_branches(&sample_taker(in->s)->attr))
		return 0;
	return page_add_branches(p, in->s, in->thread)
		       ? err_set(e, -ENOMEM, "no memory for the page")
		       : 0;
}

int page_add(struct page *p, const struct session_sample *in, struct err *e)
{
	int ret;

	p->at->samples++;
	/* Of the recording before, stacks alone. */
	if (p->at->nr)
		return page_add_sample(p, in->s, in->thread)
			       ? err_set(e, -ENOMEM, "no memory for the page")
			       : 0;
	ret = p->started ? 0 : page_start_simd(p);
	p->started = true; /* in a pipe events come with the records */
	ret = ret ?: page_add_sample(p, in->s, in->thread);
	if (!ret && p->simd)
		ret = page_add_simd(p, in->s, in->thread);
	if (ret)
		return err_set(e, -ENOMEM, "no memory for the page");
	ret = ret ?: add_branches(p, in, e);
	if (!ret && p->code)
		ret = page_add_code(p, in, e);
	return ret ?: page_add_registers(p, in->s, in->thread, e);
}

/* A thread that stops running; 0 is what runs when none does. */
static int add_switch(struct page *p, const struct record *rec)
{
	struct record_id id = { 0 };
	struct thread *th;
	uint32_t thread;

	record_sample_id(rec, &id);
	if (!(rec->misc & PERF_RECORD_MISC_SWITCH_OUT) || !id.tid || id.tid == UINT32_MAX)
		return 0;
	th = machine_thread(p->env->machine, (int32_t)id.pid, (int32_t)id.tid);
	if (!th)
		return -ENOMEM;
	if (!session_filter_thread(session_filter(p->session), th,
				   machine_comm(p->env->machine, th->comm)))
		return 0;
	thread = page_thread_of(p, th);
	return thread == NONE ? -ENOMEM : page_add_mark(p, MARK_SWITCH, thread, rec->time, 1);
}

int page_add_record(struct page *p, const struct record *rec, struct err *e)
{
	struct record_lost l;
	int ret = 0;

	if (p->at->nr || !session_wants(p->session, rec->time, UINT32_MAX) ||
	    !session_in_slice(p->session))
		return 0;
	switch (rec->type) {
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		if (!record_lost(rec, &l, NULL) && !l.by_filter)
			ret = page_add_mark(p, MARK_LOST, NONE, rec->time, l.lost);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE: ret = add_switch(p, rec); break;
	default: break;
	}
	return ret ? err_set(e, ret, "no memory for the page") : 0;
}

void page_free(struct page *p)
{
	if (!p)
		return;
	annotate_free(p->code);
	page_free_registers(p);
	keys_acc_simd.stop(p->simd);
	intern_free(&p->strings);
	vec_free(&p->frames);
	htab_free(&p->frame_tab);
	for (size_t i = 0; i < ARRAY_SIZE(p->side); i++) {
		vec_free(&p->side[i].frame_of_sym[0]);
		vec_free(&p->side[i].frame_of_sym[1]);
		vec_free(&p->side[i].frame_of_dso);
		vec_free(&p->side[i].object_of);
		vec_free(&p->side[i].event);
	}
	vec_free(&p->objects);
	vec_free(&p->nodes);
	htab_free(&p->node_tab);
	vec_free(&p->path);
	vec_free(&p->path_frames);
	vec_free(&p->threads);
	htab_free(&p->thread_tab);
	vec_free(&p->groups);
	htab_free(&p->group_tab);
	vec_free(&p->rows);
	htab_free(&p->row_tab);
	page_log_free(&p->edges);
	page_log_free(&p->ranges);
	page_log_free(&p->paths);
	page_log_free(&p->places);
	page_log_free(&p->vectors);
	vec_free(&p->shows);
	vec_free(&p->marks);
	htab_free(&p->mark_tab);
	free(p);
}

static int write_all_of(struct page *p, struct obuf *out, struct err *e)
{
	struct json j = { 0 };
	int ret = page_pack_begin(&j.pack, out), end;

	if (ret)
		return err_set(e, ret, "no memory for the page");
	j.o = page_pack_text(j.pack);
	obuf_mem(out, page_before_data, sizeof(page_before_data) - 1);
	ret = page_put_data(p, &j, e);
	end = page_pack_end(j.pack);
	obuf_mem(out, page_after_data, sizeof(page_after_data) - 1);
	return ret || !end ? ret : err_set(e, end, "no memory for the page");
}

/* What is said of instructions. */
static int want_more(struct page *p, struct err *e)
{
	const struct brstat_opts asked = {
		.machine = p->env->machine,
		.arch = session_arch(p->session),
		.what = p->o.branches,
		.stacks = p->o.branch_stacks,
		.filter = session_filter(p->session),
	};
	const struct acc_env env = { .arch = session_arch(p->session),
				     .redact = p->o.redact,
				     .values = p->o.values };
	int ret = p->o.marks ? annotate_want_marks(p->code, p->o.marks, &env, e) : 0;

	if (!ret && p->o.simd)
		ret = annotate_want_registers(p->code, env.arch, NULL, e);
	return ret ?: p->o.branches ? annotate_want_branches(p->code, &asked, e) : 0;
}

int page_new(struct page **out, struct session *s, const struct page_opts *o, struct err *e)
{
	struct page *p = *out = calloc(1, sizeof(*p));
	int ret;

	if (!p)
		return err_set(e, -ENOMEM, "no memory for the page");
	p->session = p->side[0].session = s;
	p->env = p->side[0].env = session_env(s);
	p->at = &p->side[0];
	p->o = *o;
	p->frame_unknown = p->frame_cut = NONE;
	page_start_logs(p);
	ret = page_start_registers(p, e);
	if (ret || !o->functions)
		return ret;
	return annotate_new(&p->code, p->env->machine, p->env->resolver, e) ?: want_more(p, e);
}

int page_finish(struct page *p, struct obuf *out, struct err *e)
{
	return page_cut(p) ? err_set(e, -ENOMEM, "no memory for the page")
			   : write_all_of(p, out, e);
}

/* ---- a session of one's own ---------------------------------------------------------------------- */

/* Reads the other recording into the same tree. */
static int read_before(struct page *p, const struct session_consumer *consumer, struct err *e)
{
	struct page_side *b = &p->side[1];
	int ret;

	b->session = p->o.before;
	b->env = session_env(b->session);
	b->nr = 1;
	p->at = b;
	ret = page_match_events(p) ? err_set(e, -ENOMEM, "no memory for the page")
				   : session_read(b->session, consumer, p, e);
	p->at = &p->side[0];
	if (!ret && b->apart)
		log_to(&p->o.log, LOG_WARN,
		       "%llu samples of %s are of events that %s has none of: they are left out",
		       (unsigned long long)b->apart, perfdata_path(b->env->pd),
		       perfdata_path(p->env->pd));
	return ret;
}

static uint64_t need(void *ctx, const struct perfdata_event *event)
{
	return page_need(ctx, event);
}

static int take_sample(void *ctx, const struct session_sample *in, struct err *e)
{
	return page_add(ctx, in, e);
}

static int take_record(void *ctx, const struct record *rec, struct err *e)
{
	return page_add_record(ctx, rec, e);
}

/* ---- by several threads -------------------------------------------------------------------------- */

/* Enough is known when something has happened. */
static int scout_sample(void *ctx, const struct session_sample *in, struct err *e)
{
	struct page *p = ctx;

	return page_add(p, in, e) ?: p->side[0].has_time;
}

static int scout_record(void *ctx, const struct record *rec, struct err *e)
{
	struct page *p = ctx;

	return page_add_record(p, rec, e) ?: p->side[0].has_time;
}

static bool has_times(const struct page *p)
{
	for (size_t i = 0; i < perfdata_nr_events(p->env->pd); i++)
		if (perfdata_event(p->env->pd, i)->attr.sample_type & PERF_SAMPLE_TIME)
			return true;
	return false;
}

/* When slices begin: at the first thing that has a time. 0; what it is -errno for is no error of @p's. */
static int find_start(struct page *p)
{
	static const struct session_consumer scout = {
		.need = need,
		.sample = scout_sample,
		.record = scout_record,
		.flags = SESSION_ALONE,
	};
	const struct page_opts none = { 0 };
	struct session_opts opts;
	struct session *s = NULL;
	struct page *start = NULL;
	struct err e;
	int ret = session_open_again(&s, p->session, &opts, &e) ?: page_new(&start, s, &none, &e);

	ret = ret ?: session_read(s, &scout, start, &e);
	if (!ret)
		page_follow(p, start);
	page_free(start);
	session_close(s);
	return ret;
}

static int add_page(void *to, void *from, struct err *e)
{
	struct page *p = to, *other = from;
	struct session_maps *maps;
	int ret = session_maps_new(&maps, p->env, other->env, e);

	ret = ret ?: page_merge(p, other, maps, e);
	session_maps_free(maps);
	return ret;
}

static int read_members(struct session_team *t, void **page, struct err *e)
{
	const struct page *p = page[0];
	int ret = 0;

	for (size_t i = 1; !ret && i < session_team_size(t); i++) {
		struct page *member;

		ret = page_new(&member, session_team_member(t, i), &p->o, e);
		page[i] = member;
		if (!ret)
			page_follow(member, p);
	}
	ret = ret ?: session_team_read(t, page, e);
	ret = ret ?: session_team_merge(t, page, add_page, e);
	for (size_t i = 1; i < session_team_size(t); i++)
		page_free(page[i]);
	return ret;
}

static int read_team(struct page *p, struct session_team *t, struct err *e)
{
	void **page = calloc(session_team_size(t), sizeof(*page));
	int ret;

	if (!page)
		return err_set(e, -ENOMEM, "no memory for the page");
	page[0] = p;
	ret = read_members(t, page, e);
	free(page);
	return ret;
}

/* A start that cannot be looked for is found by one thread. */
static int read_all(struct page *p, const struct session_consumer *consumer, struct err *e)
{
	bool several = session_jobs(p->session) > 1 && !perfdata_is_pipe(p->env->pd);
	struct session_team *t = NULL;
	int ret = 0;

	if (several && (!has_times(p) || !find_start(p)))
		ret = session_team_new(&t, p->session, consumer, p, e);
	if (!ret && !t)
		return session_read(p->session, consumer, p, e);
	ret = ret ?: read_team(p, t, e);
	session_team_free(t);
	return ret;
}

static const struct session_consumer whole = {
	.need = need,
	.sample = take_sample,
	.record = take_record,
};

int page_add_recording(struct page *p, struct session *s, struct err *e)
{
	struct page *other;
	int ret = page_new(&other, s, &p->o, e);

	ret = ret ?: read_all(other, &whole, e);
	/* Slices are counted from here: those of both begin with their recordings. */
	if (!ret && p->side[0].has_time)
		other->side[0].origin = p->side[0].origin;
	ret = ret ?: add_page(p, other, e);
	page_free(other);
	return ret;
}

int page_write(struct session *s, const struct page_opts *o, struct obuf *out, struct err *e)
{
	struct page *p;
	int ret = page_new(&p, s, o, e);

	ret = ret ?: o->not_first ? 0 : read_all(p, &whole, e);
	if (!ret && o->others)
		ret = o->others(o->others_ctx, p, e);
	if (!ret && o->before)
		ret = read_before(p, &whole, e);
	ret = ret ?: page_finish(p, out, e);
	page_free(p);
	return ret;
}
