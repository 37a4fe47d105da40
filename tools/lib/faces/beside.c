// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * script --json --branches and --profile-quality: rows of report's tables at the samples and branches that they are
 * about. Rows come again and again, so the text of those that came lately is kept, in a table of a fixed size, by each
 * thread.
 */
#include <stdlib.h>

#include "faces/faces-int.h"

#define ROW_BITS 12

/* A row's object as text. */
struct row_text {
	const struct walk_list *list; /* NULL = an empty slot */
	uint32_t nr;
	struct obuf text;
};

struct answer {
	const struct brstat *stat; /* NULL = not asked */
	struct brstat_index *index;
};

struct faces_beside {
	const struct machine *m;
	struct answer why, cycles, paths, quality;
	struct script_beside script;
};

/* Of one thread. */
struct own {
	const struct faces_beside *b;
	VEC(struct dso *)
	dsos; /* by number: what it is to the index; NULL = nobody asked, or it has nothing like it */
	VEC(uint8_t) asked;
	struct row_text *rows;
};

/* ---- places -------------------------------------------------------------------------------------- */

static const struct dso none;

/* As the index knows it; what it does not know is like nothing. */
static const struct dso *known_dso(struct own *own, const struct dso *dso)
{
	if (!dso)
		return NULL;
	if (vec_reach(&own->asked, dso->idx, 0) || vec_reach(&own->dsos, dso->idx, NULL))
		return &none;
	if (!own->asked.v[dso->idx]) {
		own->asked.v[dso->idx] = 1;
		own->dsos.v[dso->idx] = machine_dso_like(own->b->m, dso);
	}
	return own->dsos.v[dso->idx] ?: &none;
}

static struct brstat_place place_of(struct own *own, const struct script_spot *at)
{
	return (struct brstat_place){ known_dso(own, at->dso), at->addr };
}

/* ---- rows ---------------------------------------------------------------------------------------- */

/* Superblock @i, without what sums up those above it. */
static void put_path(const struct brstat *b, uint32_t i, struct emit *e)
{
	const struct brstat_super *s = brstat_super(b, i);

	emit_object(e, NULL);
	emit_u64(e, "number", (uint64_t)i + 1);
	emit_f64(e, "percent", faces_percent(s->runs, brstat_sum(b)->runs), 2);
	emit_u64(e, "blocks_run", s->runs);
	emit_u64(e, "begun", s->begins);
	emit_f64(e, "through", 100 * s->through, 2);
	emit_u64(e, "blocks", s->nr);
	emit_end(e);
}

/* The text of a row; NULL: no memory. */
static const char *row_text(struct own *own, const struct walk_list *l, const struct brstat *b,
			    uint32_t nr)
{
	struct row_text *r = &own->rows[hash_slot((uint64_t)(uintptr_t)l << 16 ^ nr, ROW_BITS)];
	struct emit e;

	if (r->list == l && r->nr == nr)
		return r->text.buf;
	if (!r->text.buf && obuf_init(&r->text, -1, 512))
		return NULL;
	r->text.len = 0;
	emit_init(&e, &r->text, EMIT_JSON);
	if (l == &walk_path_list)
		put_path(b, nr, &e);
	else if (faces_list_json_here(l, b, nr, &e))
		r->text.code = -ENOMEM;
	obuf_char(&r->text, 0);
	r->list = r->text.code ? NULL : l;
	r->nr = nr;
	return r->text.code ? NULL : r->text.buf;
}

static void put_row(struct own *own, const struct walk_list *l, const struct brstat *b, uint32_t nr,
		    const char *name, struct emit *e)
{
	const char *text = nr == BRSTAT_NOWHERE ? "null" : row_text(own, l, b, nr);

	if (text)
		emit_raw(e, name, text);
	else
		e->o->code = -ENOMEM;
}

/* ---- members ------------------------------------------------------------------------------------- */

static void put_why(struct own *own, const struct brstat_place at[2], struct emit *e)
{
	const struct answer *a = &own->b->why;
	uint32_t nr = brstat_find(a->index, BRSTAT_A_BRANCH, at, NULL);

	put_row(own, &walk_branch_list, a->stat, nr, "why", e);
	if (nr != BRSTAT_NOWHERE && brstat_is_indirect(brstat_branch(a->stat, nr)))
		put_row(own, &walk_target_list, a->stat,
			brstat_find(a->index, BRSTAT_A_TARGET, at, NULL), "target", e);
}

/* The block is the one before the branch: its cycles are those that the branch has. */
static void put_cycles(struct own *own, const struct script_branch *b,
		       const struct brstat_place at[4], struct emit *e)
{
	const struct answer *a = &own->b->cycles;
	uint32_t nr = b->has_before ? brstat_find(a->index, BRSTAT_A_BLOCK, at + 1, NULL)
				    : BRSTAT_NOWHERE;
	const struct brstat_block *bl = nr == BRSTAT_NOWHERE ? NULL : brstat_block(a->stat, nr);

	put_row(own, &walk_block_list, a->stat, nr, "block", e);
	if (bl && bl->nr_cycles && b->cycles >= bl->min)
		emit_u64(e, "cycles_above_best", b->cycles - bl->min);
	else
		emit_str(e, "cycles_above_best", NULL);
	put_row(own, &walk_edge_list, a->stat, brstat_find(a->index, BRSTAT_AN_EDGE, at + 2, NULL),
		"edge", e);
}

static void put_paths(struct own *own, const struct script_branch *b,
		      const struct brstat_place at[4], struct emit *e)
{
	const struct answer *a = &own->b->paths;
	uint32_t block = 0;
	uint32_t nr =
		b->has_before ? brstat_find(a->index, BRSTAT_A_STEP, at, &block) : BRSTAT_NOWHERE;

	put_row(own, &walk_path_list, a->stat, nr, "path", e);
	if (nr == BRSTAT_NOWHERE)
		emit_str(e, "path_block", NULL);
	else
		emit_u64(e, "path_block", (uint64_t)block + 1);
	put_row(own, &walk_loop_list, a->stat, brstat_find(a->index, BRSTAT_A_LOOP, at + 2, NULL),
		"loop", e);
}

static void branch(void *ctx, const struct script_branch *b, struct emit *e)
{
	struct own *own = ctx;
	struct brstat_place at[BRSTAT_PLACES] = { { 0 } };

	if (b->has_before) {
		at[0] = place_of(own, &b->before_from);
		at[1] = place_of(own, &b->before_to);
	}
	at[2] = place_of(own, &b->from);
	at[3] = place_of(own, &b->to);
	if (own->b->why.stat)
		put_why(own, at + 2, e);
	if (own->b->cycles.stat)
		put_cycles(own, b, at, e);
	if (own->b->paths.stat)
		put_paths(own, b, at, e);
}

static void sample(void *ctx, const struct script_spot *at, struct emit *e)
{
	struct own *own = ctx;
	const struct answer *a = &own->b->quality;
	const struct brstat_place function = { known_dso(own, at->dso),
					       at->sym ? at->sym->start : BRSTAT_UNNAMED };

	put_row(own, &walk_function_list, a->stat,
		brstat_find(a->index, BRSTAT_A_FUNCTION, &function, NULL), "quality", e);
}

/* ---- beginning and end --------------------------------------------------------------------------- */

static void end(void *ctx)
{
	struct own *own = ctx;

	if (!own)
		return;
	for (size_t i = 0; own->rows && i < 1u << ROW_BITS; i++)
		if (own->rows[i].text.buf)
			obuf_free(&own->rows[i].text);
	free(own->rows);
	vec_free(&own->dsos);
	vec_free(&own->asked);
	free(own);
}

static void *begin(void *ctx)
{
	struct own *own = calloc(1, sizeof(*own));

	if (!own)
		return NULL;
	own->b = ctx;
	own->rows = calloc((size_t)1 << ROW_BITS, sizeof(*own->rows));
	if (own->rows)
		return own;
	end(own);
	return NULL;
}

static int find_by_place(struct answer *a, const struct brstat *stat, struct err *e)
{
	a->stat = stat;
	return stat ? brstat_index_new(&a->index, stat, e) : 0;
}

int faces_beside_new(struct faces_beside **out, const struct faces_beside_of *of, struct err *e)
{
	struct faces_beside *b = calloc(1, sizeof(*b));
	int ret;

	*out = NULL;
	if (!b)
		return err_set(e, -ENOMEM, "no memory for what stands beside samples");
	b->m = of->m;
	ret = find_by_place(&b->why, of->why, e) ?: find_by_place(&b->cycles, of->cycles, e);
	ret = ret ?: find_by_place(&b->paths, of->paths, e);
	ret = ret ?: find_by_place(&b->quality, of->quality, e);
	b->script = (struct script_beside){
		.begin = begin,
		.sample = of->quality ? sample : NULL,
		.branch = of->why || of->cycles || of->paths ? branch : NULL,
		.end = end,
	};
	if (ret)
		faces_beside_free(b);
	else
		*out = b;
	return ret;
}

void faces_beside_free(struct faces_beside *b)
{
	if (!b)
		return;
	brstat_index_free(b->why.index);
	brstat_index_free(b->cycles.index);
	brstat_index_free(b->paths.index);
	brstat_index_free(b->quality.index);
	free(b);
}

const struct script_beside *faces_beside_script(const struct faces_beside *b)
{
	return &b->script;
}
