/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * branch: names of branch filters, branch types and flags; one entry of a branch stack, out of
 * its bit-fields and into text. Const tables; no state, no memory. Source: perf_event_open(2)
 * and the kernel's struct perf_branch_entry, whose flag bits lie mirrored in big-endian files.
 *
 *	branch_load(p, swap, &b);		24 bytes of a record
 *	branch_print_flags(&b, o);		"/P/-/-/3/COND/-"
 */
#ifndef PERF_BRANCH_H
#define PERF_BRANCH_H

#include "base/base.h"
#include "base/obuf.h"
#include "base/bytes.h"
#include "uapi/perf_event.h"

#define BRANCH_ENTRY_SIZE 24

enum branch_type {
	BR_UNKNOWN,
	BR_COND,
	BR_UNCOND,
	BR_IND,
	BR_CALL,
	BR_IND_CALL,
	BR_RET,
	BR_SYSCALL,
	BR_SYSRET,
	BR_COND_CALL,
	BR_COND_RET,
	BR_ERET,
	BR_IRQ,
	BR_SERROR,
	BR_NO_TX,
	BR_EXTEND, /* look at new_type */
	BR_MAX,
};

enum branch_spec {
	BR_SPEC_NONE, /* or not known */
	BR_SPEC_WRONG_PATH,
	BR_NON_SPEC_CORRECT_PATH,
	BR_SPEC_CORRECT_PATH,
};

struct branch_entry {
	uint64_t from, to;
	uint16_t cycles; /* since the branch before; 0 = unknown */
	uint8_t type, new_type, spec, priv;
	bool mispred, predicted, in_tx, abort, not_taken; /* neither of the first two: not known */
	uint32_t reserved;				  /* bits 34 and up, shifted down */
};

/* Entry at @p; @swap: the record is of the other byte order than the host. */
void branch_load(const unsigned char *p, bool swap, struct branch_entry *b);
/* Flag bits of a record's third word, given as the host reads it after swapping bytes.
 * @big_endian: who wrote it, because that decides where the fields lie. */
void branch_unpack_flags(uint64_t flags, bool big_endian, struct branch_entry *b);
/* The same fields as one word in the little-endian order, for comparing and storing. */
uint64_t branch_pack_flags(const struct branch_entry *b);
/* That word of the entry at @p. */
static inline uint64_t branch_load_flags(const unsigned char *p, bool swap)
{
	struct branch_entry b;

	if (!swap && !host_is_big_endian())
		return load_u64(p + 16, false);
	branch_load(p, swap, &b);
	return branch_pack_flags(&b);
}

/* Fields of that word. */
static inline unsigned branch_flags_cycles(uint64_t flags)
{
	return flags >> 4 & 0xffff;
}

static inline unsigned branch_flags_type(uint64_t flags)
{
	return flags >> 20 & 15;
}

static inline unsigned branch_flags_spec(uint64_t flags)
{
	return flags >> 24 & 3;
}

static inline bool branch_flags_not_taken(uint64_t flags)
{
	return flags >> 33 & 1;
}

static inline unsigned branch_flags_new_type(uint64_t flags)
{
	return flags >> 26 & 15;
}

/*
 * "any_call,u" -> PERF_SAMPLE_BRANCH_*. Privilege names alone mean any and are dropped, as
 * upstream does. -EINVAL names the unknown filter and suggests the closest.
 */
int branch_filter_parse(const char *list, uint64_t *mask, struct err *e);
/* "ANY|USER" as evlist -v prints it. */
void branch_filter_print(uint64_t mask, struct obuf *o);
/* The i-th name of -j and what it selects; NULL past the end. For --help and completion. */
const char *branch_filter_name(size_t i, uint64_t *bit);

/* "" for type 0; new_type's name when type is BR_EXTEND. */
const char *branch_type_name(unsigned type, unsigned new_type);
const char *branch_spec_name(unsigned spec); /* "-" for 0 */

/* ---- text of script's brstack fields ------------------------------------------------------------- */

/* "/P/-/-/3/COND/-": prediction, in_tx, abort, cycles, type, speculation. */
void branch_print_flags(const struct branch_entry *b, struct obuf *o);

#endif
