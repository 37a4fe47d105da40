/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample: one PERF_RECORD_SAMPLE in, one struct sample out, without copying: arrays stay in the
 * record and are read through the accessors, which swap where a value is read.
 *
 *	struct sample s;
 *
 *	if (sample_parse(&rec, &s, &err))
 *		... err says field, offset and why ...
 *	for (uint64_t i = 0; i < s.callchain.nr; i++)
 *		use(u64s_get(&s.callchain, i));
 *
 * A sample is valid as long as its record. Every count is checked against the record's end
 * before it is believed. Layout: perf.data(5), SAMPLES.
 */
#ifndef PERF_SAMPLE_H
#define PERF_SAMPLE_H

#include "branch/branch.h"
#include "emit/emit.h"
#include "perfdata/perfdata.h"
#include "regs/regs.h"

/* An array of u64 inside a record, possibly unaligned and of the other byte order. */
struct u64s {
	const unsigned char *p;
	uint64_t nr;
	bool swap;
};

static inline uint64_t u64s_get(const struct u64s *a, uint64_t i)
{
	return load_u64(a->p + i * 8, a->swap);
}

/* ---- call chains ----------------------------------------------------------------------------- */

/*
 * A chain holds addresses, innermost first, and markers between them: numbers from PERF_CONTEXT_MAX
 * on, which say in what mode the following addresses ran. This is the one way to read it:
 *
 *	struct sample_frames it = sample_frames(&s.callchain);
 *
 *	while ((ret = sample_frames_next(&it, &ip)) > 0)
 *		... ip ran in it.mode ...
 *	if (ret < 0)
 *		... a marker that nobody knows: the whole chain is void, as upstream has it ...
 *
 * What stands before any marker has PERF_RECORD_MISC_CPUMODE_UNKNOWN. A chain ends where the rest
 * was to come later and did not (see session.h).
 */
struct sample_frames {
	const struct u64s *chain;
	uint64_t at;
	uint8_t mode; /* PERF_RECORD_MISC_* */
};

static inline struct sample_frames sample_frames(const struct u64s *chain)
{
	return (struct sample_frames){ chain, 0, PERF_RECORD_MISC_CPUMODE_UNKNOWN };
}

/* The mode that marker @ip begins; -1 where nobody knows it. */
int sample_marker_mode(uint64_t ip);
/* "PERF_CONTEXT_USER"; NULL where nobody knows it. */
const char *sample_marker_name(uint64_t ip);
/* The marker of @mode: that of user space where there is none. */
uint64_t sample_mode_marker(uint8_t mode);

static inline int sample_frames_next(struct sample_frames *it, uint64_t *ip)
{
	while (it->at < it->chain->nr) {
		int mode;

		*ip = u64s_get(it->chain, it->at++);
		if (likely(*ip < PERF_CONTEXT_MAX))
			return 1;
		/* A cookie follows, which is no address. */
		if (*ip == PERF_CONTEXT_USER_DEFERRED)
			return 0;
		mode = sample_marker_mode(*ip);
		if (mode < 0)
			return -1;
		it->mode = (uint8_t)mode;
	}
	return 0;
}

/* ---- a sample -------------------------------------------------------------------------------- */

/* A block of registers (REGS_USER, REGS_INTR). */
struct sample_regs {
	uint64_t abi;	 /* PERF_SAMPLE_REGS_ABI_*; 0 = no registers in this sample */
	bool simd;	 /* mask bits have their SIMD ABI meaning: see regs_name() */
	uint64_t mask;	 /* from the attr; bit n = register n of the file's architecture */
	struct u64s gpr; /* one value per set bit, ascending */
	const unsigned char *bases; /* of FS and GS, through sample_base(); NULL = none */
	const unsigned char *mxcsr; /* through sample_mxcsr(); NULL = none */
	/* The SIMD block (abi & SIMD), else all 0. Vectors are the set bits of vec_mask, ascending. */
	uint32_t nr_vectors, vector_qwords, nr_pred, pred_qwords;
	uint64_t vec_mask, pred_mask;
	struct u64s vec;  /* nr_vectors * vector_qwords, lowest qword first */
	struct u64s pred; /* nr_pred * pred_qwords */
};

struct sample_branches {
	uint64_t nr;
	uint64_t hw_idx; /* ~0 = unknown or absent */
	bool has_hw_idx;
	bool swap;
	const unsigned char *entries; /* nr x 24 bytes, newest first */
	struct u64s counters;	      /* nr words, or nr == 0 when not recorded */
};

/* PERF_SAMPLE_READ: counter values; through sample_read_value(). */
struct sample_read {
	uint64_t nr; /* values; 1 without PERF_FORMAT_GROUP, 0 when not recorded */
	uint64_t time_enabled, time_running;
	bool group, has_id, has_lost;
	uint32_t stride, id_at; /* words from value to value, from a value to its id */
	struct u64s words;
};

struct sample_value {
	uint64_t value, id, lost; /* id ~0 and lost 0 when not recorded */
};

#define SAMPLE_WORD_MEMBER(bit, listed, name, dump) uint64_t name;

struct sample {
	uint64_t present; /* PERF_SAMPLE_*: the fields below that were recorded and read */
	const struct perfdata_event *event;
	const struct perfdata_event *taker; /* a group's part: sample_taker(); else NULL */
	uint8_t cpumode;		    /* PERF_RECORD_MISC_CPUMODE_* */
	uint16_t misc;
	/* Absent: time, id, stream_id, pid, tid and cpu are ~0, period is the attr's, others 0. */
	uint64_t ip, time, addr, id, stream_id, period;
	uint32_t pid, tid, cpu;
	struct sample_read read;
	struct u64s callchain;
	const unsigned char *raw;
	uint32_t raw_size;
	struct sample_branches branches;
	struct sample_regs user_regs, intr_regs;
	const unsigned char *stack; /* set even when there are none */
	uint64_t stack_size;	    /* bytes that are valid (dyn_size); see sample_stack_at() */
	struct record_gap *gap;	    /* in the stack; NULL: none */
	uint64_t weight;	    /* whole word; weight_struct splits it */
	uint32_t weight_var1;
	uint16_t weight_var2, weight_var3;
	/* The words: data_src, phys_addr, code_page_size ...: see the list in attr.h. */
	ATTR_SAMPLE_FIELDS(ATTR_NO_HEAD, ATTR_NO_PART, SAMPLE_WORD_MEMBER)
	const unsigned char *aux;
	uint64_t aux_size;
	bool swap;
};

/* rec->type must be PERF_RECORD_SAMPLE and rec->event set. */
int sample_parse(const struct record *rec, struct sample *s, struct err *e);
/*
 * Only the fields in @need (PERF_SAMPLE_*) and what comes before them: stops after the last one
 * wanted. What lies behind is neither read nor checked.
 */
int sample_parse_some(const struct record *rec, uint64_t need, struct sample *s, struct err *e);

/*
 * Samples one after the other. Where each has registers alone, as many and as wide as the one before, what that one was found to be
 * holds for it, at other bytes; then there is little to do. All zeros at first.
 */
struct sample_series {
	struct sample s;		    /* the last one */
	const struct perfdata_event *event; /* its own; NULL: it tells nothing of the next */
	uint64_t need;			    /* what of it was wanted */
	uint32_t size;			    /* of its record */
	uint32_t gpr, vec, pred;	    /* where these begin in it */
};

/* As sample_parse_some(), into n->s. */
int sample_parse_next(struct sample_series *n, const struct record *rec, uint64_t need,
		      struct err *e);

/* Entry @i < b->nr, flags moved out of their bit-fields for either byte order. */
static inline void sample_branch(const struct sample_branches *b, uint64_t i,
				 struct branch_entry *out)
{
	branch_load(b->entries + i * BRANCH_ENTRY_SIZE, b->swap, out);
}

static inline uint64_t sample_branch_from(const struct sample_branches *b, uint64_t i)
{
	return load_u64(b->entries + i * 24, b->swap);
}

static inline uint64_t sample_branch_to(const struct sample_branches *b, uint64_t i)
{
	return load_u64(b->entries + i * 24 + 8, b->swap);
}

/*
 * The event that took the sample that @s is, or is a part of. It alone says what its branches are: the other events of a group
 * may have asked for none.
 */
static inline const struct perfdata_event *sample_taker(const struct sample *s)
{
	return s->taker ?: s->event;
}

/* branch_sample_type, by which the branches of @s are to be read. Without an event, they are all there were. */
static inline uint64_t sample_branch_filter(const struct sample *s)
{
	const struct perfdata_event *taker = sample_taker(s);

	return taker ? taker->attr.branch_sample_type : PERF_SAMPLE_BRANCH_ANY;
}

/* Value @i < r->nr. */
void sample_read_value(const struct sample_read *r, uint64_t i, struct sample_value *out);

/*
 * @n bytes of the stack, from the byte @at on; NULL: so many were not copied. Somebody else may change them: load each once.
 */
static inline const unsigned char *sample_stack_at(const struct sample *s, uint64_t at, unsigned n)
{
	if (at >= s->stack_size || s->stack_size - at < n)
		return NULL;
	return (s->gap ? s->gap->there + (s->stack - s->gap->data) : s->stack) + at;
}

/* The value of GPR @reg (bit number); false when the sample does not hold it. */
bool sample_reg(const struct sample_regs *r, unsigned reg, uint64_t *value);

const struct sample_regs *sample_legacy_vectors(const struct sample_regs *r, enum regs_arch arch,
						struct sample_regs *tmp);
/*
 * The same registers with vectors where they belong: under the legacy ABI of x86 the halves of XMM
 * registers are among the general ones. Gives @r, or @tmp filled.
 */
static inline const struct sample_regs *sample_vectors(const struct sample_regs *r,
						       enum regs_arch arch, struct sample_regs *tmp)
{
	return likely(r->simd) ? r : sample_legacy_vectors(r, arch, tmp);
}

/* ---- how much of the vectors is in use: live.c ---- */

enum simd_width { SIMD_NONE, SIMD_128, SIMD_256, SIMD_512, SIMD_WIDTHS };

/*
 * The register block with SIMD state: the interrupted state first; NULL = none. A block that was
 * asked for and holds none of them says that all were in their initial state. @tmp: where it is
 * put together when XMM registers are among the general ones.
 */
const struct sample_regs *sample_any_simd_block(const struct sample *s, enum regs_arch arch,
						struct sample_regs *tmp);
static inline const struct sample_regs *
sample_simd_block(const struct sample *s, enum regs_arch arch, struct sample_regs *tmp)
{
	const struct sample_regs *r = &s->intr_regs;

	/* With vectors of its own there is nothing to ask. */
	return likely(r->abi && r->simd && s->event->attr.sample_simd_regs_enabled &&
		      s->event->attr.sample_simd_vec_reg_intr)
		       ? r
		       : sample_any_simd_block(s, arch, tmp);
}
bool sample_simd_is_intr(const struct sample *s, enum regs_arch arch);
/* enum simd_width of registers 0-15 and, in *high unless that is NULL, of 16-31; -1: the sample does not say. */
int sample_simd_live(const struct sample *s, const struct sample_regs *r, int *high);
/* Vectors that were asked for; a block without vectors has none of its own. */
uint64_t sample_simd_vectors(const struct sample *s, const struct sample_regs *r);
/* Qwords of the widest vector that is not zero up there: 0, 2, 4, 8. Vectors @from to before @to. */
unsigned sample_live_qwords(const struct sample_regs *r, uint64_t from, uint64_t to);
/* Mask register @reg of the block; false when it was not recorded. */
bool sample_mask_value(const struct sample_regs *r, unsigned reg, uint64_t *k);

/* Base @i < REGS_NR_BASES; false when the sample does not hold it. */
static inline bool sample_base(const struct sample_regs *r, unsigned i, uint64_t *value)
{
	if (r->bases)
		*value = load_u64(r->bases + 8 * i, r->gpr.swap);
	return r->bases;
}

/* MXCSR; false when the sample does not hold it. *@flags: whether the exception flags in it are of the sample. */
static inline bool sample_mxcsr(const struct sample_regs *r, uint32_t *value, bool *flags)
{
	uint32_t known = r->mxcsr ? load_u32(r->mxcsr + 4, r->gpr.swap) : 0;

	*value = known & RAW_MXCSR_KNOWN ? load_u32(r->mxcsr, r->gpr.swap) : 0;
	*flags = known & RAW_MXCSR_FLAGS;
	return known & RAW_MXCSR_KNOWN;
}

/*
 * script's iregs and uregs: " ABI:2    AX:0x2dfdd6b8fc    BX:0x11618 ", "FSBASE:0x7f1c GSBASE:0x0 "
 * and "MXCSR:0x1f80 " where they were recorded, and from the SIMD block "  ZMM[0][0]:0x1 ", "OPMASK[0]:0x1 ". With
 * @hide (--redact) values are "-". @arch: the file's.
 */
void sample_print_regs(const struct sample_regs *r, enum regs_arch arch, bool hide, struct obuf *o);

/* What the events of a recording have of registers, together. */
struct sample_recorded {
	uint64_t gpr, vec, pred; /* bit n = register n of its kind */
	unsigned vec_qwords;	 /* the widest */
};

void sample_recorded(const struct perfdata *pd, enum regs_arch arch, struct sample_recorded *r);
/* Vectors or masks, in at least one event. */
bool sample_has_vectors(const struct perfdata *pd, enum regs_arch arch);
/*
 * -EINVAL, with what there is, when no event of @pd has any of the registers of a kind that @p names; 0
 * also where events are not known yet. @name: what the user called them.
 */
int sample_check_pick(const struct perfdata *pd, const struct regs_pick *p, const char *name,
		      enum regs_arch arch, struct err *e);

/* ---- counter values as periods ------------------------------------------------------------------ */

/*
 * Samples with PERF_SAMPLE_READ say how far counters have run; what a sample stands for is the
 * difference to the sample before with the same id (and thread, when counters are inherited).
 * A group's sample stands for one sample of every member that moved:
 *
 *	for (uint64_t i = 0; i < sample_nr_parts(&s); i++)
 *		if (sample_part(&totals, pd, &s, i, &part))
 *			use(&part);		its event, id and period are the member's
 *
 * Samples without READ are their own only part.
 */
struct sample_total {
	uint64_t id, total;
	const struct perfdata_event *event;
	uint32_t tid;
	uint32_t same; /* index of the entry that counts for this one */
};

struct sample_totals {
	VEC(struct sample_total) v;
	struct htab tab;   /* by id and thread */
	struct htab first; /* by id, of events that threads do not inherit: what stands for all */
};

static inline uint64_t sample_nr_parts(const struct sample *s)
{
	return s->present & PERF_SAMPLE_READ ? s->read.nr : 1;
}

/* False when the part counts nothing: no progress, or an id that the file does not know. */
bool sample_part(struct sample_totals *t, const struct perfdata *pd, const struct sample *s,
		 uint64_t i, struct sample *part);
void sample_totals_free(struct sample_totals *t);

struct sample_simd_opts {
	enum regs_lane lane;
	const uint8_t *lanes;  /* by vector, in place of it, and said; NULL = one for all */
	struct regs_pick pick; /* which registers; all 0 = every vector and predicate */
	bool hide;
};

/*
 * For people: a line per register, "\n\tintr ZMM3     1 2.5 0 0 ...", neighbours in their initial
 * state (all zero) on one. @side: "intr" or "user". Nothing when the sample has no registers.
 */
void sample_print_simd(const struct sample_regs *r, enum regs_arch arch, const char *side,
		       const struct sample_simd_opts *opts, struct obuf *o);

/* As JSON: "iregs":{"abi":2,"AX":"0x1"}; @hide: null instead of values. */
void sample_emit_regs(const struct sample_regs *r, enum regs_arch arch, const char *name, bool hide,
		      struct emit *e);
/*
 * "intr":{"zmm":{"3":[1,2.5,0,"nan"]},"zmm_initial":[0,1,2],"k":{"1":"0xff"},"k_initial":[0]}:
 * lanes from lane 0 up; what is no JSON number is a string.
 */
void sample_emit_simd(const struct sample_regs *r, enum regs_arch arch, const char *side,
		      const struct sample_simd_opts *opts, struct emit *e);

/* ---- data_src -------------------------------------------------------------------------------- */

/* What the fields of sample.data_src say, in upstream's words: "LOAD", "L1 hit", "HitM" ... */
void data_src_op(struct obuf *o, uint64_t v);
void data_src_level(struct obuf *o, uint64_t v);
void data_src_snoop(struct obuf *o, uint64_t v);
void data_src_tlb(struct obuf *o, uint64_t v);
void data_src_locked(struct obuf *o, uint64_t v);
void data_src_blocked(struct obuf *o, uint64_t v); /* a blank in front of every word */

/* transaction: "TX SYNC CAP-WRITE :1f", each bit with a blank behind it; nothing for 0. */
void sample_transaction(struct obuf *o, uint64_t v);

#endif
