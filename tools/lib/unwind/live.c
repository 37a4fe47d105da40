// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The stack of a thread that stands still, by the same rules as copies of stacks: registers are its own
 * and memory is read where it lies, so nothing is cut off. What comes out are addresses alone.
 */
#include "dwarf-int.h"

#if HAVE_LIBDW

struct live_walk {
	struct dwarf_walk w; /* first */
	const struct unwind_live *l;
};

static bool read_live(void *ctx, uint64_t addr, unsigned size, uint64_t *v)
{
	const struct live_walk *lw = ctx;
	unsigned char buf[8] = { 0 };

	return size <= sizeof(buf) && lw->l->read(lw->l->ctx, addr, buf, size) == size &&
	       dwarf_word(buf, size, false, v);
}

static void take_regs(struct dwarf_walk *w, const struct unwind_regs *r)
{
	for (unsigned i = 0; i < w->arch->nr; i++)
		if (w->arch->perf[i] >= 0 && (r->known >> w->arch->perf[i] & 1))
			cfi_set(&w->r, i, r->reg[w->arch->perf[i]]);
		else
			cfi_forget(&w->r, i);
}

static bool returns_live(struct dwarf_walk *w, uint64_t *pc)
{
	const struct unwind_live *l = ((struct live_walk *)w)->l;
	struct unwind_regs r;

	if (!cfi_known(&w->r, w->arch->sp) || !l->returns(l->ctx, w->r.v[w->arch->sp], &r))
		return false;
	take_regs(w, &r);
	*pc = r.reg[regs_ip(w->u->arch)];
	return cfi_known(&w->r, w->arch->sp);
}

bool unwind_live_works(void)
{
	return true;
}

ssize_t unwind_live(struct unwind *u, struct thread *th, const struct unwind_live *l, uint64_t *ip,
		    size_t max)
{
	struct live_walk lw = { .w = { .u = u, .th = th, .mem = read_live, .live = true }, .l = l };
	int pc = regs_ip(u->arch);
	size_t n;

	u->frames.n = 0;
	u->oom = false;
	lw.w.arch = dwarf_arch(u, l->is_32bit);
	if (!lw.w.arch || pc < 0 || !(l->regs.known >> pc & 1) || !dwarf_ready(u))
		return u->oom ? -ENOMEM : 0;
	if (l->returns)
		lw.w.returns = returns_live;
	take_regs(&lw.w, &l->regs);
	if (cfi_known(&lw.w.r, lw.w.arch->sp))
		dwarf_walk(&lw.w, l->regs.reg[pc]);
	n = min_u64(u->frames.n, max);
	for (size_t i = 0; i < n; i++)
		ip[i] = u->frames.v[i].ip;
	return u->oom ? -ENOMEM : (ssize_t)n;
}

#else

bool unwind_live_works(void)
{
	return false;
}

ssize_t unwind_live(struct unwind *u, struct thread *th, const struct unwind_live *l, uint64_t *ip,
		    size_t max)
{
	(void)u, (void)th, (void)l, (void)ip, (void)max;
	return 0;
}

#endif
