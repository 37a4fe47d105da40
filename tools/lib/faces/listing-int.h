/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the writers of listings share: columns of numbers, names of events, shares with colours. */
#ifndef PERF_FACES_LISTING_INT_H
#define PERF_FACES_LISTING_INT_H

#include "faces/faces-int.h"

/* ---- what branch stacks tell: listing-flow.c */

bool faces_flow_shown(const struct faces_listings *f, const struct listing *l);
void faces_flow_ipc(const struct faces_listings *f, const struct listing *l,
		    const struct listing_line *line, uint32_t k, struct obuf *o);
void faces_flow_cycles(const struct faces_listings *f, const struct listing *l,
		       const struct listing_line *line, uint32_t k, struct obuf *o);
void faces_flow_runs(const struct faces_listings *f, const struct listing *l,
		     const struct listing_line *line, uint32_t k, struct obuf *o);
void faces_flow_ipc_json(const struct faces_listings *f, const struct listing *l,
			 const struct listing_line *line, uint32_t k, struct emit *e);
void faces_flow_cycles_json(const struct faces_listings *f, const struct listing *l,
			    const struct listing_line *line, uint32_t k, struct emit *e);
void faces_flow_runs_json(const struct faces_listings *f, const struct listing *l,
			  const struct listing_line *line, uint32_t k, struct emit *e);
/* Members of a function's object. */
void faces_flow_json(const struct listing *l, struct emit *e);

/* ---- what registers tell: listing-regs.c */

bool faces_regs_shown(const struct faces_listings *f, const struct listing *l);
bool faces_regs_value_shown(const struct faces_listings *f, const struct listing *l);
void faces_regs_width(const struct faces_listings *f, const struct listing *l,
		      const struct listing_line *line, uint32_t k, struct obuf *o);
void faces_regs_width_json(const struct faces_listings *f, const struct listing *l,
			   const struct listing_line *line, uint32_t k, struct emit *e);
void faces_regs_lanes(const struct faces_listings *f, const struct listing *l,
		      const struct listing_line *line, uint32_t k, struct obuf *o);
void faces_regs_lanes_json(const struct faces_listings *f, const struct listing *l,
			   const struct listing_line *line, uint32_t k, struct emit *e);
void faces_regs_value(const struct faces_listings *f, const struct listing *l,
		      const struct listing_line *line, uint32_t k, struct obuf *o);
void faces_regs_value_json(const struct faces_listings *f, const struct listing *l,
			   const struct listing_line *line, uint32_t k, struct emit *e);

/* ---- what accumulators say of registers: listing-marks.c */

#define FACES_MARKS_WIDTH   40
#define FACES_ANSWERS_WIDTH 52

bool faces_marks_shown(const struct faces_listings *f, const struct listing *l);
void faces_marks_text(const struct faces_listings *f, const struct listing *l,
		      const struct listing_line *line, uint32_t k, struct obuf *o);
void faces_marks_json(const struct faces_listings *f, const struct listing *l,
		      const struct listing_line *line, uint32_t k, struct emit *e);

/* ---- what branches were asked: listing-answers.c */

bool faces_answers_shown(const struct faces_listings *f, const struct listing *l);
void faces_answers_text(const struct faces_listings *f, const struct listing *l,
			const struct listing_line *line, uint32_t k, struct obuf *o);
void faces_answers_json(const struct faces_listings *f, const struct listing *l,
			const struct listing_line *line, uint32_t k, struct emit *e);

/* What columns are, in front of the first listing: listing-legend.c */
void faces_listing_put_legend(const struct faces_listings *f, const struct listing *l);
/* "local period" */
const char *faces_listing_percent_name(enum listing_percent type);
/* The largest share of a line, of all events. */
double faces_listing_max(const struct faces_listings *f, const struct listing *l,
			 const struct listing_line *line);
/* "cycles", or "anon group { cycles, instructions }" */
void faces_listing_events(const struct listing *l, struct obuf *o);
/* "with skid", "exact": how near the addresses of samples are to what they are of. */
void faces_listing_skid(const struct listing *l, struct obuf *o);
/* Before and behind what has a colour by its share; nothing without colours. */
bool faces_listing_color(const struct faces_listings *f, double percent);
void faces_listing_plain(const struct faces_listings *f, bool colored);
/* The object, with its directories or without. */
const char *faces_listing_object(const struct faces_listings *f, const struct listing *l);
/* "wl.c:7" of an instruction whose line is known. */
void faces_listing_place(const struct listing_line *line, struct obuf *o);
/* A source line without what it is indented by, tabs as blanks. */
void faces_listing_source(const struct listing_line *line, struct obuf *o);

/* ---- loops (listing-loops.c): brackets beside lines, which are asked for in order ---------------- */

#define FACES_LOOPS_MAX 8

struct faces_loops {
	uint32_t head[FACES_LOOPS_MAX], end[FACES_LOOPS_MAX]; /* by column; LISTING_NONE = free */
	uint32_t next;					      /* loop of the listing */
	unsigned width;					      /* columns that were needed so far */
};

void faces_loops_start(struct faces_loops *s);
/* Columns that a listing needs. */
unsigned faces_loops_width(const struct listing *l);
/* What stands in each column at @line; NULL = nothing. */
void faces_loops_marks(struct faces_loops *s, const struct listing *l, uint32_t line,
		       const char *marks[FACES_LOOPS_MAX]);

#endif
