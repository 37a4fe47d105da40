/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cli: what every command's front end shares: option tables, help, completion, colours, pager,
 * progress. No perf logic.
 *
 * A command describes itself in one const struct. Its options are a const table that stores into
 * a struct of the command's own by offset, so that tables hold no state:
 *
 *	struct opts { bool verbose; const char *input; };
 *	static const struct option options[] = {
 *		OPT_INC('v', "verbose", struct opts, verbose, "be more verbose"),
 *		OPT_STRING('i', "input", struct opts, input, "FILE", "input file name"),
 *		OPT_END(),
 *	};
 *	n = cli_parse(&cmd, &o, argc, argv, 0);		arguments left, or CLI_EXIT(code)
 *
 * Options that several commands share are a table of their own, for a struct that is a member of
 * each command's: OPT_INCLUDE(struct opts, shared, shared_options). Its rows are as the command's
 * own, for parsing, help and completion. A row of the command's own table with the same long name
 * stands in for an included one.
 */
#ifndef PERF_CLI_H
#define PERF_CLI_H

#include <stdio.h>

#include "base/base.h"
#include "base/tables.h"

struct command;

enum option_type {
	OPTION_END,
	OPTION_GROUP,	/* a heading in --help */
	OPTION_BOOL,	/* bool; --no-NAME clears */
	OPTION_BITS,	/* uint64_t: its @bits are set; --no-NAME clears them */
	OPTION_INC,	/* int, counts up; --no-NAME sets 0 */
	OPTION_STRING,	/* const char *; the last one wins */
	OPTION_LIST,	/* struct cli_list; every one is kept in order */
	OPTION_INT,	/* int64_t, decimal or 0x */
	OPTION_UINT,	/* uint64_t, decimal or 0x */
	OPTION_CALL,	/* parse() is called */
	OPTION_INCLUDE, /* the rows of @table, whose struct is the member at @offset */
};

enum option_flags {
	OPTION_OPTARG = 1, /* the argument may be missing; if present it is attached */
	OPTION_NO_NEG = 2, /* no --no-NAME */
	OPTION_HIDDEN = 4, /* accepted, shown only in the man page */
	OPTION_NO_ARG = 8, /* OPTION_CALL without argument */
	OPTION_EARLY = 16, /* taken before all others, wherever it stands */
};

struct option {
	enum option_type type;
	char short_name;  /* 0 = none */
	const char *name; /* NULL = none */
	size_t offset;	  /* of the value in the command's struct */
	const char *arg;  /* what --help calls the argument */
	const char *help;
	unsigned flags;
	uint64_t bits;		    /* OPTION_BITS */
	const char *def;	    /* OPTION_STRING with OPTARG: value when none is given */
	const struct option *table; /* OPTION_INCLUDE */
	/*
	 * OPTION_CALL: arg NULL when none; unset for --no-NAME. 0 or -errno with @e. @opts is the
	 * struct of the table that the row is of.
	 */
	int (*parse)(void *opts, const struct option *opt, const char *arg, bool unset,
		     struct err *e);
};

struct obuf;

struct cli_list {
	VEC(const char *) items;
};

#define OPT_END()                  \
	{                          \
		.type = OPTION_END \
	}
#define OPT_GROUP(text)                              \
	{                                            \
		.type = OPTION_GROUP, .help = (text) \
	}
#define OPT_INCLUDE(st, f, t)                                                   \
	{                                                                       \
		.type = OPTION_INCLUDE, .offset = offsetof(st, f), .table = (t) \
	}
#define OPT_BOOL(s, l, st, f, h)                                                                \
	{                                                                                       \
		.type = OPTION_BOOL, .short_name = (s), .name = (l), .offset = offsetof(st, f), \
		.help = (h)                                                                     \
	}
#define OPT_BITS(s, l, st, f, b, h)                                                             \
	{                                                                                       \
		.type = OPTION_BITS, .short_name = (s), .name = (l), .offset = offsetof(st, f), \
		.bits = (b), .help = (h)                                                        \
	}
#define OPT_INC(s, l, st, f, h)                                                                \
	{                                                                                      \
		.type = OPTION_INC, .short_name = (s), .name = (l), .offset = offsetof(st, f), \
		.help = (h)                                                                    \
	}
#define OPT_STRING(s, l, st, f, a, h)                                                             \
	{                                                                                         \
		.type = OPTION_STRING, .short_name = (s), .name = (l), .offset = offsetof(st, f), \
		.arg = (a), .help = (h)                                                           \
	}
#define OPT_STRING_DEF(s, l, st, f, a, d, h)                                                      \
	{                                                                                         \
		.type = OPTION_STRING, .short_name = (s), .name = (l), .offset = offsetof(st, f), \
		.arg = (a), .help = (h), .def = (d), .flags = OPTION_OPTARG                       \
	}
#define OPT_LIST(s, l, st, f, a, h)                                                             \
	{                                                                                       \
		.type = OPTION_LIST, .short_name = (s), .name = (l), .offset = offsetof(st, f), \
		.arg = (a), .help = (h)                                                         \
	}
#define OPT_INT(s, l, st, f, a, h)                                                             \
	{                                                                                      \
		.type = OPTION_INT, .short_name = (s), .name = (l), .offset = offsetof(st, f), \
		.arg = (a), .help = (h)                                                        \
	}
#define OPT_UINT(s, l, st, f, a, h)                                                             \
	{                                                                                       \
		.type = OPTION_UINT, .short_name = (s), .name = (l), .offset = offsetof(st, f), \
		.arg = (a), .help = (h)                                                         \
	}
#define OPT_CALL(s, l, cb, a, h)                                                                \
	{                                                                                       \
		.type = OPTION_CALL, .short_name = (s), .name = (l), .parse = (cb), .arg = (a), \
		.help = (h)                                                                     \
	}
#define OPT_CALL_OPTARG(s, l, cb, a, h)                                                         \
	{                                                                                       \
		.type = OPTION_CALL, .short_name = (s), .name = (l), .parse = (cb), .arg = (a), \
		.help = (h), .flags = OPTION_OPTARG                                             \
	}
#define OPT_CALL_NOARG(s, l, cb, h)                                                              \
	{                                                                                        \
		.type = OPTION_CALL, .short_name = (s), .name = (l), .parse = (cb), .help = (h), \
		.flags = OPTION_NO_ARG                                                           \
	}

struct command {
	const char *name;
	const char *summary;	      /* one line for `perf help` */
	const char *const *usage;     /* synopsis lines without "perf ", NULL-terminated */
	const struct option *options; /* NULL = none */
	int (*run)(const struct command *cmd, int argc, char **argv); /* exit status */
	bool hidden;
};

#define CLI_USAGE 129 /* exit status for usage errors, as upstream */

/* cli_parse() result: arguments left, or (negative) the program should exit with this status. */
#define CLI_EXIT(status)   (-1 - (status))
#define CLI_STATUS(result) (-1 - (result))

enum cli_parse_flags {
	CLI_STOP_AT_ARG = 1, /* the first non-option ends the options (perf record CMD ...) */
};

/*
 * Parses argv[1..] into @opts. Long names may be shortened while they stay unique. argv is
 * permuted in place: after return argv[0 .. n-1] are the arguments left, argv[n] is NULL.
 * -h and --help print to stdout and ask to exit with 0; errors go to stderr, 129.
 */
int cli_parse(const struct command *cmd, void *opts, int argc, char **argv, unsigned flags);
void cli_list_free(struct cli_list *l);

/* "Usage: perf NAME ..." and the options; to stdout (fd 1) or stderr (fd 2). */
void cli_print_help(const struct command *cmd, int fd);
/* Prints @fmt and the usage lines to stderr; returns CLI_USAGE. */
int cli_usage_error(const struct command *cmd, const char *fmt, ...) __printf_fmt(2, 3);
/* Prints an error object (text, then hint lines) to stderr; returns 1 for exit. */
int cli_print_err(const struct err *e);
/* obuf_free() of what a command prints: 0, or 1 after a message. That nobody reads on (head) is no error. */
int cli_end_output(struct obuf *o);
/* Options of @cmd, one "--name" or "-s" per line, for the completion script; @hidden: also those that
 * help leaves out. */
void cli_print_options(const struct command *cmd, bool hidden);
/* "verbose" for 'v'; NULL when @cmd has no such option, or no long name for it. */
const char *cli_long_name(const struct command *cmd, char short_name);

/* ---- terminal ------------------------------------------------------------------------------------------- */

bool cli_use_color(int fd); /* a terminal, TERM not dumb, NO_COLOR unset or empty */
int cli_terminal_width(int fd, int fallback);
/*
 * Sends stdout through $PERF_PAGER, $PAGER or less when it is a terminal and they are installed;
 * else does nothing.
 * cli_pager_wait() at the end waits for it.
 */
void cli_pager_start(void);
void cli_pager_wait(void);

/*
 * Whether a shell would find the program that a plain command line begins with; what is more than a
 * name and its options is the shell's own business.
 */
bool cli_has_program(const char *command);

/* A progress line on stderr, shown on a terminal once the work took longer than a second. */
struct cli_progress {
	const char *title;
	int64_t start_ns, last_ns;
	bool shown, enabled;
};

void cli_progress_start(struct cli_progress *p, const char *title);
/* As perfdata calls it; false, always: go on. */
bool cli_progress_update(void *p, uint64_t done, uint64_t total);
void cli_progress_end(struct cli_progress *p);

/* ---- settings -------------------------------------------------------------------------------------------- */

/* Calls @fn with "section.key" (in small letters) and the value of every setting; stops when that fails.
 * -EINVAL with file and line where the text is none. */
typedef int cli_config_fn(void *ctx, const char *key, const char *value);
int cli_config_read(FILE *f, const char *path, cli_config_fn *fn, void *ctx, struct err *e);

enum cli_setting_kind {
	CLI_SETTING_FLAG,   /* --option or --no-option */
	CLI_SETTING_VALUE,  /* --option=VALUE */
	CLI_SETTING_CHOICE, /* the option of a value: "VALUE=OPTION,..."; for other values none */
	CLI_SETTING_WORD,   /* a word of --option=A,B,C, which is gathered */
	CLI_SETTING_ENV,    /* the environment variable, unless it is set */
	CLI_SETTING_NONE,   /* nothing to set, and nothing lost */
};

struct cli_setting {
	const char *key, *command; /* NULL = every one */
	enum cli_setting_kind kind;
	const char *option;
	/* CLI_SETTING_WORD: its place from 0; what then stands at the one before, if nothing does;
	 * the word that must stand there, or this one does not count. */
	unsigned place;
	const char *gap, *behind;
};

/* Options that settings stand for. They live until the arena is freed. */
struct cli_args {
	struct arena arena;
	char *v[32];
	size_t nr;
	struct err notes[2]; /* what a user should know of a file */
	size_t nr_notes;
};

/*
 * Reads $PERF_CONFIG, or /etc/perfconfig and ~/.perfconfig: what they set for @command. Pager and
 * colours are set at once. Files of other users are not read, which a note says, as of keys without
 * a row.
 */
int cli_settings(const struct cli_setting *table, size_t nr, const char *command,
		 struct cli_args *args, struct err *e);

/* ---- numbers on the command line -------------------------------------------------------------------------- */

/* "10", "4K", "16M", "2G" (powers of 1024; B allowed): 0 or -EINVAL/-ERANGE. */
int cli_parse_size(const char *s, uint64_t *v);
int cli_parse_u64(const char *s, uint64_t *v); /* decimal or 0x; whole string */
/* "30s", "5m", "1h", "2d", small letters as sizes have capital ones, in ms: 0 or -EINVAL, also of 0s. */
int cli_parse_duration(const char *s, uint64_t *ms);
/* The known names closest to @word, as "a, b or c"; empty when none is near. */
void cli_suggest(const char *word, const char *const *names, size_t nr, char *buf, size_t size);

#endif
