// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A part of a file, mapped, for who looks at a few bytes of each record: copying all of them takes longer than
 * the look. What is mapped may change at any time and become shorter. So nothing is handed out of here: who looks
 * loads each word once, by itself, and copies a record before anybody else sees it. Where the file ends earlier
 * than it did zeros are read (elf/guard.c), which are no record; the walk then reads that place, and
 * finds out what is wrong with it. Mapped parts go as the walk goes on, so that they are no memory to speak of.
 */
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/elf.h"
#include "perfdata-int.h"

#define VIEW_SIZE (2u << 20)

static void forget(struct window_view *v)
{
	if (!v->map)
		return;
	/* Dropped first: another map may lie there as soon as this one is gone. */
	elf_guard_drop(v->guard);
	munmap(v->map, v->len);
	v->map = NULL;
	v->len = 0;
}

static bool move(struct window_view *v, uint64_t off)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), base = off & ~(page - 1);
	struct stat st;
	void *map;

	forget(v);
	if (off > INT64_MAX || fstat(v->fd, &st) || (uint64_t)st.st_size <= off)
		return false;
	v->len = (size_t)min_u64(VIEW_SIZE, (uint64_t)st.st_size - base);
	map = mmap(NULL, v->len, PROT_READ, MAP_PRIVATE | MAP_POPULATE, v->fd, (off_t)base);
	if (map == MAP_FAILED)
		return false;
	v->to_end = v->len < VIEW_SIZE;
	v->guard = elf_guard_add(map, v->len);
	v->map = map;
	v->base = base;
	if (v->guard)
		return true;
	forget(v);
	return false;
}

static bool has(const struct window_view *v, uint64_t off)
{
	uint64_t skip = off - v->base;

	if (!v->map || off < v->base || skip > v->len)
		return false;
	return v->to_end || v->len - skip >= VIEW_LEAST;
}

const unsigned char *window_view_at(struct window_view *v, int fd, uint64_t off, size_t *left)
{
	if (v->fd != fd) {
		forget(v);
		v->fd = fd;
		v->fails = false;
	}
	if (!v->fails && !has(v, off))
		v->fails = !move(v, off);
	*left = v->fails ? 0 : v->len - (size_t)(off - v->base);
	return v->fails ? NULL : v->map + (off - v->base);
}

void window_view_free(struct window_view *v)
{
	forget(v);
}

void window_view_read(struct window_view *v, struct window *w, uint64_t off, size_t n)
{
	size_t left;
	const unsigned char *p = window_view_at(v, w->fd, off, &left);
	struct stat st;

	n = (size_t)min_u64(left, n);
	/* Zeros that stand for what the file has no more are no bytes of it: they are asked for after they were copied. */
	if (p && window_put(w, off, p, n) && (fstat(w->fd, &st) || (uint64_t)st.st_size < off + n))
		w->len = 0;
}
