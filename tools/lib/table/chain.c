// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The chain of a sample. Samples of one program share the outer end of their chains: what is as
 * in the chain before (chain_memo) is not looked up again.
 */
#include "table-int.h"

/* Chains that begin anew each time have a way of their own. */
#define MEMO_NONE CHAIN_MEMOS

int table_chain_init(struct table *t)
{
	struct chain_queue *q;

	if (!t->keys.o.use_chains && !t->keys.o.children && !t->feed->parent_re.set)
		return 0;
	q = t->feed->chain = calloc(1, sizeof(*q));
	if (!q)
		return -ENOMEM;
	for (unsigned i = 0; i < CHAIN_MEMOS; i++)
		q->memo[i].group = ID_NONE;
	q->limit = CHAIN_JOBS;
	if (t->keys.o.history || t->map_is_key || t->sums.needs_sample)
		q->limit = 1;
	return 0;
}

/* ---- the kernel's chain ---------------------------------------------------------------------- */

static int chain_room(struct chain_queue *q, size_t n)
{
	uint64_t *ips;
	uint8_t *modes;

	if (n <= q->cap)
		return 0;
	ips = realloc(q->ips, n * sizeof(*ips));
	if (!ips)
		return -ENOMEM;
	q->ips = ips;
	modes = realloc(q->modes, n);
	if (!modes)
		return -ENOMEM;
	q->modes = modes;
	q->cap = n;
	return 0;
}

/*
 * Addresses and modes of a chain without its markers, innermost first. An unknown marker makes
 * the whole chain void, as upstream. Returns the number of frames or -ENOMEM.
 */
int64_t table_chain_frames(struct table *t, const struct u64s *cc)
{
	struct chain_queue *q = t->feed->chain;
	struct sample_frames it = sample_frames(cc);
	size_t n = 0;
	uint64_t ip;
	int ret;

	if (chain_room(q, cc->nr))
		return -ENOMEM;
	while ((ret = sample_frames_next(&it, &ip)) > 0) {
		q->ips[n] = ip;
		q->modes[n++] = it.mode;
	}
	if (ret < 0)
		return 0;
	return (int64_t)n;
}

/* Cuts a chain that is too long: what is kept is the end where printing starts. */
static size_t cut(const struct table *t, size_t n)
{
	struct chain_queue *q = t->feed->chain;
	uint32_t max = t->keys.o.max_stack;

	if (!max || n <= max)
		return n;
	if (t->keys.o.chain.caller) {
		memmove(q->ips, q->ips + n - max, max * sizeof(*q->ips));
		memmove(q->modes, q->modes + n - max, max);
	}
	return max;
}

/* How many of the outermost frames are as in the memo, which takes the rest. */
static size_t compare(struct chain_memo *m, const struct chain_queue *q, size_t n)
{
	size_t same = 0, max = n < MEMO_FRAMES ? n : MEMO_FRAMES;

	while (same < m->nr && same < n && m->ip[same] == q->ips[n - 1 - same] &&
	       m->mode[same] == q->modes[n - 1 - same])
		same++;
	for (size_t i = same; i < max; i++) {
		m->ip[i] = q->ips[n - 1 - i];
		m->mode[i] = q->modes[n - 1 - i];
	}
	m->nr = (uint32_t)max;
	return same;
}

static int push_frame(struct table *t, struct thread *th, uint64_t ip, uint8_t mode)
{
	struct chain_queue *q = t->feed->chain;
	struct chain_frame f = { ip, (uint32_t)q->at.n, mode };
	struct code_at at = { NULL, ip, mode };
	struct map_hit hit;

	if (machine_find_map(t->keys.m, th, mode, ip, &hit))
		at = (struct code_at){ hit.map->dso, hit.addr, hit.cpumode };
	else if (t->one_step)
		f.at = ID_NONE;
	return vec_push(&q->frame, f) || (f.at != ID_NONE && vec_push(&q->at, at)) ? -ENOMEM : 0;
}

/* The user part of the frames in the queue; @fresh: the outermost is not that of the chain before. */
static void count_walk(struct table *t, const struct sample *s, struct thread *th,
		       struct chain_memo *m, size_t n, bool fresh)
{
	const struct chain_queue *q = t->feed->chain;
	struct map_hit hit;
	size_t nr = 0;

	if (fresh)
		m->rooted = machine_find_map(t->keys.m, th, q->modes[n - 1], q->ips[n - 1], &hit);
	if (q->modes[n - 1] != PERF_RECORD_MISC_USER || !s->event ||
	    !unwind_is_walked(&s->event->attr))
		return;
	while (nr < n && q->modes[n - 1 - nr] == PERF_RECORD_MISC_USER)
		nr++;
	unwind_count_walk(t->feed->u, th, q->ips[n - nr], q->ips[n - 1], m->rooted);
}

static int take_frames(struct table *t, const struct sample *s, struct thread *th,
		       struct chain_job *job, struct chain_frames *from)
{
	struct chain_queue *q = t->feed->chain;
	uint32_t gen = machine_generation(t->keys.m, th->space);
	uint32_t root = table_root(t, job->group);
	int64_t got = table_chain_frames(t, &s->callchain);
	struct chain_memo *m;
	size_t n;

	if (got <= 0)
		return (int)got;
	n = cut(t, (size_t)got);
	job->memo = (root * 31 + th->space) % CHAIN_MEMOS;
	m = &q->memo[job->memo];
	if (m->group != root || m->space != th->space || m->gen != gen)
		m->nr = 0;
	m->group = root;
	m->space = th->space;
	m->gen = gen;
	from->keep = (uint32_t)compare(m, q, n);
	from->frames = (uint32_t)n - from->keep;
	if (t->feed->u && n == (size_t)got)
		count_walk(t, s, th, m, n, !from->keep);
	for (size_t i = from->frames; i-- > 0;)
		if (push_frame(t, th, q->ips[i], q->modes[i]))
			return -ENOMEM;
	return 0;
}

/* ---- dwarf and LBR stacks -------------------------------------------------------------------- */

/* The frames that --ignore-callees leaves; the sample's place is where they begin or end. */
static int drop_callees(struct table *t, struct chain_job *job, const struct frame **f, ssize_t *n)
{
	bool caller = t->keys.o.chain.caller;
	const struct frame *own;
	ssize_t at = -1;

	for (ssize_t i = 0; i < *n; i++)
		if ((!caller || at < 0) && table_ignores_at(t, (*f)[i].loc))
			at = i;
	if (at < 0)
		return 0;
	/* Functions that are inlined there stay. */
	while (!caller && at && (*f)[at - 1].loc == (*f)[at].loc && (*f)[at - 1].inlined)
		at--;
	own = *f + at;
	*f += caller ? 0 : at;
	*n = caller ? at + 1 : *n - at;
	job->cpumode = resolver_loc(t->keys.res, own->loc)->cpumode;
	job->place = table_place_of_loc(t, own->loc, own->ip, false);
	return job->place == ID_NONE ? -ENOMEM : 0;
}

static int take_unwound(struct table *t, const struct sample *s, struct thread *th,
			struct chain_job *job)
{
	struct chain_batch *b = &t->feed->chain->batch;
	const struct frame *f;
	ssize_t n = unwind_chain(t->feed->u, th, s, &f);

	job->step = (uint32_t)b->step.n;
	for (ssize_t i = 0; i < n; i++)
		job->in.frames += !f[i].inlined && resolver_loc(t->keys.res, f[i].loc)->cpumode ==
							   PERF_RECORD_MISC_USER;
	if (n <= 0)
		return n < 0 ? -ENOMEM : 0;
	if (drop_callees(t, job, &f, &n))
		return -ENOMEM;
	while (n-- > 0) {
		const struct symbol *sym = resolver_loc(t->keys.res, f[n].loc)->sym;
		const uint32_t *steps;
		uint32_t step, nr;

		if (t->keys.o.filter.hide_unresolved && !f[n].sym)
			continue;
		if (f[n].sym == sym && !t->keys.o.inlines) {
			if (table_steps_of(t, f[n].loc, f[n].ip, &steps, &nr))
				return -ENOMEM;
			step = steps[0];
		} else {
			step = table_step_of(t, f[n].loc, f[n].ip, f[n].sym);
		}
		if (step == ID_NONE || vec_push(&b->step, step))
			return -ENOMEM;
	}
	job->steps = (uint32_t)b->step.n - job->step;
	return 0;
}

bool table_wants_unwind(const struct table *t, const struct sample *s)
{
	const struct perf_event_attr *a = s->event ? &s->event->attr : NULL;

	if (!t->feed->u || !a)
		return false;
	if (a->sample_type & PERF_SAMPLE_STACK_USER && a->sample_type & PERF_SAMPLE_REGS_USER)
		return true;
	return sample_branch_filter(s) & PERF_SAMPLE_BRANCH_CALL_STACK;
}

/* Most often the sample's own address is the chain's innermost frame. */
static int find_own(struct table *t, const struct sample *s, struct chain_frames *from)
{
	struct chain_queue *q = t->feed->chain;

	if (from->frames) {
		const struct chain_frame *last = &q->frame.v[q->frame.n - 1];

		from->own = (uint32_t)q->frame.n - 1;
		if (last->ip == s->ip && last->mode == s->cpumode)
			return 0;
	}
	from->own = (uint32_t)q->frame.n;
	return push_frame(t, from->th, s->ip, s->cpumode);
}

int table_chain_add(struct table *t, const struct sample *s, struct thread *th, uint32_t group,
		    uint32_t place)
{
	struct chain_queue *q = t->feed->chain;
	struct chain_job *job = &q->batch.job[q->batch.n];
	struct chain_frames *from = &q->from[q->batch.n];
	int ret;

	*job = (struct chain_job){
		.in = table_acc_in(t, s, th),
		.group = group,
		.place = place,
		.memo = MEMO_NONE,
		.cpumode = s->cpumode,
	};
	if (q->limit > 1)
		job->in.s = NULL;
	*from = (struct chain_frames){
		.th = th,
		.frame = (uint32_t)q->frame.n,
		.own = ID_NONE,
		.unwound = table_wants_unwind(t, s),
	};
	ret = from->unwound ? take_unwound(t, s, th, job) : take_frames(t, s, th, job, from);
	if (!ret && job->place == ID_NONE)
		ret = find_own(t, s, from);
	if (ret)
		return ret;
	return ++q->batch.n == q->limit ? table_chain_flush(t) : 0;
}

/* What was for samples that come. */
void table_chain_forget(struct table *t)
{
	struct chain_queue *q = t->feed->chain;

	if (!q)
		return;
	vec_free(&q->batch.step);
	vec_free(&q->frame);
	vec_free(&q->at);
	vec_free(&q->loc);
	vec_free(&q->hash);
	for (size_t i = 0; i < ARRAY_SIZE(q->way); i++)
		vec_free(&q->way[i]);
	free(q->ips);
	free(q->modes);
	free(q);
	t->feed->chain = NULL;
}

void table_chain_free(struct table *t)
{
	struct chains *c = &t->ch;

	vec_free(&c->nodes);
	vec_free(&c->leafs);
	vec_for_each (l, &c->notes)
		free(l->v);
	vec_free(&c->notes);
	htab_free(&c->node_tab);
	free(c->end);
	free(c->root);
	memset(c, 0, sizeof(*c));
}
