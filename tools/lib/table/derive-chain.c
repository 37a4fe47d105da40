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
	return &d->ways[hash_slot((uint64_t)group << 32 | node, WAY_BITS)];
}

/* The node here for a node of the base, when chains stay as they are. */
static int find_node(struct derive *d, uint32_t node, uint32_t group, uint32_t thread,
		     struct node_at *at)
{
	const struct node *nodes = d->base->ch.nodes.v;
	struct way *w;

	d->climb.n = 0;
	*at = table_node_root(group);
	for (; !(node & NODE_ROOT); node = nodes[node].parent) {
		w = way_of(d, node, group);
		if (w->node == node && w->group == group + 1) {
			*at = w->at;
			break;
		}
		if (vec_push(&d->climb, node))
			return -ENOMEM;
	}
	for (size_t i = d->climb.n; i-- > 0;) {
		uint32_t step = derive_step(d, nodes[d->climb.v[i]].step);

		if (step == ID_NONE || table_node_down(d->t, at, step, thread))
			return -ENOMEM;
		*way_of(d, d->climb.v[i], group) = (struct way){ d->climb.v[i], group + 1, *at };
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

static int count_row(struct derive *d, const struct keys_row *from, uint32_t leaf,
		     struct keys_row *row, const struct table_count *n, uint32_t *to)
{
	row->nr += n->nr;
	row->period += n->period;
	row->acc += n->period;
	*to = row->idx;
	return derive_sums(d, from, leaf, row->idx, ID_NONE, n->period);
}

int derive_bare(struct derive *d, const struct keys_row *from, uint32_t group, uint32_t *to)
{
	const struct table_count n = { from->nr, from->period };
	int ret = d->by_chain ? derive_links(d, ID_NONE, from->place) : 0;
	struct keys_row *row;

	if (!d->by_chain)
		d->own_place = ID_NONE;
	if (ret)
		return ret < 0 ? ret : 0;
	row = row_of(d, from, group, (uint32_t)d->t->ch.nodes.n);
	return row ? count_row(d, from, ID_NONE, row, &n, to) : -ENOMEM;
}

int derive_leaf(struct derive *d, uint32_t i, uint32_t group, uint32_t *to)
{
	const struct leaf *from = &d->base->ch.leafs.v[i];
	const struct keys_row *of = &d->base->rows.v[from->row];
	const struct table_count n = { from->count, from->period };
	uint32_t before = (uint32_t)d->t->ch.nodes.n;
	struct node_at at = table_node_root(group);
	struct keys_row *row;
	struct leaf *leaf;
	int ret = 0;

	d->own_place = ID_NONE;
	/* The sample's own address first, as when samples come: an address may be shown by either. */
	if (derive_place(d, of->place, false) == ID_NONE)
		return -ENOMEM;
	if (d->by_chain)
		ret = derive_links(d, from->node, of->place);
	if (ret)
		return ret < 0 ? ret : 0;
	if (d->chains)
		ret = d->by_chain ? walk_links(d, of->thread, &at)
				  : find_node(d, from->node, group, of->thread, &at);
	row = ret ? NULL : row_of(d, of, group, before);
	if (!row)
		return -ENOMEM;
	if (at.node & NODE_ROOT) {
		ret = count_row(d, of, i, row, &n, to);
		*to |= DERIVED_ROW;
		return ret;
	}
	leaf = table_leaf(d->t, at.node, row);
	if (!leaf)
		return -ENOMEM;
	leaf->period += n.period;
	leaf->count += (uint32_t)n.nr;
	*to = (uint32_t)(leaf - d->t->ch.leafs.v);
	ret = d->t->keys.o.history ? take_notes(d, i, *to) : 0;
	return ret ?: derive_sums(d, of, i, row->idx, *to, n.period);
}
