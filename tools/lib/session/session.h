/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session: one way through a recording, for every command that looks at samples. It opens the file
 * or the pipe, brings threads and maps up to date record by record, completes call chains whose user
 * part comes late, takes groups of counters apart, leaves out what the options leave out, and keeps
 * account of what was lost, broken or cut off. What is done with a sample is the consumer's: one
 * const struct of functions, called once for each.
 *
 *	static const struct session_consumer count = { .need = need, .sample = one };
 *
 *	ret = session_open(&s, &opts, &err);		the words of the options, then the file
 *	ret = ret ?: session_start(s, &err);		machine, symbols, events
 *	ret = ret ?: session_read(s, &count, &mine, &err);
 *	if (!ret && session_damage(s))
 *		... what came before was whole ...
 *	for (const char *const *w = session_warnings(s, SESSION_WARN_ALL); *w; w++)
 *		log_warn("%s", *w);
 *	session_close(s);
 *
 * Options are a struct that option tables fill (session_options[] and its parts, for OPT_INCLUDE),
 * or any caller; its strings stay the caller's and have to outlive the session.
 *
 * Memory: everything handed out is the session's and lives until session_close(), but for a sample,
 * its record and its chain: these are good until sample() returns. Errors: 0 or -errno with struct
 * err. Nothing is printed. One thread per session; a second one may read ahead inside.
 */
#ifndef PERF_SESSION_H
#define PERF_SESSION_H

#include "cli/cli.h"
#include "unwind/unwind.h"

/* ---- options --------------------------------------------------------------------------------- */

/* All zero: perf.data, every sample of it. */
struct session_opts {
	/* the file */
	const char *input;    /* NULL = perf.data, "-" = stdin */
	struct cli_list more; /* inputs behind that, for commands that read several */
	bool force, no_limits, no_sandbox;
	bool no_order; /* records as they lie in the file: for those who read it themselves */
	/* which samples; NULL = all */
	const char *time, *cpus;
	struct cli_list events; /* names */
	bool some_events; /* one of several recordings: that it has not all of these is no error */
	const char *comms, *pids, *tids, *dsos, *symbols;
	uint64_t addr_range; /* an address among the symbols stands for so many bytes; 0 = 1 */
	const char *switch_on, *switch_off;
	bool show_switches;		   /* the events of these two themselves too */
	uint64_t first_sample, nr_samples; /* a slice: see session_in_slice(); 0 = to the end */
	uint64_t jobs; /* threads that read: struct session_team; 0 = as many as CPUs can be used */
	/* call chains */
	uint64_t max_stack;
	bool no_inline, stitch_lbr;
	bool ips_only; /* of struct unwind_opts */
	enum unwind_by unwinder;
	/* symbols */
	const char *symfs; /* DIR[,hierarchy|flat] */
	const char *vmlinux, *kallsyms, *debuginfod;
	bool ignore_vmlinux, full_paths, no_demangle, demangle_kernel, demangle_params;
	bool no_symbol_cache; /* tables are made anew */
	bool no_symbols;      /* neither resolver nor unwinder is made */
	/* As in perfdata_opts: true ends the recording there. */
	bool (*progress)(void *ctx, uint64_t done, uint64_t total);
	void *progress_ctx;
	/* What is not right with the file or the options, while it is met: see perfdata_opts. */
	struct log_sink log;
};

/* Tables for OPT_INCLUDE, of struct session_opts; a command gives them their headings. */
extern const struct option session_input_options[];  /* -i -f --no-limits --no-sandbox */
extern const struct option session_jobs_options[];   /* -j, of those who have teams read */
extern const struct option session_sample_options[]; /* which samples */
extern const struct option session_chain_options[];
extern const struct option session_symbol_options[];
/* All of them under headings. */
extern const struct option session_options[];

/* What the options hold beside strings of the command line. */
void session_opts_free(struct session_opts *o);

/* ---- a session ------------------------------------------------------------------------------- */

struct session;

/* What samples are looked at with; the session's. Resolver and unwinder: NULL with no_symbols. */
struct session_env {
	struct perfdata *pd;
	struct machine *machine;
	struct resolver *resolver;
	struct unwind *unwind;
};

/*
 * Reads the options, then opens the file. *s is there even after an error, for session_misused()
 * and to be closed, unless memory was out (NULL). @opts has to outlive it.
 */
int session_open(struct session **s, const struct session_opts *opts, struct err *e);
/* The same once more, started, in silence: by the options of @like, which go into @opts. */
int session_open_again(struct session **s, const struct session *like, struct session_opts *opts,
		       struct err *e);
/*
 * Another recording that is to be added to what @first counts, by the options in @opts: as session_open() and
 * session_start(). What is read of objects is shared, so that it is read once.
 */
int session_open_beside(struct session **s, const struct session *first,
			const struct session_opts *opts, struct err *e);
void session_close(struct session *s); /* NULL is fine */
/* opts.some_events: -EINVAL where an event of opts.events is not among those that were joined, either. */
int session_check_events(struct session *s, struct err *e);
/* What failed is what the options ask for: a usage error. */
bool session_misused(const struct session *s);

/*
 * Makes machine, resolver and unwinder, and finds the events that the options name. In a pipe the
 * records that describe it are read before. Who wants other records than session_read() takes
 * reads session_env()->pd instead of calling this.
 */
int session_start(struct session *s, struct err *e);
const struct session_env *session_env(const struct session *s);
/* The architecture whose registers samples have: by the header, an object, or this machine's. */
enum regs_arch session_arch(const struct session *s);
/* Where --symfs has what was recorded at @path, in @buf; false where no other place was given. */
bool session_symfs_path(const struct session *s, const char *path, char *buf, size_t size);

/* ---- reading --------------------------------------------------------------------------------- */

struct session_sample {
	struct sample *s;      /* may be changed, it is nobody else's */
	struct thread *thread; /* NULL where need() had no PERF_SAMPLE_TID */
	const struct record *rec;
	/*
	 * A group's sample comes once for each of its counters. Branches and registers are the sample's: they count where this
	 * is not set, which is once.
	 */
	bool again;
};

/* A need() that wants none of an event's samples. */
#define SESSION_NONE UINT64_MAX

enum session_consumer_flags {
	/*
	 * Samples that --comms, --pid, --tid, --dsos or --symbols leave out come too: who counts
	 * what was left out asks session_filter() itself.
	 */
	SESSION_UNFILTERED = 1,
	/* A sample of a group of counters comes once, whole, as its leader's, where --event chooses any of the group. */
	SESSION_WHOLE = 2,
	/* One thread hands on all samples: what is done with one depends on those before. */
	SESSION_ALONE = 4,
	/* session_parallelism() is asked while samples are handed on. */
	SESSION_PARALLELISM = 8,
	/* Names of code are asked for from the first sample on. */
	SESSION_NAMES = 16,
};

/* So far ahead a consumer is told of samples. */
#define SESSION_EXPECT 6

/* All but need and sample may be NULL. Errors end reading, unless said otherwise. */
struct session_consumer {
	/* PERF_SAMPLE_*: what sample() looks at; asked once per event, before its first sample. */
	uint64_t (*need)(void *ctx, const struct perfdata_event *event);
	/*
	 * A sample; of a group of counters one per counter that moved. 1: enough, reading ends
	 * without an error.
	 */
	int (*sample)(void *ctx, const struct session_sample *s, struct err *e);
	/*
	 * Before a sample: the address of the one SESSION_EXPECT behind it, most likely, so that memory can be asked for
	 * what that one needs. It may be anything. NULL: nobody wants to know.
	 */
	void (*expect)(void *ctx, uint64_t ip);
	/*
	 * Another record, before and after the machine took it; only before when it could not. An
	 * error other than -ENOMEM is one of this record: see bad(). 1: enough.
	 */
	int (*before)(void *ctx, const struct record *rec, struct err *e);
	int (*record)(void *ctx, const struct record *rec, struct err *e);
	/* A record or sample that cannot be used, and why. An error here ends reading. */
	int (*bad)(void *ctx, const struct record *rec, struct err *why);
	/*
	 * After the last record that the session hands on, a team's member too, while the machine knows what
	 * held then.
	 */
	int (*last)(void *ctx, struct err *e);
	/* After the last sample, also where damage ended reading. */
	int (*finish)(void *ctx, struct err *e);
	unsigned flags;
};

/*
 * Hands every sample to @c. Damage of the file ends reading without an error: see
 * session_damage(). Once per session.
 */
int session_read(struct session *s, const struct session_consumer *c, void *ctx, struct err *e);

/* ---- by several threads ---------------------------------------------------------------------- */

/*
 * A recording that threads read side by side, each with a session of its own and a consumer's context that
 * was made with it: member 0 is the session that the team is made of.
 *
 *	ret = session_team_new(&t, s, &count, mine[0], &err);
 *	if (!ret && !t)
 *		... session_read(s, &count, mine[0], &err) ...
 *	for (i = 1; i < session_team_size(t); i++)
 *		mine[i] = ... of session_team_member(t, i) ...
 *	ret = ret ?: session_team_read(t, mine, &err);
 *	ret = ret ?: session_team_merge(t, mine, add_up, &err);
 *	session_team_free(t);
 *
 * Each member has a stretch of the recording, one behind the other, and knows of threads and maps what it
 * would know had it read all. Counts, damage and errors are those of one reading, in member 0. The consumer's
 * functions are called by the thread of the member whose context they get, finish() is not called.
 */
struct session_team;

/*
 * Threads that are to read: as many as were asked for, or one for each CPU that this process may use, of which
 * each gets some MB to read. At least 1.
 */
unsigned session_jobs(const struct session *s);
/*
 * After session_start(). *t is NULL, and nothing was read, where one has to read all: pipes, what is
 * packed, samples that depend on each other, little work.
 */
int session_team_new(struct session_team **t, struct session *s, const struct session_consumer *c,
		     void *ctx, struct err *e);
void session_team_free(
	struct session_team *t); /* closes the sessions but for member 0; NULL is fine */
size_t session_team_size(const struct session_team *t);
struct session *session_team_member(const struct session_team *t, size_t i);
/*
 * Each member takes the next piece of the recording that nobody has, instead of a stretch. What it printed of a piece,
 * @text of its context, which only collects, goes to @to in the order of one reading. Where that cannot be written
 * any more, reading ends.
 */
void session_team_in_order(struct session_team *t, struct obuf *(*text)(void *ctx),
			   struct obuf *to);
int session_team_read(struct session_team *t, void *const *ctx, struct err *e);
/*
 * Adds contexts up, side by side: @fn adds @from, which is of what comes behind, to @to. All is in ctx[0] in the
 * end.
 */
typedef int session_merge_fn(void *to, void *from, struct err *e);
int session_team_merge(struct session_team *t, void *const *ctx, session_merge_fn *fn,
		       struct err *e);

/*
 * Whether --time and --cpu let through what happened at @time on @cpu: what a consumer asks of other
 * records. Unknown ones (RECORD_NO_TIME, UINT32_MAX) pass.
 */
bool session_wants(const struct session *s, uint64_t time, uint32_t cpu);
/*
 * While samples are read by a consumer with SESSION_PARALLELISM: how many threads run, by the switches so far; from 1 to
 * the CPUs.
 */
uint32_t session_parallelism(const struct session *s);
/*
 * opts.first_sample, nr_samples: a slice of the recording. Samples are numbered from 0 in the
 * order in which they are handed on, those that are left out among them. Outside of the slice
 * everything happens but the call of sample(): threads, maps, totals of counters, switches and
 * stitched stacks are inside as if all had been read. Other records come whole: who counts these
 * asks whether they stand in the slice, each of them in exactly one of adjoining ones.
 */
bool session_in_slice(const struct session *s);

/* ---- which samples --------------------------------------------------------------------------- */

/* --comms, --pid, --tid, --dsos, --symbols, as they were read once. */
struct session_filter;

const struct session_filter *session_filter(const struct session *s);
/* The same without a session: -EINVAL with the word that means nothing. */
int session_filter_new(struct session_filter **f, const struct session_opts *o, struct err *e);
void session_filter_free(struct session_filter *f); /* not a session's; NULL is fine */
/* Whether it leaves out anything at all. */
bool session_filter_any(const struct session_filter *f);
bool session_filter_thread(const struct session_filter *f, const struct thread *th,
			   const char *comm);
/* The names of a list; their number, 0 where it was not given (or @f is NULL). */
enum session_filter_list { SESSION_COMMS, SESSION_DSOS, SESSION_SYMBOLS };
size_t session_filter_names(const struct session_filter *f, enum session_filter_list list,
			    const char *const **names);
/* Of a location, at @ip in the memory of its process. */
bool session_filter_place(const struct session_filter *f, const struct loc *l, uint64_t ip);

/* ---- what there is to say at the end --------------------------------------------------------- */

struct session_counts {
	uint64_t samples;  /* handed to sample() */
	uint64_t left_out; /* by options: other events, times, threads, places */
	uint64_t lost_samples, lost_events, lost_chunks;
	uint64_t bad, bad_samples; /* records that could not be used, and the samples of them */
	struct err first_bad;
};

const struct session_counts *session_counts(const struct session *s);
/* What @from counted, to @to. */
void session_add_counts(struct session *to, const struct session *from);
/* What ended reading before the end of the file; NULL = nothing. */
const struct err *session_damage(const struct session *s);

enum session_warn {
	SESSION_WARN_MISSING = 1, /* objects without symbols */
	SESSION_WARN_SYMBOLS = 2, /* what the resolver met */
	SESSION_WARN_STACKS = 4,  /* stacks that end early */
	SESSION_WARN_LOST = 8,
	SESSION_WARN_BAD = 16,
	SESSION_WARN_ALL = 31,
};

/* The messages of enum session_warn bits, NULL at the end; each is told once. */
const char *const *session_warnings(struct session *s, unsigned what);
/* What @from met, of which warnings are made, as if @to had. 0 or -ENOMEM. */
int session_take_notes(struct session *to, const struct session *from);
/* Names, lines or callers are missing for want of memory: the status has to tell. */
bool session_lacked_memory(const struct session *s);

/* ---- two sessions ---------------------------------------------------------------------------- */

/*
 * Which of @from's numbers are which of @to's, machines and resolvers alone being asked; once the records
 * of both were read. What @to has not it gets: after adding up by these maps @from may be closed.
 * NULL instead of struct session_maps says everywhere that there is one session.
 */
struct session_maps {
	const struct session_env *to, *from; /* the caller's; they have to outlive the maps */
	/* By number there; symbol and loc are NULL where there is no resolver. */
	const uint32_t *thread, *comm, *symbol, *dso, *loc;
	struct dso *const *objects; /* by number of an object there */
	/* .joined of the other recording's events; NULL: none is known there. */
	const uint32_t *event;
	const uint64_t *cgroup; /* as machine_match_cgroups() has it; NULL: of one recording */
};

int session_maps_new(struct session_maps **maps, const struct session_env *to,
		     const struct session_env *from, struct err *e);
/* For what counts by no location: .loc is NULL, and @to gets none of them. They are what there is most of. */
int session_maps_no_locs(struct session_maps **maps, const struct session_env *to,
			 const struct session_env *from, struct err *e);
void session_maps_free(struct session_maps *maps); /* NULL is fine */

/* ---- several recordings ------------------------------------------------------------------------ */

/*
 * Commands that count several recordings together. The first one's session is that of the answer; each of
 * the others is read in a session of its own, and what it counted is added and its session closed: before the
 * next is opened, or with as many at hand as there are threads. A recording that cannot be opened, or ends early, is told at the end; the others are counted.
 */
struct session_files_opts {
	bool by_file;	 /* a column each */
	bool scale_time; /* periods as if all had recorded as long as the first */
};

extern const struct option
	session_files_options[]; /* of struct session_files_opts, for OPT_INCLUDE() */

struct session_files {
	VEC(const char *) v;
	VEC(const char *) names; /* of v's: as columns are called */
	struct session_files_opts o;
	struct arena text;
	size_t first;		     /* whose session it is */
	size_t nr_events;	     /* of all recordings, before there were columns */
	uint64_t first_length;	     /* ns */
	struct fleet_differ *differ; /* room fleet */
	VEC(struct err) failed;	     /* of recordings that could not be read, or not to their end */
};

/*
 * The recordings of -i and of @argv; of directories that are none, those in it. Into so->input goes the first; none
 * at all: v is empty. -EINVAL for an option that says nothing to them.
 */
int session_files_collect(struct session_files *f, struct session_opts *so, int argc, char **argv,
			  struct err *e);
/* Whether @path is a recording, or a directory with one in it: for words that may be something else. */
bool session_files_is_recording(const char *path);
void session_files_free(struct session_files *f);
static inline bool session_files_are_several(const struct session_files *f)
{
	return f->v.n > 1;
}

/*
 * session_open() of the first that can be opened; the events of all are joined to its then. With by_file
 * nothing is to be read by it: session_files_each() hands it on, too.
 */
int session_files_open(struct session_files *f, struct session **s, struct session_opts *so,
		       struct err *e);
/* After session_start() of @first. */
int session_files_join(struct session_files *f, struct session *first,
		       const struct session_opts *so, struct err *e);
/* What periods of @s are to be multiplied with: 1 without scale_time. */
double session_files_scale(const struct session_files *f, const struct session *s);
/* A damaged period may come to more than 64 bits hold, of which a conversion is not defined: the largest there is then. */
static inline uint64_t session_scaled(uint64_t period, double scale)
{
	double v = (double)period * scale + 0.5;

	return v < 0x1p64 ? (uint64_t)v : UINT64_MAX;
}

/*
 * Another recording, its session started: @fn reads it and adds what it counted. Counts and messages of the
 * session are added to those of @first after that.
 */
typedef int session_files_fn(void *ctx, struct session *s, struct err *e);
int session_files_each(struct session_files *f, struct session *first,
		       const struct session_opts *so, session_files_fn *fn, void *ctx,
		       struct err *e);
/*
 * The same by several threads, for what adds up: a context of @size zeroed bytes for each of the others. start()
 * and add() are called by the caller's thread, in the order of the recordings, read() by any one, with nothing
 * of @ctx changing but by add().
 *
 * @apart: the first, whose session is started, is read like the others and stays the caller's; each has events of its
 * own; messages are add()'s matter, and the first error of any recording ends it. failed() then comes in place of add(),
 * with @one NULL where it could not be opened.
 */
struct session_files_count {
	size_t size;
	bool apart;
	bool in_turn; /* one after the other, by the caller's thread */
	int (*start)(void *one, void *ctx, struct session *s, struct err *e);
	int (*read)(void *one, struct session *s, struct err *e);
	int (*add)(void *ctx, void *one, struct session *s, struct err *e);
	void (*free)(void *one); /* also of what was never started */
	void (*failed)(void *ctx, const void *one, const struct session *s);
};
int session_files_count(struct session_files *f, struct session *first,
			const struct session_opts *so, const struct session_files_count *c,
			void *ctx, struct err *e);
/* What is not alike, a line each, NULL at the end; and the errors of recordings that could not be read are in .failed. */
const char *const *session_files_differences(struct session_files *f);

#endif
