// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text around the rows: headings of the report and of its events, tables that are not of rows,
 * totals. Word for word what upstream's `perf report --stdio` prints, because people compare the
 * two and scripts parse it. The rows themselves are in text-rows.c and separated.c, call graphs in
 * text-graph.c.
 */
#include "dump/dump.h"
#include "branch/branch.h"
#include "faces/faces-int.h"

/* ---- headings --------------------------------------------------------------------------------- */

/* "6K": thousands are counted off above 1000, one letter each time. */
static void print_short(struct obuf *o, uint64_t n)
{
	char unit = ' ';

	for (const char *u = "KMG"; *u && n > 1000; u++) {
		n /= 1000;
		unit = *u;
	}
	obuf_dec(o, n);
	obuf_char(o, unit);
}

/* 'cycles', or 'anon group { cycles, instructions }' */
static void print_event_name(struct faces_walk *k, const struct perfdata_event *ev,
			     uint32_t members)
{
	const struct faces *f = k->f;
	struct obuf *o = k->out;

	obuf_str(o, members > 1 ? " of events '" : " of event '");
	if (members > 1) {
		emit_safe(o, ev->group && *ev->group ? ev->group : "anon group");
		obuf_lit(o, " { ");
	}
	for (uint32_t m = 0; m < members; m++) {
		if (m)
			obuf_lit(o, ", ");
		emit_safe(o, perfdata_event(f->pd, ev->idx + m)->name);
	}
	obuf_str(o, members > 1 ? " }'" : "'");
}

static void print_event_head(struct faces_walk *k, const struct perfdata_event *ev)
{
	const struct faces *f = k->f;
	uint32_t members = table_members(f->t, ev->idx);
	uint64_t samples = 0, period = 0;
	struct obuf *o = k->out;

	for (uint32_t m = 0; m < members; m++) {
		const struct table_totals *t = view_totals(f->v, ev->idx + m);

		samples += f->po->relative ? t->nr_filtered_samples : t->nr_samples;
		period += f->po->relative ? t->filtered_period : t->period;
	}
	obuf_lit(o, "# Samples: ");
	print_short(o, samples);
	print_event_name(k, ev, members);
	if (f->o.time) {
		obuf_lit(o, " (time slices: ");
		emit_safe(o, f->o.time);
		obuf_char(o, ')');
	}
	obuf_str(o, f->po->mem ? "\n# Total weight : " : "\n# Event count (approx.): ");
	obuf_dec(o, period);
	if (f->po->mem) {
		obuf_lit(o, "\n# Sort order   : ");
		obuf_str(o, view_sort_text(f->v) ?: "");
	}
	if (f->o.socket >= 0)
		obuf_printf(o, "\n# Processor Socket: %lld", (long long)f->o.socket);
	obuf_lit(o, "\n#\n");
}

/* What columns are shares of that options bring. */
static void print_legends(const struct keys_opts *o, struct obuf *out)
{
	const struct acc *acc;
	bool any = false;

	for (unsigned i = 0; o && (acc = keys_acc_at(i)); i++)
		if (acc->legend && acc->shown(o)) {
			obuf_str(out, acc->legend);
			any = true;
		}
	if (any && o->children)
		obuf_lit(out, "# " FACES_NO_SELF "\n#\n");
}

/* Members of a group are in their leader's table. */
static bool is_shown(const struct faces *f, const struct perfdata_event *ev)
{
	uint32_t members = table_members(f->t, ev->idx);

	for (uint32_t m = 0; m < members; m++)
		if (!f->o.skip_empty || view_totals(f->v, ev->idx + m)->nr_samples)
			return true;
	return false;
}

static void print_elided(struct faces_walk *k)
{
	const char *key, *value;

	for (size_t i = 0; (key = view_elided(k->f->v, i, &value)); i++) {
		obuf_lit(k->out, "# ");
		obuf_str(k->out, key);
		obuf_lit(k->out, ": ");
		emit_safe(k->out, value);
		obuf_char(k->out, '\n');
	}
}

int text_begin(struct faces_walk *k)
{
	const struct faces *f = k->f;
	struct obuf *o = k->out;

	if (!f->o.tasks)
		print_elided(k);
	if (!f->o.quiet && !f->o.tasks) {
		obuf_lit(o, "#\n");
		/* nobody shall take software's branches for the hardware's */
		dump_sample_source(f->pd, o);
		obuf_lit(o, "# Total Lost Samples: ");
		obuf_dec(o, f->lost_samples);
		obuf_lit(o, "\n#\n");
	}
	return text_begin_rows(k);
}

int text_begin_rows(struct faces_walk *k)
{
	return obuf_init(&((struct text *)k->state)->cell, -1, 0);
}

int text_event(struct faces_walk *k, const struct perfdata_event *ev)
{
	const struct faces *f = k->f;

	if (!is_shown(f, ev))
		return 1;
	if (f->o.quiet)
		return 0;
	print_event_head(k, ev);
	if (!f->flow)
		print_legends(f->po, k->out);
	return 0;
}

/* ---- tables that are not of rows --------------------------------------------------------------- */

static void print_counter_legend(struct faces_walk *k)
{
	const struct faces *f = k->f;
	char letter = 'A';

	obuf_lit(k->out, "# Branch counter abbr list:\n");
	for (size_t i = 0; i < perfdata_nr_events(f->pd); i++) {
		const struct perfdata_event *ev = perfdata_event(f->pd, i);

		if (!(ev->attr.branch_sample_type & PERF_SAMPLE_BRANCH_COUNTERS))
			continue;
		obuf_lit(k->out, "# ");
		emit_safe(k->out, ev->name);
		obuf_printf(k->out, " = %c\n", letter < 'Z' ? letter++ : letter);
	}
	obuf_lit(k->out,
		 "# '-' No event occurs\n"
		 "# '+' Event occurrences may be lost due to branch counter saturated\n#\n");
}

static void print_list_legend(struct obuf *o, const char *s)
{
	if (!s)
		return;
	while (*s) {
		size_t n = strcspn(s, "\n");

		obuf_lit(o, "# ");
		obuf_mem(o, s, n);
		obuf_char(o, '\n');
		s += n + (s[n] != 0);
	}
	obuf_lit(o, "#\n");
}

/* A line of dots below the heads, where there are any. */
static void print_plain_heads(struct faces_walk *k, const struct faces_table *t, bool dots)
{
	size_t n = 0;

	obuf_lit(k->out, "# ");
	for (size_t i = 0; i < t->nr_cols; i++) {
		const struct faces_column *c = &t->cols[i];

		if (!(c->readers & FACES_PEOPLE))
			continue;
		if (n++)
			obuf_lit(k->out, "  ");
		if (dots) {
			obuf_pad(k->out, '.', c->width);
			continue;
		}
		obuf_pad(k->out, ' ', c->width - (int)strlen(c->head));
		emit_safe(k->out, c->head);
	}
	obuf_char(k->out, '\n');
}

/* "# %8s %8s %8s  %s": in a line of a task a bar stands before the name. */
static int print_task_heads(struct faces_walk *k, const struct faces_table *t)
{
	obuf_char(k->out, '#');
	for (size_t i = 0; i < t->nr_cols; i++) {
		obuf_str(k->out, t->cols[i].number ? " " : "  ");
		obuf_str_right(k->out, t->cols[i].head, t->cols[i].width);
	}
	obuf_char(k->out, '\n');
	return 0;
}

/* The inode, or the build id where the record has that in its place. */
static void print_file_id(struct obuf *o, const struct map *m)
{
	if (m->ino || !m->dso->build_id_size) {
		obuf_dec(o, m->ino);
		return;
	}
	for (unsigned i = 0; i < m->dso->build_id_size; i++)
		obuf_hex_zero(o, m->dso->build_id[i], 2);
}

static void print_map(struct obuf *o, const struct map *m, int indent)
{
	char prot[5];

	faces_map_prot(m, prot);
	obuf_pad(o, ' ', indent);
	obuf_printf(o, "  %llx-%llx %s %08llx ", (unsigned long long)m->start,
		    (unsigned long long)m->end, prot, (unsigned long long)m->pgoff);
	print_file_id(o, m);
	obuf_char(o, ' ');
	emit_safe(o, m->dso->name);
}

void text_task_row(struct faces_walk *k, const struct faces_row *row)
{
	const struct thread *th = row->task;
	struct obuf *o = k->out;

	if (row->map) {
		print_map(o, row->map, 30 + (int)row->level);
	} else if (th) {
		obuf_printf(o, "  %8d %8d %8d |", th->pid, th->tid, th->ppid);
		obuf_pad(o, ' ', (int)row->level);
		emit_safe(o, machine_comm(k->f->m, th->comm));
	}
}

int text_plain_table(struct faces_walk *k, const struct faces_table *t)
{
	bool threads = t->kind == FACES_THREADS;

	if (t->kind == FACES_TASKS)
		return print_task_heads(k, t);
	if (t->kind == FACES_MAPS || (k->f->o.quiet && !threads))
		return 0;
	if (t->kind == FACES_BLOCKS && faces_nr_counting(k->f))
		print_counter_legend(k);
	if (t->kind == FACES_LIST) {
		obuf_printf(k->out, "# %s\n#\n", t->title);
		print_list_legend(k->out, t->legend);
	}
	print_plain_heads(k, t, false);
	if (!threads) {
		print_plain_heads(k, t, true);
		obuf_lit(k->out, "#\n");
	}
	return 0;
}

/* Most cells are numbers, and many a list is long. 0: @buf is too small, or it is something else. */
static int number_text(const struct faces_cell *cell, char *buf)
{
	int n = 0;

	switch (cell->kind) {
	case FACES_U64: n = fmt_dec(buf, cell->n); break;
	case FACES_F64: n = fmt_fixed2(buf, cell->d); break;
	case FACES_NONE: break;
	default: return 0;
	}
	if (n && cell->col->percent)
		buf[n++] = '%';
	/* Never a number that is not known. */
	if (cell->kind == FACES_NONE && cell->row->table->kind == FACES_LIST)
		buf[n++] = '-';
	return n;
}

/* Numbers and names alike stand to the right; what may be long is last and not padded. */
int text_plain_cell(struct faces_walk *k, const struct faces_cell *cell)
{
	struct text *text = k->state;
	struct obuf *o = &text->cell;
	char number[FMT_FIXED2 + 1];
	int n;

	if (cell->row->task)
		return 0; /* the line is there */
	n = number_text(cell, number);
	if (n) {
		obuf_pad(k->out, ' ',
			 cell->col->number && cell->col->width > n ? 2 + cell->col->width - n : 2);
		obuf_mem(k->out, number, (size_t)n);
		return 0;
	}
	o->len = 0;
	faces_cell_value(k->f, cell, o);
	if (cell->col->percent)
		obuf_char(o, '%');
	obuf_lit(k->out, "  ");
	if (cell->col->number)
		obuf_pad(k->out, ' ',
			 cell->col->width -
				 (int)(cell->kind == FACES_STR ? strlen(cell->s) : o->len));
	obuf_mem(k->out, o->buf, o->len);
	return o->code;
}

int text_table_end(struct faces_walk *k, const struct faces_table *t)
{
	bool blank = t->kind == FACES_ROWS || t->kind == FACES_PATHS || t->kind == FACES_LIST ||
		     (t->kind == FACES_BLOCKS && k->f->o.hot_paths);

	if (blank)
		obuf_lit(k->out, "\n\n");
	return 0;
}

/* ---- behind everything ------------------------------------------------------------------------- */

static const char *tip(const struct faces *f)
{
	if (f->po->branch)
		return "Tip: One row per edge of the control flow: perf report -b -s "
		       "symbol_from,symbol_to";
	if (f->po->children)
		return "Tip: Only what functions cost themselves: perf report --no-children";
	return "Tip: For a higher level overview, try: perf report --sort comm,dso";
}

int text_tail(struct faces_walk *k)
{
	if (!k->f->o.quiet)
		obuf_printf(k->out, "#\n# (%s)\n#\n", tip(k->f));
	return 0;
}

static void print_share(struct obuf *o, const char *name, uint64_t n, uint64_t total)
{
	if (n)
		obuf_printf(o, "\n%8s: %5.1f%%", name, 100.0 * (double)n / (double)total);
}

int text_total(struct faces_walk *k, const struct branch_totals *t)
{
	struct obuf *o = k->out;

	if (!t->typed)
		return 0;
	obuf_lit(o, "\n#\n# Branch Statistics:\n#");
	print_share(o, "COND_FWD", t->cond_fwd, t->typed);
	print_share(o, "COND_BWD", t->cond_bwd, t->typed);
	print_share(o, "CROSS_4K", t->cross_4k, t->typed);
	print_share(o, "CROSS_2M", t->cross_2m, t->typed);
	for (unsigned i = 0; i < ARRAY_SIZE(t->type); i++)
		print_share(o, branch_type_name(i, 0), t->type[i], t->typed);
	for (unsigned i = 0; i < ARRAY_SIZE(t->new_type); i++)
		print_share(o, branch_type_name(BR_EXTEND, i), t->new_type[i], t->typed);
	obuf_char(o, '\n');
	return 0;
}

void text_release(struct faces_walk *k)
{
	struct text *text = k->state;

	obuf_free(&text->cell);
}
