// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Line programs, decoded by several threads at once. To what libdw keeps by a handle only one
 * thread at a time may add, and most of what questions for lines cost is that. So a thread that
 * finds the object's handle in use takes another one of the same, unpacked file, which nobody else
 * uses meanwhile. It costs a kilobyte for each unit up to the last one that it is asked for: there
 * are no more handles than threads that met, only a few, and none of a file with very many units.
 *
 * Who reads a unit claims it first: each is decoded once, by whatever handle, and stays with that
 * one (cu->lines_die). Who comes later waits until it is published. Locks are taken in this order:
 * l->lock, l->handles.lock. Who has claimed a unit has its handle, and takes only the latter until
 * it has published it, so that others may wait for it with the former.
 *
 * libelf knows no threads. It is asked with l->lock alone: to open handles, not to decode programs.
 */
#include "config.h"
#include "symbol/symbol-int.h"

#if HAVE_LIBDW
#include "symbol/lines-int.h"

#define UNITS_MAX (LINES_SPARE / 1024) /* of a file that there is more than one handle of */

void lines_handles_init(struct lines *l)
{
	pthread_mutex_init(&l->handles.lock, NULL);
	pthread_cond_init(&l->handles.published, NULL);
}

void lines_handles_free(struct lines *l)
{
	for (unsigned i = 0; i < l->handles.n; i++)
		dwarf_end(l->handles.more[i].dbg);
	pthread_cond_destroy(&l->handles.published);
	pthread_mutex_destroy(&l->handles.lock);
}

/* ---- handles --------------------------------------------------------------------------------- */

/* One that nobody uses, from now on the caller's; NULL = there is none. */
static Dwarf *take_idle(struct lines_handles *h)
{
	Dwarf *dbg = NULL;

	pthread_mutex_lock(&h->lock);
	for (unsigned i = 0; !dbg && i < h->n; i++) {
		if (h->more[i].used)
			continue;
		h->more[i].used = true;
		dbg = h->more[i].dbg;
	}
	pthread_mutex_unlock(&h->lock);
	return dbg;
}

Dwarf *lines_add_handle(struct lines *l)
{
	struct lines_handles *h = &l->handles;
	Dwarf *dbg = NULL;

	if (h->full)
		return NULL;
	/* Of an object file libdwfl has the only one; what an altlink names would be opened by each. */
	if (!l->dwfl && l->units <= UNITS_MAX && !elf_has_section(l->file, ".gnu_debugaltlink") &&
	    mem_room(LINES_SPARE))
		dbg = dwarf_begin_elf(l->file->elf, DWARF_C_READ, NULL);
	pthread_mutex_lock(&h->lock);
	if (dbg) {
		h->more[h->n].dbg = dbg;
		h->more[h->n++].used = true;
	}
	pthread_mutex_unlock(&h->lock);
	h->full = !dbg || h->n == LINES_MORE;
	return dbg;
}

Dwarf *lines_take_handle(struct lines *l, struct resolver *res)
{
	Dwarf *dbg;

	if (!pthread_mutex_trylock(&l->lock)) {
		l->res = res;
		return l->dbg;
	}
	dbg = take_idle(&l->handles);
	if (dbg)
		return dbg;
	/* There are too few, unless one came free meanwhile. */
	lines_begin(l, res);
	dbg = take_idle(&l->handles);
	if (!dbg)
		dbg = lines_add_handle(l);
	if (!dbg)
		return l->dbg;
	lines_end(l);
	return dbg;
}

void lines_give_handle(struct lines *l, Dwarf *dbg)
{
	struct lines_handles *h = &l->handles;

	if (dbg == l->dbg) {
		lines_end(l);
		return;
	}
	pthread_mutex_lock(&h->lock);
	for (unsigned i = 0; i < h->n; i++)
		if (h->more[i].dbg == dbg)
			h->more[i].used = false;
	pthread_mutex_unlock(&h->lock);
}

/* ---- units ----------------------------------------------------------------------------------- */

bool lines_claim(struct cu *cu)
{
	return !atomic_exchange_explicit(&cu->claimed, true, memory_order_relaxed);
}

void lines_publish(struct lines *l, struct cu *cu)
{
	pthread_mutex_lock(&l->handles.lock);
	atomic_store_explicit(&cu->lines_read, true, memory_order_release);
	pthread_cond_broadcast(&l->handles.published);
	pthread_mutex_unlock(&l->handles.lock);
}

bool lines_wait(struct lines *l, struct cu *cu)
{
	if (!atomic_load_explicit(&cu->claimed, memory_order_relaxed))
		return false;
	pthread_mutex_lock(&l->handles.lock);
	while (!atomic_load_explicit(&cu->lines_read, memory_order_acquire))
		pthread_cond_wait(&l->handles.published, &l->handles.lock);
	pthread_mutex_unlock(&l->handles.lock);
	return true;
}

bool lines_add_program(struct lines *l, uint64_t n, uint64_t free)
{
	bool ok;

	pthread_mutex_lock(&l->handles.lock);
	ok = elf_allows(l->file, l->programs + n, free, 1);
	if (ok)
		l->programs += n;
	pthread_mutex_unlock(&l->handles.lock);
	return ok;
}
#endif
