/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simd: what is in vector registers, by the code that uses them. A register does not say whether it
 * holds floats or bytes; the instruction that reads it does.
 *
 *	struct simd_sites *sites;
 *
 *	simd_sites_new(&sites, resolver, arch, false);
 *	for each sample:
 *		site = simd_site(sites, resolver_find(resolver, th, s.cpumode, s.ip));
 *		simd_numbers_add(&sum, site, &s, regs);
 *
 * Code is looked at once per location; a site has some 40 bytes. Registers are those before the
 * instruction at the sampled address ran, as far as address and registers are of the same moment: so
 * what counts is what it reads, and not what it is going to write.
 *
 * Memory: sites are their owner's, a resolver has to outlive them. One thread each. Errors: where code
 * is not known a site is empty, and so is it without memory.
 */
#ifndef PERF_SIMD_H
#define PERF_SIMD_H

#include "insn/insn.h"
#include "sample/sample.h"
#include "symbol/symbol.h"

/* ---- what code makes of registers: sites.c ---------------------------------------------------- */

#define SIMD_USES 3

struct simd_site {
	uint8_t nr;    /* registers that are read; 0 = no instruction close by computes with any */
	uint8_t mask;  /* opmask register that selects lanes; 0 = none */
	uint8_t lanes; /* of which it has a bit each: those of the result */
	bool here;     /* by the instruction at this location, not by one behind it */
	bool memory;   /* that one has a source in memory, too */
	struct {
		uint8_t reg, lane; /* enum regs_lane */
		uint8_t lanes;
	} use[SIMD_USES];
	uint8_t type[16]; /* see simd_lane() */
};

struct simd_sites;

/* @types: types of all registers are looked for, else only of those that are read first. */
int simd_sites_new(struct simd_sites **s, struct resolver *res, enum regs_arch arch, bool types);
void simd_sites_free(struct simd_sites *s); /* NULL is fine */
/* Valid until the next call. */
const struct simd_site *simd_site(struct simd_sites *s, uint32_t loc);
/* Whether it was looked for and found to be empty. */
bool simd_site_is_empty(const struct simd_sites *s, uint32_t loc);

/*
 * What the instruction that uses vector @reg next takes it for; LANE_HEX = none does within reach. One
 * that computes is believed before one that moves bits.
 */
static inline enum regs_lane simd_lane(const struct simd_site *site, unsigned reg)
{
	return (enum regs_lane)(site->type[reg / 2 % 16] >> reg % 2 * 4 & 15);
}

/*
 * The bit of the mask for lane @k of a source that has @n. Where several lanes make one of the result, as bytes do
 * that are multiplied and added up, they have one bit.
 */
static inline unsigned simd_mask_bit(const struct simd_site *site, unsigned k, unsigned n)
{
	return site->lanes && site->lanes < n ? k * site->lanes / n : k;
}

/* ---- what was in them ------------------------------------------------------------------------ */

/* Whether its vectors are those of the code at its address: user registers in the kernel are not. */
bool simd_is_of_code(const struct sample *s, enum regs_arch arch);
/* Vector @reg of block @r (sample_simd_block()): how many qwords of it are known, 0 = none. */
unsigned simd_vector(const struct sample *s, const struct sample_regs *r, unsigned reg,
		     uint64_t q[8]);

/* Lanes of vectors that were about to be read. Sums alone: any order gives the same. */
struct simd_numbers {
	uint64_t samples; /* that have such a register */
	uint64_t slow;	  /* of these, with a denormal or a NaN */
	uint64_t floats, nan, inf, denormal, zero;
	uint64_t ints, int_zero;
	uint64_t of[16]; /* by enum regs_lane */
};

void simd_numbers_add(struct simd_numbers *n, const struct simd_site *site, const struct sample *s,
		      const struct sample_regs *r);
void simd_numbers_merge(struct simd_numbers *n, const struct simd_numbers *from);
/* The type that most lanes had; LANE_HEX = there were none. */
enum regs_lane simd_numbers_lane(const struct simd_numbers *n);

/* ---- lanes that do nothing: idle.c ------------------------------------------------------------ */

/*
 * Of samples at an instruction that computes with vectors, all of whose sources are registers that
 * were recorded. Sums alone, as above.
 */
struct simd_idle {
	uint64_t samples;
	uint64_t lanes, off, zero; /* lanes; masked off; of the rest, zero in all sources */
	uint64_t equal;		   /* samples: all lanes that are on are alike in each source */
	uint64_t narrow; /* samples: the upper half of the lanes, or more, is off or zero */
	uint64_t wide;	 /* samples with more than one lane: these two are of them */
};

/* @values: a hash of what was in the sources. False: the sample says nothing. */
bool simd_idle_add(struct simd_idle *n, const struct simd_site *site, const struct sample *s,
		   const struct sample_regs *r, uint64_t *values);
void simd_idle_merge(struct simd_idle *n, const struct simd_idle *from);

#endif
