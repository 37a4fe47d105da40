// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What an x86 instruction takes the lanes of its vector registers for, by its name: "vmulpd" says
 * doubles, "vpaddusw" unsigned words. Libraries have types of operands, but not all of them mean
 * what is wanted here (to one of them all of PMAXUB is signed, to the other there are none), and the names
 * are regular: an operation, and behind it the lane.
 *
 * A move, a shuffle or a logical operation carries bits of any type, and compilers take the one that
 * is shortest: what its name says is a hint, not a fact (insn_vector.sure).
 */
#include "base/tables.h"
#include "insn/insn-int.h"

static bool ends(const char *s, const char *with)
{
	size_t n = strlen(s), w = strlen(with);

	return n >= w && !strcmp(s + n - w, with);
}

static bool starts(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static bool holds(const char *s, const char *const *words, bool (*how)(const char *, const char *))
{
	for (; *words; words++)
		if (how(s, *words))
			return true;
	return false;
}

static enum regs_lane int_lane(char letter, bool is_unsigned)
{
	switch (letter) {
	case 'b': return is_unsigned ? LANE_U8 : LANE_I8;
	case 'w': return is_unsigned ? LANE_U16 : LANE_I16;
	case 'd': return is_unsigned ? LANE_U32 : LANE_I32;
	case 'q': return is_unsigned ? LANE_U64 : LANE_I64;
	default: return LANE_HEX;
	}
}

/* "ps", "sd" ... at the end of a name. */
static enum regs_lane float_lane(const char *name, bool *one)
{
	static const struct {
		const char *end;
		enum regs_lane lane;
		bool one; /* a single lane */
	} types[] = {
		{ "bf16ps", LANE_BF16, false }, { "bf16", LANE_BF16, false },
		{ "ps", LANE_F32, false },	{ "pd", LANE_F64, false },
		{ "ph", LANE_F16, false },	{ "ss", LANE_F32, true },
		{ "sd", LANE_F64, true },	{ "sh", LANE_F16, true },
	};

	/* "vpmaxsd" and "vpcmpd" are of integers, "vpermpd" is not. */
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (!ends(name, types[i].end) || (name[0] == 'p' && types[i].one) ||
		    starts(name, "pcmp"))
			continue;
		*one = types[i].one;
		return types[i].lane;
	}
	return LANE_HEX;
}

/* Between "cvt" and "2": what is converted; behind it: into what. */
static enum regs_lane of_convert(const char *s, size_t n, bool *one)
{
	static const struct {
		const char *name;
		enum regs_lane lane;
		bool one;
	} types[] = {
		{ "ps", LANE_F32, false },    { "pd", LANE_F64, false },
		{ "ph", LANE_F16, false },    { "ss", LANE_F32, true },
		{ "sd", LANE_F64, true },     { "sh", LANE_F16, true },
		{ "dq", LANE_I32, false },    { "udq", LANE_U32, false },
		{ "qq", LANE_I64, false },    { "uqq", LANE_U64, false },
		{ "w", LANE_I16, false },     { "uw", LANE_U16, false },
		{ "phx", LANE_F16, false },   { "psx", LANE_F32, false },
		{ "bf16", LANE_BF16, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (strlen(types[i].name) == n && !strncmp(types[i].name, s, n)) {
			*one = types[i].one;
			return types[i].lane;
		}
	return LANE_HEX;
}

static void convert(const char *name, struct insn_lanes *l)
{
	const char *from = name + 3, *two;

	if (starts(from, "ne2") || starts(from, "ne"))
		from += starts(from, "ne2") ? 3 : 2;
	else if (*from == 't')
		from++;
	two = strchr(from, '2');
	if (!two)
		return;
	l->read = of_convert(from, (size_t)(two - from), &l->one);
	l->written = of_convert(two + 1, strlen(two + 1), &l->one_written);
	l->sure = true;
}

/* Two letters behind "pmovzx" and its like: from what to what. False: it is another move. */
static bool resize(const char *name, struct insn_lanes *l)
{
	static const struct {
		const char *with;
		bool is_unsigned;
	} moves[] = { { "pmovzx", true },
		      { "pmovsx", false },
		      { "pmovus", true },
		      { "pmovs", false },
		      { "pmov", false } };

	for (size_t i = 0; i < ARRAY_SIZE(moves); i++) {
		size_t n = strlen(moves[i].with);

		if (!starts(name, moves[i].with) || strlen(name) != n + 2)
			continue;
		l->read = int_lane(name[n], moves[i].is_unsigned);
		l->written = int_lane(name[n + 1], moves[i].is_unsigned);
		l->sure = true;
		return true;
	}
	return false;
}

/* Names that begin with 'p', less the v in front: the lane is the last letter. */
static void integer(const char *name, struct insn_lanes *l)
{
	static const char *const no_sign[] = { "paddus", "psubus", "pminu",  "pmaxu",	   "pmulhu",
					       "pmulud", "pavg",   "psadbw", "phminposuw", "psrl",
					       "plzcnt", "pdpbuu", NULL };
	/* Bits are carried, or made of bits. */
	static const char *const any[] = {
		"pand",	    "por",	 "pxor",     "pternlog", "pshuf",	"punpck",
		"palignr",  "perm",	 "pblend",   "pinsr",	 "pextr",	"pbroadcast",
		"pmovmskb", "pgather",	 "pscatter", "ptest",	 "pmaskmov",	"psrldq",
		"pslldq",   "pcompress", "pexpand",  "pmovm2",	 "pmovb2m",	"pmovw2m",
		"pmovd2m",  "pmovq2m",	 "pshrd",    "pshld",	 "pmultishift", NULL
	};
	static const char *const none[] = { "pclmul", "pcmpestr", "pcmpistr", NULL };
	size_t n = strlen(name);
	/* A library may have the predicate in the name: "pcmpltud". */
	bool is_unsigned =
		holds(name, no_sign, starts) || (starts(name, "pcmp") && name[n - 2] == 'u');
	/* A dot product may saturate: an 's' behind its lane. */
	char last = starts(name, "pdp") ? 'd' : n ? name[n - 1] : 0;

	if (holds(name, none, starts))
		return;
	if (resize(name, l))
		return;
	if (starts(name, "pack")) { /* packuswb: of signed words */
		l->read = int_lane(n > 5 ? name[n - 2] : 0, false);
	} else if (starts(name, "pdpb") || starts(name, "pmaddubs") || starts(name, "psadb")) {
		l->read = LANE_U8;
	} else if (starts(name, "pdpw") || starts(name, "pmaddwd")) {
		l->read = LANE_I16;
	} else if (starts(name, "pmuludq") || starts(name, "pmuldq")) {
		l->read = int_lane('d', is_unsigned);
	} else if (starts(name, "pmulhrsw") || starts(name, "phaddsw") || starts(name, "phsubsw")) {
		l->read = LANE_I16;
	} else {
		l->read = int_lane(last, is_unsigned);
	}
	l->written = int_lane(last, is_unsigned);
	l->sure = l->read != LANE_HEX && !holds(name, any, starts);
}

static bool adds_up(const char *name)
{
	static const char *const names[] = { "vfm",	 "vfn",	      "vdp",	   "vpdp",
					     "vpmadd52", "vpternlog", "vfixupimm", "vpermi2",
					     "vpermt2",	 NULL };

	return holds(name, names, starts);
}

void insn_lanes_by_name(const char *name, struct insn_lanes *l)
{
	/* Of floats by their names alone. */
	static const char *const any[] = { "mov",	"and",	  "or",	     "xor",	"shuf",
					   "unpck",	"blend",  "perm",    "insert",	"extract",
					   "broadcast", "gather", "scatter", "maskmov", "test",
					   "compress",	"expand", "lddqu",   "align",	NULL };

	*l = (struct insn_lanes){ .read = LANE_HEX, .written = LANE_HEX };
	l->adds_up = adds_up(name);
	if (name[0] == 'v')
		name++;
	if (starts(name, "cvt")) {
		convert(name, l);
		return;
	}
	l->read = l->written = float_lane(name, &l->one);
	l->one_written = l->one;
	if (l->read != LANE_HEX) {
		l->sure = !holds(name, any, starts) && name[0] != 'p';
		if (ends(name, "bf16ps"))
			l->written = LANE_F32;
		return;
	}
	if (name[0] == 'p')
		integer(name, l);
}

bool insn_clears(const char *name)
{
	static const char *const names[] = { "pxor",   "xorps",	 "xorpd", "psub",
					     "pcmpgt", "pcmpeq", NULL };

	return holds(name + (name[0] == 'v'), names, starts);
}

void insn_put_vector(struct insn_vectors *out, const struct insn_lanes *l, unsigned reg,
		     unsigned width, unsigned bits, bool read, bool written)
{
	/* A sum is of the kind that it stays, whatever is multiplied. */
	bool source = read && !(written && l->adds_up);
	enum regs_lane lane = source ? l->read : l->written;
	bool one = source ? l->one : l->one_written;
	struct insn_vector *v = &out->v[out->nr];

	/* A register that is named twice is one. */
	for (unsigned i = 0; i < out->nr; i++)
		if (out->v[i].reg == reg && out->v[i].width == width)
			v = &out->v[i];
	if (v == &out->v[INSN_VECTORS])
		return;
	out->nr += v == &out->v[out->nr];
	*v = (struct insn_vector){ .reg = (uint8_t)reg,
				   .lane = (uint8_t)(v->read ? v->lane : lane),
				   .width = (uint16_t)width,
				   .bits = (uint16_t)(one ? regs_lane_bits(lane) : bits),
				   .read = v->read || read,
				   .written = v->written || written,
				   .sure = l->sure && lane != LANE_HEX };
}
