// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accumulator: the values of a register, or of one lane of it, in a row's samples: those that come most often, see
 * tally.c. Of a row with too many different ones counts are estimates, and where none stands out it says "many".
 */
#include "tally-int.h"
#include "vector-int.h"

#define SHOWN 3

struct values {
	struct tally t;
	uint8_t lane; /* enum regs_lane */
};

struct values_use {
	struct acc_env env;
	struct reg_key reg;
};

static int add(void *slot, const struct acc_in *in, void *state)
{
	const struct values_use *u = state;
	struct values *c = slot;
	uint64_t value;

	if (u->env.redact || !keys_reg_value(&u->reg, in->s, u->env.arch, &value))
		return 0;
	c->lane = (uint8_t)u->reg.lane;
	return keys_tally_add(&c->t, value);
}

static void soon(const void *slot)
{
	const struct values *c = slot;

	keys_tally_soon(&c->t);
}

static int merge(void *slot, const void *from, const struct acc_maps *maps)
{
	struct values *c = slot;
	const struct values *f = from;

	(void)maps;
	if (!f->t.nr)
		return 0;
	c->lane = f->lane;
	return keys_tally_merge(&c->t, &f->t);
}

static void drop(void *slot)
{
	struct values *c = slot;

	keys_tally_free(&c->t);
}

static int start(void **state, const struct acc_env *env)
{
	struct values_use *u = calloc(1, sizeof(*u));
	struct err e = { 0 };

	if (!u)
		return -ENOMEM;
	u->env = *env;
	/* Nobody asked for a register, or it was refused before: there is nothing to count. */
	if (!env->values || keys_reg_parse(&u->reg, env->values, env->arch, &e))
		u->env.redact = true;
	*state = u;
	return 0;
}

static void stop(void *state)
{
	struct values_use *u = state;

	free(u);
}

/* ---- columns ----------------------------------------------------------------------------------- */

static void put_value(struct obuf *o, uint64_t v, enum regs_lane lane)
{
	if (lane == LANE_HEX)
		obuf_printf(o, "%#llx", (unsigned long long)v);
	else
		regs_print_lane(&v, 0, lane, o);
}

/* "0x40 91% 0x80 5% 0x10 2%"; "0x4000 ~91%": about. */
static void text_top(const struct keys *ks, const void *slot, struct obuf *o)
{
	const struct values *c = slot;
	struct tally_top top;

	(void)ks;
	keys_tally_top(&c->t, &top, SHOWN);
	if (!top.nr)
		obuf_str(o, c->t.nr ? "many" : "-");
	for (unsigned i = 0; i < top.nr; i++) {
		if (i)
			obuf_char(o, ' ');
		put_value(o, top.v[i].value, (enum regs_lane)c->lane);
		obuf_printf(o, " %s%.0f%%", top.distinct || top.v[i].value < TALLY_SHORT ? "" : "~",
			    100.0 * (double)top.v[i].nr / (double)c->t.nr);
	}
}

static uint64_t stat_share(const struct keys_row *r, const void *slot)
{
	const struct values *c = slot;
	struct tally_top top;

	(void)r;
	keys_tally_top(&c->t, &top, 1);
	return top.nr ? vector_permille(top.v[0].nr, c->t.nr) : STAT_UNKNOWN;
}

static uint64_t stat_distinct(const struct keys_row *r, const void *slot)
{
	const struct values *c = slot;

	(void)r;
	return keys_tally_distinct(&c->t) ?: STAT_UNKNOWN;
}

static uint64_t told(const void *slot)
{
	const struct values *c = slot;

	return c->t.nr;
}

static bool shown(const struct keys_opts *o)
{
	return o->values != NULL;
}

/* {"value_samples":..,"values_estimated":..,"values":[{"value":..,"samples":..}]} */
static void json(const struct keys_row *row, const void *slot, struct emit *e)
{
	const struct values *c = slot;
	struct tally_top top;

	(void)row;
	keys_tally_top(&c->t, &top, TALLY_TOPS);
	emit_u64(e, "value_samples", c->t.nr);
	emit_bool(e, "values_estimated", c->t.nr && !top.distinct);
	emit_array(e, "values");
	for (unsigned i = 0; i < top.nr; i++) {
		char text[40];
		struct obuf o;

		if (obuf_init(&o, -1, 40))
			break;
		put_value(&o, top.v[i].value, (enum regs_lane)c->lane);
		snprintf(text, sizeof(text), "%.*s", (int)min_u64(o.len, 39), o.buf);
		obuf_free(&o);
		emit_object(e, NULL);
		emit_str(e, "value", text);
		emit_u64(e, "samples", top.v[i].nr);
		emit_end(e);
	}
	emit_end(e);
}

/* Equal to all: it tells no rows apart and sorts none. */
static int cmp_equal(const struct keys *ks, uint64_t a, uint64_t b)
{
	(void)ks, (void)a, (void)b;
	return 0;
}

static const struct key cols[] = {
	{ "value_share", "TopShare", VECTOR_COLUMN(keys_acc_values), .min_width = 8, .unknown = "-",
	  .stat = stat_share },
	{ "value_distinct", "Distinct", VECTOR_STAT(keys_acc_values), .right = true, .min_width = 8,
	  .unknown = "-", .stat = stat_distinct },
	{ "value_top", "Values", .at = KEY_BITS, .of = &keys_acc_values, .cmp = cmp_equal,
	  .pads = true, .min_width = 24, .slot_text = text_top,
	  .need = PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER },
};

const struct acc keys_acc_values = {
	.name = "values",
	.size = sizeof(struct values),
	.cols = cols,
	.nr_cols = ARRAY_SIZE(cols),
	.shown = shown,
	.told = told,
	.legend =
		"# TopShare: samples with the most frequent value of the register, as it was before the instruction at the\n"
		"# sampled address. Distinct: how many different ones. Values: those that come most often; ~: estimated, as\n"
		"# there are too many to keep; many: none stands out. -: no sample has the register, or too many values.\n"
		"#\n",
	.needs_sample = true,
	.start = start,
	.stop = stop,
	.add = add,
	.soon = soon,
	.merge = merge,
	.drop = drop,
	.json = json,
};
