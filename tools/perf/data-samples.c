// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf data convert --to folded and --to json: every sample with its stack, in order of time;
 * what is made of them is the business of the room convert.
 */
#include "data.h"

struct sink {
	struct data_ctx *d;
	const struct session_env *env;
	struct fold *fold; /* NULL: JSON */
	struct obuf out;
	struct obuf records;		    /* --all: what stands behind the samples */
	const struct perfdata_event *event; /* folded: only the first one seen */
	uint64_t samples, other;
};

static ssize_t stack_of(struct sink *k, struct thread *th, const struct sample *s,
			struct frame *alone, const struct frame **frames)
{
	ssize_t n = unwind_chain(k->env->unwind, th, s, frames);

	if (n || !(s->present & PERF_SAMPLE_IP))
		return n;
	*alone = (struct frame){ .ip = s->ip, .cpumode = s->cpumode };
	alone->loc = resolver_find(k->env->resolver, th, s->cpumode, s->ip);
	if (alone->loc == LOC_NONE)
		return -ENOMEM;
	alone->sym = resolver_loc(k->env->resolver, alone->loc)->sym;
	*frames = alone;
	return 1;
}

/* JSON shows what there is. */
static uint64_t need(void *ctx, const struct perfdata_event *event)
{
	(void)ctx;
	return event->attr.sample_type | PERF_SAMPLE_TID;
}

static int one_sample(void *ctx, const struct session_sample *in, struct err *err)
{
	const struct frame *frames = NULL;
	const struct sample *s = in->s;
	struct sink *k = ctx;
	struct frame alone;
	ssize_t n;

	if (!k->event)
		k->event = s->event;
	if (k->fold && strcmp(k->event->name, s->event->name)) {
		k->other++;
		return 0;
	}
	n = stack_of(k, in->thread, s, &alone, &frames);
	if (n >= 0 && !k->fold)
		convert_json_sample(k->env->machine, k->env->resolver, in->thread, s, frames,
				    (size_t)n, !k->samples, &k->out);
	else if (n >= 0 && fold_add(k->fold, in->thread, frames, (size_t)n, s->period))
		n = -ENOMEM;
	k->samples++;
	return n < 0 ? err_set(err, -ENOMEM, "no memory for stacks") : k->out.code != 0;
}

static int one_record(void *ctx, const struct record *rec, struct err *err)
{
	struct sink *k = ctx;

	(void)err;
	if (session_wants(k->d->session, rec->time, UINT32_MAX) && session_in_slice(k->d->session))
		convert_json_record(rec, &k->records);
	return 0;
}

static int read_all(struct sink *k, struct err *err)
{
	const struct session_consumer consumer = {
		.need = need,
		.sample = one_sample,
		.record = k->d->o->all ? one_record : NULL,
		.bad = data_bad_record,
	};
	int ret = session_read(k->d->session, &consumer, k, err);

	cli_progress_end(&k->d->progress);
	if (!ret)
		data_say_damage(k->d);
	return ret;
}

static int open_sink(struct sink *k, bool json, struct err *err)
{
	int ret = json ? 0 : fold_new(&k->fold, k->env->machine, k->env->resolver, err);

	return ret ?: data_open_output(k->d->o->output, &k->out, err);
}

static int write_end(struct sink *k, struct err *err)
{
	ssize_t lines = 0;

	if (k->fold)
		lines = fold_write(k->fold, &k->out);
	else
		convert_json_end(k->d->o->all ? &k->records : NULL, &k->out);
	if (k->other)
		log_warn("%llu samples of other events than %s were left out",
			 (unsigned long long)k->other, k->event->name);
	if (!k->samples)
		log_warn("the recording has no samples");
	return lines < 0 ? err_set(err, -ENOMEM, "no memory for stacks") : 0;
}

int data_samples(struct data_ctx *d, bool json, struct err *err)
{
	struct sink k = { .d = d, .env = session_env(d->session), .out = { .fd = -1 } };
	int ret = open_sink(&k, json, err), closed;

	if (!ret && d->o->all && obuf_init(&k.records, -1, 0))
		ret = err_set(err, -ENOMEM, "no memory for records");
	if (!ret && json)
		convert_json_begin(d->pd, &k.out);
	if (!ret)
		ret = read_all(&k, err);
	if (!ret)
		ret = write_end(&k, err);
	for (const char *const *w = session_warnings(d->session, SESSION_WARN_SYMBOLS); *w; w++)
		log_warn("%s", *w);
	if (!ret && session_lacked_memory(d->session))
		ret = err_set(err, -ENOMEM, "the profile is incomplete for want of memory");
	closed = k.out.fd >= 0 ? data_close_output(d->o->output, &k.out, err) : 0;
	if (k.records.buf)
		obuf_free(&k.records);
	fold_free(k.fold);
	return ret ? ret : closed;
}
