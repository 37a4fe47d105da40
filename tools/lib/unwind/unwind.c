// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The object, the choice between the kinds of chains, inline expansion, the order of frames. A
 * sample has chains of up to three kinds (the kernel's walk, LBR, registers with a copy of the
 * stack); the user part comes from the one that was asked for when it was recorded, the kernel
 * part always from the kernel's walk.
 */
#include <stdio.h>
#include <stdlib.h>

#include "unwind-int.h"

#define MAX_COPY 65528 /* of a stack: what the kernel allows */

int unwind_new(struct unwind **up, struct machine *m, struct resolver *res,
	       const struct unwind_opts *opts, struct err *e)
{
	struct unwind *u = calloc(1, sizeof(*u));

	*up = NULL;
	if (!u)
		return err_set(e, -ENOMEM, "no memory for the unwinder");
	u->m = m;
	u->res = res;
	u->opts = *opts;
	u->max_lbr = opts->max_stack ? opts->max_stack : UNWIND_MAX_LBR;
	if (!u->opts.max_stack)
		u->opts.max_stack = UNWIND_MAX_STACK;
	u->arch = opts->arch && opts->arch[0] ? regs_arch_from_uname(opts->arch) : regs_arch_host();
	if (opts->stitch_lbr && !opts->max_branches)
		log_to(&u->opts.log, LOG_WARN,
		       "Can't find LBR callchain. Switch off --stitch-lbr: the recording does not "
		       "say how many registers there are.\n"
		       "Please apply --call-graph lbr when recording.");
	*up = u;
	return opts->by == UNWIND_LIBUNWIND ? remote_new(u, e) : 0;
}

void unwind_free(struct unwind *u)
{
	if (!u)
		return;
	vec_for_each (l, &u->lbr) {
		vec_free(&l->entries);
		vec_free(&l->tail);
	}
	vec_free(&u->lbr);
	vec_free(&u->tail);
	vec_free(&u->frames);
	vec_free(&u->scratch);
	vec_free(&u->chain);
	vec_free(&u->chain_loc);
	vec_free(&u->inlines);
	dwarf_free(u->dwarf);
	remote_free(u->remote);
	free(u);
}

bool unwind_has_chain(const struct perf_event_attr *attr)
{
	uint64_t dwarf = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

	return (attr->sample_type & PERF_SAMPLE_CALLCHAIN) || (attr->sample_type & dwarf) == dwarf;
}

uint64_t unwind_need(const struct perf_event_attr *attr)
{
	uint64_t dwarf = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	uint64_t need = PERF_SAMPLE_CALLCHAIN;

	if ((attr->sample_type & dwarf) == dwarf)
		need |= dwarf;
	if (attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK)
		need |= PERF_SAMPLE_BRANCH_STACK;
	return need;
}

/* Functions inlined at location @loc, asked for once. */
static struct inline_cache inlines_of(struct unwind *u, uint32_t loc, const struct loc *l)
{
	struct inline_cache none = { 0 }, unknown = { .n = -1 };

	if (!l->dso || !l->sym)
		return none;
	if (vec_reach(&u->inlines, loc, unknown))
		return none;
	if (u->inlines.v[loc].n < 0) {
		struct inline_cache *c = &u->inlines.v[loc];

		c->n = symbol_inlines(u->res, l->dso, l->addr, &c->frames);
		if (c->n < 0)
			c->n = 0;
	}
	return u->inlines.v[loc];
}

static int frame_add_inlined(struct unwind *u, struct frame *f, struct inline_cache c)
{
	for (int i = 0; i < c.n; i++) {
		f->inl = &c.frames[i];
		f->inlined = i < c.n - 1;
		f->sym = c.frames[i].sym;
		if (vec_push(&u->frames, *f)) {
			u->oom = true;
			return -ENOMEM;
		}
	}
	return 0;
}

uint32_t frame_loc(struct unwind *u, struct thread *th, uint8_t cpumode, uint64_t ip)
{
	uint32_t loc = u->opts.ips_only ? 0 : resolver_find(u->res, th, cpumode, ip);

	u->oom |= loc == LOC_NONE;
	return loc;
}

int frame_add_loc(struct unwind *u, uint8_t cpumode, uint64_t ip, uint32_t loc)
{
	struct frame f = { .ip = ip, .cpumode = cpumode, .loc = loc };

	if (unlikely(loc == LOC_NONE)) {
		u->oom = true;
		return -ENOMEM;
	}
	if (!u->opts.ips_only) {
		const struct loc *l = resolver_loc(u->res, loc);
		struct inline_cache c = { 0 };

		f.sym = l->sym;
		if (u->opts.inlines)
			c = inlines_of(u, loc, l);
		if (c.n > 1)
			return frame_add_inlined(u, &f, c);
	}
	if (!vec_push(&u->frames, f))
		return 0;
	u->oom = true;
	return -ENOMEM;
}

int frame_add(struct unwind *u, struct thread *th, uint8_t cpumode, uint64_t ip)
{
	return frame_add_loc(u, cpumode, ip, frame_loc(u, th, cpumode, ip));
}

static void reverse(struct frame *f, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		struct frame t = f[i];

		f[i] = f[n - 1 - i];
		f[n - 1 - i] = t;
	}
}

ssize_t unwind_chain(struct unwind *u, struct thread *th, const struct sample *s,
		     const struct frame **frames)
{
	u->frames.n = 0;
	u->oom = false;
	if (!lbr_chain(u, th, s)) {
		if (fp_chain(u, th, s))
			dwarf_chain(u, th, s);
		else
			u->frames.n = 0;
	}
	if (u->oom)
		return -ENOMEM;
	if (u->opts.caller)
		reverse(u->frames.v, u->frames.n);
	*frames = u->frames.v;
	return (ssize_t)u->frames.n;
}

/* ---- what was missing ------------------------------------------------------------------------ */

void unwind_count_walk(struct unwind *u, struct thread *th, uint64_t inner, uint64_t outer,
		       bool outer_mapped)
{
	struct map_hit hit;

	u->stats.walked++;
	if (outer_mapped && inner != outer)
		return;
	/* Where not even the sample is in an object, nothing is known of this process. */
	u->stats.alone += machine_find_map(u->m, th, PERF_RECORD_MISC_USER, inner, &hit);
}

bool unwind_is_walked(const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_CALLCHAIN &&
	       !(attr->sample_type & PERF_SAMPLE_STACK_USER) &&
	       !(attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK) &&
	       !attr_flag(attr, ATTR_FLAG_EXCLUDE_CALLCHAIN_USER);
}

void unwind_take_notes(struct unwind *to, const struct unwind *from)
{
	struct unwind_stats *a = &to->stats;
	const struct unwind_stats *b = &from->stats;

	a->copies += b->copies;
	a->cut += b->cut;
	a->copy_size = (uint32_t)max_u64(a->copy_size, b->copy_size);
	a->walked += b->walked;
	a->alone += b->alone;
	a->narrow += b->narrow;
}

static void cut_note(const struct unwind_stats *st, char *buf, size_t size)
{
	snprintf(
		buf, size,
		"%llu of %llu stacks go on behind the %u bytes that were copied of them: their outer "
		"functions are missing.\n%s",
		(unsigned long long)st->cut, (unsigned long long)st->copies, st->copy_size,
		st->copy_size < MAX_COPY
			? "Record again with --call-graph dwarf,65528."
			: "A copy cannot be larger; record programs that are built with "
			  "-fno-omit-frame-pointer with --call-graph fp.");
}

static void alone_note(const struct unwind_stats *st, char *buf, size_t size)
{
	snprintf(
		buf, size,
		"%llu of %llu user stacks lead nowhere from where the sample is: that code keeps no "
		"frame pointers.\nRecord again with --call-graph dwarf, or build with "
		"-fno-omit-frame-pointer.",
		(unsigned long long)st->alone, (unsigned long long)st->walked);
}

static void narrow_note(const struct unwind_stats *st, char *buf, size_t size)
{
	snprintf(
		buf, size,
		"%llu of %llu stacks are of 32-bit programs, which libunwind does not unwind here: perf "
		"did it itself.",
		(unsigned long long)st->narrow, (unsigned long long)st->copies);
}

bool unwind_note(const struct unwind *u, unsigned i, char *buf, size_t size)
{
	const struct unwind_stats *st = &u->stats;

	/* Some stacks do end at once: a thread's first instructions, the linker's. */
	bool alone = st->alone * 10 >= st->walked && st->alone > 2;

	if (st->cut && !i--)
		cut_note(st, buf, size);
	else if (alone && !i--)
		alone_note(st, buf, size);
	else if (st->narrow && !i--)
		narrow_note(st, buf, size);
	else
		return false;
	return true;
}
