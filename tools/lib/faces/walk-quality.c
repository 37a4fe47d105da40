// SPDX-License-Identifier: GPL-2.0-or-later
/* report --profile-quality: a verdict, the checks that it rests on, and the functions. */
#include <stdio.h>

#include "faces/faces-int.h"

#define ALL   (FACES_PEOPLE | FACES_PROGRAMS)
#define OTHER FACES_PROGRAMS

/* ---- what the source of the samples cannot see --------------------------------------------------- */

struct source {
	bool software, some, calls, no_kernel, user_branches;
	unsigned precise; /* the least of all events */
};

static struct source source_of(const struct faces *f)
{
	struct source s = { .software = perfdata_follows_branches(f->pd, PERFDATA_ANY_EVENT),
			    .some = brstat_sum(f->stat)->some,
			    .calls = brstat_sum(f->stat)->calls,
			    .precise = 3 };

	for (size_t i = 0; i < perfdata_nr_events(f->pd); i++) {
		const struct perf_event_attr *a = &perfdata_event(f->pd, i)->attr;

		s.precise = (unsigned)min_u64(s.precise, attr_precise(a));
		s.no_kernel |= attr_flag(a, ATTR_FLAG_EXCLUDE_KERNEL);
	}
	return s;
}

/* ---- verdict ----------------------------------------------------------------------------------- */

static const char *verdict_text(const struct brstat_quality *q, char *buf, size_t size)
{
	switch (q->verdict) {
	case BRSTAT_NOTHING: return "not usable: no samples in functions that are known";
	case BRSTAT_AGAIN:
		return "not usable as it is: the files here are not those that ran; keep the ones "
		       "that run, or record again";
	case BRSTAT_LONGER:
		return "not enough: what runs changes over the recording; record a whole run of "
		       "the work, or several";
	case BRSTAT_MORE:
		snprintf(buf, size, "not enough: record %.1f times as much", q->more);
		return buf;
	case BRSTAT_ENOUGH: return "enough";
	}
	return NULL;
}

enum verdict_col { V_WORD, V_TEXT, V_MORE, NR_VERDICT_COLS };

static const struct faces_column verdict_cols[NR_VERDICT_COLS] = {
	[V_WORD] = PLAIN_COLUMN("enough", NULL, 0, false, OTHER),
	[V_TEXT] = PLAIN_COLUMN("text", NULL, 0, false, OTHER),
	[V_MORE] = PLAIN_COLUMN("times_as_much", NULL, 0, true, OTHER),
};

static int walk_verdict(struct walk *k, const struct brstat_quality *q)
{
	static const char *const words[] = {
		[BRSTAT_NOTHING] = "nothing", [BRSTAT_AGAIN] = "again",
		[BRSTAT_LONGER] = "longer",   [BRSTAT_MORE] = "more",
		[BRSTAT_ENOUGH] = "enough",
	};
	const struct faces_table t = { .kind = FACES_LIST,
				       .name = "verdict",
				       .cols = verdict_cols,
				       .nr_cols = NR_VERDICT_COLS };
	char text[120];
	struct faces_cell cells[NR_VERDICT_COLS] = {
		[V_WORD] = list_text(words[q->verdict]),
		[V_TEXT] = list_text(verdict_text(q, text, sizeof(text))),
		[V_MORE] = list_real(q->verdict >= BRSTAT_MORE, q->more),
	};
	int ret;

	if (!(k->w->reader & FACES_PROGRAMS))
		return 0;
	ret = VISIT(k, table, &t) ?: walk_plain_row(k, &t, cells) ?: VISIT(k, table_end, &t);
	return ret < 0 ? ret : 0;
}

/* ---- checks ------------------------------------------------------------------------------------ */

enum check_col {
	C_OK,
	C_FOUND,
	C_WANTED,
	C_PEOPLE_FOUND,
	C_PEOPLE_WANTED,
	C_NAME,
	C_WHAT,
	NR_CHECK_COLS
};

static const struct faces_column check_cols[NR_CHECK_COLS] = {
	[C_OK] = PLAIN_COLUMN("ok", "OK", 3, true, ALL),
	[C_FOUND] = PLAIN_COLUMN("found", NULL, 0, true, OTHER),
	[C_WANTED] = PLAIN_COLUMN("wanted", NULL, 0, true, OTHER),
	[C_PEOPLE_FOUND] = PLAIN_COLUMN("found_text", "Found", 10, true, FACES_PEOPLE),
	[C_PEOPLE_WANTED] = PLAIN_COLUMN("wanted_text", "Wanted", 12, true, FACES_PEOPLE),
	[C_NAME] = SUBJECT_COLUMN("check", "Check", 44, true),
	[C_WHAT] = PLAIN_COLUMN("advice", "What to do", 20, false, ALL),
};

/* A number that is to be at least, or at most, another one; @blind: what no number tells, it is there. */
struct check {
	const char *name, *advice; /* advice: where it is not as wanted */
	double found, wanted;
	bool known, least, percent, blind;
};

#define CHECKS_MAX 20

struct checks {
	struct check v[CHECKS_MAX];
	size_t nr;
};

static void add_blind_spot(struct checks *c, bool is, const char *name, const char *advice)
{
	if (is && c->nr < CHECKS_MAX)
		c->v[c->nr++] = (struct check){ .name = name, .advice = advice, .blind = true };
}

/* What the source of the samples cannot see. */
static void add_source(struct checks *c, const struct faces *f, const struct brstat_quality *q)
{
	const struct source s = source_of(f);

	add_blind_spot(c, s.software, "blind spot: branches were followed in software",
		       "no kernel, no mispredictions; the program ran slower, and what waits for "
		       "time or others ran otherwise");
	add_blind_spot(c, s.no_kernel, "blind spot: the kernel was left out",
		       "nothing, for a program's own profile");
	add_blind_spot(c, s.some, "blind spot: the filter keeps only some branches",
		       "record with -b: code in between is not known");
	add_blind_spot(c, s.calls, "blind spot: stacks of calls, no branches",
		       "record with -b instead of --call-graph lbr");
	add_blind_spot(c, !q->branches, "bias: no branch stacks",
		       "edges are guessed from samples; record with -b where it can be had");
	add_blind_spot(c, !q->branches && !s.precise, "bias: samples skid to later instructions",
		       "record a precise event (-e cycles:pp), or with -b");
}

static struct checks checks_of(const struct faces *f)
{
	const struct brstat_quality *q = brstat_quality(f->stat);
	const double lost = faces_percent(f->lost_samples, f->lost_samples + q->samples);
	struct checks c = {
		.v = {
		{ q->branches ? "bytes run per byte, least of functions with 99%"
			      : "samples, least of functions with 99%",
		  "record longer, or more often (-F)", q->density, q->density_wanted, q->hot, true,
		  false, false },
		{ "hot functions that have so much", "see below which do not",
		  faces_percent(q->hot_enough, q->hot), 100, q->hot, true, true, false },
		{ "in functions that are known", "install symbols; see the table of functions",
		  faces_percent(q->named, q->total), 90, q->total, true, true, false },
		{ "agreement of every other slice", "record longer", 100 * q->by_turns,
		  100 * (1 - BRSTAT_APART), q->by_turns >= 0, true, true, false },
		{ "agreement of first and second half", "record a whole run of the work",
		  100 * q->in_time, 80, q->in_time >= 0, true, true, false },
		{ "in files with another build id than recorded", "keep the files that run",
		  faces_percent(q->by_state[BRSTAT_STALE], q->total), 0, q->total, false, true, false },
		{ "in files without a recorded build id", "record with build ids (--buildid-mmap)",
		  faces_percent(q->by_state[BRSTAT_UNPROVEN], q->total), 0, q->total, false, true, false },
		{ "in files that are not here", "--symfs, or perf archive where it was recorded",
		  faces_percent(q->by_state[BRSTAT_MISSING], q->total), 1, q->total, false, true, false },
		{ "samples lost", "record with larger buffers (-m)", lost, 1, q->samples, false,
		  true, false },
		{ "samples behind their newest branch",
		  "the sampled address and the branches are of "
		  "two moments",
		  faces_percent(q->behind, q->behind_of), 90, q->behind_of, true, true, false },
		},
	};

	while (c.v[c.nr].name)
		c.nr++;
	add_source(&c, f, q);
	return c;
}

static int walk_check(struct walk *k, const struct faces_table *t, size_t i)
{
	const struct checks all = checks_of(k->pub.f);
	const struct check *c = &all.v[i];
	bool ok = !c->blind && (c->least ? c->found >= c->wanted : c->found <= c->wanted);
	const char *unit = c->percent ? "%" : "";
	char found[40], wanted[40];
	struct faces_cell cells[NR_CHECK_COLS] = {
		[C_NAME] = list_text(c->name),
		[C_FOUND] = list_real(c->known, c->found),
		[C_WANTED] = list_real(!c->blind, c->wanted),
		[C_OK] = list_text(!c->known && !c->blind ? NULL
				   : ok			  ? "yes"
							  : "no"),
		[C_WHAT] = list_text(ok || (!c->known && !c->blind) ? "" : c->advice),
		[C_PEOPLE_FOUND] = list_text(c->known ? found : NULL),
		[C_PEOPLE_WANTED] = list_text(c->blind ? NULL : wanted),
	};

	/* More than nothing does not look like nothing. */
	if (c->found > 0 && c->found < 0.05)
		snprintf(found, sizeof(found), "< 0.1%s", unit);
	else
		snprintf(found, sizeof(found), "%.1f%s", c->found, unit);
	snprintf(wanted, sizeof(wanted), "%s %.1f%s", c->least ? ">=" : "<=", c->wanted, unit);
	return walk_plain_row(k, t, cells);
}

static size_t nr_checks(const struct faces *f)
{
	return checks_of(f).nr;
}

static const char *check_title(const struct faces *f, char *buf, size_t size)
{
	char text[120];

	snprintf(buf, size, "Profile quality: %s",
		 verdict_text(brstat_quality(f->stat), text, sizeof(text)));
	return buf;
}

const struct walk_list walk_check_list = {
	.what = BRSTAT_QUALITY,
	.table = { .name = "checks",
		   .title = "Profile quality",
		   .legend =
			   "Whether what was found is as wanted; -: not told by this recording. Blind spots and bias are of the source of the\n"
			   "samples, whatever else holds. Enough is for what this work ran: that users' work is alike is not said.\n",
		   .cols = check_cols,
		   .nr_cols = NR_CHECK_COLS },
	.title = check_title,
	.nr = nr_checks,
	.row = walk_check,
};

/* ---- functions --------------------------------------------------------------------------------- */

enum function_col {
	F_SHARE,
	F_NR,
	F_SAMPLES,
	F_SIZE,
	F_DENSITY,
	F_MORE,
	F_FIRST,
	F_SECOND,
	F_FILE,
	F_NAME,
	F_DSO,
	NR_FUNCTION_COLS
};

static const struct faces_column function_cols[NR_FUNCTION_COLS] = {
	[F_SHARE] = LIST_SHARE_COLUMN("percent", "Share", 7),
	[F_NR] = PLAIN_COLUMN("count", "Count", 10, true, ALL),
	[F_SAMPLES] = PLAIN_COLUMN("samples", "Samples", 10, true, ALL),
	[F_SIZE] = PLAIN_COLUMN("size", "Size", 8, true, ALL),
	[F_DENSITY] = PLAIN_COLUMN("density", "Density", 10, true, ALL),
	[F_MORE] = PLAIN_COLUMN("times_as_much", "Needs x", 8, true, ALL),
	[F_FIRST] = LIST_SHARE_COLUMN("first_half", "1st half", 8),
	[F_SECOND] = LIST_SHARE_COLUMN("second_half", "2nd half", 8),
	[F_FILE] = PLAIN_COLUMN("file", "File", 9, true, ALL),
	[F_NAME] = SUBJECT_COLUMN("function", "Function", 34, true),
	[F_DSO] = PLAIN_COLUMN("dso", "Object", 10, false, ALL),
};

static int walk_function(struct walk *k, const struct faces_table *t, size_t i)
{
	static const char *const states[] = {
		[BRSTAT_PROVEN] = "as run",
		[BRSTAT_UNPROVEN] = "unproven",
		[BRSTAT_STALE] = "another",
		[BRSTAT_MISSING] = "missing",
	};
	const struct brstat_quality *q = brstat_quality(k->pub.f->stat);
	const struct brstat_function *f = brstat_function_at(k->pub.f->stat, i);
	double wanted = q->density_wanted;
	struct faces_cell cells[NR_FUNCTION_COLS] = {
		[F_SHARE] = list_share(f->nr, t->total),
		[F_NR] = list_number(f->nr),
		[F_SAMPLES] = list_number(f->samples),
		[F_SIZE] = list_number(f->size),
		[F_DENSITY] = list_real(f->size, f->density),
		[F_MORE] = list_real(f->size && f->density > 0,
				     f->density < wanted ? wanted / f->density : 1),
		[F_FIRST] = list_share(f->half[1][0], q->half[0]),
		[F_SECOND] = list_share(f->half[1][1], q->half[1]),
		[F_FILE] = list_text(f->dso ? states[f->state] : NULL),
		[F_NAME] = list_text(f->sym ? f->sym->name : NULL),
		[F_DSO] = list_text(list_dso(f->dso)),
	};

	if (!f->size)
		cells[F_SIZE].kind = FACES_NONE;
	return walk_plain_row(k, t, cells);
}

static size_t nr_functions(const struct faces *f)
{
	return brstat_nr_functions(f->stat);
}

static uint64_t counted(const struct brstat *b)
{
	return brstat_quality(b)->total;
}

static bool is_small_function(const struct faces *f, size_t i)
{
	return faces_percent(brstat_function_at(f->stat, i)->nr, counted(f->stat)) <
	       f->o.min_percent;
}

static void function_place(const struct brstat *b, size_t i, struct faces_place *at)
{
	const struct brstat_function *f = brstat_function_at(b, i);

	*at = (struct faces_place){ f->dso, f->sym, f->sym ? f->sym->start : f->addr };
}

const struct walk_list walk_function_list = {
	.what = BRSTAT_QUALITY,
	.table = { .name = "functions",
		   .title = "Functions",
		   .legend =
			   "Count: branches that left it, samples in it where there are no branch stacks. Density: bytes of its code that\n"
			   "ran by the bytes it has, else samples; Needs x: so many times this recording, until that is enough. 1st half,\n"
			   "2nd half: its share of each half of the time. File: as run; unproven, no build id was recorded; another one than\n"
			   "recorded; missing. -: not told by this recording.\n",
		   .cols = function_cols,
		   .nr_cols = NR_FUNCTION_COLS },
	.total = counted,
	.nr = nr_functions,
	.small = is_small_function,
	.row = walk_function,
	.place = function_place,
};

int walk_quality(struct walk *k)
{
	const struct brstat_quality *q = brstat_quality(k->pub.f->stat);

	return walk_verdict(k, q) ?: walk_list(k, &walk_check_list)
	?: walk_list(k, &walk_function_list);
}
