// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The feature BUILD_ID. The records are read once more in time order, to see which
 * objects samples and their call chains fell into. Those of containers are copied into the cache:
 * later nobody may be there who can tell what their paths meant.
 */
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/bytes.h"
#include "recorder/recorder-int.h"
#include "session/session.h"

struct hits {
	struct machine *m;
	struct machine_hits *hits;
	struct buildid_roots *roots; /* NULL = no file is looked for in them */
	bool all, copy;
	unsigned copied, failed, no_id;
	struct err why; /* the first that failed */
};

/* ---- containers ---------------------------------------------------------------------------------- */

void recorder_keep_roots(struct recorder *rec)
{
	if (rec->pipe || rec->opts->no_buildid || (!rec->roots && buildid_roots_new(&rec->roots)))
		return;
	buildid_roots_renew(rec->roots);
	if (!rec->target->system_wide && !rec->opts->no_buildid_cache)
		vec_for_each (tid, &rec->target->tids)
			buildid_roots_add(rec->roots, *tid, true);
}

/* @n bytes at @at of two pieces. */
static bool peek(unsigned char *to, size_t n, size_t at, const unsigned char *a, size_t na,
		 const unsigned char *b, size_t nb)
{
	if (at + n > na + nb)
		return false;
	for (size_t i = 0; i < n; i++, at++)
		to[i] = at < na ? a[at] : b[at - na];
	return true;
}

/*
 * A program that was just started runs in the root that it will have to its end; once that is kept, its files
 * can be opened though nobody of the container lives any more.
 */
void recorder_keep_new_roots(struct recorder *rec, const void *a, size_t na, const void *b,
			     size_t nb)
{
	unsigned char r[12]; /* type, misc, size; of COMM the pid */
	size_t size;

	for (size_t at = 0; peek(r, sizeof(r), at, a, na, b, nb); at += size) {
		size = load_u16(r + 6, false);
		if (size < 8)
			return;
		if (load_u32(r, false) == PERF_RECORD_COMM &&
		    load_u16(r + 4, false) & PERF_RECORD_MISC_COMM_EXEC)
			buildid_roots_add(rec->roots, (int32_t)load_u32(r + 8, false), true);
	}
}

static bool is_here(const struct dso *dso)
{
	struct build_id id = { 0 };

	id.size = (uint8_t)capture_file_build_id(dso->path, id.id);
	return id.size && id.size == dso->build_id_size && !memcmp(id.id, dso->build_id, id.size);
}

static void copy_object(struct hits *h, const struct dso *dso, const struct build_id *id, int fd)
{
	struct err e = { 0 };
	char from[32];
	int ret;

	if (!id->size) {
		h->no_id++;
		return;
	}
	snprintf(from, sizeof(from), "/proc/self/fd/%d", fd);
	ret = buildid_cache_add(id, from, dso->path, "elf", &e);
	if (!ret)
		h->copied++;
	else if (ret != -EEXIST && !h->failed++)
		h->why = e;
}

/* An object whose file has another name, or none, here; true with its build id. */
static bool is_of_container(struct hits *h, const struct dso *dso, struct build_id *id)
{
	char path[PATH_MAX + 64];
	int fd;

	if (!h->roots || !buildid_roots_nr(h->roots) || dso->kind != DSO_USER || is_here(dso))
		return false;
	fd = buildid_roots_open(h->roots, dso, id, path, sizeof(path));
	if (fd < 0)
		return false;
	if (h->copy)
		copy_object(h, dso, id, fd);
	close(fd);
	return true;
}

static void say_copied(const struct recorder *rec, const struct hits *h)
{
	char dir[PATH_MAX];

	if (h->copied && buildid_cache_dir(dir, sizeof(dir)))
		recorder_say(rec, LOG_WARN, "perf record: files of containers: %u copied to %s",
			     h->copied, dir);
	if (h->failed)
		recorder_say(
			rec, LOG_WARN,
			"perf record: files of containers: %u not copied, their names are found "
			"while the processes live: %s%s%s",
			h->failed, h->why.text, *h->why.hint ? ". " : "", h->why.hint);
	if (h->no_id)
		recorder_say(
			rec, LOG_WARN,
			"perf record: files of containers: %u without build id, their names are "
			"found while the processes live",
			h->no_id);
}

/* ---- objects ------------------------------------------------------------------------------------- */

static void put_hits(struct hits *h, struct obuf *o)
{
	if (h->roots)
		buildid_roots_add_all(h->roots, h->m);
	for (size_t i = 0; i < machine_nr_dsos(h->m); i++) {
		const struct dso *dso = machine_dso(h->m, i);
		struct build_id id;

		if (!h->all && !machine_hits_have(h->hits, dso))
			continue;
		if (is_of_container(h, dso, &id) ? id.size : buildid_of_dso(dso, &id))
			buildid_put_entry(o, dso, &id);
	}
}

static uint64_t need(void *ctx, const struct perfdata_event *event)
{
	const struct hits *h = ctx;

	(void)event;
	return h->all ? SESSION_NONE : MACHINE_HITS_NEED;
}

static int one_sample(void *ctx, const struct session_sample *in, struct err *e)
{
	struct hits *h = ctx;

	return machine_hits_sample(h->hits, in->s, in->thread, e);
}

/* What is wrong with a record readers will say. */
static int read_hits(struct hits *h, struct session *s, struct err *e)
{
	static const struct session_consumer consumer = {
		.need = need,
		.sample = one_sample,
		.flags = SESSION_WHOLE,
	};
	int ret = session_read(s, &consumer, h, e);

	if (!ret && session_damage(s)) {
		*e = *session_damage(s);
		ret = e->code;
	}
	return ret;
}

int recorder_build_ids(struct recorder *rec, struct obuf *o, struct err *e)
{
	struct session_opts so = {
		.force = true, .no_limits = true, .no_symbols = true, .log = rec->opts->log
	};
	struct hits h = { .all = rec->opts->buildid_all,
			  .roots = rec->roots,
			  .copy = !rec->opts->no_buildid_cache };
	struct session *s = NULL;
	char path[64];
	int ret;

	/* The descriptor, not the name: that may be another file by now. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", rec->fd);
	so.input = path;
	ret = session_open(&s, &so, e);
	ret = ret ?: session_start(s, e);
	if (!ret) {
		h.m = session_env(s)->machine;
		if (machine_hits_new(&h.hits, h.m, NULL, NULL))
			ret = err_set(e, -ENOMEM, "out of memory for the objects that were hit");
	}
	ret = ret ?: read_hits(&h, s, e);
	if (!ret) {
		put_hits(&h, o);
		say_copied(rec, &h);
	}
	machine_hits_free(h.hits);
	session_close(s);
	return ret;
}
