// SPDX-License-Identifier: GPL-2.0-or-later
/* A page for browsers: room page's, which `report --html` writes too. */
#include "convert/convert-int.h"
#include "page/page.h"

static int whole(struct convert_run *r, struct err *e)
{
	const struct page_opts opts = { .functions = PAGE_FUNCTIONS, .log = r->opts->log };
	int ret = page_write(r->session, &opts, r->out, e);

	r->samples = session_counts(r->session)->samples;
	return ret;
}

const struct convert_format convert_html = {
	.name = "html",
	.holds = "one page for browsers, that needs no network and no other file",
	.whole = whole,
};
