// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf data convert --to folded and --to json: every sample with its stack, in order of time;
 * what is made of them is the business of the room convert.
 */
#include "data.h"
#include "unwind/unwind.h"

struct sink {
	struct data_ctx *d;
	struct resolver *res;
	struct unwind *u;
	struct fold *fold; /* NULL: JSON */
	struct obuf out;
	struct obuf records; /* --all: what stands behind the samples */
	struct sample_totals totals;
	struct frame alone;		    /* the place of a sample without a chain */
	const struct perfdata_event *event; /* folded: only the first one seen */
	uint64_t samples, other;
};

static ssize_t stack_of(struct sink *k, struct thread *th, const struct sample *s,
			const struct frame **frames)
{
	ssize_t n = unwind_chain(k->u, th, s, frames);

	if (n || !(s->present & PERF_SAMPLE_IP))
		return n;
	k->alone = (struct frame){ .ip = s->ip, .cpumode = s->cpumode };
	k->alone.loc = resolver_find(k->res, th, s->cpumode, s->ip);
	if (k->alone.loc == LOC_NONE)
		return -ENOMEM;
	k->alone.sym = resolver_loc(k->res, k->alone.loc)->sym;
	*frames = &k->alone;
	return 1;
}

static int one_part(struct sink *k, const struct sample *s, struct err *err)
{
	const struct frame *frames = NULL;
	struct thread *th;
	ssize_t n;

	if (!k->event)
		k->event = s->event;
	if (k->fold && strcmp(k->event->name, s->event->name)) {
		k->other++;
		return 0;
	}
	th = machine_thread(k->d->m, (int32_t)s->pid, (int32_t)s->tid);
	n = th ? stack_of(k, th, s, &frames) : -ENOMEM;
	if (n >= 0 && !k->fold)
		convert_json_sample(k->d->m, k->res, th, s, frames, (size_t)n, !k->samples,
				    &k->out);
	else if (n >= 0 && fold_add(k->fold, th, frames, (size_t)n, s->period))
		n = -ENOMEM;
	k->samples++;
	return n < 0 ? err_set(err, -ENOMEM, "no memory for stacks") : k->out.code;
}

static bool in_time(const struct sink *k, const struct record *rec)
{
	return rec->time == RECORD_NO_TIME || time_spans_have(&k->d->times, rec->time);
}

static int one_sample(struct sink *k, const struct record *rec, struct err *err)
{
	struct sample s, part;
	struct err bad;
	int ret = 0;

	if (!rec->event || !in_time(k, rec))
		return 0;
	if (sample_parse(rec, &s, &bad)) {
		k->d->bad_samples++;
		log_info("%s", bad.text);
		return 0;
	}
	if (machine_advance(k->d->m, rec->time))
		return err_set(err, -ENOMEM, "no memory for code compiled at run time");
	for (uint64_t i = 0; !ret && i < sample_nr_parts(&s); i++)
		if (sample_part(&k->totals, k->d->pd, &s, i, &part))
			ret = one_part(k, &part, err);
	return ret;
}

static int read_all(struct sink *k, struct err *err)
{
	struct record rec;
	struct err bad;
	int ret;

	while ((ret = perfdata_next_ordered(k->d->pd, &rec, err)) > 0) {
		if (rec.type != PERF_RECORD_SAMPLE) {
			if (machine_record(k->d->m, &rec, &bad) < 0)
				log_info("%s", bad.text);
			else if (k->d->o->all && in_time(k, &rec))
				convert_json_record(&rec, &k->records);
			continue;
		}
		ret = one_sample(k, &rec, err);
		if (ret)
			return ret;
	}
	cli_progress_end(&k->d->progress);
	if (ret < 0) { /* what came before is whole */
		log_warn("%s", err->text);
		err_clear(err);
	}
	return 0;
}

static int open_sink(struct sink *k, bool json, struct err *err)
{
	const struct perfdata_env *env = perfdata_env(k->d->pd);
	struct symbol_opts so = { .no_limits = k->d->o->no_limits };
	struct unwind_opts uo = { .arch = env->arch,
				  .inlines = !json && !k->d->o->no_inline,
				  .max_branches = env->max_branches };
	int ret = resolver_new(&k->res, k->d->m, &so, err);

	ret = ret ?: unwind_new(&k->u, k->d->m, k->res, &uo, err);
	if (!ret && !json)
		ret = fold_new(&k->fold, k->d->m, k->res, err);
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
	struct sink k = { .d = d, .out = { .fd = -1 } };
	int ret = open_sink(&k, json, err), closed;
	const char *warning;

	if (!ret && d->o->all && obuf_init(&k.records, -1, 0))
		ret = err_set(err, -ENOMEM, "no memory for records");
	if (!ret && json)
		convert_json_begin(d->pd, &k.out);
	if (!ret)
		ret = read_all(&k, err);
	if (!ret)
		ret = write_end(&k, err);
	while (k.res && (warning = resolver_next_warning(k.res)))
		log_warn("%s", warning);
	if (!ret && resolver_lacked_memory(k.res))
		ret = err_set(err, -ENOMEM, "the profile is incomplete for want of memory");
	closed = k.out.fd >= 0 ? data_close_output(d->o->output, &k.out, err) : 0;
	if (k.records.buf)
		obuf_free(&k.records);
	sample_totals_free(&k.totals);
	fold_free(k.fold);
	unwind_free(k.u);
	if (k.res)
		resolver_free(k.res);
	return ret ? ret : closed;
}
