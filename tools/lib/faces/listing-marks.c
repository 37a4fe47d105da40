// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Marks of instructions: in words what report --numbers and its like have columns for. Text says what is more than
 * nothing, as much as the column has room for ("+": there is more), JSON has all of it by the names of the columns, null
 * where nothing is known.
 */
#include "faces/listing-int.h"

static const char *slot_of(const struct listing *l, const struct listing_line *line)
{
	if (!l->marks || line->kind != LISTING_INSN || line->insn == LISTING_NONE)
		return NULL;
	return (const char *)l->mark + line->insn * keys_marks_size(l->marks);
}

bool faces_marks_shown(const struct faces_listings *f, const struct listing *l)
{
	(void)f;
	return l->marks;
}

void faces_marks_text(const struct faces_listings *f, const struct listing *l,
		      const struct listing_line *line, uint32_t k, struct obuf *o)
{
	const char *slot = slot_of(l, line);

	(void)f;
	(void)k;
	if (!slot)
		return;
	keys_marks_put(l->marks, slot, o);
	if (o->len <= FACES_MARKS_WIDTH)
		return;
	o->len = FACES_MARKS_WIDTH - 2;
	while (o->len && o->buf[o->len] != ' ')
		o->len--;
	obuf_lit(o, " +");
}

void faces_marks_json(const struct faces_listings *f, const struct listing *l,
		      const struct listing_line *line, uint32_t k, struct emit *e)
{
	const char *slot = slot_of(l, line);

	(void)f;
	(void)k;
	if (slot)
		keys_marks_emit(l->marks, slot, "marks", true, e);
}
