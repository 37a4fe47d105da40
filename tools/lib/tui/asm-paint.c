// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One line of a listing: numbers of each event, loops, address, arrows, instruction. Everything about a
 * line is made when it is painted, and from that line alone. Then what stands above and below all lines.
 */
#include <inttypes.h>
#include <stdio.h>

#include "tui/asm-int.h"

enum listing_percent tui_asm_percent_type(const struct tui_asm_look *look)
{
	if (look->hits)
		return look->global ? LISTING_GLOBAL_HITS : LISTING_LOCAL_HITS;
	return look->global ? LISTING_GLOBAL_PERIOD : LISTING_LOCAL_PERIOD;
}

static const struct listing_line *line_at(const struct tui_asm *b, uint32_t line)
{
	return &b->l->line[line];
}

/* Text with what was searched for marked in it. */
static void put_text(const struct tui_asm *b, struct tui_pen *p, enum tui_role role,
		     const char *text)
{
	const char *needle = b->look->needle, *at;
	size_t len = strlen(needle);
	uint32_t cp;

	while (len && (at = strstr(text, needle))) {
		while (text < at) {
			char one[8] = "";
			size_t n = tui_char(text, &cp);

			memcpy(one, text, n);
			tui_put(p, role, one);
			text += n;
		}
		tui_put(p, TUI_MATCH, needle);
		text = at + len;
	}
	tui_put(p, role, text);
}

/* ---- numbers ----------------------------------------------------------------------------------- */

static int number_width(const struct tui_asm *b)
{
	return b->look->number == TUI_ASM_PERIOD ? 12 : 8;
}

#define CYCLES_ALONE 6	/* columns, without the least and the most */
#define CODE_LEAST   56 /* for shares, addresses and instructions, beside columns of words */
#define WORDS_LEAST  16

/* Columns that are not of one event: what branch stacks tell, for one. */
static bool next_column(const struct tui_asm *b, const struct faces_listing_column **c, int *width)
{
	const struct faces_listing_column *end = faces_listing_columns + faces_listing_nr_columns;

	for (*c = *c ? *c + 1 : faces_listing_columns; *c < end; ++*c) {
		if ((*c)->each_event || !(*c)->shown(b->face, b->l))
			continue;
		*width = (*c)->width2;
		if (!strcmp((*c)->name, "cycles") && !b->look->min_max)
			*width = CYCLES_ALONE;
		if ((*c)->words && b->cols && *width > b->cols - CODE_LEAST)
			*width = b->cols - CODE_LEAST > WORDS_LEAST ? b->cols - CODE_LEAST
								    : WORDS_LEAST;
		return true;
	}
	return false;
}

/* Whole words, and that there are more. */
static void cut_words(char *text, int width)
{
	int n = width - 2;

	if ((int)strlen(text) <= width)
		return;
	while (n > 0 && text[n] != ' ')
		n--;
	strcpy(text + n, n ? " +" : "+");
}

static void put_columns(const struct tui_asm *b, const struct listing_line *line, struct tui_pen *p)
{
	const struct faces_listing_column *c = NULL;
	int width;

	while (next_column(b, &c, &width)) {
		const char *text;
		size_t n = faces_listing_number(b->face, b->l, line, c, 0, &text);
		char buf[64];

		snprintf(buf, sizeof(buf), "%.*s", (int)(n < sizeof(buf) ? n : sizeof(buf) - 1),
			 n ? text : "");
		if (width == CYCLES_ALONE && !b->look->min_max)
			buf[strcspn(buf, "(")] = 0;
		if (c->words)
			cut_words(buf, width);
		tui_field(p, TUI_NORMAL, -width, buf);
		tui_put(p, TUI_NORMAL, " ");
	}
}

/* What branch stacks tell of a branch; without the tab in front. */
static const char *comment(const struct tui_asm *b, const struct listing_line *line)
{
	struct obuf *o = b->text;

	o->len = 0;
	if (line->kind == LISTING_INSN)
		faces_flow_comment(b->l, line, o);
	obuf_char(o, 0);
	return o->code || o->len < 2 ? "" : o->buf + 1;
}

static void put_numbers(const struct tui_asm *b, const struct listing_line *line, struct tui_pen *p)
{
	int width = number_width(b);

	for (uint32_t k = 0; k < b->l->nr_events; k++) {
		struct annotate_count c = listing_count(b->l, line, k);
		double percent = listing_percent(b->l, line, k, tui_asm_percent_type(b->look));
		enum tui_role role = percent >= 5     ? TUI_TOP
				     : percent >= 0.5 ? TUI_MEDIUM
						      : TUI_NORMAL;
		int end = p->at + width;

		if (!c.hits)
			;
		else if (b->look->number == TUI_ASM_PERCENT)
			tui_putf(p, role, "%*.2f", width - 1, percent);
		else
			tui_putf(p, role, "%*" PRIu64, width - 1,
				 b->look->number == TUI_ASM_PERIOD ? c.period : c.hits);
		tui_pad(p, TUI_NORMAL, end);
	}
	put_columns(b, line, p);
	tui_put(p, TUI_DIM, "│");
}

/* ---- loops and arrows -------------------------------------------------------------------------- */

static void put_loops(const struct tui_asm *b, uint32_t line, struct tui_pen *p)
{
	const struct tui_arrows *a = &b->arrows;

	for (int d = 0; d < a->loops; d++) {
		uint8_t bit = (uint8_t)(1 << d);
		const char *s = !(a->inside[line] & bit) ? " "
				: a->head[line] & bit	 ? "┏"
				: a->end[line] & bit	 ? "┗"
							 : "┃";

		tui_put(p, TUI_BAR, s);
	}
}

/* What one lane shows at a line. */
struct cell {
	bool here, corner, down, target, current;
};

static struct cell look_at(const struct tui_asm *b, uint32_t from, uint32_t line)
{
	uint32_t to = line_at(b, from)->target;
	struct cell c = { .current = from == b->at || to == b->at };

	if (to == LISTING_NONE || line < (from < to ? from : to) || line > (from < to ? to : from))
		return c;
	if (b->look->arrows == TUI_ARROWS_CURSOR && !c.current)
		return c;
	c.here = true;
	c.corner = line == from || line == to;
	c.down = line == (from < to ? from : to);
	c.target = line == to;
	return c;
}

/* The lane left of all others: the jump at the cursor, where it has no lane of its own. */
static struct cell extra_lane(const struct tui_asm *b, uint32_t line)
{
	const struct listing_line *at = b->at < b->l->nr_lines ? line_at(b, b->at) : NULL;

	if (!at || at->target == LISTING_NONE || at->target == b->at)
		return (struct cell){ 0 };
	for (int k = 0; k < b->arrows.lanes; k++)
		if (b->arrows.lane[k][b->at] == b->at + 1)
			return (struct cell){ 0 };
	return look_at(b, b->at, line);
}

static void put_arrows(const struct tui_asm *b, uint32_t line, struct tui_pen *p)
{
	const struct tui_arrows *a = &b->arrows;
	bool extra = a->left_out > 0, across = false, current = false, target = false;

	if (b->look->arrows == TUI_ARROWS_NONE || (!a->lanes && !extra))
		return;
	for (int k = a->lanes - 1 + extra; k >= 0; k--) {
		struct cell c = { 0 };
		const char *s = across ? "─" : " ";
		bool mine;

		if (k == a->lanes)
			c = extra_lane(b, line);
		else if (a->lane[k][line])
			c = look_at(b, a->lane[k][line] - 1, line);
		mine = c.here && c.current;
		if (c.corner) {
			s = c.down ? (across ? "┬" : "┌") : (across ? "┴" : "└");
			across = true;
			current |= mine;
			target |= c.target;
		} else if (c.here) {
			s = across ? "┼" : "│";
		}
		tui_put(p, mine || (current && across) ? TUI_JUMP_ARROWS : TUI_DIM, s);
	}
	tui_put(p, current ? TUI_JUMP_ARROWS : TUI_DIM, target ? "▶" : across ? "─" : " ");
}

/* ---- address and instruction ------------------------------------------------------------------- */

static void put_address(const struct tui_asm *b, const struct listing_line *line, struct tui_pen *p)
{
	const struct tui_asm_look *look = b->look;
	char addr[24] = "";
	bool call = line->branch == INSN_CALL || line->branch == INSN_IND_CALL;

	if (look->jumps) {
		char jumps[16] = "";

		if (line->jumps)
			snprintf(jumps, sizeof(jumps), "%" PRIu32, line->jumps);
		tui_field(p, TUI_DIM, -4, jumps);
		tui_put(p, TUI_NORMAL, " ");
	}
	if (look->full_address)
		snprintf(addr, sizeof(addr), "%" PRIx64 ":", listing_addr(b->l, line));
	else if (line->jumps || look->level > 2 || (look->level > 1 && call))
		snprintf(addr, sizeof(addr), "%" PRIx64 ":", line->addr - b->l->start);
	tui_field(p, TUI_ADDR, -b->addr_width, addr);
}

static const char *mark(const struct tui_asm *b, const struct listing_line *line, uint32_t nr)
{
	(void)b;
	if (line->ref == LISTING_LOCAL)
		return line->target > nr ? "↓" : "↑";
	switch (line->branch) {
	case INSN_RET:
	case INSN_SYSRET: return "←";
	case INSN_NO_BRANCH: return " ";
	default: return "→";
	}
}

/* Source lines have tabs, a cell has not. */
static const char *expand_tabs(struct obuf *o, const char *text)
{
	int col = 0;

	o->len = 0;
	for (; *text; text++) {
		if (*text == '\t') {
			obuf_pad(o, ' ', 8 - col % 8);
			col += 8 - col % 8;
			continue;
		}
		obuf_char(o, *text);
		col += ((unsigned char)*text & 0xc0) != 0x80;
	}
	obuf_char(o, 0);
	return o->code || !o->len ? "" : o->buf;
}

/* As the texts of listings have it; valid until the next call. */
const char *tui_asm_text(const struct tui_asm *b, const struct listing_line *line)
{
	struct obuf *o = b->text;

	if (line->kind != LISTING_INSN)
		return expand_tabs(o, line->text);
	o->len = 0;
	faces_insn_text(b->l, line, b->look->raw || b->look->full_address, b->mnemonic, o);
	obuf_char(o, 0);
	return o->code || !o->len ? line->text : o->buf;
}

/* Likewise. */
static const char *bytes_text(const struct tui_asm *b, const struct listing_line *line)
{
	struct obuf *o = b->text;

	o->len = 0;
	faces_listing_bytes(line, o);
	obuf_char(o, 0);
	return o->code ? "" : o->buf;
}

static bool is_cold(const struct tui_asm *b, const struct listing_line *line)
{
	if (!b->l->flow || b->l->flow[line->insn].executions)
		return false;
	for (uint32_t k = 0; k < b->l->nr_events; k++)
		if (listing_count(b->l, line, k).hits)
			return false;
	return true;
}

static void put_insn(const struct tui_asm *b, uint32_t nr, struct tui_pen *p)
{
	const struct listing_line *line = line_at(b, nr);
	const char *about;

	put_loops(b, nr, p);
	put_address(b, line, p);
	tui_put(p, TUI_NORMAL, " ");
	put_arrows(b, nr, p);
	tui_put(p, line->branch ? TUI_JUMP_ARROWS : TUI_NORMAL, mark(b, line, nr));
	tui_put(p, TUI_NORMAL, " ");
	if (b->look->bytes)
		tui_put(p, TUI_ADDR, bytes_text(b, line));
	/* Code that no branch stack saw run steps back. */
	put_text(b, p, line->bad || is_cold(b, line) ? TUI_DIM : TUI_NORMAL, tui_asm_text(b, line));
	about = comment(b, line);
	if (about[0]) {
		tui_put(p, TUI_NORMAL, "  ");
		tui_put(p, TUI_ADDR, about);
	}
	if (b->look->line_numbers && line->srcline) {
		const char *file = line->file ? line->file : "?", *slash = strrchr(file, '/');

		tui_put(p, TUI_ADDR, "  // ");
		tui_put(p, TUI_ADDR, slash ? slash + 1 : file);
		tui_putf(p, TUI_ADDR, ":%" PRIu32, line->srcline);
	}
}

void tui_asm_paint_row(const struct tui_asm *b, uint32_t nr, struct tui_pen *p)
{
	const struct listing_line *line = line_at(b, nr);

	put_numbers(b, line, p);
	if (line->kind == LISTING_INSN) {
		put_insn(b, nr, p);
		return;
	}
	put_loops(b, nr, p);
	if (b->look->jumps)
		tui_put(p, TUI_NORMAL, "     ");
	tui_pad(p, TUI_NORMAL, p->at + b->addr_width + 1);
	put_arrows(b, nr, p);
	tui_put(p, TUI_NORMAL, "  ");
	if (line->kind == LISTING_LABEL) {
		tui_put(p, TUI_HEAD, "<");
		put_text(b, p, TUI_HEAD, line->text);
		tui_put(p, TUI_HEAD, ">:");
		return;
	}
	if (b->look->line_numbers)
		tui_putf(p, TUI_ADDR, "%-5" PRIu32 " ", line->srcline);
	put_text(b, p, TUI_DIM, tui_asm_text(b, line));
}

void tui_asm_paint_about(const struct tui_asm *b, uint32_t nr, struct tui_pen *p)
{
	const struct listing_line *line = line_at(b, nr);
	const char *about;

	if (line->srcline) {
		tui_put(p, TUI_ROOT, line->file ? line->file : "?");
		tui_putf(p, TUI_ROOT, ":%" PRIu32 "  ", line->srcline);
	}
	if (line->kind != LISTING_INSN) {
		put_text(b, p, TUI_ROOT, tui_asm_text(b, line));
		return;
	}
	for (uint32_t k = 0; k < b->l->nr_events; k++) {
		struct annotate_count c = listing_count(b->l, line, k);

		if (!c.hits)
			continue;
		tui_putf(p, TUI_ROOT, "%.2f%%, %" PRIu64 " sample%s, period %" PRIu64 "  ",
			 listing_percent(b->l, line, k, tui_asm_percent_type(b->look)), c.hits,
			 c.hits == 1 ? "" : "s", c.period);
	}
	tui_putf(p, TUI_ROOT, "%" PRIx64 ": ", listing_addr(b->l, line));
	tui_put(p, TUI_ROOT, tui_asm_text(b, line));
	if (line->name && line->ref != LISTING_LOCAL) {
		tui_put(p, TUI_ROOT, "  <");
		tui_put(p, TUI_ROOT, line->name);
		tui_putf(p, TUI_ROOT, line->name_off ? "+0x%" PRIx64 ">" : ">", line->name_off);
	}
	about = comment(b, line);
	if (about[0]) {
		tui_put(p, TUI_ROOT, "  ");
		tui_put(p, TUI_ROOT, about);
	}
	if (line->jumps)
		tui_putf(p, TUI_ROOT, "  %" PRIu32 " jump%s here", line->jumps,
			 line->jumps == 1 ? "" : "s");
}

/* ---- around the lines ------------------------------------------------------------------------- */

static void put_head(const struct tui_asm *b, struct tui_pen *p)
{
	static const char *const names[] = { "Percent", "Period", "Samples" };
	const struct faces_listing_column *c = NULL;
	int width = number_width(b), columns;

	for (uint32_t k = 0; k < b->l->nr_events; k++)
		tui_putf(p, TUI_HEAD, "%*s ", width - 1, names[b->look->number]);
	while (next_column(b, &c, &columns)) {
		char head[32];

		snprintf(head, sizeof(head), "%s", c->head);
		if (columns == CYCLES_ALONE && !b->look->min_max)
			head[strcspn(head, "(")] = 0;
		tui_field(p, TUI_HEAD, -columns, head);
		tui_put(p, TUI_HEAD, " ");
	}
	tui_put(p, TUI_HEAD, "│ Disassembly");
	if (b->l->nr_events > 1) {
		tui_put(p, TUI_HEAD, "  columns: ");
		for (uint32_t k = 0; k < b->l->nr_events; k++) {
			const struct perfdata_event *ev = b->l->event[k].event;

			tui_putf(p, TUI_HEAD, "%s", k ? ", " : "");
			tui_put(p, TUI_HEAD, ev ? ev->name : "-");
		}
	}
}

/* Samples of each event, how exact their addresses are, and what branch stacks tell of all of it. */
static void put_facts(const struct tui_asm *b, struct tui_pen *p)
{
	for (uint32_t k = 0; k < b->l->nr_events; k++) {
		const struct listing_event *ev = &b->l->event[k];

		tui_put(p, TUI_HEAD, k ? "; " : "");
		tui_put(p, TUI_HEAD, ev->event ? ev->event->name : "-");
		tui_putf(p, TUI_HEAD, ": %" PRIu64 " of %" PRIu64 " samples",
			 ev->function.count.hits, ev->all.count.hits);
		if (!ev->function.count.hits)
			; /* by a call or a branch one comes to such a function, too */
		else if (ev->function.exact == ev->function.count.hits)
			tui_put(p, TUI_HEAD, ", exact");
		else if (ev->function.exact)
			tui_putf(p, TUI_HEAD, ", %" PRIu64 " exact", ev->function.exact);
		else
			tui_put(p, TUI_HEAD, ", not exact: may be some instructions late");
		if (ev->outside.hits)
			tui_putf(p, TUI_WARN, ", %" PRIu64 " at no line", ev->outside.hits);
	}
	if (b->l->flow) {
		b->text->len = 0;
		faces_flow_summary(b->l, b->text);
		obuf_char(b->text, 0);
		if (!b->text->code)
			tui_put(p, TUI_HEAD, b->text->buf);
	}
}

/* How many rows a text takes that goes on in the next one. */
static int rows_of(const struct tui_screen *s, const char *text, int most)
{
	int rows = (tui_width(text) + s->cols - 1) / s->cols;

	return rows > most ? most : rows;
}

static void put_rows(struct tui_screen *s, int row, int rows, enum tui_role fill,
		     enum tui_role role, const char *text)
{
	for (int i = 0; i < rows; i++) {
		struct tui_pen p = { .s = s, .row = row + i, .end = s->cols, .skip = i * s->cols };

		tui_fill(s, p.row, 0, 1, s->cols, fill);
		tui_put(&p, role, text);
	}
}

int tui_asm_paint_facts(const struct tui_asm *b, struct tui_screen *s, int row, int most)
{
	struct tui_pen p = { .s = s, .row = row, .end = s->cols };
	int notes = 0;

	tui_fill(s, row, 0, 1, s->cols, TUI_HEAD);
	put_facts(b, &p);
	/* Behind the facts they would be where no key leads. */
	for (size_t i = 0; b->l->notes && b->l->notes[i] && notes < most; i++) {
		int rows = rows_of(s, b->l->notes[i], most - notes);

		put_rows(s, row + 1 + notes, rows, TUI_HEAD, TUI_WARN, b->l->notes[i]);
		notes += rows;
	}
	p = (struct tui_pen){
		.s = s, .row = row + 1 + notes, .end = s->cols, .skip = b->list.left
	};
	tui_fill(s, p.row, 0, 1, s->cols, TUI_HEAD);
	put_head(b, &p);
	return notes + 2;
}

int tui_asm_paint_said(const struct tui_asm *b, struct tui_screen *s, int end, int most)
{
	int rows;

	b->text->len = 0;
	if (b->at != LISTING_NONE)
		faces_listing_said(NULL, b->l, line_at(b, b->at), b->text);
	obuf_char(b->text, 0);
	if (b->text->code || b->text->len < 2)
		return 0;
	rows = rows_of(s, b->text->buf, most);
	put_rows(s, end - rows, rows, TUI_ROOT, TUI_ROOT, b->text->buf);
	return rows;
}
