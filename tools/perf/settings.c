// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the keys of ~/.perfconfig stand for. Upstream has far more of them than we have things to set:
 * a key of upstream's that changes nothing here has a row of kind NONE.
 */
#include "builtin.h"

#define ROW(k, cmd, what, opt)                                                            \
	{                                                                                 \
		.key = (k), .command = (cmd), .kind = CLI_SETTING_##what, .option = (opt) \
	}
#define WORD(k, cmd, nr, ...)                                                                    \
	{                                                                                        \
		.key = (k), .command = (cmd), .kind = CLI_SETTING_WORD, .option = "_call-graph", \
		.place = (nr), ##__VA_ARGS__                                                     \
	}

/* A colour of browsers. */
#define COLOR(name)                                                \
	ROW("colors." name, "annotate", VALUE, "tui-color=" name), \
		ROW("colors." name, "report", VALUE, "tui-color=" name)

/* clang-format off */
static const struct cli_setting settings[] = {
	ROW("annotate.demangle", "annotate", FLAG, "demangle"),
	ROW("annotate.demangle_kernel", "annotate", FLAG, "demangle-kernel"),
	ROW("annotate.disassembler_style", "annotate", VALUE, "disassembler-style"),
	ROW("annotate.show_nr_samples", "annotate", FLAG, "show-nr-samples"),
	ROW("annotate.show_total_period", "annotate", FLAG, "show-total-period"),
	ROW("tui.annotate", "annotate", CHOICE, "false=stdio,off=stdio,no=stdio,0=stdio"),
	COLOR("top"), COLOR("medium"), COLOR("normal"), COLOR("selected"), COLOR("jump_arrows"),
	COLOR("addr"), COLOR("root"), COLOR("head"), COLOR("dim"), COLOR("match"), COLOR("menu"),
	COLOR("warn"), COLOR("bar"),
	ROW("buildid.dir", NULL, ENV, "PERF_BUILDID_DIR"),
	ROW("report.children", "report", FLAG, "children"),
	ROW("report.group", "report", FLAG, "group"),
	ROW("report.percent-limit", "report", VALUE, "percent-limit"),
	ROW("report.queue-size", NULL, NONE, NULL),
	ROW("report.skip-empty", "report", FLAG, "skip-empty"),
	ROW("report.sort_order", "report", VALUE, "sort"),
	ROW("tui.report", "report", CHOICE, "false=stdio,off=stdio,no=stdio,0=stdio"),
	/* cache and mmap are as it is */
	ROW("record.build-id", "record", CHOICE, "no-cache=no-buildid-cache,skip=no-buildid"),

	/* report -g takes them in this order; a limit of what is printed is the second number */
	WORD("call-graph.print-type", "report", 0),
	WORD("call-graph.threshold", "report", 1),
	WORD("call-graph.print-limit", "report", 2, .gap = "0.5"),
	WORD("call-graph.order", "report", 3),
	WORD("call-graph.sort-key", "report", 4),

	WORD("call-graph.record-mode", "record", 0),
	WORD("record.call-graph", "record", 0),
	WORD("call-graph.dump-size", "record", 1, .behind = "dwarf"),
};
/* clang-format on */

int perf_settings(const char *command, struct cli_args *args, struct err *e)
{
	static const char *const users[] = { "annotate", "archive", "buildid-cache", "buildid-list",
					     "data",	 "diff",    "inject",	     "list",
					     "record",	 "report",  "script" };

	for (size_t i = 0; i < ARRAY_SIZE(users); i++)
		if (!strcmp(command, users[i]))
			return cli_settings(settings, ARRAY_SIZE(settings), command, args, e);
	return 0;
}
