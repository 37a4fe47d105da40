// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What was counted on the way to profiles: would they hold anything, and if not, why? Each reason is
 * one that users met: they recorded the wrong thing, and optimizers say nothing of it.
 */
#include "convert/convert.h"

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* Why there is nothing to convert; NULL = there is. */
static const char *emptiness(const struct convert *c)
{
	const struct convert_stats *s = convert_stats(c);

	if (!s->samples)
		return "the recording has no samples";
	if (!s->with_branches && s->empty_stacks)
		return "all branch stacks are empty: nothing passed their filter (record with -j "
		       "any,u)";
	if (!s->with_branches && !s->user_ips)
		return "no sample is in user space and none has a branch stack (record with -b or -j)";
	if (s->with_branches && s->kernel == s->branches)
		return "all branches touch the kernel (record with -j any,u)";
	if (s->with_branches && !s->mapped && !s->one_end)
		return "no branch lies in a file: JIT code, or the MMAP records are missing";
	if (!s->with_branches && s->ips_outside == s->user_ips)
		return "no sample lies in a file: JIT code, or the MMAP records are missing";
	return NULL;
}

static void emit_totals(struct emit *e, const struct convert *c, uint64_t damaged)
{
	const struct convert_stats *s = convert_stats(c);
	const char *empty = emptiness(c);

	emit_u64(e, "samples", s->samples);
	emit_u64(e, "samples with branches", s->with_branches);
	emit_u64(e, "samples with empty branch stacks", s->empty_stacks);
	emit_u64(e, "damaged samples", damaged);
	emit_u64(e, "branches", s->branches);
	emit_u64(e, "branches with both ends in files", s->mapped);
	emit_u64(e, "branches with one end in a file", s->one_end);
	emit_u64(e, "branches outside of files", s->outside);
	emit_u64(e, "branches to or from the kernel, left out", s->kernel);
	if (!s->with_branches)
		emit_u64(e, "user samples without branches", s->user_ips);
	if (empty)
		emit_str(e, "every profile is empty because", empty);
	else if (!s->with_branches)
		emit_str(e, "note",
			 "no branch stacks: profiles say where samples fell, which "
			 "optimizers use with less effect");
}

static int emit_objects(struct emit *e, struct convert *c, const bool *which, size_t *usable,
			struct err *err)
{
	static const struct emit_column cols[] = {
		{ "object", "OBJECT", false },
		{ "build id", "BUILD ID", false },
		{ "from", "FROM", true },
		{ "to", "TO", true },
		{ "within", "WITHIN", true },
		{ "edges", "EDGES", true },
		{ "samples", "SAMPLES", true },
		{ "functions", "FUNCTIONS", true },
		{ "no function %", "IN NO FUNCTION %", true },
		{ "problem", "PROBLEM", false },
	};
	struct emit_table *t = emit_table_new(cols, ARRAY_SIZE(cols));

	if (!t)
		return err_set(err, -ENOMEM, "no memory for a table");
	for (size_t i = 0; i < convert_nr_objects(c); i++) {
		const struct convert_object *ob = convert_object(c, i);

		if (!which[i])
			continue;
		emit_table_cell(t, "%s", ob->dso->name);
		emit_table_cell(t, "%.12s", ob->build_id);
		emit_table_cell(t, "%llu", (unsigned long long)ob->from);
		emit_table_cell(t, "%llu", (unsigned long long)ob->to);
		emit_table_cell(t, "%llu", (unsigned long long)ob->within);
		emit_table_cell(t, "%zu", ob->edges);
		emit_table_cell(t, "%llu", (unsigned long long)ob->ips);
		emit_table_cell(t, "%zu", ob->functions);
		emit_table_cell(t, "%.1f", percent(ob->no_function, ob->from));
		emit_table_cell(t, "%s", ob->problem ? ob->problem : "");
		*usable += !ob->problem;
	}
	if (e->format == EMIT_TEXT)
		obuf_char(e->o, '\n');
	emit_table_print(t, e, "objects");
	emit_table_free(t);
	return 0;
}

int convert_check(struct convert *c, const bool *which, uint64_t damaged, struct emit *e, bool *any,
		  struct err *err)
{
	size_t usable = 0;
	int ret;

	emit_object(e, NULL);
	emit_totals(e, c, damaged);
	ret = emit_objects(e, c, which, &usable, err);
	emit_end(e);
	emit_finish(e);
	*any = !emptiness(c) && usable;
	return ret;
}
