// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf report --pieces: samples are counted in tables of their own, a new one after every so many,
 * and these are added up at the end. The answer must be that of one table, which is what tests ask.
 * With --apart each piece has a session of its own too, which brings up threads and maps as if it
 * had read all and is gone before the answer is written: machines and resolvers then number what
 * they meet in ways of their own, and the tables are added by maps from one to the other.
 */
#include <stdlib.h>

#include "jobs.h"
#include "report.h"

int report_next_piece(struct report *r, struct err *e)
{
	struct report_piece *v = realloc(r->pieces, (r->nr_pieces + 1) * sizeof(*v));

	if (!v)
		return err_set(e, -ENOMEM, "no memory for pieces");
	r->pieces = v;
	v[r->nr_pieces++] = (struct report_piece){ r->t, r->flow, r->stat };
	r->t = NULL;
	r->flow = NULL;
	r->stat = NULL;
	return report_start_counting(r, e);
}

/* The first piece takes the others, in their order. */
int report_join_pieces(struct report *r, struct err *e)
{
	struct report_piece last = { r->t, r->flow, r->stat };
	int ret = 0;

	if (!r->nr_pieces)
		return 0;
	r->t = r->pieces[0].t;
	r->flow = r->pieces[0].flow;
	r->stat = r->pieces[0].stat;
	r->pieces[0] = last;
	for (size_t i = 1; !ret && i <= r->nr_pieces; i++) {
		const struct report_piece *from = &r->pieces[i < r->nr_pieces ? i : 0];

		ret = table_merge(r->t, from->t, NULL, e);
		if (!ret && r->flow)
			ret = brflow_merge(r->flow, from->flow, NULL, e);
		if (!ret && r->stat)
			ret = brstat_merge(r->stat, from->stat, NULL, e);
	}
	return ret;
}

/* ---- out of a rich table ---------------------------------------------------------------------- */

struct keys_opts report_rich_opts(const struct keys_opts *o, bool vectors)
{
	struct keys_opts rich = *o;

	rich.rich = true;
	rich.simd |= vectors;
	/* Of branches: the sample itself is in no row, so that places of it are for reading. */
	if (o->branch)
		return rich;
	rich.filter.by_socket = rich.filter.hide_unresolved = false;
	rich.filter.symbol_part = NULL;
	rich.filter.session = NULL;
	return rich;
}

int report_derive_more(struct report *r, struct err *e)
{
	int ret = 0;

	if (r->nr_taken == DERIVE_EACH && !r->o.pieces)
		ret = table_derive_ahead(&r->ahead, r->t, &r->po, e);
	return ret || !r->ahead ? ret : table_derive_more(r->ahead, e);
}

int report_derive(struct report *r, struct err *e)
{
	const struct table_ask ask = { .opts = &r->po };
	struct derive *ahead = r->ahead;

	r->rich = r->t;
	r->t = NULL;
	r->ahead = NULL;
	return ahead ? table_derive_end(&r->t, ahead, e) : table_derive(&r->t, r->rich, &ask, e);
}

/* ---- in sessions of their own ---------------------------------------------------------------- */

/* What counts the samples of piece->session, which is another one than that @piece was copied from. */
int report_start_apart(struct report *piece, struct err *e)
{
	const struct session_env *env = session_env(piece->session);

	piece->pd = env->pd;
	piece->m = env->machine;
	piece->res = env->resolver;
	piece->po.pd = env->pd;
	piece->po.filter.session = session_filter(piece->session);
	return report_start_counting(piece, e);
}

int report_count_apart(struct report *piece, struct err *e)
{
	int ret = session_open(&piece->session, &piece->o.session, e);

	ret = ret ?: session_start(piece->session, e);
	ret = ret ?: report_start_apart(piece, e);
	return ret ?: report_read(piece, NULL, e);
}

/* What lies at instructions; after table_maps_new(), by which both tables have numbered all they had. */
static int add_code(struct report *r, struct report *piece, struct err *e)
{
	struct session_maps *maps;
	int ret = session_maps_new(&maps, session_env(r->session), session_env(piece->session), e);

	ret = ret ?: annotate_merge(r->code, piece->code, maps, e);
	session_maps_free(maps);
	return ret;
}

int report_add_apart(struct report *r, struct report *piece, struct err *e)
{
	struct table_maps *maps;
	int ret = table_maps_new(&maps, r->t, piece->t, r->flow || r->stat, e);

	ret = ret ?: table_merge(r->t, piece->t, maps, e);
	if (!ret && (r->flow || r->stat)) {
		const struct brflow_maps flow = { maps->loc, maps->objects };

		ret = r->flow ? brflow_merge(r->flow, piece->flow, &flow, e) : 0;
		if (!ret && r->stat)
			ret = brstat_merge(r->stat, piece->stat, &flow, e);
	}
	table_maps_free(maps);
	return ret || !r->code ? ret : add_code(r, piece, e);
}

/* The records of a slice of the file count like its samples: *r has those of all. */
int report_read_apart(struct report *r, struct err *e)
{
	bool last = session_in_slice(r->session);
	int ret = 0;

	for (uint64_t n = 1; !ret && !last; n++) {
		struct report piece = *r;

		piece.session = NULL;
		piece.t = NULL;
		piece.flow = NULL;
		piece.stat = NULL;
		piece.code = NULL;
		piece.o.session.first_sample = n * r->o.pieces;
		ret = report_count_apart(&piece, e);
		ret = ret ?: report_add_apart(r, &piece, e);
		r->threads = piece.threads;
		last = !ret && session_in_slice(piece.session);
		brflow_free(piece.flow);
		brstat_free(piece.stat);
		annotate_free(piece.code);
		table_free(piece.t);
		session_close(piece.session);
	}
	return ret;
}

/* ---- by several threads ---------------------------------------------------------------------- */

void report_free_member(void *ctx)
{
	struct report *piece = ctx;

	brflow_free(piece->flow);
	brstat_free(piece->stat);
	annotate_free(piece->code);
	table_free(piece->t);
	faces_threads_free(piece->threads);
	piece->flow = NULL;
	piece->stat = NULL;
	piece->code = NULL;
	piece->t = NULL;
	piece->threads = NULL;
}

static int add_member(void *to, void *from, struct err *e)
{
	struct report *r = to, *piece = from;
	int ret = report_add_apart(r, piece, e);

	ret = ret ?: faces_threads_merge(&r->threads, piece->threads, NULL, e);
	report_free_member(piece);
	return ret;
}

/* Who else counts here asks what lies at addresses, too, and numbers it as it comes. */
static void resolve_later(void *ctx)
{
	const struct report *r = ctx;

	if (!r->flow && !r->stat && !r->code)
		table_resolve_later(r->t);
}

static int resolve_together(void *const *ctx, size_t n, struct err *e)
{
	struct table **t = calloc(n, sizeof(struct table *));
	int ret;

	if (!t)
		return err_set(e, -ENOMEM, "no memory for %zu jobs", n);
	for (size_t i = 0; i < n; i++)
		t[i] = ((const struct report *)ctx[i])->t;
	ret = table_resolve_shared(t, n, e);
	free(t);
	return ret;
}

/* A copy of the first with counters of its own. */
static int start_member(void *ctx, void *first, struct session *s, struct err *e)
{
	struct report *piece = ctx;
	int ret;

	*piece = *(const struct report *)first;
	piece->t = NULL;
	piece->flow = NULL;
	piece->stat = NULL;
	piece->code = NULL;
	piece->threads = NULL;
	piece->session = s;
	ret = report_start_apart(piece, e);
	if (!ret)
		resolve_later(piece);
	return ret;
}

int report_read_team(struct report *r, const struct session_consumer *c, struct err *e)
{
	const struct jobs jobs = {
		.consumer = c,
		.size = sizeof(*r),
		.start = start_member,
		.several = resolve_later,
		.together = resolve_together,
		.add = add_member,
		.free = report_free_member,
	};

	return jobs_read(&jobs, r->session, r, e);
}

void report_free_pieces(struct report *r)
{
	for (size_t i = 0; i < r->nr_pieces; i++) {
		brflow_free(r->pieces[i].flow);
		brstat_free(r->pieces[i].stat);
		table_free(r->pieces[i].t);
	}
	free(r->pieces);
}
