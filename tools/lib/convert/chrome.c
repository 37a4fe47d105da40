// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chrome's trace events as JSON, for Perfetto's UI, chrome://tracing and speedscope: what each thread did
 * over time. A trace has calls that begin and end, a recording has samples: so a function is taken to run
 * from the first sample that has it in its stack, at its place, to the first that has not. A thread
 * that had no sample for two intervals, or left its CPU, did nothing in between.
 *
 * Written while it is read: what is held of a thread are the calls that are open. A call is one complete
 * event, written when it ends, which is half the text of a begin and an end: the format has no order,
 * readers sort by time, and what lasts longer comes first. They add a begin and how long it took in
 * floating point, and two calls that end together have to do so there too: so times are multiples of
 * 1/8 us, whose sums are exact.
 *
 * Stacks are of one event, the first that has samples; tracepoints are instants with their fields; context switches tell which
 * thread each CPU ran, as a process of its own with a thread for each CPU.
 */
#include <stdlib.h>

#include "convert/stacks-int.h"
#include "session/session.h"

#define CPUS_PID 0x400001 /* above all process numbers: the CPUs */
#define NO_TIME	 UINT64_MAX
#define TICK	 125 /* ns */

struct chrome_call {
	uint32_t frame;
	uint64_t since;
};

struct chrome_tail {
	const char *text;
	size_t len;
};

struct chrome_thread {
	VEC(struct chrome_call) open; /* outermost first */
	uint64_t last;		      /* its last sample */
	uint32_t comm;		      /* as told + 1 */
	uint64_t since;		      /* when it came to its CPU; NO_TIME = not told */
};

struct chrome {
	struct stacks *st;
	VEC(struct chrome_thread) threads; /* by thread idx */
	VEC(bool) cpus;			   /* named */
	VEC(uint32_t) path;
	VEC(struct chrome_tail) tails; /* by frame */
	struct arena text;
	const struct perfdata_event *event; /* whose stacks are shown */
	struct trace_printer *printer;
	uint64_t origin, gap, other;
	bool any, named;
};

/* ---- events --------------------------------------------------------------------------------------- */

static void put_us(struct obuf *o, uint64_t ns)
{
	char *p = obuf_room(o, 24);
	unsigned rest = ns % 1000;

	if (!p)
		return;
	p += fmt_dec(p, ns / 1000);
	p[0] = '.';
	p[1] = (char)('0' + rest / 100);
	p[2] = (char)('0' + rest / 10 % 10);
	p[3] = (char)('0' + rest % 10);
	o->len = (size_t)(p + 4 - o->buf);
}

/* {"ph":"i","pid":1,"tid":2 */
static void put_head(struct chrome *k, char ph, int64_t pid, int64_t tid, struct obuf *o)
{
	obuf_str(o, k->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	k->any = true;
	obuf_char(o, ph);
	obuf_lit(o, "\",\"pid\":");
	obuf_sdec(o, pid);
	obuf_lit(o, ",\"tid\":");
	obuf_sdec(o, tid);
}

/* The same with ,"ts":3.000 */
static void put_event(struct chrome *k, char ph, int64_t pid, int64_t tid, uint64_t time,
		      struct obuf *o)
{
	put_head(k, ph, pid, tid, o);
	obuf_lit(o, ",\"ts\":");
	put_us(o, time > k->origin ? time - k->origin : 0);
}

static void put_meta(struct chrome *k, const char *what, int64_t pid, int64_t tid, const char *name,
		     struct obuf *o)
{
	put_head(k, 'M', pid, tid, o);
	obuf_printf(o, ",\"name\":\"%s\",\"args\":{\"name\":", what);
	emit_json_safe(o, name);
	obuf_lit(o, "}}");
}

static void put_dur(uint64_t ns, struct obuf *o)
{
	obuf_lit(o, ",\"dur\":");
	put_us(o, ns);
}

/* What an event of @frame ends with, put together once; NULL: no memory. */
static const struct chrome_tail *tail_of(struct chrome *k, uint32_t frame)
{
	static const struct chrome_tail none = { NULL, 0 };
	const struct stacks_frame *f = &k->st->frames.v[frame];
	struct chrome_tail *t;
	struct obuf o;
	char buf[256];

	if (vec_reach(&k->tails, frame, none))
		return NULL;
	t = &k->tails.v[frame];
	if (t->text || obuf_init(&o, -1, 0))
		return t->text ? t : NULL;
	obuf_str(&o, resolver_loc(k->st->env->resolver, f->loc)->cpumode == PERF_RECORD_MISC_KERNEL
			     ? ",\"cat\":\"kernel\",\"name\":"
			     : ",\"cat\":\"user\",\"name\":");
	emit_json_safe(&o, stacks_name(k->st, f, buf, sizeof(buf)));
	obuf_char(&o, '}');
	t->text = o.code ? NULL : arena_memdup(&k->text, o.buf, o.len);
	t->len = o.len;
	free(o.buf);
	return t->text ? t : NULL;
}

/* The multiple of 1/8 us at or before @time. */
static uint64_t tick_of(const struct chrome *k, uint64_t time)
{
	return time - (time - k->origin) % TICK;
}

/* ---- threads -------------------------------------------------------------------------------------- */

/* @th's, named by what it is called now; NULL: no memory. */
static struct chrome_thread *thread_of(struct chrome *k, const struct thread *th, struct obuf *o)
{
	static const struct chrome_thread fresh = { .since = NO_TIME };
	struct chrome_thread *t;

	if (vec_reach(&k->threads, th->idx, fresh))
		return NULL;
	t = &k->threads.v[th->idx];
	if (t->comm != th->comm + 1) {
		const char *name = machine_comm(k->st->env->machine, th->comm);

		t->comm = th->comm + 1;
		put_meta(k, "thread_name", th->pid, th->tid, name, o);
		if (th->pid == th->tid)
			put_meta(k, "process_name", th->pid, th->tid, name, o);
	}
	return t;
}

/*
 * Ends what is open beyond the outermost @keep calls. Of those that are equally long, the caller comes first. Most
 * of the file is written here. 0 or -ENOMEM.
 */
static int close_calls(struct chrome *k, const struct thread *th, struct chrome_thread *t,
		       size_t keep, uint64_t time, struct obuf *o)
{
	char text[96];
	struct obuf head = { .buf = text, .cap = sizeof(text), .fd = -1 };

	put_head(k, 'X', th->pid, th->tid, &head);
	obuf_lit(&head, ",\"ts\":");
	for (size_t i = keep; i < t->open.n; i++) {
		const struct chrome_call *call = &t->open.v[i];
		const struct chrome_tail *tail = tail_of(k, call->frame);

		if (!tail)
			return -ENOMEM;
		obuf_mem(o, text, head.len);
		put_us(o, call->since - k->origin);
		put_dur(time - call->since, o);
		obuf_mem(o, tail->text, tail->len);
	}
	t->open.n = min_u64(t->open.n, keep);
	return 0;
}

static bool same_function(const struct stacks *st, uint32_t a, uint32_t b)
{
	const struct stacks_frame *x = &st->frames.v[a], *y = &st->frames.v[b];

	return x->sym == y->sym && (x->sym || stacks_dso(st, x) == stacks_dso(st, y));
}

static int one_stack(struct chrome *k, const struct thread *th, struct chrome_thread *t,
		     uint32_t node, uint64_t time, struct obuf *o)
{
	const struct stacks *st = k->st;
	size_t keep = 0, n;

	time = tick_of(k, time);
	/* A call that begins and ends at once has readers lose count. */
	time = max_u64(time, t->open.n ? t->last + TICK : t->last);
	if (t->open.n && time - t->last > 2 * k->gap &&
	    close_calls(k, th, t, 0, t->last + k->gap, o))
		return -ENOMEM;
	k->path.n = 0;
	for (; node != STACKS_NONE; node = st->nodes.v[node].parent)
		if (vec_push(&k->path, st->nodes.v[node].frame))
			return -ENOMEM;
	n = k->path.n;
	while (keep < n && keep < t->open.n &&
	       same_function(st, t->open.v[keep].frame, k->path.v[n - 1 - keep]))
		keep++;
	if (close_calls(k, th, t, keep, time, o))
		return -ENOMEM;
	for (; keep < n; keep++)
		if (vec_push(&t->open, ((struct chrome_call){ k->path.v[n - 1 - keep], time })))
			return -ENOMEM;
	t->last = time;
	return 0;
}

/* ---- reading -------------------------------------------------------------------------------------- */

/* How far samples of @event are apart, in ns; for what no clock counts, 1 ms. */
static uint64_t interval(const struct perfdata_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->flags & ATTR_FLAG_FREQ && attr->sample_freq)
		return 1000000000 / attr->sample_freq + 1;
	return stacks_unit(event)[0] == 'n' && attr->sample_period
		       ? min_u64(attr->sample_period, 1000000000)
		       : 1000000;
}

static int begin(struct convert_run *r, struct err *e)
{
	struct chrome *k = r->own = calloc(1, sizeof(*k));
	struct err none;

	if (!k)
		return err_set(e, -ENOMEM, "no memory for the trace");
	k->origin = NO_TIME;
	if (stacks_new(&k->st, r, 0, e))
		return -ENOMEM;
	/* Without formats tracepoints have names and no fields. */
	if (trace_printer_new(&k->printer, perfdata_trace(k->st->env->pd), false,
			      perfdata_path(k->st->env->pd), &none) &&
	    !k->printer)
		return err_set(e, -ENOMEM, "no memory for tracepoints");
	obuf_lit(r->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	return 0;
}

static void put_tracepoint(struct chrome *k, const struct session_sample *in, struct obuf *o)
{
	const struct sample *s = in->s;
	const struct trace_raw raw = { s->raw, s->raw_size, s->cpu, s->event->attr.config };
	size_t len;
	const char *text = trace_text(k->printer, &raw, &len);

	put_event(k, 'i', in->thread->pid, in->thread->tid, s->time, o);
	obuf_lit(o, ",\"s\":\"t\",\"cat\":\"tracepoint\",\"name\":");
	emit_json_safe(o, s->event->name);
	if (text) {
		obuf_lit(o, ",\"args\":{\"fields\":");
		emit_json_safe(o, text);
		obuf_char(o, '}');
	}
	obuf_char(o, '}');
}

static int one_sample(struct convert_run *r, const struct session_sample *in, struct err *e)
{
	const struct sample *s = in->s;
	struct chrome *k = r->own;
	struct chrome_thread *t;
	uint32_t node, group;

	if (!(s->present & PERF_SAMPLE_TIME))
		return 0;
	r->samples++;
	k->origin = min_u64(k->origin, s->time);
	t = thread_of(k, in->thread, r->out);
	if (!t)
		return err_set(e, -ENOMEM, "no memory for threads");
	if (s->event->attr.type == PERF_TYPE_TRACEPOINT) {
		put_tracepoint(k, in, r->out);
		return 0;
	}
	if (!k->event) {
		k->event = s->event;
		k->gap = max_u64(interval(s->event) / TICK, 1) * TICK;
	}
	if (k->event != s->event && strcmp(k->event->name, s->event->name) != 0) {
		k->other++;
		return 0;
	}
	if (stacks_place(k->st, r, in, &node, &group) ||
	    one_stack(k, in->thread, t, node, s->time, r->out))
		return err_set(e, -ENOMEM, "no memory for stacks");
	return 0;
}

/* A thread ran on @cpu from @from to @to. */
static int put_run(struct chrome *k, const struct thread *th, uint32_t cpu, uint64_t from,
		   uint64_t to, struct obuf *o)
{
	char name[24];

	if (!k->named)
		put_meta(k, "process_name", CPUS_PID, 0, "CPUs", o);
	k->named = true;
	/* Numbers of CPUs that a file makes up are not counted on. */
	if (cpu < 65536 && vec_reach(&k->cpus, cpu, false))
		return -ENOMEM;
	if (cpu < 65536 && !k->cpus.v[cpu]) {
		memcpy(name, "CPU ", 4);
		name[4 + fmt_dec(name + 4, cpu)] = '\0';
		put_meta(k, "thread_name", CPUS_PID, cpu, name, o);
		k->cpus.v[cpu] = true;
	}
	put_event(k, 'X', CPUS_PID, cpu, from, o);
	put_dur(to - from, o);
	obuf_lit(o, ",\"cat\":\"switch\",\"name\":");
	emit_json_safe(o, machine_comm(k->st->env->machine, th->comm));
	obuf_printf(o, ",\"args\":{\"pid\":%d,\"tid\":%d}}", th->pid, th->tid);
	return 0;
}

static int one_record(struct convert_run *r, const struct record *rec, struct err *e)
{
	bool out = rec->misc & PERF_RECORD_MISC_SWITCH_OUT;
	struct chrome *k = r->own;
	struct chrome_thread *t;
	struct record_id id;
	struct thread *th;
	int ret = 0;

	if ((rec->type != PERF_RECORD_SWITCH && rec->type != PERF_RECORD_SWITCH_CPU_WIDE) ||
	    rec->time == RECORD_NO_TIME || !session_in_slice(r->session))
		return 0;
	record_sample_id(rec, &id);
	if (!(id.present & PERF_SAMPLE_TID) ||
	    !session_wants(r->session, rec->time,
			   id.present & PERF_SAMPLE_CPU ? id.cpu : UINT32_MAX))
		return 0;
	th = machine_thread(k->st->env->machine, (int32_t)id.pid, (int32_t)id.tid);
	/* The idle task's time is what no thread has. */
	if (!th || !th->tid ||
	    !session_filter_thread(session_filter(r->session), th,
				   machine_comm(k->st->env->machine, th->comm)))
		return 0;
	t = thread_of(k, th, r->out);
	if (!t)
		return err_set(e, -ENOMEM, "no memory for threads");
	k->origin = min_u64(k->origin, rec->time);
	if (out) {
		if (t->open.n)
			t->last = max_u64(tick_of(k, rec->time), t->last + TICK);
		ret = close_calls(k, th, t, 0, t->last, r->out);
		if (!ret && t->since != NO_TIME && t->since <= rec->time &&
		    id.present & PERF_SAMPLE_CPU)
			ret = put_run(k, th, id.cpu, t->since, rec->time, r->out);
	}
	t->since = out ? NO_TIME : rec->time;
	return ret ? err_set(e, ret, "no memory for the trace") : 0;
}

static int finish(struct convert_run *r, struct err *e)
{
	struct chrome *k = r->own;

	for (size_t i = 0; i < k->threads.n; i++) {
		struct chrome_thread *t = &k->threads.v[i];

		if (close_calls(k, machine_thread_at(k->st->env->machine, i), t, 0,
				t->last + k->gap, r->out))
			return err_set(e, -ENOMEM, "no memory for the trace");
	}
	obuf_lit(r->out, "\n]}\n");
	if (k->other)
		log_to(&r->opts->log, LOG_WARN,
		       "%llu samples of other events than %s were left out",
		       (unsigned long long)k->other, k->event->name);
	return 0;
}

static void end(struct convert_run *r)
{
	struct chrome *k = r->own;

	if (!k)
		return;
	vec_for_each (t, &k->threads)
		vec_free(&t->open);
	vec_free(&k->threads);
	vec_free(&k->cpus);
	vec_free(&k->path);
	vec_free(&k->tails);
	arena_free(&k->text);
	trace_printer_free(k->printer);
	stacks_free(k->st);
	free(k);
}

const struct convert_format convert_chrome = {
	.name = "chrome",
	.holds = "calls over time as samples tell them, switches, tracepoints, for Perfetto's UI",
	.need = PERF_SAMPLE_TIME,
	.need_why = "its samples have no times, and a trace is made of them",
	.need_hint = "Record with -T; or write what needs no times: --to pprof, --to speedscope.",
	.begin = begin,
	.sample = one_sample,
	.record = one_record,
	.finish = finish,
	.free = end,
};
