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
	struct source s = { .some = brstat_sum(f->stat)->some,
			    .calls = brstat_sum(f->stat)->calls,
			    .precise = 3 };

	for (size_t i = 0; i < perfdata_nr_events(f->pd); i++) {
		const struct perf_event_attr *a = &perfdata_event(f->pd, i)->attr;

		s.precise = (unsigned)min_u64(s.precise, attr_precise(a));
		s.software |= perfdata_follows_branches(f->pd, (uint32_t)i);
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
	[C_NAME] = PLAIN_COLUMN("check", "Check", 44, true, ALL),
	[C_WHAT] = PLAIN_COLUMN("advice", "What to do", 20, false, ALL),
};

/* A number that is to be at least, or at most, another one. */
struct check {
	const char *name, *advice; /* advice: where it is not */
	double found, wanted;
	bool known, least, percent;
};

static int walk_check(struct walk *k, const struct faces_table *t, const struct check *c)
{
	bool ok = c->least ? c->found >= c->wanted : c->found <= c->wanted;
	const char *unit = c->percent ? "%" : "";
	char found[40], wanted[40];
	struct faces_cell cells[NR_CHECK_COLS] = {
		[C_NAME] = list_text(c->name),
		[C_FOUND] = list_real(c->known, c->found),
		[C_WANTED] = list_real(true, c->wanted),
		[C_OK] = list_text(!c->known ? NULL
				   : ok	     ? "yes"
					     : "no"),
		[C_WHAT] = list_text(ok || !c->known ? "" : c->advice),
		[C_PEOPLE_FOUND] = list_text(c->known ? found : NULL),
		[C_PEOPLE_WANTED] = list_text(wanted),
	};

	snprintf(found, sizeof(found), "%.1f%s", c->found, unit);
	snprintf(wanted, sizeof(wanted), "%s %.1f%s", c->least ? ">=" : "<=", c->wanted, unit);
	return walk_plain_row(k, t, cells);
}

/* What no number tells: it is there or not. */
static int walk_blind_spot(struct walk *k, const struct faces_table *t, bool is, const char *name,
			   const char *advice)
{
	struct faces_cell cells[NR_CHECK_COLS] = {
		[C_NAME] = list_text(name),	     [C_FOUND] = list_text(NULL),
		[C_WANTED] = list_text(NULL),	     [C_OK] = list_text("no"),
		[C_WHAT] = list_text(advice),	     [C_PEOPLE_FOUND] = list_text(NULL),
		[C_PEOPLE_WANTED] = list_text(NULL),
	};

	return is ? walk_plain_row(k, t, cells) : 0;
}

static int walk_source(struct walk *k, const struct faces_table *t, const struct brstat_quality *q)
{
	const struct source s = source_of(k->pub.f);

	return walk_blind_spot(k, t, s.software, "blind spot: branches were followed in software",
			       "no kernel, no mispredictions; the program ran slower, and what waits for "
			       "time or others ran otherwise") ?:
	       walk_blind_spot(k, t, s.no_kernel, "blind spot: the kernel was left out",
			       "nothing, for a program's own profile") ?:
	       walk_blind_spot(k, t, s.some, "blind spot: the filter keeps only some branches",
			       "record with -b: code in between is not known") ?:
	       walk_blind_spot(k, t, s.calls, "blind spot: stacks of calls, no branches",
			       "record with -b instead of --call-graph lbr") ?:
	       walk_blind_spot(k, t, !q->branches, "bias: no branch stacks",
			       "edges are guessed from samples; record with -b where it can be had") ?:
	       walk_blind_spot(k, t, !q->branches && !s.precise,
			       "bias: samples skid to later instructions",
			       "record a precise event (-e cycles:pp), or with -b");
}

static int walk_checks(struct walk *k, const struct brstat_quality *q)
{
	const struct faces *f = k->pub.f;
	char title[200], text[120];
	struct faces_table t = { .kind = FACES_LIST,
				 .name = "checks",
				 .title = title,
				 .cols = check_cols,
				 .nr_cols = NR_CHECK_COLS };
	const double lost = faces_percent(f->lost_samples, f->lost_samples + q->samples);
	const struct check checks[] = {
		{ q->branches ? "bytes run per byte, least of functions with 99%"
			      : "samples, least of functions with 99%",
		  "record longer, or more often (-F)", q->density, q->density_wanted, q->hot, true,
		  false },
		{ "hot functions that have so much", "see below which do not",
		  faces_percent(q->hot_enough, q->hot), 100, q->hot, true, true },
		{ "in functions that are known", "install symbols; see the table of functions",
		  faces_percent(q->named, q->total), 90, q->total, true, true },
		{ "agreement of every other slice", "record longer", 100 * q->by_turns,
		  100 * (1 - BRSTAT_APART), q->by_turns >= 0, true, true },
		{ "agreement of first and second half", "record a whole run of the work",
		  100 * q->in_time, 80, q->in_time >= 0, true, true },
		{ "in files with another build id than recorded", "keep the files that run",
		  faces_percent(q->by_state[BRSTAT_STALE], q->total), 0, q->total, false, true },
		{ "in files without a recorded build id", "record with build ids (--buildid-mmap)",
		  faces_percent(q->by_state[BRSTAT_UNPROVEN], q->total), 0, q->total, false, true },
		{ "in files that are not here", "--symfs, or perf archive where it was recorded",
		  faces_percent(q->by_state[BRSTAT_MISSING], q->total), 1, q->total, false, true },
		{ "samples lost", "record with larger buffers (-m)", lost, 1, q->samples, false,
		  true },
		{ "samples behind their newest branch",
		  "the sampled address and the branches are of "
		  "two moments",
		  faces_percent(q->behind, q->behind_of), 90, q->behind_of, true, true },
	};
	int ret;

	snprintf(title, sizeof(title), "Profile quality: %s", verdict_text(q, text, sizeof(text)));
	ret = VISIT(k, table, &t);
	for (size_t i = 0; !ret && i < ARRAY_SIZE(checks); i++)
		ret = walk_check(k, &t, &checks[i]);
	ret = ret ?: walk_source(k, &t, q);
	ret = ret ?: VISIT(k, table_end, &t);
	return ret < 0 ? ret : 0;
}

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
	[F_NAME] = PLAIN_COLUMN("function", "Function", 34, true, ALL),
	[F_DSO] = PLAIN_COLUMN("dso", "Object", 10, false, ALL),
};

static int walk_function(struct walk *k, const struct faces_table *t,
			 const struct brstat_function *f, const uint64_t half[2])
{
	static const char *const states[] = {
		[BRSTAT_PROVEN] = "as run",
		[BRSTAT_UNPROVEN] = "unproven",
		[BRSTAT_STALE] = "another",
		[BRSTAT_MISSING] = "missing",
	};
	double wanted = brstat_quality(k->pub.f->stat)->density_wanted;
	struct faces_cell cells[NR_FUNCTION_COLS] = {
		[F_SHARE] = list_share(f->nr, t->total),
		[F_NR] = list_number(f->nr),
		[F_SAMPLES] = list_number(f->samples),
		[F_SIZE] = list_number(f->size),
		[F_DENSITY] = list_real(f->size, f->density),
		[F_MORE] = list_real(f->size && f->density > 0,
				     f->density < wanted ? wanted / f->density : 1),
		[F_FIRST] = list_share(f->half[1][0], half[0]),
		[F_SECOND] = list_share(f->half[1][1], half[1]),
		[F_FILE] = list_text(f->dso ? states[f->state] : NULL),
		[F_NAME] = list_text(f->sym ? f->sym->name : NULL),
		[F_DSO] = list_text(list_dso(f->dso)),
	};

	if (!f->size)
		cells[F_SIZE].kind = FACES_NONE;
	return walk_plain_row(k, t, cells);
}

static int walk_functions(struct walk *k, const struct brstat_quality *q)
{
	const struct faces *f = k->pub.f;
	const struct faces_table t = { .kind = FACES_LIST,
				       .name = "functions",
				       .title = "Functions",
				       .cols = function_cols,
				       .nr_cols = NR_FUNCTION_COLS,
				       .total = q->total };
	uint64_t half[2] = { 0, 0 };
	int ret = VISIT(k, table, &t);

	for (size_t i = 0; i < brstat_nr_functions(f->stat); i++)
		for (int h = 0; h < 2; h++)
			half[h] += brstat_function_at(f->stat, i)->half[1][h];
	for (size_t i = 0; !ret && i < brstat_nr_functions(f->stat) && !walk_broken(k); i++) {
		const struct brstat_function *fn = brstat_function_at(f->stat, i);

		if (faces_percent(fn->nr, t.total) >= f->o.min_percent)
			ret = walk_function(k, &t, fn, half);
	}
	ret = ret ?: VISIT(k, table_end, &t);
	return ret < 0 ? ret : 0;
}

int walk_quality(struct walk *k)
{
	const struct brstat_quality *q = brstat_quality(k->pub.f->stat);

	return walk_verdict(k, q) ?: walk_checks(k, q) ?: walk_functions(k, q);
}
