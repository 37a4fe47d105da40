// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report --html --branches and --profile-quality: the tables that text has, as texts of cells. They are of all samples:
 * what is chosen in the page does not reach them, as outcomes in their order do not add up from parts.
 */
#include "faces/faces.h"
#include "page-int.h"

#define MAX_ROWS 300 /* of each table; those that matter most are first */

static void put_cell(void *ctx, const char *text)
{
	page_str(ctx, NULL, text);
}

static int put_table(const struct walk_list *l, const struct faces *f, struct json *j)
{
	size_t nr = faces_list_nr(l, f);
	struct obuf title;
	int ret = obuf_init(&title, -1, 0);

	if (ret)
		return ret;
	faces_list_title(l, f, &title);
	obuf_char(&title, 0);
	page_open(j, NULL, '{');
	page_str(j, "name", faces_list_name(l));
	page_str(j, "title", title.code ? "" : title.buf);
	obuf_free(&title);
	if (faces_list_legend(l))
		page_str(j, "legend", faces_list_legend(l));
	page_num(j, "all", nr);
	page_open(j, "heads", '[');
	faces_list_head_cells(l, put_cell, j);
	page_close(j, ']');
	page_open(j, "rows", '[');
	for (size_t i = 0; !ret && i < nr && i < MAX_ROWS; i++) {
		page_open(j, NULL, '[');
		ret = faces_list_cells(l, f, i, put_cell, j);
		page_close(j, ']');
	}
	page_close(j, ']');
	page_close(j, '}');
	return ret;
}

int page_put_answers(struct page *p, struct json *j)
{
	const struct brstat *b = p->code ? annotate_stat(p->code) : NULL;
	const struct faces f = {
		.stat = b,
		.pd = p->env->pd,
		.lost_samples = session_counts(p->session)->lost_samples,
	};
	bool quality = p->o.branches & BRSTAT_QUALITY;
	int ret = 0;

	if (!b || (!quality && !brstat_sum(b)->stacks))
		return 0;
	page_open(j, quality ? "quality" : "answers", '[');
	for (size_t i = 0; !ret && i < faces_nr_lists(p->o.branches); i++)
		ret = put_table(faces_list(p->o.branches, i), &f, j);
	page_close(j, ']');
	return ret;
}
