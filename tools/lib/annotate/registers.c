// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers by address: how wide the vectors in use are, how many lanes mask registers let through, the
 * values of one register. Sums alone, so that memory follows the number of addresses; but for
 * values, of which an address keeps VALUES_MAX at most: one with more has no most frequent one that
 * would tell anything, and says "many". That holds for pieces as for the whole, so that their sum
 * is the same.
 *
 * How many lanes a mask has is the instruction's matter, which is not decoded while samples come:
 * bits are counted for every number of lanes that there is.
 *
 * User registers of a sample in the kernel belong to other code than what lies at its address: they do
 * not count. Registers are those before the instruction at the address runs, as far as that is exact.
 */
#include <stdlib.h>

#include "annotate-int.h"

#define VALUES_MAX 256

int annotate_want_registers(struct annotate *a, enum regs_arch arch, const char *value,
			    struct err *e)
{
	struct annotate_registers *g = &a->registers;
	struct regs_pick pick = { 0 };
	int ret = value ? regs_pick_parse(&pick, value, arch, e) : 0;

	if (ret)
		return ret;
	g->on = true;
	g->arch = arch;
	g->value = value;
	g->value_keys.width = 2;
	if (!value)
		return 0;
	if (pick.vec || weight_u64(pick.gpr) + weight_u64(pick.pred) != 1) {
		err_set(e, -EINVAL,
			"values are counted of one general or mask register, not of `%s'", value);
		err_hint(e, "perf report -s symbol,reg:zmm3.f64[0] has lanes of vectors.");
		return -EINVAL;
	}
	g->pred = pick.pred != 0;
	g->reg = (uint8_t)__builtin_ctzll(pick.pred ?: pick.gpr);
	return 0;
}

void annotate_registers_free(struct annotate_registers *g)
{
	keys_tuples_free(&g->value_keys);
	vec_free(&g->at);
	vec_free(&g->counts);
}

/* ---- counting -------------------------------------------------------------------------------- */

static struct annotate_regs_at *regs_at(struct annotate_registers *g, uint32_t loc)
{
	const struct annotate_regs_at none = { .min = UINT64_MAX };

	return vec_reach(&g->at, loc, none) ? NULL : &g->at.v[loc];
}

static void count_masks(struct annotate_regs_at *at, const struct sample_regs *r)
{
	uint64_t k;

	for (unsigned reg = 1; reg < ANNOTATE_MASKS; reg++) {
		if (!sample_mask_value(r, reg, &k))
			continue;
		at->masks[reg].nr++;
		for (unsigned i = 0; i < ANNOTATE_LANE_KINDS; i++)
			at->masks[reg].bits[i] += (uint64_t)weight_u64(
				i == ANNOTATE_LANE_KINDS - 1 ? k : k & (BIT(1U << i) - 1));
	}
}

static int count_value(struct annotate_registers *g, uint32_t loc, uint64_t value, uint64_t nr)
{
	const uint64_t key[2] = { loc, value };
	struct annotate_regs_at *at = &g->at.v[loc];
	uint32_t id;

	at->min = min_u64(at->min, value);
	at->max = max_u64(at->max, value);
	at->nr_values += nr;
	if (at->many)
		return 0;
	id = keys_tuple_id(&g->value_keys, key);
	if (id == ID_NONE || (id == g->counts.n && vec_push(&g->counts, 0)))
		return -ENOMEM;
	if (!g->counts.v[id])
		at->many = ++at->distinct > VALUES_MAX;
	g->counts.v[id] += nr;
	return 0;
}

static bool value_of(const struct annotate_registers *g, const struct sample *s,
		     const struct sample_regs *r, uint64_t *value)
{
	struct sample_regs tmp;

	if (!r->abi)
		return false;
	if (!g->pred)
		return sample_reg(r, g->reg, value);
	(void)s;
	return sample_mask_value(sample_vectors(r, g->arch, &tmp), g->reg, value);
}

static bool is_user(const struct sample *s)
{
	return s->cpumode == PERF_RECORD_MISC_USER || s->cpumode == PERF_RECORD_MISC_GUEST_USER;
}

int annotate_registers_add(struct annotate_registers *g, const struct sample *s, uint32_t loc)
{
	struct sample_regs tmp;
	const struct sample_regs *r;
	struct annotate_regs_at *at;
	int live, high;
	uint64_t value;

	if (!g->on || !(s->intr_regs.abi || s->user_regs.abi))
		return 0;
	at = regs_at(g, loc);
	if (!at)
		return -ENOMEM;
	r = sample_simd_block(s, g->arch, &tmp);
	if (r && (is_user(s) || sample_simd_is_intr(s, g->arch))) {
		live = sample_simd_live(s, r, &high);
		if (live >= 0) {
			at->nr++;
			at->live[live]++;
		}
		count_masks(at, r);
	}
	if (g->value && (value_of(g, s, &s->intr_regs, &value) ||
			 (is_user(s) && value_of(g, s, &s->user_regs, &value))))
		return count_value(g, loc, value, 1);
	return 0;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static void merge_sums(struct annotate_regs_at *at, const struct annotate_regs_at *from)
{
	at->nr += from->nr;
	for (unsigned w = 0; w < SIMD_WIDTHS; w++)
		at->live[w] += from->live[w];
	for (unsigned reg = 0; reg < ANNOTATE_MASKS; reg++) {
		at->masks[reg].nr += from->masks[reg].nr;
		for (unsigned i = 0; i < ANNOTATE_LANE_KINDS; i++)
			at->masks[reg].bits[i] += from->masks[reg].bits[i];
	}
}

int annotate_registers_merge(struct annotate_registers *g, const struct annotate_registers *from,
			     const uint32_t *loc)
{
	for (uint32_t i = 0; i < from->at.n; i++) {
		struct annotate_regs_at *at = regs_at(g, loc ? loc[i] : i);

		if (!at)
			return -ENOMEM;
		merge_sums(at, &from->at.v[i]);
	}
	for (uint32_t i = 0; i < from->counts.n; i++) {
		const uint64_t *key = keys_tuple_get(&from->value_keys, i);
		uint32_t to = loc ? loc[key[0]] : (uint32_t)key[0];

		/* What an address with many has left out is added below. */
		if (!from->at.v[key[0]].many && count_value(g, to, key[1], from->counts.v[i]))
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < from->at.n; i++) {
		const struct annotate_regs_at *was = &from->at.v[i];
		struct annotate_regs_at *at = &g->at.v[loc ? loc[i] : i];

		if (!was->many)
			continue;
		at->many = true;
		at->distinct = was->distinct;
		at->min = min_u64(at->min, was->min);
		at->max = max_u64(at->max, was->max);
		at->nr_values += was->nr_values;
	}
	return 0;
}

/* ---- on instructions ------------------------------------------------------------------------- */

/* The most frequent value of each address that has not many; of equal ones the smallest. */
void annotate_registers_finish(struct annotate_registers *g)
{
	for (uint32_t i = 0; i < g->counts.n; i++) {
		const uint64_t *key = keys_tuple_get(&g->value_keys, i);
		struct annotate_regs_at *at = &g->at.v[key[0]];
		uint64_t nr = g->counts.v[i];

		if (at->many)
			continue;
		if (nr > at->top_nr || (nr == at->top_nr && key[1] < at->top)) {
			at->top = key[1];
			at->top_nr = nr;
		}
	}
}

void annotate_registers_seen(const struct annotate *a, uint64_t *vectors, uint64_t *values)
{
	*vectors = *values = 0;
	vec_for_each (at, &a->registers.at) {
		*vectors += at->nr;
		*values += at->nr_values;
	}
}

/* Lanes that the instruction's own mask lets through. */
static void add_lanes(struct listing_regs *to, const struct listing_line *line,
		      const struct annotate_regs_at *at)
{
	for (unsigned i = 0; i < ANNOTATE_LANE_KINDS; i++)
		if (line->mask && line->lanes == 1U << i) {
			to->masked += at->masks[line->mask].nr;
			to->lanes_on += at->masks[line->mask].bits[i];
		}
}

static void add_values(struct listing_regs *to, const struct annotate_regs_at *at)
{
	if (!at->nr_values)
		return;
	to->min = to->nr_values ? min_u64(to->min, at->min) : at->min;
	to->max = max_u64(to->max, at->max);
	to->nr_values += at->nr_values;
	to->many |= at->many;
	to->distinct = (uint32_t)max_u64(to->distinct, at->distinct);
	if (at->top_nr > to->top_nr) {
		to->top = at->top;
		to->top_nr = at->top_nr;
	}
}

int annotate_registers_lay(struct listing_build *b)
{
	const struct annotate_function *f = b->l.function;
	const struct annotate *a = b->a;
	const struct annotate_registers *g = &a->registers;

	if (!f || !g->on)
		return 0;
	b->l.regs = calloc(b->insns.n + 1, sizeof(*b->l.regs));
	if (!b->l.regs)
		return -ENOMEM;
	b->l.value_name = g->value;
	for (uint32_t i = f->first; i < f->first + f->nr; i++) {
		uint32_t row = a->places.v[i].row, loc = a->rows.v[row].loc;
		uint32_t n = annotate_insn_holding(b, a->places.v[i].addr);
		const struct annotate_regs_at *at;

		/* An address has a row for each event, and its registers once. */
		if (n == LISTING_NONE || a->by_loc.v[loc] != row || loc >= g->at.n)
			continue;
		at = &g->at.v[loc];
		b->l.regs[n].nr += at->nr;
		for (unsigned w = 0; w < SIMD_WIDTHS; w++)
			b->l.regs[n].live[w] += at->live[w];
		add_lanes(&b->l.regs[n], &b->insns.v[n], at);
		add_values(&b->l.regs[n], at);
	}
	return 0;
}
