// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Field data_src: where a load or store found its data. The column is as wide as the widest that
 * it held so far, as upstream's: readers go by the bars between the parts.
 */
#include "script-int.h"

void print_data_src(struct script *sc, const struct ctx *c)
{
	uint64_t v = c->s->data_src;
	struct obuf *o = sc->o;
	size_t at;
	int width;

	obuf_room(o, 512);
	obuf_hex_right(o, v, 16);
	obuf_char(o, ' ');
	at = o->len;
	obuf_lit(o, "|OP ");
	data_src_op(o, v);
	obuf_lit(o, "|LVL ");
	data_src_level(o, v);
	obuf_lit(o, "|SNP ");
	data_src_snoop(o, v);
	obuf_lit(o, "|TLB ");
	data_src_tlb(o, v);
	obuf_lit(o, "|LCK ");
	data_src_locked(o, v);
	obuf_lit(o, "|BLK ");
	data_src_blocked(o, v);
	/* The column grows with what it has held. */
	width = (int)(o->len - at);
	obuf_pad(o, ' ', sc->data_src_width - width);
	if (width > sc->data_src_width)
		sc->data_src_width = width;
}
