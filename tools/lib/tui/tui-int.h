/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What browsers are made of: a grid of cells to paint into, keys, views on a stack, a list for any
 * number of rows, pop-ups. A browser is a const struct tui_view_ops and a struct of its own:
 *
 *	static const struct tui_key keys[] = {
 *		{ 'a', "a", "annotate the symbol", annotate },
 *		{ 0 },
 *	};
 *	static const struct tui_view_ops ops = {
 *		.name = "report", .keys = keys, .title = title, .paint = paint, .footer = footer,
 *	};
 *	struct tui_view v = { .ops = &ops, .ctx = &browser, .list = &browser.list };
 *	return tui_run(t, &v);
 *
 * tui_run() returns when the view was left; a key's function that opens another view returns what
 * tui_run() does, so views nest as calls do. The help page is made from the table of keys.
 *
 * Painting is all or nothing: before each key the whole grid is painted anew, and S-Lang sends what
 * differs. So painters keep no state of the screen, and resizing is nothing special. Strings may hold
 * anything: what would steer the terminal is written out as \xNN wherever cells are filled.
 */
#ifndef PERF_TUI_INT_H
#define PERF_TUI_INT_H

#include "base/tables.h"
#include "tui/tui.h"

/* ---- cells ------------------------------------------------------------------------------------ */

struct tui_cell {
	uint32_t ch;   /* code point; 0 = the right half of a wide character */
	uint32_t mark; /* one combining mark; 0 = none */
	uint8_t role;
	uint8_t width; /* 1 or 2; 0 for right halves */
};

struct tui_screen {
	int rows, cols;
	struct tui_cell *cells;	    /* rows * cols */
	bool ascii;		    /* what is not ASCII is replaced */
	uint8_t over;		    /* when not 0: the role of all that is written */
	int cursor_row, cursor_col; /* where the terminal's cursor is to be; row -1 = hidden */
};

/* Makes room and blanks all. 0 or -ENOMEM, then the screen is 0x0. */
int tui_screen_resize(struct tui_screen *s, int rows, int cols);
void tui_screen_free(struct tui_screen *s);
/* Blanks with @role; parts outside the screen are nobody's. */
void tui_fill(struct tui_screen *s, int row, int col, int rows, int cols, enum tui_role role);
/*
 * Writes @text, cut to @width columns and not padded; wide characters are whole or not there.
 * Columns used. Anything outside of the screen is left out.
 */
int tui_puts(struct tui_screen *s, int row, int col, int width, enum tui_role role,
	     const char *text);
/* Columns that @text takes. */
int tui_width(const char *text);
/* 0, 1 or 2 columns; combining marks are 0. */
int tui_char_width(uint32_t cp);
/* The character at @s as it is shown: its bytes; *@cp = 0 when it must be written out as \xNN. */
size_t tui_char(const char *s, uint32_t *cp);
/*
 * @text in at most @width columns: as it is, or with ".." in place of its middle, so that the
 * beginning and what stands after the last :: or / can be told apart. @buf of @size gets it.
 */
const char *tui_cut(char *buf, size_t size, const char *text, int width);

/*
 * A line that is written from the left, in columns of its own: the first @skip of them are scrolled
 * away, those at @end and after do not fit. Painters of rows get one.
 */
struct tui_pen {
	struct tui_screen *s;
	int row, col, end; /* cells of the screen: [col, end) */
	int skip;	   /* columns scrolled away to the left */
	int at;		   /* column of the line that is written next */
};

void tui_put(struct tui_pen *p, enum tui_role role, const char *text);
void tui_putf(struct tui_pen *p, enum tui_role role, const char *fmt, ...) __printf_fmt(3, 4);
/* A field of @width columns: to the left, with its middle cut where it is longer; negative: right. */
void tui_field(struct tui_pen *p, enum tui_role role, int width, const char *text);
/* Blanks up to column @at of the line. */
void tui_pad(struct tui_pen *p, enum tui_role role, int at);
/* Columns left to the end of the screen. */
int tui_left(const struct tui_pen *p);

/* A role's colour, the user's or its own; its name in perfconfig. */
const char *tui_role_color(const struct tui_opts *o, enum tui_role role, bool background);
const char *tui_role_name(enum tui_role role);

/* ---- keys ------------------------------------------------------------------------------------- */

/* Characters are their code points, Ctrl-A to Ctrl-Z 1 to 26. */
enum tui_keys {
	TUI_CTRL_C = 3,
	TUI_TAB = 9,
	TUI_CTRL_L = 12,
	TUI_ENTER = 13,
	TUI_CTRL_R = 18,
	TUI_CTRL_U = 21,
	TUI_CTRL_Z = 26,
	TUI_ESC = 27,
	TUI_BACKSPACE = 127,
	TUI_UP = 0x200000,
	TUI_DOWN,
	TUI_RIGHT,
	TUI_LEFT,
	TUI_HOME,
	TUI_END,
	TUI_PAGE_UP,
	TUI_PAGE_DOWN,
	TUI_INSERT,
	TUI_DELETE,
	TUI_BACK_TAB,
	TUI_F1, /* to F12 = TUI_F1 + 11 */
	TUI_WHEEL_UP = TUI_F1 + 12,
	TUI_WHEEL_DOWN,
	TUI_CLICK, /* where: tui_mouse() */
	TUI_RESIZE, /* nothing pressed, the size changed: only functions that wait themselves see it */
	TUI_IGNORE, /* a sequence that means nothing to us */
	TUI_PASTE,  /* what follows is pasted, up to ... */
	TUI_PASTED, /* ... this */
	TUI_GONE,   /* no terminal any more: views close */
	TUI_SHIFT = 0x400000,
	TUI_ALT = 0x800000,
	TUI_CTRL = 0x1000000,
};

struct tui_event {
	int key;
	int row, col; /* of TUI_CLICK */
};

/*
 * The key that @n bytes of a terminal begin with. Bytes used; 0 = not all of it is there yet. With
 * @all no more will come: then at least one byte is used.
 */
size_t tui_decode(const unsigned char *buf, size_t n, bool all, struct tui_event *ev);
/* "Ctrl-C", "PgUp", "x": for messages. @buf is returned. */
const char *tui_key_name(int key, char buf[32]);

/* ---- the terminal ----------------------------------------------------------------------------- */

/* What the loop needs of a terminal; terminal.c has the one of the process. */
struct tui_term {
	/*
	 * Waits for bytes, @ms milliseconds, -1 = forever. Their count; 0 = none came; -EINTR: the
	 * size may have changed, or the screen is no longer what was shown; -EIO: it is gone.
	 */
	int (*read)(void *term, unsigned char *buf, size_t n, int ms);
	void (*size)(void *term, int *rows, int *cols);
	void (*show)(void *term, const struct tui_screen *s, bool all);
	void (*bell)(void *term);
	/* While somebody else has the terminal, a pager or (@stop) the shell: until back(). */
	void (*leave)(void *term, bool stop);
	void (*back)(void *term);
	/* Whether Ctrl-C is a signal (while reading) or a key. */
	void (*interrupt)(void *term, bool signal);
	void (*mouse)(void *term, bool on);
	void (*close)(void *term);
};

/* A struct tui on any terminal, which it owns then. NULL when memory is out. */
struct tui *tui_new(const struct tui_term *ops, void *term, bool ascii);

/* ---- views ------------------------------------------------------------------------------------ */

enum tui_answer {
	TUI_STAY, /* go on */
	TUI_BACK, /* this view is done */
	TUI_QUIT, /* all of them are */
};

struct tui_view;

/* A row of a table of keys, which ends with an empty one. Keys of one row of help: @name NULL. */
struct tui_key {
	int key;
	const char *
		name; /* as the help page shows it: "PgDn, Space"; NULL = belongs to the row before */
	const char *help;
	enum tui_answer (*run)(struct tui *t,
			       struct tui_view *v); /* NULL: the list's or the core's */
};

struct tui_view_ops {
	const char *name;	    /* "report": what help is about */
	const struct tui_key *keys; /* NULL = none */
	/* The first line; NULL = none. It was blanked in TUI_ROOT. */
	void (*title)(struct tui_view *v, struct tui_pen *p);
	/* Rows @row to @row + @rows - 1 of the screen; NULL = the list paints itself there. */
	void (*paint)(struct tui_view *v, struct tui_screen *s, int row, int rows);
	/* The last line, when there is no message; NULL = a tip. */
	void (*footer)(struct tui_view *v, struct tui_pen *p);
	/* Before keys[], for what is no fixed key; true = taken, *@a says what follows. NULL = none. */
	bool (*key)(struct tui *t, struct tui_view *v, int key, enum tui_answer *a);
	/* Painted on top of what is below, with the whole screen for its own. */
	bool overlay;
	/* What columns are, for the page of help; lines end with \n, one that ends a paragraph is followed by an empty
	 * one. NULL = nothing. */
	void (*about)(struct tui_view *v, struct obuf *o);
	const char *const *tips; /* ends with NULL; one of them is shown while nothing else is */
};

struct tui_list;
struct tui_view {
	const struct tui_view_ops *ops;
	void *ctx;
	struct tui_list *list; /* moved by the keys that nobody else takes; NULL = none */
	struct tui_view *below;
};

/* Keys that every list takes, and those of every view; both end with an empty row. */
extern const struct tui_key tui_list_keys[], tui_view_keys[];

/* Shows @v until it is left. TUI_STAY, or TUI_QUIT when all are to be left. */
enum tui_answer tui_run(struct tui *t, struct tui_view *v);
/* flow.c: the list of tui_flow(), from another view. */
enum tui_answer tui_flow_begin(struct tui *t, const struct tui_flow *in);
/* Paints @v with all below it into the screen of @t, which is returned; the loop does it by itself. */
const struct tui_screen *tui_paint(struct tui *t);
/* Waits for a key, with the screen painted. */
int tui_getkey(struct tui *t);
/* Pasted text comes as keys too, if @on; a view never gets it. */
void tui_take_paste(struct tui *t, bool on);
/* Where the last TUI_CLICK was. */
void tui_mouse(const struct tui *t, int *row, int *col);
void tui_set_mouse(struct tui *t, bool on);

/* ---- a list of rows --------------------------------------------------------------------------- */

struct tui_list_ops {
	uint64_t (*rows)(void *ctx);
	/* Row @i at @p, which is blank in the role of the row; @selected: all is TUI_SELECTED. */
	void (*paint)(void *ctx, uint64_t i, struct tui_pen *p, bool selected);
};

struct tui_list {
	const struct tui_list_ops *ops;
	void *ctx;
	uint64_t cursor, top;
	int left;	/* columns scrolled away */
	bool no_cursor; /* text to be read: keys scroll it */
	uint8_t role;	/* of rows that are not selected */
	/* Of the last time that it was painted: where, and the longest line. */
	int row, height, width, widest;
};

/* In a part of the screen; a bar at the right where not all fit. */
void tui_list_paint(struct tui_list *l, struct tui_screen *s, int row, int col, int rows, int cols);
/* Up, down, pages, home, end, left and right, the wheel, a click. False: none of these. */
bool tui_list_key(struct tui *t, struct tui_list *l, int key);
/* The cursor to row @i, which is scrolled to where it is seen; @centre: into the middle. */
void tui_list_go(struct tui_list *l, uint64_t i, bool centre);

/* ---- pop-ups: each returns when it was answered ---------------------------------------------- */

/* Index of the line that was picked, -1 = none. @cursor: where it begins. */
int tui_menu(struct tui *t, const char *title, const char *const *items, int nr, int cursor);

#define TUI_HISTORY 16
struct tui_history {
	char *line[TUI_HISTORY]; /* newest first */
};
void tui_history_free(struct tui_history *h);
/* What was searched for, in any view. */
struct tui_history *tui_searched(struct tui *t);

/*
 * A line is typed into @buf, which holds what it begins with. False: Esc. @h, which may be NULL,
 * is what Up and Down offer; @changed, too, is called after each change, for a search while typing.
 */
bool tui_input(struct tui *t, const char *prompt, char *buf, size_t size, struct tui_history *h,
	       void (*changed)(void *ctx, const char *text), void *ctx);
/* Enter and y are yes, Esc, n and q no. */
bool tui_ask(struct tui *t, const char *question);
/* A window with @text (lines end with \n), until a key is pressed; it scrolls. */
enum tui_answer tui_window(struct tui *t, const char *title, const char *text);
/* Shown in the last line until the next key. */
void tui_message(struct tui *t, const char *fmt, ...) __printf_fmt(2, 3);
/* What columns of @v are, and its keys; scrolls, / leaves lines with a word. */
enum tui_answer tui_help(struct tui *t, struct tui_view *v);

#endif
