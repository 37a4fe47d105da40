// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accumulator: the SIMD state of a row's samples: live widths, the code at the sampled address, mask
 * registers. What the code does is looked at once per location and function, and forgotten when
 * samples have come: rows keep numbers.
 *
 * A sample's live width (sample_simd_live()) is that of the widest of vector registers 0 to 15 with a bit set: 128, 256,
 * 512 or none. The code's width is that of the widest vector register which the instruction at the
 * sampled address names. Live state wider than the code is dirty; whether the function itself
 * ever uses that width tells "uses zmm" and "zmm left dirty" apart. Registers 16 to 31 are apart:
 * vzeroupper spares them, so what a program's start left there lives on in everything behind it.
 */
#include "vector-int.h"

#define CODE_READ 15 /* bytes: the longest x86 instruction */
#define FUNC_READ 65536

enum { CODE_NEW, CODE_UNKNOWN, CODE_KNOWN };
enum { FUNC_NEW, FUNC_UNKNOWN, FUNC_WIDTH }; /* FUNC_WIDTH + enum simd_width */

/* ---- the code -------------------------------------------------------------------------------- */

struct insn_decoder *keys_decoder(struct decoders *d, struct resolver *res, enum regs_arch arch,
				  struct dso *dso)
{
	unsigned mode = symbol_insn_mode(res, dso) % INSN_MODES;
	struct err e = { 0 };

	if (!d->tried[mode] && insn_new(&d->dec[mode], arch, mode, &e))
		resolver_warn(res, "what the code does is not known: %s", e.text);
	d->tried[mode] = true;
	return d->dec[mode];
}

void keys_decoders_free(struct decoders *d)
{
	for (size_t i = 0; i < ARRAY_SIZE(d->dec); i++)
		insn_free(d->dec[i]);
}

/* The instruction of a location, looked at once. */
struct simd_code {
	uint8_t state; /* 0 = not looked at yet */
	uint8_t width; /* enum simd_width */
	bool upper;    /* vzeroupper, vzeroall: cleans, so nothing is dirty here */
	uint8_t mask, lanes;
};

/* What code does, while samples come. */
struct simd_use {
	struct acc_env env;
	VEC(struct simd_code) code; /* by location */
	VEC(uint8_t) func;	    /* by symbol idx: 0 = not looked at, else see FUNC_* */
	struct decoders dec;
	unsigned char *buf;
};

static uint8_t width_of(uint16_t bits)
{
	return bits >= 512 ? SIMD_512 : bits >= 256 ? SIMD_256 : bits ? SIMD_128 : SIMD_NONE;
}

static void look_at_code(struct simd_use *u, const struct loc *l, struct simd_code *c)
{
	struct insn_decoder *d =
		l->dso ? keys_decoder(&u->dec, u->env.res, u->env.arch, l->dso) : NULL;
	unsigned char code[CODE_READ];
	struct insn in;
	ssize_t n;

	c->state = CODE_UNKNOWN;
	if (!d)
		return;
	n = symbol_read_code(u->env.res, l->dso, l->addr, code, sizeof(code));
	if (n <= 0 || insn_decode(d, code, (size_t)n, l->addr, &in) <= 0)
		return;
	c->state = CODE_KNOWN;
	c->width = width_of(in.vector_bits);
	c->upper = in.zero_upper;
	c->mask = in.mask;
	c->lanes = in.lanes;
}

static const struct simd_code *code_of(struct simd_use *u, uint32_t loc)
{
	static const struct simd_code none;

	if (vec_reach(&u->code, loc, none))
		return &none;
	if (u->code.v[loc].state == CODE_NEW)
		look_at_code(u, resolver_loc(u->env.res, loc), &u->code.v[loc]);
	return &u->code.v[loc];
}

/* The widest vector that any instruction of a function names; what does not decode ends it. */
static uint8_t scan_function(struct simd_use *u, const struct loc *l)
{
	struct insn_decoder *d = keys_decoder(&u->dec, u->env.res, u->env.arch, l->dso);
	uint64_t size = min_u64(l->sym->end - l->sym->start, FUNC_READ);
	uint8_t width = SIMD_NONE;
	struct insn in;
	ssize_t n;

	if (!u->buf)
		u->buf = malloc(FUNC_READ);
	if (!d || !u->buf || l->sym->end <= l->sym->start)
		return FUNC_UNKNOWN;
	n = symbol_read_code(u->env.res, l->dso, l->sym->start, u->buf, size);
	if (n <= 0)
		return FUNC_UNKNOWN;
	for (ssize_t at = 0; at < n; at += in.len) {
		if (insn_decode(d, u->buf + at, (size_t)(n - at), (uint64_t)at, &in) <= 0)
			break;
		if (width < width_of(in.vector_bits))
			width = width_of(in.vector_bits);
	}
	return FUNC_WIDTH + width;
}

static uint8_t func_of(struct simd_use *u, const struct loc *l)
{
	uint32_t idx = l->sym->idx;

	if (vec_reach(&u->func, idx, FUNC_NEW))
		return FUNC_UNKNOWN;
	if (u->func.v[idx] == FUNC_NEW)
		u->func.v[idx] = l->dso ? scan_function(u, l) : FUNC_UNKNOWN;
	return u->func.v[idx];
}

/* ---- masks ----------------------------------------------------------------------------------- */

/* Lanes that the instruction's own mask lets through. */
static void count_lanes(struct simd_counts *c, const struct simd_code *code,
			const struct sample_regs *r)
{
	uint64_t all = code->lanes >= 64 ? UINT64_MAX : BIT(code->lanes) - 1, k;

	if (!code->mask || !code->lanes || !sample_mask_value(r, code->mask, &k))
		return;
	c->masked++;
	c->lanes_on += (uint64_t)weight_u64(k & all);
	c->lanes_all += code->lanes;
	c->masked_permille += (uint64_t)weight_u64(k & all) * 1000 / code->lanes;
}

/* How full the masks are: of the 8, 16, 32 or 64 lanes that the highest bit needs. */
static void count_fill(struct simd_counts *c, const struct sample_regs *r)
{
	uint64_t k, sum = 0, nr = 0;

	for (unsigned reg = 1; reg < 8; reg++) {
		unsigned lanes = 8;

		if (!sample_mask_value(r, reg, &k) || !k)
			continue;
		while (lanes < 64 && k >> lanes)
			lanes *= 2;
		sum += (uint64_t)weight_u64(k) * 1000 / lanes;
		c->mask_on += (uint64_t)weight_u64(k);
		c->mask_all += lanes;
		nr++;
	}
	if (!nr)
		return;
	c->filled++;
	c->filled_permille += sum / nr;
}

/* ---- one sample ------------------------------------------------------------------------------ */

/* What was to be recorded; what is narrower in a sample was zero above. */
static unsigned asked_qwords(const struct sample *s)
{
	const struct perf_event_attr *a = &s->event->attr;

	return a->sample_simd_regs_enabled ? a->sample_simd_vec_reg_qwords : 2;
}

static void count_code(struct simd_use *u, struct simd_counts *c, const struct acc_in *in,
		       const struct sample_regs *r, uint8_t live)
{
	uint32_t loc = keys_acc_loc(&u->env, in);
	const struct simd_code *code = loc == LOC_NONE ? NULL : code_of(u, loc);
	const struct loc *l;

	if (!code || code->state != CODE_KNOWN)
		return;
	c->coded++;
	c->code[code->width]++;
	c->coded_wide += asked_qwords(in->s) > 2;
	if (!u->env.redact)
		count_lanes(c, code, r);
	if (live > SIMD_128 && live > code->width && !code->upper) {
		c->dirty++;
		if (c->widest_dirty < live)
			c->widest_dirty = live;
	}
	l = resolver_loc(u->env.res, loc);
	if (l->sym && l->sym != c->sym) {
		uint8_t func = func_of(u, l);

		c->sym = l->sym;
		if (func >= FUNC_WIDTH && c->func < func - FUNC_WIDTH)
			c->func = (uint8_t)(func - FUNC_WIDTH);
	}
	if (c->func < code->width)
		c->func = code->width;
	c->func_known = true;
}

static int add(void *slot, const struct acc_in *in, void *state)
{
	struct simd_use *u = state;
	const struct sample *s = in->s;
	struct sample_regs tmp;
	const struct sample_regs *r = sample_simd_block(s, u->env.arch, &tmp);
	struct simd_counts *c = slot;
	int high = -1, live = r ? sample_simd_live(s, r, &high) : -1;

	if (live < 0)
		return 0;
	c->high_nr += high >= 0;
	c->high += high > SIMD_NONE;
	c->nr++;
	c->live[live]++;
	c->seen_256 += asked_qwords(s) > 2;
	c->seen_512 += asked_qwords(s) > 4;
	if (!u->env.redact)
		count_fill(c, r);
	if (simd_is_of_code(s, u->env.arch))
		count_code(u, c, in, r, (uint8_t)live);
	return 0;
}

static int merge(void *slot, const void *from, const struct acc_maps *maps)
{
	struct simd_counts *sum = slot;
	const struct simd_counts *c = from;

	(void)maps;
	sum->nr += c->nr;
	sum->coded += c->coded;
	for (int w = 0; w < SIMD_WIDTHS; w++) {
		sum->live[w] += c->live[w];
		sum->code[w] += c->code[w];
	}
	sum->dirty += c->dirty;
	sum->coded_wide += c->coded_wide;
	sum->seen_256 += c->seen_256;
	sum->seen_512 += c->seen_512;
	sum->high_nr += c->high_nr;
	sum->high += c->high;
	sum->masked += c->masked;
	sum->masked_permille += c->masked_permille;
	sum->lanes_on += c->lanes_on;
	sum->lanes_all += c->lanes_all;
	sum->mask_on += c->mask_on;
	sum->mask_all += c->mask_all;
	sum->filled += c->filled;
	sum->filled_permille += c->filled_permille;
	sum->func = max_u64(sum->func, c->func);
	sum->widest_dirty = max_u64(sum->widest_dirty, c->widest_dirty);
	sum->func_known |= c->func_known;
	return 0;
}

static int start(void **state, const struct acc_env *env)
{
	struct simd_use *u = calloc(1, sizeof(*u));

	if (!u)
		return -ENOMEM;
	u->env = *env;
	*state = u;
	return 0;
}

static void stop(void *state)
{
	struct simd_use *u = state;

	if (!u)
		return;
	vec_free(&u->code);
	vec_free(&u->func);
	keys_decoders_free(&u->dec);
	free(u->buf);
	free(u);
}

/* ---- columns: permille, UINT64_MAX = not known ------------------------------------------------- */

VECTOR_SHARE(struct simd_counts, live_512, live[SIMD_512], seen_512)
VECTOR_SHARE(struct simd_counts, live_256, live[SIMD_256], seen_256)
VECTOR_SHARE(struct simd_counts, live_128, live[SIMD_128], nr)
VECTOR_SHARE(struct simd_counts, live_none, live[SIMD_NONE], nr)
VECTOR_SHARE(struct simd_counts, live_high, high, high_nr)
VECTOR_SHARE(struct simd_counts, dirty, dirty, coded_wide)
VECTOR_SHARE(struct simd_counts, code_512, code[SIMD_512], coded)
VECTOR_SHARE(struct simd_counts, code_256, code[SIMD_256], coded)
VECTOR_SHARE(struct simd_counts, code_128, code[SIMD_128], coded)
VECTOR_SHARE(struct simd_counts, code_none, code[SIMD_NONE], coded)

static uint64_t stat_lanes(const struct keys_row *r, const void *slot)
{
	const struct simd_counts *c = slot;

	(void)r;
	return c->masked ? c->masked_permille / c->masked : STAT_UNKNOWN;
}

static uint64_t stat_masks(const struct keys_row *r, const void *slot)
{
	const struct simd_counts *c = slot;

	(void)r;
	return c->filled ? c->filled_permille / c->filled : STAT_UNKNOWN;
}

/* Function width, and above it the width that was left behind by other code. */
static uint64_t stat_use(const struct keys_row *r, const void *slot)
{
	const struct simd_counts *c = slot;

	(void)r;
	if (!c->func_known)
		return STAT_UNKNOWN;
	return c->func | (c->widest_dirty > c->func ? (uint64_t)c->widest_dirty << 4 : 0);
}

static const char *use_text(uint64_t v)
{
	static const char *const uses[SIMD_WIDTHS] = { "scalar", "uses xmm", "uses ymm",
						       "uses zmm" };

	if (v == STAT_UNKNOWN)
		return "N/A";
	if (v >> 4)
		return v >> 4 == SIMD_512 ? "zmm left dirty" : "ymm left dirty";
	return uses[v & 3];
}

static bool shown(const struct keys_opts *o)
{
	return o->simd;
}

#define COLUMN VECTOR_COLUMN(keys_acc_simd), .min_width = 7, .unknown = "N/A"

/* All of them are the columns of report --simd, in this order. */
static const struct key cols[] = {
	{ "live_512", "Live512", COLUMN, .stat = stat_live_512 },
	{ "live_256", "Live256", COLUMN, .stat = stat_live_256 },
	{ "live_128", "Live128", COLUMN, .stat = stat_live_128 },
	{ "live_none", "LiveNone", COLUMN, .stat = stat_live_none },
	{ "live_high", "Live16-31", COLUMN, .stat = stat_live_high },
	{ "simd_dirty", "Dirty", COLUMN, .stat = stat_dirty },
	{ "code_512", "Code512", COLUMN, .stat = stat_code_512 },
	{ "code_256", "Code256", COLUMN, .stat = stat_code_256 },
	{ "code_128", "Code128", COLUMN, .stat = stat_code_128 },
	{ "code_none", "CodeNone", COLUMN, .stat = stat_code_none },
	{ "mask_lanes", "Lanes", COLUMN, .stat = stat_lanes },
	{ "mask_fill", "Masks", COLUMN, .stat = stat_masks },
	{ "simd_use", "SIMD Use", VECTOR_STAT(keys_acc_simd), .min_width = 14, .stat = stat_use,
	  .stat_text = use_text },
};

const struct acc keys_acc_simd = {
	.name = "simd",
	.size = sizeof(struct simd_counts),
	.cols = cols,
	.nr_cols = ARRAY_SIZE(cols),
	.shown = shown,
	.legend =
		"# Live: samples by widest register of 0-15 with a bit set, Live16-31: with one in "
		"those. Code: by the\n"
		"# instruction at the sampled address.\n"
		"# Dirty: live above 128 bits and above what that instruction uses. Lanes: that "
		"its mask lets through.\n"
		"# Masks: how full k1-k7 are. SIMD Use: what all code of the function uses.\n"
		"#\n",
	.needs_sample = true,
	.start = start,
	.stop = stop,
	.add = add,
	.merge = merge,
};
