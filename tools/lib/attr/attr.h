/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attr: struct perf_event_attr, what the kernel is asked for: as the bytes of a file of either byte
 * order and any age, as text, and what an event is called that nobody named. Const tables; no
 * state, no memory that outlives a call, any thread.
 *
 *	if (attr_load(&attr, bytes, size, swap, &err))
 *		... err says what is wrong with its size ...
 *	attr_print(&attr, &out);		"type: 0 (PERF_TYPE_HARDWARE), size: 136, ..."
 */
#ifndef PERF_ATTR_H
#define PERF_ATTR_H

#include "base/base.h"
#include "base/obuf.h"
#include "uapi/perf_event.h"

/*
 * Reads one attr of @size bytes as it lies in a file (or record). Smaller than ours: the rest is
 * zero. Larger: accepted when the unknown tail is zero, else -E2BIG. Below 64: -EINVAL. Words,
 * flag bits and the SIMD fields are put into host order.
 */
int attr_load(struct perf_event_attr *attr, const void *data, size_t size, bool swap,
	      struct err *e);
/* The flags of one byte order as those of the other: a big-endian compiler lays bit-fields out from the top of the word. */
uint64_t attr_flags_mirror(uint64_t flags);
/* The smallest published size that holds every non-zero field (64 ... 176). */
uint32_t attr_min_size(const struct perf_event_attr *attr);
/* The bytes for a file of the host's byte order: attr->size bytes of @buf are filled (max 176). */
void attr_store(const struct perf_event_attr *attr, void *buf);
/* "name: value, name: value": text-formats.adoc, "perf evlist -v". */
void attr_print(const struct perf_event_attr *attr, struct obuf *o);
/* The same with another text than ": " between name and value. */
void attr_print_fields(const struct perf_event_attr *attr, struct obuf *o, const char *sep);
/* What the event is called when nobody stored a name: "cycles", "cpu-clock", "raw 0x1c4" ... */
void attr_name(const struct perf_event_attr *attr, char *buf, size_t size);

/* Flags that do not change the meaning of a sample. */
#define ATTR_FLAGS_BESIDE                                                                    \
	(ATTR_FLAG_DISABLED | ATTR_FLAG_INHERIT | ATTR_FLAG_MMAP | ATTR_FLAG_COMM |          \
	 ATTR_FLAG_INHERIT_STAT | ATTR_FLAG_ENABLE_ON_EXEC | ATTR_FLAG_TASK |                \
	 ATTR_FLAG_WATERMARK | ATTR_FLAG_MMAP_DATA | ATTR_FLAG_MMAP2 | ATTR_FLAG_COMM_EXEC | \
	 ATTR_FLAG_USE_CLOCKID | ATTR_FLAG_CONTEXT_SWITCH | ATTR_FLAG_WRITE_BACKWARD |       \
	 ATTR_FLAG_NAMESPACES | ATTR_FLAG_KSYMBOL | ATTR_FLAG_BPF_EVENT | ATTR_FLAG_CGROUP | \
	 ATTR_FLAG_TEXT_POKE | ATTR_FLAG_BUILD_ID | ATTR_FLAG_INHERIT_THREAD |               \
	 ATTR_FLAG_REMOVE_ON_EXEC | ATTR_FLAG_DEFER_OUTPUT)
/*
 * Two recordings counted the same where all agrees that a number stands for: what is counted, when, and
 * what a sample holds. Flags that make the kernel tell of tasks and maps, or say when counting
 * begins, are beside that; so is the frequency where samples carry their periods.
 */
bool attr_counts_same(const struct perf_event_attr *a, const struct perf_event_attr *b);
/* Of the kernel, by software: its samples come as time passes, and it counts nanoseconds. */
bool attr_is_clock(const struct perf_event_attr *a);

/* "inherit", by the number of the flag bit; NULL: no flag, or not the first bit of its number. */
const char *attr_flag_name(unsigned bit);

static inline bool attr_flag(const struct perf_event_attr *attr, uint64_t flag)
{
	return attr->flags & flag;
}

static inline unsigned attr_precise(const struct perf_event_attr *attr)
{
	return (attr->flags & ATTR_FLAG_PRECISE_MASK) >> ATTR_FLAG_PRECISE_SHIFT;
}

/* ---- sample_type --------------------------------------------------------------------------------- */

/*
 * What a sample can hold, in the order of the record: the one list of PERF_SAMPLE_*. The body of
 * samples is parsed by it, struct sample gets its words from it, and evlist -v and report -D take
 * names and order from it. A HEAD is one word at the start of the record. What follows are a PART,
 * which has a layout of its own and so a function parse_NAME() in sample/sample.c, or a WORD of 64
 * bits, for which the row is all.
 *
 *	HEAD(BIT, LISTED)		PERF_SAMPLE_BIT; LISTED: its place in evlist -v, 0 = upstream
 *	PART(BIT, LISTED, NAME)		leaves it out there
 *	WORD(BIT, LISTED, NAME, DUMP)	NAME: its member; DUMP: what -D puts before it, NULL = nothing
 */
#define ATTR_SAMPLE_FIELDS(HEAD, PART, WORD)                               \
	HEAD(IDENTIFIER, 15)                                               \
	HEAD(IP, 1)                                                        \
	HEAD(TID, 2)                                                       \
	HEAD(TIME, 3)                                                      \
	HEAD(ADDR, 4)                                                      \
	HEAD(ID, 7)                                                        \
	HEAD(STREAM_ID, 10)                                                \
	HEAD(CPU, 8)                                                       \
	HEAD(PERIOD, 9)                                                    \
	PART(READ, 5, read)                                                \
	PART(CALLCHAIN, 6, callchain)                                      \
	PART(RAW, 11, raw)                                                 \
	PART(BRANCH_STACK, 12, branches)                                   \
	PART(REGS_USER, 13, user_regs)                                     \
	PART(STACK_USER, 14, stack)                                        \
	PART(WEIGHT, 18, weight)                                           \
	PART(WEIGHT_STRUCT, 24, weight_struct)                             \
	WORD(DATA_SRC, 17, data_src, " . data_src: 0x")                    \
	WORD(TRANSACTION, 0, transaction, "... transaction: ")             \
	PART(REGS_INTR, 16, intr_regs)                                     \
	WORD(PHYS_ADDR, 19, phys_addr, " .. phys_addr: 0x")                \
	WORD(CGROUP, 21, cgroup, NULL)                                     \
	WORD(DATA_PAGE_SIZE, 22, data_page_size, " .. data page size: 0x") \
	WORD(CODE_PAGE_SIZE, 23, code_page_size, " .. code page size: 0x") \
	PART(AUX, 20, aux)

/* For users of the list that want some of its rows: nothing for the others; bits with commas. */
#define ATTR_HEAD_BIT(bit, listed) PERF_SAMPLE_##bit,
#define ATTR_NO_HEAD(bit, listed)
#define ATTR_NO_PART(bit, listed, name)
#define ATTR_NO_WORD(bit, listed, name, dump)

/* "CODE_PAGE_SIZE" for one bit of sample_type; NULL for a bit that is not known. */
const char *attr_sample_name(uint64_t bit);

/* ---- where words stand --------------------------------------------------------------------------- */

/* Bytes from the start of a sample's body, behind its header, to the head @bit. */
unsigned attr_head_offset(uint64_t sample_type, uint64_t bit);

/* What other records of the kernel end with under sample_id_all. */
struct attr_trailer {
	uint32_t pid, tid, cpu;
	uint64_t time, id;
};

#define ATTR_TRAILER_MAX 6 /* words */

/* Bytes from the start of the trailer to @bit. */
unsigned attr_trailer_offset(uint64_t sample_type, uint64_t bit);
/* Bytes of the whole trailer: 0 without sample_id_all. */
size_t attr_trailer_size(const struct perf_event_attr *attr);
/* Writes it as this machine's kernel would; returns its size, 8 * ATTR_TRAILER_MAX at most. */
size_t attr_trailer_put(const struct perf_event_attr *attr, const struct attr_trailer *v,
			void *buf);

#endif
