/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the annotate browser share.
 *
 *	asm.c		the browser: which lines are shown, keys
 *	asm-paint.c	one line: numbers, address, arrows, text; what stands around all of them
 *	asm-save.c	all lines as text
 *	asm-arrows.c	lanes for jumps, brackets of loops
 */
#ifndef PERF_TUI_ASM_INT_H
#define PERF_TUI_ASM_INT_H

#include "annotate/annotate.h"
#include "base/obuf.h"
#include "faces/faces.h"
#include "tui/tui-int.h"

/* ---- arrows ------------------------------------------------------------------------------------ */

#define TUI_ARROW_LANES 5
#define TUI_LOOP_LEVELS 3

/*
 * Jumps inside a function, each in a lane of its own between its two lines; and loops. All by line,
 * so that painting one looks at nothing else.
 */
struct tui_arrows {
	uint32_t nr_lines;
	int lanes;			 /* that are used; 0 is the rightmost */
	int loops;			 /* levels that are used */
	uint32_t *lane[TUI_ARROW_LANES]; /* by line: the jump's line + 1; 0 = nothing here */
	uint8_t *inside, *head, *end;	 /* by line: a bit for each level of loops */
	uint32_t left_out;		 /* jumps that no lane had room for */
};

int tui_arrows_make(struct tui_arrows *a, const struct listing *l);
void tui_arrows_free(struct tui_arrows *a);

enum tui_arrow_mode {
	TUI_ARROWS_ALL,
	TUI_ARROWS_CURSOR, /* those that begin or end at the line under the cursor */
	TUI_ARROWS_NONE,
	TUI_ARROW_MODES
};

/* ---- the browser ------------------------------------------------------------------------------- */

enum tui_asm_number { TUI_ASM_PERCENT, TUI_ASM_PERIOD, TUI_ASM_SAMPLES, TUI_ASM_NUMBERS };

/* How functions are shown: the same for each that is opened from another. */
struct tui_asm_look {
	enum tui_asm_number number;
	bool global, hits; /* what 100 percent are */
	enum tui_arrow_mode arrows;
	unsigned level; /* of addresses: 1 jump targets, 2 calls too, 3 all */
	bool jumps, source, line_numbers, raw, full_address, min_max;
	bool source_told; /* s was pressed: the title tells */
	bool simd;	  /* columns of vectors */
	bool partial;	  /* what was counted is a part: the title tells */
	bool bytes;	  /* of instructions */
	char needle[64];  /* what was searched for */
	/* Of functions that are gone to: their share of the events shown. */
	double min_percent;
};

struct tui_asm {
	struct tui_view view;
	struct tui_list list;
	const struct annotate *a; /* NULL: no other functions to go to */
	struct listing_opts opts;
	struct listing *l;
	struct tui_asm_look *look;
	struct tui_arrows arrows;
	uint32_t *row, nr_rows;	     /* lines that are shown */
	uint32_t *hot, nr_hot;	     /* instructions with samples, hottest first: lines */
	VEC(uint32_t) trail;	     /* lines that jumps were followed from */
	int mnemonic, addr_width;    /* columns */
	struct obuf *text;	     /* of the instruction that is painted */
	struct faces_listings *face; /* numbers as texts have them */
	uint32_t at;		     /* the line under the cursor, while painting */
	int cols;		     /* of the screen, likewise */
	/* Of the look that rows and columns were made by. */
	struct {
		bool source, full_address;
	} laid;
	bool moved; /* rows changed since the last painting: the cursor goes to the middle */
};

/* Makes rows and columns anew where the look asks for others, also by keys pressed in a function opened from this one. */
void tui_asm_lay_out(struct tui_asm *b);

const char *tui_asm_text(const struct tui_asm *b, const struct listing_line *line);
void tui_asm_paint_row(const struct tui_asm *b, uint32_t line, struct tui_pen *p);
/*
 * From @row on: samples, notes of the listing, heads of columns. Of notes @most rows, the help page has them all.
 * Returns how many rows that took.
 */
int tui_asm_paint_facts(const struct tui_asm *b, struct tui_screen *s, int row, int most);
/*
 * What is said of the line at the cursor in columns that have little room: in rows of their own before
 * @end, @most of them. Likewise.
 */
int tui_asm_paint_said(const struct tui_asm *b, struct tui_screen *s, int end, int most);
/* What the last line tells about @line. */
void tui_asm_paint_about(const struct tui_asm *b, uint32_t line, struct tui_pen *p);
/* All lines that are shown, to the file @name. */
int tui_asm_save(struct tui_asm *b, const char *name, struct err *e);
enum listing_percent tui_asm_percent_type(const struct tui_asm_look *look);

/*
 * @sym until it is left; TUI_QUIT only when the program is to be left. A function that cannot be
 * listed gives a window that says why.
 */
enum tui_answer tui_asm_open(struct tui *t, const struct annotate *a, struct dso *dso,
			     const struct symbol *sym, const struct listing_opts *opts,
			     struct tui_asm_look *look, uint64_t addr);
/* The first one: as the options say. */
enum tui_answer tui_asm_begin(struct tui *t, const struct annotate *a,
			      const struct tui_annotate_opts *opts, struct dso *dso,
			      const struct symbol *sym, uint64_t addr);

#endif
