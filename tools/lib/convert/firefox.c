// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The Firefox profiler's processed format (profiler.firefox.com), version 66: that is one which every
 * reader of today brings up to its own; what is newer than a reader it refuses. Tables are columns;
 * strings, stacks, frames and functions are shared by all threads.
 *
 * The file is columns of each thread, so samples and markers are held until the end: 24 bytes for a
 * sample. A thread stands there once for each event, since a sample has one weight. Threads without
 * samples are left out, and so are their markers. Times are milliseconds since the first sample.
 */
#include <stdio.h>
#include <stdlib.h>

#include "convert/firefox-int.h"
#include "session/session.h"

#define NO_OUT UINT64_MAX

enum firefox_marker_kind { OFF_CPU, TRACEPOINT, LOST, NR_MARKERS };

struct firefox_marker {
	uint64_t start, end;
	uint32_t thread; /* struct thread's idx */
	uint32_t text;
	enum firefox_marker_kind kind;
	const struct perfdata_event *event;
};

struct firefox {
	struct stacks *st;
	VEC(struct firefox_thread) threads;
	struct htab thread_tab;
	VEC(struct firefox_sample) samples;
	const struct firefox_sample **sorted;
	VEC(struct firefox_marker) markers;
	VEC(uint64_t) out; /* by thread idx: when it left the CPU */
	struct intern strings;
	struct obuf text;
	struct trace_printer *printer;
	uint32_t *lib_of; /* dso -> library + 1 */
	VEC(const struct dso *) libs;
	uint32_t
		*depth_of; /* by frame: how many functions it is inlined into, up to the real one */
	uint64_t origin;
	int code;
};

static uint32_t string(struct firefox *k, const char *s)
{
	uint32_t id;

	k->text.len = 0;
	emit_safe(&k->text, s);
	id = intern_n(&k->strings, k->text.buf, k->text.len);
	if (id == INTERN_NONE)
		k->code = -ENOMEM;
	return id == INTERN_NONE ? 0 : id;
}

/* ---- reading -------------------------------------------------------------------------------------- */

static int begin(struct convert_run *r, struct err *e)
{
	struct firefox *k = r->own = calloc(1, sizeof(*k));
	struct err none;

	if (!k || obuf_init(&k->text, -1, 0) || intern(&k->strings, "") == INTERN_NONE)
		return err_set(e, -ENOMEM, "no memory for the profile");
	k->origin = UINT64_MAX;
	if (stacks_new(&k->st, r, 0, e))
		return -ENOMEM;
	/* Without formats tracepoints have names and no fields. */
	if (trace_printer_new(&k->printer, perfdata_trace(k->st->env->pd), false,
			      perfdata_path(k->st->env->pd), &none) &&
	    !k->printer)
		return err_set(e, -ENOMEM, "no memory for tracepoints");
	return 0;
}

static uint32_t thread_of(struct firefox *k, const struct thread *th,
			  const struct perfdata_event *event)
{
	uint64_t hash = hash_mix(th->idx, event->idx);
	uint32_t i;

	for (struct htab_it it = htab_find(&k->thread_tab, hash);
	     htab_next(&k->thread_tab, &it, &i);)
		if (k->threads.v[i].thread == th && k->threads.v[i].event == event)
			return i;
	i = (uint32_t)k->threads.n;
	if (vec_push(&k->threads, ((struct firefox_thread){ .thread = th, .event = event })) ||
	    htab_add(&k->thread_tab, hash, i))
		return STACKS_NONE;
	return i;
}

static int add_marker(struct firefox *k, struct firefox_marker m)
{
	return vec_push(&k->markers, m) ?: k->code;
}

static int add_tracepoint(struct firefox *k, const struct session_sample *in)
{
	const struct sample *s = in->s;
	const struct trace_raw raw = { s->raw, s->raw_size, s->cpu, s->event->attr.config };
	size_t len;
	const char *text = trace_text(k->printer, &raw, &len);

	return add_marker(k, (struct firefox_marker){
				     .start = s->time,
				     .end = s->time,
				     .thread = in->thread->idx,
				     .text = text ? string(k, text) : 0,
				     .kind = TRACEPOINT,
				     .event = s->event,
			     });
}

static int one_sample(struct convert_run *r, const struct session_sample *in, struct err *e)
{
	struct firefox_sample v = { .time = in->s->time, .period = in->s->period };
	struct firefox *k = r->own;
	uint32_t group;
	int ret;

	if (!(in->s->present & PERF_SAMPLE_TIME))
		return 0;
	ret = stacks_place(k->st, r, in, &v.node, &group);
	v.thread = thread_of(k, in->thread, in->s->event);
	if (v.thread == STACKS_NONE)
		ret = -ENOMEM;
	else
		k->threads.v[v.thread].samples++;
	ret = ret ?: vec_push(&k->samples, v);
	if (!ret && in->s->event->attr.type == PERF_TYPE_TRACEPOINT &&
	    in->s->present & PERF_SAMPLE_RAW)
		ret = add_tracepoint(k, in);
	r->samples++;
	return ret ? err_set(e, -ENOMEM, "no memory for %llu samples",
			     (unsigned long long)r->samples)
		   : 0;
}

static int one_switch(struct firefox *k, const struct record *rec, const struct thread *th)
{
	uint64_t *out;

	if (vec_reach(&k->out, th->idx, NO_OUT))
		return -ENOMEM;
	out = &k->out.v[th->idx];
	if (rec->misc & PERF_RECORD_MISC_SWITCH_OUT) {
		*out = rec->time;
		return 0;
	}
	if (*out == NO_OUT || *out > rec->time)
		return 0;
	return add_marker(k, (struct firefox_marker){
				     .start = *out,
				     .end = rec->time,
				     .thread = th->idx,
				     .kind = OFF_CPU,
			     });
}

static int one_lost(struct firefox *k, const struct record *rec, const struct thread *th)
{
	struct record_lost lost;
	struct err bad;
	char text[48];

	if (record_lost(rec, &lost, &bad) || lost.by_filter)
		return 0;
	snprintf(text, sizeof(text), "%llu lost", (unsigned long long)lost.lost);
	return add_marker(k, (struct firefox_marker){
				     .start = rec->time,
				     .end = rec->time,
				     .thread = th ? th->idx : STACKS_NONE,
				     .text = string(k, text),
				     .kind = LOST,
			     });
}

static int one_record(struct convert_run *r, const struct record *rec, struct err *e)
{
	bool is_switch =
		rec->type == PERF_RECORD_SWITCH || rec->type == PERF_RECORD_SWITCH_CPU_WIDE;
	bool is_lost = rec->type == PERF_RECORD_LOST || rec->type == PERF_RECORD_LOST_SAMPLES;
	struct thread *th = NULL;
	struct firefox *k = r->own;
	struct record_id id;
	int ret;

	if ((!is_switch && !is_lost) || rec->time == RECORD_NO_TIME ||
	    !session_in_slice(r->session))
		return 0;
	record_sample_id(rec, &id);
	if (!session_wants(r->session, rec->time,
			   id.present & PERF_SAMPLE_CPU ? id.cpu : UINT32_MAX))
		return 0;
	if (is_switch && id.present & PERF_SAMPLE_TID)
		th = machine_thread(k->st->env->machine, (int32_t)id.pid, (int32_t)id.tid);
	if (is_switch && !th)
		return 0;
	ret = is_switch ? one_switch(k, rec, th) : one_lost(k, rec, th);
	return ret ? err_set(e, -ENOMEM, "no memory for markers") : 0;
}

/* ---- writing: pieces ------------------------------------------------------------------------------ */

static void comma(struct obuf *o, size_t i)
{
	if (i)
		obuf_char(o, ',');
}

/* ,"name":[EXPR,EXPR] with EXPR of each i below @n, a number. */
#define COLUMN(o, name, n, expr)                       \
	do {                                           \
		obuf_lit(o, ",\"" name "\":[");        \
		for (size_t i = 0; i < (n); i++) {     \
			comma(o, i);                   \
			obuf_sdec(o, (int64_t)(expr)); \
		}                                      \
		obuf_char(o, ']');                     \
	} while (0)

/* ,"name":[TEXT,TEXT]: the same in all rows. */
static void put_same(struct obuf *o, const char *name, size_t n, const char *text)
{
	obuf_printf(o, ",\"%s\":[", name);
	for (size_t i = 0; i < n; i++) {
		comma(o, i);
		obuf_str(o, text);
	}
	obuf_char(o, ']');
}

static uint64_t since(const struct firefox *k, uint64_t time)
{
	return time > k->origin ? time - k->origin : 0;
}

/* ---- writing: what threads share ------------------------------------------------------------------ */

static int find_libs(struct firefox *k)
{
	struct stacks *st = k->st;

	k->lib_of = calloc(machine_nr_dsos(st->env->machine) + 1, sizeof(*k->lib_of));
	k->depth_of = calloc(st->frames.n + 1, sizeof(*k->depth_of));
	if (!k->lib_of || !k->depth_of)
		return -ENOMEM;
	vec_for_each (f, &st->frames) {
		const struct dso *dso = stacks_dso(st, f);

		if (!dso || k->lib_of[dso->idx])
			continue;
		if (vec_push(&k->libs, dso))
			return -ENOMEM;
		k->lib_of[dso->idx] = (uint32_t)k->libs.n;
	}
	vec_for_each (n, &st->nodes) {
		const struct stacks_frame *f = &st->frames.v[n->frame];
		uint32_t above =
			n->parent == STACKS_NONE ? STACKS_NONE : st->nodes.v[n->parent].frame;

		if (f->inlined && above != STACKS_NONE && st->frames.v[above].loc == f->loc)
			k->depth_of[n->frame] = k->depth_of[above] + 1;
	}
	return 0;
}

/* The id as Breakpad writes it: 16 bytes as a GUID of a little-endian machine, and age 0. */
static void put_breakpad(struct obuf *o, const struct dso *dso)
{
	static const uint8_t order[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };

	obuf_char(o, '"');
	for (size_t i = 0; i < 16 && dso->build_id_size; i++)
		obuf_printf(o, "%02X", order[i] < dso->build_id_size ? dso->build_id[order[i]] : 0);
	obuf_str(o, dso->build_id_size ? "0\"" : "\"");
}

static void put_libs(const struct firefox *k, const char *arch, struct obuf *o)
{
	obuf_lit(o, ",\"libs\":[");
	for (size_t i = 0; i < k->libs.n; i++) {
		const struct dso *dso = k->libs.v[i];

		obuf_str(o, i ? ",\n{\"arch\":" : "\n{\"arch\":");
		emit_json_safe(o, arch);
		obuf_lit(o, ",\"name\":");
		emit_json_safe(o, dso->short_name);
		obuf_lit(o, ",\"path\":");
		emit_json_safe(o, dso->name);
		obuf_lit(o, ",\"debugName\":");
		emit_json_safe(o, dso->short_name);
		obuf_lit(o, ",\"debugPath\":");
		emit_json_safe(o, dso->name);
		obuf_lit(o, ",\"breakpadId\":");
		put_breakpad(o, dso);
		obuf_str(o, ",\"codeId\":");
		obuf_str(o, dso->build_id_size ? "\"" : "null");
		for (size_t b = 0; b < dso->build_id_size; b++)
			obuf_hex_zero(o, dso->build_id[b], 2);
		obuf_str(o, dso->build_id_size ? "\"}" : "}");
	}
	obuf_char(o, ']');
}

/* 0 Other, 1 User, 2 Kernel: as in put_meta(). */
static int category_of(const struct stacks *st, const struct stacks_frame *f)
{
	switch (resolver_loc(st->env->resolver, f->loc)->cpumode) {
	case PERF_RECORD_MISC_USER: return 1;
	case PERF_RECORD_MISC_KERNEL: return 2;
	}
	return 0;
}

/* In the object as its linker laid it out; what no number of JSON holds (the kernel's) is unknown. */
static int64_t address_of(const struct stacks *st, const struct stacks_frame *f)
{
	const struct loc *l = resolver_loc(st->env->resolver, f->loc);
	uint64_t addr = stacks_addr(st, f);

	if (l->dso && l->dso->kind == DSO_USER && f->sym)
		addr = symbol_listed_addr(st->env->resolver, l->dso, addr);
	return addr >> 53 ? -1 : (int64_t)addr;
}

static void put_stacks(const struct firefox *k, struct obuf *o)
{
	const struct stacks *st = k->st;
	const struct stacks_node *n = st->nodes.v;

	obuf_printf(o, "\"stackTable\":{\"length\":%zu", st->nodes.n);
	COLUMN(o, "frame", st->nodes.n, n[i].frame);
	COLUMN(o, "prefixOffset", st->nodes.n, n[i].parent == STACKS_NONE ? 0 : i - n[i].parent);
	obuf_char(o, '}');
}

static void put_frames(const struct firefox *k, struct obuf *o)
{
	const struct stacks *st = k->st;
	const struct stacks_frame *f = st->frames.v;
	size_t n = st->frames.n;

	obuf_printf(o, ",\n\"frameTable\":{\"length\":%zu", n);
	COLUMN(o, "address", n, address_of(st, &f[i]));
	COLUMN(o, "inlineDepth", n, k->depth_of[i]);
	COLUMN(o, "category", n, category_of(st, &f[i]));
	put_same(o, "subcategory", n, "0");
	COLUMN(o, "func", n, st->function_of[i]);
	put_same(o, "nativeSymbol", n, "null");
	put_same(o, "innerWindowID", n, "0");
	obuf_lit(o, ",\"line\":[");
	for (size_t i = 0; i < n; i++) {
		struct srcline at;

		comma(o, i);
		if (stacks_line(st, &f[i], &at))
			obuf_dec(o, at.line);
		else
			obuf_lit(o, "null");
	}
	obuf_char(o, ']');
	put_same(o, "column", n, "null");
	put_same(o, "originalLocation", n, "null");
	obuf_char(o, '}');
}

static void put_functions(struct firefox *k, struct obuf *o)
{
	const struct stacks *st = k->st;
	const uint32_t *first = st->functions.v;
	const struct stacks_frame *f = st->frames.v;
	size_t n = st->functions.n, nr_sources = 0;
	struct obuf sources = { .fd = -1 };
	struct srcline at;
	char buf[256];

	obuf_printf(o, ",\n\"funcTable\":{\"length\":%zu", n);
	COLUMN(o, "name", n, string(k, stacks_name(st, &f[first[i]], buf, sizeof(buf))));
	put_same(o, "isJS", n, "false");
	put_same(o, "relevantForJS", n, "false");
	COLUMN(o, "resource", n,
	       stacks_dso(st, &f[first[i]])
		       ? (int64_t)k->lib_of[stacks_dso(st, &f[first[i]])->idx] - 1
		       : -1);
	obuf_lit(o, ",\"source\":[");
	for (size_t i = 0; i < n; i++) {
		comma(o, i);
		if (!stacks_line(st, &f[first[i]], &at)) {
			obuf_lit(o, "null");
			continue;
		}
		obuf_dec(o, nr_sources);
		comma(&sources, nr_sources++);
		obuf_dec(&sources, string(k, at.file));
	}
	obuf_char(o, ']');
	put_same(o, "lineNumber", n, "null");
	put_same(o, "columnNumber", n, "null");
	put_same(o, "originalLocation", n, "null");
	obuf_printf(o, "},\n\"sources\":{\"length\":%zu", nr_sources);
	put_same(o, "id", nr_sources, "null");
	obuf_lit(o, ",\"filename\":[");
	obuf_mem(o, sources.buf ? sources.buf : "", sources.len);
	obuf_char(o, ']');
	put_same(o, "startLine", nr_sources, "1");
	put_same(o, "startColumn", nr_sources, "1");
	put_same(o, "sourceMapURL", nr_sources, "null");
	put_same(o, "content", nr_sources, "null");
	obuf_char(o, '}');
	k->code = k->code ?: sources.code;
	free(sources.buf);
}

static void put_shared(struct firefox *k, struct obuf *o)
{
	obuf_lit(o, ",\n\"shared\":{");
	put_stacks(k, o);
	put_frames(k, o);
	put_functions(k, o);
	obuf_printf(o, ",\n\"resourceTable\":{\"length\":%zu", k->libs.n);
	COLUMN(o, "name", k->libs.n, string(k, k->libs.v[i]->short_name));
	put_same(o, "host", k->libs.n, "null");
	put_same(o, "type", k->libs.n, "1");
	COLUMN(o, "lib", k->libs.n, i);
	obuf_lit(o,
		 "},\n\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],"
		 "\"functionSize\":[]},\"sourceLocationTable\":{\"length\":0,\"source\":[],"
		 "\"line\":[],\"column\":[]},\n\"stringArray\":[");
	for (size_t i = 0; i < k->strings.str.n; i++) {
		comma(o, i);
		emit_json_safe(o, intern_str(&k->strings, (uint32_t)i));
	}
	obuf_lit(o, "]}");
}

/* ---- writing: threads ----------------------------------------------------------------------------- */

static int by_thread(const void *a, const void *b)
{
	const struct firefox_sample *x = *(const struct firefox_sample *const *)a;
	const struct firefox_sample *y = *(const struct firefox_sample *const *)b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int by_marker(const void *a, const void *b)
{
	const struct firefox_marker *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static void put_samples(const struct firefox *k, const struct firefox_thread *t,
			const struct firefox_sample *const *v, struct obuf *o)
{
	bool is_clock = stacks_unit(t->event)[0] == 'n';

	obuf_printf(o, ",\"samples\":{\"length\":%u,\"weightType\":\"%s\",\"stack\":[", t->samples,
		    is_clock ? "tracing-ms" : "samples");
	for (uint32_t i = 0; i < t->samples; i++) {
		comma(o, i);
		if (v[i]->node == STACKS_NONE)
			obuf_lit(o, "null");
		else
			obuf_dec(o, v[i]->node);
	}
	obuf_lit(o, "],\"time\":[");
	for (uint32_t i = 0; i < t->samples; i++) {
		comma(o, i);
		firefox_put_ms(o, since(k, v[i]->time));
	}
	obuf_lit(o, "],\"weight\":[");
	for (uint32_t i = 0; i < t->samples; i++) {
		comma(o, i);
		if (is_clock)
			firefox_put_ms(o, v[i]->period);
		else
			obuf_dec(o, v[i]->period);
	}
	obuf_char(o, ']');
	/* What the CPU did for the thread since the sample before: clocks say just that. */
	if (is_clock)
		COLUMN(o, "threadCPUDelta", t->samples, v[i]->period);
	obuf_char(o, '}');
}

static const char *marker_name(const struct firefox_marker *m)
{
	static const char *const names[NR_MARKERS] = { [OFF_CPU] = "off CPU", [LOST] = "lost" };

	return m->kind == TRACEPOINT ? m->event->name : names[m->kind];
}

static void put_markers(struct firefox *k, const struct firefox_marker *v, size_t n, struct obuf *o)
{
	static const char *const types[NR_MARKERS] = { "off-cpu", "tracepoint", "lost" };

	obuf_printf(o, ",\"markers\":{\"length\":%zu", n);
	COLUMN(o, "name", n, string(k, marker_name(&v[i])));
	obuf_lit(o, ",\"startTime\":[");
	for (size_t i = 0; i < n; i++) {
		comma(o, i);
		firefox_put_ms(o, since(k, v[i].start));
	}
	obuf_lit(o, "],\"endTime\":[");
	for (size_t i = 0; i < n; i++) {
		comma(o, i);
		if (v[i].kind == OFF_CPU)
			firefox_put_ms(o, since(k, v[i].end));
		else
			obuf_lit(o, "null");
	}
	obuf_char(o, ']');
	COLUMN(o, "phase", n, v[i].kind == OFF_CPU);
	put_same(o, "category", n, "0");
	obuf_lit(o, ",\"data\":[");
	for (size_t i = 0; i < n; i++) {
		comma(o, i);
		obuf_printf(o, "{\"type\":\"%s\"", types[v[i].kind]);
		if (v[i].text) {
			obuf_lit(o, ",\"text\":");
			emit_json_safe(o, intern_str(&k->strings, v[i].text));
		}
		obuf_char(o, '}');
	}
	obuf_lit(o, "]}");
}

static void put_thread(struct firefox *k, const struct firefox_thread *t, bool second,
		       const struct firefox_sample *const *v, const struct firefox_marker *m,
		       size_t nr_markers, struct obuf *o)
{
	struct machine *machine = k->st->env->machine;
	const struct thread *th = t->thread;
	struct thread *process = machine_thread(machine, th->pid, th->pid);

	k->text.len = 0;
	obuf_str(&k->text, machine_comm(machine, th->comm));
	if (second)
		obuf_printf(&k->text, " [%s]", t->event->name);
	obuf_char(&k->text, '\0');
	obuf_lit(o, "\n{\"name\":");
	emit_json_safe(o, k->text.buf);
	obuf_lit(o, ",\"processName\":");
	emit_json_safe(o, machine_comm(machine, (process ? process : th)->comm));
	obuf_printf(o, ",\"pid\":\"%d\",\"tid\":", th->pid);
	/* A number stands for one thread of the file. */
	obuf_printf(o, second ? "\"%d.%u\"" : "%d", th->tid, t->event->idx);
	obuf_printf(o,
		    ",\"isMainThread\":%s,\"processType\":\"default\",\"processStartupTime\":0,"
		    "\"processShutdownTime\":null,\"registerTime\":",
		    th->pid == th->tid && !second ? "true" : "false");
	firefox_put_ms(o, since(k, v[0]->time));
	obuf_lit(o, ",\"unregisterTime\":null,\"pausedRanges\":[],\"showMarkersInTimeline\":true");
	put_samples(k, t, v, o);
	put_markers(k, m, nr_markers, o);
	obuf_char(o, '}');
}

/* How many markers are of threads before @thread. */
static size_t markers_before(const struct firefox *k, uint32_t thread)
{
	size_t from = 0, to = k->markers.n;

	while (from < to) {
		size_t half = from + (to - from) / 2;

		if (k->markers.v[half].thread < thread)
			from = half + 1;
		else
			to = half;
	}
	return from;
}

/* Whether one before @i has its number; -ENOMEM. */
static int is_second(const struct firefox *k, struct htab *seen, uint32_t i)
{
	int32_t tid = k->threads.v[i].thread->tid;
	uint64_t hash = hash_u64((uint32_t)tid);
	uint32_t j;

	for (struct htab_it it = htab_find(seen, hash); htab_next(seen, &it, &j);)
		if (k->threads.v[j].thread->tid == tid)
			return 1;
	return htab_add(seen, hash, i);
}

/* Samples in order of thread and time; markers likewise, each with the first of its thread's. */
static int sort(struct firefox *k)
{
	const struct firefox_sample **v = malloc((k->samples.n + 1) * sizeof(*v));
	size_t at = 0;

	k->sorted = v;
	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < k->samples.n; i++)
		v[i] = &k->samples.v[i];
	qsort(v, k->samples.n, sizeof(*v), by_thread);
	vec_for_each (t, &k->threads) {
		t->first = at;
		at += t->samples;
	}
	/* What belongs to no thread is the first one's. */
	vec_for_each (m, &k->markers)
		if (m->thread == STACKS_NONE && k->threads.n)
			m->thread = k->threads.v[0].thread->idx;
	if (k->markers.n)
		qsort(k->markers.v, k->markers.n, sizeof(*k->markers.v), by_marker);
	return 0;
}

static void put_threads(struct firefox *k, struct obuf *o)
{
	struct htab seen = { 0 };

	obuf_lit(o, ",\n\"threads\":[");
	for (size_t i = 0; i < k->threads.n; i++) {
		const struct firefox_thread *t = &k->threads.v[i];
		int second = is_second(k, &seen, (uint32_t)i);
		size_t from = 0, to = 0;

		if (second < 0)
			k->code = second;
		if (!second) {
			from = markers_before(k, t->thread->idx);
			to = markers_before(k, t->thread->idx + 1);
		}
		comma(o, i);
		put_thread(k, t, second, &k->sorted[t->first],
			   k->markers.v ? &k->markers.v[from] : NULL, to - from, o);
	}
	obuf_char(o, ']');
	htab_free(&seen);
}

/* ---- writing: about the recording ----------------------------------------------------------------- */

/* How far samples are apart, in ns: by what was asked for, 1 ms where that does not say. */
static uint64_t interval(const struct firefox *k)
{
	const struct perfdata_event *event = perfdata_event(k->st->env->pd, 0);

	if (event && event->attr.flags & ATTR_FLAG_FREQ && event->attr.sample_freq)
		return 1000000000 / event->attr.sample_freq;
	if (event && stacks_unit(event)[0] == 'n' && event->attr.sample_period)
		return event->attr.sample_period;
	return 1000000;
}

static void put_text(struct obuf *o, const char *key, const char *value)
{
	if (!value[0])
		return;
	obuf_printf(o, ",\"%s\":", key);
	emit_json_safe(o, value);
}

static void put_meta(struct firefox *k, struct obuf *o)
{
	const struct perfdata_env *env = perfdata_env(k->st->env->pd);
	uint64_t took = k->st->last_time - k->origin, start;
	struct perfdata_layout l;

	perfdata_layout(k->st->env->pd, &l);
	/* The file was written when the last sample had come. */
	start = l.mtime > 0 && (uint64_t)l.mtime < UINT64_MAX / 1000000000
			? (uint64_t)l.mtime * 1000000000
			: 0;
	obuf_lit(o, "{\"meta\":{\"interval\":");
	firefox_put_ms(o, interval(k));
	obuf_lit(o, ",\"startTime\":");
	firefox_put_ms(o, start > took ? start - took : 0);
	obuf_lit(o, ",\"processType\":0,\"product\":");
	emit_json_safe(o, env->nr_cmdline ? env->cmdline[env->nr_cmdline - 1] : "perf");
	obuf_lit(
		o,
		",\"stackwalk\":1,\"version\":24,\"preprocessedProfileVersion\":66,"
		"\"symbolicated\":true,\"importedFrom\":\"perf\","
		"\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,"
		"\"keepProfileThreadOrder\":true,"
		"\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"},"
		"\"categories\":["
		"{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
		"{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
		"{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]}],"
		"\"markerSchema\":[");
	obuf_lit(
		o,
		"{\"name\":\"off-cpu\",\"display\":[\"marker-chart\",\"marker-table\"],\"fields\":[],"
		"\"tooltipLabel\":\"not on a CPU\"},"
		"{\"name\":\"tracepoint\",\"display\":[\"marker-chart\",\"marker-table\"],"
		"\"chartLabel\":\"{marker.data.text}\",\"tableLabel\":\"{marker.data.text}\","
		"\"fields\":[{\"key\":\"text\",\"label\":\"Fields\",\"format\":\"string\"}]},"
		"{\"name\":\"lost\",\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],"
		"\"tableLabel\":\"{marker.data.text}\","
		"\"fields\":[{\"key\":\"text\",\"label\":\"Records\",\"format\":\"string\"}]}]");
	put_text(o, "oscpu", env->os_release);
	put_text(o, "CPUName", env->cpu_desc);
	put_text(o, "abi", env->arch);
	if (env->nr_cpus_online)
		obuf_printf(o, ",\"logicalCPUs\":%u", env->nr_cpus_online);
	obuf_char(o, '}');
}

static int finish(struct convert_run *r, struct err *e)
{
	struct firefox *k = r->own;
	struct firefox_columns columns;
	struct obuf *o = r->out;

	k->origin = k->st->first_time;
	vec_for_each (m, &k->markers)
		if (m->kind == TRACEPOINT)
			k->origin = min_u64(k->origin, m->start);
	if (k->origin == UINT64_MAX)
		k->origin = k->st->last_time = 0;
	if (stacks_functions(k->st) || find_libs(k) || sort(k))
		return err_set(e, -ENOMEM, "no memory for the profile");
	put_meta(k, o);
	put_libs(k, perfdata_env(k->st->env->pd)->arch, o);
	columns = (struct firefox_columns){ k->threads.v, k->threads.n, k->sorted, k->origin,
					    k->st->last_time };
	if (firefox_put_counters(&columns, o))
		return err_set(e, -ENOMEM, "no memory for the profile");
	obuf_lit(o, ",\"pages\":[],\"profilerOverhead\":[]");
	put_threads(k, o);
	put_shared(k, o);
	obuf_lit(o, "}\n");
	return k->code || k->text.code ? err_set(e, -ENOMEM, "no memory for the profile") : 0;
}

static void end(struct convert_run *r)
{
	struct firefox *k = r->own;

	if (!k)
		return;
	vec_free(&k->threads);
	htab_free(&k->thread_tab);
	vec_free(&k->samples);
	free(k->sorted);
	vec_free(&k->markers);
	vec_free(&k->out);
	vec_free(&k->libs);
	intern_free(&k->strings);
	free(k->text.buf);
	free(k->lib_of);
	free(k->depth_of);
	trace_printer_free(k->printer);
	stacks_free(k->st);
	free(k);
}

const struct convert_format convert_firefox = {
	.name = "firefox",
	.holds = "threads over time, switches and tracepoints as markers, for profiler.firefox.com",
	.need = PERF_SAMPLE_TIME,
	.need_why = "its samples have no times, and a timeline is made of them",
	.need_hint = "Record with -T; or write what needs no times: --to pprof, --to speedscope.",
	.begin = begin,
	.sample = one_sample,
	.record = one_record,
	.finish = finish,
	.free = end,
};
