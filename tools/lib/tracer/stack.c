// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The user part of a call chain, made while the thread stands still: by whoever knows the rules of its
 * code (tracer_opts.chains), or by frame pointers as the kernel does it. Memory comes from where the
 * sample is: the thread's own, in pages that are kept for one stop, or what was computed of it.
 */
#include <stdlib.h>
#include <sys/uio.h>

#include "base/bytes.h"
#include "tracer-int.h"
#include "vm-int.h"

#define PAGE	  4096
#define PAGES	  64
#define PAGES_RUN 4 /* a stack is read upwards */

struct stacks {
	struct ahead *ahead;
	/* one walk */
	const struct stack_place *place;
	uint64_t *returned;   /* counts what was run ahead for */
	uint64_t addr[PAGES]; /* by page number, + 1; 0 = none */
	unsigned char page[PAGES][PAGE];
};

int stack_walker_new(struct tracer *t, struct err *e)
{
	struct stacks *s = calloc(1, sizeof(*s));

	if (!s || (t->opts.chains.ahead && ahead_new(&s->ahead))) {
		free(s);
		return err_set(e, -ENOMEM, "no memory for call chains");
	}
	s->returned = &t->stats.chains_ahead;
	t->stacks = s;
	return 0;
}

void stack_walker_free(struct stacks *s)
{
	if (s)
		ahead_free(s->ahead);
	free(s);
}

/* ---- memory -------------------------------------------------------------------------------- */

static size_t read_thread(pid_t tid, uint64_t addr, void *buf, size_t n)
{
	struct iovec to = { buf, n }, from = { (void *)addr, n };
	ssize_t r = process_vm_readv(tid, &to, 1, &from, 1, 0);

	return r < 0 ? 0 : (size_t)r;
}

size_t stack_read(const struct stack_place *w, uint64_t addr, void *buf, size_t n)
{
	return w->memory ? vm_copy(w->memory, addr, buf, n) : read_thread(w->tid, addr, buf, n);
}

/* The page at @addr and some behind it, which is where callers' frames are. */
static bool fill(struct stacks *s, uint64_t addr)
{
	struct iovec to[PAGES_RUN], from = { (void *)addr, PAGES_RUN * PAGE };
	uint64_t nr = addr / PAGE;
	ssize_t got;

	for (unsigned i = 0; i < PAGES_RUN; i++) {
		s->addr[(nr + i) % PAGES] = 0;
		to[i] = (struct iovec){ s->page[(nr + i) % PAGES], PAGE };
	}
	got = process_vm_readv(s->place->tid, to, PAGES_RUN, &from, 1, 0);
	for (unsigned i = 0; i < PAGES_RUN && got >= (ssize_t)(i + 1) * PAGE; i++)
		s->addr[(nr + i) % PAGES] = addr + (uint64_t)i * PAGE + 1;
	return got >= PAGE;
}

static size_t read_cached(void *ctx, uint64_t addr, void *buf, size_t n)
{
	struct stacks *s = ctx;
	uint64_t page = addr & ~(uint64_t)(PAGE - 1), slot = page / PAGE % PAGES;

	if (s->place->memory || addr - page + n > PAGE)
		return stack_read(s->place, addr, buf, n);
	if (s->addr[slot] != page + 1 && !fill(s, page))
		return 0;
	memcpy(buf, s->page[slot] + (addr - page), n);
	return n;
}

static bool returns(void *ctx, uint64_t sp, struct tracer_regs *r)
{
	struct stacks *s = ctx;
	bool seen = ahead_return(s->ahead, s->place, sp, r);

	*s->returned += seen;
	return seen;
}

/* ---- chains -------------------------------------------------------------------------------- */

static size_t by_rules(struct tracer *t, const struct stack_place *w,
		       const struct user_regs_struct *r, uint64_t *ip, size_t max)
{
	struct stacks *s = t->stacks;
	struct tracer_stack ts = {
		.pid = w->pid, .tid = w->tid, .is_32bit = w->is_32bit, .read = read_cached, .ctx = s
	};
	uint64_t start = tracer_cpu_ns();
	size_t n;

	s->place = w;
	memset(s->addr, 0, sizeof(s->addr));
	if (w->memory)
		state_of_vm(w->memory, &ts.regs);
	else
		state_general(r, &ts.regs);
	if (s->ahead && w->start) {
		ahead_reset(s->ahead);
		ts.returns = returns;
	}
	n = t->opts.chains.unwind(t->opts.ctx, &ts, ip, max);
	t->stats.chains++;
	t->stats.chain_ns += tracer_cpu_ns() - start;
	return n;
}

/* As the kernel does it. */
static size_t by_frame_pointers(const struct stack_place *w, const struct user_regs_struct *r,
				uint64_t *ip, size_t max)
{
	uint64_t frame = arch_fp(r);
	size_t n = 1;

	while (n < max) {
		uint64_t pair[2];

		if ((frame & 7) || frame < arch_sp(r) || stack_read(w, frame, pair, 16) != 16)
			break;
		ip[n++] = pair[1];
		if (pair[0] <= frame)
			break;
		frame = pair[0];
	}
	return n;
}

size_t stack_chain(struct tracer *t, const struct stack_place *w, const struct user_regs_struct *r,
		   unsigned char *p, unsigned max)
{
	uint64_t ip[TRACER_MAX_CHAIN];
	size_t n;

	max = (unsigned)min_u64(max, TRACER_MAX_CHAIN);
	n = t->stacks ? by_rules(t, w, r, ip, max) : by_frame_pointers(w, r, ip, max);
	/* Where it is the sample is known in any case. */
	if (!n)
		n = 1;
	ip[0] = arch_ip(r);
	memcpy(p, ip, n * sizeof(*ip));
	return n;
}
