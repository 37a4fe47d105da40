// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report --html --numbers and its like: the tables that text has, as texts of cells, and beside each row the frame of its
 * function. A table is counted for each, by the keys that it has in text, so that the page tells what `report` does of
 * the same recording. They are of an event each and of all its samples: what else is chosen in the page does not reach
 * them, as values that are the same, or the most frequent, do not add up from parts.
 */
#include "page-int.h"
#include "view/view.h"

#define MAX_ROWS 300  /* of each event; those with most of it are first */
#define MAX_CELL 1000 /* bytes: names may be as long as somebody likes, and come in every row */

static const struct {
	const char *name, *title;
	unsigned mark;
	const char *limits; /* what it does not prove */
} kinds[PAGE_REGISTERS] = {
	{ "numbers", "Numbers in vectors", KEYS_MARK_NUMBERS,
	  "These numbers were in registers. That they cost time is not said: denormals do on some CPUs, and not under FTZ and DAZ." },
	{ "idle-lanes", "Lanes of vectors that do nothing", KEYS_MARK_IDLE,
	  "So it was in these samples: for other input, or in between, it may not be so." },
	{ "dirty", "Upper halves of vectors, and who left them", KEYS_MARK_DIRTY,
	  "SSE is the most that it can cost, not what it does cost. Who left them is searched backwards in the code; with branch stacks that "
	  "code ran, without them it could have." },
	{ "apx", "General registers, spills, and APX", KEYS_MARK_APX,
	  "Samples were at such instructions. That time is lost by a move, or that a compiler would do without it, is not said." },
	{ "shadow-stack", "Call chains against the shadow stack", KEYS_MARK_SHADOW,
	  "How many calls had not returned is sure. Which frames a chain lacks is not said." },
	{ "values", "Values of ", KEYS_MARK_VALUES,
	  "Values are those at the sampled instruction, as far as its address is exact. With ~ they are estimates." },
};

static bool is_wanted(const struct page *p, size_t i)
{
	return p->o.marks & kinds[i].mark;
}

static struct keys_opts opts_of(const struct page *p, unsigned mark)
{
	const struct perfdata *pd = p->env->pd;

	return (struct keys_opts){
		.chain = CHAIN_OPTS_DEFAULT,
		.numbers = mark == KEYS_MARK_NUMBERS,
		.mxcsr = mark == KEYS_MARK_NUMBERS && perfdata_has_mxcsr(pd),
		.idle = mark == KEYS_MARK_IDLE,
		.dirty = mark == KEYS_MARK_DIRTY,
		.apx = mark == KEYS_MARK_APX,
		.shadow = mark == KEYS_MARK_SHADOW,
		.values = mark == KEYS_MARK_VALUES ? p->o.values : NULL,
		/* Chains of copied stacks are unwound where they are kept. */
		.use_chains = mark == KEYS_MARK_SHADOW &&
			      perfdata_sample_types(pd) & PERF_SAMPLE_CALLCHAIN,
		.show_samples = true,
		.inlines = true,
		.max_stack = UNWIND_MAX_STACK,
		.arch = session_arch(p->session),
		.redact = p->o.redact,
		.jobs = session_jobs(p->session),
		.pd = pd,
		.filter = { .session = session_filter(p->session) },
	};
}

int page_start_registers(struct page *p, struct err *e)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < ARRAY_SIZE(kinds); i++) {
		const struct keys_opts o = opts_of(p, kinds[i].mark);

		if (is_wanted(p, i))
			ret = table_new(&p->registers[i], &o, p->env->machine, p->env->resolver,
					o.use_chains ? p->env->unwind : NULL, e);
	}
	return ret;
}

void page_free_registers(struct page *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		table_free(p->registers[i]);
}

uint64_t page_need_registers(const struct page *p)
{
	uint64_t need = 0;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		need |= p->registers[i] ? table_need(p->registers[i]) : 0;
	return need;
}

int page_add_registers(struct page *p, const struct sample *s, struct thread *th, struct err *e)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < ARRAY_SIZE(kinds); i++)
		ret = p->registers[i] ? table_add(p->registers[i], s, th, e) : 0;
	return ret;
}

int page_merge_registers(struct page *to, struct page *from, struct err *e)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < ARRAY_SIZE(kinds); i++) {
		struct table_maps *maps = NULL;

		if (!to->registers[i] || !from->registers[i])
			continue;
		/* Of each table: what waits in it is given numbers then. */
		ret = table_maps_new(&maps, to->registers[i], from->registers[i], false, e);
		ret = ret ?: table_merge(to->registers[i], from->registers[i], maps, e);
		table_maps_free(maps);
	}
	return ret;
}

/* ---- as data ------------------------------------------------------------------------------------- */

static void put_legend(const struct keys_opts *o, struct obuf *text, struct json *j)
{
	const struct acc *acc;

	text->len = 0;
	for (unsigned i = 0; (acc = keys_acc_at(i)); i++)
		if (acc->legend && acc->shown(o))
			keys_acc_legend(acc, text);
	obuf_char(text, 0);
	if (!text->code && text->len > 1)
		page_str(j, "legend", text->buf);
}

/* Without the blanks that align it in text. */
static void put_cell(struct obuf *cell, struct json *j)
{
	size_t from = 0;

	while (cell->len && cell->buf[cell->len - 1] == ' ')
		cell->len--;
	while (from < cell->len && cell->buf[from] == ' ')
		from++;
	if (cell->len - from > MAX_CELL) {
		cell->len = from + MAX_CELL;
		/* Not within a letter. */
		while (cell->len > from && ((unsigned char)cell->buf[cell->len] & 0xc0) == 0x80)
			cell->len--;
		obuf_lit(cell, "...");
	}
	obuf_char(cell, 0);
	page_str(j, NULL, cell->code ? "" : cell->buf + from);
}

static int64_t frame_of_row(const struct page *p, const struct view *v, const struct keys_row *row)
{
	const struct symbol *sym;
	struct dso *dso;

	return view_row_code(v, row, &dso, &sym) ? (int64_t)page_frame_of_symbol(p, sym) - 1 : -1;
}

/* How many of the row's samples say what stands in it. */
static void put_told(const struct view *v, const struct keys_row *row, struct json *j)
{
	uint64_t nr = 0;
	char text[24];

	view_row_told(v, row, &nr);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)nr);
	page_str(j, NULL, text);
}

static void put_event(const struct page *p, const struct view *v, uint32_t event, struct obuf *cell,
		      struct json *j)
{
	size_t nr = view_nr_rows(v, event), shown = nr < MAX_ROWS ? nr : MAX_ROWS;

	page_open(j, NULL, '{');
	page_num(j, "event", event);
	page_num(j, "all", nr);
	page_open(j, "frames", '[');
	for (size_t i = 0; i < shown; i++)
		page_int(j, frame_of_row(p, v, view_row(v, event, i)));
	page_close(j, ']');
	page_open(j, "rows", '[');
	for (size_t i = 0; i < shown; i++) {
		page_open(j, NULL, '[');
		for (size_t c = 0; c < view_nr_cols(v); c++) {
			cell->len = 0;
			view_cell(v, view_row(v, event, i), view_col(v, c), cell);
			put_cell(cell, j);
		}
		put_told(v, view_row(v, event, i), j);
		page_close(j, ']');
	}
	page_close(j, ']');
	page_close(j, '}');
}

static int put_table(struct page *p, size_t i, struct obuf *text, struct json *j, struct err *e)
{
	struct view *v = NULL;
	int ret = table_finish(p->registers[i], e) ?: view_new(&v, p->registers[i], NULL, NULL, e);

	if (ret)
		return ret;
	text->len = 0;
	obuf_str(text, kinds[i].title);
	obuf_str(text, kinds[i].mark == KEYS_MARK_VALUES ? p->o.values : "");
	obuf_char(text, 0);
	page_open(j, NULL, '{');
	page_str(j, "name", kinds[i].name);
	page_str(j, "title", text->code ? kinds[i].name : text->buf);
	put_legend(view_opts(v), text, j);
	page_str(j, "limits", kinds[i].limits);
	page_open(j, "heads", '[');
	for (size_t c = 0; c < view_nr_cols(v); c++)
		page_str(j, NULL, view_col_head(v, view_col(v, c)));
	page_str(j, NULL, "Told by");
	page_close(j, ']');
	page_open(j, "names", '[');
	for (size_t c = 0; c < view_nr_cols(v); c++)
		page_str(j, NULL, view_col_name(view_col(v, c)));
	page_str(j, NULL, "told");
	page_close(j, ']');
	page_open(j, "events", '[');
	for (uint32_t event = 0; event < perfdata_nr_events(p->env->pd); event++)
		if (view_nr_rows(v, event))
			put_event(p, v, event, text, j);
	page_close(j, ']');
	page_close(j, '}');
	view_free(v);
	return 0;
}

int page_put_registers(struct page *p, struct json *j, struct err *e)
{
	struct obuf text;
	bool any = false;
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		any |= p->registers[i] != NULL;
	if (!any)
		return 0;
	if (obuf_init(&text, -1, 0))
		return err_set(e, -ENOMEM, "no memory for the page");
	page_open(j, "registers", '[');
	for (size_t i = 0; !ret && i < ARRAY_SIZE(kinds); i++)
		if (p->registers[i])
			ret = put_table(p, i, &text, j, e);
	page_close(j, ']');
	obuf_free(&text);
	return ret;
}
