// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Latency: a sample's period, divided by the number of threads that ran when it was taken. What
 * runs alone weighs most, as it is that which others wait for.
 */
#include "emit/emit.h"
#include "profile-int.h"

/* Of a period of 1: the fraction of a sum is worked out in these. */
#define LATENCY_UNIT 1000

void profile_set_parallelism(struct profile *p, uint32_t n)
{
	p->parallelism = n ? n : 1;
	p->parallel |= n > 1;
}

uint64_t prof_latency(const struct profile *p, uint64_t period)
{
	if (!p->count_latency)
		return 0;
	if (likely(period <= UINT64_MAX / LATENCY_UNIT))
		return period * LATENCY_UNIT / p->parallelism;
	return (uint64_t)((unsigned __int128)period * LATENCY_UNIT / p->parallelism);
}

int prof_latency_row(struct profile *p, uint32_t row, uint64_t own, uint64_t acc)
{
	static const struct row_latency none;

	if (!p->count_latency)
		return 0;
	if (vec_reach(&p->latency, row, none))
		return -ENOMEM;
	p->latency.v[row].own += own;
	p->latency.v[row].acc += acc;
	return 0;
}

int prof_latency_leaf(struct profile *p, uint32_t leaf, uint64_t latency)
{
	if (!p->count_latency)
		return 0;
	if (vec_reach(&p->leaf_latency, leaf, 0))
		return -ENOMEM;
	p->leaf_latency.v[leaf] += latency;
	return 0;
}

/* As sum_nodes(): children have higher numbers than their parents. */
int prof_latency_sum(struct profile *p)
{
	const struct chains *c = &p->ch;

	if (!p->count_latency)
		return 0;
	p->node_latency = calloc(c->nodes.n + 1, sizeof(*p->node_latency));
	if (!p->node_latency)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->leafs.n; i++) {
		const struct leaf *l = &c->leafs.v[i];
		uint64_t v = prof_leaf_latency(p, i);

		p->node_latency[l->node] += v;
		if (prof_latency_row(p, l->row, v, v))
			return -ENOMEM;
	}
	for (uint32_t i = (uint32_t)c->nodes.n; i-- > 0;)
		if (!(c->nodes.v[i].parent & NODE_ROOT))
			p->node_latency[c->nodes.v[i].parent] += p->node_latency[i];
	return 0;
}

void prof_latency_free(struct profile *p)
{
	vec_free(&p->latency);
	vec_free(&p->leaf_latency);
	free(p->node_latency);
}

uint64_t prof_stat_latency(const struct profile *p, const struct profile_row *r)
{
	return prof_row_latency(p, r->idx).own;
}

uint64_t prof_stat_latency_acc(const struct profile *p, const struct profile_row *r)
{
	return p->o.children ? prof_row_latency(p, r->idx).acc : 0;
}

uint64_t prof_get_parallelism(struct profile *p, const struct sample *s, struct thread *th)
{
	(void)s, (void)th;
	return p->parallelism;
}

void prof_text_parallelism(const struct profile *p, const struct profile_row *r, uint64_t v,
			   struct obuf *o)
{
	(void)p, (void)r;
	obuf_dec(o, v);
}
