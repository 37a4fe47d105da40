// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accumulator: the values of a register, or of one lane of it, in a row's samples. A row keeps
 * VALUES_MAX of them at most: with more no single one tells anything, and it says "many". That holds
 * for pieces as for the whole, so that their sum is the same.
 */
#include "vector-int.h"

#define VALUES_MAX 256
#define SHOWN	   3

struct counted {
	uint64_t value, nr;
};

struct values {
	struct counted *v; /* ascending */
	uint32_t n, cap;
	uint32_t last; /* the one that came last */
	uint64_t nr;   /* samples */
	uint8_t lane;  /* enum regs_lane */
	bool many;
};

struct values_use {
	struct acc_env env;
	struct reg_key reg;
};

static void set_many(struct values *c)
{
	free(c->v);
	c->v = NULL;
	c->n = c->cap = 0;
	c->many = true;
}

static int put(struct values *c, uint64_t value, uint64_t nr)
{
	uint32_t lo = 0, hi = c->n;

	if (c->many)
		return 0;
	if (c->last < c->n && c->v[c->last].value == value) {
		c->v[c->last].nr += nr;
		return 0;
	}
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (c->v[mid].value < value)
			lo = mid + 1;
		else
			hi = mid;
	}
	c->last = lo;
	if (lo < c->n && c->v[lo].value == value) {
		c->v[lo].nr += nr;
		return 0;
	}
	if (c->n == VALUES_MAX) {
		set_many(c);
		return 0;
	}
	if (c->n == c->cap) {
		uint32_t cap = c->cap ? c->cap * 2 : 2;
		struct counted *v = realloc(c->v, cap * sizeof(*v));

		if (!v)
			return -ENOMEM;
		c->v = v;
		c->cap = cap;
	}
	memmove(c->v + lo + 1, c->v + lo, (c->n - lo) * sizeof(*c->v));
	c->v[lo] = (struct counted){ value, nr };
	c->n++;
	return 0;
}

static int add(void *slot, const struct acc_in *in, void *state)
{
	const struct values_use *u = state;
	struct values *c = slot;
	uint64_t value;

	if (u->env.redact || !keys_reg_value(&u->reg, in->s, u->env.arch, &value))
		return 0;
	c->lane = (uint8_t)u->reg.lane;
	c->nr++;
	return put(c, value, 1);
}

static int merge(void *slot, const void *from, const struct acc_maps *maps)
{
	struct values *c = slot;
	const struct values *f = from;
	int ret = 0;

	(void)maps;
	if (!f->nr)
		return 0;
	c->lane = f->lane;
	c->nr += f->nr;
	if (f->many)
		set_many(c);
	for (uint32_t i = 0; !ret && i < f->n; i++)
		ret = put(c, f->v[i].value, f->v[i].nr);
	return ret;
}

static void drop(void *slot)
{
	struct values *c = slot;

	free(c->v);
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

/* The @nth most frequent, from 0 on; of equal ones the smaller. NULL = there is none. */
static const struct counted *top(const struct values *c, unsigned nth)
{
	const struct counted *before = NULL, *best = NULL;

	for (unsigned k = 0; k <= nth; k++, before = best) {
		best = NULL;
		for (uint32_t i = 0; i < c->n; i++) {
			const struct counted *v = &c->v[i];

			if (before && (v->nr > before->nr || (v->nr == before->nr && v <= before)))
				continue;
			if (!best || v->nr > best->nr)
				best = v;
		}
		if (!best)
			return NULL;
	}
	return best;
}

static void put_value(struct obuf *o, uint64_t v, enum regs_lane lane)
{
	if (lane == LANE_HEX)
		obuf_printf(o, "%#llx", (unsigned long long)v);
	else
		regs_print_lane(&v, 0, lane, o);
}

/* "0x40 91% 0x80 5% 0x10 2%" */
static void text_top(const struct keys *ks, const void *slot, struct obuf *o)
{
	const struct values *c = slot;
	const struct counted *v;

	(void)ks;
	if (!c->nr || c->many) {
		obuf_str(o, c->nr ? "many" : "-");
		return;
	}
	for (unsigned i = 0; i < SHOWN && (v = top(c, i)); i++) {
		if (i)
			obuf_char(o, ' ');
		put_value(o, v->value, (enum regs_lane)c->lane);
		obuf_printf(o, " %.0f%%", 100.0 * (double)v->nr / (double)c->nr);
	}
}

static uint64_t stat_share(const struct keys_row *r, const void *slot)
{
	const struct values *c = slot;
	const struct counted *v = top(c, 0);

	(void)r;
	return v ? vector_permille(v->nr, c->nr) : STAT_UNKNOWN;
}

static uint64_t stat_distinct(const struct keys_row *r, const void *slot)
{
	const struct values *c = slot;

	(void)r;
	return c->nr && !c->many ? c->n : STAT_UNKNOWN;
}

static bool shown(const struct keys_opts *o)
{
	return o->values != NULL;
}

/* {"value_samples":..,"values":[{"value":..,"samples":..}]}: as many as are shown, with exact counts. */
static void json(const struct keys_row *row, const void *slot, struct emit *e)
{
	const struct values *c = slot;
	const struct counted *v;

	(void)row;
	emit_u64(e, "value_samples", c->nr);
	emit_array(e, "values");
	for (unsigned i = 0; i < 16 && (v = top(c, i)); i++) {
		char text[40];
		struct obuf o;

		if (obuf_init(&o, -1, 40))
			break;
		put_value(&o, v->value, (enum regs_lane)c->lane);
		snprintf(text, sizeof(text), "%.*s", (int)min_u64(o.len, 39), o.buf);
		obuf_free(&o);
		emit_object(e, NULL);
		emit_str(e, "value", text);
		emit_u64(e, "samples", v->nr);
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
	.needs_sample = true,
	.start = start,
	.stop = stop,
	.add = add,
	.merge = merge,
	.drop = drop,
	.json = json,
};
