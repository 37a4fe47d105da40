// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * speedscope's own file (github.com/jlfwong/speedscope, file-format-spec.ts): profiles of samples, each
 * a list of frames from the outermost, and weights. A profile for each event and for each group that
 * --by keeps apart. Equal stacks are one sample, which shows what is hot; in time order they would be
 * as many as came, some twenty times as much text, so only on request, and then by thread: time of
 * several threads is no order.
 *
 * The reader takes frames for the same if they have one number: so they are functions, not addresses.
 * Frames stand behind the profiles, because all are known only then.
 */
#include <stdlib.h>

#include "convert/stacks-int.h"
#include "session/session.h"

struct speedscope {
	struct stacks *st;
	VEC(struct stacks_count) samples; /* in time order: one for each, v[0] is its weight */
};

static int begin(struct convert_run *r, struct err *e)
{
	struct speedscope *k = r->own = calloc(1, sizeof(*k));
	unsigned by = r->opts->by;

	if (!k)
		return err_set(e, -ENOMEM, "no memory for the profile");
	if (r->opts->options & CONVERT_TIME_ORDER)
		by |= CONVERT_BY_COMM | CONVERT_BY_PID | CONVERT_BY_TID;
	return stacks_new(&k->st, r, by, e);
}

static int one_sample(struct convert_run *r, const struct session_sample *in, struct err *e)
{
	struct stacks_count c = { .event = in->s->event->idx, .v = { in->s->period } };
	struct speedscope *k = r->own;

	r->samples++;
	if (!(r->opts->options & CONVERT_TIME_ORDER))
		return stacks_add(k->st, r, in, e);
	if (stacks_place(k->st, r, in, &c.node, &c.group) || vec_push(&k->samples, c))
		return err_set(e, -ENOMEM, "no memory for %llu samples",
			       (unsigned long long)r->samples);
	return 0;
}

/* Samples in time order are those of a piece behind those before it. */
static int merge(struct convert_run *r, struct convert_run *from, const struct session_maps *maps,
		 struct err *e)
{
	struct speedscope *k = r->own, *other = from->own;
	struct stacks_maps to = { 0 };
	int ret = stacks_merge(k->st, other->st, maps, &to, e);

	for (size_t i = 0; !ret && i < other->samples.n; i++) {
		struct stacks_count c = other->samples.v[i];

		c.node = c.node == STACKS_NONE ? STACKS_NONE : to.node[c.node];
		c.group = to.group[c.group];
		if (maps && maps->event)
			c.event = maps->event[c.event];
		if (vec_push(&k->samples, c))
			ret = err_set(e, -ENOMEM, "no memory for samples");
	}
	free(to.node);
	free(to.group);
	return ret;
}

/* ---- writing -------------------------------------------------------------------------------------- */

struct path {
	VEC(uint32_t) v;
};

/* A list of numbers, [outermost, ..., innermost]. */
static void put_stack(const struct stacks *st, uint32_t node, struct path *p, struct obuf *o)
{
	for (p->v.n = 0; node != STACKS_NONE; node = st->nodes.v[node].parent)
		if (vec_push(&p->v, st->function_of[st->nodes.v[node].frame])) {
			o->code = -ENOMEM;
			return;
		}
	obuf_char(o, '[');
	for (size_t i = p->v.n; i-- > 0;) {
		obuf_dec(o, p->v.v[i]);
		if (i)
			obuf_char(o, ',');
	}
	obuf_char(o, ']');
}

/* v[0] to before v[n] are of one event and group; their weights are v[].v[@which]. */
static void put_profile(const struct stacks *st, const struct stacks_count *v, size_t n,
			unsigned which, bool first, struct obuf *o)
{
	const struct perfdata_event *event = perfdata_event(st->env->pd, v->event);
	struct path path = { 0 };
	struct obuf name;
	uint64_t sum = 0;

	if (obuf_init(&name, -1, 0)) {
		o->code = -ENOMEM;
		return;
	}
	obuf_str(&name, event->name);
	if (st->by)
		obuf_lit(&name, " ");
	stacks_group_name(st, v->group, &name);
	obuf_char(&name, '\0');
	obuf_str(o, first ? "\n{\"type\":\"sampled\",\"name\":"
			  : ",\n{\"type\":\"sampled\",\"name\":");
	emit_json_safe(o, name.buf);
	free(name.buf);
	obuf_printf(o, ",\"unit\":\"%s\",\"startValue\":0,\"samples\":[",
		    stacks_unit(event)[0] == 'n' ? "nanoseconds" : "none");
	for (size_t i = 0; i < n; i++) {
		if (i)
			obuf_char(o, ',');
		put_stack(st, v[i].node, &path, o);
	}
	vec_free(&path.v);
	obuf_lit(o, "],\"weights\":[");
	for (size_t i = 0; i < n; i++) {
		if (i)
			obuf_char(o, ',');
		obuf_dec(o, v[i].v[which]);
		sum += v[i].v[which];
	}
	obuf_lit(o, "],\"endValue\":");
	obuf_dec(o, sum);
	obuf_char(o, '}');
}

static void put_frames(const struct stacks *st, struct obuf *o)
{
	for (size_t i = 0; i < st->functions.n; i++) {
		const struct stacks_frame *f = &st->frames.v[st->functions.v[i]];
		const struct dso *dso = stacks_dso(st, f);
		struct srcline at;
		char buf[256];

		obuf_str(o, i ? ",\n{\"name\":" : "\n{\"name\":");
		emit_json_safe(o, stacks_name(st, f, buf, sizeof(buf)));
		if (stacks_line(st, f, &at) || dso) {
			obuf_lit(o, ",\"file\":");
			emit_json_safe(o, stacks_line(st, f, &at) ? at.file : dso->name);
		}
		obuf_char(o, '}');
	}
}

/* By event and group; what is equal stays in order: stacks, or time. */
static int by_profile(const void *a, const void *b)
{
	const struct stacks_count *x = a, *y = b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return x->v[STACKS_VALUES - 1] < y->v[STACKS_VALUES - 1]
		       ? -1
		       : x->v[STACKS_VALUES - 1] > y->v[STACKS_VALUES - 1];
}

static void put_profiles(const struct stacks *st, struct stacks_count *v, size_t n, unsigned which,
			 struct obuf *o)
{
	for (size_t i = 0; i < n; i++)
		v[i].v[STACKS_VALUES - 1] = i;
	if (n)
		qsort(v, n, sizeof(*v), by_profile);
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && v[j].event == v[i].event && v[j].group == v[i].group;)
			j++;
		put_profile(st, &v[i], j - i, which, !i, o);
	}
	if (!n)
		obuf_lit(o, "{\"type\":\"sampled\",\"name\":\"no samples\",\"unit\":\"none\","
			    "\"startValue\":0,\"endValue\":0,\"samples\":[],\"weights\":[]}");
}

static int finish(struct convert_run *r, struct err *e)
{
	struct speedscope *k = r->own;
	struct stacks *st = k->st;
	struct obuf *o = r->out;

	if (stacks_end(st) || stacks_functions(st))
		return err_set(e, -ENOMEM, "no memory for the profile");
	obuf_lit(o, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
		    "\"exporter\":\"perf\",\"name\":");
	emit_json_safe(o, perfdata_path(st->env->pd));
	obuf_lit(o, ",\"profiles\":[");
	if (r->opts->options & CONVERT_TIME_ORDER)
		put_profiles(st, k->samples.v, k->samples.n, 0, o);
	else
		put_profiles(st, st->counts.v, st->counts.n, 1, o);
	obuf_lit(o, "\n],\"shared\":{\"frames\":[");
	put_frames(st, o);
	obuf_lit(o, "\n]}}\n");
	return 0;
}

static void end(struct convert_run *r)
{
	struct speedscope *k = r->own;

	if (!k)
		return;
	vec_free(&k->samples);
	stacks_free(k->st);
	free(k);
}

const struct convert_format convert_speedscope = {
	.name = "speedscope",
	.holds = "stacks added up, or in order of time, for speedscope.app",
	.options = CONVERT_BY | CONVERT_TIME_ORDER,
	.by = CONVERT_BY_EVENT | CONVERT_BY_COMM | CONVERT_BY_PID | CONVERT_BY_TID | CONVERT_BY_CPU,
	.begin = begin,
	.sample = one_sample,
	.merge = merge,
	.finish = finish,
	.free = end,
};
