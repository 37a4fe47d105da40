// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What all writers of a listing say alike: which numbers stand before an instruction, how events,
 * objects and shares are called. The numbers are rows of one table, so that a number that is
 * counted somewhere below is in every form once it has a row here.
 */
#include <ctype.h>

#include "faces/listing-int.h"

/* ---- numbers ---------------------------------------------------------------------------------- */

static bool shows_shares(const struct faces_listings *f, const struct listing *l)
{
	(void)l;
	return f->o.number == FACES_SHARES;
}

static bool shows_samples(const struct faces_listings *f, const struct listing *l)
{
	(void)l;
	return f->o.number == FACES_SAMPLES;
}

static bool shows_periods(const struct faces_listings *f, const struct listing *l)
{
	(void)l;
	return f->o.number == FACES_PERIODS;
}

static void text_percent(const struct faces_listings *f, const struct listing *l,
			 const struct listing_line *line, uint32_t k, struct obuf *o)
{
	obuf_printf(o, "%.2f", listing_percent(l, line, k, f->o.percent));
}

static void text_samples(const struct faces_listings *f, const struct listing *l,
			 const struct listing_line *line, uint32_t k, struct obuf *o)
{
	(void)f;
	obuf_dec(o, listing_count(l, line, k).hits);
}

static void text_period(const struct faces_listings *f, const struct listing *l,
			const struct listing_line *line, uint32_t k, struct obuf *o)
{
	(void)f;
	obuf_dec(o, listing_count(l, line, k).period);
}

static void json_percent(const struct faces_listings *f, const struct listing *l,
			 const struct listing_line *line, uint32_t k, struct emit *e)
{
	emit_f64(e, "percent", listing_percent(l, line, k, f->o.percent), 4);
}

static void json_samples(const struct faces_listings *f, const struct listing *l,
			 const struct listing_line *line, uint32_t k, struct emit *e)
{
	(void)f;
	emit_u64(e, "samples", listing_count(l, line, k).hits);
}

static void json_period(const struct faces_listings *f, const struct listing *l,
			const struct listing_line *line, uint32_t k, struct emit *e)
{
	(void)f;
	emit_u64(e, "period", listing_count(l, line, k).period);
}

const struct faces_listing_column faces_listing_columns[] = {
	{ "percent", "Percent", 7, 7, true, false, shows_shares, text_percent, json_percent },
	{ "samples", "Samples", 7, 7, true, false, shows_samples, text_samples, json_samples },
	{ "period", "Period", 11, 11, true, false, shows_periods, text_period, json_period },
	{ "vectors", "Vectors", 9, 9, false, false, faces_regs_shown, faces_regs_width,
	  faces_regs_width_json },
	{ "mask", "Lanes", 6, 6, false, false, faces_regs_shown, faces_regs_lanes,
	  faces_regs_lanes_json },
	{ "value", "Value", 24, 24, false, false, faces_regs_value_shown, faces_regs_value,
	  faces_regs_value_json },
	{ "marks", "Marks", FACES_MARKS_WIDTH, FACES_MARKS_WIDTH, false, true, faces_marks_shown,
	  faces_marks_text, faces_marks_json },
	{ "answers", "Branches", FACES_ANSWERS_WIDTH, FACES_ANSWERS_WIDTH, false, true,
	  faces_answers_shown, faces_answers_text, faces_answers_json },
	{ "ipc", "IPC", 0, 5, false, false, faces_flow_shown, faces_flow_ipc, faces_flow_ipc_json },
	{ "cycles", "Cycle(min/max)", 0, 18, false, false, faces_flow_shown, faces_flow_cycles,
	  faces_flow_cycles_json },
	{ "executions", "Runs", 0, 8, false, false, faces_flow_shown, faces_flow_runs,
	  faces_flow_runs_json },
};
const size_t faces_listing_nr_columns = ARRAY_SIZE(faces_listing_columns);

size_t faces_listing_number(struct faces_listings *f, const struct listing *l,
			    const struct listing_line *line, const struct faces_listing_column *c,
			    uint32_t k, const char **text)
{
	f->cell.len = 0;
	c->text(f, l, line, k, &f->cell);
	*text = f->cell.buf;
	return f->cell.len;
}

void faces_listing_begin(struct faces_listings *f)
{
	f->cell = (struct obuf){ .fd = -1 };
}

/* A number that there was no memory for is missing in what was written; a browser writes nothing. */
void faces_listing_end(struct faces_listings *f)
{
	int code = obuf_free(&f->cell);

	if (code && f->out && !f->out->code)
		f->out->code = code;
}

double faces_listing_max(const struct faces_listings *f, const struct listing *l,
			 const struct listing_line *line)
{
	double max = 0;

	for (uint32_t k = 0; k < l->nr_events; k++) {
		double percent = listing_percent(l, line, k, f->o.percent);

		max = percent > max ? percent : max;
	}
	return max;
}

bool faces_listing_color(const struct faces_listings *f, double percent)
{
	if (!f->o.color || percent <= 0.5)
		return false;
	obuf_str(f->out, percent >= 5 ? "\033[31m" : "\033[32m");
	return true;
}

void faces_listing_plain(const struct faces_listings *f, bool colored)
{
	if (colored)
		obuf_lit(f->out, "\033[m");
}

/* ---- names ------------------------------------------------------------------------------------ */

const char *faces_listing_percent_name(enum listing_percent type)
{
	static const char *const names[] = {
		[LISTING_LOCAL_PERIOD] = "local period",
		[LISTING_GLOBAL_PERIOD] = "global period",
		[LISTING_LOCAL_HITS] = "local hits",
		[LISTING_GLOBAL_HITS] = "global hits",
	};

	return names[type];
}

static const char *event_name(const struct listing_event *ev)
{
	return ev->event ? ev->event->name : "?";
}

void faces_listing_events(const struct listing *l, struct obuf *o)
{
	const struct perfdata_event *first = l->nr_events ? l->event[0].event : NULL;

	if (l->nr_events > 1) {
		emit_safe(o, first && first->group && *first->group ? first->group : "anon group");
		obuf_lit(o, " { ");
	}
	for (uint32_t k = 0; k < l->nr_events; k++) {
		if (k)
			obuf_lit(o, ", ");
		emit_safe(o, event_name(&l->event[k]));
	}
	if (l->nr_events > 1)
		obuf_lit(o, " }");
}

const char *faces_listing_object(const struct faces_listings *f, const struct listing *l)
{
	return f->o.full_paths ? l->dso->name : l->dso->short_name;
}

void faces_listing_skid(const struct listing *l, struct obuf *o)
{
	uint64_t hits = 0, exact = 0;

	for (uint32_t k = 0; k < l->nr_events; k++) {
		hits += l->event[k].function.count.hits;
		exact += l->event[k].function.exact;
	}
	if (!hits)
		obuf_lit(o, "no samples");
	else if (exact == hits)
		obuf_lit(o, "exact");
	else if (!exact)
		obuf_lit(o, "with skid");
	else
		obuf_printf(o, "%.1f%% exact", 100.0 * (double)exact / (double)hits);
}

/* ---- parts of lines ---------------------------------------------------------------------------- */

void faces_listing_bytes(const struct listing_line *line, struct obuf *o)
{
	int width = 24 - 3 * line->len;

	for (unsigned i = 0; i < line->len; i++) {
		obuf_hex_zero(o, line->bytes[i], 2);
		obuf_char(o, ' ');
	}
	obuf_pad(o, ' ', width);
}

void faces_listing_place(const struct listing_line *line, struct obuf *o)
{
	const char *slash = strrchr(line->file, '/');

	emit_safe(o, slash ? slash + 1 : line->file);
	obuf_char(o, ':');
	obuf_dec(o, line->srcline);
}

void faces_listing_source(const struct listing_line *line, struct obuf *o)
{
	const char *s = line->text;
	size_t n;

	while (isspace((unsigned char)*s))
		s++;
	n = strlen(s);
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	for (size_t i = 0, part; i < n; i += part) {
		const char *tab = memchr(s + i, '\t', n - i);

		part = tab ? (size_t)(tab - s) - i : n - i;
		emit_safe_n(o, s + i, part);
		if (tab) {
			obuf_pad(o, ' ', 8 - (int)((i + part) % 8));
			part++;
		}
	}
}
