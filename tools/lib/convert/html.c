// SPDX-License-Identifier: GPL-2.0-or-later
/* A page for browsers: room page's, which `report --html` writes too. */
#include "convert/convert-int.h"
#include "page/page.h"

static int begin(struct convert_run *r, struct err *e)
{
	const struct page_opts opts = { .functions = PAGE_FUNCTIONS, .log = r->opts->log };
	struct page *p;
	int ret = page_new(&p, r->session, &opts, e);

	r->own = p;
	return ret;
}

static int one_sample(struct convert_run *r, const struct session_sample *in, struct err *e)
{
	r->samples++;
	return page_add(r->own, in, e);
}

static int one_record(struct convert_run *r, const struct record *rec, struct err *e)
{
	return page_add_record(r->own, rec, e);
}

static int follow(struct convert_run *r, const struct convert_run *first, struct err *e)
{
	(void)e;
	page_follow(r->own, first->own);
	return 0;
}

static int merge(struct convert_run *r, struct convert_run *from, const struct session_maps *maps,
		 struct err *e)
{
	return page_merge(r->own, from->own, maps, e);
}

static int finish(struct convert_run *r, struct err *e)
{
	return page_finish(r->own, r->out, e);
}

static void end(struct convert_run *r)
{
	page_free(r->own);
}

const struct convert_format convert_html = {
	.name = "html",
	.holds = "one page for browsers, that needs no network and no other file",
	.begin = begin,
	.sample = one_sample,
	.record = one_record,
	.follow = follow,
	.merge = merge,
	.finish = finish,
	.free = end,
};
