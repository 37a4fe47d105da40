/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * script: samples and other records of a file as lines of text, the way `perf script` prints
 * them. Which fields an event prints is worked out once (script_fields_apply()); a sample then
 * runs through a short list of functions that write straight into the output buffer. Text that
 * repeats (thread columns, event names, "sym+0xoff (dso)" of a location) is made once and kept,
 * bounded by what is distinct.
 *
 *	script_fields_init(&f);
 *	script_fields_parse(&f, "ip,brstack", &err);		for every -F
 *	script_new(&sc, session, &opts, &f, &out, &err);	after session_start()
 *	session_read(session, &script_consumer, sc, &err);
 *	script_free(sc);
 *
 * The text is upstream's of 7.x; its grammar as clients read it: perf-script(1). One thread per struct script.
 */
#ifndef PERF_SCRIPT_H
#define PERF_SCRIPT_H

#include "emit/emit.h"
#include "session/session.h"

/* ---- fields ------------------------------------------------------------------------------------- */

/* Classes of events that -F CLASS:LIST tells apart; the attr type, but for the last two. */
enum script_class {
	SC_HARDWARE,
	SC_SOFTWARE,
	SC_TRACEPOINT,
	SC_HW_CACHE,
	SC_RAW,
	SC_BREAKPOINT,
	SC_OTHER, /* dynamic PMUs */
	SC_SYNTH,
	SC_MAX,
};

struct script_fields {
	struct {
		uint64_t fields;     /* BIT() of a field's number */
		uint64_t user_set;   /* asked for by name: an error when the data lacks it */
		uint64_t user_unset; /* taken away with -NAME */
		bool user;	     /* the class was changed at all ... */
		bool wildcard;	     /* ... by a list without a class */
	} cls[SC_MAX];
	struct log_sink log; /* which words of a list do nothing */
};

/* The defaults of every class, and no log. */
void script_fields_init(struct script_fields *f);
/* One argument of -F: "ip,sym", "+srcline,-dso", "trace:comm,event". */
int script_fields_parse(struct script_fields *f, const char *arg, struct err *e);
/* By number, in the order of printing; NULL behind the last. */
const char *script_field_name(size_t i);
enum script_class script_class_of(const struct perf_event_attr *attr);

/* ---- printing ------------------------------------------------------------------------------------ */

/* Records other than samples that are shown. */
enum script_show {
	SHOW_TASK = 1,
	SHOW_MMAP = 2,
	SHOW_SWITCH = 4,
	SHOW_NAMESPACES = 8,
	SHOW_LOST = 16,
	SHOW_ROUND = 32,
	SHOW_BPF = 64,
	SHOW_CGROUP = 128,
	SHOW_TEXT_POKE = 256,
};

/* What lies at an address: of the session's machine. */
struct script_spot {
	const struct dso *dso; /* NULL = in no map, and the address is that of memory */
	const struct symbol *sym;
	uint64_t addr;
};

/* A branch of a sample's stack, and the one before it. */
struct script_branch {
	struct script_spot from, to, before_from, before_to;
	bool has_before; /* that is not the oldest */
	uint32_t cycles; /* since the one before; 0 = not known */
};

/*
 * What somebody else knows of samples and of their branches: members of their objects. begin() makes what one struct
 * script, of one thread, hands to the others; NULL: no memory. sample and branch may be NULL.
 */
struct script_beside {
	void *(*begin)(void *ctx);
	void (*sample)(void *own, const struct script_spot *at, struct emit *e);
	void (*branch)(void *own, const struct script_branch *b, struct emit *e);
	void (*end)(void *own); /* NULL is fine */
};

struct script_opts {
	unsigned show;	      /* enum script_show */
	bool show_by_cpu;     /* of these only those of the session's CPUs and time */
	bool hide_call_graph; /* -G: the sampled address only */
	bool no_inline;
	bool ns; /* time with 9 digits */
	bool reltime, deltatime;
	bool verbose;
	uint32_t max_blocks; /* brstackinsn: 0 = no limit */
	bool redact;	     /* register values are not shown */
	bool json;	     /* an object per sample and line; nothing but samples */
	enum regs_lane lane; /* simd: what the lanes hold */
	bool lane_auto;	     /* or: what the code at the sampled address takes them for */
	const char *regs;    /* simd: which registers; NULL = all vectors and predicates */
	const char *stop_bt; /* callchains end with the first of these functions; comma-separated */
	bool latency;	     /* -L: narrow names, CPUs without brackets */
	/*
	 * Where a sample of @event goes, asked for each that is printed; NULL when nowhere, with @e.
	 * Not given: all go where everything else does.
	 */
	struct obuf *(*out)(void *ctx, const struct perfdata_event *event, struct err *e);
	void *out_ctx;
	const struct script_beside *beside; /* with json; NULL = nothing */
	void *beside_ctx;
	bool *misused; /* set where regs names none that there are, whatever was recorded; NULL = not asked */
	struct log_sink log; /* what is not shown, and why */
};

struct script;

/* @s and @o outlive it. */
int script_new(struct script **sc, struct session *s, const struct script_opts *opts,
	       const struct script_fields *f, struct obuf *o, struct err *e);
void script_free(struct script *sc);

/* Prints what session_read() hands it, and stops once @o cannot be written; ctx: struct script. */
extern const struct session_consumer script_consumer;
/*
 * Whether the samples of a piece of the recording are printed the same without those before: then several
 * struct script, of the members of a session's team, can print pieces side by side.
 */
bool script_in_pieces(struct script *sc);
/* Where from now on everything is printed. */
void script_print_to(struct script *sc, struct obuf *o);
/* Whether names of functions were printed, or would have been. */
bool script_has_names(const struct script *sc);

/* ---- a file for each event ---------------------------------------------------------------------- */

struct script_dumps;

/* For the events of @pd, which was opened as @input; both stay the caller's. NULL: no memory. */
struct script_dumps *script_dumps_new(const struct perfdata *pd, const char *input);
/*
 * Creates the files of all events there are. Files of an earlier run give way, links and what else
 * is no plain file do not. Events with one name share a file.
 */
int script_dumps_open(struct script_dumps *d, struct err *e);
/* script_opts.out. @d: struct script_dumps. NULL: no such file, with @e. */
struct obuf *script_dumps_out(void *d, const struct perfdata_event *event, struct err *e);
/* Ends and frees; tells @o of each file, unless that is NULL. 0 or the first error. */
int script_dumps_close(struct script_dumps *d, struct obuf *o, struct err *e);

#endif
