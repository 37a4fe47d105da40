/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dtpmu: PMUs that a device tree describes (the `pmus` node of the 2026 powerpc RFC): which
 * counters and registers there are, how an event code divides into fields, which events exclude
 * each other, and what the control registers hold for a group of events.
 *
 * Everything comes from the tree. What the published schema cannot say is added to the tree by
 * one table, overlay.c, in the tree's own vocabulary; the same table corrects the faults of the
 * tree that firmware is known to emit. `lint` names every row of it that was used, and
 * DTPMU_AS_PUBLISHED leaves the corrections out.
 *
 * Sources: a flattened tree (.dtb), a source file (.dts, needs the dtc program), a directory
 * (/proc/device-tree or a copy of one). All three give the same, canonically ordered, result.
 *
 * Bits count from the least significant one. PMCs count from 1. Register numbers are the tree's:
 * 0 to 3 are MMCR0 to MMCR3, 4 is MMCRA.
 *
 * A list owns everything reached from it until dtpmu_free(). It does not change after loading,
 * so threads may share it.
 *
 *	struct dtpmu_list *l;
 *	struct dtpmu_want want[] = { { .config = 0x600f4 }, { .config = 0x1e } };
 *	struct dtpmu_answer a;
 *
 *	if (dtpmu_load(&l, "power10.dtb", 0, &err))
 *		...
 *	dtpmu_check(l->pmu[0], want, 2, 0, &a);
 *	if (a.verdict != DTPMU_OK)
 *		dtpmu_explain(l->pmu[0], &a, buf, sizeof(buf));
 */
#ifndef PERF_DTPMU_H
#define PERF_DTPMU_H

#include "base/base.h"
#include "base/tables.h"
#include "box/box.h"

#define DTPMU_MMCRA	4  /* the tree's number for MMCRA */
#define DTPMU_MAX_MMCR	32 /* register numbers are below this */
#define DTPMU_MAX_PMC	64
#define DTPMU_MAX_GROUP DTPMU_MAX_PMC

enum dtpmu_isa { /* bits, so that a row of a table can name several */
		 DTPMU_ISA_OTHER = 1,
		 DTPMU_ISA_207 = 2, /* POWER8 */
		 DTPMU_ISA_300 = 4, /* POWER9 */
		 DTPMU_ISA_310 = 8, /* POWER10, POWER11 */
};

/* ---- the description ------------------------------------------------------------------------ */

enum dtpmu_need {
	DTPMU_NEED_MARKED = 1,	   /* the event is marked (sampled) */
	DTPMU_NEED_THRESH_SEL = 2, /* it selects a threshold event */
	DTPMU_NEED_BHRB = 4,	   /* it asks for the branch history buffer */
	DTPMU_NEVER = 8,	   /* not on this version of the architecture */
};

/* A set of codes: (code & mask) is one of the values. mask 0 = no such set. */
struct dtpmu_codes {
	uint64_t mask;
	const uint64_t *value;
	size_t nr;
};

/* When a field or a constraint applies to an event: all that is given must hold. */
struct dtpmu_cond {
	uint32_t number;       /* the tree's `condition` */
	unsigned needs;	       /* enum dtpmu_need */
	uint64_t units;	       /* only these units (bit = unit number); 0 = any */
	uint64_t except_units; /* not these */
	struct dtpmu_codes match, except;
};

enum dtpmu_encoding {
	DTPMU_PLAIN,
	DTPMU_EXP_MANT8, /* "exp4-mant8": exponent of 4 above bit 8, 8 bits of mantissa */
};

/* What the logic must be able to find; by the field's well-known name or its `role`. */
enum dtpmu_role {
	DTPMU_ROLE_NONE,
	DTPMU_ROLE_PMC,
	DTPMU_ROLE_UNIT,
	DTPMU_ROLE_MARK,
	DTPMU_ROLE_THRESH_SEL,
	DTPMU_ROLE_IFM,
	DTPMU_ROLE_BHRB,
	DTPMU_ROLE_EBB,
	DTPMU_NR_ROLES,
};

struct dtpmu_field {
	const char *name; /* of the node: PMCxSEL */
	const char *term; /* in event strings: pmcxsel */
	const char *desc; /* may be "" */
	enum dtpmu_role role;
	uint8_t word;	/* 0: a field of attr.config, 1: of attr.config1 */
	uint8_t lo, hi; /* its bits, inclusive */
	uint32_t length;
	bool has_length, overlay; /* overlay: shares bits with another field on purpose */
	int mmcr;		  /* register, -1 = no register */
	bool has_target, per_pmc;
	int base, stride; /* position: base, or base - pmc * stride when per_pmc */
	int target_hi;	  /* last bit of a fixed position, -1 = not given */
	struct dtpmu_cond cond;
	enum dtpmu_encoding encoding;
	uint64_t max; /* values above count as this one; 0 = no limit */
	bool has_default, zero_if_marked;
	uint64_t def; /* an event's 0 counts as this */
};

struct dtpmu_constraint {
	const char *name; /* of the node: l1-qualifier */
	struct dtpmu_cond cond;
	uint8_t word; /* value from attr.config (0) or attr.config1 (1) */
	enum dtpmu_encoding encoding;
	uint64_t event_mask, mask;
	uint32_t event_shift, shift;
	bool fixed_too;	    /* also for events on counters that are not programmable */
	uint32_t value_pmc; /* the value is "is on this PMC" instead of bits of the code; 0 = no */
	/* Where the value >> normal_shift is not 0, value & normal_mask must not be 0 either. */
	uint64_t normal_mask;
	uint32_t normal_shift;
};

struct dtpmu_setter { /* one bit of a register and when it is set */
	const char *name;
	int mmcr;
	uint32_t bit;
	uint64_t pmcs; /* set when one of these PMCs (bit = PMC) is in use */
	bool unused;   /* ... when none is */
	bool always, unless_bhrb;
};

enum dtpmu_exclude { /* flags of an event: perf_event_attr.exclude_* and branch stacks */
		     DTPMU_EXCLUDE_USER = 1,
		     DTPMU_EXCLUDE_KERNEL = 2,
		     DTPMU_EXCLUDE_HV = 4,
		     DTPMU_EXCLUDE_IDLE = 8,
		     DTPMU_BRANCH_STACK = 16,
};

struct dtpmu_freeze { /* per-PMC freeze bits: position base - (pmc - 1) * stride */
	const char *name;
	int mmcr, base, stride;
};

struct dtpmu_reserved { /* values that opening an event refuses */
	const char *name;
	uint64_t mask;
	uint32_t shift;
	const uint64_t *value;
	size_t nr;
};

struct dtpmu_codelist { /* a row of alternatives, or the codes a fixed counter takes */
	const char *name;
	uint32_t pmc; /* 0 for alternatives */
	const uint64_t *code;
	size_t nr;
};

struct dtpmu_spr {
	const char *name, *privilege, *event;
	uint32_t number; /* PMC number, or register number */
	uint32_t sprn, width;
	bool programmable;
};

struct dtpmu_event {
	const char *name, *pm_name, *category, *class, *desc; /* never NULL, may be "" */
	uint64_t config, config1;
};

enum dtpmu_level { DTPMU_NOTE, DTPMU_WARNING, DTPMU_FAULT, DTPMU_NR_LEVELS };

struct dtpmu_finding {
	enum dtpmu_level level;
	const char *node; /* path below the PMU's node, "" = the node itself */
	const char *text;
};

struct dtpmu {
	const char *name; /* in event strings: cpu_dts, cpu_dts1, ... */
	const char *path; /* in the tree: /pmus/pmu_dts@0 */
	const char *title, *version, *platform;
	enum dtpmu_isa isa;
	uint32_t nr_pmc, nr_mmcr;
	uint64_t programmable; /* bit = PMC */
	uint64_t owned[2];     /* bits of config and config1 that a field owns */
	uint64_t software;     /* bits of config that never reach the hardware as event code */
	uint64_t cache_units;  /* bit = unit */
	bool ebb_needs_pmc, bhrb_needs_ebb;
	uint64_t cache_zero; /* bits of the code that must be 0 for a cache unit */
	uint64_t nc_mask;    /* counters-in-use constraint: reported on a clash */
	uint32_t nc_shift;
	uint64_t group_mask, group_value;

	VEC(struct dtpmu_spr) pmcs;
	VEC(struct dtpmu_spr) mmcrs;
	VEC(struct dtpmu_field) fields;
	VEC(struct dtpmu_constraint) constraints;
	VEC(struct dtpmu_setter) setters;
	VEC(struct dtpmu_freeze) freezes;
	VEC(struct dtpmu_reserved) reserved;
	VEC(struct dtpmu_codelist) restricted;
	VEC(struct dtpmu_codelist) alternatives;
	VEC(struct dtpmu_event) events; /* by category, then name */
	VEC(struct dtpmu_finding) findings;
	size_t nr_findings[DTPMU_NR_LEVELS]; /* a thousand of each are kept, and one that says so */
	const struct dtpmu_field *role[DTPMU_NR_ROLES];
	struct htab event_tab; /* names and pm-names of events */
};

struct dtpmu_list {
	const char *source; /* the path it was loaded from */
	struct dtpmu **pmu;
	size_t nr;
};

enum dtpmu_load_flags {
	DTPMU_AS_PUBLISHED = 1, /* no corrections of known faults */
};

/*
 * Loads @path: .dtb, .dts or directory, told apart by what is there. Fails with -ENODEV when the
 * tree is fine but describes no PMU.
 */
int dtpmu_load(struct dtpmu_list **out, const char *path, unsigned flags, struct err *e);
/* The same for a blob in memory. */
int dtpmu_load_blob(struct dtpmu_list **out, const void *blob, size_t size, unsigned flags,
		    struct err *e);
/*
 * What the user meant: @path when not NULL, else $PERF_PMU_DT, else this machine's live tree when
 * it has such a PMU. 0 with *out NULL when there is none and none was asked for.
 */
int dtpmu_load_default(struct dtpmu_list **out, const char *path, unsigned flags, struct err *e);
void dtpmu_free(struct dtpmu_list *l);

/* The PMU of that name ("cpu_dts"); NULL = none. */
const struct dtpmu *dtpmu_find(const struct dtpmu_list *l, const char *name);
const char *dtpmu_mmcr_name(unsigned mmcr, char buf[16]); /* "MMCR0", "MMCRA" */

/* Adds what is wrong with the description to pmu->findings; for a list nobody shares yet. */
int dtpmu_lint(struct dtpmu_list *l, struct err *e);

/* ---- codes ------------------------------------------------------------------------------------ */

struct dtpmu_want {
	uint64_t config, config1;
	unsigned flags; /* enum dtpmu_exclude */
};

const struct dtpmu_event *dtpmu_event(const struct dtpmu *pmu, const char *name);
/* An event with this config and config1, for naming a code; NULL = none. */
const struct dtpmu_event *dtpmu_event_of(const struct dtpmu *pmu, uint64_t config,
					 uint64_t config1);
/* By node name or term, in any case. */
const struct dtpmu_field *dtpmu_field(const struct dtpmu *pmu, const char *name);
uint64_t dtpmu_field_get(const struct dtpmu_field *f, const struct dtpmu_want *w);
/* -EINVAL when bits are set that no field owns. */
int dtpmu_owned(const struct dtpmu *pmu, const struct dtpmu_want *w, struct err *e);

/* Terms beside the fields: event=config:0-59 and the names that sysfs uses. NULL = none left. */
struct dtpmu_term {
	const char *name;
	uint8_t word, lo, hi;
};
bool dtpmu_term(const struct dtpmu *pmu, size_t i, struct dtpmu_term *t);
/* Bits of config that fields own and that choose an event: the largest code. */
uint64_t dtpmu_code_bits(const struct dtpmu *pmu);

/*
 * One event as a user writes it: NAME, PM_NAME, 0xCODE, rHEX, or terms ("pmcxsel=0xf4,pmc=6",
 * "event=0x600f4", a NAME among them), with or without "cpu_dts/.../" around it, and with the
 * modifiers u k h I b (b = branch stack) after a colon or the last slash.
 */
int dtpmu_parse_event(const struct dtpmu *pmu, const char *text, struct dtpmu_want *w,
		      struct err *e);

/*
 * The terms of an event: "event=0x600f4", with a term of its own for what `event` does not cover
 * ("event=0x35,ebb=0x1,thresh_cmp=0x40"). Returns @buf.
 */
const char *dtpmu_terms(const struct dtpmu *pmu, const struct dtpmu_want *w, char *buf,
			size_t size);

/* ---- groups ------------------------------------------------------------------------------------ */

enum dtpmu_verdict { DTPMU_OK, DTPMU_TOO_MANY, DTPMU_INVALID, DTPMU_CONFLICT };

struct dtpmu_use {	      /* what a group test knows of one event */
	uint64_t mask, value; /* its constraint as the kernel's 64-bit words */
	bool valid;
	const char *why;		       /* when not valid */
	const struct dtpmu_reserved *reserved; /* opening it is refused because of this */
	uint64_t config;		       /* final code, after alternatives */
	uint32_t pmc;			       /* 0 when the group does not fit */
};

struct dtpmu_answer {
	enum dtpmu_verdict verdict;
	size_t nr;	   /* events asked about */
	size_t limit;	   /* counters there are */
	int invalid_at;	   /* index, -1 = none */
	int conflict_at;   /* first event that does not fit beside the earlier ones, -1 = none */
	int conflict_with; /* the earlier event it clashes with, -1 = all of them */
	uint64_t conflict_bits; /* bits of the constraint words */
	bool group_rule;	/* every event fits, but the group as a whole breaks group_mask */
	uint64_t tried;		/* events placed while alternatives were searched */
	bool gave_up;		/* that there are more of them than can be tried */
	struct dtpmu_want want[DTPMU_MAX_GROUP];
	struct dtpmu_use use[DTPMU_MAX_GROUP];
	uint64_t mmcr[DTPMU_MAX_MMCR];
};

enum dtpmu_check_flags {
	DTPMU_GUEST = 1, /* a guest's kernel: exclude_kernel is FCS, not FCH */
};

/*
 * Can these events be counted together? Always answers; @a holds verdict, PMCs, codes and
 * registers. Events past DTPMU_MAX_GROUP are not looked at (verdict: too many).
 */
void dtpmu_check(const struct dtpmu *pmu, const struct dtpmu_want *w, size_t nr, unsigned flags,
		 struct dtpmu_answer *a);
/* Constraint names in @bits, "|" between them: "PMC4|NC". Returns @buf. */
const char *dtpmu_conflict_names(const struct dtpmu *pmu, uint64_t bits, char *buf, size_t size);
/* One sentence on why a group is refused, with both events and the constraint. Returns @buf. */
const char *dtpmu_explain(const struct dtpmu *pmu, const struct dtpmu_answer *a, char *buf,
			  size_t size);

/* ---- as text or JSON, into an object that the caller has begun ------------------------------- */

struct emit;

/* Capabilities, registers, fields, constraints; with @events those, too. 0 or -ENOMEM. */
int dtpmu_print(const struct dtpmu *pmu, bool events, struct emit *e, struct err *err);
/* Findings; @notes also those that are only notes. Adds the faults to *faults. */
int dtpmu_print_findings(const struct dtpmu *pmu, bool notes, struct emit *e, size_t *faults,
			 struct err *err);
enum dtpmu_print_flags {
	DTPMU_PRINT_ZEROS = 1,	 /* fields that are 0, too */
	DTPMU_PRINT_CONFIG1 = 2, /* the second word even when it is 0 */
};

/* A code taken apart. */
int dtpmu_print_code(const struct dtpmu *pmu, const struct dtpmu_want *w, unsigned flags,
		     struct emit *e, struct err *err);
/* The words of an event from its terms. */
int dtpmu_print_event(const struct dtpmu *pmu, const char *terms, struct emit *e, struct err *err);

struct dtpmu_checks {
	const struct dtpmu *pmu;
	unsigned flags; /* enum dtpmu_check_flags */
	struct emit *out;
	uint64_t groups, refused; /* asked so far; a reserved event is a refusal, too */
};

/* One group, at length. An event that does not exist is an error. */
int dtpmu_print_check(struct dtpmu_checks *c, char **names, size_t nr, struct err *e);
/*
 * One group of many, "{a,b}" or "a b,c", inside an array: an event that does not exist is its
 * answer. @line, unless 0, says where it stands. Cuts @text into names.
 */
int dtpmu_print_group(struct dtpmu_checks *c, char *text, uint64_t line, struct err *e);
/* A group a line, "#" starts a comment; @name is said where there is none. Cuts @text. */
int dtpmu_print_groups(struct dtpmu_checks *c, char *text, const char *name, struct err *e);

/* ---- in the attendant of a box --------------------------------------------------------------- */

/* BOX_COMPILE: has dtc compile the source that the user named; then, asked with a byte, whether it did. */
struct dtpmu_compile {
	const char *path; /* NULL = none */
	pid_t pid;
};
int dtpmu_serve_compile(void *ctx, const char *q, size_t size, struct box_answer *a);

#endif
