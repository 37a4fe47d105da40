// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf script --json --branches, --profile-quality: two readings. The first counts, as report does with the same options,
 * by as many threads; the second prints. Each answer has a count of its own, as report's has: what one does not look
 * at is not told apart there.
 */
#include <stdlib.h>

#include "code.h"
#include "faces/faces.h"
#include "jobs.h"
#include "script-answers.h"

enum { WHY, CYCLES, PATHS, QUALITY, NR_ANSWERS };

static const unsigned answers[NR_ANSWERS] = { BRSTAT_WHY, BRSTAT_CYCLES, BRSTAT_PATHS,
					      BRSTAT_QUALITY };

/* Of one thread. */
struct count {
	struct session *session;
	unsigned what;
	bool stacks;
	struct brstat *stat[NR_ANSWERS];
};

struct script_answers {
	struct session_opts opts;
	struct count count;
	struct faces_beside *beside;
};

int script_answers_parse(const char *list, unsigned *what, struct err *e)
{
	char word[16];

	for (const char *p = list;; p++) {
		size_t n = strcspn(p, ",");
		unsigned one;

		snprintf(word, sizeof(word), "%.*s", (int)min_u64(n, sizeof(word) - 1), p);
		if (code_branches(word, &one, e))
			return e->code;
		*what |= one;
		p += n;
		if (!*p)
			return 0;
	}
}

/* ---- counting ---------------------------------------------------------------------------------- */

static uint64_t need(void *ctx, const struct perfdata_event *event)
{
	(void)ctx, (void)event;
	return PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_TID;
}

static int sample(void *ctx, const struct session_sample *in, struct err *e)
{
	struct count *c = ctx;
	const struct session_filter *f = session_filter(c->session);
	const struct machine *m = session_env(c->session)->machine;
	bool stack = in->s->present & PERF_SAMPLE_BRANCH_STACK;
	int ret = 0;

	if (in->again)
		return 0;
	/* Who is left out, as in report; where a sample is does not matter to its branches. */
	if (session_filter_any(f) &&
	    !session_filter_thread(f, in->thread, machine_comm(m, in->thread->comm)))
		return 0;
	for (unsigned i = 0; !ret && i < NR_ANSWERS; i++)
		if (c->stat[i] && (stack || i == QUALITY))
			ret = brstat_add(c->stat[i], in->s, in->thread, e);
	return ret;
}

static int start(struct count *c, struct err *e)
{
	const struct session_env *env = session_env(c->session);
	struct brstat_opts o = { .machine = env->machine,
				 .arch = session_arch(c->session),
				 .stacks = c->stacks,
				 .filter = session_filter(c->session) };
	int ret = 0;

	for (unsigned i = 0; !ret && i < NR_ANSWERS; i++) {
		o.what = c->what & answers[i];
		if (o.what)
			ret = brstat_new(&c->stat[i], env->resolver, &o, e);
	}
	return ret;
}

static int start_member(void *ctx, void *first, struct session *s, struct err *e)
{
	struct count *c = ctx;

	*c = *(const struct count *)first;
	memset(c->stat, 0, sizeof(c->stat));
	c->session = s;
	return start(c, e);
}

static void free_member(void *ctx)
{
	struct count *c = ctx;

	for (unsigned i = 0; i < NR_ANSWERS; i++) {
		brstat_free(c->stat[i]);
		c->stat[i] = NULL;
	}
}

static int add_member(void *to, void *from, struct err *e)
{
	struct count *c = to, *add = from;
	struct session_maps *maps;
	struct brflow_maps flow = { 0 };
	int ret = session_maps_new(&maps, session_env(c->session), session_env(add->session), e);

	if (maps)
		flow = (struct brflow_maps){ maps->loc, maps->objects };
	for (unsigned i = 0; !ret && i < NR_ANSWERS; i++)
		if (c->stat[i])
			ret = brstat_merge(c->stat[i], add->stat[i], &flow, e);
	session_maps_free(maps);
	free_member(add);
	return ret;
}

static int count(struct count *c, struct err *e)
{
	const struct session_consumer consumer = { .need = need,
						   .sample = sample,
						   .flags = SESSION_UNFILTERED };
	const struct jobs jobs = {
		.consumer = &consumer,
		.size = sizeof(*c),
		.start = start_member,
		.add = add_member,
		.free = free_member,
	};
	int ret = start(c, e);

	ret = ret ?: jobs_read(&jobs, c->session, c, e);
	for (unsigned i = 0; !ret && i < NR_ANSWERS; i++)
		if (c->stat[i])
			ret = brstat_finish(c->stat[i], e);
	return ret;
}

/* ---- what can be asked --------------------------------------------------------------------------- */

static const char *option(unsigned what)
{
	return what & BRSTAT_QUALITY ? "--profile-quality" : "--branches";
}

static int check(const struct perfdata *pd, unsigned what, bool *stacks, struct err *e)
{
	for (size_t i = 0; i < perfdata_nr_events(pd); i++)
		*stacks |= perfdata_event(pd, i)->attr.sample_type & PERF_SAMPLE_BRANCH_STACK;
	if (!strcmp(perfdata_path(pd), "-")) {
		err_set(e, -ESPIPE,
			"%s counts the whole recording before a sample is printed, and standard "
			"input can be read only once",
			option(what));
		err_hint(e, "Save it to a file first, or: perf report --json %s -i -",
			 what & BRSTAT_QUALITY ? "--profile-quality"
			 : what & BRSTAT_WHY   ? "--branches=why"
			 : what & BRSTAT_PATHS ? "--branches=paths"
					       : "--branches=cycles");
		return -ESPIPE;
	}
	if (what & ~BRSTAT_QUALITY && !*stacks) {
		err_set(e, -EINVAL,
			"Selected --branches but no branch data. Did you call perf record without -b?");
		err_hint(e, "Record with -b.");
		return -EINVAL;
	}
	return 0;
}

int script_answers_read(struct script_answers **out, const struct session *s, unsigned what,
			struct log_sink log, struct err *e)
{
	struct script_answers *a = calloc(1, sizeof(*a));
	int ret = a ? check(session_env(s)->pd, what, &a->count.stacks, e)
		    : err_set(e, -ENOMEM, "no memory for branches");

	*out = a;
	if (ret)
		return ret;
	a->count.what = what;
	ret = session_open_again(&a->count.session, s, &a->opts, e);
	ret = ret ?: count(&a->count, e);
	if (!ret) {
		const struct faces_beside_of of = {
			.m = session_env(a->count.session)->machine,
			.why = a->count.stat[WHY],
			.cycles = a->count.stat[CYCLES],
			.paths = a->count.stat[PATHS],
			.quality = a->count.stat[QUALITY],
		};

		ret = faces_beside_new(&a->beside, &of, e);
	}
	for (unsigned i = 0; !ret && i < NR_ANSWERS; i++)
		if (a->count.stat[i])
			faces_branch_notes(a->count.stat[i], answers[i], log);
	return ret;
}

void script_answers_free(struct script_answers *a)
{
	if (!a)
		return;
	faces_beside_free(a->beside);
	free_member(&a->count);
	session_close(a->count.session);
	free(a);
}

void script_answers_show(struct script_answers *a, struct script_opts *o)
{
	o->beside = faces_beside_script(a->beside);
	o->beside_ctx = a->beside;
}

int script_answers_head(const struct script_answers *a, struct obuf *o, struct err *e)
{
	const struct keys_opts keys = { 0 };
	const struct faces f = {
		.stat = a->count.stat[QUALITY],
		.po = &keys,
		.pd = session_env(a->count.session)->pd,
		.lost_samples = session_counts(a->count.session)->lost_samples,
		.o = { .branches = BRSTAT_QUALITY },
	};

	return f.stat ? faces_write(&f, &faces_json, o, e) : 0;
}
