// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * User stacks from registers and a copy of the stack. Each address is looked up once per address
 * space: its location, its object and its unwind rule stay in a table, so that a frame met again
 * costs a few loads.
 */
#include <stdlib.h>

#include "dwarf-int.h"

#if HAVE_LIBDW

/* DWARF register numbers, by the psABI of each architecture, as perf's mask bits; -1 = none. */
static const struct arch_regs archs[] = {
	{ REGS_ARCH_X86,
	  8,
	  7,
	  6,
	  { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8 },
	  17 },
	{ REGS_ARCH_X86, 4, 4, 5, { 0, 2, 3, 1, 7, 6, 4, 5, 8 }, 9 },
	{ REGS_ARCH_ARM64,
	  8,
	  31,
	  29,
	  { 0,	1,  2,	3,  4,	5,  6,	7,  8,	9,  10, 11, 12, 13, 14, 15,
	    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
	    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 46 },
	  47 },
	{ REGS_ARCH_ARM, 4, 13, 0, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 }, 16 },
	{ REGS_ARCH_RISCV,
	  8,
	  2,
	  0,
	  { -1, 1,  2,	3,  4,	5,  6,	7,  8,	9,  10, 11, 12, 13, 14, 15,
	    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 },
	  32 },
	{ REGS_ARCH_POWERPC,
	  8,
	  1,
	  0,
	  { 0,	1,  2,	3,  4,	5,  6,	7,  8,	9,  10, 11, 12, 13, 14, 15, 16,
	    17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, -1, -1,
	    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 36, -1, -1 },
	  66 },
	{ REGS_ARCH_S390, 8, 15, 0, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 }, 16 },
	{ REGS_ARCH_LOONGARCH,
	  8,
	  3,
	  0,
	  { -1, 1,  2,	3,  4,	5,  6,	7,  8,	9,  10, 11, 12, 13, 14, 15,
	    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 },
	  32 },
};

#define PC_SLOTS      16384
#define VSYSCALL_PAGE (0xffffffffff600000ULL >> 12)
#define MAX_STACK     (64ULL << 20) /* what is further away is no part of the same stack */

struct pc_slot {
	uint64_t pc;
	uint32_t space, generation;
	uint32_t loc;  /* + 1; 0 = empty */
	uint32_t rule; /* CFI_NONE = none */
	bool mapped;   /* in an object whose file we have, or in generated code */
};

struct dwarf_unwind {
	struct cfi *cfi;
	struct pc_slot slots[PC_SLOTS];
};

void dwarf_free(struct dwarf_unwind *d)
{
	if (d)
		cfi_free(d->cfi);
	free(d);
}

bool dwarf_ready(struct unwind *u)
{
	struct dwarf_unwind *d = u->dwarf ? NULL : calloc(1, sizeof(*d));

	if (d && cfi_new(&d->cfi, u->res)) {
		free(d);
		d = NULL;
	}
	if (d)
		u->dwarf = d;
	u->oom |= !u->dwarf;
	return u->dwarf;
}

bool dwarf_word(const unsigned char *p, unsigned size, bool swap, uint64_t *v)
{
	switch (size) {
	case 8: *v = load_u64(p, swap); return true;
	case 4: *v = load_u32(p, swap); return true;
	case 2: *v = load_u16(p, swap); return true;
	case 1: *v = *p; return true;
	default: return false;
	}
}

struct cfi *dwarf_cfi(struct unwind *u)
{
	return u->dwarf->cfi;
}

bool dwarf_is_beyond(const struct dwarf_walk *w, uint64_t addr)
{
	return addr > w->sp && addr - w->sp < MAX_STACK;
}

/* Memory: the copied stack, else what the objects' files hold. */
static bool read_copy(void *ctx, uint64_t addr, unsigned size, uint64_t *v)
{
	struct dwarf_walk *w = ctx;
	unsigned char buf[8] = { 0 };
	const unsigned char *p = addr < w->sp ? NULL : sample_stack_at(w->s, addr - w->sp, size);
	struct cfi_object *o;
	struct map_hit hit;

	if (!p) {
		p = buf;
		o = machine_find_map(w->u->m, w->th, PERF_RECORD_MISC_USER, addr, &hit)
			    ? cfi_object(w->u->dwarf->cfi, hit.map->dso)
			    : NULL;
		if (!o || size > sizeof(buf) || !cfi_is_of(o, w->u->arch, w->arch->word) ||
		    !cfi_read(o, hit.addr, buf, size)) {
			w->beyond = dwarf_is_beyond(w, addr);
			return false;
		}
	}
	return dwarf_word(p, size, w->s->swap, v);
}

static void fill_slot(struct dwarf_walk *w, struct pc_slot *p, uint64_t pc, uint32_t generation)
{
	struct cfi *cfi = w->u->dwarf->cfi;
	struct map_hit hit;

	p->pc = pc;
	p->space = w->th->space;
	p->generation = generation;
	p->loc = 0;
	p->rule = CFI_NONE;
	p->mapped = false;
	if (machine_find_map(w->u->m, w->th, PERF_RECORD_MISC_USER, pc, &hit)) {
		struct cfi_object *o = cfi_object(cfi, hit.map->dso);

		/* A [vdso] may be another than ours, for one: that of a 32-bit program. */
		if (o && cfi_is_of(o, w->u->arch, w->arch->word))
			p->rule = cfi_find(cfi, o, hit.addr);
		p->mapped = o || w->live || unwind_maps_code(hit.map->dso);
	}
	if (p->mapped)
		p->loc = frame_loc(w->u, w->th, PERF_RECORD_MISC_USER, pc) + 1;
}

static const struct pc_slot *slot_of(struct dwarf_walk *w, uint64_t pc)
{
	uint32_t generation = machine_generation(w->u->m, w->th->space);
	struct pc_slot *p =
		&w->u->dwarf->slots[(hash_u64(pc) ^ w->th->space * 31) & (PC_SLOTS - 1)];

	if (likely(p->pc == pc && p->space == w->th->space && p->generation == generation &&
		   (p->loc || !p->mapped)))
		return p;
	fill_slot(w, p, pc, generation);
	return p;
}

/* Code without rules: try that it keeps a frame pointer, as compilers without -O do. */
static bool step_fp(struct dwarf_walk *w, uint64_t *pc)
{
	const struct arch_regs *a = w->arch;
	uint64_t fp, up, ra;

	if (!a->fp || !cfi_known(&w->r, a->fp) || !cfi_known(&w->r, a->sp))
		return false;
	fp = w->r.v[a->fp];
	if (fp < w->r.v[a->sp] || !w->mem(w, fp, a->word, &up) ||
	    !w->mem(w, fp + a->word, a->word, &ra))
		return false;
	cfi_set(&w->r, a->fp, up);
	cfi_set(&w->r, a->sp, fp + 2 * a->word);
	*pc = ra;
	return true;
}

/* System calls of old programs: nothing is on the stack but the return address. */
static bool step_vsyscall(struct dwarf_walk *w, uint64_t *pc)
{
	uint64_t sp = w->r.v[w->arch->sp];

	if (!w->mem(w, sp, w->arch->word, pc))
		return false;
	cfi_set(&w->r, w->arch->sp, sp + w->arch->word);
	return true;
}

/* Out of code without rules: as who knows the thread has seen it, else by a guess. */
static bool step_bare(struct dwarf_walk *w, uint64_t *pc)
{
	if (w->u->arch == REGS_ARCH_X86 && *pc >> 12 == VSYSCALL_PAGE)
		return step_vsyscall(w, pc);
	if (w->returns && w->returns(w, pc))
		return true;
	return step_fp(w, pc);
}

void dwarf_walk(struct dwarf_walk *w, uint64_t pc)
{
	struct cfi *cfi = w->u->dwarf->cfi;
	/* On s390 it is saved as others are: without a rule it is what it was. */
	unsigned at_cfa = w->arch->arch == REGS_ARCH_S390 ? CFI_MAX_REG : w->arch->sp;
	bool caller = false; /* pc is a return address: the call is before it */

	for (uint32_t left = w->u->opts.max_stack; left && pc; left--) {
		w->beyond = false;
		const struct pc_slot *p = slot_of(w, pc - caller);
		uint64_t sp = w->r.v[w->arch->sp], old = pc;
		const struct cfi_rule *rule;

		if (!p->mapped || !p->loc ||
		    frame_add_loc(w->u, PERF_RECORD_MISC_USER, pc - caller, p->loc - 1))
			return;
		rule = p->rule == CFI_NONE ? NULL : cfi_rule(cfi, p->rule);
		if (!(rule ? cfi_step(cfi, rule, &w->r, at_cfa, w->arch->word, w->mem, w, &pc)
			   : step_bare(w, &pc)))
			return;
		/* The stack must unwind towards its start. */
		if (w->r.v[w->arch->sp] < sp || (w->r.v[w->arch->sp] == sp && pc == old))
			return;
		caller = !rule || !rule->signal_frame;
	}
}

const struct arch_regs *dwarf_arch(const struct unwind *u, bool is32)
{
	for (size_t i = 0; i < ARRAY_SIZE(archs); i++)
		if (archs[i].arch == u->arch && (archs[i].word == 4) == is32)
			return &archs[i];
	return NULL;
}

static void unwind_stack(struct unwind *u, struct thread *th, const struct sample *s)
{
	struct dwarf_walk w = { .u = u, .th = th, .s = s, .mem = read_copy };
	int ip = regs_ip(u->arch);
	uint64_t pc, v;

	w.arch = dwarf_arch(u, s->user_regs.abi & PERF_SAMPLE_REGS_ABI_32);
	if (!w.arch || ip < 0 || !sample_reg(&s->user_regs, (unsigned)ip, &pc))
		return;
	for (unsigned i = 0; i < w.arch->nr; i++)
		if (w.arch->perf[i] >= 0 &&
		    sample_reg(&s->user_regs, (unsigned)w.arch->perf[i], &v))
			cfi_set(&w.r, i, v);
	if (!cfi_known(&w.r, w.arch->sp))
		return;
	w.sp = w.r.v[w.arch->sp];
	if (!dwarf_ready(u))
		return;
	u->stats.narrow += u->remote && w.arch->word != 8;
	if (u->remote && w.arch->word == 8)
		remote_walk(&w, pc);
	else
		dwarf_walk(&w, pc);
	u->stats.copies++;
	u->stats.cut += w.beyond;
	u->stats.copy_size =
		(uint32_t)max_u64(u->stats.copy_size, s->event->attr.sample_stack_user);
}

void dwarf_chain(struct unwind *u, struct thread *th, const struct sample *s)
{
	uint64_t dwarf = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

	if ((s->present & dwarf) == dwarf && s->user_regs.abi && s->stack_size)
		unwind_stack(u, th, s);
}

#else

struct dwarf_unwind {
	int none;
};

void dwarf_chain(struct unwind *u, struct thread *th, const struct sample *s)
{
	(void)th;
	if (!s->stack_size || u->dwarf)
		return;
	u->dwarf = calloc(1, sizeof(*u->dwarf));
	log_to(&u->opts.log, LOG_WARN,
	       "built without libdw: user stacks of --call-graph dwarf are not unwound");
}

void dwarf_free(struct dwarf_unwind *d)
{
	free(d);
}

#endif
