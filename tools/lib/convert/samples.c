// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Formats of samples: one reading of a recording, each sample handed to the format once, in order of
 * time. What all of them have in common is here: what a sample's stack is, what is refused before
 * anything is written, what is said at the end. So a format only knows what its file looks like.
 */
#include <stdlib.h>

#include "convert/convert-int.h"
#include "session/session.h"

ssize_t convert_stack_of(const struct convert_run *r, const struct session_sample *in,
			 struct frame *alone, const struct frame **frames)
{
	const struct session_env *env = session_env(r->session);
	const struct sample *s = in->s;
	ssize_t n = unwind_chain(env->unwind, in->thread, s, frames);

	if (n || !(s->present & PERF_SAMPLE_IP))
		return n;
	*alone = (struct frame){ .ip = s->ip, .cpumode = s->cpumode };
	alone->loc = resolver_find(env->resolver, in->thread, s->cpumode, s->ip);
	if (alone->loc == LOC_NONE)
		return -ENOMEM;
	alone->sym = resolver_loc(env->resolver, alone->loc)->sym;
	*frames = alone;
	return 1;
}

static uint64_t need(void *ctx, const struct perfdata_event *event)
{
	(void)ctx;
	return event->attr.sample_type | PERF_SAMPLE_TID;
}

static int one_sample(void *ctx, const struct session_sample *in, struct err *e)
{
	struct convert_run *r = ctx;
	int ret = r->format->sample(r, in, e);

	return ret ?: r->out->code != 0;
}

static int one_record(void *ctx, const struct record *rec, struct err *e)
{
	struct convert_run *r = ctx;

	return r->format->record(r, rec, e) ?: r->out->code != 0;
}

static int before_record(void *ctx, const struct record *rec, struct err *e)
{
	struct convert_run *r = ctx;

	return r->format->before(r, rec, e);
}

static int last_record(void *ctx, struct err *e)
{
	struct convert_run *r = ctx;

	return r->format->last(r, e);
}

/* 0 where some event has PERF_SAMPLE_* @fields. */
static int need_fields(struct session *s, const struct convert_format *f, uint64_t fields,
		       const char *why, const char *hint, struct err *e)
{
	const struct perfdata *pd = session_env(s)->pd;

	for (size_t i = 0; i < perfdata_nr_events(pd); i++)
		if ((perfdata_event(pd, i)->attr.sample_type & fields) == fields)
			return 0;
	err_set(e, -EINVAL, "such a %s file cannot be made of this recording: %s", f->name, why);
	err_hint(e, "%s", hint);
	return -EINVAL;
}

int convert_fits(struct session *s, const struct convert_format *f, const struct convert_opts *opts,
		 struct err *e)
{
	int ret = f->need ? need_fields(s, f, f->need, f->need_why, f->need_hint, e) : 0;

	if (!ret && opts->options & CONVERT_BRANCHES)
		ret = need_fields(s, f, PERF_SAMPLE_BRANCH_STACK, "it has no branch stacks",
				  "Record with -b, or -j any,u.", e);
	return ret;
}

/* ---- runs ---- */

int convert_run_begin(struct convert_run *r, struct session *s, const struct convert_format *f,
		      const struct convert_opts *opts, struct obuf *out, struct err *e)
{
	*r = (struct convert_run){ .format = f, .opts = opts, .session = s, .out = out };
	r->none.fd = -1;
	if (!out)
		r->out = &r->none;
	return convert_fits(s, f, opts, e) ?: f->begin ? f->begin(r, e) : 0;
}

struct session_consumer convert_run_consumer(const struct convert_run *r)
{
	return (struct session_consumer){
		.need = need,
		.sample = one_sample,
		.record = r->format->record ? one_record : NULL,
		.before = r->format->before ? before_record : NULL,
		.last = r->format->last ? last_record : NULL,
		.flags = r->format->merge ? 0 : SESSION_ALONE,
	};
}

int convert_run_merge(struct convert_run *r, struct convert_run *from,
		      const struct session_maps *maps, struct err *e)
{
	if (!r->format->merge || r->format != from->format)
		return err_set(e, -EINVAL, "%s files are not added up of pieces", r->format->name);
	r->samples += from->samples;
	return r->format->merge(r, from, maps, e);
}

int convert_run_finish(struct convert_run *r, struct err *e)
{
	const struct session_counts *n = session_counts(r->session);
	struct session *s = r->session;
	int ret;

	/* Damage ends reading: what came before is whole. */
	if (session_damage(s))
		log_to(&r->opts->log, LOG_WARN, "%s", session_damage(s)->text);
	if (n->bad)
		log_to(&r->opts->log, LOG_INFO, "%llu records could not be used; the first: %s",
		       (unsigned long long)n->bad, n->first_bad.text);
	ret = r->format->finish ? r->format->finish(r, e) : 0;
	if (!ret && !r->samples)
		log_to(&r->opts->log, LOG_WARN, "the recording has no samples");
	if (!ret && session_lacked_memory(s))
		ret = err_set(e, -ENOMEM, "the profile is incomplete for want of memory");
	return ret;
}

void convert_run_end(struct convert_run *r)
{
	if (r->format && r->format->free)
		r->format->free(r);
	free(r->none.buf);
}

/* ---- --by ---- */

int convert_by_parse(const char *list, unsigned *by, struct err *e)
{
	static const struct {
		const char *word;
		unsigned bit;
	} words[] = {
		{ "event", CONVERT_BY_EVENT }, { "comm", CONVERT_BY_COMM },
		{ "pid", CONVERT_BY_PID },     { "process", CONVERT_BY_PID },
		{ "tid", CONVERT_BY_TID },     { "thread", CONVERT_BY_TID },
		{ "cpu", CONVERT_BY_CPU },
	};

	*by = 0;
	for (const char *s = list; *s;) {
		size_t n = strcspn(s, ","), i = 0;

		while (i < ARRAY_SIZE(words) &&
		       (strlen(words[i].word) != n || memcmp(words[i].word, s, n) != 0))
			i++;
		if (i == ARRAY_SIZE(words)) {
			err_set(e, -EINVAL, "'%.*s' keeps no samples apart", (int)n, s);
			err_hint(e,
				 "There are event, comm, pid, tid and cpu, with commas between.");
			return -EINVAL;
		}
		*by |= words[i].bit;
		s += n + (s[n] == ',');
	}
	return *by ? 0 : err_set(e, -EINVAL, "the list of what keeps samples apart is empty");
}
