// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf diff: one recording, counted. Rows as perf report counts them; for call trees, richly, so that those of
 * functions can be derived, inlined ones among them; blocks of code out of branch stacks.
 */
#include "diff.h"
#include "jobs.h"

static uint64_t need(void *ctx, const struct perfdata_event *event)
{
	const struct side *s = ctx;
	uint64_t need = PERF_SAMPLE_TID;

	(void)event;
	need |= s->rows ? table_need(s->rows) : 0;
	need |= s->rich ? table_need(s->rich) : 0;
	return need | (s->flow ? PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK : 0);
}

static int take_sample(void *ctx, const struct session_sample *in, struct err *e)
{
	struct side *s = ctx;
	int ret = s->rows ? table_add(s->rows, in->s, in->thread, e) : 0;

	if (!ret && s->rich)
		ret = table_add(s->rich, in->s, in->thread, e);
	if (!ret && s->flow && !in->again && in->s->present & PERF_SAMPLE_BRANCH_STACK)
		ret = brflow_add(s->flow, in->s, in->thread, e);
	return ret;
}

static const struct session_consumer consumer = {
	.need = need,
	.sample = take_sample,
	.flags = SESSION_UNFILTERED, /* shares are of what was left out, too */
};

static int start_flow(struct side *s, const struct session_env *env, struct err *e)
{
	const struct brflow_opts o = {
		.machine = env->machine,
		.blocks = true,
		.nr_counters = 4,
		.counter_width = 2,
		.each_start = true,
	};

	return brflow_new(&s->flow, env->resolver, &o, e);
}

static int start_rich(struct side *s, const struct session_env *env, struct err *e)
{
	struct keys_opts opts;

	/* Trees are those of functions, and inlined ones are such. */
	s->tree_keys.use_chains = s->tree_keys.inlines = true;
	opts = s->tree_keys;
	opts.rich = true;
	return table_new(&s->rich, &opts, env->machine, env->resolver, env->unwind, e);
}

static int start_counting(struct side *s, struct err *e)
{
	const struct session_env *env = session_env(s->session);
	int ret = 0;

	s->keys = (struct keys_opts){
		.sort = s->o->sort ? s->o->sort : "dso,symbol",
		.relative = s->o->percentage && *s->o->percentage == 'r',
		.pd = env->pd,
		.arch = session_arch(s->session),
		.filter.session = session_filter(s->session),
		.chain = CHAIN_OPTS_DEFAULT,
	};
	s->tree_keys = s->keys;
	if (s->o->what & DIFF_ROWS)
		ret = table_new(&s->rows, &s->keys, env->machine, env->resolver, NULL, e);
	if (!ret && s->o->what & DIFF_TREE)
		ret = start_rich(s, env, e);
	return !ret && s->o->what & DIFF_BLOCKS ? start_flow(s, env, e) : ret;
}

static int finish_tree(struct side *s, struct err *e)
{
	const struct table_ask ask = { .opts = &s->tree_keys };
	int ret = table_finish(s->rich, e);

	ret = ret ?: table_derive(&s->tree, s->rich, &ask, e);
	return ret ?: view_new(&s->tree_view, s->tree, NULL, NULL, e);
}

/* All was counted. */
static int finish_counting(struct side *s, struct err *e)
{
	int ret = s->rows ? table_finish(s->rows, e) : 0;

	if (s->flow)
		brflow_finish(s->flow);
	if (!ret && s->rows)
		ret = view_new(&s->row_view, s->rows, NULL, NULL, e);
	return !ret && s->rich ? finish_tree(s, e) : ret;
}

/* ---- by several threads -------------------------------------------------------------------------- */

static int start_member(void *ctx, void *first, struct session *session, struct err *e)
{
	struct side *s = ctx;

	s->o = ((const struct side *)first)->o;
	s->session = session;
	return start_counting(s, e);
}

void side_free(struct side *s)
{
	view_free(s->row_view);
	view_free(s->tree_view);
	table_free(s->rows);
	table_free(s->tree);
	table_free(s->rich);
	brflow_free(s->flow);
	s->row_view = s->tree_view = NULL;
	s->rows = s->tree = s->rich = NULL;
	s->flow = NULL;
}

static void free_member(void *ctx)
{
	side_free(ctx);
}

static int add_flow(struct side *a, const struct side *b, struct err *e)
{
	struct session_maps *maps;
	struct brflow_maps flow;
	int ret = session_maps_new(&maps, session_env(a->session), session_env(b->session), e);

	if (ret)
		return ret;
	flow = (struct brflow_maps){ maps->loc, maps->objects };
	ret = brflow_merge(a->flow, b->flow, &flow, e);
	session_maps_free(maps);
	return ret;
}

static int add_table(struct table *a, struct table *b, struct err *e)
{
	struct table_maps *maps;
	int ret = table_maps_new(&maps, a, b, false, e);

	ret = ret ?: table_merge(a, b, maps, e);
	table_maps_free(maps);
	return ret;
}

static int add_member(void *to, void *from, struct err *e)
{
	struct side *a = to, *b = from;
	int ret = a->rows ? add_table(a->rows, b->rows, e) : 0;

	if (!ret && a->rich)
		ret = add_table(a->rich, b->rich, e);
	if (!ret && a->flow)
		ret = add_flow(a, b, e);
	free_member(b);
	return ret;
}

static const struct jobs counting = {
	.consumer = &consumer,
	.size = sizeof(struct side),
	.start = start_member,
	.add = add_member,
	.free = free_member,
};

/* ---- a recording --------------------------------------------------------------------------------- */

int side_start(struct side *s, const struct diff_opts *o, size_t at, struct session *session,
	       struct err *e)
{
	int ret;

	s->o = o;
	s->at = at;
	s->session = session;
	ret = start_counting(s, e);
	s->misused = ret == -EINVAL;
	return ret;
}

int side_read(struct side *s, struct err *e)
{
	int ret = jobs_read(&counting, s->session, s, e);

	return ret ?: finish_counting(s, e);
}

/* ---- events ------------------------------------------------------------------------------------- */

const struct perfdata_event *side_event(const struct side *s, size_t i)
{
	return perfdata_event(session_env(s->session)->pd, i);
}

size_t side_nr_events(const struct side *s)
{
	return perfdata_nr_events(session_env(s->session)->pd);
}

const struct perfdata_event *side_event_like(const struct side *s, const struct perfdata_event *ev)
{
	const struct perfdata_event *like = NULL;

	for (size_t i = 0; i < side_nr_events(s); i++) {
		const struct perfdata_event *other = side_event(s, i);

		if (other && !strcmp(other->name, ev->name))
			return other;
		if (!like && other && other->attr.type == ev->attr.type &&
		    other->attr.config == ev->attr.config)
			like = other;
	}
	return like;
}
