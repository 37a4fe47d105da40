// SPDX-License-Identifier: GPL-2.0-or-later
/* report -D and report --stats: a recording as records, not as a profile. */
#include "dump/dump.h"
#include "report.h"

int report_dump(struct perfdata *pd, struct obuf *o, bool redact, struct err *e)
{
	struct dump_opts opts = { .redact = redact };
	struct record rec;
	struct dump *d;
	int ret = dump_new(&d, pd, o, &opts, e);

	if (ret)
		return ret;
	while ((ret = perfdata_next_ordered(pd, &rec, e)) > 0)
		dump_record(d, &rec);
	/* What came before a damaged record was whole: its counts are of use. */
	dump_print_stats(dump_stats(d), pd, o);
	dump_free(d);
	return ret;
}

int report_stats(struct perfdata *pd, struct obuf *o, struct err *e)
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
