// SPDX-License-Identifier: GPL-2.0-or-later
/* A recording in pieces, each in a session of its own. */
#include "pieces.h"

int pieces_read(struct session *first, const struct session_opts *o, uint64_t size,
		int (*one)(void *ctx, struct session *piece, struct err *e), void *ctx,
		struct err *e)
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
		ret = ret ?: one(ctx, s, e);
		if (!ret && session_take_notes(first, s))
			ret = err_set(e, -ENOMEM, "no memory for what is missing");
		last = !ret && session_in_slice(s);
		session_close(s);
	}
	return ret;
}
