// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers of a sample as script prints them (text-formats.adoc, "perf script"). A full ZMM set
 * is 264 values a sample: they are put together by hand in room that was asked for once, not by
 * printf().
 */
#include "base/hex.h"
#include "sample/sample.h"

/* A name, two indices and a value. */
#define REG_ROOM 96

static char *put_name(char *p, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = n; i < 5; i++)
		*p++ = ' ';
	memcpy(p, name, n);
	return p + n;
}

static char *put_index(char *p, uint64_t i)
{
	*p++ = '[';
	if (likely(i < 10))
		*p++ = (char)('0' + i);
	else
		p += fmt_dec(p, i);
	*p++ = ']';
	return p;
}

static inline char *put_value(char *p, uint64_t v, bool hide)
{
	*p++ = ':';
	if (hide) {
		*p++ = '-';
	} else {
		*p++ = '0';
		*p++ = 'x';
		p = hex_put(p, v);
	}
	*p++ = ' ';
	return p;
}

/* "  ZMM[12]": what the values of one register begin with. Always copied whole. */
#define LABEL 32

static char *put_label(char *p, const char *label, size_t n)
{
	memcpy(p, label, LABEL);
	return p + n;
}

/* Names are those of regs_vector_class() and regs_pred_class(), which leave room for any index. */
static size_t make_label(char label[LABEL], const char *name, uint64_t reg)
{
	return (size_t)(put_index(put_name(label, name), reg) - label);
}

static void print_block(const struct u64s *values, unsigned qwords, bool always_qword,
			const char *name, bool hide, struct obuf *o)
{
	bool index = always_qword || qwords > 1;
	unsigned qword = 0;
	char label[LABEL] = "";
	size_t n = make_label(label, name, 0);

	for (uint64_t i = 0, reg = 0; i < values->nr; i++) {
		char *start = obuf_room(o, REG_ROOM), *p;

		if (!start)
			return;
		p = put_label(start, label, n);
		if (index)
			p = put_index(p, qword);
		p = put_value(p, u64s_get(values, i), hide);
		o->len += (size_t)(p - start);
		if (++qword == qwords) {
			qword = 0;
			n = make_label(label, name, ++reg);
		}
	}
}

static void print_one(const char *name, uint64_t v, bool hide, struct obuf *o)
{
	char *start = obuf_room(o, REG_ROOM), *p;

	if (!start)
		return;
	p = put_value(put_name(start, name), v, hide);
	o->len += (size_t)(p - start);
}

/* What is no bit of a mask. */
static void print_others(const struct sample_regs *r, bool hide, struct obuf *o)
{
	uint32_t mxcsr;
	uint64_t v;
	bool flags;

	for (unsigned i = 0; i < REGS_NR_BASES && sample_base(r, i, &v); i++)
		print_one(regs_base_name(i), v, hide, o);
	if (sample_mxcsr(r, &mxcsr, &flags))
		print_one(REGS_MXCSR_NAME, mxcsr, hide, o);
}

void sample_print_regs(const struct sample_regs *r, enum regs_arch arch, bool hide, struct obuf *o)
{
	uint64_t mask = r->mask;

	obuf_lit(o, " ABI:");
	obuf_dec(o, r->abi);
	obuf_char(o, ' ');
	for (uint64_t i = 0; i < r->gpr.nr && mask; i++, mask &= mask - 1) {
		char *start = obuf_room(o, REG_ROOM), *p;

		if (!start)
			return;
		p = put_name(start, regs_name(arch, (unsigned)__builtin_ctzll(mask), r->simd));
		p = put_value(p, u64s_get(&r->gpr, i), hide);
		o->len += (size_t)(p - start);
	}
	print_others(r, hide, o);
	if (r->vector_qwords)
		print_block(&r->vec, r->vector_qwords, true,
			    regs_vector_class(arch, r->vector_qwords), hide, o);
	if (r->pred_qwords)
		print_block(&r->pred, r->pred_qwords, false, regs_pred_class(arch), hide, o);
}
