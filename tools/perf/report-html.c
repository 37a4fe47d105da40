// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report --html: the recording as one page, which has all views at once and chooses in the browser. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "box/box.h"
#include "page/page.h"
#include "report.h"

/* --diff: a session of its own, with the same options. */
static int open_before(struct report *r, struct session_opts *so, struct session **s, struct err *e)
{
	int ret;

	*so = r->o.session;
	so->input = r->o.diff;
	ret = session_open(s, so, e);
	ret = ret ?: session_start(*s, e);
	return ret ? err_context(e, "--diff") : 0;
}

static int add_file(void *ctx, struct session *s, struct err *e)
{
	return page_add_recording(ctx, s, e);
}

static int add_files(void *ctx, struct page *p, struct err *e)
{
	struct report *r = ctx;

	return session_files_each(r->files, r->session, &r->o.session, add_file, p, e);
}

static int write_page(struct report *r, struct session *before, struct err *e)
{
	struct page_opts opts = {
		.functions = PAGE_FUNCTIONS,
		.marks = report_marks(&r->o),
		.values = r->o.values,
		.simd = r->o.simd,
		.branches = r->stat_what,
		.branch_stacks = !(r->stat_what & BRSTAT_QUALITY) ||
				 perfdata_sample_types(r->pd) & PERF_SAMPLE_BRANCH_STACK,
		.redact = r->o.redact,
		.full_paths = r->o.session.full_paths,
		.before = before,
		.others = session_files_are_several(r->files) ? add_files : NULL,
		.others_ctx = r,
		.not_first = r->files->o.by_file,
	};
	char name[300];
	struct output file;
	struct obuf out;
	int ret = box_output_open(&file, r->o.html, OUTPUT_TEXT, &LOG_STDERR, e), closed;

	if (opts.others) {
		snprintf(name, sizeof(name), "%.200s and %zu more", r->o.session.input,
			 r->files->v.n - 1);
		opts.name = name;
	}
	if (!r->o.quiet)
		opts.log = LOG_STDERR;
	if (ret)
		return ret;
	ret = obuf_init(&out, file.fd, 0);
	if (ret) {
		close(file.fd);
		return err_set(e, ret, "no memory for output");
	}
	ret = page_write(r->session, &opts, &out, e);
	cli_progress_end(&r->progress);
	closed = obuf_free(&out);
	if (close(file.fd) && !closed)
		closed = -errno;
	if (!ret && closed)
		ret = err_set(e, closed, "cannot write %s: %s", r->o.html, strerror(-closed));
	return ret;
}

int report_html(struct report *r, struct err *e)
{
	struct session *before = NULL;
	struct session_opts so;
	const struct err *damage;
	int ret = session_start(r->session, e);

	ret = ret ?: session_files_join(r->files, r->session, &r->o.session, e);
	r->po.arch = session_arch(r->session);
	ret = ret ?: report_check_registers(r, e);
	if (!ret && r->o.diff)
		ret = open_before(r, &so, &before, e);
	ret = ret ?: write_page(r, before, e);
	if (!ret && before && session_damage(before)) {
		*e = *session_damage(before);
		ret = err_context(e, "--diff");
	}
	session_close(before);
	damage = ret ? NULL : session_damage(r->session);
	if (damage) {
		*e = *damage;
		return damage->code;
	}
	return ret;
}
