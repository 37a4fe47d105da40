// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sort keys that take reading the code of whole functions: the loop around an address; who left the
 * upper halves of vectors behind that a function does not use itself.
 *
 * A function is read once, from its start to its end, and what matters of it kept: loops as jumps back
 * inside, and for each instruction that writes a wide vector, cleans up, calls or returns, an event.
 * Who left the halves is found by going back: through the stretches between the branches of a sample,
 * newest first, where it has such; else from the address to the start of its function in the order
 * of addresses, into what is called on the way, and then likewise in its callers. The first event that
 * is met tells. The order of addresses is not that of time, so this is a lead, not a proof.
 */
#include <stdio.h>

#include "keys-int.h"
#include "simd/simd.h"

#define FUNC_READ 65536
#define CALLS_MAX 2 /* callees of callees are looked into */
/* Events that are looked at for one sample: functions that are nothing but calls have 10^12 on these levels. */
#define EVENTS_MAX 16384

enum event_kind { EV_WRITE, EV_CLEAN, EV_CALL, EV_RET };

struct code_event {
	uint64_t addr, target; /* target: EV_CALL */
	uint8_t kind, width;   /* width: EV_WRITE, enum simd_width */
};

struct code_loop {
	uint64_t head, end; /* end: of the last instruction that jumps back */
};

struct func {
	bool read, unknown;	       /* unknown: its code could not be had */
	uint8_t widest;		       /* that it writes */
	VEC(struct code_event) events; /* ascending */
	VEC(struct code_loop) loops;
};

struct code_walk {
	struct decoders dec;
	VEC(struct func) func; /* by symbol->idx */
	unsigned char buf[FUNC_READ];
	/* Of the function that is read, by bytes from its start: the loop that begins there, + 1. */
	uint32_t loop_at[FUNC_READ];
};

void keys_walk_free(struct code_walk *w)
{
	if (!w)
		return;
	vec_for_each (f, &w->func) {
		vec_free(&f->events);
		vec_free(&f->loops);
	}
	vec_free(&w->func);
	keys_decoders_free(&w->dec);
	free(w);
}

/* ---- a function ------------------------------------------------------------------------------- */

/* @at: where @head is in w->loop_at. Jumps come in the order of addresses: this is the last one of its loop. */
static int push_loop(struct code_walk *w, struct func *f, uint64_t at, uint64_t head, uint64_t end)
{
	if (w->loop_at[at]) {
		f->loops.v[w->loop_at[at] - 1].end = end;
		return 0;
	}
	w->loop_at[at] = (uint32_t)f->loops.n + 1;
	return vec_push(&f->loops, ((struct code_loop){ head, end }));
}

static uint8_t width_of(unsigned bits)
{
	return bits >= 512 ? SIMD_512 : bits >= 256 ? SIMD_256 : bits ? SIMD_128 : SIMD_NONE;
}

/* The widest of registers 0 to 15 that it writes. */
static uint8_t written_width(struct insn_decoder *d, const unsigned char *p, size_t n,
			     uint64_t addr)
{
	struct insn_vectors v;
	uint8_t width = SIMD_NONE;

	if (insn_vectors(d, p, n, addr, &v) <= 0)
		return SIMD_NONE;
	for (unsigned i = 0; i < v.nr; i++)
		if (v.v[i].written && v.v[i].reg < 16 && width_of(v.v[i].width) > width)
			width = width_of(v.v[i].width);
	return width;
}

static int look_at(struct code_walk *w, struct func *f, struct insn_decoder *d,
		   const unsigned char *p, size_t n, const struct insn *in,
		   const struct symbol *sym)
{
	uint64_t addr = sym->start + (uint64_t)(p - w->buf);
	struct code_event ev = { .addr = addr, .kind = EV_CALL, .target = in->target };
	bool inside = in->has_target && in->target >= sym->start && in->target < sym->end;

	if (in->zero_upper) {
		ev.kind = EV_CLEAN;
		return vec_push(&f->events, ev);
	}
	switch (in->branch) {
	case INSN_CALL: return vec_push(&f->events, ev);
	case INSN_RET: ev.kind = EV_RET; return vec_push(&f->events, ev);
	case INSN_JUMP:
		if (!inside && in->has_target) /* what it ends with is called, too */
			return vec_push(&f->events, ev);
		/* fallthrough */
	case INSN_COND:
		return inside && in->target <= addr ? push_loop(w, f, in->target - sym->start,
								in->target, addr + in->len)
						    : 0;
	default: break;
	}
	if (in->vector_bits <= 128)
		return 0;
	ev.kind = EV_WRITE;
	ev.width = written_width(d, p, n, addr);
	f->widest = (uint8_t)max_u64(f->widest, ev.width);
	return ev.width > SIMD_128 ? vec_push(&f->events, ev) : 0;
}

static int read_func(struct code_walk *w, struct keys *ks, struct func *f, struct dso *dso,
		     const struct symbol *sym)
{
	struct insn_decoder *d = keys_decoder(&w->dec, ks->res, ks->o.arch, dso);
	uint64_t size = sym->end > sym->start ? min_u64(sym->end - sym->start, FUNC_READ) : 0;
	ssize_t n = d && size ? symbol_read_code(ks->res, dso, sym->start, w->buf, size) : -1;
	struct insn in;

	f->read = true;
	f->unknown = n <= 0;
	memset(w->loop_at, 0, n > 0 ? (size_t)n * sizeof(*w->loop_at) : 0);
	for (ssize_t at = 0; at < n; at += in.len) {
		const unsigned char *p = w->buf + at;

		if (insn_decode(d, p, (size_t)(n - at), sym->start + (uint64_t)at, &in) <= 0)
			break;
		if (look_at(w, f, d, p, (size_t)(n - at), &in, sym))
			return -ENOMEM;
	}
	return 0;
}

/* NULL: not known. Valid until the next one is asked for. */
static const struct func *func_of(struct keys *ks, struct dso *dso, const struct symbol *sym)
{
	const struct func none = { .read = false };
	struct code_walk *w = ks->reader->walk;

	if (!w)
		w = ks->reader->walk = calloc(1, sizeof(*w));
	if (!w || !dso || !sym || vec_reach(&w->func, sym->idx, none)) {
		ks->no_memory |= !w;
		return NULL;
	}
	if (!w->func.v[sym->idx].read && read_func(w, ks, &w->func.v[sym->idx], dso, sym))
		ks->no_memory = true;
	return w->func.v[sym->idx].unknown ? NULL : &w->func.v[sym->idx];
}

/* ---- key loop --------------------------------------------------------------------------------- */

uint64_t keys_place_loop(struct keys *ks, const struct place_in *in)
{
	const struct symbol *sym = in->at->sym;
	const struct func *f = func_of(ks, in->at->dso, sym);
	const struct code_loop *best = NULL;
	uint64_t addr = in->at->addr;
	char buf[512];

	if (!f)
		return ks->unknown;
	vec_for_each (l, &f->loops)
		if (addr >= l->head && addr < l->end &&
		    (!best || l->end - l->head < best->end - best->head))
			best = l;
	if (!best)
		return keys_name_id(ks, "[no loop]");
	snprintf(buf, sizeof(buf), "%s+0x%llx-0x%llx", sym->name,
		 (unsigned long long)(best->head - sym->start),
		 (unsigned long long)(best->end - sym->start));
	return keys_name_id(ks, buf);
}

/* ---- key dirty_by ----------------------------------------------------------------------------- */

enum found { FOUND_NOTHING, FOUND_WRITER, FOUND_CLEAN };

struct search {
	struct keys *ks;
	uint8_t width;
	unsigned left;		  /* of EVENTS_MAX */
	const struct symbol *sym; /* of the writer */
	uint64_t addr;
};

static enum found look_back(struct search *s, struct dso *dso, const struct symbol *sym,
			    uint64_t from, uint64_t to, unsigned depth);

/* What a call leaves behind: what its last events before the returns say. */
static enum found look_into(struct search *s, struct dso *dso, uint64_t target, unsigned depth)
{
	const struct symbol *sym = depth ? symbol_find(s->ks->res, dso, target) : NULL;

	return sym ? look_back(s, dso, sym, sym->start, sym->end, depth - 1) : FOUND_NOTHING;
}

/* The last event in [@from, @to) of a function that tells. */
static enum found look_back(struct search *s, struct dso *dso, const struct symbol *sym,
			    uint64_t from, uint64_t to, unsigned depth)
{
	const struct func *f = func_of(s->ks, dso, sym);
	size_t i = f ? f->events.n : 0;

	while (i-- && s->left) {
		/* Functions move when one more is read. */
		struct code_event ev = s->ks->reader->walk->func.v[sym->idx].events.v[i];
		enum found found = FOUND_NOTHING;

		if (ev.addr >= to || ev.addr < from)
			continue;
		s->left--;
		if (ev.kind == EV_WRITE && ev.width >= s->width) {
			s->sym = sym;
			s->addr = ev.addr;
			return FOUND_WRITER;
		}
		if (ev.kind == EV_CLEAN)
			return FOUND_CLEAN;
		if (ev.kind == EV_CALL)
			found = look_into(s, dso, ev.target, depth);
		if (found != FOUND_NOTHING)
			return found;
	}
	return FOUND_NOTHING;
}

static const struct loc *loc_of(struct search *s, struct thread *th, uint8_t mode, uint64_t ip)
{
	uint32_t loc = resolver_find(s->ks->res, th, mode, ip);

	return loc == LOC_NONE ? NULL : resolver_loc(s->ks->res, loc);
}

/* Code that ran from @from through @to, both in one function. */
static enum found in_stretch(struct search *s, struct thread *th, uint8_t mode, uint64_t from,
			     uint64_t to)
{
	const struct loc *l = from <= to ? loc_of(s, th, mode, to) : NULL;

	if (!l || !l->sym || l->addr < l->sym->start + (to - from))
		return FOUND_NOTHING;
	return look_back(s, l->dso, l->sym, l->addr - (to - from), l->addr, 0);
}

static enum found by_branches(struct search *s, const struct sample *smp, struct thread *th)
{
	const struct sample_branches *b = &smp->branches;
	enum found found;
	uint64_t to = smp->ip;

	for (uint64_t i = 0; i < b->nr; i++) {
		found = in_stretch(s, th, smp->cpumode, sample_branch_to(b, i), to);
		if (found != FOUND_NOTHING)
			return found;
		to = sample_branch_from(b, i);
	}
	return FOUND_NOTHING;
}

/* The code in front of the address, then in front of each call that led there. */
static enum found by_code(struct search *s, const struct sample *smp, struct thread *th)
{
	struct sample_frames it = sample_frames(&smp->callchain);
	const struct loc *l = loc_of(s, th, smp->cpumode, smp->ip);
	enum found found;
	bool first = true;
	uint64_t ip;

	if (!l || !l->sym)
		return FOUND_NOTHING;
	found = look_back(s, l->dso, l->sym, l->sym->start, l->addr, CALLS_MAX);
	while (found == FOUND_NOTHING && sample_frames_next(&it, &ip) > 0) {
		/* The first is the sampled address again. */
		l = first ? NULL : loc_of(s, th, it.mode, ip - 1);
		first = false;
		if (l && l->sym)
			found = look_back(s, l->dso, l->sym, l->sym->start, l->addr, CALLS_MAX);
	}
	return found;
}

static uint64_t name_of_writer(struct search *s)
{
	char buf[512];

	snprintf(buf, sizeof(buf), "%s+0x%llx (no vzeroupper)", s->sym->name,
		 (unsigned long long)(s->addr - s->sym->start));
	return keys_name_id(s->ks, buf);
}

uint64_t keys_get_dirty_by(struct keys *ks, const struct sample *smp, struct thread *th)
{
	struct sample_regs tmp;
	const struct sample_regs *r = sample_simd_block(smp, ks->o.arch, &tmp);
	struct search s = { .ks = ks, .left = EVENTS_MAX };
	int live = r ? sample_simd_live(smp, r, NULL) : -1;
	const struct func *f;
	const struct loc *l;

	if (live < 0 || !simd_is_of_code(smp, ks->o.arch))
		return ks->unknown;
	if (live <= SIMD_128)
		return keys_name_id(ks, "[clean]");
	s.width = (uint8_t)live;
	l = loc_of(&s, th, smp->cpumode, smp->ip);
	f = l ? func_of(ks, l->dso, l->sym) : NULL;
	if (!f)
		return ks->unknown;
	if (f->widest >= live)
		return keys_name_id(ks, "[own code]");
	if (by_branches(&s, smp, th) == FOUND_WRITER || by_code(&s, smp, th) == FOUND_WRITER)
		return name_of_writer(&s);
	return ks->unknown;
}
