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

int table_parent_setup(struct table *t, struct err *e)
{
	bool wanted = t->keys.o.filter.exclude_other;
	int ret = 0;

	for (unsigned i = 0; i < t->c.nr_cols; i++)
		wanted |= t->c.cols[i].key->parent;
	if (wanted)
		ret = set_pattern(&t->feed->parent_re,
				  t->keys.o.parent ? t->keys.o.parent : DEFAULT_PARENT, "", e);
	if (!ret && t->keys.o.ignore_callees)
		ret = set_pattern(&t->feed->ignore.re, t->keys.o.ignore_callees,
				  "--ignore-callees ", e);
	return ret;
}

void table_parent_free(struct table *t)
{
	free_pattern(&t->feed->parent_re);
	free_pattern(&t->feed->ignore.re);
	vec_free(&t->feed->ignore.chain);
}

/* Each location is matched once. */
static bool loc_matches(struct table *t, struct sym_pattern *pat, uint32_t loc)
{
	const struct symbol *sym;

	if (loc == LOC_NONE)
		return false;
	sym = resolver_loc(t->keys.res, loc)->sym;
	if (vec_reach(&pat->match, loc, NOT_TRIED))
		return false;
	if (pat->match.v[loc] == NOT_TRIED)
		pat->match.v[loc] =
			sym && !regexec(&pat->re, sym->name, 0, NULL, 0) ? MATCH : NO_MATCH;
	return pat->match.v[loc] == MATCH;
}

uint32_t table_parent_of(struct table *t, const struct sample *s, struct thread *th)
{
	int64_t n = table_chain_frames(t, &s->callchain);

	for (int64_t i = 0; i < n; i++) {
		int64_t at = t->keys.o.chain.caller ? n - 1 - i : i;
		uint32_t loc = resolver_find(t->keys.res, th, t->feed->chain->modes[at],
					     t->feed->chain->ips[at]);

		if (loc_matches(t, &t->feed->parent_re, loc))
			return keys_name_id(&t->keys, resolver_loc(t->keys.res, loc)->sym->name);
	}
	return 0;
}

/* ---- ignored callees ------------------------------------------------------------------------- */

bool table_ignores_at(struct table *t, uint32_t loc)
{
	return t->feed->ignore.re.set && loc_matches(t, &t->feed->ignore.re, loc);
}

/* The frames @first to @end as a chain of a record, markers and all. */
static int rewrite(struct table *t, int64_t first, int64_t end)
{
	const struct chain_queue *q = t->feed->chain;
	struct ignore *ig = &t->feed->ignore;

	ig->chain.n = 0;
	for (int64_t i = first; i < end; i++) {
		if ((i == first || q->modes[i] != q->modes[i - 1]) &&
		    vec_push(&ig->chain, sample_mode_marker(q->modes[i])))
			return -ENOMEM;
		if (vec_push(&ig->chain, q->ips[i]))
			return -ENOMEM;
	}
	ig->s.callchain = (struct u64s){ (const unsigned char *)ig->chain.v, ig->chain.n, false };
	ig->s.ip = q->ips[t->keys.o.chain.caller ? end - 1 : first];
	ig->s.cpumode = q->modes[t->keys.o.chain.caller ? end - 1 : first];
	return 0;
}

/*
 * Where callees stand first, what stands before the last match goes: a function's callers come
 * together. Where callers do, that is the callers before the innermost match, as upstream has it.
 */
const struct sample *table_ignore_callees(struct table *t, const struct sample *s,
					  struct thread *th)
{
	int64_t n = table_chain_frames(t, &s->callchain), at = -1;
	bool caller = t->keys.o.chain.caller;

	for (int64_t i = 0; i < n; i++)
		if ((!caller || at < 0) &&
		    table_ignores_at(t, resolver_find(t->keys.res, th, t->feed->chain->modes[i],
						      t->feed->chain->ips[i])))
			at = i;
	if (at < 0)
		return n < 0 ? NULL : s;
	t->feed->ignore.s = *s;
	return rewrite(t, caller ? 0 : at, caller ? at + 1 : n) ? NULL : &t->feed->ignore.s;
}
