// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The components of a CPU as a table: sizes, places in both forms of an image, cost of dynamic
 * ones. Numbers come from the room xsave; a component without a place in a form has "-", since 0
 * is a place.
 */
#include <stdio.h>

#include "xstate/xstate.h"

int xstate_find_cpu(const char *name, const struct xsave_cpu **cpu, struct err *e)
{
	char names[256];
	size_t len = 0;

	*cpu = xsave_cpu_find(name);
	if (*cpu)
		return 0;
	for (size_t i = 0; xsave_cpu_described(i) && len < sizeof(names); i++)
		len += snprintf(names + len, sizeof(names) - len, "%s%s", i ? ", " : "",
				xsave_cpu_described(i)->name);
	err_set(e, -EINVAL, "no CPU '%s' is described", name);
	err_hint(e, "Known: %s; host is this machine.", names);
	return -EINVAL;
}

static const struct emit_column columns[] = {
	{ "nr", NULL, true },	    { "name", NULL, false },	 { "size", NULL, true },
	{ "standard", NULL, true }, { "compacted", NULL, true }, { "kind", NULL, false },
	{ "align64", NULL, false }, { "what", NULL, false },
};

static const char *kind(const struct xsave_cpu *cpu, unsigned nr)
{
	if (cpu->dynamic & BIT(nr))
		return "supervisor, dynamic";
	if (cpu->comp[nr].supervisor)
		return "supervisor";
	return cpu->comp[nr].xfd ? "user, on first use" : "user";
}

static void cell_offset(struct emit_table *t, const struct xsave_layout *l, unsigned nr)
{
	if (l->set & BIT(nr))
		emit_table_cell(t, "%u", l->offset[nr]);
	else
		emit_table_cell(t, "-");
}

static int print_components(struct emit *e, const struct xsave_cpu *cpu, uint64_t set,
			    const struct xsave_layout *standard,
			    const struct xsave_layout *compacted)
{
	struct emit_table *t = emit_table_new(columns, ARRAY_SIZE(columns));

	if (!t)
		return -ENOMEM;
	for (unsigned nr = 0; nr < XSAVE_NR; nr++) {
		if (!(set & BIT(nr)))
			continue;
		emit_table_cell(t, "%u", nr);
		emit_table_cell(t, "%s", xsave_name(nr));
		emit_table_cell(t, "%u", cpu->comp[nr].size);
		cell_offset(t, standard, nr);
		cell_offset(t, compacted, nr);
		emit_table_cell(t, "%s", kind(cpu, nr));
		emit_table_cell(t, "%s", cpu->comp[nr].aligned ? "yes" : "no");
		emit_table_cell(t, "%s", xsave_title(nr));
	}
	emit_table_print(t, e, "components");
	emit_table_free(t);
	return 0;
}

static int print_cost(struct emit *e, const struct xsave_cpu *cpu, struct err *err)
{
	struct xsave_cost cost;
	int ret = xsave_cost(cpu, &cost, err);

	if (ret || !cpu->dynamic)
		return ret;
	emit_object(e, "dynamic supervisor state, bytes");
	emit_u64(e, "in every task's area", cost.dynamic_state);
	emit_u64(e, "buffer on demand", cost.dynamic_buffer);
	emit_u64(e, "of that legacy region and header", cost.dynamic_buffer - cost.dynamic_state);
	emit_u64(e, "task area with it", cost.task_always);
	emit_u64(e, "task area without it", cost.task_on_demand);
	if (cost.first_use)
		emit_u64(e, "user state on first use, in neither", cost.first_use);
	emit_end(e);
	return 0;
}

int xstate_show_table(struct emit *e, const struct xsave_cpu *cpu, uint64_t set, struct err *err)
{
	uint64_t shown = set ? set : cpu->xcr0 | cpu->xss;
	struct xsave_layout standard, compacted;
	struct xsave_sample_shape shape;
	int ret;

	ret = xsave_layout(cpu, shown, XSAVE_FORMAT_COMPACTED, &compacted, err);
	if (!ret)
		ret = xsave_layout(cpu, shown & ~cpu->xss, XSAVE_FORMAT_STANDARD, &standard, err);
	if (ret)
		return ret;
	emit_str(e, "cpu", cpu->title);
	emit_hex(e, "xcr0", cpu->xcr0);
	emit_hex(e, "xss", cpu->xss);
	if (set)
		emit_hex(e, "set", set);
	if (cpu->lbr_depth)
		emit_u64(e, "lbr depth", cpu->lbr_depth);
	if (print_components(e, cpu, shown, &standard, &compacted))
		return err_set(err, -ENOMEM, "no memory for the table");
	emit_u64(e, "standard form, user components, bytes", standard.size);
	emit_u64(e, "compacted form, bytes", compacted.size);
	if (!set)
		return print_cost(e, cpu, err);
	xsave_sample_shape(cpu, set, &shape);
	emit_u64(e, "bytes per sample", xsave_sample_bytes(&shape));
	return 0;
}
