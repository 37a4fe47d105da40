// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What may stand behind an option, for completion: `perf help --list-values COMMAND OPTION` prints a
 * word a line. Words come from the tables that the options themselves are read by, where there is one,
 * so that the completion of three shells has no lists of its own.
 */
#include "builtin.h"

#include "branch/branch.h"
#include "view/view.h"
#include "script/script.h"
#include "workload/workload.h"

static void print_keys(void)
{
	const char *name;

	for (size_t i = 0; (name = keys_name(i)); i++)
		puts(name);
}

static void print_fields(void)
{
	for (size_t i = 0; script_field_name(i); i++)
		puts(script_field_name(i));
}

static void print_filters(void)
{
	const char *name;

	for (size_t i = 0; (name = branch_filter_name(i, NULL)); i++)
		puts(name);
}

static void print_formats(void)
{
	const char *name;

	for (size_t i = 0; (name = data_format_name(i)); i++)
		puts(name);
}

static void print_workloads(void)
{
	size_t nr;
	const struct workload *w = workloads(&nr);

	for (size_t i = 0; i < nr; i++)
		puts(w[i].name);
}

static void print_commands(void)
{
	size_t nr;
	const struct command *const *c = perf_commands(&nr);

	for (size_t i = 0; i < nr; i++)
		if (!c[i]->hidden)
			puts(c[i]->name);
}

static void print_events(void)
{
	char *argv[] = { "list", "--raw-dump", NULL };

	cmd_list.run(&cmd_list, 2, argv);
}

#define UNWINDERS "perf libunwind"
#define BRANCHES  "why cycles paths"

/* The first words of a command come before its options: "" stands for them. */
static const struct {
	const char *command, *option;
	void (*print)(void);
	const char *words; /* or these */
} values[] = {
	{ "annotate", "--disassembler-style", NULL, "att intel" },
	{ "annotate", "--percent-type", NULL, "local-period local-hits global-period global-hits" },
	{ "check", "", NULL, "feature" },
	{ "data", "", NULL, "convert" },
	{ "data", "--to", print_formats, NULL },
	{ "data", "--unwinder", NULL, UNWINDERS },
	{ "help", "", print_commands, NULL },
	{ "list", "", NULL, "hw sw cache tracepoint pmu" },
	{ "pmu-dt", "", NULL, "show lint decode encode check" },
	{ "record", "--event", print_events, NULL },
	{ "record", "--branch-filter", print_filters, NULL },
	{ "record", "--branch-source", NULL, "auto hardware software" },
	{ "record", "--branch-strategy", NULL, "auto interpret breakpoint block step" },
	{ "record", "--call-graph", NULL, "fp dwarf lbr" },
	{ "record", "--clockid", NULL, "mono mono_raw real boot tai" },
	{ "report", "--branches", NULL, BRANCHES },
	{ "report", "--call-graph", NULL,
	  "graph flat fractal folded none caller callee function address percent period count" },
	{ "report", "--fields", print_keys, NULL },
	{ "report", "--sort", print_keys, NULL },
	{ "report", "--unwinder", NULL, UNWINDERS },
	{ "script", "--branches", NULL, BRANCHES },
	{ "script", "--fields", print_fields, NULL },
	{ "script", "--unwinder", NULL, UNWINDERS },
	{ "test", "--workload", print_workloads, NULL },
};

static bool is_option(const struct command *cmd, const char *given, const char *name)
{
	if (!strcmp(given, name))
		return true;
	if (given[0] != '-' || !given[1] || given[2])
		return false;
	given = cli_long_name(cmd, given[1]);
	return given && !strcmp(given, name + 2);
}

void perf_print_values(const struct command *cmd, const char *option)
{
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		if (strcmp(cmd->name, values[i].command) ||
		    !is_option(cmd, option, values[i].option))
			continue;
		if (values[i].print)
			values[i].print();
		for (const char *w = values[i].words; w && *w; w += *w == ' ') {
			printf("%.*s\n", (int)strcspn(w, " "), w);
			w += strcspn(w, " ");
		}
	}
}
