// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Build ids for maps of what already runs. A file's is read once per (device, inode).
 */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/capture-int.h"
#include "elf/elf.h"

#define VDSO_HEAD 4096 /* enough for the headers and the notes */
#define MAX_NOTES (64 << 10)

struct cached {
	uint64_t dev, ino;
	uint8_t size, id[BUILD_ID_MAX];
};

struct synth_cache {
	VEC(struct cached) v;
	struct htab tab;
};

static size_t give(bool found, const struct build_id *from, uint8_t id[BUILD_ID_MAX])
{
	if (!found)
		return 0;
	memcpy(id, from->id, from->size);
	return from->size;
}

static size_t vdso_build_id(uint8_t id[BUILD_ID_MAX])
{
	const void *image =
		(const void *)getauxval(AT_SYSINFO_EHDR); // NOLINT: an address by contract
	struct build_id found;

	return give(image && build_id_from_image(image, VDSO_HEAD, &found), &found, id);
}

size_t capture_file_build_id(const char *path, uint8_t id[BUILD_ID_MAX])
{
	struct build_id found;
	uint64_t size;
	int fd = file_open_regular(path, &size);
	size_t n;

	if (fd < 0)
		return 0;
	n = give(build_id_from_fd(fd, &found), &found, id);
	close(fd);
	return n;
}

size_t capture_notes_build_id(const char *path, uint8_t id[BUILD_ID_MAX])
{
	size_t size = 0, n;
	char *notes = file_read_all(path, MAX_NOTES, &size, NULL);
	struct build_id found;

	n = give(notes && build_id_from_notes(notes, size, false, &found), &found, id);
	free(notes);
	return n;
}

/*
 * The mapped file by the kernel's own link. Only root may follow it, but it leads to files that were
 * removed or replaced, and to those of overlays, where maps and stat tell different devices.
 */
static int open_by_map(const char *proc, pid_t pid, const struct map_line *m)
{
	char path[PATH_MAX];
	uint64_t size;
	struct stat st;

	snprintf(path, sizeof(path), "%s/%d/map_files/%" PRIx64 "-%" PRIx64, proc, pid, m->start,
		 m->end);
	/* Devices are mapped, too, and not to be opened for a look. */
	return !stat(path, &st) && S_ISREG(st.st_mode) ? file_open_regular(path, &size) : -1;
}

/* The mapped file itself: not another one that has its name by now, nor one of our own root. */
static int open_mapped(const char *proc, pid_t pid, const struct map_line *m)
{
	char in_root[PATH_MAX];
	const char *names[] = { m->path, in_root };

	snprintf(in_root, sizeof(in_root), "%s/%d/root%s", proc, pid, m->path);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		int fd = open(names[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		struct stat st;

		if (fd < 0)
			continue;
		if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_ino == m->ino &&
		    st.st_dev == makedev(m->maj, m->min))
			return fd;
		close(fd);
	}
	return open_by_map(proc, pid, m);
}

static struct cached *find_cached(struct synth_cache *c, uint64_t dev, uint64_t ino)
{
	uint64_t hash = hash_mix(hash_u64(dev), ino);
	uint32_t idx;

	for (struct htab_it it = htab_find(&c->tab, hash); htab_next(&c->tab, &it, &idx);)
		if (c->v.v[idx].dev == dev && c->v.v[idx].ino == ino)
			return &c->v.v[idx];
	return NULL;
}

static void add_cached(struct synth_cache *c, const struct cached *new)
{
	uint64_t hash = hash_mix(hash_u64(new->dev), new->ino);

	/* Without memory the file is read again: slower, not wrong. */
	if (!vec_push(&c->v, *new))
		(void)htab_add(&c->tab, hash, (uint32_t)(c->v.n - 1));
}

size_t synth_build_id(struct synth *s, pid_t pid, const struct map_line *m,
		      uint8_t id[BUILD_ID_MAX])
{
	struct cached new = { .dev = makedev(m->maj, m->min), .ino = m->ino };
	const struct cached *old;
	struct build_id found;
	int fd;

	/* Ours is not that of processes of another width, who have it below 4 GB where we do not. */
	if (!strcmp(m->path, "[vdso]"))
		return (m->start < 1ULL << 32) == (sizeof(void *) == 4) ? vdso_build_id(id) : 0;
	if (m->path[0] != '/' || !m->ino)
		return 0;
	if (!s->cache)
		s->cache = calloc(1, sizeof(*s->cache));
	if (!s->cache)
		return 0;
	old = find_cached(s->cache, new.dev, m->ino);
	if (!old) {
		fd = open_mapped(s->proc ? s->proc : "/proc", pid, m);
		if (fd >= 0) {
			new.size = (uint8_t)give(build_id_from_fd(fd, &found), &found, new.id);
			close(fd);
		}
		add_cached(s->cache, &new);
		old = &new;
	}
	memcpy(id, old->id, BUILD_ID_MAX);
	return old->size;
}

void synth_end(struct synth *s)
{
	if (!s->cache)
		return;
	vec_free(&s->cache->v);
	htab_free(&s->cache->tab);
	free(s->cache);
	s->cache = NULL;
}
