// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Vector registers as what a program keeps in them: numbers of one type, lane 0 in the lowest
 * bits. Floats are printed with the fewest digits that read back as the same number, so that JSON
 * loses nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/tables.h"
#include "base/hex.h"
#include "regs/regs.h"

static const struct {
	const char *name;
	unsigned bits;
} lanes[] = {
	[LANE_HEX] = { "hex", 64 }, [LANE_F32] = { "f32", 32 }, [LANE_F64] = { "f64", 64 },
	[LANE_I8] = { "i8", 8 },    [LANE_I16] = { "i16", 16 }, [LANE_I32] = { "i32", 32 },
	[LANE_I64] = { "i64", 64 },
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

unsigned regs_lane_bits(enum regs_lane lane)
{
	return lanes[lane].bits;
}

static bool reads_back(const char *text, double f, bool single)
{
	return single ? strtof(text, NULL) == (float)f : strtod(text, NULL) == f;
}

/*
 * The fewest digits that read back as the same number. Six are tried first: they do for most, and
 * %g leaves out their trailing zeros. Fewer may do only where numbers lie far apart, next to zero
 * (5e-324), and in "1e+06" they are left out as well.
 */
static void put_float(struct obuf *o, double f, bool single)
{
	int digits = 6, max = single ? 9 : 17;
	char buf[40];

	snprintf(buf, sizeof(buf), "%.*g", digits, f);
	while (digits < max && !reads_back(buf, f, single))
		snprintf(buf, sizeof(buf), "%.*g", ++digits, f);
	while (digits <= 6 && digits > 1 && strchr(buf, 'e')) {
		char less[40];

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

void regs_print_lane(const uint64_t *qwords, unsigned i, enum regs_lane lane, struct obuf *o)
{
	unsigned bits = lanes[lane].bits, per = 64 / bits;
	uint64_t v = qwords[i / per] >> (i % per * bits);

	switch (lane) {
	case LANE_HEX:
		obuf_lit(o, "0x");
		obuf_hex_zero(o, v, 16);
		break;
	case LANE_F32: put_f32(o, (uint32_t)v); break;
	case LANE_F64: put_f64(o, v); break;
	case LANE_I8: obuf_sdec(o, (int8_t)v); break;
	case LANE_I16: obuf_sdec(o, (int16_t)v); break;
	case LANE_I32: obuf_sdec(o, (int32_t)v); break;
	case LANE_I64: obuf_sdec(o, (int64_t)v); break;
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
