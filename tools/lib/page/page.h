/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page: a recording as one HTML page that needs nothing else: no network, no server, no other file.
 *
 *	ret = session_open(&s, &opts, &err);
 *	ret = ret ?: session_start(s, &err);
 *	ret = ret ?: page_write(s, &(struct page_opts){ .functions = 20 }, &out, &err);
 *
 * The page is its data, in columns of numbers, and a script that is the same in every page and shows
 * them: tools/web/. The page's Content-Security-Policy lets that script run and nothing else, by its
 * hash, and forbids every connection. Strings of the recording are in the data alone, where `<` does
 * not occur, and with emit_safe()'s escapes for what is no text.
 *
 * Samples are added up while they are read, by (event, thread, CPU, slice of time, stack): memory
 * follows what is distinct. What would make the page too large is cut: slices become longer, small
 * frames are put together, and the page says so.
 *
 * Errors: 0/-errno and struct err; those of writing stay in @out. One thread, that of the session.
 */
#ifndef PERF_PAGE_H
#define PERF_PAGE_H

#include "session/session.h"

#define PAGE_FUNCTIONS 20 /* as commands have it */

struct page;

/* All zero: what is usual, and no instructions. */
struct page_opts {
	uint32_t functions; /* so many of the hottest are shown as instructions; 0 = none */
	uint32_t max_nodes; /* of the tree of calls; 0 = 800,000 */
	uint32_t max_rows;  /* of samples that were added up; 0 = 900,000 */
	unsigned marks; /* of enum keys_mark: what registers say, as tables and of instructions */
	const char *values; /* the register of KEYS_MARK_VALUES */
	unsigned branches;  /* what is asked of branch stacks: enum brstat_what */
	bool branch_stacks; /* for that: any of the recordings that are joined has some */
	bool simd;	    /* width of vectors and lanes of masks at instructions, too */
	bool redact;	    /* and not of what was in registers */
	bool full_paths;
	/*
	 * Another recording, from before: its samples are in the same tree, and the page shows what is more
	 * or less. Functions are the same where name and object are, events where their names are. As @s,
	 * after session_start(); NULL: none.
	 */
	struct session *before;
	/* JSON of a comparison (faces_diff_json()), which the page shows as tables; NULL: none. */
	const struct obuf *diff;
	/*
	 * Called when @s was read: page_add_recording() adds others, with their times counted from where each
	 * began. NULL: there are none.
	 */
	int (*others)(void *ctx, struct page *p, struct err *e);
	void *others_ctx;
	bool not_first;	     /* @s comes with the others, in columns of their own */
	const char *name;    /* of all of them together; NULL = that of the file */
	struct log_sink log; /* what the page says of the recording too: what is missing, lost */
};

/* @s: after session_start(); it is read to its end, by as many threads as its options say. */
int page_write(struct session *s, const struct page_opts *o, struct obuf *out, struct err *e);
/* Of opts.others: what @s, after session_start(), has; its events were joined to those of the first. */
int page_add_recording(struct page *p, struct session *s, struct err *e);

/*
 * The same for who reads the session: its consumer calls the middle three, and page_finish() at the end of
 * reading. A page is to be freed after errors, too.
 */
int page_new(struct page **p, struct session *s, const struct page_opts *o, struct err *e);
void page_free(struct page *p); /* NULL is fine */
uint64_t page_need(const struct page *p, const struct perfdata_event *event);
int page_add(struct page *p, const struct session_sample *in, struct err *e);
int page_add_record(struct page *p, const struct record *rec, struct err *e);
/*
 * Pieces of a recording, each in a page and a session of its own. Slices of time are counted from when the
 * first thing of all happened: after page_new() a later piece is told which the earlier pages know it
 * from. Then, before page_finish() of either, page_merge() adds what @from has counted; if these are the
 * samples behind those of @p, the page is that of one reading. @from is to be freed then, and its
 * session may be closed. Neither has read opts.before yet.
 */
void page_follow(struct page *p, const struct page *first);
int page_merge(struct page *p, struct page *from, const struct session_maps *maps, struct err *e);
int page_finish(struct page *p, struct obuf *out, struct err *e);

#endif
