// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames of a chain by their name. Key parent and --exclude-other: the first one that matches a
 * regex. --ignore-callees: the one that a sample is counted at in place of its own address.
 */
#include "table-int.h"

#define DEFAULT_PARENT "^sys_|^do_page_fault"

enum { NOT_TRIED, NO_MATCH, MATCH };

static int set_pattern(struct sym_pattern *pat, const char *re, const char *what, struct err *e)
{
	char why[128];
	int ret = regcomp(&pat->re, re, REG_EXTENDED);

	if (ret) {
		regerror(ret, &pat->re, why, sizeof(why));
		return err_set(e, -EINVAL, "Invalid %sregex: %s\n%s", what, re, why);
	}
	pat->set = true;
	return 0;
}

static void free_pattern(struct sym_pattern *pat)
{
	if (pat->set)
		regfree(&pat->re);
	vec_free(&pat->match);
}

int table_parent_setup(struct table *p, struct err *e)
{
	bool wanted = p->keys.o.filter.exclude_other;
	int ret = 0;

	for (unsigned i = 0; i < p->c.nr_cols; i++)
		wanted |= p->c.cols[i].key->parent;
	if (wanted)
		ret = set_pattern(&p->feed->parent_re,
				  p->keys.o.parent ? p->keys.o.parent : DEFAULT_PARENT, "", e);
	if (!ret && p->keys.o.ignore_callees)
		ret = set_pattern(&p->feed->ignore.re, p->keys.o.ignore_callees,
				  "--ignore-callees ", e);
	return ret;
}

void table_parent_free(struct table *p)
{
	free_pattern(&p->feed->parent_re);
	free_pattern(&p->feed->ignore.re);
	vec_free(&p->feed->ignore.chain);
}

/* Each location is matched once. */
static bool loc_matches(struct table *p, struct sym_pattern *pat, uint32_t loc)
{
	const struct symbol *sym;

	if (loc == LOC_NONE)
		return false;
	sym = resolver_loc(p->keys.res, loc)->sym;
	if (vec_reach(&pat->match, loc, NOT_TRIED))
		return false;
	if (pat->match.v[loc] == NOT_TRIED)
		pat->match.v[loc] =
			sym && !regexec(&pat->re, sym->name, 0, NULL, 0) ? MATCH : NO_MATCH;
	return pat->match.v[loc] == MATCH;
}

uint32_t table_parent_of(struct table *p, const struct sample *s, struct thread *th)
{
	int64_t n = table_chain_frames(p, &s->callchain);

	for (int64_t i = 0; i < n; i++) {
		int64_t at = p->keys.o.chain.caller ? n - 1 - i : i;
		uint32_t loc = resolver_find(p->keys.res, th, p->feed->chain->modes[at],
					     p->feed->chain->ips[at]);

		if (loc_matches(p, &p->feed->parent_re, loc))
			return keys_name_id(&p->keys, resolver_loc(p->keys.res, loc)->sym->name);
	}
	return 0;
}

/* ---- ignored callees ------------------------------------------------------------------------- */

bool table_ignores_at(struct table *p, uint32_t loc)
{
	return p->feed->ignore.re.set && loc_matches(p, &p->feed->ignore.re, loc);
}

/* The frames @first to @end as a chain of a record, markers and all. */
static int rewrite(struct table *p, int64_t first, int64_t end)
{
	const struct chain_queue *q = p->feed->chain;
	struct ignore *ig = &p->feed->ignore;

	ig->chain.n = 0;
	for (int64_t i = first; i < end; i++) {
		if ((i == first || q->modes[i] != q->modes[i - 1]) &&
		    vec_push(&ig->chain, sample_mode_marker(q->modes[i])))
			return -ENOMEM;
		if (vec_push(&ig->chain, q->ips[i]))
			return -ENOMEM;
	}
	ig->s.callchain = (struct u64s){ (const unsigned char *)ig->chain.v, ig->chain.n, false };
	ig->s.ip = q->ips[p->keys.o.chain.caller ? end - 1 : first];
	ig->s.cpumode = q->modes[p->keys.o.chain.caller ? end - 1 : first];
	return 0;
}

/*
 * Where callees stand first, what stands before the last match goes: a function's callers come
 * together. Where callers do, that is the callers before the innermost match, as upstream has it.
 */
const struct sample *table_ignore_callees(struct table *p, const struct sample *s,
					  struct thread *th)
{
	int64_t n = table_chain_frames(p, &s->callchain), at = -1;
	bool caller = p->keys.o.chain.caller;

	for (int64_t i = 0; i < n; i++)
		if ((!caller || at < 0) &&
		    table_ignores_at(p, resolver_find(p->keys.res, th, p->feed->chain->modes[i],
						      p->feed->chain->ips[i])))
			at = i;
	if (at < 0)
		return n < 0 ? NULL : s;
	p->feed->ignore.s = *s;
	return rewrite(p, caller ? 0 : at, caller ? at + 1 : n) ? NULL : &p->feed->ignore.s;
}
