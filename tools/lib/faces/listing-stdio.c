// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `annotate --stdio`: a head, a line of dashes, numbers and instructions with their source lines
 * between. Layout as upstream's, which is described in text-formats.adoc, "perf annotate --stdio";
 * scripts and eyes know it. Source lines have their numbers in their file, where upstream's are
 * numbers of lines of objdump's output.
 */
#include <stdlib.h>

#include "faces/listing-int.h"

#define NAME_WIDTH    32  /* of -v's addresses */
#define SUMMARY_MIN   0.5 /* percent: source lines up to here are left out of -l */
#define SUMMARY_LINES 46  /* dashes below its head */

/* ---- -l: shares by source line ------------------------------------------------------------------ */

struct place {
	const struct listing_line *line; /* one of its instructions */
	double *percent;		 /* by event */
};

static int compare_lines(const struct listing_line *a, const struct listing_line *b)
{
	int ret = strcmp(a->file, b->file);

	return ret ?: (a->srcline > b->srcline) - (a->srcline < b->srcline);
}

static int by_line(const void *a, const void *b)
{
	return compare_lines(((const struct place *)a)->line, ((const struct place *)b)->line);
}

static int by_share(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->percent[0] != y->percent[0])
		return x->percent[0] < y->percent[0] ? 1 : -1;
	return compare_lines(x->line, y->line);
}

/* Those of one line together, in the first: how many there are. */
static size_t join_places(struct place *p, size_t n, uint32_t nr_events)
{
	size_t nr = 0;

	qsort(p, n, sizeof(*p), by_line);
	for (size_t i = 0; i < n; i++) {
		if (!nr || compare_lines(p[nr - 1].line, p[i].line)) {
			p[nr++] = p[i];
			continue;
		}
		for (uint32_t k = 0; k < nr_events; k++)
			p[nr - 1].percent[k] += p[i].percent[k];
	}
	return nr;
}

static size_t put_places(struct faces_listings *f, const struct place *p, size_t n,
			 uint32_t nr_events)
{
	size_t shown = 0;

	for (size_t i = 0; i < n; i++) {
		double max = 0;

		for (uint32_t k = 0; k < nr_events; k++)
			max = p[i].percent[k] > max ? p[i].percent[k] : max;
		if (max <= SUMMARY_MIN)
			continue;
		for (uint32_t k = 0; k < nr_events; k++) {
			bool colored = faces_listing_color(f, p[i].percent[k]);

			obuf_printf(f->out, " %7.2f", p[i].percent[k]);
			faces_listing_plain(f, colored);
		}
		obuf_char(f->out, ' ');
		faces_listing_place(p[i].line, f->out);
		obuf_char(f->out, '\n');
		shown++;
	}
	return shown;
}

static int put_summary(struct faces_listings *f, const struct listing *l, struct err *e)
{
	uint32_t nr_events = l->nr_events ? l->nr_events : 1;
	struct place *places = calloc(l->nr_insns + 1, sizeof(*places));
	double *percents = calloc((size_t)(l->nr_insns + 1) * nr_events, sizeof(*percents));
	size_t n = 0;

	if (!places || !percents) {
		free(places);
		free(percents);
		return err_set(e, -ENOMEM, "no memory for source lines");
	}
	for (uint32_t i = 0; i < l->nr_insns; i++) {
		const struct listing_line *line = &l->line[l->insn_line[i]];

		if (!line->srcline || !line->file)
			continue;
		places[n] = (struct place){ line, &percents[n * nr_events] };
		for (uint32_t k = 0; k < l->nr_events; k++)
			places[n].percent[k] = listing_percent(l, line, k, f->o.percent);
		n++;
	}
	n = join_places(places, n, l->nr_events);
	qsort(places, n, sizeof(*places), by_share);
	obuf_lit(f->out, "\nSorted summary for file ");
	emit_safe(f->out, l->dso->name);
	obuf_char(f->out, '\n');
	obuf_pad(f->out, '-', SUMMARY_LINES);
	obuf_lit(f->out, "\n\n");
	if (!put_places(f, places, n, l->nr_events))
		obuf_lit(f->out, " Nothing higher than 0.5%\n");
	free(places);
	free(percents);
	return 0;
}

/* ---- the head ----------------------------------------------------------------------------------- */

/* The numbers' column, all in all. */
static int numbers_width(const struct faces_listings *f, const struct listing *l)
{
	int width = 0;

	for (size_t i = 0; i < faces_listing_nr_columns; i++) {
		const struct faces_listing_column *c = &faces_listing_columns[i];

		if (c->width && c->shown(f, l))
			width += (c->width + 1) * (c->each_event ? (int)l->nr_events : 1);
	}
	return width;
}

static void put_heads(struct faces_listings *f, const struct listing *l)
{
	for (size_t i = 0; i < faces_listing_nr_columns; i++) {
		const struct faces_listing_column *c = &faces_listing_columns[i];

		if (!c->width || !c->shown(f, l))
			continue;
		obuf_str_left(f->out, c->head,
			      (c->width + 1) * (c->each_event ? (int)l->nr_events : 1));
	}
}

static void put_head(struct faces_listings *f, const struct listing *l)
{
	uint64_t start = obuf_printed(f->out);

	obuf_char(f->out, ' ');
	put_heads(f, l);
	obuf_lit(f->out, "|\tSource code & Disassembly of ");
	emit_safe(f->out, faces_listing_object(f, l));
	obuf_lit(f->out, " for ");
	faces_listing_events(l, f->out);
	obuf_printf(f->out, " (%llu samples, percent: %s)\n",
		    (unsigned long long)(l->nr_events ? l->event[0].function.count.hits : 0),
		    faces_listing_percent_name(f->o.percent));
	obuf_pad(f->out, '-', (int)(obuf_printed(f->out) - start) + 4);
	obuf_char(f->out, '\n');
}

/* -v: where samples are, and how many. */
static void put_histogram(struct faces_listings *f, const struct listing *l)
{
	for (uint32_t i = 0; i < l->nr_insns; i++) {
		const struct listing_line *line = &l->line[l->insn_line[i]];
		uint64_t hits = listing_count(l, line, 0).hits;

		if (hits) {
			obuf_hex_right(f->out, listing_addr(l, line), NAME_WIDTH);
			obuf_printf(f->out, ": %llu\n", (unsigned long long)hits);
		}
	}
	obuf_str_right(f->out, "h->nr_samples", NAME_WIDTH);
	obuf_printf(f->out, ": %llu\n", (unsigned long long)l->event[0].function.count.hits);
}

/* ---- lines -------------------------------------------------------------------------------------- */

static int hex_width(uint64_t v)
{
	char buf[20];

	return fmt_hex(buf, v);
}

static int address_width(const struct listing *l)
{
	int width = 0;

	for (uint32_t i = 0; i < l->nr_insns; i++) {
		int n = hex_width(listing_addr(l, &l->line[l->insn_line[i]]));

		width = n > width ? n : width;
	}
	return width;
}

static void put_number(struct faces_listings *f, const struct listing *l,
		       const struct listing_line *line, const struct faces_listing_column *c,
		       uint32_t k)
{
	const char *text;
	size_t n = faces_listing_number(f, l, line, c, k, &text);
	bool colored;

	obuf_char(f->out, ' ');
	colored = faces_listing_color(f, listing_percent(l, line, k, f->o.percent));
	obuf_pad(f->out, ' ', c->width - (int)n);
	obuf_mem(f->out, text, n);
	faces_listing_plain(f, colored);
}

static void put_numbers(struct faces_listings *f, const struct listing *l,
			const struct listing_line *line)
{
	for (size_t i = 0; i < faces_listing_nr_columns; i++) {
		const struct faces_listing_column *c = &faces_listing_columns[i];
		uint32_t nr = c->each_event ? l->nr_events : 1;

		for (uint32_t k = 0; c->width && c->shown(f, l) && k < nr; k++)
			put_number(f, l, line, c, k);
	}
	obuf_lit(f->out, " : ");
}

/* objdump's tab behind the address */
static int text_column(int address_digits)
{
	return 8 - (address_digits + 1) % 8;
}

static void put_insn(struct faces_listings *f, const struct listing *l,
		     const struct listing_line *line, int width)
{
	uint64_t addr = listing_addr(l, line);

	put_numbers(f, l, line);
	obuf_lit(f->out, "  ");
	obuf_hex_right(f->out, addr, width);
	obuf_char(f->out, ':');
	obuf_pad(f->out, ' ', text_column(hex_width(addr)));
	if (f->o.asm_raw)
		faces_listing_bytes(line, f->out);
	faces_insn_text(l, line, true, FACES_INSN_WIDTH, f->out);
	faces_flow_comment(l, line, f->out);
}

/* Not an instruction: blanks, ':', its number where it has one, text. */
static void put_other(struct faces_listings *f, const struct listing *l,
		      const struct listing_line *line, int numbers, int width)
{
	obuf_pad(f->out, ' ', numbers + 1);
	obuf_char(f->out, ':');
	if (line->kind == LISTING_LABEL) {
		obuf_pad(f->out, ' ', width + 2);
		obuf_hex_zero(f->out, listing_addr(l, line), 16);
		obuf_lit(f->out, " <");
		emit_safe(f->out, line->name ?: "");
		obuf_lit(f->out, ">:");
	} else if (line->text[strspn(line->text, " \t\r\n")]) {
		char buf[24];
		int n = fmt_dec(buf, line->srcline);

		obuf_char(f->out, ' ');
		obuf_mem(f->out, buf, (size_t)n);
		obuf_pad(f->out, ' ', width - n);
		obuf_char(f->out, ' ');
		faces_listing_source(line, f->out);
	}
	obuf_char(f->out, '\n');
}

static int put(struct faces_listings *f, const struct listing *l, struct err *e)
{
	int numbers = numbers_width(f, l), width = address_width(l);
	const struct listing_line *place = NULL; /* the last whose place was printed */

	faces_listing_put_legend(f, l);
	if (f->o.print_line && put_summary(f, l, e))
		return e->code;
	put_head(f, l);
	if (f->o.verbose && l->nr_events)
		put_histogram(f, l);
	for (uint32_t i = 0; i < l->nr_lines && !f->out->code; i++) {
		const struct listing_line *line = &l->line[i];

		if (line->kind != LISTING_INSN) {
			put_other(f, l, line, numbers, width);
			continue;
		}
		put_insn(f, l, line, width);
		if (f->o.print_line && line->srcline && line->file &&
		    faces_listing_max(f, l, line) > SUMMARY_MIN &&
		    (!place || compare_lines(place, line))) {
			obuf_lit(f->out, " // ");
			faces_listing_place(line, f->out);
			place = line;
		}
		obuf_char(f->out, '\n');
	}
	f->nr++;
	return 0;
}

const struct faces_listing_writer faces_listing_stdio = {
	"stdio",
	faces_listing_begin,
	put,
	faces_listing_end,
};
