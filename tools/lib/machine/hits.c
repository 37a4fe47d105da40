// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which objects samples and their call chains fell into. Most addresses lie in pages that were
 * looked up a moment ago: those are told by a hash of all that the answer depends on.
 */
#include <stdlib.h>

#include "machine/machine-int.h"

#define SEEN 4096 /* pages that were looked up lately; a power of two */

struct machine_hits {
	struct machine *m;
	struct bits dsos; /* by dso->idx */
	machine_hit_fn first;
	void *ctx;
	uint64_t seen[SEEN]; /* hashes of (page, space, generation, mode) */
};

int machine_hits_new(struct machine_hits **h, struct machine *m, machine_hit_fn first, void *ctx)
{
	*h = calloc(1, sizeof(**h));
	if (!*h)
		return -ENOMEM;
	(*h)->m = m;
	(*h)->first = first;
	(*h)->ctx = ctx;
	return 0;
}

void machine_hits_free(struct machine_hits *h)
{
	if (h)
		bits_free(&h->dsos);
	free(h);
}

bool machine_hits_have(const struct machine_hits *h, const struct dso *dso)
{
	return bits_test(&h->dsos, dso->idx);
}

static int reach(struct bits *b, size_t i)
{
	struct bits more;

	if (i < b->nr)
		return 0;
	if (bits_init(&more, i * 2 + 64))
		return -ENOMEM;
	for (size_t k = 0; k < b->nr; k++)
		if (bits_test(b, k))
			bits_set(&more, k);
	bits_free(b);
	*b = more;
	return 0;
}

int machine_hits_dso(struct machine_hits *h, struct dso *dso)
{
	if (machine_hits_have(h, dso))
		return 0;
	if (reach(&h->dsos, dso->idx))
		return -ENOMEM;
	bits_set(&h->dsos, dso->idx);
	return h->first ? h->first(h->ctx, dso) : 0;
}

static int hit_address(struct machine_hits *h, struct thread *th, uint32_t generation, uint8_t mode,
		       uint64_t ip)
{
	uint64_t hash =
		hash_mix(hash_mix(hash_u64(ip >> 12), th->space), (uint64_t)generation << 8 | mode);
	uint64_t *seen = &h->seen[hash & (SEEN - 1)];
	struct map_hit hit;

	if (*seen == hash)
		return 0;
	*seen = hash;
	return machine_find_map(h->m, th, mode, ip, &hit) ? machine_hits_dso(h, hit.map->dso) : 0;
}

static uint8_t context_mode(uint64_t marker, uint8_t mode)
{
	switch (marker) {
	case PERF_CONTEXT_HV: return PERF_RECORD_MISC_HYPERVISOR;
	case PERF_CONTEXT_KERNEL: return PERF_RECORD_MISC_KERNEL;
	case PERF_CONTEXT_USER:
	case PERF_CONTEXT_USER_DEFERRED: return PERF_RECORD_MISC_USER;
	case PERF_CONTEXT_GUEST_KERNEL: return PERF_RECORD_MISC_GUEST_KERNEL;
	case PERF_CONTEXT_GUEST_USER: return PERF_RECORD_MISC_GUEST_USER;
	default: return mode;
	}
}

int machine_hits_sample(struct machine_hits *h, const struct record *rec, struct err *e)
{
	struct thread *th;
	struct sample s;
	uint32_t generation;
	uint8_t mode;
	int ret;

	if (!rec->event)
		return 0;
	ret = sample_parse_some(rec, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN, &s,
				e);
	if (ret)
		return ret;
	th = machine_thread(h->m, (int32_t)s.pid, (int32_t)s.tid);
	if (!th)
		return err_set(e, -ENOMEM, "out of memory for threads");
	generation = machine_generation(h->m, th->space);
	mode = s.cpumode;
	ret = hit_address(h, th, generation, mode, s.ip);
	for (uint64_t i = 0; !ret && i < s.callchain.nr; i++) {
		uint64_t ip = u64s_get(&s.callchain, i);

		if (ip >= PERF_CONTEXT_MAX)
			mode = context_mode(ip, mode);
		else
			ret = hit_address(h, th, generation, mode, ip);
	}
	return ret == -ENOMEM ? err_set(e, ret, "out of memory for the objects that were hit")
			      : ret;
}
