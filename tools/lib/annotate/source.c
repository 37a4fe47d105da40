// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Source lines. Debug information says for an address which line it is of; lines of source stand
 * before the instructions that they became, each time that the line changes. Where it moves on in
 * the same file the lines between come too, up to a few: they hold the braces and comments without
 * which code is hard to read.
 */
#include "annotate-int.h"

int annotate_sources(struct listing_build *b)
{
	struct srcline at;

	if (b->o.no_source)
		return 0;
	vec_for_each (line, &b->insns) {
		if (!symbol_srcline(b->res, b->l.dso, line->addr, &at) || !at.line)
			continue;
		line->file = at.file;
		line->srcline = at.line;
	}
	return 0;
}

static int add_label(struct listing_build *b, uint64_t addr, const char *name)
{
	struct listing_line line = { .kind = LISTING_LABEL,
				     .insn = LISTING_NONE,
				     .target = LISTING_NONE,
				     .addr = addr,
				     .name = name,
				     .text = name };

	return vec_push(&b->lines, line);
}

int annotate_lines(struct listing_build *b)
{
	if (add_label(b, b->l.start, b->l.sym->name))
		return -ENOMEM;
	vec_for_each (insn, &b->insns) {
		if (vec_push(&b->insn_line, (uint32_t)b->lines.n) || vec_push(&b->lines, *insn))
			return -ENOMEM;
	}
	return 0;
}
