// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A whole recording as text, and the counts of one. Both stand on the walk that callers could write
 * themselves; that damage ends the walk and not what is known by then is what they would forget.
 */
#include "dump/dump.h"

int dump_all(struct perfdata *pd, struct obuf *o, const struct dump_opts *opts, struct err *e)
{
	struct record rec;
	struct dump *d;
	int ret = dump_new(&d, pd, o, opts, e);

	if (ret)
		return ret;
	while ((ret = perfdata_next_ordered(pd, &rec, e)) > 0)
		dump_record(d, &rec);
	/* What came before a damaged record was whole: its counts are of use. */
	dump_print_stats(dump_stats(d), pd, o);
	dump_free(d);
	return ret;
}

int dump_all_stats(struct perfdata *pd, struct obuf *o, struct err *e)
{
	struct dump_stats s = { .pd = pd };
	struct record rec;
	int ret;

	while ((ret = perfdata_next(pd, &rec, e)) > 0)
		dump_stats_add(&s, &rec);
	dump_print_stats(&s, pd, o);
	dump_stats_free(&s);
	return ret;
}
