// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * AArch64: which words of vectors and floating point are instructions. Their groups are those of the Arm ARM, "Data
 * Processing -- Scalar Floating-Point and Advanced SIMD"; within a group some bits choose, and a map of bits,
 * one for each of their values, says what there is. The rest is registers and constants. What is missing here a CPU may
 * have all the same: whoever asks leaves such a word to the thread itself.
 *
 * tests/helpers/a64-words.py holds the maps against disassemblers, and with --maps prints what these say.
 */
#include "a64-int.h"

static const uint64_t copied[] = { 0xa300a300a30000,
				   0xa300a300a30083,
				   0xa300a300a30000,
				   0xa300a300a30083,
				   0x0,
				   0x0,
				   0x0,
				   0x0,
				   0x2b002b002b0000,
				   0x2b002b002b002b,
				   0x2b002b002b008b,
				   0x2b002b002b002b,
				   0xffffffffffff0000,
				   0xffffffffffffffff,
				   0xffffffffffffffff,
				   0xffffffffffffffff };
static const uint64_t two_half[] = { 0x2f00f0003f000000, 0xae00b0003f000000 };
static const uint64_t same_more[] = { 0xc00000000, 0x80005f07df030000, 0x3c00000000,
				      0xdf005f17ff030000 };
static const uint64_t two[] = { 0xd40fddffd40fff,   0x3f54ffdd,		0x5c0bfdff1c0bfd,
				0xbe1cbbdc,	    0xffd40fddffd40fff, 0x2f00ff883f54ffdd,
				0xff5c0bfdff1c0bfd, 0xae00bb88be1cbbdc };
static const uint64_t across[] = { 0xc0004080c009408, 0x9000,	 0x400040804000408, 0x0,
				   0xc0004080c009408, 0xc009408, 0x400040804009408, 0x4009408 };
static const uint64_t widths[] = { 0x40003fff3fff55ff, 0x15ff15ff15ff, 0x40003fff3fff55ff,
				   0x15ff15ff15ff };
static const uint64_t same[] = { 0xffffffffbfffff,   0x8e7ffffff,	 0x77ffffff3fffff,
				 0x87777ffff,	     0xdfffffffffbfffff, 0xc7830feae7ffffff,
				 0xfd77ffffff3fffff, 0x75030fea7777ffff };
static const uint64_t constants[] = { 0x15555555d5555555, 0x55555555d5555555 };
static const uint64_t shifts[] = { 0x1f4455d5555555,
				   0x901f4455901f4455,
				   0x901f4455901f4455,
				   0x901f4455901f4455,
				   0x0,
				   0x0,
				   0x0,
				   0x0,
				   0x1f555515555555,
				   0x901f5555901f5555,
				   0x901f5555901f5555,
				   0x901f5555901f5555,
				   0x0,
				   0x0,
				   0x0,
				   0x0,
				   0x1f4455d5555555,
				   0x901f4455901f4455,
				   0x901f4455901f4455,
				   0x901f4455901f4455,
				   0x9000445590004455,
				   0x9000445590004455,
				   0x9000445590004455,
				   0x9000445590004455,
				   0x1f555555555555,
				   0x901f5555901f5555,
				   0x901f5555901f5555,
				   0x901f5555901f5555,
				   0x9000555590005555,
				   0x9000555590005555,
				   0x9000555590005555,
				   0x9000555590005555 };
static const uint64_t by_element[] = {
	0xc00c0c0cc00c0c0c, 0xcff3f0f0cff3f0f0, 0xffffffffffffffff, 0xc0000000c0000000,
	0xc0000000c0000,    0xcc307777cc307777, 0xff3f3333ff3f3333, 0x0,
	0xc00c0c0cc00c0c0c, 0xcff3f0f0cff3f0f0, 0xffffffffffffffff, 0xc0000000c00c0c0c,
	0xc0000000c0000,    0xcc30ffffcc30ffff, 0xff3f3333ff3fffff, 0xc0000
};
static const uint64_t one_two_half[] = { 0xac0070003c000000, 0x2c0030003c000000 };
static const uint64_t one_two[] = { 0x3c1000883c100088, 0xac007f88ac107088, 0x3c5400883c140088,
				    0x2c003b882c143088 };
static const uint64_t one_pair[] = { 0xb000, 0x800000000009000, 0xb0000000b000, 0x900000009000 };
static const uint64_t one_same[] = { 0x98400a2298000a22, 0x80030fe280400a22, 0x30400a2230000a22,
				     0x34030fe234400a22 };
static const uint64_t one_shifts[] = { 0xc400000000000,	   0x900c4000900c4000, 0x900c4000900c4000,
				       0x900c4000900c4000, 0x9000445590004455, 0x9000445590004455,
				       0x9000445590004455, 0x9000445590004455, 0xf500000000000,
				       0x900f5000900f5000, 0x900f5000900f5000, 0x900f5000900f5000,
				       0x9000555590005555, 0x9000555590005555, 0x9000555590005555,
				       0x9000555590005555 };
static const uint64_t one_by_element[] = { 0x3888388802220222, 0x2223aaa3aaa, 0xa000a00002000200,
					   0x200a200a200 };
static const uint64_t fixed[] = { 0xa0000000000a0, 0xa0000000000a0, 0x0, 0xa0000000000a0,
				  0xf0000000000f0, 0xf0000000000f0, 0x0, 0xf0000000000f0 };
static const uint64_t integers[] = { 0x4303033f030303ff, 0x30303ff00000000, 0x30303ff0303033f,
				     0x30303ff0000c000 };
static const uint64_t fp_one[] = { 0xfdfaf, 0xfdfdf, 0x0, 0xdf3f };

static const struct group {
	uint32_t mask, value;
	uint32_t by;	     /* the bits that choose; bit 0 of the map is all of them 0 */
	uint64_t few;	     /* the map, */
	const uint64_t *all; /* or, where these are more than six bits, there */
} groups[] = {
	/* vectors */
	{ 0xbfe08c00, 0x0e000000, 0x00000000, .few = 0x1 },		   /* a table of bytes */
	{ 0xbf208c00, 0x0e000800, 0x40c07000, .few = 0xeeeeeeee00eeeeee }, /* permuted */
	{ 0xbf208400, 0x2e000000, 0x40c04000, .few = 0x301 },		   /* extracted */
	{ 0x9fe08400, 0x0e000400, 0x600f7800, .all = copied },		   /* copied */
	{ 0xffe0fc00, 0x5e000400, 0x000f0000, .few = 0xfffe },		   /* copied, one element */
	{ 0x9f60c400, 0x0e400400, 0x20803800, .few = 0x75fdc7df }, /* three the same, half floats */
	{ 0x9f7e0c00, 0x0e780800, 0x2081f000, .all = two_half },   /* two, half floats */
	{ 0x9f208400, 0x0e008400, 0x60c07800, .all = same_more },  /* three the same, more */
	{ 0x9f3e0c00, 0x0e200800, 0x60c1f000, .all = two },	   /* two */
	{ 0x9f3e0c00, 0x0e300800, 0x60c1f000, .all = across },	   /* across */
	{ 0x9f200c00, 0x0e200000, 0x60c0f000, .all = widths },	   /* three of two widths */
	{ 0x9f200400, 0x0e200400, 0x60c0f800, .all = same },	   /* three the same */
	{ 0x9ff80400, 0x0f000400, 0x6000f800, .all = constants },  /* constants */
	{ 0x9f800400, 0x0f000400, 0x6078f800, .all = shifts },	   /* shifts */
	{ 0x9f000400, 0x0f000000, 0x60e0f800, .all = by_element }, /* by an element */
	/* one element of them */
	{ 0xdf60c400, 0x5e400400, 0x20803800,
	  .few = 0x34308098 }, /* one element: three the same, half floats */
	{ 0xdf7e0c00, 0x5e780800, 0x2081f000, .all = one_two_half },   /* two, half floats */
	{ 0xff208400, 0x7e008400, 0x00c07800, .few = 0x300030000 },    /* three the same, more */
	{ 0xdf3e0c00, 0x5e200800, 0x20c1f000, .all = one_two },	       /* two */
	{ 0xdf3e0c00, 0x5e300800, 0x20c1f000, .all = one_pair },       /* a pair */
	{ 0xff200c00, 0x5e200000, 0x00c0f000, .few = 0x2a002a000000 }, /* three of two widths */
	{ 0xdf200400, 0x5e200400, 0x20c0f800, .all = one_same },       /* three the same */
	{ 0xdf800400, 0x5f000400, 0x2078f800, .all = one_shifts },     /* shifts */
	{ 0xdf000400, 0x5f000000, 0x20e0f000, .all = one_by_element }, /* by an element */
	/* cryptography */
	{ 0xffff0c00, 0x4e280800, 0x0000f000, .few = 0xf0 }, /* aes */
	{ 0xffe08c00, 0x5e000000, 0x00007000, .few = 0x7f }, /* sha */
	{ 0xffff0c00, 0x5e280800, 0x0000f000, .few = 0x7 },
	{ 0xff808000, 0xce000000, 0x00600000, .few = 0x7 },  /* sha3 */
	{ 0xffe00000, 0xce800000, 0x00000000, .few = 0x1 },  /* xar */
	{ 0xffe0c000, 0xce408000, 0x00000c00, .few = 0xf },  /* sm3 */
	{ 0xffe0b000, 0xce608000, 0x00004c00, .few = 0x7f }, /* sha512, sm4 */
	{ 0xfffff000, 0xcec08000, 0x00000c00, .few = 0x3 },
	/* floating point */
	{ 0x7f200000, 0x1e000000, 0x80df8000, .all = fixed }, /* floats: to and from fixed point */
	{ 0x7f20fc00, 0x1e200000, 0x80df0000, .all = integers }, /* and integers */
	{ 0xff207c00, 0x1e204000, 0x00df8000, .all = fp_one },	 /* one */
	{ 0xff20fc07, 0x1e202000, 0x00c00000, .few = 0xb },	 /* comparisons */
	{ 0xff201fe0, 0x1e201000, 0x00c00000, .few = 0xb },	 /* constants */
	{ 0xff200400, 0x1e200400, 0x00c00000, .few = 0xb },	 /* comparisons, selections */
	{ 0xff200c00, 0x1e200800, 0x00c0f000, .few = 0x1ff000001ff01ff }, /* two */
	{ 0xff000000, 0x1f000000, 0x00c00000, .few = 0xb },		  /* three */
};

/* The bits of @w that are in @by, side by side. */
static unsigned gather(uint32_t w, uint32_t by)
{
	unsigned v = 0;

	for (unsigned at = 0; by; by &= by - 1, at++)
		v |= (w >> __builtin_ctz(by) & 1) << at;
	return v;
}

bool a64_is_vector(uint32_t w)
{
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		const struct group *g = &groups[i];
		unsigned n;

		if ((w & g->mask) != g->value)
			continue;
		n = gather(w, g->by);
		return (g->all ? g->all[n / 64] : g->few) >> n % 64 & 1;
	}
	return false;
}
