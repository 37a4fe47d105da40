// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The vm's memory: copies of pages, with stores in the copies; and its instructions. The program's
 * own memory is only ever read. When the thread has run, copies are forgotten; where it is known
 * what it wrote they are kept, and only pages with stores are read again.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/tables.h"
#include "vm-int.h"

static void forget_insns(struct vm *vm)
{
	htab_free(&vm->insns->at);
	vm->insns->nr = 0;
	vm->insns->changes++;
	if (vm->machine->forgot)
		vm->machine->forgot(vm);
}

static void close_mem(struct vm *vm)
{
	if (vm->mem_fd >= 0)
		close(vm->mem_fd);
	vm->mem_fd = -1;
}

void *vm_big_new(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	(void)madvise(p, size, MADV_NOHUGEPAGE);
	return p;
}

/* Older kernels than Linux 5.14 do not: then it is as if nobody had asked. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

void vm_big_touch(void *p, size_t size, uint32_t most, uint32_t n, uint32_t *there)
{
	uintptr_t begin = (uintptr_t)p + *there * size;

	if (likely(n <= *there))
		return;
	begin &= ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
	n = (uint32_t)min_u64(most, n + VM_TOUCHED / size);
	if (n == *there)
		return;
	(void)madvise((void *)begin, (uintptr_t)p + n * size - begin, MADV_POPULATE_WRITE);
	*there = n;
}

void vm_big_free(void *p, size_t size)
{
	if (p)
		munmap(p, size);
}

/* For @more than there are. */
static void touch_insns(struct vm_insns *t, uint32_t more)
{
	vm_big_touch(t->insn, sizeof(t->insn[0]), VM_INSNS, t->nr + more, &t->there);
}

static void touch_pages(struct vm *vm, uint32_t more)
{
	vm_big_touch(vm->page, sizeof(vm->page[0]), VM_PAGES, vm->nr_pages + more,
		     &vm->pages_there);
}

int vm_new(struct vm **out, const struct vm_machine *machine)
{
	struct vm *vm = aligned_alloc(_Alignof(struct vm), sizeof(*vm));

	if (!vm)
		return -ENOMEM;
	memset(vm, 0, sizeof(*vm));
	vm->machine = machine;
	vm->mem_fd = -1;
	for (unsigned i = 0; i < VM_NEAR; i++)
		vm->near[i].load = vm->near[i].store = VM_NOWHERE;
	vm->insns = vm_big_new(sizeof(*vm->insns));
	vm->page = vm_big_new(VM_PAGES * sizeof(*vm->page));
	if (!vm->insns || !vm->page) {
		vm_free(vm);
		return -ENOMEM;
	}
	touch_insns(vm->insns, 1);
	touch_pages(vm, 1);
	if (machine->made)
		machine->made(vm);
	*out = vm;
	return 0;
}

#define STORES_AHEAD 4096 /* of a walk that is to begin */

int vm_keep_stored(struct vm *vm)
{
	if (!vm->stored)
		vm->stored = vm_big_new(VM_STORED * sizeof(*vm->stored));
	if (!vm->stored)
		return -ENOMEM;
	vm_big_touch(vm->stored, sizeof(vm->stored[0]), VM_STORED,
		     (uint32_t)min_u64(VM_STORED, (uint64_t)vm->nr_stored + STORES_AHEAD),
		     &vm->stored_there);
	return 0;
}

void vm_room_ahead(struct vm *vm)
{
	(void)htab_reserve(&vm->insns->at, VM_ROOM);
	touch_insns(vm->insns, VM_ROOM);
	touch_pages(vm, VM_ROOM / 16); /* a page has some forty, and there are those with data */
	if (vm->machine->room)
		vm->machine->room(vm);
}

void vm_free(struct vm *vm)
{
	if (vm) {
		vm_big_free(vm->stored, VM_STORED * sizeof(*vm->stored));
		close_mem(vm);
		if (vm->machine->freed)
			vm->machine->freed(vm);
		if (vm->insns)
			htab_free(&vm->insns->at);
		vm_big_free(vm->insns, sizeof(*vm->insns));
		vm_big_free(vm->page, VM_PAGES * sizeof(*vm->page));
	}
	free(vm);
}

static void forget_near(struct vm *vm)
{
	for (uint32_t i = 0; i < vm->nr_pages; i++)
		vm->near[vm->page[i].addr / VM_PAGE % VM_NEAR] =
			(struct vm_near){ VM_NOWHERE, VM_NOWHERE, 0, NULL };
}

/* Of all pages, one by one: most walks touch few. */
static void forget_places(struct vm *vm)
{
	forget_near(vm);
	for (uint32_t i = 0; i < vm->nr_pages; i++)
		vm->page_at[vm->page[i].slot] = 0;
}

/* The thread has run: memory may have changed. */
static void drop_pages(struct vm *vm)
{
	if (vm->keep_pages) {
		for (uint32_t i = 0; i < vm->nr_pages; i++)
			vm->page[i].stale |= vm->page[i].dirty;
		forget_near(vm);
	} else {
		forget_places(vm);
		vm->nr_pages = 0;
		vm->walk++; /* instructions, too: compare them again */
	}
	vm->keep_pages = false;
}

/* Nothing that was computed is true any more. */
static void forget_way(struct vm *vm)
{
	vm->foreign = 0;
	drop_pages(vm);
	vm->nr_trace = 0;
	vm->last = NULL;
	vm->from = NULL;
	vm->vec_known = UINT32_MAX;
	vm->mask_known = UINT8_MAX;
	vm->x87_known = true;
	vm->vectors_read = false;
	vm->tiles.read = false;
	vm->monitor_size = 0;
	for (unsigned i = 0; i < VM_SAVED; i++)
		vm->saved[i].size = 0;
	vm->guessed = false;
}

void vm_sync(struct vm *vm, const struct user_regs_struct *r)
{
	forget_way(vm);
	vm->clock.begun = false;
	vm_take_registers(vm, r);
}

/* ---- pages ------------------------------------------------------------------------------------------ */

#define SINGLE_READS 3 /* by process_vm_readv() */

/*
 * Pages one by one: a call of /proc/PID/mem takes less than one of process_vm_readv(), which finds
 * the process and asks for permission each time; to open it takes as long as a few of them. It
 * shows the memory that the thread had when it was opened: so it is kept for the next walk only by
 * who knows that no program was executed meanwhile.
 */
static bool open_mem(struct vm *vm)
{
	char path[64];

	if (vm->mem_fd < 0) {
		snprintf(path, sizeof(path), "/proc/%d/mem", vm->tid);
		vm->mem_fd = open(path, O_RDONLY | O_CLOEXEC);
		vm->mem_tid = vm->tid;
		vm->mem_epoch = vm->epoch;
	}
	return vm->mem_fd >= 0;
}

static bool mem_is_current(const struct vm *vm, pid_t tid)
{
	return vm->epoch && vm->epoch == vm->mem_epoch && tid == vm->mem_tid;
}

/* Also what is execute-only: process_vm_readv() keeps to the protection of pages, a tracer does not. */
static bool read_as_tracer(struct vm *vm, struct vm_page *p, uint8_t missing)
{
	unsigned first = (unsigned)__builtin_ctz(missing);
	unsigned end = 32u - (unsigned)__builtin_clz(missing);
	size_t at = first * VM_BLOCK, size = end * VM_BLOCK - at;
	bool whole = missing == (uint8_t)((1u << end) - (1u << first));
	unsigned char buf[VM_PAGE], *data = whole ? p->data + at : buf;

	if (!open_mem(vm) || pread(vm->mem_fd, data, size, (off_t)(p->addr + at)) != (ssize_t)size)
		return false;
	if (whole)
		return true;
	for (unsigned i = first; i < end; i++)
		if (missing >> i & 1)
			memcpy(p->data + i * VM_BLOCK, data + i * VM_BLOCK - at, VM_BLOCK);
	return true;
}

static bool read_blocks(const struct vm *vm, struct vm_page *p, uint8_t missing)
{
	struct iovec to[VM_PAGE_BLOCKS], from[VM_PAGE_BLOCKS];
	unsigned n = 0;

	for (unsigned i = 0; i < VM_PAGE_BLOCKS; i++) {
		if (!(missing >> i & 1))
			continue;
		to[n] = (struct iovec){ p->data + i * VM_BLOCK, VM_BLOCK };
		from[n++] = (struct iovec){ (void *)(p->addr + i * VM_BLOCK), VM_BLOCK };
	}
	return process_vm_readv(vm->tid, to, n, from, n, 0) == n * VM_BLOCK;
}

/* Where no descriptor is left for the file, each page comes by a call of its own. */
static bool read_page(struct vm *vm, struct vm_page *p, uint8_t missing)
{
	bool few = vm->mem_fd < 0 && !vm->epoch && vm->single_reads++ < SINGLE_READS;

	return (few && read_blocks(vm, p, missing)) || read_as_tracer(vm, p, missing) ||
	       (vm->mem_fd < 0 && !few && read_blocks(vm, p, missing));
}

/* Where the page at @addr is in page_at, or would be. Never more than half of it is taken. */
static uint32_t find_page(const struct vm *vm, uint64_t addr)
{
	uint32_t at = hash_u64(addr) % ARRAY_SIZE(vm->page_at);

	while (vm->page_at[at] && vm->page[vm->page_at[at] - 1].addr != addr)
		at = (at + 1) % ARRAY_SIZE(vm->page_at);
	return at;
}

/*
 * For who goes the way of another vm: reading is what takes longest, and of what other threads store both are to see the same.
 * All that @from has of it, if that is what the thread has, and the blocks of mask @need are there.
 */
static bool copy_page(const struct vm *from, struct vm_page *p, uint8_t need)
{
	uint32_t at = find_page(from, p->addr);
	const struct vm_page *have = from->page_at[at] ? &from->page[from->page_at[at] - 1] : NULL;

	if (!have || have->stored || have->dirty || have->stale || (need & ~have->have))
		return false;
	for (unsigned i = 0; i < VM_PAGE_BLOCKS; i++)
		if (have->have & ~p->have & (1u << i))
			memcpy(p->data + i * VM_BLOCK, have->data + i * VM_BLOCK, VM_BLOCK);
	p->have |= have->have;
	p->clock = have->clock;
	return true;
}

/*
 * The blocks of mask @need, or all that are missing where it is not the first time: what a program
 * touches once would cost it the cache lines of a whole page, which come back to it slowly.
 */
static bool fetch_blocks(struct vm *vm, struct vm_page *p, uint8_t need)
{
	uint8_t missing = p->have ? (uint8_t)~p->have : need;

	if (vm->like && copy_page(vm->like, p, need))
		return true;
	if (read_page(vm, p, missing))
		p->have |= missing;
	else if (vm->clock.known && vm_read_vvar(vm, p->addr, p->data))
		p->clock = vm->guessed = true;
	else
		return false;
	if (p->clock) {
		p->have = UINT8_MAX;
		vm->clock.begun = false;
	}
	return true;
}

/* Of what is read too late is noted that it was. */
static bool fill_page(struct vm *vm, struct vm_page *p, uint8_t need)
{
	uint8_t had = p->have;

	if (!fetch_blocks(vm, p, need))
		return false;
	if (vm->late)
		p->late |= (uint8_t)(p->have & ~had);
	return true;
}

static struct vm_page *add_page(struct vm *vm, uint32_t at, uint64_t addr)
{
	struct vm_page *p = &vm->page[vm->nr_pages];

	if (vm->nr_pages == VM_PAGES)
		return NULL;
	touch_pages(vm, 1);
	p->addr = addr;
	p->code = p->dirty = p->stale = p->used = p->stored = p->clock = false;
	p->have = p->late = p->asked = 0;
	p->slot = (uint16_t)at;
	vm->page_at[at] = (uint16_t)++vm->nr_pages;
	return p;
}

struct vm_page *vm_page(struct vm *vm, uint64_t addr, unsigned n)
{
	unsigned first = addr % VM_PAGE / VM_BLOCK, last = (addr % VM_PAGE + n - 1) / VM_BLOCK;
	uint8_t need = (uint8_t)((2u << last) - (1u << first));
	struct vm_page *p;
	uint32_t at;

	addr &= ~(uint64_t)(VM_PAGE - 1);
	at = find_page(vm, addr);
	if (vm->page_at[at]) {
		p = &vm->page[vm->page_at[at] - 1];
		if (p->stale) {
			p->dirty = p->stale = p->stored = false;
			p->have = p->late = 0;
		}
	} else {
		p = add_page(vm, at, addr);
	}
	if (!p || ((need & ~p->have) && !fill_page(vm, p, need)))
		return NULL;
	p->used = true;
	vm_near_set(vm, p);
	return p;
}

bool vm_was_late(const struct vm *vm, uint64_t addr)
{
	uint32_t at = find_page(vm, addr & ~(uint64_t)(VM_PAGE - 1));

	return vm->page_at[at] &&
	       vm->page[vm->page_at[at] - 1].late >> (addr % VM_PAGE / VM_BLOCK) & 1;
}

void vm_near_set(struct vm *vm, struct vm_page *p)
{
	bool whole = p->have == UINT8_MAX && !p->dirty && !p->stale;

	vm->near[p->addr / VM_PAGE % VM_NEAR] = (struct vm_near){
		.load = whole ? p->addr : VM_NOWHERE,
		.store = whole && p->stored && !p->code ? p->addr : VM_NOWHERE,
		.to = (uint64_t)(uintptr_t)p->data - p->addr,
		.page = p,
	};
}

void vm_note_store(struct vm *vm, struct vm_page *p)
{
	p->stored = true;
	vm_near_set(vm, p);
}

#define ASKED_OFTEN 16

void vm_complete(struct vm *vm, uint64_t addr)
{
	struct vm_page *p = vm->near[addr / VM_PAGE % VM_NEAR].page;

	if (!p || p->addr != (addr & ~(uint64_t)(VM_PAGE - 1)) || p->stale ||
	    p->have == UINT8_MAX || p->asked > ASKED_OFTEN || p->asked++ < ASKED_OFTEN)
		return;
	(void)fill_page(vm, p, (uint8_t)~p->have);
	vm_near_set(vm, p);
}

/* Instructions come from it. */
void vm_note_code(struct vm *vm, struct vm_page *p)
{
	p->code = true;
	vm_near_set(vm, p);
}

/* ---- pages that are read together ------------------------------------------------------------------- */

#define AHEAD_LEAST 2 /* pages */
#define AHEAD_MORE  4

/*
 * What a walk touched the next one mostly touches again, and one call for many pages costs a fifth of
 * as many calls. Where less than half of them were used there are fewer next time.
 */
static void choose_ahead(struct vm *vm, struct vm_ahead *a)
{
	uint32_t used = 0, most = min_u64(vm->ahead, vm->nr_pages);

	for (uint32_t i = 0; i < most; i++)
		used += vm->page[i].used;
	if (used * 2 < most)
		vm->ahead = max_u64(AHEAD_LEAST, vm->ahead / 2);
	else
		vm->ahead = min_u64(VM_AHEAD_MAX, vm->ahead + AHEAD_MORE);
	for (uint32_t i = 0; i < vm->nr_pages && a->n < vm->ahead; i++) {
		const struct vm_page *p = &vm->page[i];

		if (!p->used || p->clock)
			continue;
		a->page[a->n].addr = p->addr;
		a->page[a->n++].have = p->have;
	}
}

/* The call stops at the first place that is no more: pages behind it are read when they are needed. */
static void read_ahead(struct vm *vm, const struct vm_ahead *a)
{
	struct iovec to[VM_AHEAD_MAX] = { 0 }, from[VM_AHEAD_MAX];
	ssize_t got;
	unsigned n;

	for (n = 0; n < a->n; n++) {
		unsigned first = (unsigned)__builtin_ctz(a->page[n].have) * VM_BLOCK;
		unsigned end = (32u - (unsigned)__builtin_clz(a->page[n].have)) * VM_BLOCK;

		to[n] = (struct iovec){ vm->page[n].data + first, end - first };
		from[n] = (struct iovec){ (void *)(a->page[n].addr + first), end - first };
	}
	got = n ? process_vm_readv(vm->tid, to, n, from, n, 0) : 0;
	for (n = 0; n < a->n && got >= (ssize_t)to[n].iov_len; got -= to[n++].iov_len) {
		struct vm_page *p = add_page(vm, find_page(vm, a->page[n].addr), a->page[n].addr);
		unsigned first = (unsigned)((unsigned char *)to[n].iov_base - p->data) / VM_BLOCK;

		p->have = (uint8_t)((1u << (first + to[n].iov_len / VM_BLOCK)) - (1u << first));
	}
}

static bool is_full(const struct vm *vm)
{
	return vm->machine->full && vm->machine->full(vm);
}

static void begin_walk(struct vm *vm, pid_t tid)
{
	if (!mem_is_current(vm, tid))
		close_mem(vm);
	vm->single_reads = 0;
	vm->late = false;
	vm->tid = tid;
	if (vm->insns->nr >= VM_INSNS_FULL || is_full(vm))
		forget_insns(vm);
	vm->keep_pages = false;
	vm->pieces = 0;
	forget_way(vm);
}

void vm_begin_bare(struct vm *vm, pid_t tid)
{
	struct vm_ahead a = { 0 };

	if (vm->tid == tid) {
		a = vm->kept;
		if (!a.n)
			choose_ahead(vm, &a);
	}
	vm->kept.n = 0;
	begin_walk(vm, tid);
	read_ahead(vm, &a);
}

void vm_look(struct vm *vm, pid_t tid, const struct user_regs_struct *r)
{
	if (vm->tid != tid)
		vm->kept.n = 0;
	else if (!vm->kept.n)
		choose_ahead(vm, &vm->kept);
	begin_walk(vm, tid);
	vm_take_registers(vm, r);
}

void vm_begin(struct vm *vm, pid_t tid, const struct user_regs_struct *r)
{
	vm_begin_bare(vm, tid);
	vm_take_registers(vm, r);
}

enum vm_result vm_probe_slow(struct vm *vm, uint64_t addr, unsigned n)
{
	unsigned first = (unsigned)min_u64(n, VM_PAGE - addr % VM_PAGE);

	if (!vm_page(vm, addr, first) || (n > first && !vm_page(vm, addr + first, n - first)))
		return VM_NOMEM;
	return VM_OK;
}

static bool any_unknown(const struct vm_page *p, unsigned at, unsigned n)
{
	for (unsigned i = at; i < at + n; i++)
		if (p->unknown[i / 8] >> (i % 8) & 1)
			return true;
	return false;
}

enum vm_result vm_load_slow(struct vm *vm, uint64_t addr, unsigned n, uint64_t *v)
{
	unsigned at = addr % VM_PAGE, first = (unsigned)min_u64(n, VM_PAGE - at);
	struct vm_page *p = vm_page(vm, addr, first);
	enum vm_result ret;
	uint64_t rest;

	*v = 0;
	if (!p)
		return VM_NOMEM;
	if (p->dirty && any_unknown(p, at, first))
		return VM_UNKNOWN;
	memcpy(v, p->data + at, first); /* little-endian, and so is whoever traces it */
	if (first == n)
		return VM_OK;
	ret = vm_load_slow(vm, addr + first, n - first, &rest);
	*v |= rest << (8 * first);
	return ret;
}

size_t vm_copy(struct vm *vm, uint64_t addr, void *buf, size_t n)
{
	size_t done = 0;

	while (done < n) {
		unsigned at = (addr + done) % VM_PAGE;
		unsigned part = (unsigned)min_u64(n - done, VM_PAGE - at);
		const struct vm_page *p = vm_page(vm, addr + done, part);
		unsigned known = 0;

		if (!p)
			break;
		while (known < part && !(p->dirty && any_unknown(p, at + known, 1)))
			known++;
		memcpy((char *)buf + done, p->data + at, known);
		done += known;
		if (known < part)
			break;
	}
	return done;
}

bool vm_is_unknown(struct vm *vm, uint64_t addr, unsigned n)
{
	while (n) {
		unsigned at = addr % VM_PAGE, part = (unsigned)min_u64(n, VM_PAGE - at);
		const struct vm_page *p = vm_page(vm, addr, part);

		if (!p || !p->dirty)
			return false;
		for (unsigned i = at; i < at + part; i++)
			if (!(p->unknown[i / 8] >> (i % 8) & 1))
				return false;
		addr += part;
		n -= part;
	}
	return true;
}

static void mark(struct vm_page *p, unsigned at, unsigned n, bool known)
{
	if (known && !p->dirty)
		return;
	if (!p->dirty)
		memset(p->unknown, 0, sizeof(p->unknown));
	p->dirty = true;
	for (unsigned i = at; i < at + n; i++) {
		if (known)
			p->unknown[i / 8] &= ~(1 << i % 8);
		else
			p->unknown[i / 8] |= 1 << i % 8;
	}
}

enum vm_result vm_store_slow(struct vm *vm, uint64_t addr, unsigned n, uint64_t v, bool known)
{
	while (n) {
		unsigned at = addr % VM_PAGE, part = (unsigned)min_u64(n, VM_PAGE - at);
		struct vm_page *p = vm_page(vm, addr, part);

		if (!p)
			return VM_NOMEM;
		p->stored = true;
		if (known) {
			memcpy(p->data + at, &v, part);
			v = part < 8 ? v >> (8 * part) : 0;
		}
		mark(p, at, part, known);
		vm_near_set(vm, p);
		if (p->code)
			vm->walk++; /* instructions may have changed: compare them again */
		addr += part;
		n -= part;
	}
	return VM_OK;
}

/* Those that only hold what the thread has go, when all are taken. */
static bool drop_clean_pages(struct vm *vm)
{
	uint32_t n = 0;

	if (vm->nr_pages < VM_PAGES)
		return false;
	forget_places(vm);
	for (uint32_t i = 0; i < vm->nr_pages; i++) {
		const struct vm_page *p = &vm->page[i];

		if (!p->stored && !p->dirty && !p->code)
			continue;
		if (i != n)
			vm->page[n] = *p;
		n++;
	}
	vm->nr_pages = 0;
	while (vm->nr_pages < n) {
		struct vm_page *p = &vm->page[vm->nr_pages];
		uint32_t at = find_page(vm, p->addr);

		p->slot = (uint16_t)at;
		vm->page_at[at] = (uint16_t)++vm->nr_pages;
	}
	return n < VM_PAGES - VM_PAGES / 8;
}

bool vm_make_room(struct vm *vm)
{
	bool made = drop_clean_pages(vm);

	if (vm->insns->nr < VM_INSNS && !is_full(vm))
		return made;
	forget_insns(vm);
	vm->last = NULL;
	return true;
}

/* ---- instructions -------------------------------------------------------------------------------------- */

/* Where the bytes at vm->rip are, as many as an instruction may have, if they lie together and were read. */
static const unsigned char *code_near(struct vm *vm)
{
	unsigned at = vm->rip % VM_PAGE, most = vm->machine->insn_max;
	struct vm_page *p = at + most <= VM_PAGE ? vm_page_near(vm, vm->rip, most) : NULL;

	if (!p)
		return NULL;
	if (!p->code)
		vm_note_code(vm, p);
	return p->data + at;
}

/* As long as an instruction may be, at vm->rip; fewer at the end of what is mapped. */
static unsigned code_bytes(struct vm *vm, unsigned char *buf)
{
	unsigned most = vm->machine->insn_max;
	unsigned at = vm->rip % VM_PAGE, first = (unsigned)min_u64(most, VM_PAGE - at);
	struct vm_page *p = vm_page(vm, vm->rip, first);

	if (!p || (p->dirty && any_unknown(p, at, first)))
		return 0;
	vm_note_code(vm, p);
	memcpy(buf, p->data + at, first);
	if (first == most)
		return most;
	p = vm_page(vm, vm->rip + first, most - first);
	if (!p)
		return first;
	vm_note_code(vm, p);
	memcpy(buf + first, p->data, most - first);
	return most;
}

/* Instructions that lie together are looked for close together, too. */
static uint64_t insn_hash(uint64_t addr)
{
	return (hash_u64(addr >> 6) << 5 | (addr >> 1 & 31)) << 32;
}

/* The place for what is at @addr: as it was seen before, or empty; NULL when all are taken. */
static struct vm_insn *find_insn(struct vm_insns *t, uint64_t addr)
{
	uint64_t hash = insn_hash(addr);
	struct vm_insn *in;
	uint32_t i;

	for (struct htab_it it = htab_find(&t->at, hash); htab_next(&t->at, &it, &i);)
		if (t->insn[i].addr == addr)
			return &t->insn[i];
	if (t->nr == VM_INSNS || htab_add(&t->at, hash, t->nr))
		return NULL;
	touch_insns(t, 1);
	in = &t->insn[t->nr++];
	/* the rest is written when it is decoded */
	in->addr = addr;
	in->len = 0;
	in->checked = 0;
	return in;
}

/* Compares or decodes anew. */
static bool check_insn(struct vm *vm, struct vm_insn *in, enum vm_result *why)
{
	const unsigned char *bytes = code_near(vm);
	unsigned n = vm->machine->insn_max;
	unsigned char copy[15];

	*why = VM_NOMEM;
	if (!bytes) {
		n = code_bytes(vm, copy);
		bytes = copy;
	}
	if (!n)
		return false;
	if (!in->len || in->len > n || memcmp(in->bytes, bytes, in->len)) {
		if (in->len) {
			vm->insns->changes++;
			vm->walk++;
		}
		*in = (struct vm_insn){ .addr = vm->rip };
		memcpy(in->bytes, bytes, n);
		*why = VM_FAULT;
		if (!vm->machine->decode(in, bytes, n)) {
			in->len = 0;
			return false;
		}
	}
	in->checked = vm->walk;
	return true;
}

struct vm_insn *vm_fetch(struct vm *vm, enum vm_result *why)
{
	uint32_t *hint = vm->last ? &vm->last->next[vm->last_taken] : NULL;
	struct vm_insns *t = vm->insns;
	struct vm_insn *in = hint && *hint ? &t->insn[*hint - 1] : NULL;

	if (!in || in->addr != vm->rip) {
		in = find_insn(t, vm->rip);
		*why = VM_NOMEM;
		if (!in)
			return NULL;
		if (hint)
			*hint = (uint32_t)(in - t->insn + 1);
	}
	if ((in->checked != vm->walk || !in->len) && !check_insn(vm, in, why))
		return NULL;
	return in;
}

uint32_t vm_visits(const struct vm *vm, uint64_t addr)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < vm->nr_trace; i++)
		n += vm->trace[i] == addr;
	return n;
}
