// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * SIMD registers for people: one line each, as the numbers that a program keeps in them.
 * Neighbours that are all zero share a line. With --redact they do not: that a value is zero is a
 * value, too.
 */
#include <stdio.h>

#include "sample/sample.h"

#define MAX_QWORDS 64

struct rows {
	const struct sample_simd_opts *opts;
	const char *side, *name;
	struct obuf *o;
	/* Registers in their initial state that wait to be shown together. */
	unsigned first, nr;
};

static void start_row(struct rows *r, unsigned from, unsigned to)
{
	char name[48];

	if (from == to)
		snprintf(name, sizeof(name), "%s%u", r->name, from);
	else
		snprintf(name, sizeof(name), "%s%u-%u", r->name, from, to);
	obuf_lit(r->o, "\n\t");
	obuf_str(r->o, r->side);
	obuf_char(r->o, ' ');
	obuf_str_left(r->o, name, 8);
	obuf_char(r->o, ' ');
}

static void end_initial(struct rows *r)
{
	if (!r->nr)
		return;
	start_row(r, r->first, r->first + r->nr - 1);
	obuf_lit(r->o, "initial state");
	r->nr = 0;
}

static bool load(const struct u64s *all, uint64_t at, unsigned qwords, uint64_t *q)
{
	uint64_t any = 0;

	for (unsigned i = 0; i < qwords; i++) {
		q[i] = u64s_get(all, at + i);
		any |= q[i];
	}
	return any != 0;
}

/* "f32 1 2.5 0 0": with a type for each register it is said which. */
static void put_lanes(struct rows *r, unsigned reg, const uint64_t *q, unsigned qwords,
		      enum regs_lane lane, const uint8_t *lanes)
{
	if (lanes && reg < 32) {
		lane = (enum regs_lane)lanes[reg];
		obuf_str_left(r->o, regs_lane_name(lane), 4);
		obuf_char(r->o, ' ');
	}
	regs_print_lanes(q, qwords, lane, r->o);
}

static void print_class(struct rows *r, const struct u64s *all, uint64_t mask, unsigned nr,
			unsigned qwords, uint64_t pick, enum regs_lane lane, const uint8_t *lanes)
{
	uint64_t q[MAX_QWORDS];

	if (!qwords || qwords > MAX_QWORDS)
		return;
	for (unsigned i = 0; i < nr && mask; i++, mask &= mask - 1) {
		unsigned reg = (unsigned)__builtin_ctzll(mask);

		if (!(pick >> reg & 1)) {
			end_initial(r);
			continue;
		}
		/* Hidden values must not show by being 0 either. */
		if (!load(all, (uint64_t)i * qwords, qwords, q) && !r->opts->hide) {
			if (!r->nr++)
				r->first = reg;
			continue;
		}
		end_initial(r);
		start_row(r, reg, reg);
		if (r->opts->hide)
			obuf_char(r->o, '-');
		else
			put_lanes(r, reg, q, qwords, lane, lanes);
	}
	end_initial(r);
}

static void print_gpr(const struct sample_regs *regs, enum regs_arch arch, struct rows *r)
{
	uint64_t v;

	for (unsigned i = 0; i < 64; i++) {
		if (!(r->opts->pick.gpr >> i & 1) || !sample_reg(regs, i, &v))
			continue;
		obuf_lit(r->o, "\n\t");
		obuf_str(r->o, r->side);
		obuf_char(r->o, ' ');
		obuf_str_left(r->o, regs_name(arch, i, regs->simd), 8);
		obuf_char(r->o, ' ');
		if (r->opts->hide)
			obuf_char(r->o, '-');
		else
			regs_print_lanes(&v, 1, LANE_HEX, r->o);
	}
}

void sample_print_simd(const struct sample_regs *regs, enum regs_arch arch, const char *side,
		       const struct sample_simd_opts *opts, struct obuf *o)
{
	struct rows r = { .opts = opts, .side = side, .o = o };
	struct sample_regs tmp;
	bool all = !opts->pick.gpr && !opts->pick.vec && !opts->pick.pred;

	if (!regs->abi)
		return;
	print_gpr(regs, arch, &r);
	regs = sample_vectors(regs, arch, &tmp);
	r.name = regs_vector_class(arch, regs->vector_qwords);
	print_class(&r, &regs->vec, regs->vec_mask, regs->nr_vectors, regs->vector_qwords,
		    all ? UINT64_MAX : opts->pick.vec, opts->lane, opts->lanes);
	r.name = arch == REGS_ARCH_X86 ? "k" : regs_pred_class(arch);
	print_class(&r, &regs->pred, regs->pred_mask, regs->nr_pred, regs->pred_qwords,
		    all ? UINT64_MAX : opts->pick.pred, LANE_HEX, NULL);
}
