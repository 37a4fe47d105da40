// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Floats that need more than six digits, without asking printf() and strtod() for each number of them: a table of random
 * ones is mostly that. A float is multiplied by the power of ten that gives it 17 digits in front of the point, in 128
 * bits, whose error is far below anything that matters here; a text reads back when it is nearer than half of the
 * distance to the next float. Whatever lies too close to a border for that to be certain is left to who asked.
 */
#include <float.h>
#include <math.h>

#include "regs-int.h"

#define DIGITS	 17
#define LEAST	 7   /* fewer are not tried here */
#define FRACTION 40  /* bits behind the point */
#define UNSURE	 256 /* of these units: more than all errors together */

__extension__ typedef unsigned __int128 u128;

/* v * 2^exp, the highest bit of v is set. */
struct scaled {
	u128 v;
	int exp;
};

static u128 high_half(u128 a, u128 b)
{
	u128 ah = a >> 64, al = (uint64_t)a, bh = b >> 64, bl = (uint64_t)b;

	return ah * bh + (ah * bl >> 64) + (al * bh >> 64);
}

static struct scaled multiply(struct scaled a, struct scaled b)
{
	struct scaled p = { high_half(a.v, b.v), a.exp + b.exp + 128 };

	if (!(p.v >> 127)) {
		p.v <<= 1;
		p.exp--;
	}
	return p;
}

static struct scaled power_of_ten(int n)
{
	static const struct scaled ten = { (u128)0xa000000000000000ULL << 64, -124 }, tenth = {
		(u128)0xccccccccccccccccULL << 64 | 0xcccccccccccccccdULL, -131
	};
	struct scaled p = { (u128)1 << 127, -127 }, square = n < 0 ? tenth : ten;

	for (unsigned k = (unsigned)(n < 0 ? -n : n); k; k >>= 1) {
		if (k & 1)
			p = multiply(p, square);
		square = multiply(square, square);
	}
	return p;
}

/* A float as so many units of 10^-scale and of 2^-FRACTION. 0: it does not fit. */
static u128 units(uint64_t mantissa, int exp, int scale)
{
	const struct scaled p = power_of_ten(scale), m = { (u128)mantissa << 75, exp - 75 };
	const struct scaled f = multiply(m, p);
	int shift = -f.exp - FRACTION;

	return shift > 0 && shift < 128 ? f.v >> shift : 0;
}

static const uint64_t tens[] = { 1ULL,
				 10ULL,
				 100ULL,
				 1000ULL,
				 10000ULL,
				 100000ULL,
				 1000000ULL,
				 10000000ULL,
				 100000000ULL,
				 1000000000ULL,
				 10000000000ULL,
				 100000000000ULL,
				 1000000000000ULL,
				 10000000000000ULL,
				 100000000000000ULL,
				 1000000000000000ULL,
				 10000000000000000ULL,
				 100000000000000000ULL };

enum fit { FIT_NO, FIT_YES, FIT_UNSURE };

/* Whether the nearest number of @n digits, *out, is nearer than @half. */
static enum fit fits(u128 x, u128 half, unsigned n, uint64_t *out)
{
	const uint64_t unit = tens[DIGITS - n], whole = (uint64_t)(x >> FRACTION);
	const u128 below = ((u128)(whole % unit) << FRACTION) | (x & (((u128)1 << FRACTION) - 1));
	const u128 above = ((u128)unit << FRACTION) - below;
	const u128 least = below < above ? below : above, most = below < above ? above : below;

	if (most - least <= UNSURE)
		return FIT_UNSURE;
	if ((least < half ? half - least : least - half) <= UNSURE)
		return FIT_UNSURE;
	*out = whole / unit + (below > above);
	return least < half && *out < tens[n] ? FIT_YES : least < half ? FIT_UNSURE : FIT_NO;
}

/* The fewest digits from LEAST on that do. 0: fewer would, or nobody knows. */
static unsigned find(u128 x, u128 half, uint64_t *out)
{
	enum fit fit = fits(x, half, LEAST - 1, out);
	unsigned n;

	if (fit != FIT_NO)
		return 0;
	/* Most numbers have few digits, or as many as there are. */
	fit = fits(x, half, DIGITS - 2, out);
	n = fit == FIT_YES ? LEAST : DIGITS - 1;
	while (fit != FIT_UNSURE && n <= DIGITS) {
		fit = fits(x, half, n, out);
		if (fit == FIT_YES)
			return n;
		n++;
	}
	return 0;
}

/* As "%.*g" has it: the first of @n digits stands for 10^@exp. */
static void put(struct obuf *o, bool minus, uint64_t v, unsigned n, int exp)
{
	char digits[DIGITS] = { 0 }, text[48];
	unsigned k = 0, abs_exp = (unsigned)(exp < 0 ? -exp : exp);
	int point = exp < -4 || exp >= (int)n ? 1 : exp + 1; /* digits in front of it */

	for (unsigned i = n; i--; v /= 10)
		digits[i] = (char)('0' + v % 10);
	if (minus)
		text[k++] = '-';
	for (int i = point; i <= 0; i++) {
		text[k++] = '0';
		if (i == point)
			text[k++] = '.';
	}
	for (unsigned i = 0; i < n; i++) {
		if (point > 0 && i == (unsigned)point)
			text[k++] = '.';
		text[k++] = digits[i];
	}
	if (point == 1 && exp) {
		text[k++] = 'e';
		text[k++] = exp < 0 ? '-' : '+';
		if (abs_exp >= 100)
			text[k++] = (char)('0' + abs_exp / 100);
		text[k++] = (char)('0' + abs_exp / 10 % 10);
		text[k++] = (char)('0' + abs_exp % 10);
	}
	obuf_mem(o, text, k);
}

bool regs_put_digits(struct obuf *o, double f, bool single)
{
	const double size = fabs(f);
	uint64_t mantissa, digits;
	int exp, scale;
	unsigned n;
	u128 x;

	/* Those next to zero lie as far apart as others; next to a power of two it is nearer on one side. */
	if (!(size >= (single ? (double)FLT_MIN : DBL_MIN)) || size > DBL_MAX)
		return false;
	mantissa = (uint64_t)ldexp(frexp(size, &exp), 53);
	exp -= 53;
	if (!(mantissa & (mantissa - 1)))
		return false;
	/* log10(2) * 2^20 is 315653: never more than the digits that there are, and one less at most. */
	scale = DIGITS - 1 - (int)(((int64_t)(exp + 52) * 315653) >> 20);
	x = units(mantissa, exp, scale);
	if (x >> FRACTION >= tens[DIGITS])
		x = units(mantissa, exp, --scale);
	if (x >> FRACTION >= tens[DIGITS] || x >> FRACTION < tens[DIGITS - 1])
		return false;
	n = find(x, x / (2 * (single ? mantissa >> 29 : mantissa)), &digits);
	if (!n)
		return false;
	put(o, f < 0, digits, n, DIGITS - 1 - scale);
	return true;
}
