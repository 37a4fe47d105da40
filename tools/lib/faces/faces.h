/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces: what an answer looks like. A finished table and a view of it come in, with the recording
 * that they are of; text, JSON, CSV or a graph for Graphviz goes out. Nothing is counted or sorted
 * here.
 *
 *	struct faces f = { .t = p, .v = v, .po = &opts, .pd = pd, .m = m, .res = res };
 *	faces_write(&f, &faces_json, &out, &err);
 *
 * There is one walk over an answer, and a writer is a table of functions that the walk calls:
 *
 *	begin
 *	  event			the heading of an event, or of a group of them
 *	    table		what its columns are
 *	      row
 *	        cell ...
 *	        below		the row's own cells are over
 *	        row ...		levels of --hierarchy: the same again
 *	        tree node ... tree_end
 *	      row_end
 *	    table_end
 *	  event_end
 *	  table ...		blocks, paths
 *	  tail
 *	  table			counts of threads
 *	  total			branches by type
 *	end
 *
 * or, with faces_opts.tasks, a table of tasks alone, whose rows may have tables of maps.
 *
 * So a new table is known to all writers and a new writer to all tables. A function that is NULL
 * is not missed; one that returns > 0 leaves out what lies below it, and the end of it; < 0 ends
 * the walk. Strings of a file are in cells as they are in the file: a writer escapes what it
 * prints, by emit_safe() or emit_json_string(). What faces_cell_value() and faces_cell_text() print is escaped
 * for a terminal already.
 *
 * Memory: the caller owns everything in struct faces. What a writer is called with is valid during
 * the call; a table until its table_end. Errors: 0/-errno and struct err; what could not be
 * written stays in the obuf's code, and the walk ends early. One thread.
 */
#ifndef PERF_FACES_H
#define PERF_FACES_H

#include "emit/emit.h"
#include "annotate/annotate.h"
#include "brflow/brflow.h"
#include "brstat/brstat.h"
#include "script/script.h"
#include "view/view.h"

struct faces_threads;

struct faces_opts {
	double min_percent; /* rows below this are left out */
	bool limited;	    /* that was asked for: else long lists are cut for people */
	const char *time;   /* what was asked for, for the heading; NULL = all */
	int64_t socket;	    /* -1 = all */
	uint32_t hot_paths; /* branches in a path of brflow; 0 = not asked for */
	bool total_cycles;  /* blocks of brflow */
	unsigned branches;  /* of stat: enum brstat_what; 0 = not asked for */
	bool quiet;	    /* no headings */
	bool skip_empty;    /* no events without samples */
	bool threads;	    /* counts of threads */
	bool tasks;	    /* in place of everything: which processes there were */
	bool mmaps;	    /* with the maps of each */
	bool color;	    /* shares have colours */
	int columns;	    /* of the terminal that text is for; 0 = for none */
};

struct faces {
	const struct table *t;
	struct view *v; /* of p */
	const struct keys_opts *po;
	struct perfdata *pd;
	struct machine *m;
	struct resolver *res;
	struct brflow *flow;		     /* in place of the events' rows; NULL = these */
	const struct brstat *stat;	     /* likewise */
	const struct faces_threads *threads; /* NULL = nothing counted */
	uint64_t lost_samples;
	struct faces_opts o;
};

/* ---- what is walked over --------------------------------------------------------------------- */

/* A column is of use to people, to programs, or to both: "1.2K" and 1234. */
enum faces_reader { FACES_PEOPLE = 1, FACES_PROGRAMS = 2 };

#define FACES_ALL_LEVELS UINT32_MAX

struct faces_column {
	const char *name; /* a JSON key; the head in CSV */
	const char *head; /* for people */
	int width;	  /* of the text, at least the head's */
	bool number;	  /* stands to the right */
	bool percent;	  /* so people get a % behind it */
	bool narrow;	  /* FACES_ROWS: writers of text fill up to @width; names may be longer */
	uint8_t readers;
	bool subject; /* FACES_LIST: what the row is about, not how much: small screens have it in front */
	uint32_t level;		    /* of --hierarchy: rows of this level have a cell */
	const struct keys_col *key; /* NULL = none of the view's */
};

enum faces_kind {
	FACES_ROWS,
	FACES_BLOCKS,
	FACES_PATHS,
	FACES_THREADS,
	FACES_TASKS,
	FACES_MAPS, /* of the task above */
	FACES_LIST, /* what has a name and a title, and needs nothing else of writers */
};

struct faces_table {
	enum faces_kind kind;
	const struct perfdata_event *event; /* FACES_ROWS */
	const struct faces_column *cols;
	size_t nr_cols;
	unsigned nr_levels;	  /* 0 = no rows below rows */
	const char *name, *title; /* FACES_LIST: for programs, for people */
	const char *legend; /* FACES_LIST: what columns are, lines that end with \n; NULL = none */
	uint64_t total; /* what the rows are shares of: cycles, paths seen, the event's period */
};

struct faces_row {
	const struct faces_table *table;
	const struct keys_row *row; /* FACES_ROWS */
	const struct thread *task;  /* FACES_TASKS, FACES_MAPS */
	const struct map *map;	    /* FACES_MAPS */
	unsigned level;		    /* of --hierarchy; below how many tasks */
	bool no_entry;		    /* there are rows below it, and all are below min_percent */
};

enum faces_value { FACES_KEY, FACES_NONE, FACES_U64, FACES_S64, FACES_F64, FACES_STR, FACES_PATH };

struct faces_cell {
	const struct faces_row *row;
	const struct faces_column *col;
	enum faces_value kind; /* FACES_KEY: ask faces_cell_text(), faces_cell_value() */
	uint64_t n;
	double d; /* FACES_F64: two digits behind the point */
	const char *s;
	const struct brflow_path *path;
};

struct faces_node {
	const struct call_node *node;
	const struct faces_row *row;
	unsigned depth; /* children of the root: 1 */
	bool last;	/* of its parent's children */
};

/* ---- writers --------------------------------------------------------------------------------- */

struct faces_walk {
	const struct faces *f;
	struct obuf *out;
	void *state; /* the writer's, zeros at first */
};

struct faces_writer {
	const char *name;
	uint8_t reader;	   /* who reads it: whose columns are visited */
	bool all_children; /* the print limit of -g is not for it */
	size_t state_size;
	int (*begin)(struct faces_walk *k);
	int (*event)(struct faces_walk *k, const struct perfdata_event *ev);
	int (*table)(struct faces_walk *k, const struct faces_table *t);
	int (*row)(struct faces_walk *k, const struct faces_row *row);
	int (*cell)(struct faces_walk *k, const struct faces_cell *cell);
	int (*below)(struct faces_walk *k, const struct faces_row *row);
	int (*tree)(struct faces_walk *k, const struct faces_row *row,
		    const struct call_node *root);
	int (*node)(struct faces_walk *k, const struct faces_node *n);
	int (*node_end)(struct faces_walk *k, const struct faces_node *n);
	int (*tree_end)(struct faces_walk *k, const struct faces_row *row);
	int (*row_end)(struct faces_walk *k, const struct faces_row *row);
	int (*table_end)(struct faces_walk *k, const struct faces_table *t);
	int (*event_end)(struct faces_walk *k, const struct perfdata_event *ev);
	int (*tail)(struct faces_walk *k);
	int (*total)(struct faces_walk *k, const struct branch_totals *t);
	int (*end)(struct faces_walk *k);
	/*
	 * Instead of begin() for a walk over some rows without trees, by a thread with a state and an output of its
	 * own. NULL: rows are written one after the other.
	 */
	int (*begin_rows)(struct faces_walk *k);
	void (*release)(struct faces_walk *k); /* what the state holds; always called */
};

extern const struct faces_writer faces_text;	  /* aligned columns, call graphs in letters */
extern const struct faces_writer faces_separated; /* as text, with po->separator between columns */
extern const struct faces_writer faces_json;
extern const struct faces_writer faces_csv; /* RFC 4180 */
extern const struct faces_writer faces_dot; /* branch rows as a graph */

int faces_write(const struct faces *f, const struct faces_writer *w, struct obuf *out,
		struct err *e);
/* A FACES_KEY cell as people read it, padded as upstream does. */
void faces_cell_text(const struct faces *f, const struct faces_cell *cell, struct obuf *o);
/* A cell's bare value; nothing when it has none. */
void faces_cell_value(const struct faces *f, const struct faces_cell *cell, struct obuf *o);

/* What stands in columns of accumulators where rows are for their callees, too (keys_opts.children). */
#define FACES_NO_SELF                                                                        \
	"Rows that are here for what they call, with no samples of their own, have none of " \
	"this: - or N/A."

/* ---- rows of --branches and --profile-quality, one at a time ------------------------------------- */

struct faces_place {
	struct dso *dso; /* NULL = unknown, as the next */
	const struct symbol *sym;
	uint64_t addr; /* in the object */
};

/*
 * Tables that answer @what (enum brstat_what): how many, and each, from 0 on. They are of f->stat, finished; what
 * says how good a profile is needs pd and lost_samples, too, and nothing else of @f is asked.
 */
struct walk_list;
size_t faces_nr_lists(unsigned what);
const struct walk_list *faces_list(unsigned what, size_t i);
const char *faces_list_name(const struct walk_list *l);	  /* for programs */
const char *faces_list_legend(const struct walk_list *l); /* of struct faces_table */
/* Whether cell @c of those below says what its row is about. */
bool faces_list_is_subject(const struct walk_list *l, size_t c);
/* For people, appended. */
void faces_list_title(const struct walk_list *l, const struct faces *f, struct obuf *o);
size_t faces_list_nr(const struct walk_list *l, const struct faces *f);
/* Whether rows are about code. */
bool faces_list_has_places(const struct walk_list *l);
/* False where they are not. */
bool faces_list_place(const struct walk_list *l, const struct faces *f, size_t i,
		      struct faces_place *at);
/* The cells of people's columns, one by one, as text is: heads, and row @i with what is not known as "-". */
void faces_list_head_cells(const struct walk_list *l, void (*put)(void *ctx, const char *text),
			   void *ctx);
int faces_list_cells(const struct walk_list *l, const struct faces *f, size_t i,
		     void (*put)(void *ctx, const char *text), void *ctx);
/* As JSON has it: an object. Of lists that ask nothing but @b. */
int faces_list_json(const struct walk_list *l, const struct brstat *b, size_t i, const char *name,
		    struct emit *e);

/* The same without what says where it is, for who stands there. */
int faces_list_json_here(const struct walk_list *l, const struct brstat *b, size_t i,
			 struct emit *e);

/* Such rows at samples: what script_opts.beside is given, with struct faces_beside for a context. */
struct faces_beside;
/* Of what one reading counted, NULL = not, finished, by @m; they have to outlive it. */
struct faces_beside_of {
	const struct machine *m;
	const struct brstat *why, *cycles, *paths, *quality;
};
int faces_beside_new(struct faces_beside **b, const struct faces_beside_of *of, struct err *e);
void faces_beside_free(struct faces_beside *b); /* NULL is fine */
const struct script_beside *faces_beside_script(const struct faces_beside *b);

/* What readers of the answer should know, or NULL. */
const char *faces_warning(const struct faces *f);
/* The same of what branches were asked, a line each; @b may be NULL. */
void faces_branch_notes(const struct brstat *b, unsigned what, struct log_sink log);

/* ---- listings -------------------------------------------------------------------------------- */

enum faces_number { FACES_SHARES, FACES_SAMPLES, FACES_PERIODS };

struct faces_listing_opts {
	enum faces_number number;
	enum listing_percent percent; /* what shares are of */
	bool full_paths;	      /* of objects */
	bool asm_raw;		      /* bytes of instructions */
	bool print_line; /* a summary by source line, and the line behind instructions */
	bool verbose;	 /* samples by address */
	bool loops;	 /* --stdio2: brackets around them */
	bool simd;	 /* widths of vectors, lanes of masks, where they were counted */
	bool no_legend;	 /* text does not say what such columns are */
	bool color;
};

/*
 * Writes functions one after the other: begin, put for each, end. The caller fills in the first
 * three members, the others are zero.
 */
struct faces_listings {
	const struct perfdata *pd;
	struct obuf *out;
	struct faces_listing_opts o;
	struct emit json;
	struct obuf cell; /* the number at hand */
	size_t nr;	  /* written */
};

struct faces_listing_writer {
	const char *name;
	void (*begin)(struct faces_listings *f);
	int (*put)(struct faces_listings *f, const struct listing *l, struct err *e);
	void (*end)(struct faces_listings *f);
};

extern const struct faces_listing_writer faces_listing_stdio;  /* upstream's annotate --stdio */
extern const struct faces_listing_writer faces_listing_stdio2; /* lines as in a browser */
extern const struct faces_listing_writer faces_listing_json;

/*
 * An instruction's text in upstream's form, mnemonics filled up to @width columns. @full: targets of
 * branches as addresses with names, else as offsets in the function, or the name alone.
 */
#define FACES_INSN_WIDTH 6
void faces_insn_text(const struct listing *l, const struct listing_line *line, bool full, int width,
		     struct obuf *o);
int faces_insn_width(
	const struct listing *l); /* of its longest mnemonic, FACES_INSN_WIDTH at least */

/*
 * A column of numbers before an instruction. In --stdio it is ` %*s` of @width, in --stdio2 the same
 * with the blank behind. Another number is another row of faces_listing_columns[] (listing.c).
 */
struct faces_listing_column {
	const char *name; /* JSON key */
	const char *head; /* for people */
	int width;	  /* 0 = not in --stdio */
	int width2;	  /* in --stdio2 */
	bool each_event;
	bool words; /* which can be cut */
	bool (*shown)(const struct faces_listings *f, const struct listing *l); /* to people */
	/* @k: number of the event. Nothing where there is nothing to say: --stdio2 has blanks then. */
	void (*text)(const struct faces_listings *f, const struct listing *l,
		     const struct listing_line *line, uint32_t k, struct obuf *o);
	/* Members of an object: of an event's where each_event, else of the line's. */
	void (*json)(const struct faces_listings *f, const struct listing *l,
		     const struct listing_line *line, uint32_t k, struct emit *e);
};

extern const struct faces_listing_column faces_listing_columns[];
extern const size_t faces_listing_nr_columns;
/* What stands in a column: how long it is; it is good until the next call. */
size_t faces_listing_number(struct faces_listings *f, const struct listing *l,
			    const struct listing_line *line, const struct faces_listing_column *c,
			    uint32_t k, const char **text);
/* "41 55 ", filled up as objdump does. */
void faces_listing_bytes(const struct listing_line *line, struct obuf *o);
/* What --branches says of an instruction, whole; nothing where it says nothing. */
void faces_answers_put(const struct listing *l, const struct listing_line *line, struct obuf *o);
/* Marks and that, whole, as "Slow 100% Denormal 25% f32; 56.5% mispredicted"; with @f vectors, too. */
void faces_listing_said(const struct faces_listings *f, const struct listing *l,
			const struct listing_line *line, struct obuf *o);
/* What columns are that are shown of @l and that options brought; lines that end with \n. */
void faces_listing_legend(const struct faces_listings *f, const struct listing *l, struct obuf *o);
/* What all writers do. */
void faces_listing_begin(struct faces_listings *f);
void faces_listing_end(struct faces_listings *f);
/* "\t# +49.69% -50.35% (p:70.51%)" behind an instruction; nothing where nothing is known. */
void faces_flow_comment(const struct listing *l, const struct listing_line *line, struct obuf *o);
/* " (Average IPC: 0.68, IPC Coverage: 85.0%)" of a function. */
void faces_flow_summary(const struct listing *l, struct obuf *o);

/* Counts of threads, from the READ records of `record -s`. */
int faces_threads_add(struct faces_threads **t, const struct record *rec, struct err *e);
/* Those of records behind, as if @to had had them too; both may be NULL. @event: by number there; NULL = as they are. */
int faces_threads_merge(struct faces_threads **to, const struct faces_threads *from,
			const uint32_t *event, struct err *e);
void faces_threads_free(struct faces_threads *t);

/* ---- recordings compared ------------------------------------------------------------------------ */

/* Where the lines of a text are, heads left out, for who shows them one by one. */
struct faces_line {
	size_t at;	/* of the text */
	uint32_t depth; /* in a tree, from 1 on; 0: it is none */
	bool chance;	/* it differs by no more than chance makes */
};

struct faces_lines {
	size_t heads; /* of the text: where the line with the names of columns is */
	VEC(struct faces_line) v;
};

/* Of the JSON of comparisons: contrib/schema/perf-diff.schema.json has it as a constant. */
#define FACES_DIFF_VERSION 1

/* perf diff: how lines of view_compare are shown. */
struct faces_diff {
	const char *const *names; /* of files */
	size_t nr_sides;
	struct view_compare_opts o;
	bool period, formula, noise; /* columns */
	bool quiet, verbose, color;
	char separator;		   /* 0 = aligned columns */
	struct faces_lines *lines; /* of text, appended; NULL = not wanted */
};

int faces_diff_text(const struct faces_diff *f, const struct view_compare *c, const char *event,
		    struct obuf *out, struct err *e);
void faces_diff_json(const struct faces_diff *f, const struct view_compare *c, const char *event,
		     struct emit *e);
/* @heads: a line of them first. */
void faces_diff_csv(const struct faces_diff *f, const struct view_compare *c, const char *event,
		    bool heads, struct obuf *out);
/* The same of call trees. */
void faces_diff_tree_text(const struct faces_diff *f, const struct view_forest *t,
			  const char *event, struct obuf *out);
void faces_diff_tree_json(const struct faces_diff *f, const struct view_forest *t,
			  const char *event, struct emit *e);
int faces_diff_tree_csv(const struct faces_diff *f, const struct view_forest *t, const char *event,
			bool heads, struct obuf *out, struct err *e);

/*
 * Blocks of code with their mean cycles, of recordings with branch stacks: blocks are one where function
 * and lines in it are, or, without lines, the distances from its start. To be freed after errors, too.
 */
struct faces_blocks;
/* Then each side, in order, whose flow and resolver are not asked any more after that; faces_blocks_sort(). */
int faces_blocks_new(struct faces_blocks **b, const struct faces_diff *f, struct err *e);
int faces_blocks_add(struct faces_blocks *b, size_t side, const struct brflow *flow,
		     struct resolver *res, struct err *e);
void faces_blocks_sort(struct faces_blocks *b);
size_t faces_blocks_nr(const struct faces_blocks *b);
void faces_blocks_free(struct faces_blocks *b);
void faces_blocks_text(const struct faces_blocks *b, const char *event, struct obuf *out);
void faces_blocks_json(const struct faces_blocks *b, const char *event, struct emit *e);
void faces_blocks_csv(const struct faces_blocks *b, const char *event, bool heads,
		      struct obuf *out);

#endif
