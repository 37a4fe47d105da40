/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the script room share. */
#ifndef PERF_SCRIPT_INT_H
#define PERF_SCRIPT_INT_H

#include "emit/emit.h"
#include "put-int.h"
#include "regs/regs.h"
#include "keys/keys.h"
#include "script/script.h"

/* In the order of printing. */
enum script_field {
#define FIELD(id, ...)		    SF_##id,
#define WORD(id, member, form, ...) SF_##id,
#include "fields.def"
#undef FIELD
#undef WORD
	SF_MAX,
};

struct ctx;
typedef void (*print_fn)(struct script *sc, const struct ctx *c);
typedef void (*json_fn)(struct script *sc, const struct ctx *c, struct emit *e);

/* A row of fields.def. Fields next to each other may share a function, which is called once. */
struct field_row {
	const char *name;
	print_fn print;	 /* the text */
	json_fn json;	 /* NULL: --json has no form for it */
	uint64_t within; /* without @print: printed inside of these fields' text */
	bool silent; /* without @print: a name of upstream's that has no text in files read here */
	uint64_t need; /* PERF_SAMPLE_*: what of a sample is decoded for it */
	bool thread;   /* and whether the thread is looked up */
	/*
	 * Samples without any of @need: an error that calls it @what if the user asked for the
	 * field, else it is dropped. NULL: whatever is there is printed. Events are held against
	 * the fields in the order of @asked, from 1 on, which decides what the error is about.
	 */
	const char *what;
	uint8_t asked;
	const char *hint; /* how to record it */
	bool aux_may;	  /* no error in a file with an AUX trace, whose decoder would add it */
	bool if_recorded; /* no empty text where the event's samples lack it */
	bool (*when)(const struct perf_event_attr *attr); /* other events: nothing is printed */
	uint8_t defaults, invalid;			  /* BIT(enum script_class) */
};

extern const struct field_row script_field_rows[SF_MAX];

struct class_row {
	const char *prefix; /* in -F; NULL = cannot be named */
	const char *title;  /* in messages */
};

extern const struct class_row script_class_rows[SC_MAX];

/* Which parts of a location are printed after its address. */
#define FORM_FIELDS \
	(BIT(SF_IP) | BIT(SF_SYM) | BIT(SF_SYMOFF) | BIT(SF_DSO) | BIT(SF_DSOFF) | BIT(SF_SRCLINE))

/* A string made once; readable TEXT_STEP bytes beyond its end. */
struct script_text {
	char *s; /* NULL = not made yet */
	uint32_t len;
};

#define TEXT_STEP 32

struct texts {
	struct script_text *v;
	size_t n, cap;
};

struct frame_texts;

/* How a location is printed. */
struct form {
	uint64_t fields; /* of FORM_FIELDS */
	bool inlines;
	struct frame_texts *frames; /* of callchains; NULL = none printed yet */
};

/* What lies at an address. */
struct script_place {
	uint64_t ip, addr; /* addr: inside the object */
	struct dso *dso;   /* NULL = in no map */
	const struct symbol *sym;
	uint32_t space, gen;
	uint8_t mode;
	bool valid;
};

#define PLACE_BITS 9

/* How the samples of one event are printed. */
struct ev {
	bool ready;
	bool chain;	 /* its samples print callchains */
	bool columns;	 /* comm is padded to its column */
	uint64_t fields; /* BIT(enum script_field) */
	uint64_t need;	 /* PERF_SAMPLE_*: how far a sample is decoded */
	bool need_thread;
	char *name; /* "  cycles: " */
	uint32_t name_len;
	struct form *form, *chain_form;
	print_fn prog[SF_MAX];
	int n;
	json_fn json[SF_MAX + 1];
	int nr_json;
};

/* "comm  pid/tid " of a thread. */
struct thread_text {
	char *s;
	uint32_t len, cap;
	uint32_t comm;
	uint32_t pid, tid;
	const struct ev *ev;
};

/* What follows the addresses of a branch, by its flag word; a cache line. */
struct tail_slot {
	_Alignas(64) uint64_t flags;
	uint8_t len; /* 0 = empty */
	char text[55];
};

#define TAIL_BITS_MIN 6
#define TAIL_BITS_MAX 12

struct branch_texts;

struct insn_walk;
struct sources_shown;

struct script {
	struct session *session;
	struct session_env env; /* its own */
	struct script_opts opts;
	struct script_fields fields;
	struct obuf *o;
	VEC(struct ev *) ev;		/* by event->idx */
	struct form *forms[2 * SC_MAX]; /* of each class with inlined frames, and without */
	size_t nr_forms;
	VEC(struct thread_text) threads; /* by thread->idx */
	struct arena arena;
	VEC(const char *) stops; /* --stop-bt; of the arena */
	enum regs_arch arch;
	struct sample_simd_opts simd;
	struct simd_sites *sites; /* lane_auto; NULL = not needed yet */
	struct keys_marks *marks; /* likewise, of field marks */
	void *mark;		  /* a slot of these */
	void *beside;		  /* what opts.beside has made */
	uint64_t sec;		  /* second that sec_text shows */
	char sec_text[24];
	uint8_t sec_len;
	uint64_t first_time, last_time; /* --reltime, --deltatime */
	bool have_first, have_last;
	bool checked;	    /* the options were held against the events */
	struct err refused; /* what did not fit there */
	bool use_callchain;
	uint32_t name_width;
	int64_t tod_offset; /* wall clock - file clock, ns */
	bool have_tod;
	struct script_place *places;	 /* 1 << PLACE_BITS, direct-mapped */
	struct texts syms, dsos, others; /* by symbol->idx, dso->idx */
	struct tail_slot *tails;	 /* 1 << tail_bits, direct-mapped */
	unsigned tail_bits;
	uint32_t tails_made;		   /* in a table of this size */
	struct branch_texts *branch_texts; /* NULL = none printed yet */
	struct trace_printer *trace;
	struct insn_walk *insn;
	struct sources_shown *sources; /* NULL = none printed yet */
	int data_src_width;
};

/* What the print functions of one sample need. */
struct ctx {
	const struct record *rec;
	const struct sample *s;
	struct thread *th;
	const struct ev *ev;
};

/* check.c: the fields that each event prints. */
int script_check(struct script *sc, struct err *e);
struct ev *script_ev(struct script *sc, const struct perfdata_event *event, struct err *e);

/* print.c */
void print_start(struct script *sc, const struct ev *ev, const struct sample *s, struct thread *th,
		 uint32_t type, uint16_t misc);
void print_comm_tid(struct script *sc, const struct ctx *c);
void print_cpu(struct script *sc, const struct ctx *c);
void print_misc(struct script *sc, const struct ctx *c);
void print_tod(struct script *sc, const struct ctx *c);
void print_time(struct script *sc, const struct ctx *c);
void print_period(struct script *sc, const struct ctx *c);
void print_event(struct script *sc, const struct ctx *c);
void print_flags(struct script *sc, const struct ctx *c);

/* An address space and its state: a text kept for an address there is good while this is equal. */
static inline uint64_t space_state(const struct script *sc, uint32_t space)
{
	return (uint64_t)machine_generation(sc->env.machine, space) << 32 | space;
}

/* frames.c */
/* @before, @s with what terminals would take for commands escaped, @after: made once for each @idx. NULL: no memory. */
const struct script_text *script_text_at(struct script *sc, struct texts *t, uint32_t idx,
					 const char *s, const char *before, const char *after);
/* Whether there is more to a place than the address, its symbol and its object. */
bool put_is_slow(const struct form *f);
struct form *put_form_get(struct script *sc, uint64_t fields, bool inlines);
void print_ip(struct script *sc, const struct ctx *c);
void print_addr(struct script *sc, const struct ctx *c);
/* Valid until the next call. */
const struct script_place *put_find_place(struct script *sc, const struct thread *th,
					  uint8_t cpumode, uint64_t ip);
/*
 * @before and "file:line" of an object address, "object[address]" without line information;
 * @known: the line, where it is known.
 */
void put_srcline(struct script *sc, const char *before, struct dso *dso, uint64_t addr,
		 const struct srcline *known);
/* @lead, the address, symbol and object, as far as @f has them: the length, -1 = no memory. */
ssize_t put_place(struct script *sc, const struct form *f, char lead, uint64_t ip,
		  const struct script_place *pl);

/*
 * The line of a frame, or its lines, with everything that @f has. True when the chain ends with
 * it, see --stop-bt.
 */
bool put_frame(struct script *sc, const struct form *f, struct script_place *pl);
/* The object at pl->ip and the address inside of it, for put_frame(). */
void put_find_map(struct script *sc, struct thread *th, struct script_place *pl);

/* chain.c */
void print_chain(struct script *sc, const struct ctx *c);
void print_chain_free(struct frame_texts *t);

/* brstack.c */
void print_brstack(struct script *sc, const struct ctx *c);
void print_brstacksym(struct script *sc, const struct ctx *c);
void print_brstackoff(struct script *sc, const struct ctx *c);
void print_brstack_free(struct branch_texts *b);
/* Room for 1 << @bits texts of flags: 0 or -ENOMEM. */
int print_tails_resize(struct script *sc, unsigned bits);

/* The first part of the weight where it has parts, else all of it. */
static inline uint64_t script_weight(const struct sample *s)
{
	return s->present & PERF_SAMPLE_WEIGHT_STRUCT ? s->weight_var1 : s->weight;
}

/* values.c */
void print_iregs(struct script *sc, const struct ctx *c);
void print_uregs(struct script *sc, const struct ctx *c);
void print_simd(struct script *sc, const struct ctx *c);
void print_marks(struct script *sc, const struct ctx *c);
void print_weight(struct script *sc, const struct ctx *c);
void print_ins_lat(struct script *sc, const struct ctx *c);
void print_retire_lat(struct script *sc, const struct ctx *c);
void print_cgroup(struct script *sc, const struct ctx *c);
void print_bpf_output(struct script *sc, const struct ctx *c);
void print_trace(struct script *sc, const struct ctx *c);

/* json.c */
/* Leaves the fields that JSON has a form for; -EINVAL when another was asked for by name. */
int script_json_check(struct script *sc, struct err *e);
void script_json_prepare(struct ev *ev); /* what an object of this event is made of */
void print_json(struct script *sc, const struct ctx *c);
void script_json_comm(struct script *sc, const struct ctx *c, struct emit *e);
void script_json_pid(struct script *sc, const struct ctx *c, struct emit *e);
void script_json_tid(struct script *sc, const struct ctx *c, struct emit *e);
void script_json_cpu(struct script *sc, const struct ctx *c, struct emit *e);
void script_json_time(struct script *sc, const struct ctx *c, struct emit *e);
void script_json_period(struct script *sc, const struct ctx *c, struct emit *e);
void script_json_event(struct script *sc, const struct ctx *c, struct emit *e);
void script_json_addr(struct script *sc, const struct ctx *c, struct emit *e);
void script_json_data_src(struct script *sc, const struct ctx *c, struct emit *e);
void script_json_weight(struct script *sc, const struct ctx *c, struct emit *e);
void script_json_ins_lat(struct script *sc, const struct ctx *c, struct emit *e);
void script_json_retire_lat(struct script *sc, const struct ctx *c, struct emit *e);
void script_json_cgroup(struct script *sc, const struct ctx *c, struct emit *e);
void script_json_ip(struct script *sc, const struct ctx *c, struct emit *e);
void script_json_place(struct script *sc, const struct ctx *c, struct emit *e);
void script_json_iregs(struct script *sc, const struct ctx *c, struct emit *e);
void script_json_uregs(struct script *sc, const struct ctx *c, struct emit *e);
void script_json_simd(struct script *sc, const struct ctx *c, struct emit *e);
void script_json_marks(struct script *sc, const struct ctx *c, struct emit *e);
void script_json_branches(struct script *sc, const struct ctx *c, struct emit *e);

/* srccode.c */
void print_srccode(struct script *sc, const struct ctx *c);
void print_srccode_free(struct sources_shown *s);

/* datasrc.c */
void print_data_src(struct script *sc, const struct ctx *c);

/* insns.c */
void print_insns(struct script *sc, const struct ctx *c);
/* What the letters of brcntr stand for; once, before the first sample. */
void print_counter_legend(struct script *sc);
void print_insns_free(struct insn_walk *w);

/* show.c: before and after the machine took the record. */
int script_show_before(void *sc, const struct record *rec, struct err *e);
int script_show_after(void *sc, const struct record *rec, struct err *e);

/* stop.c */
int script_stops_parse(struct script *sc, struct err *e);
/* Whether a callchain ends with this function. */
bool script_stops_at(const struct script *sc, const struct symbol *sym);

#endif
