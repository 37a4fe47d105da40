// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branch history: the branches before a sample as frames of its chain, innermost first, each as
 * its target and its source; what the kernel's chain says begins behind them. A loop is shown
 * once, with how often it ran. What the branches say about themselves is summed per chain, and
 * per frame when a tree is made.
 */
#include "table-int.h"

#define MAX_BRANCHES 127 /* more is no branch stack, as upstream */
#define LOOP_SLOTS   127

static unsigned slot_of(uint64_t from)
{
	/* seven bits by the golden ratio: upstream's, so that the same loops are found */
	return (unsigned)((from * 0x61c8864680b583ebULL) >> 57) % LOOP_SLOTS;
}

/* Whether the @len entries behind those from @first to @first + @by are the same again. */
static bool repeats(const struct hist_branch *h, size_t first, size_t by, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (h[first + i].b.from != h[first + by + i].b.from)
			return false;
	return true;
}

/* Takes out repetitions of what just came; returns how many entries are left. */
static size_t remove_loops(struct hist_branch *h, size_t n)
{
	uint8_t seen[LOOP_SLOTS];

	memset(seen, 0xff, sizeof(seen));
	for (size_t i = 0; i < n; i++) {
		unsigned s = slot_of(h[i].b.from);
		size_t first = seen[s], len;
		uint64_t cycles = 0;

		if (first == 0xff) {
			seen[s] = (uint8_t)i;
			continue;
		}
		/* The oldest round may be cut. */
		len = min_u64(i - first, n - i);
		if (!repeats(h, first, i - first, len))
			continue;
		for (size_t k = i; k < i + len; k++)
			cycles += h[k].b.cycles;
		memmove(h + i, h + i + len, (n - i - len) * sizeof(*h));
		n -= len;
		if (i < n) {
			h[i].iters++;
			h[i].iter_cycles = cycles;
		}
	}
	return n;
}

static uint64_t next_frame(const struct sample *s, uint64_t at)
{
	while (at < s->callchain.nr && u64s_get(&s->callchain, at) >= PERF_CONTEXT_MAX)
		at++;
	return at;
}

/*
 * How much of the chain the branches show already: the sampled address, and return addresses as
 * far as calls right before them (a call has 8 bytes at most) are among the branches.
 */
static uint64_t overlap(const struct sample *s, const struct hist_branch *h, size_t n)
{
	uint64_t at = next_frame(s, next_frame(s, 0) + 1), end = 0;

	for (size_t i = 0; i < n && at < s->callchain.nr; i++) {
		uint64_t ip = u64s_get(&s->callchain, at);

		if (h[i].b.from >= ip || h[i].b.from + 8 < ip)
			continue;
		end = at + 1;
		at = next_frame(s, end);
	}
	return end;
}

/*
 * --max-stack counts branches and frames of the chain apart, as upstream does. How many of @n are left; *@first: the
 * innermost of them. What is kept is the end where printing starts.
 */
static size_t at_most(const struct table *t, size_t n, size_t *first)
{
	uint32_t max = t->keys.o.max_stack;

	*first = 0;
	if (!max || n <= max)
		return n;
	if (t->keys.o.chain.caller)
		*first = n - max;
	return max;
}

static size_t load(const struct table *t, const struct sample *s, struct hist_branch *h)
{
	size_t first, n = s->branches.nr > MAX_BRANCHES ? 0 : (size_t)s->branches.nr;

	n = at_most(t, n, &first);
	memset(h, 0, MAX_BRANCHES * sizeof(*h));
	for (size_t i = 0; i < n; i++)
		sample_branch(&s->branches, first + i, &h[i].b);
	return n;
}

/* Innermost first. The number of frames. */
static size_t frames_of(struct table *t, const struct sample *s, struct hist_branch *h,
			struct step_at *f, size_t max)
{
	size_t n = load(t, s, h), nf = 0, left, first;
	uint64_t at = overlap(s, h, n);
	int64_t all = table_chain_frames(t, &s->callchain);
	size_t skipped = 0;

	n = remove_loops(h, n);
	for (size_t i = 0; i < n; i++) {
		f[nf++] = (struct step_at){ h[i].b.to, &h[i], PERF_RECORD_MISC_CPUMODE_UNKNOWN,
					    true };
		f[nf++] = (struct step_at){ h[i].b.from, &h[i], PERF_RECORD_MISC_CPUMODE_UNKNOWN,
					    false };
	}
	for (uint64_t i = 0; i < at; i++)
		skipped += u64s_get(&s->callchain, i) < PERF_CONTEXT_MAX;
	left = at_most(t, all > (int64_t)skipped ? (size_t)all - skipped : 0, &first);
	for (size_t i = skipped + first; left && nf < max; i++, left--)
		f[nf++] = (struct step_at){ t->feed->chain->ips[i], NULL, t->feed->chain->modes[i],
					    false };
	return nf;
}

/* --hide-unresolved: frames without a symbol are not there, and notes are by those that are left. */
static int drop_unresolved(struct table *t, struct thread *th, struct step_at *f, size_t *nf)
{
	size_t n = 0;

	for (size_t i = 0; i < *nf; i++) {
		uint32_t loc = resolver_find(t->keys.res, th, f[i].mode, f[i].ip);

		if (loc == LOC_NONE)
			return -ENOMEM;
		if (resolver_loc(t->keys.res, loc)->sym)
			f[n++] = f[i];
	}
	*nf = n;
	return 0;
}

struct branch_note *table_notes_of(struct table *t, uint32_t leaf, uint32_t nr)
{
	struct chains *c = &t->ch;
	static const struct note_list none;

	if (vec_reach(&c->notes, leaf, none))
		return NULL;
	if (!c->notes.v[leaf].v) {
		c->notes.v[leaf].v = calloc(nr ? nr : 1, sizeof(struct branch_note));
		c->notes.v[leaf].nr = nr;
	}
	return c->notes.v[leaf].nr == nr ? c->notes.v[leaf].v : NULL;
}

int table_history_add(struct table *t, const struct acc_in *sample, uint32_t group,
		      struct keys_row *row)
{
	const struct sample *s = sample->s;
	struct thread *th = sample->th;
	struct acc_in in = *sample;
	struct hist_branch h[MAX_BRANCHES];
	struct step_at f[2 * MAX_BRANCHES + UNWIND_MAX_STACK];
	size_t nf = frames_of(t, s, h, f, ARRAY_SIZE(f));
	struct node_at at = table_node_root(table_root(t, group));
	struct hist_frames frames;
	struct branch_note *notes;
	struct leaf *leaf;

	if (t->keys.o.filter.hide_unresolved && drop_unresolved(t, th, f, &nf))
		return -ENOMEM;
	frames = (struct hist_frames){ f, nf };
	in.history = &frames;
	if (!nf) {
		table_row_count(row, s->period, 1);
		return table_sums_add(&t->sums, row->idx, &in);
	}
	for (size_t i = nf; i-- > 0;) {
		uint32_t loc = resolver_find(t->keys.res, th, f[i].mode, f[i].ip), step;

		if (loc == LOC_NONE)
			return -ENOMEM;
		step = table_step_of(t, loc, f[i].ip, resolver_loc(t->keys.res, loc)->sym);
		if (step == ID_NONE || table_node_down(t, &at, step, th->idx))
			return -ENOMEM;
	}
	leaf = table_leaf(t, at.node, row);
	if (!leaf)
		return -ENOMEM;
	leaf->period += s->period;
	leaf->count++;
	notes = table_notes_of(t, (uint32_t)(leaf - t->ch.leafs.v), (uint32_t)nf);
	if (!notes)
		return -ENOMEM;
	for (size_t i = 0; i < nf; i++)
		keys_note_frame(&notes[nf - 1 - i], &f[i]);
	return table_sums_add_leaf(&t->sums, (uint32_t)(leaf - t->ch.leafs.v), row->idx, &in);
}
