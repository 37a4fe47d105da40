// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples as JSON, in the layout of upstream's `perf data convert --to-json`, with its members,
 * indentation and order: who reads it may do so with a parser or with grep.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "convert/convert-int.h"
#include "session/session.h"
#include "trace/trace.h"

struct json {
	struct trace_printer *printer;
	struct obuf records; /* --all: they stand behind the samples, and are kept until then */
	bool all;
};

static void indent(struct obuf *o, int depth)
{
	obuf_char(o, '\n');
	obuf_pad(o, '\t', depth);
}

static void key(struct obuf *o, int depth, const char *name, bool first)
{
	if (!first)
		obuf_char(o, ',');
	indent(o, depth);
	emit_json_string(o, name);
	obuf_lit(o, ": ");
}

static void number(struct obuf *o, int depth, const char *name, uint64_t v, bool first)
{
	key(o, depth, name, first);
	obuf_dec(o, v);
}

static void string(struct obuf *o, int depth, const char *name, const char *v)
{
	key(o, depth, name, false);
	emit_json_string(o, v ? v : "");
}

static void captured_on(const struct perfdata_layout *l, struct obuf *o)
{
	time_t t = (time_t)l->mtime;
	char text[64];
	struct tm tm;

	if (gmtime_r(&t, &tm) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		string(o, 2, "captured-on", text);
}

static void environment(const struct perfdata_env *env, struct obuf *o)
{
	const struct {
		const char *name, *value;
	} strings[] = {
		{ "hostname", env->hostname }, { "os-release", env->os_release },
		{ "arch", env->arch },	       { "cpu-desc", env->cpu_desc },
		{ "cpuid", env->cpuid },
	};

	for (size_t i = 0; i < ARRAY_SIZE(strings); i++)
		if (strings[i].value && strings[i].value[0])
			string(o, 2, strings[i].name, strings[i].value);
	if (env->nr_cpus_online) {
		number(o, 2, "nrcpus-online", env->nr_cpus_online, false);
		number(o, 2, "nrcpus-avail", env->nr_cpus_avail, false);
	}
	if (env->version && env->version[0])
		string(o, 2, "perf-version", env->version);
	if (!env->nr_cmdline)
		return;
	key(o, 2, "cmdline", false);
	obuf_char(o, '[');
	for (uint32_t i = 0; i < env->nr_cmdline; i++) {
		if (i)
			obuf_char(o, ',');
		indent(o, 3);
		emit_json_string(o, env->cmdline[i]);
	}
	indent(o, 2);
	obuf_char(o, ']');
}

static void put_head(struct perfdata *pd, struct obuf *o)
{
	struct perfdata_layout l;

	perfdata_layout(pd, &l);
	obuf_char(o, '{');
	number(o, 1, "linux-perf-json-version", 1, true);
	key(o, 1, "headers", false);
	obuf_char(o, '{');
	number(o, 2, "header-version", (uint64_t)l.version == 2 ? 1 : 0, true);
	captured_on(&l, o);
	number(o, 2, "data-offset", l.data_offset, false);
	number(o, 2, "data-size", l.data_size, false);
	number(o, 2, "feat-offset", l.feat_offset, false);
	environment(perfdata_env(pd), o);
	indent(o, 1);
	obuf_char(o, '}');
	key(o, 1, "samples", false);
	obuf_char(o, '[');
}

static void put_frame(struct resolver *res, const struct frame *f, bool first, struct obuf *o)
{
	const struct loc *l = resolver_loc(res, f->loc);
	char ip[24];

	if (!first)
		obuf_char(o, ',');
	indent(o, 4);
	obuf_char(o, '{');
	snprintf(ip, sizeof(ip), "0x%llx", (unsigned long long)f->ip);
	key(o, 5, "ip", true);
	emit_json_string(o, ip);
	if (f->sym) {
		string(o, 5, "symbol", f->sym->name);
		if (l->dso)
			string(o, 5, "dso", l->dso->short_name);
	}
	indent(o, 4);
	obuf_char(o, '}');
}

static void put_field(void *ctx, const char *name, const char *text)
{
	string(ctx, 3, name, text);
}

static void put_sample(const struct json *k, const struct session_env *env, const struct thread *th,
		       const struct sample *s, const struct frame *frames, size_t n, bool first,
		       struct obuf *o)
{
	const struct trace_raw raw = { s->raw, s->raw_size, s->cpu, s->event->attr.config };
	bool begun = false;

	if (!first)
		obuf_char(o, ',');
	indent(o, 2);
	obuf_char(o, '{');
	if (s->present & PERF_SAMPLE_TIME) {
		number(o, 3, "timestamp", s->time, true);
		begun = true;
	}
	key(o, 3, "pid", !begun);
	obuf_sdec(o, th->pid);
	key(o, 3, "tid", false);
	obuf_sdec(o, th->tid);
	if (s->present & PERF_SAMPLE_CPU)
		number(o, 3, "cpu", s->cpu, false);
	string(o, 3, "comm", machine_comm(env->machine, th->comm));
	key(o, 3, "callchain", false);
	obuf_char(o, '[');
	for (size_t i = 0; i < n; i++)
		put_frame(env->resolver, &frames[i], !i, o);
	indent(o, 3);
	obuf_char(o, ']');
	/* Also where a member is called so already, as "pid" of sched:sched_wakeup: upstream's has both. */
	if (s->event->attr.type == PERF_TYPE_TRACEPOINT)
		trace_each_field(k->printer, &raw, put_field, o);
	indent(o, 2);
	obuf_char(o, '}');
}

static void address(struct obuf *o, const char *name, uint64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)v);
	string(o, 3, name, text);
}

static void begin_record(const struct record *rec, uint32_t pid, uint32_t tid, struct obuf *o)
{
	if (o->len)
		obuf_char(o, ',');
	indent(o, 2);
	obuf_char(o, '{');
	key(o, 3, "type", true);
	emit_json_string(o, record_type_name(rec->type));
	if (rec->time != RECORD_NO_TIME)
		number(o, 3, "timestamp", rec->time, false);
	key(o, 3, "pid", false);
	obuf_sdec(o, (int32_t)pid);
	key(o, 3, "tid", false);
	obuf_sdec(o, (int32_t)tid);
}

static void put_mmap(const struct record *rec, struct obuf *o)
{
	struct record_mmap m;
	struct err bad;

	if (record_mmap(rec, &m, &bad))
		return;
	begin_record(rec, m.pid, m.tid, o);
	address(o, "addr", m.addr);
	address(o, "len", m.len);
	address(o, "pgoff", m.pgoff);
	string(o, 3, "filename", m.filename);
	indent(o, 2);
	obuf_char(o, '}');
}

/* What a task did: COMM, FORK, EXIT, MMAP, MMAP2; others add nothing. */
static void put_record(const struct record *rec, struct obuf *o)
{
	struct record_comm c;
	struct record_task t;
	struct err bad;

	switch (rec->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: put_mmap(rec, o); return;
	case PERF_RECORD_COMM:
		if (record_comm(rec, &c, &bad))
			return;
		begin_record(rec, c.pid, c.tid, o);
		string(o, 3, "comm", c.comm);
		key(o, 3, "exec", false);
		obuf_str(o, c.exec ? "true" : "false");
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		if (record_task(rec, &t, &bad))
			return;
		begin_record(rec, t.pid, t.tid, o);
		key(o, 3, "ppid", false);
		obuf_sdec(o, (int32_t)t.ppid);
		key(o, 3, "ptid", false);
		obuf_sdec(o, (int32_t)t.ptid);
		break;
	default: return;
	}
	indent(o, 2);
	obuf_char(o, '}');
}

/* @records: the second list; NULL = there is none. */
static void put_end(const struct obuf *records, struct obuf *o)
{
	indent(o, 1);
	obuf_char(o, ']');
	if (records) {
		key(o, 1, "records", false);
		obuf_char(o, '[');
		obuf_mem(o, records->buf, records->len);
		indent(o, 1);
		obuf_char(o, ']');
	}
	obuf_lit(o, "\n}\n");
}

/* ---- the format ---- */

static int begin(struct convert_run *r, struct err *e)
{
	struct json *k = r->own = calloc(1, sizeof(*k));
	struct perfdata *pd = session_env(r->session)->pd;
	struct err none;

	if (!k)
		return err_set(e, -ENOMEM, "no memory for samples");
	k->all = r->opts->options & CONVERT_ALL;
	if (k->all && obuf_init(&k->records, -1, 0))
		return err_set(e, -ENOMEM, "no memory for records");
	/* Without formats there are no fields. */
	if (trace_printer_new(&k->printer, perfdata_trace(pd), false, perfdata_path(pd), &none) &&
	    !k->printer)
		return err_set(e, -ENOMEM, "no memory for tracepoints");
	put_head(pd, r->out);
	return 0;
}

static int one_sample(struct convert_run *r, const struct session_sample *in, struct err *e)
{
	const struct frame *frames;
	struct frame alone;
	ssize_t n = convert_stack_of(r, in, &alone, &frames);

	if (n < 0)
		return err_set(e, -ENOMEM, "no memory for stacks");
	put_sample(r->own, session_env(r->session), in->thread, in->s, frames, (size_t)n,
		   !r->samples++, r->out);
	return 0;
}

static int one_record(struct convert_run *r, const struct record *rec, struct err *e)
{
	struct json *k = r->own;

	(void)e;
	if (k->all && session_wants(r->session, rec->time, UINT32_MAX) &&
	    session_in_slice(r->session))
		put_record(rec, &k->records);
	return 0;
}

static int finish(struct convert_run *r, struct err *e)
{
	const struct json *k = r->own;

	(void)e;
	put_end(k->all ? &k->records : NULL, r->out);
	return 0;
}

static void end(struct convert_run *r)
{
	struct json *k = r->own;

	if (!k)
		return;
	trace_printer_free(k->printer);
	free(k->records.buf);
	free(k);
}

const struct convert_format convert_json = {
	.name = "json",
	.holds = "header and samples with their stacks, as upstream writes them",
	.no_inlines = true,
	.options = CONVERT_ALL,
	.begin = begin,
	.sample = one_sample,
	.record = one_record,
	.finish = finish,
	.free = end,
};
