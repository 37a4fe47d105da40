// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A part of a file, mapped, for who looks at a few bytes of each record: copying all of them takes longer than
 * the look. What is mapped may change at any time and become shorter. So nothing is handed out of here: who looks
 * loads each word once, by itself, and copies a record before anybody else sees it. Where the file ends earlier
 * than it did, or a page of it cannot be read, there are zeros (elf/guard.c), which are no record; the walk then
 * reads that place, and finds out what is wrong with it.
 *
 * A map begins at a large page of the file, and what is looked at is asked for by large pages: where the file system keeps files
 * in such ones, each is one entry of the page table and one of the TLB, which takes less than the look. Those that were passed
 * go as the walk goes on, so that they are no memory to speak of.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/elf.h"
#include "perfdata-int.h"

#define WORTH_THREAD (16u << 20) /* bytes of a map that is given back */
#define VIEW_SIZE    (64u << 20)

static void forget(struct window_view *v)
{
	const struct window_steps old = v->steps;

	if (!old.map)
		return;
	v->steps = (struct window_steps){ 0 };
	if (v->side)
		window_side_map(v->side, &v->steps);
	/* Dropped first: another map may lie there as soon as this one is gone. */
	elf_guard_drop(v->guard);
	munmap(old.map, old.len);
}

static bool move(struct window_view *v, uint64_t off)
{
	uint64_t base = off & ~(uint64_t)(VIEW_STEP - 1); /* so the first step is at hand */
	struct stat st;
	size_t len;
	void *map;

	forget(v);
	if (off > INT64_MAX || fstat(v->fd, &st) || (uint64_t)st.st_size <= off)
		return false;
	len = (size_t)min_u64(v->whole ? SIZE_MAX : VIEW_SIZE, (uint64_t)st.st_size - base);
	map = mmap(NULL, len, PROT_READ, MAP_PRIVATE, v->fd, (off_t)base);
	if (map == MAP_FAILED)
		return false;
	v->to_end = len == (uint64_t)st.st_size - base;
	v->guard = elf_guard_add(map, len);
	v->steps = (struct window_steps){ .map = map, .len = len, .keep = v->whole };
	v->base = base;
	if (!v->guard) {
		forget(v);
		return false;
	}
	if (v->side)
		window_side_map(v->side, &v->steps);
	return true;
}

static bool has(const struct window_view *v, uint64_t off)
{
	uint64_t skip = off - v->base;

	if (!v->steps.map || off < v->base || skip > v->steps.len)
		return false;
	return v->to_end || v->steps.len - skip >= VIEW_LEAST;
}

/* The step with @skip, and so much behind it that a record is there, are asked for. */
static void step(struct window_view *v, size_t skip)
{
	struct window_steps *s = &v->steps;
	size_t need = min_u64(s->len, skip + (uint64_t)VIEW_LEAST);

	if (skip >= s->here && skip - s->here < VIEW_STEP && s->ready >= need)
		return;
	if (v->side)
		window_side_to(v->side, s, skip);
	else
		window_steps_to(s, skip);
}

const unsigned char *window_view_at(struct window_view *v, int fd, uint64_t off, size_t *left)
{
	size_t skip;

	if (v->fd != fd) {
		forget(v);
		v->fd = fd;
		v->fails = false;
	}
	if (!v->fails && !has(v, off))
		v->fails = !move(v, off);
	*left = 0;
	if (v->fails)
		return NULL;
	skip = (size_t)(off - v->base);
	step(v, skip);
	*left = v->steps.ready - skip;
	return v->steps.map + skip;
}

void window_view_free(struct window_view *v)
{
	forget(v);
}

/* One that was mended has zeros in it: whoever wants bytes reads them. */
void window_view_take(struct window_view *v, struct window_map *m)
{
	if (!v->steps.map || !v->whole || elf_guard_mended(v->guard))
		return;
	*m = (struct window_map){ v->steps.map, v->steps.len, v->base, v->guard };
	v->steps = (struct window_steps){ 0 };
	if (v->side)
		window_side_map(v->side, &v->steps);
}

static void *unmap(void *map)
{
	const struct window_map *m = map;

	/* First the pages: while munmap() takes them nobody gets memory. */
	(void)madvise(m->at, m->len, MADV_DONTNEED);
	munmap(m->at, m->len);
	free(map);
	return NULL;
}

/* To take the pages of a large file out of a process takes as long as to print a report, so somebody else does. */
void window_map_free(struct window_map *m)
{
	struct window_map *own;
	pthread_t thread;

	if (!m->at)
		return;
	elf_guard_drop(m->guard);
	if (m->len < WORTH_THREAD || !(own = malloc(sizeof(*own)))) {
		munmap(m->at, m->len);
		return;
	}
	*own = *m;
	if (pthread_create(&thread, NULL, unmap, own))
		unmap(own);
	else
		pthread_detach(thread);
}

void window_view_read(struct window_view *v, struct window *w, uint64_t off, size_t n)
{
	size_t left;
	const unsigned char *p = window_view_at(v, w->fd, off, &left);
	struct stat st;

	n = (size_t)min_u64(left, n);
	/*
	 * Zeros that stand for what the file has no more, or what cannot be read of it, are no bytes of it: whether
	 * there are some is asked after they were copied. A file that has its size may have been shorter meanwhile.
	 */
	if (p && window_put(w, off, p, n) &&
	    (elf_guard_mended(v->guard) || fstat(w->fd, &st) || (uint64_t)st.st_size < off + n))
		w->len = 0;
}
