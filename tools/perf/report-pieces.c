// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf report --pieces: samples are counted in tables of their own, a new one after every so many,
 * and these are added up at the end. The answer must be that of one table, which is what tests ask.
 */
#include <stdlib.h>

#include "report.h"

int report_next_piece(struct report *r, struct err *e)
{
	struct report_piece *v = realloc(r->pieces, (r->nr_pieces + 1) * sizeof(*v));

	if (!v)
		return err_set(e, -ENOMEM, "no memory for pieces");
	r->pieces = v;
	v[r->nr_pieces++] = (struct report_piece){ r->p, r->flow };
	r->p = NULL;
	r->flow = NULL;
	return report_start_counting(r, e);
}

/* The first piece takes the others, in their order. */
int report_join_pieces(struct report *r, struct err *e)
{
	struct report_piece last = { r->p, r->flow };
	int ret = 0;

	if (!r->nr_pieces)
		return 0;
	r->p = r->pieces[0].p;
	r->flow = r->pieces[0].flow;
	r->pieces[0] = last;
	for (size_t i = 1; !ret && i <= r->nr_pieces; i++) {
		const struct report_piece *from = &r->pieces[i < r->nr_pieces ? i : 0];

		ret = table_merge(r->p, from->p, NULL, e);
		if (!ret && r->flow)
			ret = brflow_merge(r->flow, from->flow, NULL, e);
	}
	return ret;
}

void report_free_pieces(struct report *r)
{
	for (size_t i = 0; i < r->nr_pieces; i++) {
		brflow_free(r->pieces[i].flow);
		table_free(r->pieces[i].p);
	}
	free(r->pieces);
}
