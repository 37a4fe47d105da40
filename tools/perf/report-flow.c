// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report --total-cycles, --hot-paths, --branches and --profile-quality in a terminal: lists that open into instructions. What lies at
 * these is counted in the same reading, as perf annotate does.
 */
#include <unistd.h>

#include "builtin.h"
#include "report.h"

bool report_lists_flow(const struct report *r)
{
	const struct report_opts *o = &r->o;

	if (!o->total_cycles && !o->hot_paths && !o->branches && !o->quality)
		return false;
	/* What is for other programs, or more than the list, is text. */
	return (isatty(STDOUT_FILENO) || o->ui == REPORT_TUI) && !o->html && !o->socket &&
	       o->ui != REPORT_TEXT && !o->json && !o->csv && !o->dot && !o->separator &&
	       !o->header && !o->header_only && !o->stats && !o->tasks && !o->mmaps && !o->dump &&
	       !o->threads;
}

int report_show_flow(struct report *r, struct err *e)
{
	const struct tui_flow in = {
		.flow = r->flow,
		.res = r->res,
		.path_len = (uint32_t)r->o.hot_paths,
		.a = r->code,
		.opts = r->code_opts,
	};
	const struct tui_answers answers = {
		.f = { .stat = r->code ? annotate_stat(r->code) : NULL,
		       .pd = r->pd,
		       .lost_samples = session_counts(r->session)->lost_samples },
		.what = r->stat_what,
		.a = r->code,
		.opts = r->code_opts,
	};
	struct err why = { 0 };
	int ret;

	if (!r->code || annotate_finish(r->code, &why))
		return 0;
	ret = report_open_browser(r, e);
	if (ret || !r->tui)
		return ret;
	if (answers.f.stat)
		tui_answers(r->tui, &answers);
	else
		tui_flow(r->tui, &in);
	report_close_browser(r);
	return 1;
}
