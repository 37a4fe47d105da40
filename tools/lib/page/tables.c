// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables that other rooms count, whole: what vectors were in use by function (the columns of report --simd),
 * blocks of code with their cycles, and chains of branches. In the data each is heads and rows of texts;
 * the page sorts and filters them, and knows nothing of what they say.
 */
#include <stdio.h>

#include "insn/insn.h"
#include "page-int.h"

#define MAX_GRID 500 /* rows */
#define PATH_LEN 4

/* ---- while samples come -------------------------------------------------------------------------- */

static bool has_vectors(const struct perf_event_attr *a, enum regs_arch arch)
{
	return (a->sample_simd_regs_enabled &&
		(a->sample_simd_vec_reg_intr || a->sample_simd_vec_reg_user ||
		 a->sample_simd_pred_reg_intr || a->sample_simd_pred_reg_user)) ||
	       regs_legacy_vectors(arch, a->sample_regs_intr, a->sample_simd_regs_enabled) ||
	       regs_legacy_vectors(arch, a->sample_regs_user, a->sample_simd_regs_enabled);
}

int page_start_tables(struct page *p, struct err *e)
{
	const struct perfdata_env *env = perfdata_env(p->env->pd);
	const struct keys_opts simd = {
		.simd = true,
		.show_samples = true,
		.inlines = false,
		.relative = true,
		.arch = session_arch(p->session),
		.pd = p->env->pd,
	};
	const struct brflow_opts flow = {
		.machine = p->env->machine,
		.blocks = true,
		.path_len = PATH_LEN,
		.nr_counters = env->branch_counter_nr ? env->branch_counter_nr : 4,
		.counter_width = env->branch_counter_width ? env->branch_counter_width : 2,
	};
	bool vectors = false, branches = false;
	int ret = 0;

	for (size_t i = 0; i < perfdata_nr_events(p->env->pd); i++) {
		const struct perf_event_attr *a = &perfdata_event(p->env->pd, i)->attr;

		vectors |= has_vectors(a, simd.arch);
		branches |= page_has_branches(a);
	}
	if (vectors)
		ret = table_new(&p->simd, &simd, p->env->machine, p->env->resolver, NULL, e);
	if (!ret && branches)
		ret = brflow_new(&p->flow, p->env->resolver, &flow, e);
	return ret;
}

/* ---- vectors ------------------------------------------------------------------------------------- */

static void put_head(struct json *j, const char *view, const char *title, const char *note)
{
	page_open(j, NULL, '{');
	page_str(j, "view", view);
	page_str(j, "title", title);
	page_str(j, "note", note);
}

/* A cell without what pads it. */
static void put_cell(struct json *j, struct obuf *cell)
{
	const char *text;

	while (cell->len && cell->buf[cell->len - 1] == ' ')
		cell->len--;
	obuf_char(cell, 0);
	text = cell->code ? "" : cell->buf;
	page_str(j, NULL, text + strspn(text, " "));
	cell->len = 0;
}

static void put_view(const struct view *v, uint32_t event, struct obuf *cell, struct json *j)
{
	size_t n = view_nr_rows(v, event);

	page_open(j, "heads", '[');
	for (size_t i = 0; i < view_nr_cols(v); i++)
		page_str(j, NULL, view_col_head(v, view_col(v, i)));
	page_close(j, ']');
	page_open(j, "right", '[');
	for (size_t i = 0; i < view_nr_cols(v); i++)
		page_int(j, view_col_is_number(view_col(v, i)));
	page_close(j, ']');
	page_open(j, "rows", '[');
	for (size_t i = 0; i < n && i < MAX_GRID; i++) {
		page_open(j, NULL, '[');
		for (size_t c = 0; c < view_nr_cols(v); c++) {
			view_cell(v, view_row(v, event, i), view_col(v, c), cell);
			put_cell(j, cell);
		}
		page_close(j, ']');
	}
	page_close(j, ']');
	page_num(j, "left_out", n > MAX_GRID ? n - MAX_GRID : 0);
}

static int put_simd(struct page *p, struct obuf *cell, struct json *j, struct err *e)
{
	struct view *v = NULL;
	int ret = table_finish(p->simd, e);

	ret = ret ?: view_new(&v, p->simd, NULL, NULL, e);
	for (uint32_t i = 0; !ret && i < perfdata_nr_events(p->env->pd); i++) {
		if (!view_nr_rows(v, i))
			continue;
		put_head(
			j, "simd", perfdata_event(p->env->pd, i)->name,
			"Live: samples by widest register of 0-15 with a bit set, Live16-31: with one "
			"in those. Code: by the instruction at the sampled address. Dirty: live above "
			"128 bits and above what that instruction uses. Lanes: that its mask lets "
			"through. Masks: how full k1-k7 are. SIMD Use: what all code of the function "
			"uses. Of all samples, whatever is chosen above.");
		put_view(v, i, cell, j);
		page_close(j, '}');
	}
	view_free(v);
	return ret;
}

/* ---- blocks -------------------------------------------------------------------------------------- */

/* Instructions of a block, whose last one begins at @end; 0: its code cannot be read or decoded. */
static uint64_t count_insns(struct page *p, struct insn_decoder *dec, const struct brflow_block *b)
{
	uint8_t code[4096];
	struct insn in;
	ssize_t size;
	uint64_t n = 0;

	if (!dec || b->end - b->start >= sizeof(code) - 16)
		return 0;
	size = symbol_read_code(p->env->resolver, b->dso, b->start, code,
				(size_t)(b->end - b->start) + 16);
	for (ssize_t at = 0; size > at; at += in.len, n++) {
		if (b->start + (uint64_t)at == b->end)
			return n + 1;
		if (b->start + (uint64_t)at > b->end ||
		    insn_decode(dec, code + at, (size_t)(size - at), b->start + (uint64_t)at,
				&in) <= 0)
			return 0;
	}
	return 0;
}

static void put_addr(const struct page *p, struct dso *dso, uint64_t addr, struct json *j)
{
	const struct symbol *sym = dso ? symbol_find(p->env->resolver, dso, addr) : NULL;
	char *text = NULL;

	if (sym &&
	    asprintf(&text, "%s+0x%llx", sym->name, (unsigned long long)(addr - sym->start)) < 0)
		text = NULL;
	else if (!sym && asprintf(&text, "0x%llx", (unsigned long long)addr) < 0)
		text = NULL;
	page_str(j, NULL, text ? text : "");
	free(text);
}

static void put_number(struct obuf *cell, struct json *j, double v, int digits, const char *unit)
{
	obuf_printf(cell, "%.*f%s", digits, v, unit);
	put_cell(j, cell);
}

static void put_block(struct page *p, const struct brflow_block *b, struct insn_decoder *dec,
		      struct obuf *cell, struct json *j)
{
	uint64_t all = brflow_cycles(p->flow), insns = 0;

	if (b->start != BRFLOW_NO_START)
		insns = count_insns(p, dec, b);
	page_open(j, NULL, '[');
	put_number(cell, j, all ? 100.0 * (double)b->cycles / (double)all : 0, 2, "%");
	put_number(cell, j, (double)b->nr, 0, "");
	put_number(cell, j, (double)b->cycles / (double)b->nr, 1, "");
	/* Only those that began where the block does ran all of it. */
	if (insns && b->own_cycles)
		put_number(cell, j, (double)(insns * b->own_nr) / (double)b->own_cycles, 2, "");
	else
		page_str(j, NULL, "-");
	if (b->start == BRFLOW_NO_START)
		page_str(j, NULL, "-");
	else
		put_addr(p, b->dso, b->start, j);
	put_addr(p, b->dso, b->end, j);
	page_str(j, NULL, b->dso ? b->dso->short_name : "-");
	page_close(j, ']');
}

static void put_list(struct json *j, const char *name, const char *const *texts, size_t n)
{
	page_open(j, name, '[');
	for (size_t i = 0; i < n; i++)
		page_str(j, NULL, texts[i]);
	page_close(j, ']');
}

static void put_right(struct json *j, unsigned numbers, size_t n)
{
	page_open(j, "right", '[');
	for (size_t i = 0; i < n; i++)
		page_int(j, i < numbers);
	page_close(j, ']');
}

static void put_blocks(struct page *p, struct obuf *cell, struct json *j)
{
	static const char *const heads[] = { "Cycles", "Seen", "Mean cycles", "IPC",
					     "From",   "To",   "Object" };
	size_t n = brflow_nr_blocks(p->flow), shown = 0;
	struct insn_decoder *dec = NULL;
	struct err err;

	if (insn_new(&dec, session_arch(p->session), INSN_64BIT, &err))
		dec = NULL;
	put_head(
		j, "branches", "Blocks",
		"Code between two taken branches, by its cycles as the CPU counted them; IPC where "
		"its instructions can be read.");
	put_list(j, "heads", heads, ARRAY_SIZE(heads));
	put_right(j, 4, ARRAY_SIZE(heads));
	page_open(j, "rows", '[');
	for (size_t i = 0; i < n && shown < MAX_GRID; i++) {
		const struct brflow_block *b = brflow_block(p->flow, i);

		if (!b->nr)
			continue;
		put_block(p, b, dec, cell, j);
		shown++;
	}
	page_close(j, ']');
	page_num(j, "left_out", n - shown);
	page_close(j, '}');
	insn_free(dec);
}

/* ---- paths --------------------------------------------------------------------------------------- */

static void put_place(const struct page *p, uint32_t loc, struct obuf *cell)
{
	const struct loc *l = resolver_loc(p->env->resolver, loc);

	if (l->sym)
		obuf_printf(cell, "%s+0x%llx", l->sym->name,
			    (unsigned long long)(l->addr - l->sym->start));
	else
		obuf_printf(cell, "0x%llx", (unsigned long long)l->addr);
}

static void put_path(struct page *p, const struct brflow_path *path, struct obuf *cell,
		     struct json *j)
{
	page_open(j, NULL, '[');
	put_number(cell, j, 100.0 * (double)path->nr / (double)brflow_path_total(p->flow), 2, "%");
	put_number(cell, j, (double)path->nr, 0, "");
	if (path->flagged)
		put_number(cell, j, 100.0 * (double)path->mispred / (double)path->flagged, 2, "%");
	else
		page_str(j, NULL, "-");
	if (path->nr_cycles)
		put_number(cell, j, (double)path->cycles / (double)path->nr_cycles, 1, "");
	else
		page_str(j, NULL, "-");
	for (uint32_t i = 0; i < PATH_LEN; i++) {
		uint32_t from, to;

		brflow_path_branch(p->flow, path, i, &from, &to);
		if (i)
			obuf_lit(cell, "; ");
		put_place(p, from, cell);
		obuf_lit(cell, " \xe2\x86\x92 "); /* an arrow */
		put_place(p, to, cell);
	}
	put_cell(j, cell);
	page_close(j, ']');
}

static void put_paths(struct page *p, struct obuf *cell, struct json *j)
{
	static const char *const heads[] = { "Share", "Seen", "Mispredicted", "Cycles",
					     "Branches, oldest first" };
	size_t n = brflow_nr_paths(p->flow);

	put_head(j, "branches", "Paths", "Four branches in a row, the most frequent first.");
	put_list(j, "heads", heads, ARRAY_SIZE(heads));
	put_right(j, 4, ARRAY_SIZE(heads));
	page_open(j, "rows", '[');
	for (size_t i = 0; i < n && i < MAX_GRID; i++)
		put_path(p, brflow_path(p->flow, i), cell, j);
	page_close(j, ']');
	page_num(j, "left_out", n > MAX_GRID ? n - MAX_GRID : 0);
	page_close(j, '}');
}

int page_put_tables(struct page *p, struct json *j, struct err *e)
{
	struct obuf cell;
	int ret = obuf_init(&cell, -1, 0);

	if (ret)
		return err_set(e, ret, "no memory for the page");
	page_open(j, "grids", '[');
	if (p->simd)
		ret = put_simd(p, &cell, j, e);
	if (p->flow && !ret) {
		brflow_finish(p->flow);
		put_blocks(p, &cell, j);
		put_paths(p, &cell, j);
	}
	page_close(j, ']');
	obuf_free(&cell);
	return ret;
}
