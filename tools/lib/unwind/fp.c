// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chains as the kernel walked them: addresses, innermost first, with markers that say in which
 * mode the following ones ran (perf.data(5), CALL CHAINS).
 */
#include "unwind-int.h"

/* Room for @n more in u->chain. */
static bool chain_room(struct unwind *u, uint64_t n)
{
	if (likely(!vec_reserve(&u->chain, u->chain.n + n)))
		return true;
	u->oom = true;
	return false;
}

/* The chain's addresses with their modes into u->chain; false when it holds nonsense. */
static bool collect(struct unwind *u, const struct sample *s)
{
	struct sample_frames it = sample_frames(&s->callchain);
	uint32_t left = u->opts.max_stack;
	struct resolver_ip *v;
	uint64_t ip;
	int ret = 0;

	u->chain.n = 0;
	if (!chain_room(u, min_u64(s->callchain.nr, left)))
		return false;
	v = u->chain.v;
	for (; left && (ret = sample_frames_next(&it, &ip)) > 0; left--)
		*v++ = (struct resolver_ip){ ip, it.mode };
	u->chain.n = (size_t)(v - u->chain.v);
	return ret >= 0;
}

/* The frames of u->chain as they are. */
static bool add_bare(struct unwind *u)
{
	if (vec_reserve(&u->frames, u->frames.n + u->chain.n)) {
		u->oom = true;
		return false;
	}
	vec_for_each (c, &u->chain)
		u->frames.v[u->frames.n++] = (struct frame){ .ip = c->ip, .cpumode = c->cpumode };
	return true;
}

static void count_walk(struct unwind *u, struct thread *th)
{
	const struct resolver_ip *v = u->chain.v;
	size_t n = u->chain.n, nr = 0;
	uint64_t inner, outer;
	struct map_hit hit;

	while (nr < n && v[n - 1 - nr].cpumode == PERF_RECORD_MISC_USER)
		nr++;
	if (!nr || n >= u->opts.max_stack)
		return;
	inner = v[n - nr].ip;
	outer = v[n - 1].ip;
	/* Where they are one, where it lies does not matter yet. */
	unwind_count_walk(u, th, inner, outer,
			  inner != outer &&
				  machine_find_map(u->m, th, PERF_RECORD_MISC_USER, outer, &hit));
}

bool fp_chain(struct unwind *u, struct thread *th, const struct sample *s)
{
	if (!collect(u, s))
		return false;
	if (s->event && unwind_is_walked(&s->event->attr))
		count_walk(u, th);
	if (u->opts.ips_only)
		return add_bare(u);
	if (vec_reserve(&u->chain_loc, u->chain.n)) {
		u->oom = true;
		return false;
	}
	resolver_find_many(u->res, th, u->chain.v, u->chain_loc.v, u->chain.n);
	for (size_t i = 0; i < u->chain.n; i++)
		if (frame_add_loc(u, u->chain.v[i].cpumode, u->chain.v[i].ip, u->chain_loc.v[i]))
			return false;
	return true;
}
