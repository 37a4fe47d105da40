// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The feature table, and the features that every reader needs: perf.data(5), FEATURES. One that
 * ends too early is used as far as it goes and said; one that nobody knows is skipped. Payloads
 * are loaded when they are asked for.
 */
#include <stdlib.h>

#include "base/lack.h"
#include "perfdata-int.h"

#define FEATURE_MAX (1u << 30)

static bool feature_known(int id)
{
	return (id > 0 && id < FEAT_LAST) || id == FEAT_SAMPLE_SOURCE;
}

static void feature_set(struct perfdata *pd, int id)
{
	pd->feat_bits[id / 64] |= BIT(id % 64);
}

bool perfdata_has_feature(const struct perfdata *pd, int id)
{
	return id >= 0 && id < FEAT_BITS && pd->feat_bits[id / 64] >> (id % 64) & 1;
}

const void *perfdata_feature_raw(const struct perfdata *pd, int id, size_t *size)
{
	struct feature_section *f;
	ssize_t got;

	*size = 0;
	if (!perfdata_has_feature(pd, id))
		return NULL;
	/* Loaded on first use, so the object changes though nobody can see it. */
	f = (struct feature_section *)&pd->feat[id];
	if (!f->data) {
		f->data = malloc(f->size + 1);
		if (!f->data)
			return NULL;
		got = window_pread(pd->streams[0].win.fd, f->data, f->size, f->offset);
		if (got < 0)
			lack_note((int)got, "cannot read", "a part of the recording's header");
		if (got != (ssize_t)f->size) {
			free(f->data);
			f->data = NULL;
			return NULL;
		}
	}
	*size = f->size;
	return f->data;
}

const char *feature_str(struct cursor *c)
{
	uint32_t len = cursor_u32(c);

	return cursor_str(c, len);
}

/* ---- decoding, one function per shape ------------------------------------------------------------- */

static void decode_string(struct perfdata *pd, struct cursor *c, const char **field)
{
	const char *s = feature_str(c);

	if (s)
		s = arena_strdup(&pd->arena, s);
	if (s)
		*field = s;
}

static void decode_cmdline(struct perfdata *pd, struct cursor *c)
{
	uint32_t nr = cursor_u32(c);
	char **args;

	if (nr > cursor_left(c) / 4) {
		c->bad = true;
		return;
	}
	args = arena_alloc(&pd->arena, (nr + 1) * sizeof(*args));
	for (uint32_t i = 0; args && i < nr; i++) {
		const char *s = feature_str(c);

		args[i] = arena_strdup(&pd->arena, s ? s : "");
		if (!s || !args[i])
			return;
	}
	pd->env.cmdline = args;
	pd->env.nr_cmdline = args ? nr : 0;
}

static struct pd_event *desc_event(struct perfdata *pd, uint32_t i, uint32_t nr,
				   const struct cursor *ids, uint32_t nr_ids)
{
	if (nr_ids && cursor_left(ids) >= 8) {
		struct pd_event *ev = perfdata_find_event(pd, load_u64(ids->p, pd->swap));

		if (ev)
			return ev;
	}
	return nr == pd->events.n ? pd->events.v[i] : NULL;
}

static void decode_event_desc(struct perfdata *pd, struct cursor *c)
{
	uint32_t nr = cursor_u32(c), attr_size = cursor_u32(c);

	for (uint32_t i = 0; i < nr && !c->bad; i++) {
		const char *name;
		struct pd_event *ev;
		uint32_t nr_ids;

		cursor_skip(c, attr_size);
		nr_ids = cursor_u32(c);
		name = feature_str(c);
		if (!name)
			return;
		ev = desc_event(pd, i, nr, c, nr_ids);
		cursor_skip(c, (uint64_t)nr_ids * 8);
		if (ev && *name && !c->bad)
			perfdata_set_event_name(pd, ev, name, strlen(name));
	}
}

/* As they are without groups. */
static void part_events(struct perfdata *pd)
{
	for (size_t i = 0; i < own_events(pd); i++) {
		struct perfdata_event *ev = &pd->events.v[i]->pub;

		ev->leader = ev->idx;
		ev->nr_members = 1;
		ev->group = NULL;
		ev->branch_counters = ev->attr.branch_sample_type & PERF_SAMPLE_BRANCH_COUNTERS;
	}
}

/* @nr events from @leader on become a group. */
static void group_events(struct perfdata *pd, uint32_t leader, uint32_t nr)
{
	bool counters = false;

	for (uint32_t k = 0; k < nr; k++) {
		struct perfdata_event *ev = &pd->events.v[leader + k]->pub;

		counters |= ev->branch_counters;
		ev->leader = leader;
		ev->nr_members = k ? 0 : nr;
	}
	for (uint32_t k = 0; k < nr; k++)
		pd->events.v[leader + k]->pub.branch_counters = counters;
}

static void decode_group_desc(struct perfdata *pd, struct cursor *c)
{
	uint32_t nr = cursor_u32(c), end = 0;

	if (nr > own_events(pd)) {
		c->bad = true;
		return;
	}
	/* In a stream it may come again: the last one holds, and no event is of groups of two. */
	part_events(pd);
	for (uint32_t i = 0; i < nr && !c->bad; i++) {
		const char *name = feature_str(c);
		uint32_t leader = cursor_u32(c), members = cursor_u32(c);
		struct pd_event *ev;

		/* Recorders list them in order. An event of two groups would be visited for both. */
		if (c->bad || leader < end || leader >= own_events(pd) ||
		    members > own_events(pd) - leader) {
			c->bad = true;
			return;
		}
		end = leader + (members ?: 1);
		ev = pd->events.v[leader];
		ev->pub.nr_members = members; /* 0 of files that lie stays 0 */
		group_events(pd, leader, members);
		/* "{anon_group}" is what a group without a name is stored as. */
		if (strcmp(name, "{anon_group}"))
			ev->pub.group = arena_strdup(&pd->arena, name);
	}
}

static void decode_caps(struct perfdata *pd, struct cursor *c, uint32_t nr)
{
	static const struct {
		const char *name;
		size_t offset;
	} caps[] = {
		{ "branches", offsetof(struct perfdata_env, max_branches) },
		{ "branch_counter_nr", offsetof(struct perfdata_env, branch_counter_nr) },
		{ "branch_counter_width", offsetof(struct perfdata_env, branch_counter_width) },
	};

	for (uint32_t i = 0; i < nr && !c->bad; i++) {
		const char *name = feature_str(c), *value = feature_str(c);

		for (size_t k = 0; name && value && k < ARRAY_SIZE(caps); k++)
			if (!strcmp(name, caps[k].name))
				*(uint32_t *)((char *)&pd->env + caps[k].offset) =
					(uint32_t)strtoul(value, NULL, 0);
	}
}

static void decode_pmu_caps(struct perfdata *pd, struct cursor *c)
{
	uint32_t nr = cursor_u32(c);

	for (uint32_t i = 0; i < nr && !c->bad; i++) {
		decode_caps(pd, c, cursor_u32(c));
		feature_str(c); /* the PMU's name */
	}
}

int features_add_build_id(struct perfdata *pd, const unsigned char *p, uint32_t size)
{
	const struct record rec = {
		.data = p, .size = size, .misc = load_u16(p + 4, pd->swap), .swap = pd->swap
	};
	struct perfdata_build_id b;

	/* What has no room for a path tells nothing. */
	if (record_build_id(&rec, &b, NULL))
		return 0;
	b.path = arena_strdup(&pd->arena, b.path);
	return !b.path || vec_push(&pd->build_ids, b) ? -ENOMEM : 0;
}

static void decode_build_ids(struct perfdata *pd, struct cursor *c)
{
	while (cursor_left(c) >= 8) {
		uint32_t size = load_u16(c->p + 6, c->swap);
		const unsigned char *p = size < 8 ? NULL : cursor_bytes(c, size);

		if (!p) {
			c->bad = true;
			return;
		}
		if (features_add_build_id(pd, p, size))
			return;
	}
}

/* A name of later times is none of these. */
static void set_raw(struct perfdata_event *ev, const char *payload)
{
	bool both = !strcmp(payload, RAW_BASES_AND_MXCSR);

	ev->raw_bases |= both || !strcmp(payload, RAW_BASES);
	ev->raw_mxcsr |= both || !strcmp(payload, RAW_MXCSR);
}

/* Only what decoding samples needs; the rest is for people, see print_sample_source(). */
static void decode_sample_source(struct perfdata *pd, struct cursor *c)
{
	uint32_t version = cursor_u32(c), nr = cursor_u32(c);

	if (version != 1)
		return;
	for (uint32_t i = 0; i < nr && !c->bad; i++) {
		cursor_u32(c);
		for (int field = 0; field < 3; field++)
			feature_str(c);
	}
	if (c->bad || cursor_left(c) < 4)
		return;
	nr = cursor_u32(c);
	for (uint32_t i = 0; i < nr && !c->bad; i++) {
		uint32_t idx = cursor_u32(c);
		const char *payload = feature_str(c);

		if (payload && idx < pd->events.n)
			set_raw(&pd->events.v[idx]->pub, payload);
	}
}

bool perfdata_follows_branches(const struct perfdata *pd, uint32_t event)
{
	size_t size;
	const void *p = perfdata_feature_raw(pd, FEAT_SAMPLE_SOURCE, &size);
	struct cursor c = cursor_init(p, p ? size : 0, pd->swap);
	uint32_t nr = p && cursor_u32(&c) == 1 ? cursor_u32(&c) : 0;

	for (uint32_t i = 0; i < nr && !c.bad; i++) {
		uint32_t of = cursor_u32(&c);
		const char *branches;

		feature_str(&c); /* who read registers */
		branches = feature_str(&c);
		feature_str(&c);
		if ((of == event || event == PERFDATA_ANY_EVENT) && branches && *branches)
			return true;
	}
	return false;
}

static void feature_decode(struct perfdata *pd, int id, struct cursor *c)
{
	struct perfdata_env *env = &pd->env;

	switch (id) {
	case FEAT_BUILD_ID: decode_build_ids(pd, c); break;
	case FEAT_HOSTNAME: decode_string(pd, c, &env->hostname); break;
	case FEAT_OSRELEASE: decode_string(pd, c, &env->os_release); break;
	case FEAT_VERSION: decode_string(pd, c, &env->version); break;
	case FEAT_ARCH: decode_string(pd, c, &env->arch); break;
	case FEAT_CPUDESC: decode_string(pd, c, &env->cpu_desc); break;
	case FEAT_CPUID: decode_string(pd, c, &env->cpuid); break;
	case FEAT_NRCPUS:
		env->nr_cpus_avail = cursor_u32(c);
		env->nr_cpus_online = cursor_u32(c);
		break;
	case FEAT_TOTAL_MEM: env->total_mem_kb = cursor_u64(c); break;
	case FEAT_CMDLINE: decode_cmdline(pd, c); break;
	case FEAT_EVENT_DESC: decode_event_desc(pd, c); break;
	case FEAT_GROUP_DESC: decode_group_desc(pd, c); break;
	case FEAT_SAMPLE_TIME:
		env->first_time = cursor_u64(c);
		env->last_time = cursor_u64(c);
		break;
	case FEAT_CPU_PMU_CAPS: decode_caps(pd, c, cursor_u32(c)); break;
	case FEAT_PMU_CAPS: decode_pmu_caps(pd, c); break;
	case FEAT_E_MACHINE:
		env->e_machine = cursor_u32(c);
		env->e_flags = cursor_u32(c);
		break;
	case FEAT_SAMPLE_SOURCE: decode_sample_source(pd, c); break;
	default: break;
	}
}

/* Features larger than this are read only when somebody asks (tracing data, BPF programs). */
static bool feature_is_lazy(int id)
{
	return id == FEAT_TRACING_DATA || id == FEAT_BPF_PROG_INFO || id == FEAT_BPF_BTF ||
	       id == FEAT_AUXTRACE || !feature_known(id);
}

static void feature_apply(struct perfdata *pd, int id)
{
	struct cursor c;
	const void *data;
	size_t size;

	if (feature_is_lazy(id))
		return;
	data = perfdata_feature_raw(pd, id, &size);
	if (!data)
		return;
	c = cursor_init(data, size, pd->swap);
	feature_decode(pd, id, &c);
	if (c.bad)
		log_to(&pd->opts.log, LOG_WARN,
		       "feature %d at offset %#lx: its %zu bytes end too early; what was whole is "
		       "used",
		       id, pd->feat[id].offset, size);
}

int features_load(struct perfdata *pd, struct err *e)
{
	uint64_t at = pd->layout.feat_offset, file_size = pd->layout.file_size;
	int fd = pd->streams[0].win.fd;

	for (int id = 0; id < FEAT_BITS; id++) {
		struct feature_section *f = &pd->feat[id];
		unsigned char buf[16];
		ssize_t got;

		if (!perfdata_has_feature(pd, id))
			continue;
		got = window_pread(fd, buf, 16, at);
		if (got < 0)
			return err_set(e, (int)got, "cannot read the table of features: %s",
				       strerror((int)-got));
		if (got == 16) {
			f->offset = load_u64(buf, pd->swap);
			f->size = load_u64(buf + 8, pd->swap);
		} else {
			f->offset = UINT64_MAX;
		}
		at += 16;
		if (f->offset > file_size || f->size > file_size - f->offset ||
		    f->size > FEATURE_MAX) {
			if (!pd->bits_guessed)
				log_to(&pd->opts.log, LOG_WARN,
				       "feature %d: its section (%lu bytes at offset %#lx) is not in the "
				       "file; left out",
				       id, f->size, f->offset);
			pd->feat_bits[id / 64] &= ~BIT(id % 64);
			continue;
		}
		if (!feature_known(id))
			pd->stats.unknown_features++;
	}
	for (int id = 0; id < FEAT_BITS; id++)
		if (perfdata_has_feature(pd, id))
			feature_apply(pd, id);
	if (tracing_name_events(pd))
		return err_set(e, -ENOMEM, "out of memory for names of events");
	return 0;
}

int features_add(struct perfdata *pd, uint64_t id, const void *data, size_t size, struct err *e)
{
	struct feature_section *f;

	if (id >= FEAT_BITS) {
		pd->stats.unknown_features++;
		return 0;
	}
	/* The last of these records is empty: its id says how many kinds the writer knew. */
	if (!size && id != FEAT_BRANCH_STACK && id != FEAT_STAT)
		return 0;
	if (!feature_known((int)id)) {
		pd->stats.unknown_features++;
		return 0;
	}
	f = &pd->feat[id];
	if (id == FEAT_TRACING_DATA)
		tracing_forget(pd);
	free(f->data);
	f->data = malloc(size + 1);
	if (!f->data)
		return err_set(e, -ENOMEM, "out of memory for feature %lu", id);
	memcpy(f->data, data, size);
	f->size = size;
	f->offset = 0;
	feature_set(pd, (int)id);
	feature_apply(pd, (int)id);
	return 0;
}

/* ---- public ---------------------------------------------------------------------------------------- */

const struct perfdata_env *perfdata_env(const struct perfdata *pd)
{
	return &pd->env;
}

size_t perfdata_nr_build_ids(const struct perfdata *pd)
{
	return pd->build_ids.n;
}

const struct perfdata_build_id *perfdata_build_id(const struct perfdata *pd, size_t i)
{
	return i < pd->build_ids.n ? &pd->build_ids.v[i] : NULL;
}

static void skip_lists(struct cursor *c)
{
	for (uint32_t i = 0, nr = cursor_u32(c); i < nr && !c->bad; i++)
		feature_str(c);
}

int perfdata_cpu_socket(const struct perfdata *pd, uint32_t cpu)
{
	size_t size;
	const void *data = perfdata_feature_raw(pd, FEAT_CPU_TOPOLOGY, &size);
	struct cursor c = cursor_init(data, data ? size : 0, pd->swap);
	int socket;

	if (!data || cpu >= pd->env.nr_cpus_avail)
		return -1;
	skip_lists(&c);
	skip_lists(&c);
	cursor_skip(&c, (uint64_t)cpu * 8 + 4);
	socket = (int)cursor_u32(&c);
	return c.bad ? -1 : socket;
}
