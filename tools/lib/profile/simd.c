// SPDX-License-Identifier: GPL-2.0-or-later
/* Counting SIMD state per row: live widths, the code at the sampled address, mask registers. */
#include "profile-int.h"

#define CODE_READ 15 /* bytes: the longest x86 instruction */
#define FUNC_READ 65536

enum { CODE_NEW, CODE_UNKNOWN, CODE_KNOWN };
enum { FUNC_NEW, FUNC_UNKNOWN, FUNC_WIDTH }; /* FUNC_WIDTH + enum simd_width */

/* ---- the code -------------------------------------------------------------------------------- */

struct insn_decoder *prof_decoder(struct profile *p, struct dso *dso)
{
	struct simd_use *u = &p->simd;
	bool wide = symbol_is_64bit(p->res, dso);
	struct err e = { 0 };

	if (!u->tried[wide] && insn_new(&u->dec[wide], p->o.arch, wide, &e))
		log_warn("what the code does is not known: %s", e.text);
	u->tried[wide] = true;
	return u->dec[wide];
}

static uint8_t width_of(uint16_t bits)
{
	return bits >= 512 ? SIMD_512 : bits >= 256 ? SIMD_256 : bits ? SIMD_128 : SIMD_NONE;
}

static void look_at_code(struct profile *p, const struct loc *l, struct simd_code *c)
{
	struct insn_decoder *d = l->dso ? prof_decoder(p, l->dso) : NULL;
	unsigned char code[CODE_READ];
	struct insn in;
	ssize_t n;

	c->state = CODE_UNKNOWN;
	if (!d)
		return;
	n = symbol_read_code(p->res, l->dso, l->addr, code, sizeof(code));
	if (n <= 0 || insn_decode(d, code, (size_t)n, l->addr, &in) <= 0)
		return;
	c->state = CODE_KNOWN;
	c->width = width_of(in.vector_bits);
	c->upper = in.zero_upper;
	c->mask = in.mask;
	c->lanes = in.lanes;
}

static const struct simd_code *code_of(struct profile *p, uint32_t loc)
{
	static const struct simd_code none;
	struct simd_use *u = &p->simd;

	if (vec_reach(&u->code, loc, none))
		return &none;
	if (u->code.v[loc].state == CODE_NEW)
		look_at_code(p, resolver_loc(p->res, loc), &u->code.v[loc]);
	return &u->code.v[loc];
}

/* The widest vector that any instruction of a function names; what does not decode ends it. */
static uint8_t scan_function(struct profile *p, const struct loc *l)
{
	struct insn_decoder *d = prof_decoder(p, l->dso);
	uint64_t size = min_u64(l->sym->end - l->sym->start, FUNC_READ);
	uint8_t width = SIMD_NONE;
	struct insn in;
	ssize_t n;

	if (!p->simd.buf)
		p->simd.buf = malloc(FUNC_READ);
	if (!d || !p->simd.buf || l->sym->end <= l->sym->start)
		return FUNC_UNKNOWN;
	n = symbol_read_code(p->res, l->dso, l->sym->start, p->simd.buf, size);
	if (n <= 0)
		return FUNC_UNKNOWN;
	for (ssize_t at = 0; at < n; at += in.len) {
		if (insn_decode(d, p->simd.buf + at, (size_t)(n - at), (uint64_t)at, &in) <= 0)
			break;
		if (width < width_of(in.vector_bits))
			width = width_of(in.vector_bits);
	}
	return FUNC_WIDTH + width;
}

static uint8_t func_of(struct profile *p, const struct loc *l)
{
	struct simd_use *u = &p->simd;
	uint32_t idx = l->sym->idx;

	if (vec_reach(&u->func, idx, FUNC_NEW))
		return FUNC_UNKNOWN;
	if (u->func.v[idx] == FUNC_NEW)
		u->func.v[idx] = l->dso ? scan_function(p, l) : FUNC_UNKNOWN;
	return u->func.v[idx];
}

/* ---- masks ----------------------------------------------------------------------------------- */

static bool mask_value(const struct sample_regs *r, unsigned reg, uint64_t *k)
{
	uint64_t at = (uint64_t)weight_u64(r->pred_mask & (BIT(reg) - 1));

	if (r->pred_qwords != 1 || !(r->pred_mask >> reg & 1))
		return false;
	/* Fewer than asked for: the rest were in their initial state. */
	*k = at < r->pred.nr ? u64s_get(&r->pred, at) : 0;
	return true;
}

/* Lanes that the instruction's own mask lets through. */
static void count_lanes(struct simd_counts *c, const struct simd_code *code,
			const struct sample_regs *r)
{
	uint64_t all = code->lanes >= 64 ? UINT64_MAX : BIT(code->lanes) - 1, k;

	if (!code->mask || !code->lanes || !mask_value(r, code->mask, &k))
		return;
	c->masked++;
	c->masked_permille += (uint64_t)weight_u64(k & all) * 1000 / code->lanes;
}

/* How full the masks are: of the 8, 16, 32 or 64 lanes that the highest bit needs. */
static void count_fill(struct simd_counts *c, const struct sample_regs *r)
{
	uint64_t k, sum = 0, nr = 0;

	for (unsigned reg = 1; reg < 8; reg++) {
		unsigned lanes = 8;

		if (!mask_value(r, reg, &k) || !k)
			continue;
		while (lanes < 64 && k >> lanes)
			lanes *= 2;
		sum += (uint64_t)weight_u64(k) * 1000 / lanes;
		nr++;
	}
	if (!nr)
		return;
	c->filled++;
	c->filled_permille += sum / nr;
}

/* ---- one sample ------------------------------------------------------------------------------ */

static struct simd_counts *counts_of(struct profile *p, const struct profile_row *row)
{
	static const struct simd_counts none;

	if (vec_reach(&p->simd.rows, row->idx, none))
		return NULL;
	return &p->simd.rows.v[row->idx];
}

/* User registers of a sample in the kernel are those of other code than the one at its address. */
static bool belongs_to_code(const struct profile *p, const struct sample *s)
{
	return prof_simd_is_intr(s, p->o.arch) || s->cpumode == PERF_RECORD_MISC_USER ||
	       s->cpumode == PERF_RECORD_MISC_GUEST_USER;
}

static void count_code(struct profile *p, struct simd_counts *c, const struct sample *s,
		       struct thread *th, const struct sample_regs *r, uint8_t live)
{
	uint32_t loc = resolver_find(p->res, th, s->cpumode, s->ip);
	const struct simd_code *code = loc == LOC_NONE ? NULL : code_of(p, loc);
	const struct loc *l;

	if (!code || code->state != CODE_KNOWN)
		return;
	c->coded++;
	c->code[code->width]++;
	if (!p->o.redact)
		count_lanes(c, code, r);
	if (live > SIMD_128 && live > code->width && !code->upper) {
		c->dirty++;
		if (c->widest_dirty < live)
			c->widest_dirty = live;
	}
	l = resolver_loc(p->res, loc);
	if (l->sym && l->sym != c->sym) {
		uint8_t func = func_of(p, l);

		c->sym = l->sym;
		if (func >= FUNC_WIDTH && c->func < func - FUNC_WIDTH)
			c->func = (uint8_t)(func - FUNC_WIDTH);
	}
	if (c->func < code->width)
		c->func = code->width;
	c->func_known = true;
}

int prof_simd_count(struct profile *p, const struct profile_row *row, const struct sample *s,
		    struct thread *th)
{
	struct sample_regs tmp;
	const struct sample_regs *r = prof_simd_block(s, p->o.arch, &tmp);
	struct simd_counts *c = counts_of(p, row);
	int high = -1, live = r ? prof_simd_live(s, r, &high) : -1;

	if (!c)
		return -ENOMEM;
	if (live < 0)
		return 0;
	c->high_nr += high >= 0;
	c->high += high > SIMD_NONE;
	c->nr++;
	c->live[live]++;
	if (!p->o.redact)
		count_fill(c, r);
	if (belongs_to_code(p, s))
		count_code(p, c, s, th, r, (uint8_t)live);
	return 0;
}

void prof_simd_add(struct simd_counts *sum, const struct simd_counts *c)
{
	sum->nr += c->nr;
	sum->coded += c->coded;
	for (int w = 0; w < SIMD_WIDTHS; w++) {
		sum->live[w] += c->live[w];
		sum->code[w] += c->code[w];
	}
	sum->dirty += c->dirty;
	sum->high_nr += c->high_nr;
	sum->high += c->high;
	sum->masked += c->masked;
	sum->masked_permille += c->masked_permille;
	sum->filled += c->filled;
	sum->filled_permille += c->filled_permille;
	sum->func = max_u64(sum->func, c->func);
	sum->widest_dirty = max_u64(sum->widest_dirty, c->widest_dirty);
	sum->func_known |= c->func_known;
}

void prof_simd_free(struct profile *p)
{
	struct simd_use *u = &p->simd;

	vec_free(&u->rows);
	vec_free(&u->code);
	vec_free(&u->func);
	insn_free(u->dec[0]);
	insn_free(u->dec[1]);
	free(u->buf);
}

/* ---- columns --------------------------------------------------------------------------------- */

static const struct simd_counts *get(const struct profile *p, const struct profile_row *r)
{
	static const struct simd_counts none;

	/* Rows that stand for no sample (of other events of a group) have nobody's idx. */
	return r->nr && r->idx < p->simd.rows.n ? &p->simd.rows.v[r->idx] : &none;
}

static uint64_t permille(uint64_t n, uint64_t of)
{
	return of ? (n * 1000 + of / 2) / of : SIMD_UNKNOWN;
}

#define LIVE(name, width)                                                                    \
	uint64_t prof_stat_live_##name(const struct profile *p, const struct profile_row *r) \
	{                                                                                    \
		return permille(get(p, r)->live[width], get(p, r)->nr);                      \
	}
LIVE(512, SIMD_512)
LIVE(256, SIMD_256)
LIVE(128, SIMD_128)
LIVE(none, SIMD_NONE)

#define CODE(name, width)                                                                    \
	uint64_t prof_stat_code_##name(const struct profile *p, const struct profile_row *r) \
	{                                                                                    \
		return permille(get(p, r)->code[width], get(p, r)->coded);                   \
	}
CODE(512, SIMD_512)
CODE(256, SIMD_256)
CODE(128, SIMD_128)
CODE(none, SIMD_NONE)

uint64_t prof_stat_live_high(const struct profile *p, const struct profile_row *r)
{
	return permille(get(p, r)->high, get(p, r)->high_nr);
}

uint64_t prof_stat_dirty(const struct profile *p, const struct profile_row *r)
{
	return permille(get(p, r)->dirty, get(p, r)->coded);
}

uint64_t prof_stat_lanes(const struct profile *p, const struct profile_row *r)
{
	const struct simd_counts *c = get(p, r);

	return c->masked ? c->masked_permille / c->masked : SIMD_UNKNOWN;
}

uint64_t prof_stat_masks(const struct profile *p, const struct profile_row *r)
{
	const struct simd_counts *c = get(p, r);

	return c->filled ? c->filled_permille / c->filled : SIMD_UNKNOWN;
}

/* Function width, and above it the width that was left behind by other code. */
uint64_t prof_stat_use(const struct profile *p, const struct profile_row *r)
{
	const struct simd_counts *c = get(p, r);

	if (!c->func_known)
		return SIMD_UNKNOWN;
	return c->func | (c->widest_dirty > c->func ? (uint64_t)c->widest_dirty << 4 : 0);
}

const char *prof_simd_use_text(uint64_t v)
{
	static const char *const uses[SIMD_WIDTHS] = { "scalar", "uses xmm", "uses ymm",
						       "uses zmm" };

	if (v == SIMD_UNKNOWN)
		return "N/A";
	if (v >> 4)
		return v >> 4 == SIMD_512 ? "zmm left dirty" : "ymm left dirty";
	return uses[v & 3];
}
