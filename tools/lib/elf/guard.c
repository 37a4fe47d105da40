// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mapped files that somebody else may cut short. Reading a page that the file no longer has raises
 * SIGBUS; the handler puts zeros where the file was, from that page to the end of the map, and the
 * read goes on. What reads there checks every number anyway, for the file could have held zeros.
 *
 * A signal handler gets no context, so the maps are in a list that only grows: places in it are
 * used again. This is the one static of its kind; it is changed with atomic operations alone, and
 * the handler takes no lock. Other threads may let go of their maps meanwhile and make new ones: a place
 * that is taken again while it is looked at is none of what this thread reads.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/elf-int.h"

struct elf_guard {
	atomic_uintptr_t start, end; /* end 0 = free, 1 = taken and not set yet */
	atomic_uint turn;	     /* how often it was taken */
	atomic_bool uncounted;
	atomic_bool mended; /* zeros lie where the file was, or are about to */
	struct elf_guard *next;
};

static _Atomic(struct elf_guard *) guards;
static atomic_uint hits;
static atomic_bool installed;
static struct sigaction before;
static _Thread_local volatile sig_atomic_t pending;

static bool put_zeros(uintptr_t from, uintptr_t to)
{
	void *p = (void *)from; // NOLINT: an address by contract

	return mmap(p, to - from, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		    -1, 0) == p;
}

bool elf_guard_mend(const siginfo_t *si)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE),
		  at = (uintptr_t)si->si_addr & ~(page - 1);

	for (struct elf_guard *g = atomic_load(&guards); g; g = g->next) {
		unsigned turn = atomic_load(&g->turn);
		uintptr_t start = atomic_load(&g->start), end = atomic_load(&g->end);

		if (end <= 1 || at < start || at >= end || atomic_load(&g->turn) != turn)
			continue;
		/* Said first: another thread may read the zeros as soon as they are there. */
		atomic_store(&g->mended, true);
		if (put_zeros(at, end)) {
			atomic_fetch_add(&hits, !atomic_load(&g->uncounted));
			return true;
		}
	}
	if (pending && si->si_code == BUS_ADRERR && put_zeros(at, at + page)) {
		atomic_fetch_add(&hits, 1);
		return true;
	}
	return false;
}

static void on_sigbus(int sig, siginfo_t *si, void *ctx)
{
	int saved = errno;

	(void)ctx;
	/* Not ours: it is for whoever had it before. A fault happens again; what was sent does not. */
	if (si->si_code <= 0 || !elf_guard_mend(si)) {
		sigaction(sig, &before, NULL);
		if (si->si_code <= 0)
			raise(sig);
	}
	errno = saved;
}

void elf_guard_install(void)
{
	struct sigaction sa = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO };

	sigemptyset(&sa.sa_mask);
	if (!atomic_load(&installed) && !sigaction(SIGBUS, &sa, &before))
		atomic_store(&installed, true);
}

bool elf_guard_mended(const struct elf_guard *g)
{
	return atomic_load(&g->mended);
}

unsigned elf_guard_hits(void)
{
	return atomic_load(&hits);
}

bool guard_installed(void)
{
	return atomic_load(&installed);
}

void guard_begin(void)
{
	pending = 1;
}

static struct elf_guard *guard_new(void)
{
	struct elf_guard *g, *head;

	for (g = atomic_load(&guards); g; g = g->next) {
		uintptr_t free_end = 0;

		if (atomic_compare_exchange_strong(&g->end, &free_end, 1))
			return g;
	}
	g = calloc(1, sizeof(*g));
	if (!g)
		return NULL;
	atomic_store(&g->end, 1);
	head = atomic_load(&guards);
	do
		g->next = head;
	while (!atomic_compare_exchange_weak(&guards, &head, g));
	return g;
}

static struct elf_guard *guard_set(const void *map, size_t size, bool uncounted)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)map & ~(page - 1);
	struct elf_guard *g = map ? guard_new() : NULL;

	if (g) {
		atomic_fetch_add(&g->turn, 1);
		atomic_store(&g->uncounted, uncounted);
		atomic_store(&g->mended, false);
		atomic_store(&g->start, start);
		atomic_store(&g->end, align_up((uintptr_t)map + size, page));
	}
	return g;
}

struct elf_guard *guard_end(const void *map, size_t size)
{
	struct elf_guard *g = guard_set(map, size, false);

	pending = 0;
	return g;
}

struct elf_guard *elf_guard_add(const void *map, size_t size)
{
	return guard_installed() ? guard_set(map, size, true) : NULL;
}

void elf_guard_drop(struct elf_guard *g)
{
	if (g)
		atomic_store(&g->end, 0);
}
