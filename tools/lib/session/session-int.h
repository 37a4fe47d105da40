/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the session room share. */
#ifndef PERF_SESSION_INT_H
#define PERF_SESSION_INT_H

#include "session/session.h"

struct name_list {
	VEC(const char *) names;
};

struct session_filter {
	struct arena text;
	bool any, by_place;
	struct name_list lists[3]; /* by enum session_filter_list; copies */
	VEC(uint64_t) addrs;	   /* names among the symbols that are hexadecimal numbers */
	uint64_t range;		   /* bytes that such an address stands for */
	VEC(int32_t) pids, tids;
};

/* --switch-on, --switch-off: only what happened between the two counts. */
struct session_switch {
	const struct perfdata_event *on, *off;
	bool show; /* the events themselves too */
	bool closed;
};

/* What is known of the samples of an event before the first one. */
struct event_plan {
	bool ready;
	bool plain;	 /* all of them are handed on as they are: nothing below holds */
	bool none;	 /* nobody wants them */
	bool left_out;	 /* none, and only by --event */
	bool chosen;	 /* --event lets those through that are handed on as one */
	bool defers;	 /* the user part of their chains may come later */
	bool parts;	 /* they are taken apart */
	bool thread;	 /* the thread is wanted */
	bool stitches;	 /* their LBR stacks may continue earlier ones of the thread */
	uint32_t tid_at; /* offset of pid and tid; 0 = there are none */
	uint32_t ip_at;	 /* likewise */
	uint64_t need;	 /* PERF_SAMPLE_* */
};

/* A sample that waits for the user part of its chain. */
struct waiting {
	struct record rec;
	unsigned char *data; /* of the record: to be freed */
	uint64_t cookie;
	uint32_t tid;
};

struct deferred {
	VEC(struct waiting) v;
	VEC(uint64_t) chain; /* the completed one of the sample at hand */
};

/* What a member of a team reads: team.c. */
struct member {
	struct session_team *team;
	size_t piece;	  /* the one at hand */
	size_t next, end; /* where each has a stretch: what is left of it */
	size_t known;	  /* of pieces before this one everything is known */
	bool taken;	  /* @piece, and nothing of it was handed in yet */
	bool reading;	  /* its records */
};

struct session {
	struct session_env env;
	const struct session_opts *o;
	struct arena text; /* parts of options, messages */
	bool misused, told;
	const char *symfs; /* without its layout */
	bool symfs_flat;
	struct time_spans times;
	struct bits cpus;
	bool by_cpu;
	struct session_filter *filter;
	bool filtering;	    /* it leaves out something */
	struct bits events; /* -e: by event->idx */
	bool by_event;
	bool all_events; /* those of other recordings are known, too */
	struct session_switch sw;
	bool switches;	     /* there is one of the two */
	struct record first; /* of a pipe: what follows its description */
	bool have_first;
	/* while samples are read */
	const struct session_consumer *c;
	void *ctx;
	struct perfdata_ahead *ahead; /* NULL: records are read as they are used */
	bool beside;		    /* other recordings are read meanwhile: no thread reads ahead */
	unsigned jobs;		    /* in place of those of the options; 0 = these */
	struct member *member;	    /* NULL: all of the recording is read */
	struct symbol_store *store; /* another session's; NULL = one of its own */
	VEC(struct event_plan) plans; /* by event->idx */
	struct sample_series series;  /* of those that are handed on as they are */
	struct sample_totals totals;  /* of groups' counters */
	struct deferred deferred;
	uint64_t slice_end;
	uint64_t nr; /* samples so far */
	bool came;   /* some part of the group's sample at hand */
	int64_t running;
	struct session_counts counts;
	struct err damage;
	VEC(const char *) warnings;
};

/* events.c: --event, --switch-on and --switch-off against what the recording has. */
int session_find_events(struct session *s, struct err *e);
/* Whether a sample of @event counts. */
bool session_switch_pass(struct session_switch *sw, const struct perfdata_event *event);

/*
 * deferred.c: samples whose chains end in a cookie wait for the CALLCHAIN_DEFERRED record that has
 * the same. True when @s was kept: it is not to be used now.
 */
bool session_deferred_keep(struct deferred *d, const struct record *rec, const struct sample *s);
/* What a CALLCHAIN_DEFERRED record says. */
struct deferred_chain {
	struct u64s user;
	uint64_t cookie;
	struct record_id id;
};

int session_deferred_read(const struct record *rec, struct deferred_chain *chain, struct err *e);
/*
 * Calls @fn for each sample that waits for @chain, with its addresses; NULL: for all that wait for
 * any, with none. What is not 0 ends it.
 */
typedef int session_deferred_fn(struct session *s, const struct record *rec,
				const struct u64s *user, struct err *e);
int session_deferred_complete(struct session *s, const struct deferred_chain *chain,
			      session_deferred_fn *fn, struct err *e);
/* Puts @user in the place of the cookie that the chain of @s ends in. 0 or -ENOMEM. */
int session_deferred_join(struct deferred *d, struct sample *s, const struct u64s *user);
void session_deferred_free(struct deferred *d);

/* read.c: what is known of @event's samples; NULL = no memory. */
const struct event_plan *session_plan(struct session *s, const struct perfdata_event *event);
/* Whether a sample takes part in nothing, whatever is in it. */
bool session_passes_over(const struct session *s, const struct event_plan *plan,
			 const struct record *rec);
/* A switch, or the end of a thread: what session_parallelism() is made of. */
void session_count_running(struct session *s, const struct record *rec);
/* session_read() less what comes behind the last record. */
int session_read_records(struct session *s, const struct session_consumer *c, void *ctx,
			 struct err *e);
/* team.c: the next record of what this member reads, as perfdata_next_ordered(). */
int session_member_next(struct session *s, struct record *rec, struct err *e);

/* ---- several recordings ---------------------------------------------------------------------- */

/*
 * Threads, unless asked for: from here on a report takes longer again, for each has rows and locations that
 * are to be added up (tests/bench/scale jobs).
 */
#define SESSION_JOBS_UNASKED 16

/* Threads, @most at most, of which each gets some MB of the recording; of what cannot be cut @most. */
unsigned session_jobs_worth(const struct session *s, unsigned most);
/* The recording's events, as those of @first. */
int session_files_join_one(struct session_files *f, size_t i, struct session *first,
			   struct session *s, struct err *e);
/* It was not read, or not to its end: that is told last. */
int session_files_put_aside(struct session_files *f, const char *path, const struct err *why,
			    struct err *e);

#endif
