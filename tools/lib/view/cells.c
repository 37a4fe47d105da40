// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Columns of a table: what they hold of a row, how wide they are, their cells. A view only reads:
 * whoever prints may ask for any cell, in any order and as often as he likes.
 */
#include <stdio.h>

#include "base/side.h"
#include "emit/emit.h"
#include "view-int.h"

/* ---- reading a row --------------------------------------------------------------------------- */

size_t view_nr_cols(const struct view *v)
{
	return v->c.nr_out;
}

const struct keys_col *view_col(const struct view *v, size_t i)
{
	return v->c.out[i];
}

const char *view_col_head(const struct view *v, const struct keys_col *c)
{
	bool strict = v->o.fields && v->o.fields[0] && v->o.fields[0] != '+';

	if (v->o.children && !v->c.nr_levels && !strict && !strcmp(c->key->name, "overhead"))
		return "Self";
	return c->key->head;
}

const char *view_col_name(const struct keys_col *c)
{
	return c->key->name;
}

bool view_col_is_number(const struct keys_col *c)
{
	return c->key->right;
}

static uint64_t stat_value(const struct view *v, const struct keys_col *c,
			   const struct keys_row *row)
{
	const struct slots *slots = c->slots;
	uint32_t i = row->idx;

	if (c->key->acc && !v->o.children)
		return 0;
	if (!slots)
		return c->key->stat(row, NULL);
	if (row->of_view) {
		const struct sum *sum = &v->sums.v[c->sum - v->t->sums.v];

		slots = c->key->acc ? &sum->callees : &sum->row;
		i -= v->base;
	}
	return c->key->stat(row, table_slot(slots, i));
}

uint64_t view_col_value(const struct view *v, const struct keys_col *c, const struct keys_row *row)
{
	const struct table *t = v->t;

	switch (c->key->at) {
	case KEY_SAMPLE: return keys_tuple_get(&t->groups, row->group)[c->slot];
	case KEY_BITS: return row->bits & (c->key->bits ? c->key->bits : 0);
	case KEY_FROM: return keys_tuple_get(&t->places, row->place)[c->slot];
	case KEY_TO: return keys_tuple_get(&t->places2, row->place2)[c->slot];
	case KEY_PLACE:
		if (t->keys.o.branch)
			return keys_tuple_get(&t->places2, row->place2)[c->slot];
		return keys_tuple_get(&t->places, row->place)[c->slot];
	case KEY_STAT: break;
	}
	return stat_value(v, c, row);
}

/* ---- widths ---------------------------------------------------------------------------------- */

/* The value of @row in a column that is no number. */
void view_put_text(const struct view *v, const struct keys_col *c, const struct keys_row *row,
		   struct obuf *o)
{
	const struct keys *ks = &v->t->keys;

	if (c->key->slot_text)
		c->key->slot_text(ks, view_row_acc(v->t, row, c->key->of), o);
	else
		c->key->text(ks, row, view_col_value(v, c, row), o);
}

static int text_len(const struct view *v, const struct keys_col *c, const struct keys_row *row)
{
	struct obuf o;
	int n;

	if (obuf_init(&o, -1, 0))
		return 0;
	view_put_text(v, c, row, &o);
	n = (int)o.len;
	obuf_free(&o);
	return n;
}

/* Upstream makes room for the name a thread has in the end. */
static int comm_len(const struct table *t, const struct keys_row *row)
{
	const struct thread *th = machine_thread_at(t->keys.m, row->thread);

	return th ? (int)strlen(machine_comm(t->keys.m, th->comm)) : 0;
}

static void row_widths(const struct view *v, int *width, const struct keys_row *row, bool new_group)
{
	const struct table *t = v->t;

	for (unsigned i = 0; i < v->c.nr_cols; i++) {
		const struct keys_col *c = &v->c.cols[i];
		int w = 0;

		if (c->elided)
			continue;
		switch (c->key->at) {
		case KEY_SAMPLE:
			if (c->key->truncates)
				w = comm_len(t, row);
			if (new_group && c->key->value_width)
				w = c->key->value_width(&t->keys, view_col_value(v, c, row));
			if (!new_group || !c->key->by_content)
				break;
			w = text_len(v, c, row);
			break;
		case KEY_TO:
			w = t->place2_width.v[(size_t)row->place2 * t->nr_place2 + c->slot];
			break;
		case KEY_FROM:
		case KEY_PLACE:
			w = t->keys.o.branch && c->key->at == KEY_PLACE
				    ? t->place2_width
					      .v[(size_t)row->place2 * t->nr_place2 + c->slot]
				    : t->place_width.v[(size_t)row->place * t->nr_place + c->slot];
			break;
		case KEY_BITS:
		case KEY_STAT: continue;
		}
		if (w > width[i])
			width[i] = w;
	}
}

/* Stretches of an event's rows, each by a thread: what is widest is so in any order. */
struct widths {
	const struct view *v;
	const struct view_event *ev;
	size_t each; /* rows of a stretch */
	struct {
		int width[MAX_KEYS];
		bool no_memory;
	} * of;
};

#define WIDTHS_AT_ONCE 65536u

static void stretch_widths(void *widths, size_t stretch)
{
	const struct widths *l = widths;
	size_t end = min_u64(l->ev->nr, (stretch + 1) * l->each);
	struct bits seen;

	l->of[stretch].no_memory = bits_init(&seen, (size_t)l->v->t->groups.n + 1);
	if (l->of[stretch].no_memory)
		return;
	for (size_t i = stretch * l->each; i < end; i++) {
		const struct keys_row *row = view_row_at(l->v, l->ev->rows[i]);

		row_widths(l->v, l->of[stretch].width, row, !bits_test(&seen, row->group));
		bits_set(&seen, row->group);
	}
	bits_free(&seen);
}

/* Of equal values it is the first row's text that counts: then rows are looked at one after the other. */
static int rows_widths(const struct view *v, struct view_event *ev, bool in_order)
{
	struct widths l = { .v = v, .ev = ev, .each = in_order ? ev->nr + 1 : WIDTHS_AT_ONCE };
	size_t n = (ev->nr + l.each - 1) / l.each;
	int ret = 0;

	l.of = calloc(n + 1, sizeof(*l.of));
	if (!l.of)
		return -ENOMEM;
	side_by_side(v->o.jobs, n, stretch_widths, &l);
	for (size_t k = 0; k < n; k++) {
		if (l.of[k].no_memory)
			ret = -ENOMEM;
		for (unsigned i = 0; i < v->c.nr_cols; i++)
			if (ev->width[i] < l.of[k].width[i])
				ev->width[i] = l.of[k].width[i];
	}
	free(l.of);
	return ret;
}

static int min_width(const struct view *v, const struct keys_col *c)
{
	int w = (int)strlen(view_col_head(v, c));

	if (w < c->key->min_width)
		w = c->key->min_width;
	/* Numbers keep their room; the heads of keys are cut. */
	if (c->user_width)
		return c->key->at == KEY_STAT && w > c->user_width ? w : c->user_width;
	return v->o.nsec && !strcmp(c->key->name, "time") ? 16 : w;
}

int view_widths(struct view *v, uint32_t event, bool in_order)
{
	uint32_t members = v->t->events.v[event].members;
	struct view_event *ev = &v->events.v[event];

	if (rows_widths(v, ev, in_order))
		return -ENOMEM;
	for (unsigned i = 0; i < v->c.nr_cols; i++) {
		const struct keys_col *c = &v->c.cols[i];
		int w = min_width(v, c);

		if (c->key->at == KEY_STAT && members)
			w = (int)max_u64((uint64_t)w, members * (uint64_t)c->key->min_width);
		if (ev->width[i] < w || c->user_width)
			ev->width[i] = w;
	}
	return 0;
}

int view_col_width(const struct view *v, uint32_t event, const struct keys_col *c)
{
	if (event < v->events.n && v->events.v[event].rows)
		return v->events.v[event].width[c - v->of->c.cols];
	return min_width(v, c);
}

/* ---- cells ----------------------------------------------------------------------------------- */

static double share_of(uint64_t part, uint64_t total)
{
	return total ? 100.0 * (double)part / (double)total : 0;
}

uint64_t view_whole(const struct view *v, uint32_t event)
{
	const struct table_totals *t = view_totals(v, event);

	return v->o.relative ? t->filtered_period : t->period;
}

static double share(const struct view *v, uint32_t event, uint64_t part)
{
	return share_of(part, view_whole(v, event));
}

static bool has_total(const struct keys_col *c)
{
	return c->key->of && c->key->of->is_share;
}

/* Of the total that the column's accumulator has itself, else of the period's. */
static double col_share(const struct view *v, const struct keys_col *c, uint32_t event,
			uint64_t part)
{
	const struct slots *totals;

	if (!has_total(c))
		return share(v, event, part);
	/* What passed a filter of the view is the view's own. */
	totals = v->o.relative && v->filtered ? &v->sums.v[c->sum - v->t->sums.v].event
					      : &c->sum->event;
	return share_of(part,
			c->key->stat(NULL, table_slot(totals, 2 * (size_t)event + v->o.relative)));
}

double view_percent(const struct view *v, const struct keys_row *row)
{
	return share(v, table_row_event(v->t, row), v->o.children ? row->acc : row->period);
}

bool view_col_percent(const struct view *v, const struct keys_row *row, const struct keys_col *c,
		      double *percent)
{
	if (!c->key->percent || (c->key->acc && !v->o.children))
		return false;
	*percent = col_share(v, c, table_row_event(v->t, row), view_col_value(v, c, row));
	return true;
}

/* Rows are sorted by weight: most have the text of a row just before. */
static int percent_text(const struct view *v, uint32_t event, uint64_t part, char *buf)
{
	struct percent_memo *m =
		(struct percent_memo *)&v->percent[hash_u64(part) % ARRAY_SIZE(v->percent)];

	if (!m->len || m->v != part || m->event != event) {
		m->len = snprintf(m->text, sizeof(m->text), "%.2f%%", share(v, event, part));
		m->v = part;
		m->event = event;
	}
	memcpy(buf, m->text, sizeof(m->text));
	return m->len;
}

/* One of the keys' own words, which are short. */
static int put_word(char *buf, const char *word)
{
	size_t n = strlen(word);

	memcpy(buf, word, n + 1);
	return (int)n;
}

static int number_text(const struct view *v, const struct keys_col *c, uint32_t event,
		       const struct keys_row *row, char *buf, size_t size)
{
	uint64_t n = view_col_value(v, c, row);

	if (c->key->mean)
		return snprintf(buf, size, "%.1f", row->nr ? (double)n / (double)row->nr : 0);
	if (has_total(c))
		return snprintf(buf, size, "%.2f%%", col_share(v, c, event, n));
	if (c->key->percent)
		return percent_text(v, event, n, buf);
	if (c->key->stat_text)
		return put_word(buf, c->key->stat_text(n));
	if (c->key->unknown && n == STAT_UNKNOWN)
		return put_word(buf, c->key->unknown);
	if (c->key->permille)
		return snprintf(buf, size, "%.1f%%", (double)n / 10);
	return fmt_dec(buf, n);
}

/* What callees cost is not added up: upstream says so on the one side or on the other. */
static void no_sum_cell(const struct keys_col *c, int width, bool pad, struct obuf *o)
{
	const char *text = c->key->latency ? " N/A" : "     N/A";

	obuf_str(o, text);
	if (pad)
		obuf_pad(o, ' ', width - (int)strlen(text));
}

/*
 * In columns "   12.34%" fills its width; behind a separator it is padded on the right. The
 * events of a group stand side by side in one cell.
 */
static void number_cell(const struct view *v, const struct keys_row *row, const struct keys_col *c,
			int width, bool pad, struct obuf *o)
{
	uint32_t event = table_row_event(v->t, row), members = table_members(v->t, event);
	int each = c->user_width ? min_width(v, c) : width / (int)members, done = 0;
	char buf[48];

	if (c->key->acc && !v->o.children) {
		no_sum_cell(c, width, pad, o);
		return;
	}
	for (uint32_t m = 0; m < members; m++) {
		int n = number_text(v, c, event + m, m ? view_member(v, row, m) : row, buf,
				    sizeof(buf));

		bool left = c->key->stat_text && members == 1;

		if (v->o.separator)
			obuf_char(o, ' ');
		else if (!left)
			/* "100.00%" is wider than the column of head "Latency". */
			obuf_pad(o, ' ', c->key->percent && each <= n ? 1 : each - n);
		obuf_mem(o, buf, (size_t)n);
		done += n + 1;
	}
	if (pad && (v->o.separator || (c->key->stat_text && members == 1)))
		obuf_pad(o, ' ', width - done + !v->o.separator);
}

void view_value(const struct view *v, const struct keys_row *row, const struct keys_col *c,
		struct obuf *o)
{
	uint64_t n = view_col_value(v, c, row);

	if (c->key->at != KEY_STAT)
		view_put_text(v, c, row, o);
	else if (c->key->mean)
		obuf_printf(o, "%.1f", row->nr ? (double)n / (double)row->nr : 0);
	else if (c->key->percent && !(c->key->acc && !v->o.children))
		obuf_printf(o, "%.2f", col_share(v, c, table_row_event(v->t, row), n));
	else if (c->key->stat_text)
		obuf_str(o, c->key->stat_text(n));
	else if (c->key->acc && !v->o.children)
		obuf_lit(o, "N/A");
	else if (c->key->unknown && n == STAT_UNKNOWN)
		obuf_str(o, c->key->unknown);
	else if (c->key->permille)
		obuf_printf(o, "%.1f", (double)n / 10);
	else
		obuf_dec(o, n);
}

void view_cell(const struct view *v, const struct keys_row *row, const struct keys_col *c,
	       struct obuf *o)
{
	int width = view_col_width(v, table_row_event(v->t, row), c);
	bool last = v->c.nr_levels ? c->level > 0 : c == v->c.out[v->c.nr_out - 1];
	size_t start = o->len, len;

	if (c->key->at == KEY_STAT) {
		number_cell(v, row, c, width, !last, o);
		return;
	}
	/* The text must stay in the buffer until it is measured. */
	if (!obuf_room(o, 4096))
		return;
	start = o->len;
	if (c->key->text_right)
		obuf_pad(o, ' ', width - text_len(v, c, row));
	view_put_text(v, c, row, o);
	if (o->len < start)
		return;
	len = o->len - start;
	if ((c->user_width || c->key->truncates) && len > (size_t)width)
		o->len = start + (size_t)width;
	if (v->o.separator)
		for (size_t i = start; i < o->len; i++)
			if (o->buf[i] == v->o.separator)
				o->buf[i] = '.';
	if (c->key->pads || !last)
		obuf_pad(o, ' ', width - (int)len);
}
