// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sort keys and columns of branches: their flags. A key's value is its bits of the packed word, so
 * that equal flags are equal numbers and text is made at the end.
 */
#include "keys-int.h"

static void text_flag(struct obuf *o, bool set, const char *yes, const char *no)
{
	obuf_str(o, set ? yes : no);
}

void keys_text_mispredict(const struct keys *ks, const struct keys_row *r, uint64_t v,
			  struct obuf *o)
{
	(void)ks, (void)r;
	text_flag(o, v & 3, v & 2 ? "N" : "Y", "N/A");
}

void keys_text_in_tx(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o)
{
	(void)ks, (void)r;
	text_flag(o, v & 4, "T", ".");
}

void keys_text_abort(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o)
{
	(void)ks, (void)r;
	text_flag(o, v & 8, "A", ".");
}

void keys_text_cycles(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o)
{
	(void)ks, (void)r;
	if (branch_flags_cycles(v))
		obuf_dec(o, branch_flags_cycles(v));
	else
		obuf_char(o, '-');
}

void keys_text_type(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o)
{
	const char *s = branch_type_name(branch_flags_type(v), branch_flags_new_type(v));

	(void)ks, (void)r;
	obuf_str(o, *s ? s : "N/A");
}

/* Of the function that the row's first branch went to, as upstream. */
void keys_text_ipc(const struct keys *ks, const void *slot, struct obuf *o)
{
	uint32_t sym = ((const struct branch_counts *)slot)->symbol_to;
	static const struct ipc none;
	const struct ipc *ipc = sym < ks->ipc.n ? &ks->ipc.v[sym] : &none;

	/* No block of it was seen, or nobody counted cycles: not known, which is no 0.00. */
	if (sym == ID_NONE || !ipc->cycles || !ipc->total) {
		obuf_char(o, '-');
		return;
	}
	obuf_printf(o, "%-5.2f [%5.1f%%]", (double)ipc->insns / (double)ipc->cycles,
		    ipc->covered * 100.0 / ipc->total);
}
