// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A recording in pieces, each in a session of its own: what threads do side by side, one after the other, with as
 * many samples in each as a test wants.
 */
#include <stdlib.h>

#include "pieces.h"

static int read_piece(const struct jobs *jobs, struct session *s, void *ctx, struct err *e)
{
	void *piece = calloc(1, jobs->size);
	int ret = piece ? jobs->start(piece, ctx, s, e)
			: err_set(e, -ENOMEM, "no memory for a piece");

	ret = ret ?: session_read(s, jobs->consumer, piece, e);
	ret = ret ?: jobs->add(ctx, piece, e);
	if (piece)
		jobs->free(piece);
	free(piece);
	return ret;
}

int pieces_read(struct session *first, const struct session_opts *o, uint64_t size,
		const struct jobs *jobs, void *ctx, uint64_t *bad, struct err *e)
{
	bool last = session_in_slice(first);
	int ret = 0;

	for (uint64_t n = 1; !ret && !last; n++) {
		struct session_opts opts = *o;
		struct session *s = NULL;

		opts.first_sample = n * size;
		opts.nr_samples = size;
		ret = session_open(&s, &opts, e);
		ret = ret ?: session_start(s, e);
		ret = ret ?: read_piece(jobs, s, ctx, e);
		if (!ret && session_take_notes(first, s))
			ret = err_set(e, -ENOMEM, "no memory for what is missing");
		if (!ret && bad)
			*bad += session_counts(s)->bad_samples;
		last = !ret && session_in_slice(s);
		session_close(s);
	}
	return ret;
}
