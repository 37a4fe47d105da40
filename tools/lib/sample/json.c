// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers of a sample as JSON: general ones as bit patterns, vectors as typed lanes. Vectors
 * that are all zero are listed by number only, and what JSON has no number for is a string, so
 * that every line is JSON for any parser.
 */
#include <ctype.h>
#include <stdio.h>

#include "sample/sample.h"

#define MAX_QWORDS 64

static void emit_reg(const char *name, uint64_t v, bool hide, struct emit *e)
{
	if (hide)
		emit_str(e, name, NULL);
	else
		emit_hex(e, name, v);
}

/* What has no name is called by its number: keys of an object are distinct. */
static void emit_bit(const struct sample_regs *r, enum regs_arch arch, unsigned i, bool hide,
		     struct emit *e)
{
	const char *name = regs_find_name(arch, i, r->simd);
	char number[16];
	uint64_t v;

	if (!sample_reg(r, i, &v))
		return;
	snprintf(number, sizeof(number), "unknown%u", i);
	emit_reg(name ? name : number, v, hide, e);
}

/* Two bits with one name, the lower half first; null is one that was not recorded. */
static void emit_halves(const struct sample_regs *r, enum regs_arch arch, unsigned i, bool hide,
			struct emit *e)
{
	const char *name = regs_name(arch, i, r->simd);

	if (!(r->mask >> i & 3))
		return;
	if (hide) {
		emit_str(e, name, NULL);
		return;
	}
	emit_array(e, name);
	for (unsigned k = i; k < i + 2; k++) {
		uint64_t v;

		if (sample_reg(r, k, &v))
			emit_hex(e, NULL, v);
		else
			emit_str(e, NULL, NULL);
	}
	emit_end(e);
}

void sample_emit_regs(const struct sample_regs *r, enum regs_arch arch, const char *name, bool hide,
		      struct emit *e)
{
	/* From 32 on x86 had halves of XMM registers, before there were other vectors. */
	unsigned halves = arch == REGS_ARCH_X86 && !r->simd ? 32 : 64;
	uint32_t mxcsr;
	uint64_t v;
	bool flags;

	if (!r->abi)
		return;
	emit_object(e, name);
	emit_u64(e, "abi", r->abi);
	for (unsigned i = 0; i < halves; i++)
		emit_bit(r, arch, i, hide, e);
	for (unsigned i = halves; i < 64; i += 2)
		emit_halves(r, arch, i, hide, e);
	for (unsigned i = 0; i < REGS_NR_BASES && sample_base(r, i, &v); i++)
		emit_reg(regs_base_name(i), v, hide, e);
	if (sample_mxcsr(r, &mxcsr, &flags)) {
		emit_reg(REGS_MXCSR_NAME, mxcsr, hide, e);
		emit_bool(e, "mxcsr_flags_known", flags);
	}
	emit_end(e);
}

/* What is no number in JSON: bit patterns, nan, inf. */
static void emit_lane(const uint64_t *q, unsigned i, enum regs_lane lane, struct emit *e)
{
	char text[64];
	struct obuf o;
	size_t sign;

	if (obuf_init(&o, -1, 128))
		return;
	regs_print_lane(q, i, lane, &o);
	snprintf(text, sizeof(text), "%.*s", (int)o.len, o.buf);
	obuf_free(&o);
	sign = text[0] == '-';
	if (lane == LANE_HEX || !isdigit((unsigned char)text[sign]))
		emit_str(e, NULL, text);
	else
		emit_raw(e, NULL, text);
}

static void emit_lanes(const uint64_t *q, unsigned qwords, enum regs_lane lane, const char *name,
		       struct emit *e)
{
	unsigned n = qwords * (64 / regs_lane_bits(lane));

	emit_array(e, name);
	for (unsigned i = 0; i < n; i++)
		emit_lane(q, i, lane, e);
	emit_end(e);
}

struct regs_walk {
	const struct u64s *all;
	uint64_t mask, pick;
	unsigned nr, qwords;
	const uint8_t *lanes; /* types by register; NULL = one for all */
};

/* @at: the register's first qword. False at the end. */
static bool next_reg(struct regs_walk *w, unsigned *i, unsigned *reg, uint64_t *q, bool *initial)
{
	for (; *i < w->nr && w->mask; ++*i, w->mask &= w->mask - 1) {
		uint64_t any = 0;

		*reg = (unsigned)__builtin_ctzll(w->mask);
		if (!(w->pick >> *reg & 1))
			continue;
		for (unsigned j = 0; j < w->qwords; j++) {
			q[j] = u64s_get(w->all, (uint64_t)*i * w->qwords + j);
			any |= q[j];
		}
		*initial = !any;
		++*i;
		w->mask &= w->mask - 1;
		return true;
	}
	return false;
}

/* "zmm_types":{"3":"f32"}, of registers that are shown. */
static void emit_types(struct regs_walk w, const char *name, struct emit *e)
{
	uint64_t q[MAX_QWORDS];
	char key[32];
	unsigned reg, i = 0;
	bool initial;

	snprintf(key, sizeof(key), "%s_types", name);
	emit_object(e, key);
	while (next_reg(&w, &i, &reg, q, &initial)) {
		snprintf(key, sizeof(key), "%u", reg);
		if (!initial && reg < 32)
			emit_str(e, key, regs_lane_name((enum regs_lane)w.lanes[reg]));
	}
	emit_end(e);
}

/* "zmm":{"3":[...]},"zmm_initial":[4,5]: what is all zero is named, not shown. */
static void emit_class(struct regs_walk w, const char *name, enum regs_lane lane, bool pred,
		       bool hide, struct emit *e)
{
	struct regs_walk again = w;
	uint64_t q[MAX_QWORDS];
	char key[32];
	unsigned reg, i = 0;
	bool initial;

	if (!w.qwords || w.qwords > MAX_QWORDS || !w.nr)
		return;
	emit_object(e, name);
	while (next_reg(&w, &i, &reg, q, &initial)) {
		snprintf(key, sizeof(key), "%u", reg);
		if (hide)
			emit_str(e, key, NULL);
		else if (!initial && pred && w.qwords == 1)
			emit_hex(e, key, q[0]);
		else if (!initial)
			emit_lanes(q, w.qwords,
				   w.lanes && reg < 32 ? (enum regs_lane)w.lanes[reg] : lane, key,
				   e);
	}
	emit_end(e);
	if (hide)
		return;
	if (w.lanes)
		emit_types(again, name, e);
	snprintf(key, sizeof(key), "%s_initial", name);
	emit_array(e, key);
	for (i = 0; next_reg(&again, &i, &reg, q, &initial);)
		if (initial)
			emit_u64(e, NULL, reg);
	emit_end(e);
}

static const char *lower(const char *s, char *buf, size_t size)
{
	size_t i;

	for (i = 0; s[i] && i + 1 < size; i++)
		buf[i] = (char)tolower((unsigned char)s[i]);
	buf[i] = 0;
	return buf;
}

void sample_emit_simd(const struct sample_regs *r, enum regs_arch arch, const char *side,
		      const struct sample_simd_opts *opts, struct emit *e)
{
	struct sample_regs tmp;
	const struct sample_regs *simd = sample_vectors(r, arch, &tmp);
	bool all = !opts->pick.gpr && !opts->pick.vec && !opts->pick.pred;
	struct regs_walk vec = { .all = &simd->vec,
				 .mask = simd->vec_mask,
				 .nr = simd->nr_vectors,
				 .qwords = simd->vector_qwords,
				 .lanes = opts->lanes,
				 .pick = all ? UINT64_MAX : opts->pick.vec };
	struct regs_walk pred = { .all = &r->pred,
				  .mask = r->pred_mask,
				  .nr = r->nr_pred,
				  .qwords = r->pred_qwords,
				  .pick = all ? UINT64_MAX : opts->pick.pred };
	char name[16];
	uint64_t v;

	if (!r->abi)
		return;
	emit_object(e, side);
	for (unsigned i = 0; i < 64; i++)
		if ((opts->pick.gpr >> i & 1) && sample_reg(r, i, &v))
			emit_reg(regs_name(arch, i, r->simd), v, opts->hide, e);
	emit_class(vec, lower(regs_vector_class(arch, simd->vector_qwords), name, sizeof(name)),
		   opts->lane, false, opts->hide, e);
	emit_class(pred,
		   arch == REGS_ARCH_X86 ? "k" : lower(regs_pred_class(arch), name, sizeof(name)),
		   LANE_HEX, true, opts->hide, e);
	emit_end(e);
}
