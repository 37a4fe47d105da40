// SPDX-License-Identifier: GPL-2.0-or-later
/* Key parent and --exclude-other: the first frame of a chain whose name matches a regex. */
#include "profile-int.h"

#define DEFAULT_PARENT "^sys_|^do_page_fault"

enum { NOT_TRIED, NO_MATCH, MATCH };

int prof_parent_setup(struct profile *p, struct err *e)
{
	const char *re = p->o.parent ? p->o.parent : DEFAULT_PARENT;
	bool wanted = p->o.filter.exclude_other;
	char why[128];
	int ret;

	for (unsigned i = 0; i < p->nr_cols; i++)
		wanted |= p->cols[i].key->parent;
	if (!wanted)
		return 0;
	ret = regcomp(&p->parent_re, re, REG_EXTENDED);
	if (ret) {
		regerror(ret, &p->parent_re, why, sizeof(why));
		return err_set(e, -EINVAL, "Invalid regex: %s\n%s", re, why);
	}
	p->has_parent = true;
	return 0;
}

/* Each location is matched once. */
static bool loc_matches(struct profile *p, uint32_t loc)
{
	const struct symbol *sym = resolver_loc(p->res, loc)->sym;

	while (p->parent_match.n <= loc)
		if (vec_push(&p->parent_match, NOT_TRIED))
			return false;
	if (p->parent_match.v[loc] == NOT_TRIED)
		p->parent_match.v[loc] =
			sym && !regexec(&p->parent_re, sym->name, 0, NULL, 0) ? MATCH : NO_MATCH;
	return p->parent_match.v[loc] == MATCH;
}

static uint32_t match(struct profile *p, uint32_t loc)
{
	if (loc == LOC_NONE || !loc_matches(p, loc))
		return 0;
	return prof_name_id(p, resolver_loc(p->res, loc)->sym->name);
}

uint32_t prof_parent_of(struct profile *p, const struct sample *s, struct thread *th)
{
	int64_t n = prof_chain_frames(p, &s->callchain);
	uint32_t name = 0;

	for (int64_t i = 0; !name && i < n; i++) {
		int64_t at = p->o.chain.caller ? n - 1 - i : i;

		name = match(p, resolver_find(p->res, th, p->ch.q->modes[at], p->ch.q->ips[at]));
	}
	return name;
}
