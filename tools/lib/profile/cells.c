// SPDX-License-Identifier: GPL-2.0-or-later
/* Columns of a table: what they hold of a row, how wide they are, their cells. */
#include <stdio.h>

#include "emit/emit.h"
#include "profile-int.h"

/* ---- reading a row --------------------------------------------------------------------------- */

size_t profile_nr_cols(const struct profile *p)
{
	return p->nr_out;
}

const struct profile_col *profile_col(const struct profile *p, size_t i)
{
	return p->out[i];
}

const char *profile_col_head(const struct profile *p, const struct profile_col *c)
{
	bool strict = p->o.fields && p->o.fields[0] && p->o.fields[0] != '+';

	if (p->o.children && !p->nr_levels && !strict && !strcmp(c->key->name, "overhead"))
		return "Self";
	return c->key->head;
}

const char *profile_col_name(const struct profile_col *c)
{
	return c->key->name;
}

bool profile_col_is_number(const struct profile_col *c)
{
	return c->key->right;
}

static uint64_t stat_value(const struct profile *p, const struct profile_col *c,
			   const struct profile_row *row)
{
	if (c->key->acc && !p->o.children)
		return 0;
	return c->key->stat(row, c->slots ? prof_slot(c->slots, row->idx) : NULL);
}

uint64_t prof_col_value(const struct profile *p, const struct profile_col *c,
			const struct profile_row *row)
{
	switch (c->key->at) {
	case KEY_SAMPLE: return prof_tuple_get(&p->groups, row->group)[c->slot];
	case KEY_BITS: return row->bits & (c->key->bits ? c->key->bits : 0);
	case KEY_FROM: return prof_tuple_get(&p->places, row->place)[c->slot];
	case KEY_TO: return prof_tuple_get(&p->places2, row->place2)[c->slot];
	case KEY_PLACE:
		if (p->o.branch)
			return prof_tuple_get(&p->places2, row->place2)[c->slot];
		return prof_tuple_get(&p->places, row->place)[c->slot];
	case KEY_STAT: break;
	}
	return stat_value(p, c, row);
}

/* ---- widths ---------------------------------------------------------------------------------- */

static int text_len(const struct profile *p, const struct profile_col *c,
		    const struct profile_row *row)
{
	struct obuf o;
	int n;

	if (obuf_init(&o, -1, 0))
		return 0;
	c->key->text(p, row, prof_col_value(p, c, row), &o);
	n = (int)o.len;
	obuf_free(&o);
	return n;
}

/* Upstream makes room for the name a thread has in the end. */
static int comm_len(const struct profile *p, const struct profile_row *row)
{
	const struct thread *th = machine_thread_at(p->m, row->thread);

	return th ? (int)strlen(machine_comm(p->m, th->comm)) : 0;
}

static void row_widths(const struct profile *p, struct event_rows *ev,
		       const struct profile_row *row, bool new_group)
{
	for (unsigned i = 0; i < p->nr_cols; i++) {
		const struct profile_col *c = &p->cols[i];
		int w = 0;

		if (c->elided)
			continue;
		switch (c->key->at) {
		case KEY_SAMPLE:
			if (c->key->truncates)
				w = comm_len(p, row);
			if (new_group && c->key->value_width)
				w = c->key->value_width(p, prof_col_value(p, c, row));
			if (!new_group || !c->key->by_content)
				break;
			w = text_len(p, c, row);
			break;
		case KEY_TO:
			w = p->place2_width.v[(size_t)row->place2 * p->nr_place2 + c->slot];
			break;
		case KEY_FROM:
		case KEY_PLACE:
			w = p->o.branch && c->key->at == KEY_PLACE
				    ? p->place2_width
					      .v[(size_t)row->place2 * p->nr_place2 + c->slot]
				    : p->place_width.v[(size_t)row->place * p->nr_place + c->slot];
			break;
		case KEY_BITS:
		case KEY_STAT: continue;
		}
		if (w > ev->width[i])
			ev->width[i] = w;
	}
}

static int min_width(const struct profile *p, const struct profile_col *c)
{
	int w = (int)strlen(profile_col_head(p, c));

	if (w < c->key->min_width)
		w = c->key->min_width;
	/* Numbers keep their room; the heads of keys are cut. */
	if (c->user_width)
		return c->key->at == KEY_STAT && w > c->user_width ? w : c->user_width;
	return p->o.nsec && !strcmp(c->key->name, "time") ? 16 : w;
}

int prof_cols_widths(struct profile *p, struct event_rows *ev)
{
	struct bits seen;

	if (bits_init(&seen, (size_t)p->groups.n + 1))
		return -ENOMEM;
	for (size_t i = 0; i < ev->nr; i++) {
		const struct profile_row *row = &p->rows.v[ev->rows[i]];

		row_widths(p, ev, row, !bits_test(&seen, row->group));
		bits_set(&seen, row->group);
	}
	bits_free(&seen);
	for (unsigned i = 0; i < p->nr_cols; i++) {
		int w = min_width(p, &p->cols[i]);

		if (p->cols[i].key->at == KEY_STAT && ev->members)
			w = (int)max_u64((uint64_t)w,
					 ev->members * (uint64_t)p->cols[i].key->min_width);

		if (ev->width[i] < w || p->cols[i].user_width)
			ev->width[i] = w;
	}
	return 0;
}

int profile_col_width(const struct profile *p, uint32_t event, const struct profile_col *c)
{
	if (event < p->events.n && p->events.v[event].rows)
		return p->events.v[event].width[c - p->cols];
	return min_width(p, c);
}

/* ---- cells ----------------------------------------------------------------------------------- */

static double share_of(uint64_t v, uint64_t total)
{
	return total ? 100.0 * (double)v / (double)total : 0;
}

static double share(const struct profile *p, uint32_t event, uint64_t v)
{
	const struct profile_totals *t = profile_totals(p, event);

	return share_of(v, p->o.relative ? t->filtered_period : t->period);
}

static bool has_total(const struct profile_col *c)
{
	return c->key->of && c->key->of->is_share;
}

/* Of the total that the column's accumulator has itself, else of the period's. */
static double col_share(const struct profile *p, const struct profile_col *c, uint32_t event,
			uint64_t v)
{
	if (!has_total(c))
		return share(p, event, v);
	return share_of(v, c->key->stat(NULL, prof_slot(&c->sum->event,
							2 * (size_t)event + p->o.relative)));
}

double profile_percent(const struct profile *p, const struct profile_row *row)
{
	return share(p, profile_row_event(p, row), p->o.children ? row->acc : row->period);
}

bool profile_col_percent(const struct profile *p, const struct profile_row *row,
			 const struct profile_col *c, double *percent)
{
	if (!c->key->percent || (c->key->acc && !p->o.children))
		return false;
	*percent = col_share(p, c, profile_row_event(p, row), prof_col_value(p, c, row));
	return true;
}

/* Rows are sorted by weight: most have the text of a row just before. */
static int percent_text(const struct profile *p, uint32_t event, uint64_t v, char *buf)
{
	struct percent_memo *m =
		(struct percent_memo *)&p->percent[hash_u64(v) % ARRAY_SIZE(p->percent)];

	if (!m->len || m->v != v || m->event != event) {
		m->len = snprintf(m->text, sizeof(m->text), "%.2f%%", share(p, event, v));
		m->v = v;
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

static int number_text(const struct profile *p, const struct profile_col *c, uint32_t event,
		       const struct profile_row *row, char *buf, size_t size)
{
	uint64_t v = prof_col_value(p, c, row);

	if (c->key->mean)
		return snprintf(buf, size, "%.1f", row->nr ? (double)v / (double)row->nr : 0);
	if (has_total(c))
		return snprintf(buf, size, "%.2f%%", col_share(p, c, event, v));
	if (c->key->percent)
		return percent_text(p, event, v, buf);
	if (c->key->stat_text)
		return put_word(buf, c->key->stat_text(v));
	if (c->key->unknown && v == STAT_UNKNOWN)
		return put_word(buf, c->key->unknown);
	if (c->key->permille)
		return snprintf(buf, size, "%.1f%%", (double)v / 10);
	return fmt_dec(buf, v);
}

/* What callees cost is not added up: upstream says so on the one side or on the other. */
static void no_sum_cell(const struct profile_col *c, int width, bool pad, struct obuf *o)
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
static void number_cell(const struct profile *p, const struct profile_row *row,
			const struct profile_col *c, int width, bool pad, struct obuf *o)
{
	uint32_t event = profile_row_event(p, row), members = profile_members(p, event);
	int each = c->user_width ? min_width(p, c) : width / (int)members, done = 0;
	char buf[48];

	if (c->key->acc && !p->o.children) {
		no_sum_cell(c, width, pad, o);
		return;
	}
	for (uint32_t m = 0; m < members; m++) {
		int n = number_text(p, c, event + m, m ? prof_member(p, row, m) : row, buf,
				    sizeof(buf));

		bool left = c->key->stat_text && members == 1;

		if (p->o.separator)
			obuf_char(o, ' ');
		else if (!left)
			/* "100.00%" is wider than the column of head "Latency". */
			obuf_pad(o, ' ', c->key->percent && each <= n ? 1 : each - n);
		obuf_mem(o, buf, (size_t)n);
		done += n + 1;
	}
	if (pad && (p->o.separator || (c->key->stat_text && members == 1)))
		obuf_pad(o, ' ', width - done + !p->o.separator);
}

void profile_value(const struct profile *p, const struct profile_row *row,
		   const struct profile_col *c, struct obuf *o)
{
	uint64_t v = prof_col_value(p, c, row);

	if (c->key->at != KEY_STAT)
		c->key->text(p, row, v, o);
	else if (c->key->mean)
		obuf_printf(o, "%.1f", row->nr ? (double)v / (double)row->nr : 0);
	else if (c->key->percent && !(c->key->acc && !p->o.children))
		obuf_printf(o, "%.2f", col_share(p, c, profile_row_event(p, row), v));
	else if (c->key->stat_text)
		obuf_str(o, c->key->stat_text(v));
	else if (c->key->acc && !p->o.children)
		obuf_lit(o, "N/A");
	else if (c->key->unknown && v == STAT_UNKNOWN)
		obuf_str(o, c->key->unknown);
	else if (c->key->permille)
		obuf_printf(o, "%.1f", (double)v / 10);
	else
		obuf_dec(o, v);
}

void profile_cell(const struct profile *p, const struct profile_row *row,
		  const struct profile_col *c, struct obuf *o)
{
	int width = profile_col_width(p, profile_row_event(p, row), c);
	bool last = p->nr_levels ? c->level > 0 : c == p->out[p->nr_out - 1];
	size_t start = o->len, len;

	if (c->key->at == KEY_STAT) {
		number_cell(p, row, c, width, !last, o);
		return;
	}
	/* The text must stay in the buffer until it is measured. */
	if (!obuf_room(o, 4096))
		return;
	start = o->len;
	if (c->key->text_right)
		obuf_pad(o, ' ', width - text_len(p, c, row));
	c->key->text(p, row, prof_col_value(p, c, row), o);
	if (o->len < start)
		return;
	len = o->len - start;
	if ((c->user_width || c->key->truncates) && len > (size_t)width)
		o->len = start + (size_t)width;
	if (p->o.separator)
		for (size_t i = start; i < o->len; i++)
			if (o->buf[i] == p->o.separator)
				o->buf[i] = '.';
	if (c->key->pads || !last)
		obuf_pad(o, ' ', width - (int)len);
}
