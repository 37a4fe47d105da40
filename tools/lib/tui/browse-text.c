// SPDX-License-Identifier: GPL-2.0-or-later
/* Text of lines: escaped when it is made, by the view. */
#include "browse-int.h"
#include "emit/emit.h"

void browse_key_text(const struct view *v, const struct keys_row *row, const struct keys_col *c,
		     struct obuf *o)
{
	size_t start = o->len;

	view_cell(v, row, c, o);
	while (o->len > start && o->buf[o->len - 1] == ' ')
		o->len--;
	for (size_t n = 0; start + n <= o->len; n++) {
		if (start + n < o->len && o->buf[start + n] == ' ')
			continue;
		memmove(o->buf + start, o->buf + start + n, o->len - start - n);
		o->len -= n;
		break;
	}
}

void browse_full_text(struct browse_rows *r, const struct browse_line *l, struct obuf *o)
{
	const struct view *v = r->v;
	struct table_op op;
	bool levels = view_nr_levels(v) > 0;
	size_t n = levels ? view_level_nr_cols(v, l->level) : view_nr_cols(v), nr = 0;

	if (l->kind == BROWSE_NO_ENTRY)
		return;
	if (l->kind == BROWSE_FRAME) {
		view_frame(v, l->node->frames[l->frame], o);
		if (r->verbose && view_frame_op(v, l->node->frames[l->frame], TABLE_DSO, &op)) {
			obuf_char(o, ' ');
			emit_safe(o, op.name);
		}
		if (l->node->notes)
			keys_note_print(&l->node->notes[l->frame], o);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const struct keys_col *c = levels ? view_level_col(v, l->level, i) : view_col(v, i);

		if (c->key->at == KEY_STAT)
			continue;
		if (nr++)
			obuf_lit(o, "  ");
		browse_key_text(v, l->row, c, o);
	}
}
