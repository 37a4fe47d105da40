// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What columns of a listing are that options bring, and what such columns say of one instruction in full, for those who
 * have little room beside it.
 */
#include "faces/listing-int.h"

/* Behind what is there, if something is. */
static size_t begin_part(struct obuf *o, size_t from, size_t *at)
{
	*at = o->len;
	if (o->len > from)
		obuf_lit(o, "; ");
	return o->len;
}

static void end_part(struct obuf *o, size_t at, size_t begun)
{
	if (o->len == begun)
		o->len = at;
}

/* "Vectors 256 100%; Lanes 25.0%" */
static void put_vectors(const struct faces_listings *f, const struct listing *l,
			const struct listing_line *line, size_t from, struct obuf *o)
{
	for (size_t i = 0; i < faces_listing_nr_columns; i++) {
		const struct faces_listing_column *c = &faces_listing_columns[i];
		size_t at, begun;

		if (c->shown != faces_regs_shown || !c->shown(f, l))
			continue;
		begin_part(o, from, &at);
		obuf_printf(o, "%s ", c->head);
		begun = o->len;
		c->text(f, l, line, 0, o);
		end_part(o, at, begun);
	}
}

void faces_listing_said(const struct faces_listings *f, const struct listing *l,
			const struct listing_line *line, struct obuf *o)
{
	size_t from = o->len, at, begun;

	if (f)
		put_vectors(f, l, line, from, o);
	begun = begin_part(o, from, &at);
	if (l->marks && line->kind == LISTING_INSN && line->insn != LISTING_NONE)
		keys_marks_put(l->marks,
			       (const char *)l->mark + line->insn * keys_marks_size(l->marks), o);
	end_part(o, at, begun);
	begun = begin_part(o, from, &at);
	faces_answers_put(l, line, o);
	end_part(o, at, begun);
}

/* A paragraph ends. */
static void put_gap(struct obuf *o, size_t from)
{
	if (o->len > from)
		obuf_char(o, '\n');
}

void faces_listing_legend(const struct faces_listings *f, const struct listing *l, struct obuf *o)
{
	size_t from = o->len;

	if (faces_regs_shown(f, l))
		obuf_lit(
			o,
			"Vectors: the widest of registers 0-15 that is not zero, in most samples, and in how many. Lanes: "
			"that the\nmask of the instruction lets through.\n");
	if (faces_regs_value_shown(f, l))
		obuf_lit(
			o,
			"Value: the most frequent one, in how many samples, the least and the largest.\n");
	if (l->marks) {
		put_gap(o, from);
		obuf_lit(
			o,
			"Marks: what is more than nothing, of the samples at each instruction and all events "
			"together; +: there is more.\n");
		keys_marks_legend(l->marks, o);
	}
	if (!l->stat)
		return;
	put_gap(o, from);
	obuf_lit(
		o,
		"Branches: of branch stacks. At a branch how often it is taken, bits that there are to guess (0: certain, "
		"1: a coin),\nmispredictions, targets; where a block begins its cycles; where a superblock begins its share "
		"and how often it was\nleft before its end; at the head of a loop its rounds. What is not known is left "
		"out; +: there is more.\n");
}

void faces_listing_put_legend(const struct faces_listings *f, const struct listing *l)
{
	struct obuf text;

	if (f->nr || f->o.no_legend || obuf_init(&text, -1, 0))
		return;
	faces_listing_legend(f, l, &text);
	obuf_char(&text, 0);
	for (const char *s = text.code ? "" : text.buf; *s;) {
		size_t n = strcspn(s, "\n");

		obuf_str(f->out, n ? "# " : "#");
		obuf_mem(f->out, s, n);
		obuf_char(f->out, '\n');
		s += n + (s[n] != 0);
	}
	if (text.len > 1)
		obuf_lit(f->out, "#\n");
	obuf_free(&text);
}
