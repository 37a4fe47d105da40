// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report in a terminal: when, and what of reading differs there. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "browser.h"
#include "builtin.h"
#include "report.h"
#include "tui/tui.h"

/* What is for other programs, or no rows of samples, is text. */
static bool is_text(const struct report_opts *o)
{
	return o->ui == REPORT_TEXT || o->header || o->header_only || o->stats || o->tasks ||
	       o->mmaps || o->dump || o->html || o->json || o->csv || o->dot || o->threads ||
	       o->separator || o->total_cycles || o->hot_paths || o->branches || o->quality ||
	       (o->session.input && !strcmp(o->session.input, "-"));
}

bool report_wants_browser(const struct report *r)
{
	if (is_text(&r->o))
		return false;
	return r->o.ui == REPORT_TUI || isatty(STDOUT_FILENO);
}

int report_open_browser(struct report *r, struct err *e)
{
	struct err why = { 0 };
	int ret = tui_open(&r->tui, &r->o.look, &why);

	/* What differs from a recording that is read in part is how much was read. */
	if (!ret && r->o.diff)
		tui_read_all(r->tui);
	if (!ret || r->o.ui != REPORT_TUI)
		return 0; /* without being asked: text then */
	*e = why;
	return err_context(e, "--tui");
}

void report_close_browser(struct report *r)
{
	browser_end(&r->tui);
}

void report_log(void *ctx, enum log_level level, const char *text)
{
	struct report *r = ctx;

	browser_log(&r->tui, level, text);
}

bool report_progress(void *ctx, uint64_t done, uint64_t total)
{
	struct report *r = ctx;

	if (!r->tui)
		return cli_progress_update(&r->progress, done, total);
	r->stopped |= tui_progress(r->tui, "Reading", done, total);
	return r->stopped;
}

/* --diff: counted as this one, in a session of its own that lasts as long as the browser. */
static int read_before(struct report *r, struct err *e)
{
	struct report *b = malloc(sizeof(*b));
	int ret;

	if (!b)
		return err_set(e, -ENOMEM, "no memory for another recording");
	*b = *r;
	b->o.session.input = r->o.diff;
	b->o.session.progress_ctx = b;
	b->session = NULL;
	b->t = b->rich = NULL;
	b->ahead = NULL;
	b->code = NULL;
	b->counts_code = false;
	b->flow = NULL;
	b->stat = NULL;
	b->blocks = false;
	b->path_len = 0;
	b->threads = NULL;
	b->before = NULL;
	b->nr_taken = 0;
	r->before = b;
	ret = report_count_apart(b, e);
	ret = ret ?: r->o.group ? report_set_groups(b, e) : 0;
	ret = ret ?: table_finish(b->t, e);
	ret = ret ?: report_derive(b, e);
	r->stopped |= b->stopped;
	return ret ? err_context(e, "--diff") : 0;
}

void report_free_before(struct report *r)
{
	if (!r->before)
		return;
	table_derive_drop(r->before->ahead);
	table_free(r->before->t);
	table_free(r->before->rich);
	session_close(r->before->session);
	free(r->before);
}

int report_finish_browser(struct report *r, struct err *e)
{
	int ret = r->o.diff ? read_before(r, e) : 0;

	ret = ret ?: report_derive(r, e);
	return ret ?: r->code ? annotate_finish(r->code, e) : 0;
}

int report_browse(struct report *r, const struct faces *f, struct err *e)
{
	struct tui_report in = {
		.f = f,
		.rich = r->rich,
		.first = r->t,
		.a = r->code,
		.annotate = r->code_opts,
		.flow = r->flow,
		.path_len = r->path_len,
		.simd = r->vectors,
		.before = r->before ? r->before->rich : NULL,
		.before_first = r->before ? r->before->t : NULL,
		.before_po = r->before ? &r->before->po : NULL,
		.before_name = r->o.diff,
		.partial = r->stopped,
		.next = r->next,
		.next_size = sizeof(r->next),
	};

	in.annotate.partial = r->stopped;
	return tui_report(r->tui, &in, e);
}
