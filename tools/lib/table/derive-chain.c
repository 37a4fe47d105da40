// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chains of a rich table, to the trie of a derived one. A rich table has one trie for all groups, so
 * that threads, CPUs and times do not multiply it; a derived one has a trie for each of its groups. Most
 * ends of chains share all but their last frames with others: where the way to a node led lately is
 * remembered, and a look goes up only until it finds that.
 */
#include "derive-int.h"

static struct way *way_of(const struct derive *d, uint32_t node, uint32_t group)
{
	return &d->ways[hash_slot((uint64_t)group << 32 | node, d->way_bits)];
}

/* What the way to @node is made of here, behind what is known of it. */
static int queue_links(struct derive *d, struct derive_end *end, uint32_t node)
{
	const struct node *nodes = d->base->ch.nodes.v;
	struct way *w;
	uint64_t hash;

	d->climb.n = 0;
	end->at = table_node_root(end->group);
	for (; !(node & NODE_ROOT); node = nodes[node].parent) {
		w = way_of(d, node, end->group);
		if (w->node == node && w->group == end->group + 1) {
			end->at = w->at;
			end->link = w->link;
			break;
		}
		if (vec_push(&d->climb, node))
			return -ENOMEM;
	}
	hash = end->at.hash;
	for (size_t i = d->climb.n; i-- > 0;) {
		struct derive_link l = { .from = d->climb.v[i] };

		l.step = derive_step(d, nodes[l.from].step);
		l.hash = hash = hash_mix(hash, l.step);
		if (l.step == ID_NONE || vec_push(&d->queue.links, l))
			return -ENOMEM;
		htab_prefetch(&d->t->ch.node_tab, hash);
		*way_of(d, l.from, end->group) = (struct way){
			l.from, end->group + 1, { hash, ID_NONE }, (uint32_t)d->queue.links.n
		};
	}
	end->nr = (uint32_t)(d->queue.links.n - end->first);
	return 0;
}

static int walk_queued(struct derive *d, const struct derive_end *end, uint32_t thread,
		       struct node_at *at)
{
	struct derive_link *links = d->queue.links.v;

	*at = end->at;
	if (end->link)
		at->node = links[end->link - 1].node;
	for (uint32_t i = end->first; i < end->first + end->nr; i++) {
		struct way *w = way_of(d, links[i].from, end->group);

		at->hash = links[i].hash;
		if (table_node_child(d->t, at, links[i].step, thread))
			return -ENOMEM;
		links[i].node = at->node;
		if (w->link == i + 1 && w->node == links[i].from) {
			w->at.node = at->node;
			w->link = 0;
		}
	}
	return 0;
}

static int walk_links(struct derive *d, uint32_t thread, struct node_at *at)
{
	vec_for_each (l, &d->links)
		if (l->step == ID_NONE || table_node_down(d->t, at, l->step, thread))
			return -ENOMEM;
	return 0;
}

/* Each frame's branches, of as many frames as there are left. */
static int take_notes(struct derive *d, uint32_t from, uint32_t to)
{
	const struct chains *c = &d->base->ch;
	const struct note_list *have = from < c->notes.n ? &c->notes.v[from] : NULL;
	struct branch_note *notes;

	if (!have || !have->v)
		return 0;
	notes = table_notes_of(d->t, to, (uint32_t)d->links.n);
	for (size_t i = 0; notes && i < d->links.n; i++)
		if (d->links.v[i].note < have->nr)
			keys_note_add(&notes[i], &have->v[d->links.v[i].note]);
	return notes ? 0 : -ENOMEM;
}

static struct keys_row *row_of(struct derive *d, const struct keys_row *from, uint32_t group,
			       uint32_t before)
{
	uint32_t place =
		d->own_place != ID_NONE ? d->own_place : derive_place(d, from->place, false);

	return place == ID_NONE
		       ? NULL
		       : table_row_own(d->t, group, place, from->thread, from->cpumode, before);
}

int derive_count_row(struct derive *d, const struct keys_row *from, uint32_t leaf, uint32_t to)
{
	const struct leaf *l = leaf == ID_NONE ? NULL : &d->base->ch.leafs.v[leaf];
	uint64_t period = l ? l->period : from->period;
	struct keys_row *row = &d->t->rows.v[to];

	row->nr += l ? l->count : from->nr;
	row->period += period;
	row->acc += l || !d->t->keys.o.branch ? period : from->acc;
	return derive_sums(d, from, leaf, to, ID_NONE, period);
}

int derive_bare(struct derive *d, const struct keys_row *from, uint32_t group, uint32_t *to)
{
	int ret = d->by_chain ? derive_links(d, ID_NONE, from->place) : 0;
	struct keys_row *row;

	if (!d->by_chain)
		d->own_place = ID_NONE;
	if (ret)
		return ret < 0 ? ret : 0;
	row = row_of(d, from, group, (uint32_t)d->t->ch.nodes.n);
	if (!row)
		return -ENOMEM;
	*to = row->idx;
	return 0;
}

int derive_count_leaf(struct derive *d, uint32_t i)
{
	const struct leaf *from = &d->base->ch.leafs.v[i];
	const struct keys_row *of = &d->base->rows.v[from->row];
	uint32_t to = d->t->derived->leaf.v[i];
	struct leaf *leaf;
	int ret;

	if (to & DERIVED_ROW)
		return derive_count_row(d, of, i, to & ~DERIVED_ROW);
	leaf = &d->t->ch.leafs.v[to];
	leaf->period += from->period;
	leaf->count += from->count;
	ret = d->t->keys.o.history ? take_notes(d, i, to) : 0;
	return ret ?: derive_sums(d, of, i, leaf->row, to, from->period);
}

/* Its row and leaf, where its chain leads to @at; @before: nodes before these. */
static int find_leaf(struct derive *d, uint32_t i, uint32_t group, const struct node_at *at,
		     uint32_t before)
{
	const struct keys_row *of = &d->base->rows.v[d->base->ch.leafs.v[i].row];
	uint32_t *to = &d->t->derived->leaf.v[i];
	struct keys_row *row = row_of(d, of, group, before);
	struct leaf *leaf;

	if (!row)
		return -ENOMEM;
	if (at->node & NODE_ROOT) {
		*to = DERIVED_ROW | row->idx;
	} else {
		leaf = table_leaf(d->t, at->node, row);
		if (!leaf)
			return -ENOMEM;
		*to = (uint32_t)(leaf - d->t->ch.leafs.v);
	}
	return d->ahead ? 0 : derive_count_leaf(d, i);
}

int derive_flush(struct derive *d)
{
	struct derive_queue *q = &d->queue;
	struct chains *c = &d->t->ch;
	int ret = 0;

	vec_for_each (l, &q->links) {
		uint32_t i = htab_peek(&c->node_tab, l->hash);

		if (i != UINT32_MAX)
			__builtin_prefetch(&c->nodes.v[i], 1);
	}
	d->own_place = ID_NONE;
	for (unsigned i = 0; !ret && i < q->n; i++) {
		const struct derive_end *end = &q->end[i];
		const struct keys_row *of = &d->base->rows.v[d->base->ch.leafs.v[end->leaf].row];
		uint32_t before = (uint32_t)c->nodes.n;
		struct node_at at;

		ret = walk_queued(d, end, of->thread, &at);
		ret = ret ?: find_leaf(d, end->leaf, end->group, &at, before);
	}
	q->n = 0;
	q->links.n = 0;
	return ret;
}

int derive_leaf(struct derive *d, uint32_t i, uint32_t group, bool *kept)
{
	const struct leaf *from = &d->base->ch.leafs.v[i];
	const struct keys_row *of = &d->base->rows.v[from->row];
	uint32_t before = (uint32_t)d->t->ch.nodes.n;
	struct node_at at = table_node_root(group);
	struct derive_end *end;
	int ret;

	*kept = true;
	/* The sample's own address first, as when samples come: an address may be shown by either. */
	if (derive_place(d, of->place, false) == ID_NONE)
		return -ENOMEM;
	if (!d->by_chain) {
		end = &d->queue.end[d->queue.n++];
		*end = (struct derive_end){
			.leaf = i, .group = group, .at = at, .first = (uint32_t)d->queue.links.n
		};
		ret = d->chains ? queue_links(d, end, from->node) : 0;
		return ret ?: d->queue.n == DERIVE_ENDS ? derive_flush(d) : 0;
	}
	d->own_place = ID_NONE;
	ret = derive_links(d, from->node, of->place);
	*kept = !ret;
	if (ret)
		return ret < 0 ? ret : 0;
	ret = d->chains ? walk_links(d, of->thread, &at) : 0;
	return ret ?: find_leaf(d, i, group, &at, before);
}
