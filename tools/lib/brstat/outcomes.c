// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What conditional branches did, in their order. Which branches a walk comes by is a list for each stretch of code,
 * made once. What each did is kept as bits as long as the stack is the same, and looked at when the next stack
 * comes by: most branches are in a stack once, or did the same all the time, which is told from all bits at once.
 */
#include "brstat-int.h"

static unsigned bucket(uint32_t run)
{
	return run <= 16 ? run - 1 : run <= 32 ? 16 : 17;
}

static void cut_run(struct outcomes *out, uint32_t times)
{
	if (out->run && out->whole)
		out->cut[out->last][bucket(out->run)] += times;
	out->run = 0;
}

static void replay(struct outcomes *out, bool taken, uint32_t times)
{
	out->after[out->last][taken] += times;
	if (out->last == taken) {
		out->run++;
		return;
	}
	if (out->whole)
		out->runs[out->last][bucket(out->run)] += times;
	out->whole = true;
	out->last = taken;
	out->run = 1;
}

/* Counts what is in the bits; @ends: so does the stack. */
static void settle(struct outcomes *out, struct fresh *f, bool ends)
{
	uint32_t n = f->n, times = f->times;

	f->n = 0;
	if (!out->run && ends) {
		uint64_t all = n < 64 ? BIT(n) - 1 : UINT64_MAX;

		if (f->taken == 0 || f->taken == all) {
			out->after[f->taken != 0][f->taken != 0] += (uint64_t)(n - 1) * times;
			return;
		}
	}
	if (!out->run) {
		n--;
		out->last = f->taken >> n & 1;
		out->run = 1;
		out->whole = false;
	}
	while (n--)
		replay(out, f->taken >> n & 1, times);
	if (ends)
		cut_run(out, times);
}

static inline void add(struct brstat *b, uint32_t site, bool taken)
{
	struct fresh *f = &b->fresh.v[site];

	if (f->stack != b->stack || unlikely(f->n == 64)) {
		bool ends = f->stack != b->stack;

		/* One outcome alone has none before it, and its run was not seen to begin. */
		if (unlikely(f->n > 1 || f->more))
			settle(&b->outcomes.v[site], f, ends);
		*f = (struct fresh){ .stack = b->stack, .times = b->times, .more = !ends };
	}
	f->taken = f->taken << 1 | taken;
	f->n++;
}

/*
 * A list: how many branches are passed, twice, and one more where the walk begins anew: then what branches did before is
 * not the time before. These branches, and the one that is taken.
 */
void brstat_add_outcomes(struct brstat *b, uint32_t list)
{
	const uint32_t *v = b->lists.v + list;
	uint32_t n = *v >> 1;

	b->stack += *v & 1;
	for (uint32_t i = 0; i < n; i++)
		add(b, v[1 + i], false);
	add(b, v[1 + n], true);
}

static int make_list(struct brstat *b, const struct code_stretch *t, uint32_t site, uint32_t *out)
{
	/* Whether others ran in between is not known where code was not read. */
	uint32_t nr = t ? t->nr : 0, anew = !t || t->state != CODE_READ;

	*out = (uint32_t)b->lists.n;
	if (b->lists.n + nr + 2 > LISTS_MAX || vec_reserve(&b->lists, b->lists.n + nr + 2))
		return -ENOMEM;
	b->lists.v[b->lists.n++] = nr << 1 | anew;
	for (uint32_t i = 0; i < nr; i++)
		b->lists.v[b->lists.n++] = b->inside.v[t->first + i];
	b->lists.v[b->lists.n++] = site;
	return 0;
}

int brstat_list_outcomes(struct brstat *b, uint32_t stretch, uint32_t site, uint32_t *out)
{
	const struct fresh none = { 0 };
	struct code_stretch *t = stretch == ID_NONE ? NULL : &b->stretches.v[stretch];
	uint32_t *list = t ? &t->list : &b->sites.v[site].list;

	/* Where there is a site there are those before it. */
	if (vec_reach(&b->fresh, b->sites.n - 1, none))
		return -ENOMEM;
	if (*list == ID_NONE && make_list(b, t, site, list))
		return -ENOMEM;
	*out = *list;
	return 0;
}

void brstat_settle_outcomes(struct brstat *b)
{
	for (uint32_t i = 0; i < b->fresh.n; i++) {
		struct fresh *f = &b->fresh.v[i];

		if (f->n > 1 || f->more)
			settle(&b->outcomes.v[i], f, true);
		*f = (struct fresh){ 0 };
	}
	b->stack++;
}
