// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sort keys made on demand: "reg:ax", "reg:zmm3" (all of it), "reg:zmm3[1]" (a qword),
 * "reg:zmm3.f64[0]" (a lane), "reg:k1". Values are their texts, so that rows show what script does.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "emit/emit.h"
#include "keys-int.h"

#define MAX_QWORDS 8

/* As wide as its name says: "xmm3" is the lower part of what was recorded as ZMM3. */
static unsigned qwords_of(const struct reg_key *k, const struct sample_regs *r)
{
	unsigned qwords = k->pred ? r->pred_qwords : r->vector_qwords;

	return k->qwords && k->qwords < qwords ? k->qwords : qwords;
}

/* Where its qwords begin; false when the sample does not hold it. */
static bool find_vector(const struct reg_key *k, const struct sample_regs *r, uint64_t *at)
{
	const struct u64s *all = k->pred ? &r->pred : &r->vec;
	unsigned qwords = k->pred ? r->pred_qwords : r->vector_qwords;
	uint64_t mask = k->pred ? r->pred_mask : r->vec_mask;

	*at = (uint64_t)weight_low_u64(mask & (BIT(k->reg) - 1)) * qwords;
	return qwords && qwords <= MAX_QWORDS && mask >> k->reg & 1 && *at + qwords <= all->nr;
}

static bool load_vector(const struct reg_key *k, const struct sample_regs *r,
			uint64_t q[MAX_QWORDS])
{
	uint64_t at;

	if (!find_vector(k, r, &at))
		return false;
	for (unsigned i = 0; i < (k->pred ? r->pred_qwords : r->vector_qwords); i++)
		q[i] = u64s_get(k->pred ? &r->pred : &r->vec, at + i);
	return true;
}

/* Lane or whole of one register; false when the sample does not hold it. */
static bool put_vector(const struct reg_key *k, const struct sample_regs *r, struct obuf *o)
{
	uint64_t q[MAX_QWORDS];

	if (!load_vector(k, r, q))
		return false;
	if (k->index < 0)
		regs_print_lanes(q, qwords_of(k, r), k->lane, o);
	else if ((unsigned)k->index < qwords_of(k, r) * 64 / regs_lane_bits(k->lane))
		regs_print_lane(q, (unsigned)k->index, k->lane, o);
	else
		return false;
	return true;
}

static inline bool vector_value(const struct reg_key *k, const struct sample_regs *r,
				uint64_t *value)
{
	uint64_t at;

	if (!find_vector(k, r, &at) || k->word >= qwords_of(k, r))
		return false;
	*value = u64s_get(k->pred ? &r->pred : &r->vec, at + k->word) >> k->shift & k->ones;
	return true;
}

/* With vectors among general registers. Apart: most samples need no copy of them. */
static bool __attribute__((noinline))
legacy_value(const struct reg_key *k, const struct sample_regs *r, enum regs_arch arch,
	     uint64_t *value)
{
	struct sample_regs tmp;

	return vector_value(k, sample_vectors(r, arch, &tmp), value);
}

/* Lane k->index, or all of a general or mask register. */
static inline bool value_of(const struct reg_key *k, const struct sample_regs *r,
			    enum regs_arch arch, uint64_t *value)
{
	uint64_t q;

	if (!r->abi)
		return false;
	if (!k->gpr)
		return likely(r->simd) ? vector_value(k, r, value)
				       : legacy_value(k, r, arch, value);
	if (!sample_reg(r, k->reg, &q))
		return false;
	*value = q >> k->shift & k->ones;
	return true;
}

bool keys_reg_value(const struct reg_key *k, const struct sample *s, enum regs_arch arch,
		    uint64_t *value)
{
	bool user =
		s->cpumode == PERF_RECORD_MISC_USER || s->cpumode == PERF_RECORD_MISC_GUEST_USER;

	return value_of(k, &s->intr_regs, arch, value) ||
	       (user && value_of(k, &s->user_regs, arch, value));
}

static bool put_reg(const struct reg_key *k, const struct sample_regs *r, enum regs_arch arch,
		    struct obuf *o)
{
	struct sample_regs tmp;
	unsigned index = k->index < 0 ? 0 : (unsigned)k->index;
	uint64_t v;

	if (!r->abi)
		return false;
	if (!k->gpr)
		return put_vector(k, sample_vectors(r, arch, &tmp), o);
	if (!sample_reg(r, k->reg, &v) || index >= 64 / regs_lane_bits(k->lane))
		return false;
	if (k->index < 0)
		regs_print_lanes(&v, 1, k->lane, o);
	else
		regs_print_lane(&v, index, k->lane, o);
	return true;
}

/* Of the interrupted state, else of user space. */
static uint64_t reg_text(struct keys *ks, unsigned slot, const struct sample *s)
{
	const struct reg_key *k = &ks->reg_keys[slot];
	struct obuf *o = &ks->reader->reg_text;

	o->len = 0;
	if (!put_reg(k, &s->intr_regs, ks->o.arch, o) && !put_reg(k, &s->user_regs, ks->o.arch, o))
		obuf_lit(o, "N/A");
	else if (ks->o.redact)
		o->len = 0, obuf_char(o, '-');
	obuf_char(o, 0);
	return o->code ? ks->unknown : keys_name_id(ks, o->buf);
}

/* A key's function is told the keys and the sample, so each slot has its own. */
#define SLOT(n)                                                                                \
	static uint64_t get_reg##n(struct keys *ks, const struct sample *s, struct thread *th) \
	{                                                                                      \
		(void)th;                                                                      \
		return reg_text(ks, n, s);                                                     \
	}
SLOT(0)
SLOT(1)
SLOT(2)
SLOT(3)

static uint64_t (*const getters[MAX_REG_KEYS])(struct keys *, const struct sample *,
					       struct thread *) = { get_reg0, get_reg1, get_reg2,
								    get_reg3 };

static int cmp_text(const struct keys *ks, uint64_t a, uint64_t b)
{
	return strcmp(intern_str(&ks->names, (uint32_t)a), intern_str(&ks->names, (uint32_t)b));
}

static void text_reg(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o)
{
	(void)r;
	emit_safe(o, intern_str(&ks->names, (uint32_t)v));
}

/* Bits of the register by its name; where a name says no width, what a lane can be at most. */
static unsigned named_bits(const struct reg_key *k, const char *name)
{
	static const struct {
		const char *name;
		unsigned bits;
	} widths[] = {
		{ "xmm", 128 }, { "ymm", 256 }, { "zmm", 512 }, { "k", 64 }, { "opmask", 64 }
	};

	if (k->gpr)
		return 64;
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++)
		if (!strncasecmp(name, widths[i].name, strlen(widths[i].name)))
			return widths[i].bits;
	return 64 * MAX_QWORDS;
}

static int check_lane(const struct reg_key *k, const char *name, struct err *e)
{
	unsigned nr = named_bits(k, name) / regs_lane_bits(k->lane);

	if (k->index < (int)nr)
		return 0;
	err_set(e, -EINVAL, "reg:%s has no lane [%d]", name, k->index);
	if (nr == 1)
		err_hint(e, "It is one of %u bits.", regs_lane_bits(k->lane));
	else
		err_hint(e, "Its lanes of %u bits are [0] to [%u].", regs_lane_bits(k->lane),
			 nr - 1);
	return -EINVAL;
}

/* Where the bits of a lane are, that of the first where all are asked for. */
static void put_lane(struct reg_key *k)
{
	unsigned bits = regs_lane_bits(k->lane), at = k->index < 0 ? 0 : (unsigned)k->index * bits;

	k->word = at / 64;
	k->shift = at % 64;
	k->ones = bits < 64 ? BIT(bits) - 1 : UINT64_MAX;
}

int keys_reg_parse(struct reg_key *k, const char *text, enum regs_arch arch, struct err *e)
{
	struct regs_pick pick = { 0 };
	char name[64], *open, *dot, *end;
	struct err why = { 0 };
	int ret;

	if (strlen(text) >= sizeof(name))
		return err_set(e, -EINVAL, "reg: no register has so long a name");
	memcpy(name, text, strlen(text) + 1);
	open = strchr(name, '[');
	k->index = -1;
	if (open) {
		long i = strtol(open + 1, &end, 10);

		if (!isdigit((unsigned char)open[1]) || strcmp(end, "]") || i > 63)
			return err_set(e, -EINVAL, "reg:%s: a lane is given as [0] to [63]", name);
		k->index = (int)i;
		*open = 0;
	}
	dot = strchr(name, '.');
	if (dot) {
		*dot = 0;
		if (regs_lane_parse(dot + 1, &k->lane))
			return err_set(e, -EINVAL,
				       "reg:%s: lanes are " REGS_LANE_NAMES ", not `%s'", name,
				       dot + 1);
	}
	ret = regs_pick_parse(&pick, name, arch, &why);
	if (ret) {
		err_set(e, ret, "reg:%s: no such register", name);
		if (why.hint[0])
			err_hint(e, "%s", why.hint);
		return ret;
	}
	if (weight_u64(pick.gpr) + weight_u64(pick.vec) + weight_u64(pick.pred) != 1)
		return err_set(e, -EINVAL, "reg:%s: one register makes a key, not several", name);
	k->gpr = pick.gpr != 0;
	k->pred = pick.pred != 0;
	k->reg = (unsigned)__builtin_ctzll(pick.gpr | pick.vec | pick.pred);
	k->qwords = pick.vec ? named_bits(k, name) / 64 : 0;
	put_lane(k);
	return check_lane(k, name, e);
}

/* Whether some event has it, and so wide that the lane is in it. */
static int check_recorded(const struct reg_key *k, const struct keys *ks, const char *name,
			  struct err *e)
{
	struct regs_pick pick = { .gpr = k->gpr ? BIT(k->reg) : 0,
				  .pred = k->pred ? BIT(k->reg) : 0,
				  .vec = !k->gpr && !k->pred ? BIT(k->reg) : 0 };
	struct sample_recorded r;
	unsigned bits;
	int ret = sample_check_pick(ks->o.pd, &pick, name, ks->o.arch, e);

	if (ret || k->index < 0 || !pick.vec || !ks->o.pd || !perfdata_nr_events(ks->o.pd))
		return ret;
	sample_recorded(ks->o.pd, ks->o.arch, &r);
	bits = r.vec_qwords * 64;
	if ((unsigned)k->index < bits / regs_lane_bits(k->lane))
		return 0;
	err_set(e, -EINVAL, "reg:%s: lane [%d] was not recorded", name, k->index);
	err_hint(e, "Vectors of this recording have %u bits (%s).", bits,
		 regs_vector_class(ks->o.arch, r.vec_qwords));
	return -EINVAL;
}

const struct key *keys_reg_key_find(const struct keys *ks, const char *text, size_t len)
{
	for (unsigned i = 0; i < ks->nr_reg_keys; i++) {
		const struct key *k = &ks->reg_keys[i].key;

		if (strlen(k->name) == len && !strncmp(k->name, text, len))
			return k;
	}
	return NULL;
}

int keys_reg_key(struct keys *ks, const char *text, size_t len, const struct key **out,
		 struct err *e)
{
	struct reg_key *k = &ks->reg_keys[ks->nr_reg_keys];
	char name[64];
	int ret;

	if (ks->nr_reg_keys == MAX_REG_KEYS)
		return err_set(e, -E2BIG, "more than %d keys of registers", MAX_REG_KEYS);
	if (len >= sizeof(name))
		return err_set(e, -EINVAL, "reg: no register has so long a name");
	memcpy(name, text + 4, len - 4);
	name[len - 4] = 0;
	*k = (struct reg_key){ 0 };
	ret = keys_reg_parse(k, name, ks->o.arch, e);
	if (!ret)
		ret = check_recorded(k, ks, name, e);
	if (ret)
		return ret;
	memcpy(k->name, text, len);
	if (!ks->reader->reg_text.buf && obuf_init(&ks->reader->reg_text, -1, 0))
		return err_set(e, -ENOMEM, "no memory for register values");
	k->key = (struct key){ .name = k->name,
			       .head = k->name + 4,
			       .at = KEY_SAMPLE,
			       .value = VALUE_NAME,
			       .pads = true,
			       .by_content = true,
			       .need = PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER,
			       .sample = getters[ks->nr_reg_keys++],
			       .cmp = cmp_text,
			       .text = text_reg };
	*out = &k->key;
	return 0;
}
