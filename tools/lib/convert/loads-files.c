// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables as files. Parquet: v1/TABLE/DAY/RECORDING.parquet, all loads of the recording in one. For an engine: what it is
 * to take at once, or not at all, in a file each, TABLE-LOAD-PART.native, and a manifest that says in which
 * order. Either way the loads come last: without them the rest says nothing.
 */
#include <stdio.h>
#include <stdlib.h>

#include "convert/loads-int.h"
#include "convert/places-int.h"

struct files {
	struct loads *l;
	struct obuf manifest;
	char day[16];
};

/* The same whatever was read: a table's batch is its own, and filled again for the next load. */
static int new_batch(struct loads *l, enum fleet_table t, struct err *e)
{
	batch_free(l->table[t]);
	return batch_new(&l->table[t], fleet_table(t), e);
}

static int open_file(struct files *f, const char *name, struct obuf *o, struct err *e)
{
	const struct convert_table_opts *to = f->l->o;

	return to->open(to->ctx, name, o, e);
}

static int close_file(struct files *f, const char *name, struct obuf *o, int ret, struct err *e)
{
	const struct convert_table_opts *to = f->l->o;
	int closed = to->close(to->ctx, name, o, ret ? NULL : e);

	return ret ?: closed;
}

static int write_parquet(struct files *f, enum fleet_table t, struct err *e)
{
	const struct batch_meta meta[] = {
		{ "perf.schema", "1" },
		{ "perf.table", fleet_table(t)->name },
		{ "perf.recording", f->l->recording },
	};
	char name[128];
	struct obuf o;
	int ret;

	_Static_assert(FLEET_SCHEMA == 1, "what perf.schema says, and v1");
	snprintf(name, sizeof(name), "v1/%s/%s/%s.parquet", fleet_table(t)->name, f->day,
		 f->l->recording);
	if (batch_sort(f->l->table[t]))
		return err_set(e, -ENOMEM, "no memory for table %s", fleet_table(t)->name);
	ret = open_file(f, name, &o, e);
	if (ret)
		return ret;
	ret = batch_parquet(f->l->table[t], meta, ARRAY_SIZE(meta), &o, e);
	return close_file(f, name, &o, ret, e);
}

/* ---- for an engine --------------------------------------------------------------------------- */

static int write_part(struct files *f, enum fleet_table t, int64_t load, size_t from, struct err *e)
{
	const struct batch *b = f->l->table[t];
	bool native = f->l->r->format == &convert_native;
	size_t n = min_u64(batch_rows(b) - from, BATCH_PART);
	struct obuf raw = { .fd = -1 }, o;
	char name[128];
	int ret;

	snprintf(name, sizeof(name), "%s-%016llx-%zu.%s%s", fleet_table(t)->name,
		 (unsigned long long)load, from / BATCH_PART, native ? "native" : "pgcopy",
		 f->l->o->pack ? ".gz" : "");
	ret = native ? batch_native(b, from, n, &raw) : batch_copy(b, from, n, &raw);
	ret = ret ? err_set(e, -ENOMEM, "no memory for table %s", fleet_table(t)->name)
		  : open_file(f, name, &o, e);
	if (!ret) {
		if (!f->l->o->pack)
			obuf_mem(&o, raw.buf, raw.len);
		else if (batch_gzip(raw.buf, raw.len, &o))
			ret = err_set(e, -ENOMEM, "no memory to pack table %s",
				      fleet_table(t)->name);
		ret = close_file(f, name, &o, ret, e);
	}
	free(raw.buf);
	obuf_printf(&f->manifest, "%s %016llx %zu %s\n", fleet_table(t)->name,
		    (unsigned long long)load, n, name);
	return ret;
}

static int write_parts(struct files *f, enum fleet_table t, int64_t load, struct err *e)
{
	struct batch *b = f->l->table[t];
	int ret = batch_sort(b)
			  ? err_set(e, -ENOMEM, "no memory for table %s", fleet_table(t)->name)
			  : 0;

	for (size_t from = 0; !ret && from < batch_rows(b); from += BATCH_PART)
		ret = write_part(f, t, load, from, e);
	return ret;
}

static const enum fleet_table facts[] = { FLEET_SAMPLES, FLEET_STACKS, FLEET_EDGES, FLEET_SIMD };

static int fill_facts(struct loads *l, uint32_t only, struct err *e)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < ARRAY_SIZE(facts); i++)
		ret = new_batch(l, facts[i], e);
	if (!ret && (loads_put_stacks(l, only) || loads_put_facts(l, only)))
		ret = err_set(e, -ENOMEM, "no memory for tables");
	return ret;
}

static int write_engine(struct files *f, struct err *e)
{
	struct loads *l = f->l;
	int ret = 0;

	obuf_printf(&f->manifest, "perf-tables %d\nrecording %s\n", FLEET_SCHEMA, l->recording);
	for (uint32_t i = 0; !ret && i < l->v.n; i++) {
		ret = fill_facts(l, i, e);
		for (size_t t = 0; !ret && t < ARRAY_SIZE(facts); t++)
			ret = write_parts(f, facts[t], l->v.v[i].id, e);
	}
	ret = ret ?: write_parts(f, FLEET_OBJECTS, 0, e);
	ret = ret ?: write_parts(f, FLEET_FUNCTIONS, 0, e);
	for (uint32_t i = 0; !ret && i < l->v.n; i++)
		obuf_printf(&f->manifest, "load %016llx\n", (unsigned long long)l->v.v[i].id);
	return ret ?: write_parts(f, FLEET_LOADS, 0, e);
}

static int write_manifest(struct files *f, struct err *e)
{
	struct obuf o = { .fd = -1 };
	int ret = f->manifest.code ? err_set(e, -ENOMEM, "no memory for the list of files")
				   : open_file(f, "manifest", &o, e);

	if (ret)
		return ret;
	obuf_mem(&o, f->manifest.buf, f->manifest.len);
	return close_file(f, "manifest", &o, 0, e);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* The recording says what its clock was when by the wall, or its file says when the last sample had come. */
static void set_clock(struct loads *l)
{
	size_t size;
	const void *p = perfdata_feature_raw(l->env->pd, FEAT_CLOCK_DATA, &size);
	struct cursor c = cursor_init(p, p ? size : 0, perfdata_swapped(l->env->pd));
	uint64_t wall, clock, start, took;

	cursor_u32(&c); /* version */
	cursor_u32(&c); /* which clock */
	wall = cursor_u64(&c);
	clock = cursor_u64(&c);
	if (p && !c.bad) {
		l->clock = (int64_t)(wall - clock);
		return;
	}
	stacks_when(l->st, &start, &took);
	l->clock = start && l->st->first_time <= l->st->last_time
			   ? (int64_t)(start - l->st->first_time)
			   : 0;
}

static int prepare(struct files *f, struct err *e)
{
	struct loads *l = f->l;
	int ret = new_batch(l, FLEET_OBJECTS, e) ?: new_batch(l, FLEET_FUNCTIONS, e);

	ret = ret ?: new_batch(l, FLEET_LOADS, e);
	if (ret)
		return ret;
	set_clock(l);
	vec_for_each (load, &l->v)
		load->id = loads_id(l, perfdata_event(l->env->pd, load->event)->name,
				    loads_service(l, load));
	if (loads_build(l) || loads_put_loads(l))
		return err_set(e, -ENOMEM, "no memory for tables");
	snprintf(f->day, sizeof(f->day), "%.10s",
		 batch_get(l->table[FLEET_LOADS], 0, FLEET_LOADS_DAY).s);
	return 0;
}

int loads_write(struct loads *l, struct err *e)
{
	/* Objects and functions are known when the others are filled. */
	static const enum fleet_table order[] = { FLEET_SAMPLES, FLEET_STACKS,	FLEET_EDGES,
						  FLEET_SIMD,	 FLEET_OBJECTS, FLEET_FUNCTIONS,
						  FLEET_LOADS };
	struct files f = { .l = l, .manifest.fd = -1 };
	int ret = prepare(&f, e);

	if (!ret && l->r->format == &convert_parquet) {
		ret = fill_facts(l, LOADS_ALL, e);
		for (size_t i = 0; !ret && i < ARRAY_SIZE(order); i++)
			ret = write_parquet(&f, order[i], e);
	} else if (!ret) {
		ret = write_engine(&f, e) ?: write_manifest(&f, e);
	}
	free(f.manifest.buf);
	return ret;
}
