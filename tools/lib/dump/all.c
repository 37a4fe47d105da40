// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A whole recording: its records with their counts, or the counts alone. Records are printed by several
 * threads, each a piece of the recording at a time, into memory; what is made of a piece goes out
 * when all before it went. The names of threads need a machine, so each has one and is told what
 * changes it in the pieces of others.
 */
#include <stdlib.h>

#include "base/side.h"
#include "base/turns.h"
#include "dump/dump-int.h"

#define PIECE	     (512u << 10)
#define PIECES_A_JOB 8
#define PIECE_MIN    4096

struct printer {
	struct team *team;
	struct perfdata *pd, *own; /* own: opened for this one; NULL = the first's */
	struct dump *d;
	struct obuf out;
	size_t known; /* pieces whose records changed the machine */
	int ret;
	struct err err;
};

struct team {
	struct perfdata_index *x;
	struct turns turns;
	struct printer *v;
	size_t nr;
};

/* ---- which records others have to know ------------------------------------------------------- */

struct seen {
	struct machine_seen *m;
	/* The last one's, whose samples have pid and tid at @tid_at; 0 = they have none. */
	const struct perfdata_event *event;
	unsigned tid_at;
};

/* Most samples are of a thread that was just seen, which two words tell. */
static bool seen_recently(struct seen *k, const struct record *rec)
{
	const struct perfdata_event *ev = rec->event;

	if (unlikely(ev != k->event)) {
		k->event = ev;
		k->tid_at = ev && ev->attr.sample_type & PERF_SAMPLE_TID
				    ? 8 + attr_head_offset(ev->attr.sample_type, PERF_SAMPLE_TID)
				    : 0;
	}
	return k->tid_at && k->tid_at + 8 <= rec->size &&
	       machine_seen_recently(k->m, load_u32(rec->data + k->tid_at, rec->swap),
				     load_u32(rec->data + k->tid_at + 4, rec->swap));
}

static enum perfdata_keep keep(void *ctx, const struct record *rec)
{
	struct machine_seen *m = ((struct seen *)ctx)->m;
	struct sample s;

	if (rec->type != PERF_RECORD_SAMPLE)
		return machine_seen_record(m, rec) ? PERFDATA_KEEP : PERFDATA_KEEP_NOT;
	if (seen_recently(ctx, rec))
		return PERFDATA_KEEP_NO_MORE;
	return !sample_parse_some(rec, PERF_SAMPLE_TID, &s, NULL) &&
			       !machine_seen_recently(m, s.pid, s.tid) &&
			       machine_seen_first(m, s.pid, s.tid)
		       ? PERFDATA_KEEP
		       : PERFDATA_KEEP_NOT;
}

static int learn(void *ctx, const struct record *rec, struct err *e)
{
	struct printer *p = ctx;

	return machine_learn(p->d->machine, rec) ? err_set(e, -ENOMEM, "no memory for threads") : 0;
}

/* ---- a thread -------------------------------------------------------------------------------- */

static int print_piece(struct printer *p, size_t piece, struct err *e)
{
	const struct perfdata_index *x = p->team->x;
	struct record rec;
	int ret = 0;

	if (p->known < piece)
		ret = perfdata_known_records(p->pd, x, p->known, piece, learn, p, e);
	p->known = piece + 1;
	ret = ret ?: perfdata_read_pieces(p->pd, x, piece, piece + 1, e);
	while (!ret && (ret = perfdata_next_ordered(p->pd, &rec, e)) > 0) {
		dump_record(p->d, &rec);
		ret = p->out.code; /* no memory */
	}
	return ret;
}

static void print_pieces(void *printers, size_t i)
{
	struct printer *p = (struct printer *)printers + i;
	size_t piece;

	while (!p->ret && (piece = turns_take(&p->team->turns)) != TURNS_NONE) {
		p->ret = print_piece(p, piece, &p->err);
		turns_write(&p->team->turns, piece, &p->out, p->ret != 0);
	}
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int start_printers(struct team *t, struct perfdata *pd, const struct dump_opts *opts,
			  struct err *e)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < t->nr; i++) {
		struct printer *p = &t->v[i];

		p->team = t;
		if (i)
			ret = perfdata_open_again(&p->own, pd, e);
		p->pd = i ? p->own : pd;
		if (!ret && obuf_init(&p->out, -1, 0))
			ret = err_set(e, -ENOMEM, "no memory for output");
		ret = ret ?: dump_new(&p->d, p->pd, &p->out, opts, e);
	}
	return ret;
}

static void end_printers(struct team *t, struct dump_stats *stats)
{
	for (size_t i = 0; t->v && i < t->nr; i++) {
		if (t->v[i].d)
			dump_stats_join(stats, dump_stats(t->v[i].d));
		dump_free(t->v[i].d);
		obuf_free(&t->v[i].out);
		perfdata_close(t->v[i].own);
	}
	free(t->v);
}

static int print_side(struct perfdata *pd, struct perfdata_index *x, struct obuf *o,
		      const struct dump_opts *opts, struct dump_stats *stats, struct err *e)
{
	struct team t = { .x = x };
	int ret;

	turns_init(&t.turns, perfdata_nr_pieces(x));
	t.nr = min_u64(opts->jobs, t.turns.end);
	t.v = calloc(t.nr, sizeof(*t.v));
	turns_write_to(&t.turns, o, t.nr);
	ret = t.v ? start_printers(&t, pd, opts, e)
		  : err_set(e, -ENOMEM, "no memory for %zu jobs", t.nr);
	if (!ret)
		side_by_side((unsigned)t.nr, t.nr, print_pieces, t.v);
	for (size_t i = 0; !ret && i < t.nr; i++) {
		ret = t.v[i].ret;
		if (ret)
			*e = t.v[i].err;
	}
	end_printers(&t, stats);
	turns_free(&t.turns);
	if (!ret && perfdata_index_damage(x)) {
		*e = *perfdata_index_damage(x);
		ret = e->code;
	}
	return ret;
}

static int print_one(struct perfdata *pd, struct obuf *o, const struct dump_opts *opts,
		     struct dump_stats *stats, struct err *e)
{
	struct record rec;
	struct dump *d;
	int ret = dump_new(&d, pd, o, opts, e);

	if (ret)
		return ret;
	while (!o->code && (ret = perfdata_next_ordered(pd, &rec, e)) > 0)
		dump_record(d, &rec);
	dump_stats_join(stats, dump_stats(d));
	dump_free(d);
	return ret < 0 ? ret : 0;
}

/* Counters in samples count by what they were before. */
static bool has_totals(const struct perfdata *pd)
{
	for (size_t i = 0; i < perfdata_nr_events(pd); i++)
		if (perfdata_event(pd, i)->attr.sample_type & PERF_SAMPLE_READ)
			return true;
	return false;
}

static int print_all(struct perfdata *pd, struct obuf *o, const struct dump_opts *opts,
		     struct dump_stats *stats, struct err *e)
{
	struct perfdata_index_opts xo = { .keep = keep };
	struct perfdata_index *x = NULL;
	struct seen seen = { 0 };
	struct perfdata_layout l;
	int ret = -ENOTSUP;

	perfdata_layout(pd, &l);
	if (opts && opts->jobs > 1 && !has_totals(pd)) {
		seen.m = machine_seen_new();
		xo.ctx = &seen;
		xo.piece =
			max_u64(PIECE_MIN, min_u64(PIECE, l.file_size / opts->jobs / PIECES_A_JOB));
		if (seen.m)
			ret = perfdata_index_new(&x, pd, &xo, e);
		machine_seen_free(seen.m);
	}
	if (ret == -ENOTSUP) {
		err_clear(e);
		return print_one(pd, o, opts, stats, e);
	}
	ret = ret ?: print_side(pd, x, o, opts, stats, e);
	perfdata_index_free(x);
	return ret;
}

int dump_records(struct perfdata *pd, struct obuf *o, const struct dump_opts *opts, struct err *e)
{
	struct dump_stats stats = { .pd = pd };
	int ret = print_all(pd, o, opts, &stats, e);

	dump_stats_free(&stats);
	return ret;
}

int dump_all(struct perfdata *pd, struct obuf *o, const struct dump_opts *opts, struct err *e)
{
	struct dump_stats stats = { .pd = pd };
	int ret = print_all(pd, o, opts, &stats, e);

	/* What came before a damaged record was whole: its counts are of use. */
	dump_print_stats(&stats, pd, o);
	dump_stats_free(&stats);
	return ret;
}

int dump_all_stats(struct perfdata *pd, struct obuf *o, struct err *e)
{
	struct dump_stats s = { .pd = pd };
	struct record rec;
	int ret;

	while ((ret = perfdata_next(pd, &rec, e)) > 0)
		dump_stats_add(&s, &rec);
	dump_print_stats(&s, pd, o);
	dump_stats_free(&s);
	return ret;
}
