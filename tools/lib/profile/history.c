// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branch history: the branches before a sample as frames of its chain, innermost first, each as
 * its target and its source; what the kernel's chain says begins behind them. A loop is shown
 * once, with how often it ran. What the branches say about themselves is summed per chain, and
 * per frame when a tree is made.
 */
#include <stdio.h>

#include "profile-int.h"

#define MAX_BRANCHES 127 /* more is no branch stack, as upstream */
#define LOOP_SLOTS   127

struct hist_branch {
	struct branch_entry b;
	uint32_t iters; /* loops that were left out behind this entry */
	uint64_t iter_cycles;
};

struct step_at {
	uint64_t ip;
	const struct hist_branch *branch;
	uint8_t mode;
	bool to;
};

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

static size_t load(const struct sample *s, struct hist_branch *h)
{
	size_t n = s->branches.nr > MAX_BRANCHES ? 0 : (size_t)s->branches.nr;

	memset(h, 0, MAX_BRANCHES * sizeof(*h));
	for (size_t i = 0; i < n; i++)
		sample_branch(&s->branches, i, &h[i].b);
	return n;
}

/* Innermost first. The number of frames. */
static size_t frames_of(struct profile *p, const struct sample *s, struct hist_branch *h,
			struct step_at *f, size_t max)
{
	size_t n = load(s, h), nf = 0;
	uint64_t at = overlap(s, h, n);
	int64_t all = prof_chain_frames(p, &s->callchain);
	uint64_t skipped = 0;

	n = remove_loops(h, n);
	for (size_t i = 0; i < n; i++) {
		f[nf++] = (struct step_at){ h[i].b.to, &h[i], PERF_RECORD_MISC_CPUMODE_UNKNOWN,
					    true };
		f[nf++] = (struct step_at){ h[i].b.from, &h[i], PERF_RECORD_MISC_CPUMODE_UNKNOWN,
					    false };
	}
	for (uint64_t i = 0; i < at; i++)
		skipped += u64s_get(&s->callchain, i) < PERF_CONTEXT_MAX;
	for (int64_t i = (int64_t)skipped; i < all && nf < max; i++)
		f[nf++] = (struct step_at){ p->feed->chain->ips[i], NULL, p->feed->chain->modes[i],
					    false };
	return nf;
}

static void note_type(struct branch_note *n, const struct branch_entry *b)
{
	if (b->type == BR_UNKNOWN || !b->from)
		return;
	if (b->type == BR_COND)
		n->types |= b->to > b->from ? NOTE_COND_FWD : NOTE_COND_BWD;
	else if (b->type == BR_EXTEND)
		n->new_types |= 1u << b->new_type;
	else
		n->types |= 1u << b->type;
	if (b->from >> 21 != b->to >> 21)
		n->types |= NOTE_CROSS_2M;
	else if (b->from >> 12 != b->to >> 12)
		n->types |= NOTE_CROSS_4K;
}

static void note(struct branch_note *n, const struct step_at *f)
{
	const struct hist_branch *h = f->branch;

	if (!h)
		return;
	n->branches++;
	n->to = f->to;
	if (f->to) {
		n->flagged += h->b.predicted || h->b.mispred;
		n->predicted += h->b.predicted;
		n->aborts += h->b.abort;
		note_type(n, &h->b);
		return;
	}
	n->cycles += h->b.cycles;
	n->iters += h->iters;
	n->iter_cycles += h->iter_cycles;
	n->froms++;
}

void prof_note_add(struct branch_note *sum, const struct branch_note *n)
{
	sum->branches += n->branches;
	sum->flagged += n->flagged;
	sum->predicted += n->predicted;
	sum->aborts += n->aborts;
	sum->froms += n->froms;
	sum->cycles += n->cycles;
	sum->iters += n->iters;
	sum->iter_cycles += n->iter_cycles;
	sum->types |= n->types;
	sum->new_types |= n->new_types;
	sum->to |= n->to;
}

/* The notes of leaf @leaf, one per frame, outermost first. */
static struct branch_note *notes_of(struct profile *p, uint32_t leaf, uint32_t nr)
{
	struct chains *c = &p->ch;
	static const struct note_list none;

	if (vec_reach(&c->notes, leaf, none))
		return NULL;
	if (!c->notes.v[leaf].v) {
		c->notes.v[leaf].v = calloc(nr ? nr : 1, sizeof(struct branch_note));
		c->notes.v[leaf].nr = nr;
	}
	return c->notes.v[leaf].nr == nr ? c->notes.v[leaf].v : NULL;
}

struct hist_frames {
	const struct step_at *f;
	size_t nr;
};

void prof_note_all(struct branch_note *sum, const struct hist_frames *h)
{
	for (size_t i = 0; i < h->nr; i++)
		note(sum, &h->f[i]);
}

int prof_history_add(struct profile *p, const struct acc_in *sample, uint32_t group,
		     struct profile_row *row)
{
	const struct sample *s = sample->s;
	struct thread *th = sample->th;
	struct acc_in in = *sample;
	struct hist_branch h[MAX_BRANCHES];
	struct step_at f[2 * MAX_BRANCHES + UNWIND_MAX_STACK];
	size_t nf = frames_of(p, s, h, f, ARRAY_SIZE(f));
	struct node_at at = prof_node_root(group);
	const struct hist_frames frames = { f, nf };
	struct branch_note *notes;
	struct leaf *leaf;

	in.history = &frames;
	if (!nf) {
		prof_row_count(row, s->period, 1);
		return prof_sums_add(&p->sums, row->idx, &in);
	}
	for (size_t i = nf; i-- > 0;) {
		uint32_t loc = resolver_find(p->res, th, f[i].mode, f[i].ip), step;

		if (loc == LOC_NONE)
			return -ENOMEM;
		step = prof_step_of(p, loc, f[i].ip, resolver_loc(p->res, loc)->sym);
		if (step == ID_NONE || prof_node_down(p, &at, step, th->idx))
			return -ENOMEM;
	}
	leaf = prof_leaf(p, at.node, row);
	if (!leaf)
		return -ENOMEM;
	leaf->period += s->period;
	leaf->count++;
	notes = notes_of(p, (uint32_t)(leaf - p->ch.leafs.v), (uint32_t)nf);
	if (!notes)
		return -ENOMEM;
	for (size_t i = 0; i < nf; i++)
		note(&notes[nf - 1 - i], &f[i]);
	return prof_sums_add_leaf(&p->sums, (uint32_t)(leaf - p->ch.leafs.v), row->idx, &in);
}

/* ---- as text --------------------------------------------------------------------------------- */

struct parts {
	struct obuf *o;
	bool open;
};

static void part(struct parts *p, const char *text)
{
	obuf_str(p->o, p->open ? " " : " (");
	obuf_str(p->o, text);
	p->open = true;
}

/* Rounds that were left out, for each time that the branch is shown: often fewer than one. */
static void part_iters(struct parts *p, const struct branch_note *n)
{
	char rounds[32], text[64];

	if (n->iters >= n->froms)
		snprintf(rounds, sizeof(rounds), "%u", (unsigned)(n->iters / n->froms));
	else if (n->iters * 20 >= n->froms)
		snprintf(rounds, sizeof(rounds), "%.1f", (double)n->iters / n->froms);
	else
		snprintf(rounds, sizeof(rounds), "<0.1");
	snprintf(text, sizeof(text), "iter:%s", rounds);
	part(p, text);
	if (!n->iter_cycles)
		return;
	snprintf(text, sizeof(text), "avg_cycles:%llu",
		 (unsigned long long)(n->iter_cycles / n->iters));
	part(p, text);
}

static void put_types(struct parts *p, const struct branch_note *n)
{
	if (n->types & NOTE_COND_FWD)
		part(p, "COND_FWD");
	if (n->types & NOTE_COND_BWD)
		part(p, "COND_BWD");
	for (unsigned i = BR_COND + 1; i < BR_EXTEND; i++)
		if (n->types & 1u << i)
			part(p, branch_type_name(i, 0));
	for (unsigned i = 0; i < 16; i++)
		if (n->new_types & 1u << i)
			part(p, branch_type_name(BR_EXTEND, i));
	if (n->types & NOTE_CROSS_4K)
		part(p, "CROSS_4K");
	if (n->types & NOTE_CROSS_2M)
		part(p, "CROSS_2M");
}

void branch_note_print(const struct branch_note *n, struct obuf *o)
{
	struct parts p = { .o = o };
	char text[64];

	if (n->unknown)
		return;
	if (!n->branches) {
		obuf_lit(o, " (calltrace)");
		return;
	}
	if (n->to) {
		put_types(&p, n);
		if (n->flagged && n->predicted < n->branches) {
			snprintf(text, sizeof(text), "predicted:%.1f%%",
				 (double)n->predicted * 100.0 / n->branches);
			part(&p, text);
		}
		if (n->aborts) {
			snprintf(text, sizeof(text), "abort:%.1f%%",
				 (double)n->aborts * 100.0 / n->branches);
			part(&p, text);
		}
	} else {
		if (n->cycles / n->branches) {
			snprintf(text, sizeof(text), "cycles:%llu",
				 (unsigned long long)(n->cycles / n->branches));
			part(&p, text);
		}
		if (n->iters && n->froms)
			part_iters(&p, n);
	}
	if (p.open)
		obuf_char(o, ')');
}
