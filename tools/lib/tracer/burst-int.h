/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bursts: all branches of a short span of a thread's time, see burst.c. */
#ifndef PERF_TRACER_BURST_INT_H
#define PERF_TRACER_BURST_INT_H

#include "affinity-int.h"
#include "base/obuf.h"
#include "tracer-int.h"
#include "vm-int.h"

struct burst;

/* Whether the sample that points_peek_user() found, of @th at @st, becomes a burst. */
bool burst_wanted(const struct tracer *t, const struct tracee *th, const struct user_state *st);
/*
 * Computes the way from @st on into th->burst, and begins the span. -ENOMEM. Where it can we are on the
 * thread's CPU from here on, up to burst_run() or burst_write().
 */
int burst_begin(struct tracer *t, struct tracee *th, const struct user_state *st);
/* The thread is to go on at once, for what is left of the span; -errno: it has no clock for that. */
int burst_run(struct tracer *t, struct tracee *th);
/* Whether @th is to be stopped where it enters a system call, or leaves the one that it is in. */
bool burst_awaits_call(const struct burst *b);
/*
 * It stands there: 0, or -errno where it does not go on: no memory, no clock, or the thread is gone. 1: the span was over before the call;
 * burst_over() and burst_write() are next.
 */
int burst_call(struct tracer *t, struct tracee *th);
void burst_over(struct tracer *t, struct tracee *th);
/* The thread gets a signal of the program's that has a handler. */
void burst_signal(struct burst *b);
/* That it takes in all, as the budget counts them. */
unsigned burst_stops(const struct burst *b);
/*
 * The span is over and @th stands at @st, which is not needed any more afterwards; NULL: nobody knows
 * where the thread was then. burst_write() is next, also while it runs again: what the span held is
 * written, and th->burst is gone.
 */
void burst_stand(struct tracer *t, struct tracee *th, struct user_state *st);
int burst_write(struct tracer *t, struct tracee *th, struct err *e);
/* Both, where nobody knows. */
int burst_end(struct tracer *t, struct tracee *th, struct err *e);
void burst_free(struct burst *b);

/* ---- burst-stacks.c: what a burst records ----------------------------------------------------------------- */

#define BURST_MOST 262144 /* branches of a way: one a cycle of fifty microseconds, and some more */

/* One stack of the way. */
struct burst_piece {
	uint32_t branches, entries; /* up to its end */
	uint64_t ip;		    /* there */
	size_t end;		    /* in records, where it was made already */
};

/* Entries are the branches that -j asks for. */
struct burst_stacks {
	struct peeked sample; /* that the burst is of */
	bool bare;	      /* stacks are made when they are written, else in records */
	struct obuf records;
	VEC(struct burst_piece) piece;
	uint32_t nr_entries;
	/* What passed: pieces, and entries behind them: the last stack. */
	uint32_t whole, rest, empty; /* the first @empty pieces have none */
	bool last;		     /* there is one, */
	uint64_t last_ip;	     /* of here, */
	size_t last_size;	     /* in t->out, where it was made already */
	struct walk_entry entry[BURST_MOST];
	uint32_t passed[BURST_MOST]; /* branches up to and with this entry */
};

void burst_stacks_new(struct burst_stacks *s);
void burst_stacks_free(struct burst_stacks *s);
/* For the sample t->peeked. */
void burst_stacks_begin(const struct tracer *t, struct burst_stacks *s);
/*
 * The next entry, with which @branches of the way were taken, at most BURST_MOST. The vm is behind
 * it. @st: where the way began, which stacks that are not bare ask for. -ENOMEM
 */
int burst_stacks_put(struct tracer *t, const struct tracee *th, struct burst_stacks *s,
		     const struct user_state *st, uint32_t branches, struct walk_entry entry);
/*
 * The way ends, where the vm is: what is left becomes a stack; so does the sample itself, where there is
 * none. Where the way goes on from there, it does with a new stack. -ENOMEM
 */
int burst_stacks_end(struct tracer *t, const struct tracee *th, struct burst_stacks *s,
		     const struct user_state *st, uint32_t branches);
/* All entries behind the first @branches never were. */
void burst_stacks_back(struct burst_stacks *s, uint32_t branches);
/*
 * So many have passed, and the thread stands at @st behind the last; NULL: nobody knows where, and only
 * whole stacks are written.
 */
void burst_stacks_passed(struct tracer *t, const struct tracee *th, struct burst_stacks *s,
			 uint32_t branches, const struct user_state *st);
/*
 * The same where the span was over before the thread came to @st: its address becomes that behind the
 * last entry, if there is one.
 */
void burst_stacks_part(struct tracer *t, const struct tracee *th, struct burst_stacks *s,
		       uint32_t branches, struct user_state *st);
/* What has passed; the thread may run again. */
int burst_stacks_write(struct tracer *t, const struct tracee *th, const struct burst_stacks *s,
		       struct err *e);

/* ---- twin.c: the same way at another time ------------------------------------------------------------------ */

/* A vm's general registers, to be set back. */
struct burst_place {
	uint64_t rip, reg[VM_REGS_MOST];
	uint32_t known;
};

static inline void burst_note_place(struct burst_place *p, const struct vm *vm)
{
	p->rip = vm->rip;
	p->known = vm->known;
	memcpy(p->reg, vm->reg, sizeof(p->reg));
}

static inline void burst_back_to(struct vm *vm, const struct burst_place *p)
{
	vm->rip = p->rip;
	vm->known = p->known;
	memcpy(vm->reg, p->reg, sizeof(p->reg));
}

/* What of a way depends on the time that the thread reads on it. */
struct burst_twin {
	bool on;	/* it reads some */
	uint64_t time;	/* when it began, as arch_cycles(); 0 = the thread has gone on since */
	uint32_t since; /* branches before */
	struct burst_place before; /* where the last mark is */
	uint64_t begin;		   /* of the twin's way, as vm->executed */
	uint32_t stored; /* by the way, compared up to here; in the twin's count so many less: */
	uint32_t apart;
	/* The kernel's clocks as the way read them. */
	uint32_t nr_pages;
	struct {
		uint64_t addr;
		unsigned char was[VM_PAGE];
	} page[2];
	/* What is another word of it by the end of the span. */
	uint32_t nr_ticks;
	struct {
		uint64_t was, is;
	} tick[128];
	uint32_t differs[BURST_MOST]; /* registers, by number, behind each branch from @since on */
};

/* The time that it is on a way of @vm, which begins now. */
void twin_clock(struct burst_twin *b, struct vm *vm);
/*
 * The way of @b, which began at @start, has come to read a clock behind its last mark. It is gone by its twin, too, to where it is
 * now. False: it cannot be, or leads elsewhere.
 */
bool twin_begin(struct tracer *t, const struct tracee *th, struct burst *b,
		const struct user_regs_struct *start);
/* On to where the way is by now. */
bool twin_follow(struct tracer *t, struct burst_twin *b, uint64_t begin);
/* Registers that differ there. */
uint32_t twin_differs(const struct tracer *t);
/* The thread goes on. */
void twin_stood(struct tracer *t, struct burst_twin *b);
/* The way is at its end. */
void twin_end(const struct tracer *t, struct burst_twin *b);
/* The span is over: what the clocks are by now, by @look. */
void twin_look(struct burst_twin *b, struct vm *look);
/* @v, if it is of the clocks as they are by now: what it was on the way. */
uint64_t twin_back(const struct burst_twin *b, uint64_t v);

/* Where the thread is to stop for a system call. */
enum burst_call {
	BURST_CALL_NONE,
	BURST_CALL_END,	   /* before the one that ends the way */
	BURST_CALL_BEYOND, /* or before one behind what was computed, if there is any */
	BURST_CALL_IN,	   /* behind the one that it is in */
};

/* ---- one ---------------------------------------------------------------------------------------------------- */

/* Behind one taken branch. */
struct burst_mark {
	uint64_t state;	 /* all general registers and rip, mixed; 0 = not all are known */
	uint32_t insns;	 /* of the way, up to here */
	uint32_t stored; /* vm->nr_stored */
};

struct burst {
	uint32_t nr;
	uint32_t insns;	       /* it was to be computed for beforehand, */
	uint32_t walk;	       /* of the vm, as long as nobody else has used it */
	uint64_t begin;	       /* of the way, as vm->executed */
	uint32_t begin_stored; /* likewise, as vm->nr_stored; */
	uint32_t end_stored;   /* and what is behind it is of other ways */
	struct reach *place;
	enum tracer_cut cut;
	bool is_cut;
	enum burst_call call_at;
	bool signalled;		      /* a handler may have led it off the way */
	unsigned calls;		      /* that were made in the span, */
	unsigned call_stops;	      /* and how often it stopped for some */
	uint32_t first;		      /* branches before the last of them, which all have passed */
	uint64_t to_insns;	      /* of the way there, */
	struct user_regs_struct call; /* and what is to stand there */
	uint32_t call_known;	      /* of its registers */
	uint64_t left, more; /* of the span (ns); and how much later its clock will say so */
	uint64_t clock;	     /* what that said when the thread went on */
	bool lost;	     /* nobody can tell where the thread stands, */
	bool vague;	     /* or in which round of a loop; */
	uint64_t around;     /* to where they presumably led, in instructions; 0 = nobody knows */
	bool on_its_cpu;     /* we are, up to when it goes on; else it is not ours to use */
	struct affinity cpu;
	struct burst_twin twin;
	struct burst_stacks stacks;
	struct burst_mark mark[BURST_MOST];
};

/* ---- burst-find.c: where the thread stands ----------------------------------------------------------------- */

/* General registers, without those of mask @but, and rip; 0: not all are known. */
static inline uint64_t burst_state(const struct vm *vm, uint32_t but)
{
	uint64_t h = vm->rip;

	if (vm->known != VM_HOST_ALL)
		return 0;
	for (unsigned i = 0; i < VM_HOST_REGS; i++) {
		uint64_t v = i == VM_HOST_SIGNED ? vm_unsigned(vm, vm->reg[i]) : vm->reg[i];

		if (!(but >> i & 1))
			h += v * (0x9e3779b97f4a7c15ULL + 2 * (uint64_t)i * 0x632be59bd9b4e019ULL);
	}
	return h | 1;
}

struct burst_end {
	uint64_t state; /* what the thread comes to next, as of a mark, */
	uint64_t part;	/* and as of one without the registers of mask @but */
	uint32_t but;
	int64_t found; /* branches passed; -1 = not yet */
	/* Likewise by registers, but memory was another; and where it was so only further away. How many of each, and the last. */
	int64_t alike, close;
	uint32_t nr_alike, nr_close;
	uint32_t compared; /* stores, for what is close */
	bool gave_up;	   /* it took too long */
	bool guess;	/* some memory was read too late; the only place of such registers is it */
	bool late_only; /* and nothing but that memory is another at the last of these */
};

/* @th stands at @r. False: nobody knows what is next. */
bool burst_look(struct tracer *t, const struct tracee *th, const struct user_regs_struct *r,
		struct burst_end *end);
/* Whether it is there behind @i branches. */
bool burst_is_end(struct tracer *t, const struct burst *b, uint32_t i, struct burst_end *end);
/* The only mark that has its registers, though memory is another there; -1: none, or more than one. */
int64_t burst_only(const struct burst_end *end);
/*
 * Where it was found, in a loop whose rounds are all alike: then that becomes the one to which a thread comes in @ns; if vector
 * instructions are what its rounds are about, within @usual instructions. How many those are, if the way goes so far; 0: there are no
 * other rounds.
 */
uint64_t burst_goes_round(struct tracer *t, const struct burst *b, uint64_t ns, uint64_t usual,
			  struct burst_end *end);

/* span.c: a clock of the thread's own, which stops it once by its signal. */
int span_begin(struct tracee *th, uint64_t ns);
void span_end(struct tracee *th);
/* What the clock has counted, in all spans (ns). */
uint64_t span_ns(const struct tracee *th);
/*
 * How long a thread has run (ns) on a way of @insns to a system call, where it stopped, of @spent that the clock says. Most of that
 * may be the stop: *stop is what one takes, learned where the way was short; 0 = nothing was yet.
 */
uint64_t span_ran(uint64_t *stop, uint64_t insns, uint64_t spent);
void span_close(struct tracee *th);

#endif
