// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Features of the output. What adds up is added up: build ids, the span of times, who delivered
 * registers. What describes the machine's parts comes from one input, that with the most CPUs, so that
 * every CPU of a sample is among them. The rest is of the first input that has it; where others say
 * something else, one line tells.
 */
#include <stdio.h>
#include <stdlib.h>

#include "buildid/buildid.h"
#include "fleet-int.h"

/* ---- what has to agree -------------------------------------------------------------------------- */

static const struct merge_input *first_with(const struct merge *m, int id)
{
	for (size_t i = 0; i < m->nr; i++)
		if (perfdata_has_feature(m->in[i].pd, id))
			return &m->in[i];
	return NULL;
}

static bool same_feature(const struct merge_input *a, const struct merge_input *b, int id)
{
	size_t na, nb;
	const void *x = perfdata_feature_raw(a->pd, id, &na);
	const void *y = perfdata_feature_raw(b->pd, id, &nb);

	return x && y && na == nb && !memcmp(x, y, na);
}

static bool same_format(const struct trace_format *a, const struct trace_format *b)
{
	return a && b && a->size == b->size && !memcmp(a->text, b->text, a->size);
}

static int check_tracepoint(const struct merge_input *kept, const struct merge_input *in,
			    const struct perfdata_event *ev, struct err *e)
{
	uint64_t id = ev->attr.config;

	if (ev->attr.type != PERF_TYPE_TRACEPOINT || !trace_find(perfdata_trace(in->pd), id) ||
	    same_format(trace_find(perfdata_trace(kept->pd), id),
			trace_find(perfdata_trace(in->pd), id)))
		return 0;
	err_set(e, -EINVAL,
		"the tracepoint %s of %s has number %llu, which %s does not describe, or otherwise",
		ev->name, merge_name(in), (unsigned long long)id, merge_name(kept));
	err_hint(
		e,
		"Descriptions of tracepoints are not joined: record the same tracepoints in each, on "
		"one kernel, or look at each file with perf script.");
	return -EINVAL;
}

/* "cpu_core" for 4; PMU_MAPPINGS: u32 nr, nr x { u32 type, string }. */
static const char *pmu_name(const struct merge_input *in, uint32_t type)
{
	size_t size;
	const void *p = perfdata_feature_raw(in->pd, FEAT_PMU_MAPPINGS, &size);
	struct cursor c = cursor_init(p, p ? size : 0, perfdata_swapped(in->pd));

	for (uint32_t i = 0, nr = p ? cursor_u32(&c) : 0; i < nr && !c.bad; i++) {
		uint32_t t = cursor_u32(&c);
		const char *name = feature_str(&c);

		if (name && t == type)
			return name;
	}
	return NULL;
}

/* Numbers of PMUs are given as they come up at boot; those below 6 are fixed. */
static int check_pmu(const struct merge_input *kept, const struct merge_input *in,
		     const struct perfdata_event *ev, struct err *e)
{
	const char *a = pmu_name(kept, ev->attr.type), *b = pmu_name(in, ev->attr.type);

	if (ev->attr.type < PERF_TYPE_BREAKPOINT + 1 || !a || !b || !strcmp(a, b))
		return 0;
	err_set(e, -EINVAL, "PMU %u is '%s' in %s and '%s' in %s, where %s was counted by it",
		ev->attr.type, a, merge_name(kept), b, merge_name(in), ev->name);
	err_hint(e, "perf diff and perf report read the files side by side.");
	return -EINVAL;
}

int merge_check_numbers(const struct merge *m, struct err *e)
{
	const struct merge_input *trace = first_with(m, FEAT_TRACING_DATA);
	const struct merge_input *pmus = first_with(m, FEAT_PMU_MAPPINGS);
	int ret = 0;

	for (size_t i = 0; i < m->nr; i++) {
		const struct merge_input *in = &m->in[i];
		bool traces = trace && trace != in && !same_feature(trace, in, FEAT_TRACING_DATA);

		for (size_t k = 0; !ret && k < perfdata_nr_events(in->pd); k++) {
			const struct perfdata_event *ev = perfdata_event(in->pd, k);

			ret = traces ? check_tracepoint(trace, in, ev, e) : 0;
			ret = ret ?: pmus && pmus != in ? check_pmu(pmus, in, ev, e) : 0;
		}
	}
	return ret;
}

/* ---- build ids ---------------------------------------------------------------------------------- */

static bool same_object(const struct perfdata_build_id *a, const struct perfdata_build_id *b)
{
	return a->size == b->size && !memcmp(a->id, b->id, a->size);
}

struct objects {
	VEC(const struct perfdata_build_id *) v;
	struct htab tab;
};

/* The one that has the path in the output: the first. */
static int object_of(struct objects *o, const struct perfdata_build_id *b,
		     const struct perfdata_build_id **first)
{
	uint64_t hash = hash_bytes(b->path, strlen(b->path));
	uint32_t i;

	for (struct htab_it it = htab_find(&o->tab, hash); htab_next(&o->tab, &it, &i);)
		/* What has a number is in the array: NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
		if (!strcmp(o->v.v[i]->path, b->path)) {
			*first = o->v.v[i];
			return 0;
		}
	*first = b;
	return htab_add(&o->tab, hash, (uint32_t)o->v.n) ?: vec_push(&o->v, b);
}

static void objects_free(struct objects *o)
{
	vec_free(&o->v);
	htab_free(&o->tab);
}

static bool is_users(const struct perfdata_build_id *b)
{
	return (b->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_KERNEL;
}

static const struct perfdata_build_id *own_object(const struct merge_input *in, const char *path)
{
	uint32_t i;

	for (struct htab_it it = htab_find(&in->own_tab, hash_bytes(path, strlen(path)));
	     htab_next(&in->own_tab, &it, &i);)
		/* What has a number is in the array: NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
		if (!strcmp(in->own_objects.v[i]->path, path))
			return in->own_objects.v[i];
	return NULL;
}

/* Of a path that comes again the first stays: the table has one entry for it. */
static int add_own(struct merge_input *in, const struct perfdata_build_id *b)
{
	return htab_add(&in->own_tab, hash_bytes(b->path, strlen(b->path)),
			(uint32_t)in->own_objects.n)
		       ?: vec_push(&in->own_objects, b);
}

static int join_objects(struct merge *m, struct objects *o, bool find_own)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < m->nr; i++)
		for (size_t k = 0; !ret && k < perfdata_nr_build_ids(m->in[i].pd); k++) {
			const struct perfdata_build_id *b = perfdata_build_id(m->in[i].pd, k),
						       *first;

			if (m->in[i].no_kernel && !is_users(b))
				continue;
			ret = object_of(o, b, &first);
			if (!ret && find_own && is_users(b) && !same_object(first, b) &&
			    !own_object(&m->in[i], b->path))
				ret = add_own(&m->in[i], b);
		}
	return ret;
}

int merge_objects(struct merge *m, struct err *e)
{
	struct objects o = { 0 };
	int ret = join_objects(m, &o, true);

	objects_free(&o);
	return ret ? err_set(e, ret, "out of memory for build ids") : 0;
}

const struct perfdata_build_id *merge_own_id(const struct merge_input *in, const struct record *rec)
{
	struct record_mmap map;
	struct err e;

	if (!in->own_objects.n ||
	    (rec->type == PERF_RECORD_MMAP2 && rec->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) ||
	    record_mmap(rec, &map, &e))
		return NULL;
	return own_object(in, map.filename);
}

static int put_build_ids(struct merge *m, struct obuf *out)
{
	struct objects o = { 0 };
	int ret = join_objects(m, &o, false);

	vec_for_each (b, &o.v)
		buildid_put_recorded(out, *b);
	objects_free(&o);
	return ret;
}

/* ---- those that are made anew ------------------------------------------------------------------- */

static void put_times(const struct merge *m, struct obuf *out)
{
	if (m->first_time > m->last_time)
		return;
	feature_put_u64(out, m->first_time);
	feature_put_u64(out, m->last_time);
}

/* The wall clock, by which times are: it shows now what it shows now. */
static void put_clock(const struct merge *m, struct obuf *out)
{
	uint64_t t = (uint64_t)m->in[0].shift;

	feature_put_u32(out, 1);
	feature_put_u32(out, 0); /* CLOCK_REALTIME */
	feature_put_u64(out, t);
	feature_put_u64(out, t);
}

/* Who delivered what of an event: its number, strings that are passed on. */
struct sources {
	struct bits said; /* by event of the output */
	struct obuf lines[2];
	uint32_t nr[2];
};

static void take_sources(const struct merge_input *in, struct sources *s)
{
	size_t size;
	const void *p = perfdata_feature_raw(in->pd, FEAT_SAMPLE_SOURCE, &size);
	struct cursor c = cursor_init(p, p ? size : 0, false);

	if (!p || cursor_u32(&c) != 1)
		return;
	for (int list = 0; list < 2 && cursor_left(&c) >= 4; list++) {
		for (uint32_t k = 0, nr = cursor_u32(&c); k < nr && !c.bad; k++) {
			uint32_t idx = cursor_u32(&c), to;
			const unsigned char *from = c.p;

			for (int i = 0; i < (list ? 1 : 3); i++)
				feature_str(&c);
			if (c.bad || idx >= in->event.n)
				return;
			to = in->event.v[idx] * 2 + (uint32_t)list;
			if (bits_test(&s->said, to))
				continue;
			bits_set(&s->said, to);
			feature_put_u32(&s->lines[list], to / 2);
			obuf_mem(&s->lines[list], from, (size_t)(c.p - from));
			s->nr[list]++;
		}
	}
}

static int put_sources(const struct merge *m, struct obuf *out)
{
	struct sources s = { 0 };
	int ret = bits_init(&s.said, m->events.n * 2 + 1) ?: obuf_init(&s.lines[0], -1, 0)
							  ?: obuf_init(&s.lines[1], -1, 0);

	for (size_t i = 0; !ret && i < m->nr; i++)
		take_sources(&m->in[i], &s);
	if (!ret && s.nr[0]) {
		feature_put_u32(out, 1);
		for (int list = 0; list < 2; list++) {
			feature_put_u32(out, s.nr[list]);
			obuf_mem(out, s.lines[list].buf, s.lines[list].len);
		}
		ret = s.lines[0].code ?: s.lines[1].code;
	}
	bits_free(&s.said);
	obuf_free(&s.lines[0]);
	obuf_free(&s.lines[1]);
	return ret;
}

/* ---- all ---------------------------------------------------------------------------------------- */

/* KERNEL: of inputs that ran in the kernel that is kept: names and code are looked for by it. */
enum how { FIRST, LARGEST, KERNEL, OWN, NEVER };

static enum how how(const struct merge *m, int id)
{
	switch (id) {
	case FEAT_EVENT_DESC: /* the writer's */
	case FEAT_GROUP_DESC:
	case FEAT_COMPRESSED:
	case FEAT_DIR_FORMAT:
	case FEAT_AUXTRACE: return NEVER;
	case FEAT_BUILD_ID:
	case FEAT_SAMPLE_TIME:
	case FEAT_SAMPLE_SOURCE: return OWN;
	case FEAT_CLOCKID:
	case FEAT_CLOCK_DATA: return m->wall_clock ? OWN : FIRST;
	case FEAT_NRCPUS:
	case FEAT_CPU_TOPOLOGY:
	case FEAT_NUMA_TOPOLOGY:
	case FEAT_CACHE:
	case FEAT_MEM_TOPOLOGY:
	case FEAT_CPU_DOMAIN_INFO: return LARGEST;
	case FEAT_OSRELEASE:
	case FEAT_BPF_PROG_INFO:
	case FEAT_BPF_BTF: return KERNEL;
	default: return FIRST;
	}
}

static const struct merge_input *largest(const struct merge *m)
{
	const struct merge_input *in = &m->in[0];

	for (size_t i = 1; i < m->nr; i++)
		if (perfdata_env(m->in[i].pd)->nr_cpus_avail > perfdata_env(in->pd)->nr_cpus_avail)
			in = &m->in[i];
	return in;
}

static int put_own(struct merge *m, int id, struct obuf *out)
{
	switch (id) {
	case FEAT_BUILD_ID: return put_build_ids(m, out);
	case FEAT_SAMPLE_TIME: put_times(m, out); return 0;
	case FEAT_CLOCK_DATA: put_clock(m, out); return 0;
	case FEAT_CLOCKID: feature_put_u64(out, 1); return 0;
	case FEAT_SAMPLE_SOURCE: return put_sources(m, out);
	default: return 0;
	}
}

static int write_own(struct merge *m, int id, struct err *e)
{
	struct obuf out;
	int ret = obuf_init(&out, -1, 0) ?: put_own(m, id, &out);

	ret = ret ?: out.code;
	if (ret)
		ret = err_set(e, ret, "out of memory for feature %d", id);
	else if (out.len)
		ret = perfdata_writer_feature(m->w, id, out.buf, out.len, e);
	obuf_free(&out);
	return ret;
}

/* The input whose feature the output gets, as it is. NULL = none has it. */
static const struct merge_input *kept_for(const struct merge *m, int id)
{
	switch (how(m, id)) {
	case LARGEST: return largest(m);
	case KERNEL:
		if (perfdata_has_feature(m->kernel->pd, id))
			return m->kernel;
		for (size_t i = 0; i < m->nr; i++)
			if (!m->in[i].no_kernel && perfdata_has_feature(m->in[i].pd, id))
				return &m->in[i];
		return NULL;
	default: return first_with(m, id);
	}
}

static int write_feature(struct merge *m, int id, struct err *e)
{
	const struct merge_input *from = kept_for(m, id);
	const void *data;
	size_t size;

	if (how(m, id) == OWN)
		return write_own(m, id, e);
	data = from ? perfdata_feature_raw(from->pd, id, &size) : NULL;
	if (!data)
		return 0;
	bits_set(&m->features, (size_t)id);
	return perfdata_writer_feature(m->w, id, data, size, e);
}

int merge_features(struct merge *m, bool last, struct err *e)
{
	int ret = 0;

	for (int id = 1; !ret && id < FEAT_BITS; id++) {
		enum how h = how(m, id);

		/* Of a stream's end: what is made anew is whole then. */
		if (h != NEVER && !bits_test(&m->features, (size_t)id) &&
		    (last || (h != OWN && m->o->pipe)))
			ret = write_feature(m, id, e);
	}
	return ret;
}

void merge_say_differences(const struct merge *m)
{
	static const struct {
		int id;
		const char *what;
	} told[] = {
		{ FEAT_HOSTNAME, "host name" },	  { FEAT_OSRELEASE, "kernel" },
		{ FEAT_ARCH, "architecture" },	  { FEAT_CPUDESC, "CPU" },
		{ FEAT_VERSION, "perf version" }, { FEAT_CMDLINE, "command line" },
	};
	char text[128] = "";
	size_t n = 0;

	for (size_t k = 0; k < ARRAY_SIZE(told); k++) {
		const struct merge_input *kept = kept_for(m, told[k].id);
		bool differs = false;

		for (size_t i = 0; kept && i < m->nr; i++)
			differs |= perfdata_has_feature(m->in[i].pd, told[k].id) &&
				   !same_feature(kept, &m->in[i], told[k].id);
		if (differs)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? ", " : "",
					      told[k].what);
	}
	if (n)
		log_to(&m->o->log, LOG_INFO, "inputs differ in %s: the first one's is kept%s", text,
		       m->kernel == &m->in[0]
			       ? ""
			       : ", but of kernels that of the first that sampled it");
}
