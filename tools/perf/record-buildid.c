// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf record: the BUILD_ID feature. The records are read once more in time order, to see which
 * objects samples and their call chains fell into.
 */
#include "buildid/buildid.h"
#include "record.h"

struct hits {
	struct machine *m;
	struct machine_hits *hits;
	bool all;
};

static void put_hits(const struct hits *h, struct obuf *o)
{
	for (size_t i = 0; i < machine_nr_dsos(h->m); i++) {
		const struct dso *dso = machine_dso(h->m, i);
		struct buildid id;

		if (!h->all && !machine_hits_have(h->hits, dso))
			continue;
		if (buildid_of_dso(dso, &id))
			buildid_put_entry(o, dso, &id);
	}
}

/* What is wrong with a record readers will say. */
static int read_hits(struct hits *h, struct perfdata *pd, struct err *e)
{
	struct record rec;
	int ret;

	while ((ret = perfdata_next_ordered(pd, &rec, e)) > 0) {
		struct err inner = { 0 };

		if (rec.type != PERF_RECORD_SAMPLE)
			machine_record(h->m, &rec, &inner);
		else if (!h->all && machine_hits_sample(h->hits, &rec, &inner) == -ENOMEM)
			return err_set(e, -ENOMEM, "%s", inner.text);
	}
	return ret;
}

int record_build_ids(struct recording *rec, struct obuf *o, struct err *e)
{
	struct perfdata_opts po = { .force = true, .no_limits = true };
	struct hits h = { .all = rec->opts->buildid_all };
	struct perfdata *pd = NULL;
	char path[64];
	int ret;

	/* The descriptor, not the name: that may be another file by now. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", rec->fd);
	ret = perfdata_open(&pd, path, &po, e);
	if (ret)
		return ret;
	ret = machine_new(&h.m, perfdata_env(pd)->arch, e);
	if (!ret && machine_hits_new(&h.hits, h.m, NULL, NULL))
		ret = err_set(e, -ENOMEM, "out of memory for the objects that were hit");
	if (!ret)
		ret = read_hits(&h, pd, e);
	if (!ret)
		put_hits(&h, o);
	machine_hits_free(h.hits);
	machine_free(h.m);
	perfdata_close(pd);
	return ret;
}
