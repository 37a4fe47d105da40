// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The way of a sample: location, filters, group, row, chain. What the options ask for is settled
 * in table_new(), so that a sample meets no decision that is the same for all of them.
 */
#include "emit/emit.h"
#include "table-int.h"
#include "script/script.h"

static uint64_t chain_needs(const struct table *p)
{
	uint64_t need = PERF_SAMPLE_CALLCHAIN;

	if (p->feed->u)
		need |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_BRANCH_STACK |
			PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	return need;
}

int table_new(struct table **out, const struct keys_opts *opts, struct machine *m,
	      struct resolver *res, struct unwind *u, struct err *e)
{
	const struct acc_env env = { res, opts->arch, opts->redact };
	struct table *p = calloc(1, sizeof(*p));
	int ret;

	if (!p || table_feed_new(p, u)) {
		free(p);
		return err_set(e, -ENOMEM, "no memory for a profile");
	}
	p->keys.o = *opts;
	p->keys.m = m;
	p->keys.res = res;
	p->need = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD | PERF_SAMPLE_ID |
		  PERF_SAMPLE_IDENTIFIER;
	p->keys.unknown = keys_name_id(&p->keys, "[unknown]");
	ret = table_cols(p, e);
	if (!ret && table_sums_start(&p->sums, &p->keys.o, &env))
		ret = err_set(e, -ENOMEM, "no memory to count samples");
	if (!ret)
		ret = table_filter_setup(p, e);
	if (!ret)
		ret = table_parent_setup(p, e);
	if (!ret && p->keys.o.branch)
		ret = table_branch_init(p) ? err_set(e, -ENOMEM, "no memory for branches")
					   : table_ipc_init(p, e);
	if (!ret)
		ret = table_chain_init(p) ? err_set(e, -ENOMEM, "no memory for call chains") : 0;
	if (!ret)
		ret = table_queue_init(p) ? err_set(e, -ENOMEM, "no memory to count samples") : 0;
	if (p->keys.o.branch || p->keys.o.history)
		p->need |= PERF_SAMPLE_BRANCH_STACK;
	if (p->keys.o.filter.by_socket)
		p->need |= PERF_SAMPLE_CPU;
	if (p->keys.o.use_chains || p->keys.o.children || p->feed->parent_re.set)
		p->need |= chain_needs(p);
	if (p->keys.o.use_chains && p->keys.o.chain.key == CHAIN_BY_ADDRESS)
		p->ip_is_key = true;
	p->one_step = p->by_symbol && !p->keys.o.branch && !p->ip_is_key &&
		      p->keys.o.chain.key == CHAIN_BY_FUNCTION;
	if (ret) {
		table_free(p);
		return ret;
	}
	*out = p;
	return 0;
}

void table_free(struct table *p)
{
	if (!p)
		return;
	vec_free(&p->events);
	keys_tuples_free(&p->groups);
	keys_tuples_free(&p->places);
	keys_tuples_free(&p->places2);
	vec_free(&p->steps);
	vec_free(&p->place_width);
	vec_free(&p->place2_width);
	table_sums_free(&p->sums);
	table_ipc_free(p);
	vec_free(&p->members);
	vec_free(&p->rows);
	htab_free(&p->row_tab);
	table_chain_free(p);
	table_feed_free(p);
	keys_free(&p->keys);
	free(p);
}

uint64_t table_need(const struct table *p)
{
	return p->need;
}

/* Every sample that passed is in one row. */
static int sum_events(struct table *p)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < p->rows.n; i++)
		ret = table_sums_event(&p->sums, table_row_event(p, &p->rows.v[i]), i);
	return ret;
}

int table_finish(struct table *p, struct err *e)
{
	int ret = 0;

	ret = table_queue_finish(p);
	if (!ret)
		ret = table_chain_flush(p);
	if (p->keys.o.branch)
		table_branch_flush(p);
	/* Nothing new comes any more: what finds old ones may go. */
	table_feed_free(p);
	htab_free(&p->places.tab);
	table_sums_stop(&p->sums);
	resolver_forget(p->keys.res);
	if (!ret)
		ret = table_ipc_finish(p);
	if (!ret && (p->keys.o.use_chains || p->keys.o.children))
		ret = table_chain_finish(p);
	if (!ret && p->sums.nr_share)
		ret = sum_events(p);
	if (!ret && p->max_members)
		ret = table_rows_group(p);
	htab_free(&p->groups.tab);
	htab_free(&p->row_tab);
	return ret ? err_set(e, ret, "no memory to sum up rows") : 0;
}
