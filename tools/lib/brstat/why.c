// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branches with what is known of their outcomes. Taken is counted by steps that followed a known branch,
 * not taken by stretches that hold the branch: both are of the same walks, so that one divided by the other means
 * something. How often a branch left its place in all, and was mispredicted, is counted by all entries.
 *
 * What the branch before tells is counted by context: the edge that led here, or the conditional branch
 * passed on the way. A guess by context has wrong what is not the most frequent outcome there; that is
 * a bound for a predictor with that much memory, not a claim about any CPU.
 */
#include <math.h>
#include <stdlib.h>

#include "base/numbered.h"
#include "branch/branch.h"
#include "brstat-int.h"

/* How often a branch had an outcome in a context. */
struct context {
	uint64_t nr;
	uint32_t site, ctx, outcome; /* outcome: 0, 1, or TARGET + an edge */
	bool passed;		     /* ctx: a branch that was not taken, and no edge */
};

#define TARGET 2

struct why {
	struct brstat *b;
	struct tuples keys; /* site and outcome, context */
	VEC(struct context) contexts;
	VEC(uint32_t) branch; /* by site: its number; ID_NONE = none */
	struct refill {
		double cycles;
		uint64_t nr;
	} * refill; /* by site */
	struct {
		uint64_t nr, cycles;
	} * usual; /* by stretch: where it was come to by what was predicted */
};

/* ---- branches ---------------------------------------------------------------------------------- */

enum insn_branch brstat_kind_of_type(unsigned type)
{
	switch (type) {
	case BR_COND: return INSN_COND;
	case BR_UNCOND: return INSN_JUMP;
	case BR_IND: return INSN_IND_JUMP;
	case BR_CALL:
	case BR_COND_CALL: return INSN_CALL;
	case BR_IND_CALL: return INSN_IND_CALL;
	case BR_RET:
	case BR_COND_RET: return INSN_RET;
	case BR_SYSCALL: return INSN_SYSCALL;
	case BR_SYSRET:
	case BR_ERET: return INSN_SYSRET;
	default: return INSN_NO_BRANCH;
	}
}

static struct brstat_branch *branch_of(struct why *w, uint32_t site)
{
	const struct site *s = &w->b->sites.v[site];
	struct brstat_branch new = { .dso = s->dso, .addr = s->addr, .refill = -1 };

	if (vec_reach(&w->branch, site, ID_NONE))
		return NULL;
	if (w->branch.v[site] == ID_NONE) {
		w->branch.v[site] = (uint32_t)w->b->branches.n;
		if (vec_push(&w->b->branches, new))
			return NULL;
	}
	return &w->b->branches.v[w->branch.v[site]];
}

static int count_taken(struct why *w)
{
	struct brstat *b = w->b;

	vec_for_each (info, &b->info) {
		struct brstat_branch *br = branch_of(w, info->site);

		if (!br)
			return -ENOMEM;
		br->left += info->nr;
		br->mispred += info->mispred;
		br->flagged += info->flagged;
		if (info->type && br->kind == INSN_NO_BRANCH)
			br->kind = brstat_kind_of_type(info->type);
	}
	vec_for_each (st, &b->steps) {
		uint32_t site = b->info.v[st->edge].site;

		if (st->stretch != ID_NONE && site < w->branch.n)
			b->branches.v[w->branch.v[site]].taken += st->nr;
	}
	for (uint32_t i = 0; i < b->sites.n; i++) {
		struct brstat_branch *br;

		if (i >= w->branch.n || w->branch.v[i] == ID_NONE)
			continue;
		brstat_read_site(b, &b->sites.v[i]);
		br = &b->branches.v[w->branch.v[i]];
		br->known = b->sites.v[i].known;
		if (br->known)
			br->kind = (enum insn_branch)b->sites.v[i].kind;
		for (unsigned k = 0; k < 4; k++)
			br->after[k / 2][k % 2] = b->outcomes.v[i].after[k / 2][k % 2];
		for (unsigned k = 0; k < 2 * BRSTAT_RUNS; k++) {
			unsigned a = k / BRSTAT_RUNS, z = k % BRSTAT_RUNS;

			br->runs[a][z] = b->outcomes.v[i].runs[a][z];
			br->cut[a][z] = b->outcomes.v[i].cut[a][z];
		}
	}
	return 0;
}

/* ---- branches that were passed ----------------------------------------------------------------- */

/* A branch by its address, in its object. */
struct by_addr {
	uint64_t addr;
	int64_t passed; /* how many more stretches hold it than the one before */
	uint32_t dso, branch;
};

static int cmp_addr(const void *x, const void *y)
{
	const struct by_addr *a = x, *b = y;

	if (a->dso != b->dso)
		return a->dso < b->dso ? -1 : 1;
	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

/* The first that does not lie before an address. */
static size_t find_addr(const struct by_addr *v, size_t n, uint32_t dso, uint64_t addr)
{
	const struct by_addr key = { .addr = addr, .dso = dso };
	size_t lo = 0;

	while (n) {
		size_t half = n / 2;

		if (cmp_addr(&v[lo + half], &key) < 0) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo;
}

/* Of code that was not read: all branches that were taken some time are passed where they lie inside. */
static void pass_unread(struct brstat *b, struct by_addr *v, size_t n, const uint64_t *nr)
{
	int64_t passed = 0;

	for (uint32_t i = 0; i < b->stretches.n; i++) {
		const uint64_t *k = keys_tuple_get(&b->stretch_keys, i);
		const struct loc *start = resolver_loc(b->res, (uint32_t)k[0]);
		const struct loc *end = resolver_loc(b->res, (uint32_t)k[1]);
		size_t from, to;

		if (b->stretches.v[i].state == CODE_READ || !end->dso)
			continue;
		from = find_addr(v, n, end->dso->idx, start->addr);
		to = find_addr(v, n, end->dso->idx, end->addr);
		v[from].passed += (int64_t)nr[i];
		v[to].passed -= (int64_t)nr[i];
	}
	for (size_t i = 0; i < n; i++) {
		passed += v[i].passed;
		b->branches.v[v[i].branch].not_taken += (uint64_t)passed;
	}
}

static int count_passed(struct why *w, const uint64_t *nr)
{
	struct brstat *b = w->b;
	struct by_addr *v = calloc(b->branches.n + 1, sizeof(*v));
	size_t n = 0;

	if (!v)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->branches.n; i++)
		if (b->branches.v[i].dso)
			v[n++] = (struct by_addr){ .addr = b->branches.v[i].addr,
						   .dso = b->branches.v[i].dso->idx,
						   .branch = i };
	if (n)
		qsort(v, n, sizeof(*v), cmp_addr);
	pass_unread(b, v, n, nr);
	free(v);
	for (uint32_t i = 0; i < b->stretches.n; i++) {
		const struct code_stretch *t = &b->stretches.v[i];

		for (uint32_t k = 0; k < t->nr; k++) {
			uint32_t site = b->inside.v[t->first + k];

			if (site < w->branch.n && w->branch.v[site] != ID_NONE)
				b->branches.v[w->branch.v[site]].not_taken += nr[i];
		}
	}
	return 0;
}

/* ---- contexts ---------------------------------------------------------------------------------- */

static int add_context(struct why *w, const struct context *c)
{
	const uint64_t key[2] = { (uint64_t)c->site << 32 | c->outcome,
				  (uint64_t)c->passed << 32 | c->ctx };
	uint32_t id = keys_tuple_id(&w->keys, key);
	struct context new = *c;

	new.nr = 0;
	if (id == ID_NONE || (id == w->contexts.n && vec_push(&w->contexts, new)))
		return -ENOMEM;
	w->contexts.v[id].nr += c->nr;
	return 0;
}

static int add_contexts(struct why *w)
{
	struct brstat *b = w->b;

	for (uint32_t i = 0; i < b->steps.n; i++) {
		const struct walk_step *st = &b->steps.v[i];
		struct context c = { .nr = st->nr };
		const struct code_stretch *t;

		if (st->stretch == ID_NONE || b->stretches.v[st->stretch].state != CODE_READ)
			continue;
		t = &b->stretches.v[st->stretch];
		c.ctx = st->before;
		for (uint32_t k = 0; k < t->nr; k++) {
			c.site = b->inside.v[t->first + k];
			if (c.site < w->branch.n && w->branch.v[c.site] != ID_NONE &&
			    add_context(w, &c))
				return -ENOMEM;
			c.ctx = c.site;
			c.passed = true;
		}
		c.site = b->info.v[st->edge].site;
		c.outcome = b->sites.v[c.site].kind == INSN_COND ? 1 : TARGET + st->edge;
		if (add_context(w, &c))
			return -ENOMEM;
	}
	return 0;
}

static int by_context(const void *x, const void *y)
{
	const struct context *a = x, *b = y;

	if (a->site != b->site)
		return a->site < b->site ? -1 : 1;
	if (a->passed != b->passed)
		return a->passed ? 1 : -1;
	if (a->ctx != b->ctx)
		return a->ctx < b->ctx ? -1 : 1;
	return a->outcome < b->outcome ? -1 : a->outcome > b->outcome;
}

/* Bits that @n outcomes have, of which this one came @nr times; times @n. */
static double bits_of(uint64_t nr, uint64_t n)
{
	return nr ? (double)nr * log2((double)n / (double)nr) : 0;
}

static void weigh_contexts(struct why *w)
{
	struct context *c = w->contexts.v;
	size_t len;

	if (w->contexts.n)
		qsort(c, w->contexts.n, sizeof(*c), by_context);
	for (size_t i = 0; i < w->contexts.n; i += len) {
		struct brstat_branch *br = &w->b->branches.v[w->branch.v[c[i].site]];
		uint64_t n = 0, most = 0;

		for (len = 0; i + len < w->contexts.n && c[i + len].site == c[i].site &&
			      c[i + len].ctx == c[i].ctx && c[i + len].passed == c[i].passed;
		     len++) {
			n += c[i + len].nr;
			most = max_u64(most, c[i + len].nr);
		}
		br->nr_before += n;
		br->wrong_before += n - most;
		for (size_t k = i; k < i + len; k++)
			br->entropy_before += bits_of(c[k].nr, n);
	}
}

/* ---- targets ----------------------------------------------------------------------------------- */

/* By branch and, in each, those that came most often first: equal ones in the order of edges, as they are. NULL: no memory. */
static struct numbered *sort_edges(const struct why *w, struct numbered *v, size_t n)
{
	const struct edge_info *info = w->b->info.v;
	struct numbered *by_nr = numbered_sort(v, v + n, n);

	for (size_t i = 0; by_nr && i < n; i++)
		by_nr[i].number = w->branch.v[info[by_nr[i].id].site];
	return by_nr ? numbered_sort(by_nr, by_nr == v ? v + n : v, n) : NULL;
}

static int list_targets(struct why *w)
{
	struct brstat *b = w->b;
	struct numbered *v = calloc(2 * (b->info.n + 1), sizeof(*v)), *sorted = NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; v && i < b->info.n; i++) {
		const struct edge_info *info = &b->info.v[i];

		if (info->nr && info->site < w->branch.n)
			v[n++] = (struct numbered){ ~info->nr, i };
	}
	if (v && !vec_reserve(&b->targets, n + 1))
		sorted = sort_edges(w, v, n);
	for (uint32_t i = 0; sorted && i < n; i++) {
		const struct edge_info *info = &b->info.v[sorted[i].id];
		const struct loc *to = resolver_loc(b->res, info->to);
		struct brstat_branch *br = &b->branches.v[sorted[i].number];

		if (!br->nr++)
			br->first = i;
		b->targets.v[b->targets.n++] =
			(struct brstat_target){ to->dso,  to->sym,	 to->addr,
						info->nr, info->mispred, info->flagged };
	}
	free(v);
	return sorted ? 0 : -ENOMEM;
}

/* ---- numbers out of these ---------------------------------------------------------------------- */

/* What the most frequent outcome has wrong. */
static uint64_t wrong_static(const struct brstat *b, const struct brstat_branch *br)
{
	uint64_t most = 0;

	if (br->kind == INSN_COND)
		return min_u64(br->taken, br->not_taken);
	if (!brstat_is_indirect(br))
		return 0;
	for (uint32_t i = 0; i < br->nr; i++)
		most = max_u64(most, b->targets.v[br->first + i].nr);
	return br->left - most;
}

uint64_t brstat_wrong_own(const struct brstat_branch *br)
{
	return min_u64(br->after[0][0], br->after[0][1]) +
	       min_u64(br->after[1][0], br->after[1][1]);
}

double brstat_mean_run(const struct brstat_branch *br, bool taken)
{
	const uint64_t *whole = br->runs[taken], *cut = br->cut[taken];
	double left = 1, mean = 0, len = 0;
	uint64_t reach = 0;

	for (unsigned i = 0; i < BRSTAT_RUNS; i++)
		reach += whole[i] + cut[i];
	if (!reach)
		return -1;
	/* reach: runs that got to this length; those cut there may have gone on. */
	for (unsigned i = 0; i < BRSTAT_RUNS && reach; i++) {
		double here = i < 16 ? i + 1 : i == 16 ? 24 : 33;
		uint64_t known = reach - cut[i];

		mean += left * (here - len);
		len = here;
		if (known)
			left *= 1 - (double)whole[i] / (double)known;
		reach = known - whole[i];
	}
	return mean;
}

enum brstat_pattern brstat_pattern(const struct brstat_branch *br)
{
	uint64_t n = br->kind == INSN_COND ? br->taken + br->not_taken : br->left;
	uint64_t own = br->after[0][0] + br->after[0][1] + br->after[1][0] + br->after[1][1];
	uint64_t changes = br->after[0][1] + br->after[1][0];
	double wrong = n ? (double)br->wrong / (double)n : 0;

	if (br->entropy < 0 || !n)
		return BRSTAT_NOT_KNOWN;
	if (!br->wrong)
		return BRSTAT_ONE_WAY;
	if (wrong <= 0.05)
		return BRSTAT_BIASED;
	if (br->kind == INSN_COND && br->known && !br->forward && br->taken > br->not_taken &&
	    br->after[0][0] <= br->after[0][1])
		return BRSTAT_LOOP;
	if (own && changes >= own - own / 10)
		return BRSTAT_ALTERNATES;
	if (own && (double)brstat_wrong_own(br) <= wrong / 2 * (double)own)
		return BRSTAT_OWN;
	if (br->nr_before && (double)br->wrong_before <= wrong / 2 * (double)br->nr_before)
		return BRSTAT_BEFORE;
	return wrong <= 0.2 ? BRSTAT_MIXED : BRSTAT_RANDOM;
}

/*
 * A conditional move is always right, so all mispredictions go; it is said of branches that are hard to guess and
 * skip little. A hint to take it has wrong what is not taken, and right all that is; how many of those not
 * taken are mispredicted now no branch stack says, so that none counts as if it were. Code that follows
 * a branch is reached without taking it: what was taken is not then, and the other way round.
 */
struct brstat_help brstat_help(const struct brstat *b, const struct brstat_branch *br)
{
	struct brstat_help h = { 0 };
	uint64_t n = br->taken + br->not_taken;

	if (brstat_is_indirect(br)) {
		const struct brstat_target *top = &b->targets.v[br->first];

		if (br->nr > 1 && top->nr * 2 >= br->left)
			h.test = top->nr;
		return h;
	}
	if (br->kind != INSN_COND || !br->known || !n)
		return h;
	if (br->skips && br->wrong > n / 10)
		h.cmov = br->mispred;
	if (br->taken > br->not_taken && br->mispred > br->not_taken)
		h.hint = br->mispred - br->not_taken;
	if (br->forward && br->taken > br->not_taken)
		h.layout = br->taken - br->not_taken;
	return h;
}

static void weigh(struct why *w, struct brstat_branch *br, const struct site *site)
{
	uint64_t n = br->taken + br->not_taken, before[2], own;
	struct brstat *b = w->b;

	br->entropy_before = br->nr_before ? br->entropy_before / (double)br->nr_before : -1;
	br->entropy = br->entropy_own = -1;
	if (br->kind == INSN_COND && n) {
		br->entropy = (bits_of(br->taken, n) + bits_of(br->not_taken, n)) / (double)n;
		before[0] = br->after[0][0] + br->after[0][1];
		before[1] = br->after[1][0] + br->after[1][1];
		own = before[0] + before[1];
		if (own)
			br->entropy_own = (bits_of(br->after[0][0], before[0]) +
					   bits_of(br->after[0][1], before[0]) +
					   bits_of(br->after[1][0], before[1]) +
					   bits_of(br->after[1][1], before[1])) /
					  (double)own;
	} else if (brstat_is_indirect(br) && br->left) {
		br->entropy = 0;
		for (uint32_t i = 0; i < br->nr; i++)
			br->entropy += bits_of(b->targets.v[br->first + i].nr, br->left) /
				       (double)br->left;
	} else {
		br->entropy_before = -1;
	}
	br->wrong = wrong_static(b, br);
	br->sym = br->dso ? symbol_find(b->res, br->dso, br->addr) : NULL;
	br->forward = br->kind == INSN_COND && site->target > site->addr;
	br->skips = brstat_skipped(b, site);
}

/*
 * The block behind a branch that was mispredicted, against the same block where it was come to by what was
 * predicted: what it took more is the refill, as far as nothing else differs.
 */
static void weigh_refills(struct why *w)
{
	struct brstat *b = w->b;

	for (uint32_t i = 0; i < b->steps.n; i++) {
		const struct walk_step *st = &b->steps.v[i];

		if (st->stretch == ID_NONE)
			continue;
		w->usual[st->stretch].nr += st->nr_cycles - st->nr_missed;
		w->usual[st->stretch].cycles += st->cycles - st->cyc_missed;
	}
	for (uint32_t i = 0; i < b->steps.n; i++) {
		const struct walk_step *st = &b->steps.v[i];
		double usual;
		uint32_t site;

		if (st->stretch == ID_NONE || !st->nr_missed || !w->usual[st->stretch].nr)
			continue;
		usual = (double)w->usual[st->stretch].cycles / (double)w->usual[st->stretch].nr;
		usual = (double)st->cyc_missed - usual * (double)st->nr_missed;
		b->sum.refills += st->nr_missed;
		b->sum.refill_cycles += usual;
		site = b->info.v[st->before].site;
		w->refill[site].nr += st->nr_missed;
		w->refill[site].cycles += usual;
	}
	for (uint32_t i = 0; i < w->branch.n; i++)
		if (w->branch.v[i] != ID_NONE && w->refill[i].nr && w->refill[i].cycles >= 0)
			b->branches.v[w->branch.v[i]].refill =
				w->refill[i].cycles / (double)w->refill[i].nr;
}

/* ---- all of it --------------------------------------------------------------------------------- */

/* Those with most mispredictions first, then those that are hardest to guess. */
static int by_mispred(const void *x, const void *y)
{
	const struct brstat_branch *a = x, *b = y;

	if (a->mispred != b->mispred)
		return a->mispred < b->mispred ? 1 : -1;
	if (a->wrong != b->wrong)
		return a->wrong < b->wrong ? 1 : -1;
	if (a->left != b->left)
		return a->left < b->left ? 1 : -1;
	if (a->dso != b->dso)
		return !a->dso || (b->dso && a->dso->idx < b->dso->idx) ? -1 : 1;
	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static int fill(struct why *w, uint64_t *nr)
{
	struct brstat *b = w->b;
	int ret = count_taken(w);

	ret = ret ?: count_passed(w, nr);
	ret = ret ?: add_contexts(w);
	ret = ret ?: list_targets(w);
	if (ret)
		return ret;
	weigh_contexts(w);
	weigh_refills(w);
	for (uint32_t i = 0; i < w->branch.n; i++)
		if (w->branch.v[i] != ID_NONE)
			weigh(w, &b->branches.v[w->branch.v[i]], &b->sites.v[i]);
	return 0;
}

static void keep_listed(struct brstat *b)
{
	size_t n = 0;

	vec_for_each (br, &b->branches) {
		const struct loc at = { .dso = br->dso, .sym = br->sym, .addr = br->addr };

		if (brstat_is_listed(b, &at))
			b->branches.v[n++] = *br;
	}
	b->branches.n = n;
}

static uint64_t *count_stretches(const struct brstat *b)
{
	uint64_t *nr = calloc(b->stretches.n + 1, sizeof(*nr));

	for (uint32_t i = 0; nr && i < b->steps.n; i++)
		if (b->steps.v[i].stretch != ID_NONE)
			nr[b->steps.v[i].stretch] += b->steps.v[i].nr;
	return nr;
}

int brstat_list_branches(struct brstat *b)
{
	struct why w = { .b = b, .keys = { .width = 2 } };
	uint64_t *nr = count_stretches(b);
	int ret;

	w.refill = calloc(b->sites.n + 1, sizeof(*w.refill));
	w.usual = calloc(b->stretches.n + 1, sizeof(*w.usual));
	ret = nr && w.refill && w.usual ? fill(&w, nr) : -ENOMEM;
	if (!ret)
		keep_listed(b);
	if (!ret && b->branches.n)
		qsort(b->branches.v, b->branches.n, sizeof(*b->branches.v), by_mispred);
	free(nr);
	free(w.refill);
	free(w.usual);
	vec_free(&w.branch);
	vec_free(&w.contexts);
	keys_tuples_free(&w.keys);
	return ret;
}
