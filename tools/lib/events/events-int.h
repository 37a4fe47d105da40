/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of room events share among themselves. */
#ifndef PERF_EVENTS_EVENTS_INT_H
#define PERF_EVENTS_EVENTS_INT_H

#include "base/tables.h"
#include "base/nearest.h"
#include "events/events.h"

struct pmus {
	struct pmu **v;
	size_t n, cap;
	const char *root; /* .../bus/event_source/devices */
	bool dt_tried;
	struct log_sink log;
	struct dtpmu_list *dt; /* what device-tree PMUs point into; NULL = none */
	struct arena arena;
};

/* Names in a directory, sorted, without those that begin with a dot. */
struct names {
	char **v;
	size_t n, cap;
};

int dirlist_read(struct names *names, const char *path); /* -errno of opendir, -ENOMEM */
void dirlist_free(struct names *names);

int pmu_add_sysfs(struct pmus *t, const char *name, struct err *e);
/* Takes event @at out; a group goes on with its next member. */
void event_take_out(struct event_list *l, size_t at);

/* ---- names.c: events that every kernel knows by number ------------------------------------- */

struct event_symbol {
	const char *name, *alias;
	uint64_t config;
};

extern const struct event_symbol event_hardware[];
extern const size_t event_nr_hardware;
extern const struct event_symbol event_software[];
extern const size_t event_nr_software;

/* Index of the symbol called @name (alias too); -1 = none. */
int event_symbol_find(const struct event_symbol *v, size_t nr, const char *name);
/* "L1-dcache-load-misses" in any of its spellings; false when it is none. */
bool event_cache_parse(const char *name, uint64_t *config);
/* The canonical name of a combination; false when the kernel has no such counter. */
bool event_cache_name(unsigned id, unsigned op, unsigned result, char *buf, size_t size);

/* ---- the parser -------------------------------------------------------------------------------- */

struct parse {
	struct event_list *l;
	struct pmus *t;
	const char *text; /* the whole argument */
	const char *p;	  /* where we are */
	struct err *e;
};

/* "event syntax error: 'TEXT'" and a caret under @at. Returns @code. */
int parse_error(struct parse *ps, int code, const char *at, const char *fmt, ...)
	__printf_fmt(4, 5);
char *parse_strndup(struct parse *ps, const char *s, size_t n); /* NULL: error is set */
/* A new event at the end of the list, its own leader; NULL: error is set. */
struct event *parse_new_event(struct parse *ps, const char *name, size_t len);
int parse_no_memory(struct parse *ps);
/* nearest_offer() of a name that does not live long. */
void parse_offer(struct parse *ps, struct nearest *near, const char *name);

/* ps->p stands behind '/'; parses up to and over the closing '/' into @terms. */
struct term {
	const char *name, *value;  /* value NULL: none given */
	const char *at, *value_at; /* in the argument, for carets */
};

struct terms {
	struct term *v;
	size_t n, cap;
};

int parse_terms(struct parse *ps, struct terms *terms);
/* Terms onto an event of @pmu (NULL: a symbol such as cycles). */
int parse_apply_terms(struct parse *ps, struct event *ev, const struct pmu *pmu,
		      const struct terms *terms);
/* "/TERMS/MODIFIERS" at ps->p onto events [first, end), which need no PMU. */
int parse_terms_behind(struct parse *ps, size_t first);
/* The letters behind ':' (or a closing '/') at ps->p onto events [first, end). */
int parse_modifiers(struct parse *ps, size_t first, bool group);
bool parse_is_modifiers(const char *s, size_t n);

int parse_tracepoint(struct parse *ps, const char *sys, size_t nsys, const char *name,
		     size_t nname);
int parse_breakpoint(struct parse *ps);
/* A word that is an event by itself: hardware, software, cache, raw, sysfs. -ENOENT = none. */
int parse_symbol(struct parse *ps, const char *word, size_t len);
int parse_pmu_event(struct parse *ps, const char *pmu, size_t len);

/* ---- fallback.c --------------------------------------------------------------------------- */

/* -F max of a configured event that is a clock: what a program still runs beside. */
void event_cap_clock(struct event *ev, const struct log_sink *log);

/* ---- cgroup.c ----------------------------------------------------------------------------- */

void events_close_cgroups(struct event_list *l);

/* ---- open.c: one call, no ladder ---------------------------------------------------------- */

int event_opener_open(const struct event_opener *o, struct perf_event_attr *attr, pid_t pid,
		      int cpu, int group_fd);

/* ---- refuse.c: which field the kernel refuses --------------------------------------------- */

enum field {
	FIELD_EVENT, /* type and config: the event itself */
	FIELD_PRIVILEGE,
	FIELD_GUEST,
	FIELD_PRECISE,
	FIELD_PERIOD,
	FIELD_READ_FORMAT,
	FIELD_SAMPLE,
	FIELD_CALLCHAIN,
	FIELD_RAW,
	FIELD_BRANCH,
	FIELD_REGS_USER,
	FIELD_REGS_INTR,
	FIELD_SIMD,
	FIELD_STACK,
	FIELD_CLOCK,
	FIELD_INHERIT,
	FIELD_RECORDS,
	FIELD_OTHER,
	FIELD_GROUP, /* every field is taken alone: the group or the target is refused */
};

struct refusal {
	const struct event *ev;
	const struct perf_event_attr *attr;
	pid_t pid;
	int cpu, code;
	enum field field;
	char name[64];	      /* of the field, as perf_event_open(2) calls it */
	int field_code;	      /* with what the field was refused */
	uint32_t kernel_size; /* E2BIG: the attr size that the kernel knows; else 0 */
	bool user_works;      /* refused for permission: a process of one's own opens, user only */
	bool branches_work;   /* FIELD_BRANCH: the filters any,u open with this event */
	bool precise_refused; /* branches, registers: what was asked for opens without precise_ip */
	bool precise_missing; /* registers: and this opens with it */
	uint64_t bad_filters; /* FIELD_BRANCH: those that alone do not open */
	const struct open_context *ctx;
};

void explain_refusal(struct refusal *r, struct event_opener *o);

#endif
