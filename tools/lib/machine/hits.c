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

int machine_hits_sample(struct machine_hits *h, const struct sample *s, struct thread *th,
			struct err *e)
{
	struct sample_frames it = sample_frames(&s->callchain);
	uint32_t generation = machine_generation(h->m, th->space);
	int ret = hit_address(h, th, generation, s->cpumode, s->ip);
	uint64_t ip;

	while (!ret && sample_frames_next(&it, &ip) > 0)
		ret = hit_address(h, th, generation, it.mode, ip);
	return ret == -ENOMEM ? err_set(e, ret, "out of memory for the objects that were hit")
			      : ret;
}

int machine_hits_merge(struct machine_hits *h, const struct machine_hits *from,
		       struct dso *const *objects)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < from->dsos.nr; i++)
		if (bits_test(&from->dsos, i))
			ret = machine_hits_dso(h, objects ? objects[i] : machine_dso(h->m, i));
	return ret;
}
