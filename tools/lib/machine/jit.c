// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Code that was compiled at run time, from jitdump files. A process that writes such a file maps a
 * page of it, so that a recording tells where it is. Its events put pieces of code, which are
 * ranges of the file, at addresses in anonymous memory; here they become maps of an overlay, one
 * for each address space, that is asked when an address lies in anonymous memory or nowhere. It is
 * no part of the space's own maps: compilers change the protection of their memory again and again,
 * and each time the kernel tells of a new map of all of it.
 *
 * An event counts from its time on, so samples of code that was thrown away find what lay there
 * then. Where the recording's clock is another one all events count from the start, the latest last.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "machine/machine-int.h"

void machine_read_jitdumps(struct machine *m, const char *symfs, bool flat)
{
	m->jit.on = true;
	m->jit.due = UINT64_MAX;
	m->jit.symfs = symfs && *symfs ? symfs : NULL;
	m->jit.symfs_flat = flat;
}

void machine_jit_free(struct machine *m)
{
	struct jit *j = &m->jit;

	vec_for_each (s, &j->source)
		jitdump_close(s->dump);
	vec_free(&j->source);
	vec_for_each (c, &j->code)
		space_clear(&c->maps, &m->pool);
	vec_free(&j->code);
	vec_for_each (t, &j->trouble)
		free(t->text);
	vec_free(&j->trouble);
}

static void trouble(struct machine *m, int32_t pid, const char *path, const char *why)
{
	struct jit_trouble t = { .pid = pid };

	if (asprintf(&t.text, "%s: %s", path, why) < 0)
		return;
	if (vec_push(&m->jit.trouble, t))
		free(t.text);
}

const char *machine_jit_trouble(const struct machine *m, int32_t pid)
{
	vec_for_each (t, &m->jit.trouble)
		if (t->pid == pid)
			return t->text;
	return NULL;
}

struct jitdump *machine_jitdump(const struct machine *m, const struct dso *dso)
{
	vec_for_each (s, &m->jit.source)
		if (s->dso == dso)
			return s->dump;
	return NULL;
}

/* ---- files --------------------------------------------------------------------------------------- */

/* Opens the file where it is told to lie: a descriptor, or -errno with @why. */
static int open_dump(const struct machine *m, int32_t pid, const char *path, const char **why)
{
	const char *below = m->jit.symfs_flat ? strrchr(path, '/') : path;
	char *moved;
	int fd;

	if (!m->jit.symfs) {
		fd = jit_file_open(path, pid, false, why);
		return fd == -ENOENT ? jit_file_open(path, pid, true, why) : fd;
	}
	if (asprintf(&moved, "%s/%s", m->jit.symfs, below ? below : path) < 0)
		return -ENOMEM;
	fd = jit_file_open(moved, pid, false, why);
	free(moved);
	return fd;
}

static struct jitdump *read_dump(struct machine *m, int32_t pid, const char *path)
{
	struct jitdump *d = NULL;
	const char *why = NULL;
	char text[160];
	struct err e;
	int fd = open_dump(m, pid, path, &why);

	if (fd < 0) {
		snprintf(text, sizeof(text), "names of code compiled by process %d are missing: %s",
			 pid, why ? why : strerror(-fd));
		trouble(m, pid, path, text);
		return NULL;
	}
	if (jitdump_open(&d, fd, &e)) {
		trouble(m, pid, path, e.text);
		return NULL;
	}
	if (jitdump_damage(d)) {
		snprintf(text, sizeof(text), "used up to its damage: %s", jitdump_damage(d));
		trouble(m, pid, path, text);
	}
	m->jit.mono = m->pd && perfdata_uses_clock(m->pd, CLOCK_MONOTONIC);
	if (!m->jit.mono || jitdump_tsc(d))
		trouble(m, pid, path,
			"its times are not the recording's, so code that was compiled again at the "
			"same place goes by its last name (record with -k mono)");
	return d;
}

static struct jit_code_maps *code_of(struct machine *m, uint32_t space)
{
	uint32_t *jit = &m->space.v[space].jit;

	if (!*jit) {
		if (vec_push(&m->jit.code, (struct jit_code_maps){ 0 }))
			return NULL;
		*jit = (uint32_t)m->jit.code.n;
	}
	return &m->jit.code.v[*jit - 1];
}

/* When the next event of @s counts. */
static uint64_t due(const struct machine *m, const struct jit_source *s)
{
	const struct jit_event *ev = jitdump_event(s->dump, s->next);

	if (!ev)
		return UINT64_MAX;
	return m->jit.mono && !jitdump_tsc(s->dump) ? ev->time : 0;
}

int machine_jit_mapped(struct machine *m, int32_t pid, uint32_t space, const char *path)
{
	struct dso_key key = { .kind = DSO_JIT, .path = path, .pid = pid };
	struct jit_source s = { .space = space };

	/* Recorders repeat maps, and an exec starts anew. */
	vec_for_each (old, &m->jit.source)
		if (old->space == space && !strcmp(old->dso->path, path))
			return 0;
	s.dump = read_dump(m, pid, path);
	if (!s.dump)
		return 0;
	s.dso = dso_get(&m->dsos, &key);
	if (!s.dso || !code_of(m, space) || vec_push(&m->jit.source, s)) {
		jitdump_close(s.dump);
		return -ENOMEM;
	}
	m->jit.due = min_u64(m->jit.due, due(m, &s));
	return 0;
}

int machine_jit_share(struct machine *m, uint32_t to, uint32_t from)
{
	struct jit_code_maps *code;

	if (!m->space.v[from].jit)
		return 0;
	code = code_of(m, to);
	if (!code)
		return -ENOMEM;
	space_share(&code->maps, &code_of(m, from)->maps, &m->pool);
	return 0;
}

void machine_jit_forget(struct machine *m, uint32_t space)
{
	if (!m->space.v[space].jit)
		return;
	space_clear(&code_of(m, space)->maps, &m->pool);
	vec_for_each (s, &m->jit.source)
		if (s->space == space)
			s->next = SIZE_MAX;
}

/* ---- events -------------------------------------------------------------------------------------- */

static int apply(struct machine *m, const struct jit_source *s, const struct jit_event *ev)
{
	const struct jit_code *code = jitdump_code(s->dump, ev->code);
	struct jit_code_maps *maps = code_of(m, s->space);
	struct map_obj *map;

	if (!maps)
		return -ENOMEM;
	machine_changes(m);
	if (ev->moved && space_remove(&maps->maps, &m->pool, ev->old, ev->old + code->size))
		return -ENOMEM;
	map = map_new(&m->pool);
	if (!map)
		return -ENOMEM;
	map->pub.start = ev->addr;
	map->pub.end = ev->addr + code->size < ev->addr ? UINT64_MAX : ev->addr + code->size;
	map->pub.pgoff = code->at;
	map->pub.dso = s->dso;
	map->pub.prot = 4; /* PROT_EXEC */
	m->space.v[s->space].gen++;
	return space_insert(&maps->maps, &m->pool, map, false);
}

static int advance(struct machine *m, uint64_t time)
{
	const struct jit_event *ev;
	int ret = 0;

	m->jit.due = UINT64_MAX;
	vec_for_each (s, &m->jit.source) {
		while (!ret && due(m, s) <= time && (ev = jitdump_event(s->dump, s->next))) {
			ret = apply(m, s, ev);
			s->next++;
		}
		m->jit.due = min_u64(m->jit.due, due(m, s));
	}
	return ret;
}

int machine_advance(struct machine *m, uint64_t time)
{
	return likely(!m->jit.on || time < m->jit.due) ? 0 : advance(m, time);
}

struct map *machine_jit_find(struct machine *m, const struct space *s, uint64_t ip)
{
	return s->jit ? space_find(&m->jit.code.v[s->jit - 1].maps, ip) : NULL;
}
