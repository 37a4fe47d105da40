// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a way used is read again, just before the thread runs: computing has displaced it from the
 * CPU's caches, and a thread that has to fetch it again comes less far in its span.
 */
#include <sys/uio.h>

#include "vm-int.h"

/* The runs of blocks of @p that were read, into iovecs. How many. */
static unsigned runs_of(const struct vm_page *p, struct iovec *to, struct iovec *from,
			unsigned char *scratch)
{
	unsigned n = 0;

	for (unsigned first = 0, end; first < VM_PAGE_BLOCKS; first = end + 1) {
		for (end = first; end < VM_PAGE_BLOCKS && p->have >> end & 1; end++)
			;
		if (end == first)
			continue;
		to[n] = (struct iovec){ scratch, (end - first) * VM_BLOCK };
		from[n] = (struct iovec){ (void *)(p->addr + first * VM_BLOCK), to[n].iov_len };
		n++;
	}
	return n;
}

#define WARM_RUNS  256	     /* in one call */
#define WARM_TWICE (1 << 20) /* bytes */

/* Behind one that cannot be read, since it is gone or may only be executed, others can be. */
static void read_again(pid_t tid, const struct iovec *to, const struct iovec *from, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		ssize_t got = process_vm_readv(tid, to + i, n - i, from + i, n - i, 0);

		while (i < n && got >= (ssize_t)from[i].iov_len)
			got -= (ssize_t)from[i++].iov_len;
	}
}

/* Of all pages that the way used. How many bytes. */
static size_t read_used(const struct vm *vm)
{
	struct iovec to[WARM_RUNS], from[WARM_RUNS];
	unsigned char scratch[VM_PAGE];
	unsigned n = 0;
	size_t size = 0;

	for (uint32_t i = 0; i < vm->nr_pages; i++) {
		const struct vm_page *p = &vm->page[i];

		if (p->used && !p->clock) {
			n += runs_of(p, to + n, from + n, scratch);
			size += (size_t)__builtin_popcount(p->have) * VM_BLOCK;
		}
		if (n > WARM_RUNS - VM_PAGE_BLOCKS || (n && i + 1 == vm->nr_pages)) {
			read_again(vm->tid, to, from, n);
			n = 0;
		}
	}
	return size;
}

/*
 * Lines that were read once are soon lost again, on some machines at some times; those of a second round
 * stay. More of them than a CPU's own cache has do not.
 */
void vm_warm(const struct vm *vm)
{
	if (read_used(vm) <= WARM_TWICE)
		(void)read_used(vm);
}
