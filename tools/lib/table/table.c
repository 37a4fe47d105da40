// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A table from its options to its totals. What these ask for is settled in table_new(), so that a sample meets no
 * decision that is the same for all of them; its way is in feed.c.
 */
#include "emit/emit.h"
#include "table-int.h"
#include "script/script.h"

static uint64_t chain_needs(const struct table *t)
{
	uint64_t need = PERF_SAMPLE_CALLCHAIN;

	if (t->feed->u)
		need |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_BRANCH_STACK |
			PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	return need;
}

struct table *table_new_of(const struct keys_opts *o, struct machine *m, struct resolver *res,
			   struct unwind *u)
{
	struct table *t = calloc(1, sizeof(*t));

	if (!t || table_feed_new(t, u)) {
		free(t);
		return NULL;
	}
	t->keys.o = *o;
	t->keys.m = m;
	t->keys.res = res;
	t->keys.unknown = keys_name_id(&t->keys, "[unknown]");
	return t;
}

void table_set_steps(struct table *t)
{
	if (t->keys.o.use_chains && t->keys.o.chain.key == CHAIN_BY_ADDRESS)
		t->ip_is_key = true;
	t->one_step = t->by_symbol && !t->keys.o.branch && !t->ip_is_key &&
		      t->keys.o.chain.key == CHAIN_BY_FUNCTION;
}

int table_new(struct table **out, const struct keys_opts *opts, struct machine *m,
	      struct resolver *res, struct unwind *u, struct err *e)
{
	const struct acc_env env = { res, opts->arch, opts->redact, opts->values };
	struct table *t = table_new_of(opts, m, res, u);
	int ret;

	if (!t)
		return err_set(e, -ENOMEM, "no memory for a profile");
	t->need = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD | PERF_SAMPLE_ID |
		  PERF_SAMPLE_IDENTIFIER;
	ret = table_cols(t, e);
	if (!ret && (table_sums_choose(&t->sums, &t->keys.o) || table_sums_start(&t->sums, &env)))
		ret = err_set(e, -ENOMEM, "no memory to count samples");
	if (!ret)
		ret = table_filter_setup(t, e);
	if (!ret)
		ret = table_parent_setup(t, e);
	if (!ret && t->keys.o.branch)
		ret = table_branch_init(t) ? err_set(e, -ENOMEM, "no memory for branches")
					   : table_ipc_init(t, e);
	if (!ret)
		ret = table_chain_init(t) ? err_set(e, -ENOMEM, "no memory for call chains") : 0;
	if (!ret)
		ret = table_queue_init(t) ? err_set(e, -ENOMEM, "no memory to count samples") : 0;
	if (t->keys.o.branch || t->keys.o.history)
		t->need |= PERF_SAMPLE_BRANCH_STACK;
	if (t->keys.o.filter.by_socket)
		t->need |= PERF_SAMPLE_CPU;
	if (t->keys.o.use_chains || t->keys.o.children || t->feed->parent_re.set)
		t->need |= chain_needs(t);
	table_set_steps(t);
	if (ret) {
		table_free(t);
		return ret;
	}
	*out = t;
	return 0;
}

void table_free(struct table *t)
{
	if (!t)
		return;
	vec_free(&t->events);
	keys_tuples_free(&t->groups);
	keys_tuples_free(&t->places);
	keys_tuples_free(&t->places2);
	vec_free(&t->steps);
	vec_free(&t->place_width);
	vec_free(&t->place2_width);
	table_sums_free(&t->sums);
	table_ipc_free(t);
	vec_free(&t->group_counts);
	table_derived_free(t);
	vec_free(&t->members);
	vec_free(&t->rows);
	htab_free(&t->row_tab);
	table_chain_free(t);
	table_feed_free(t);
	keys_free(&t->keys);
	free(t);
}

uint64_t table_need(const struct table *t)
{
	return t->need;
}

/* Every sample that passed is in one row. */
static int sum_events(struct table *t)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < t->rows.n; i++)
		ret = table_sums_event(&t->sums, table_row_event(t, &t->rows.v[i]), i);
	return ret;
}

/* Nothing new comes any more: what finds old ones may go. */
static void forget(struct table *t)
{
	table_feed_free(t);
	htab_free(&t->places.tab);
	table_sums_stop(&t->sums);
	if (!t->derived)
		resolver_forget(t->keys.res);
}

/* A rich table stays as it is: what is summed up is what is made of it. */
static int finish_rich(struct table *t, struct err *e)
{
	int ret = table_flush(t);

	forget(t);
	ret = ret ?: table_ipc_finish(t);
	htab_free(&t->groups.tab);
	htab_free(&t->row_tab);
	htab_free(&t->ch.node_tab);
	return ret ? err_set(e, ret, "no memory to count samples") : 0;
}

int table_finish(struct table *t, struct err *e)
{
	int ret = 0;

	if (t->keys.o.rich)
		return finish_rich(t, e);
	ret = table_queue_finish(t);
	if (!ret)
		ret = table_chain_flush(t);
	if (t->keys.o.branch)
		table_branch_flush(t);
	forget(t);
	if (!ret)
		ret = table_ipc_finish(t);
	if (!ret && (t->keys.o.use_chains || t->keys.o.children))
		ret = table_chain_finish(t);
	if (!ret && t->sums.nr_share)
		ret = sum_events(t);
	if (!ret && t->max_members)
		ret = table_rows_group(t);
	htab_free(&t->groups.tab);
	htab_free(&t->row_tab);
	return ret ? err_set(e, ret, "no memory to sum up rows") : 0;
}
