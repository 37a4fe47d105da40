// SPDX-License-Identifier: GPL-2.0-or-later
/* Sort keys and columns of branches: their flags, of which a value is the packed word's bits. */
#include "profile-int.h"

static void text_flag(struct obuf *o, bool set, const char *yes, const char *no)
{
	obuf_str(o, set ? yes : no);
}

void prof_text_mispredict(const struct profile *p, const struct profile_row *r, uint64_t v,
			  struct obuf *o)
{
	(void)p, (void)r;
	text_flag(o, v & 3, v & 2 ? "N" : "Y", "N/A");
}

void prof_text_in_tx(const struct profile *p, const struct profile_row *r, uint64_t v,
		     struct obuf *o)
{
	(void)p, (void)r;
	text_flag(o, v & 4, "T", ".");
}

void prof_text_abort(const struct profile *p, const struct profile_row *r, uint64_t v,
		     struct obuf *o)
{
	(void)p, (void)r;
	text_flag(o, v & 8, "A", ".");
}

void prof_text_cycles(const struct profile *p, const struct profile_row *r, uint64_t v,
		      struct obuf *o)
{
	(void)p, (void)r;
	if (v >> 4 & 0xffff)
		obuf_dec(o, v >> 4 & 0xffff);
	else
		obuf_char(o, '-');
}

void prof_text_type(const struct profile *p, const struct profile_row *r, uint64_t v,
		    struct obuf *o)
{
	const char *s = branch_type_name(v >> 20 & 15, v >> 26 & 15);

	(void)p, (void)r;
	obuf_str(o, *s ? s : "N/A");
}
