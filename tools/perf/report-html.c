// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report --html: the recording as one page, which has all views at once and chooses in the browser. */
#include <errno.h>
#include <unistd.h>

#include "base/output.h"
#include "page/page.h"
#include "report.h"

int report_html(struct report *r, struct err *e)
{
	const struct page_opts opts = {
		.functions = PAGE_FUNCTIONS,
		.full_paths = r->o.session.full_paths,
		.log = r->o.quiet ? (struct log_sink){ 0 } : LOG_STDERR,
	};
	const struct err *damage;
	struct output file;
	struct obuf out;
	int ret = session_start(r->session, e), closed;

	ret = ret ?: output_open(&file, r->o.html, OUTPUT_TEXT, &LOG_STDERR, e);
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
	damage = ret ? NULL : session_damage(r->session);
	if (damage) {
		*e = *damage;
		return damage->code;
	}
	return ret;
}
