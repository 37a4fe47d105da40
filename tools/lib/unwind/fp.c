// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chains as the kernel walked them: addresses, innermost first, with markers that say in which
 * mode the following ones ran (abi.md 6.6).
 */
#include "unwind-int.h"

int chain_marker(uint64_t ip)
{
	if (ip < PERF_CONTEXT_MAX)
		return -1;
	switch (ip) {
	case PERF_CONTEXT_HV: return PERF_RECORD_MISC_HYPERVISOR;
	case PERF_CONTEXT_KERNEL: return PERF_RECORD_MISC_KERNEL;
	case PERF_CONTEXT_USER:
	case PERF_CONTEXT_USER_DEFERRED: return PERF_RECORD_MISC_USER;
	case PERF_CONTEXT_GUEST:
	case PERF_CONTEXT_GUEST_KERNEL: return PERF_RECORD_MISC_GUEST_KERNEL;
	case PERF_CONTEXT_GUEST_USER: return PERF_RECORD_MISC_GUEST_USER;
	default: return -2;
	}
}

static bool chain_add(struct unwind *u, uint8_t cpumode, uint64_t ip)
{
	struct resolver_ip one = { ip, cpumode };

	if (likely(!vec_push(&u->chain, one)))
		return true;
	u->oom = true;
	return false;
}

static bool deferred_part(struct unwind *u, uint32_t left)
{
	for (uint64_t i = 0; i < u->deferred.nr && left; i++) {
		uint64_t ip = u64s_get(&u->deferred, i);

		if (chain_marker(ip) != -1)
			continue;
		left--;
		if (!chain_add(u, PERF_RECORD_MISC_USER, ip))
			return false;
	}
	return true;
}

/* The chain's addresses with their modes into u->chain; false when it holds nonsense. */
static bool collect(struct unwind *u, const struct sample *s)
{
	uint8_t cpumode = PERF_RECORD_MISC_CPUMODE_UNKNOWN;
	uint64_t nr = s->callchain.nr;
	uint32_t left = u->opts.max_stack;

	u->chain.n = 0;
	for (uint64_t i = 0; i < nr && left; i++) {
		uint64_t ip = u64s_get(&s->callchain, i);
		int mode = chain_marker(ip);

		if (mode == -2)
			return false;
		if (mode >= 0) {
			/* A cookie follows: the frames come in a record of their own. */
			if (ip == PERF_CONTEXT_USER_DEFERRED)
				return deferred_part(u, left);
			cpumode = (uint8_t)mode;
			continue;
		}
		left--;
		if (!chain_add(u, cpumode, ip))
			return false;
	}
	return true;
}

bool fp_chain(struct unwind *u, struct thread *th, const struct sample *s)
{
	if (!collect(u, s))
		return false;
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
