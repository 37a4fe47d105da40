// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A branch's word of flags, taken apart and put together, and its text. The one place that knows
 * the bits: perf.data(5), BRANCH STACKS. Text is written into room that was reserved once per
 * entry, for recordings hold hundreds of millions of them.
 */
#include "branch/branch.h"

static const char *const type_names[BR_MAX] = {
	"",	  "COND",      "UNCOND",   "IND",  "CALL", "IND_CALL", "RET",	"SYSCALL",
	"SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ",  "SERROR",   "NO_TX", "",
};

static const char *const new_type_names[] = {
	"FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1", "ARCH_2", "ARCH_3", "ARCH_4", "ARCH_5",
};

static const char *const spec_names[] = {
	"-",
	"SPEC_WRONG_PATH",
	"NON_SPEC_CORRECT_PATH",
	"SPEC_CORRECT_PATH",
};

const char *branch_type_name(unsigned type, unsigned new_type)
{
	if (type == BR_EXTEND)
		return new_type < ARRAY_SIZE(new_type_names) ? new_type_names[new_type] : "";
	return type < BR_MAX ? type_names[type] : "";
}

const char *branch_spec_name(unsigned spec)
{
	return spec < ARRAY_SIZE(spec_names) ? spec_names[spec] : "-";
}

/* ---- bit-fields ------------------------------------------------------------------------------ */

/*
 * A C compiler fills bit-fields from the lowest bit on little-endian machines and from the
 * highest on big-endian ones, so a field of @width bits at little-endian position @pos lies at
 * 64 - pos - width there.
 */
static inline uint64_t field(uint64_t flags, bool big, unsigned pos, unsigned width)
{
	return flags >> (big ? 64 - pos - width : pos) & (BIT(width) - 1);
}

void branch_unpack_flags(uint64_t flags, bool big, struct branch_entry *b)
{
	b->mispred = field(flags, big, 0, 1);
	b->predicted = field(flags, big, 1, 1);
	b->in_tx = field(flags, big, 2, 1);
	b->abort = field(flags, big, 3, 1);
	b->cycles = (uint16_t)field(flags, big, 4, 16);
	b->type = (uint8_t)field(flags, big, 20, 4);
	b->spec = (uint8_t)field(flags, big, 24, 2);
	b->new_type = (uint8_t)field(flags, big, 26, 4);
	b->priv = (uint8_t)field(flags, big, 30, 3);
	b->not_taken = field(flags, big, 33, 1);
	b->reserved = (uint32_t)field(flags, big, 34, 30);
}

uint64_t branch_pack_flags(const struct branch_entry *b)
{
	return (uint64_t)b->mispred | (uint64_t)b->predicted << 1 | (uint64_t)b->in_tx << 2 |
	       (uint64_t)b->abort << 3 | (uint64_t)b->cycles << 4 | (uint64_t)(b->type & 15) << 20 |
	       (uint64_t)(b->spec & 3) << 24 | (uint64_t)(b->new_type & 15) << 26 |
	       (uint64_t)(b->priv & 7) << 30 | (uint64_t)b->not_taken << 33 |
	       (uint64_t)b->reserved << 34;
}

void branch_load(const unsigned char *p, bool swap, struct branch_entry *b)
{
	b->from = load_u64(p, swap);
	b->to = load_u64(p + 8, swap);
	branch_unpack_flags(load_u64(p + 16, swap), swap != host_is_big_endian(), b);
}

/* ---- text ------------------------------------------------------------------------------------- */

/* More than the longest entry: two addresses, cycles, the longest type and speculation names. */
#define ENTRY_ROOM 128

static inline char *put(char *p, const char *s)
{
	while (*s)
		*p++ = *s++;
	return p;
}

static inline char *put_flags(char *p, const struct branch_entry *b)
{
	*p++ = '/';
	/* Not taken and not predicted is MN, as upstream has it. */
	if (!b->mispred && !b->predicted && !b->not_taken) {
		*p++ = '-';
	} else {
		*p++ = b->predicted ? 'P' : 'M';
		if (b->not_taken)
			*p++ = 'N';
	}
	*p++ = '/';
	*p++ = b->in_tx ? 'X' : '-';
	*p++ = '/';
	*p++ = b->abort ? 'A' : '-';
	*p++ = '/';
	if (b->cycles < 10)
		*p++ = (char)('0' + b->cycles);
	else
		p += fmt_dec(p, b->cycles);
	*p++ = '/';
	p = put(p, branch_type_name(b->type, b->new_type));
	*p++ = '/';
	if (!b->spec)
		*p++ = '-';
	else
		p = put(p, branch_spec_name(b->spec));
	return p;
}

void branch_print_flags(const struct branch_entry *b, struct obuf *o)
{
	char *p = obuf_room(o, ENTRY_ROOM);

	if (p)
		o->len += (size_t)(put_flags(p, b) - p);
}
