// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Vector registers as what a program keeps in them: numbers of one type, lane 0 in the lowest
 * bits. Floats are printed with the fewest digits that read back as the same number, so that JSON
 * loses nothing.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/tables.h"
#include "base/hex.h"
#include "regs-int.h"

static const struct {
	const char *name;
	uint8_t bits, mantissa; /* mantissa: 0 = no float */
	bool is_signed;
} lanes[] = {
	[LANE_HEX] = { "hex", 64, 0, false },  [LANE_F16] = { "f16", 16, 10, true },
	[LANE_BF16] = { "bf16", 16, 7, true }, [LANE_F32] = { "f32", 32, 23, true },
	[LANE_F64] = { "f64", 64, 52, true },  [LANE_I8] = { "i8", 8, 0, true },
	[LANE_I16] = { "i16", 16, 0, true },   [LANE_I32] = { "i32", 32, 0, true },
	[LANE_I64] = { "i64", 64, 0, true },   [LANE_U8] = { "u8", 8, 0, false },
	[LANE_U16] = { "u16", 16, 0, false },  [LANE_U32] = { "u32", 32, 0, false },
	[LANE_U64] = { "u64", 64, 0, false },
};

int regs_lane_parse(const char *name, enum regs_lane *lane)
{
	for (size_t i = 0; i < ARRAY_SIZE(lanes); i++) {
		if (!strcasecmp(name, lanes[i].name)) {
			*lane = (enum regs_lane)i;
			return 0;
		}
	}
	return -EINVAL;
}

const char *regs_lane_name(enum regs_lane lane)
{
	return lanes[lane].name;
}

unsigned regs_lane_bits(enum regs_lane lane)
{
	return lanes[lane].bits;
}

bool regs_lane_is_float(enum regs_lane lane)
{
	return lanes[lane].mantissa;
}

uint64_t regs_lane_get(const uint64_t *qwords, unsigned i, enum regs_lane lane)
{
	unsigned bits = lanes[lane].bits, per = 64 / bits;
	uint64_t v = qwords[i / per] >> (i % per * bits);

	return bits < 64 ? v & (BIT(bits) - 1) : v;
}

/* Sign, exponent, mantissa: with an exponent of zeros or ones a number is a special one. */
enum regs_number regs_lane_number(uint64_t v, enum regs_lane lane)
{
	unsigned sign = lanes[lane].bits - 1U, mantissa = lanes[lane].mantissa;
	uint64_t low, ones;

	if (!mantissa)
		return v ? NUMBER_NORMAL : NUMBER_ZERO;
	v &= BIT(sign) - 1;
	low = v & (BIT(mantissa) - 1);
	ones = BIT(sign - mantissa) - 1;
	if (v >> mantissa == ones)
		return low ? NUMBER_NAN : NUMBER_INF;
	if (v >> mantissa)
		return NUMBER_NORMAL;
	return low ? NUMBER_DENORMAL : NUMBER_ZERO;
}

/* 24 do; a compiler that does not see how few digits there are asks for as many as %g could ever write. */
#define FLOAT_TEXT 320

static bool reads_back(const char *text, double f, bool single)
{
	return single ? strtof(text, NULL) == (float)f : strtod(text, NULL) == f;
}

/* More than six digits. */
static int put_more(char *buf, size_t size, double f, bool single)
{
	int digits = 7, max = single ? 9 : 17, exp;
	/*
	 * With more digits a text is never farther from the number, so that all that are longer read back, too. Next
	 * to a power of two that is not said: numbers are closer on one side of it.
	 */
	bool even = fabs(frexp(f, &exp)) != 0.5;

	while (digits < max) {
		int mid = even ? digits + (max - digits) / 2 : digits;

		snprintf(buf, size, "%.*g", mid, f);
		if (reads_back(buf, f, single))
			max = mid;
		else
			digits = mid + 1;
	}
	snprintf(buf, size, "%.*g", digits, f);
	return digits;
}

/*
 * The fewest digits that read back as the same number. Where six do, which is so of most numbers that people write, and
 * next to borders text is tried: %g leaves out their trailing zeros. Fewer may do only where numbers lie far apart, next to zero
 * (5e-324), and in "1e+06" they are left out as well.
 */
static void put_float(struct obuf *o, double f, bool single)
{
	int digits = 6;
	char buf[FLOAT_TEXT];

	if (regs_put_digits(o, f, single))
		return;
	snprintf(buf, sizeof(buf), "%.*g", digits, f);
	if (!reads_back(buf, f, single))
		digits = put_more(buf, sizeof(buf), f, single);
	while (digits <= 6 && digits > 1 && strchr(buf, 'e')) {
		char less[FLOAT_TEXT];

		snprintf(less, sizeof(less), "%.*g", --digits, f);
		if (!reads_back(less, f, single))
			break;
		memcpy(buf, less, sizeof(buf));
	}
	obuf_str(o, buf);
}

static void put_f32(struct obuf *o, uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	put_float(o, (double)f, true);
}

static void put_f64(struct obuf *o, uint64_t bits)
{
	double f;

	memcpy(&f, &bits, sizeof(f));
	put_float(o, f, false);
}

/* Of 16 bits: exact as a float, and printed as one. */
static void put_f16(struct obuf *o, uint64_t v)
{
	uint32_t sign = (uint32_t)(v >> 15 & 1) << 31, exp = v >> 10 & 31, low = v & 0x3ff;
	float f = (float)low / 16777216.0f; /* 2^-24 each */
	uint32_t bits;

	if (!exp) {
		put_float(o, sign ? -(double)f : (double)f, true);
		return;
	}
	bits = sign | (exp == 31 ? 255 : exp + 112) << 23 | low << 13;
	put_f32(o, bits);
}

void regs_print_lane(const uint64_t *qwords, unsigned i, enum regs_lane lane, struct obuf *o)
{
	uint64_t v = regs_lane_get(qwords, i, lane);
	unsigned up = 64U - lanes[lane].bits;

	switch (lane) {
	case LANE_HEX:
		obuf_lit(o, "0x");
		obuf_hex_zero(o, v, 16);
		break;
	case LANE_F16: put_f16(o, v); break;
	case LANE_BF16: put_f32(o, (uint32_t)v << 16); break;
	case LANE_F32: put_f32(o, (uint32_t)v); break;
	case LANE_F64: put_f64(o, v); break;
	default:
		if (lanes[lane].is_signed)
			obuf_sdec(o, (int64_t)(v << up) >> up);
		else
			obuf_dec(o, v);
	}
}

void regs_print_lanes(const uint64_t *qwords, unsigned n, enum regs_lane lane, struct obuf *o)
{
	unsigned nr = n * (64 / lanes[lane].bits);

	for (unsigned i = 0; i < nr; i++) {
		if (i)
			obuf_char(o, ' ');
		regs_print_lane(qwords, i, lane, o);
	}
}
