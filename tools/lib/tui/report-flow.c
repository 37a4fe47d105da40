// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the report to the lists of blocks and paths (flow.c). They were counted with the rows, of all
 * samples: the steps that were taken do not reach them, and their head lines say so.
 */
#include "report-int.h"

static enum tui_answer open_list(struct tui *t, const struct browser *b, uint32_t path_len)
{
	struct tui_flow in = {
		.flow = b->in->flow,
		.res = b->f.res,
		.path_len = path_len,
		.a = b->in->a,
		.opts = b->in->annotate,
		.note = b->in->partial	    ? " [PARTIAL]"
			: browser_newest(b) ? " [of the whole recording]"
					    : NULL,
	};

	brflow_finish(b->in->flow);
	return tui_flow_begin(t, &in);
}

static bool has_branches(struct tui *t, const struct browser *b)
{
	if (!b->in->flow)
		tui_message(t, "No stacks of branches that followed each other: record with -b");
	return b->in->flow;
}

enum tui_answer browser_blocks(struct tui *t, struct tui_view *v)
{
	const struct browser *b = v->ctx;

	if (!has_branches(t, b))
		return TUI_STAY;
	if (brflow_nr_blocks(b->in->flow))
		return open_list(t, b, 0);
	tui_message(t,
		    "No branch of this recording has cycles, which blocks are listed by: p lists "
		    "paths by how often they were taken");
	return TUI_STAY;
}

enum tui_answer browser_paths(struct tui *t, struct tui_view *v)
{
	const struct browser *b = v->ctx;

	return has_branches(t, b) ? open_list(t, b, b->in->path_len) : TUI_STAY;
}
