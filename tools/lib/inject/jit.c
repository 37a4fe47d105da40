// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Code compiled at run time, for readers that know no jitdump files: each becomes an object, and
 * when code was loaded or moved the recording gets a MMAP2 of that part of the object. The maps of
 * the memory that code lies in are left out, for each would cover the code again.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "attr/attr.h"
#include "inject/inject-int.h"

void inject_jit_free(struct inject_jits *s)
{
	vec_for_each (src, &s->v) {
		jitdump_close(src->dump);
		free(src->object);
		free(src->offset);
	}
	vec_free(&s->v);
}

void inject_jit_put_id(const struct inject_jit *s, struct obuf *ids)
{
	struct perfdata_build_id id = { .size = s->id.size,
					.pid = -1, /* the host */
					.misc = PERF_RECORD_MISC_USER,
					.path = s->object };

	memcpy(id.id, s->id.id, s->id.size);
	buildid_put_recorded(ids, &id);
}

/* ---- files ---------------------------------------------------------------------------------------- */

static int add_source(struct inject *in, const struct record_mmap *r, uint64_t time, struct err *e)
{
	const char *path = r->filename, *slash = strrchr(path, '/'), *why = NULL;
	struct inject_jit s = { .pid = r->pid,
				.tid = r->tid,
				.mapped = time == RECORD_NO_TIME ? 0 : time };
	struct err bad = { 0 };
	int fd = jit_file_open(path, (int32_t)r->pid, false, &why), ret;

	if (fd < 0 || jitdump_open(&s.dump, fd, &bad)) {
		log_to(&in->o->log, LOG_WARN, "%s is left out: %s", path,
		       why	? why
		       : fd < 0 ? strerror(-fd)
				: bad.text);
		return 0;
	}
	if (jitdump_damage(s.dump))
		log_to(&in->o->log, LOG_WARN, "%s: used up to its damage: %s", path,
		       jitdump_damage(s.dump));
	s.ticks = jitdump_tsc(s.dump);
	if (s.ticks)
		log_to(&in->o->log, LOG_WARN,
		       "%s: its times are ticks of the CPU, so code that was compiled again at the same "
		       "place goes by its last name",
		       path);
	if (asprintf(&s.object, "%.*sjitted-%u.so", slash ? (int)(slash - path) + 1 : 0, path,
		     r->pid) < 0)
		s.object = NULL;
	ret = s.object ? inject_jit_object(&s, e) : err_set(e, -ENOMEM, "out of memory for a path");
	if (!ret && vec_push(&in->jit.v, s))
		ret = err_set(e, -ENOMEM, "out of memory for jitdump files");
	if (ret) {
		jitdump_close(s.dump);
		free(s.object);
		free(s.offset);
	}
	return ret;
}

static bool is_source(const struct inject *in, uint32_t pid)
{
	vec_for_each (s, &in->jit.v)
		if (s->pid == pid)
			return true;
	return false;
}

int inject_jit_record(struct inject *in, const struct record *rec, bool *drop, struct err *e)
{
	struct record_mmap r;
	struct err bad;

	if ((rec->type != PERF_RECORD_MMAP && rec->type != PERF_RECORD_MMAP2) ||
	    record_mmap(rec, &r, &bad))
		return 0;
	if (dso_is_anon_name(r.filename)) {
		*drop = is_source(in, r.pid);
		return 0;
	}
	if (!jitdump_is_name(r.filename) || is_source(in, r.pid))
		return 0;
	if (!perfdata_uses_clock(in->pd, CLOCK_MONOTONIC)) {
		err_set(e, -EINVAL,
			"%s: its times are not the recording's, so its code cannot be placed",
			r.filename);
		err_hint(e, "perf record -k mono ...");
		return -EINVAL;
	}
	return add_source(in, &r, rec->time, e);
}

/* ---- records --------------------------------------------------------------------------------------- */

/* When the event counts. */
static uint64_t time_of(const struct inject_jit *s, const struct jit_event *ev)
{
	return s->ticks ? s->mapped : ev->time;
}

static void put_sample_id(struct obuf *o, const struct perf_event_attr *attr,
			  const struct inject_jit *s, uint64_t time, uint64_t id)
{
	struct attr_trailer t = { .pid = s->pid, .tid = s->tid, .time = time, .id = id };
	uint64_t words[ATTR_TRAILER_MAX];

	obuf_mem(o, words, attr_trailer_put(attr, &t, words));
}

static int put_map(struct inject *in, const struct inject_jit *s, const struct jit_event *ev,
		   struct err *e)
{
	const struct perfdata_event *event = perfdata_event(in->pd, 0);
	struct perf_event_header h = { .type = PERF_RECORD_MMAP2,
				       .misc = PERF_RECORD_MISC_USER |
					       PERF_RECORD_MISC_MMAP_BUILD_ID };
	size_t n = strlen(s->object) + 1;
	struct obuf o;
	int ret;

	if (obuf_init(&o, -1, 0))
		return err_set(e, -ENOMEM, "out of memory for a record");
	obuf_mem(&o, &h, sizeof(h));
	feature_put_u32(&o, s->pid);
	feature_put_u32(&o, s->tid);
	feature_put_u64(&o, ev->addr);
	feature_put_u64(&o, jitdump_code(s->dump, ev->code)->size);
	feature_put_u64(&o, s->text + s->offset[ev->code]);
	obuf_char(&o, (char)s->id.size);
	obuf_pad(&o, 0, 3);
	obuf_mem(&o, s->id.id, sizeof(s->id.id));
	feature_put_u32(&o, 5); /* PROT_READ | PROT_EXEC */
	feature_put_u32(&o, 2); /* MAP_PRIVATE */
	obuf_mem(&o, s->object, n);
	obuf_pad(&o, 0, (int)(align_up(n, 8) - n));
	put_sample_id(&o, &event->attr, s, time_of(s, ev), event->nr_ids ? event->ids[0] : 0);
	h.size = (uint16_t)o.len;
	if (!o.code)
		memcpy(o.buf, &h, sizeof(h));
	ret = o.code ? err_set(e, o.code, "out of memory for a record")
		     : perfdata_writer_write(in->w, o.buf, o.len, NULL, 0, e);
	obuf_free(&o);
	in->stats.added++;
	in->stats.jit_maps++;
	return ret;
}

/* The source whose next event is the earliest; NULL when there is none up to @time. */
static struct inject_jit *earliest(struct inject *in, uint64_t time)
{
	struct inject_jit *best = NULL;
	uint64_t when = time;

	vec_for_each (s, &in->jit.v) {
		const struct jit_event *ev = jitdump_event(s->dump, s->next);

		if (ev && time_of(s, ev) <= when && (!best || time_of(s, ev) < when)) {
			best = s;
			when = time_of(s, ev);
		}
	}
	return best;
}

int inject_jit_advance(struct inject *in, uint64_t time, struct err *e)
{
	struct inject_jit *s;
	int ret = 0;

	while (!ret && (s = earliest(in, time)))
		ret = put_map(in, s, jitdump_event(s->dump, s->next++), e);
	return ret;
}
