// SPDX-License-Identifier: GPL-2.0-or-later
/* perf annotate: the option table, and what it cannot say of options that go together. */
#include "annotate.h"

static int parse_limit(void *opts, const struct option *opt, const char *arg, bool unset,
		       struct err *e)
{
	struct annotate_cmd_opts *o = opts;

	o->min_percent = 0;
	return unset ? 0 : compat_percent(opt, arg, &o->min_percent, e);
}

#define O struct annotate_cmd_opts
#define NO_TYPES                                                                        \
	"what data is of by its type in the source is not found out here; perf report " \
	"--mem-mode -s symbol_daddr has accesses by the symbol of what they are to"

const struct option annotate_cmd_options[] = {
	OPT_GROUP("Input"),
	OPT_INCLUDE(O, session, session_input_options),
	OPT_INCLUDE(O, several, session_files_options),
	OPT_INCLUDE(O, session, session_jobs_options),

	OPT_GROUP("Which functions"),
	OPT_STRING('s', "symbol", O, symbol, "SYMBOL", "only this function (also without -s)"),
	OPT_STRING('d', "dsos", O, session.dsos, "DSO,...", "only functions of these objects"),
	OPT_CALL(0, "percent-limit", parse_limit, "PERCENT",
		 "leave out functions below this share of the event"),
	OPT_BOOL(0, "skip-missing", O, skip_missing,
		 "say nothing of functions whose code is not here"),

	OPT_GROUP("Which samples"),
	OPT_INCLUDE(O, session, session_sample_options),

	OPT_GROUP("Lines"),
	OPT_INCLUDE(O, code, code_options),
	OPT_BOOL('l', "print-line", O, print_line,
		 "shares of source lines first, FILE:LINE behind instructions"),
	OPT_BOOL('P', "full-paths", O, full_paths, "objects with their directories"),
	OPT_BOOL(0, "loops", O, loops, "--stdio2: brackets around loops"),
	OPT_BOOL(0, "asm-raw", O, asm_raw, "the bytes of instructions"),

	OPT_GROUP("Numbers"),
	OPT_BOOL('n', "show-nr-samples", O, show_samples, "numbers of samples, not shares"),
	OPT_BOOL(0, "show-total-period", O, show_period, "sums of periods, not shares"),
	CODE_PERCENT_TYPE(O, code),
	OPT_BOOL(0, "simd", O, simd,
		 "width of vectors in use, lanes that masks let through (recorded with -I or "
		 "--user-regs)"),
	OPT_STRING(0, "reg", O, reg, "NAME",
		   "values of this general or mask register: most frequent, least, largest"),
	OPT_BOOL(0, "numbers", O, numbers,
		 "numbers in vectors that instructions are about to read: NaN, denormal, zero"),
	OPT_BOOL(0, "idle-lanes", O, idle, "lanes of vectors that do nothing"),
	OPT_BOOL(0, "dirty", O, dirty, "upper halves of vectors, where SSE instructions run"),
	OPT_BOOL(0, "apx", O, apx, "moves to and from the stack, what r16 to r31 are used for"),
	OPT_BOOL(0, "shadow-stack", O, shadow, "call chains against the shadow stack"),
	OPT_STRING(0, "values", O, values, "REG",
		   "the most frequent values of a register, or of a lane: di, k1, zmm3.f64[0]"),
	OPT_STRING(0, "branches", O, branches, "WHAT",
		   "of branch stacks: why (they are hard to predict), cycles or paths"),
	OPT_BOOL(0, "group", O, group, "events of a group side by side (default)"),

	OPT_GROUP("Symbols"),
	OPT_INCLUDE(O, session, session_symbol_options),

	OPT_GROUP("Output"),
	OPT_BOOL(0, "tui", O, tui, "a browser (default on a terminal)"),
	OPT_INCLUDE(O, look, tui_options),
	OPT_BOOL(0, "stdio", O, stdio, "text: address and instruction (default elsewhere)"),
	OPT_BOOL(0, "stdio2", O, stdio2, "text: arrows, jumps and calls by name"),
	OPT_BOOL(0, "json", O, json, "all of it as JSON"),
	OPT_STRING(0, "stdio-color", O, color, "MODE",
		   "shares in colours: auto (on a terminal, the default), always or never"),
	OPT_BOOL('D', "dump-raw-trace", O, dump, "every record in full"),
	OPT_BOOL('q', "quiet", O, quiet, "no messages but errors"),
	OPT_INC('v', "verbose", O, verbose, "say more: samples by address before each listing"),
	{ .type = OPTION_UINT,
	  .name = "pieces",
	  .arg = "N",
	  .help = "count every N samples on their own, then add up",
	  .offset = offsetof(O, pieces),
	  .flags = OPTION_HIDDEN },
	{ .type = OPTION_BOOL,
	  .name = "apart",
	  .help = "with --pieces: read each of them in a session of its own",
	  .offset = offsetof(O, apart),
	  .flags = OPTION_HIDDEN },
	OPT_ACCEPT('m', "modules"),
	OPT_ACCEPT(0, "skip-empty"),
	OPT_ACCEPT_ARG(0, "objdump", "PATH", 0),
	OPT_ACCEPT_ARG(0, "addr2line", "PATH", 0),
	OPT_ACCEPT_ARG(0, "addr2line-style", "LIST", 0),
	OPT_ACCEPT_ARG(0, "itrace", "OPTS", OPTION_OPTARG),
	OPT_REFUSE(0, "gtk", "there are no windows here; --stdio2 on a terminal"),
	OPT_REFUSE(0, "data-type", NO_TYPES),
	OPT_REFUSE(0, "type-stat", NO_TYPES),
	OPT_REFUSE(0, "code-with-type", NO_TYPES),
	OPT_REFUSE(0, "insn-stat", NO_TYPES),
	OPT_END(),
};

int annotate_cmd_check(const struct annotate_cmd_opts *o, struct tui_annotate_opts *out,
		       struct err *e)
{
	if (o->tui + o->stdio + o->stdio2 + o->json > 1)
		return err_set(e, -EINVAL,
			       "--tui, --stdio, --stdio2 and --json are one or the other");
	if (o->show_samples && o->show_period)
		return err_set(e, -EINVAL,
			       "--show-nr-samples and --show-total-period are one or the other");
	return code_opts_read(&o->code, out, e);
}
