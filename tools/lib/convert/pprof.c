// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pprof's profile.proto (github.com/google/pprof, proto/profile.proto): stacks with two values for each
 * event, how many samples and the sum of their periods, so that sums are those of perf report.
 *
 * Mappings say truthfully what is known of them, so that who has the object may find out the rest. Ids
 * are dense from 1, in the order in which they are written; all strings are valid UTF-8.
 *
 * Messages are written one by one through gzip; what is held is what is distinct.
 */
#include <stdlib.h>

#include "base/proto.h"
#include "config.h"
#include "convert/places-int.h"
#include "session/session.h"

#if HAVE_ZLIB
#include <zlib.h>
#endif

#define CHUNK (64 << 10)

struct pprof {
	struct stacks *st;
	struct places places;
	struct obuf text;  /* messages on their way to the packer */
	struct obuf msg;   /* the one that is being made ... */
	struct obuf inner; /* ... and one inside of it */
	struct obuf name;
	struct intern strings;
	int code;
	bool packed;
#if HAVE_ZLIB
	z_stream z;
#endif
};

#if HAVE_ZLIB
static void squeeze(struct pprof *p, struct obuf *out, int how)
{
	p->z.next_in = (unsigned char *)p->text.buf;
	p->z.avail_in = (unsigned)p->text.len;
	do {
		char *room = obuf_room(out, CHUNK);

		if (!room)
			break;
		p->z.next_out = (unsigned char *)room;
		p->z.avail_out = CHUNK;
		deflate(&p->z, how); /* there is always room: it cannot fail */
		out->len += CHUNK - p->z.avail_out;
	} while (!p->z.avail_out);
	p->text.len = 0;
}
#endif

/* What was written so far, packed or as it is. */
static void push(struct pprof *p, struct obuf *out, bool last)
{
	if (!last && p->text.len < CHUNK)
		return;
	p->code = p->code ?: p->text.code ?: p->msg.code ?: p->inner.code ?: p->name.code;
#if HAVE_ZLIB
	if (p->packed) {
		squeeze(p, out, last ? Z_FINISH : Z_NO_FLUSH);
		return;
	}
#endif
	obuf_mem(out, p->text.buf, p->text.len);
	p->text.len = 0;
}

/* The message that was made, as @field of the profile. */
static void put_msg(struct pprof *p, unsigned field)
{
	proto_msg(&p->text, field, &p->msg);
}

static uint32_t string(struct pprof *p, const char *s)
{
	uint32_t id;

	p->name.len = 0;
	emit_safe(&p->name, s);
	id = intern_n(&p->strings, p->name.buf, p->name.len);
	if (id == INTERN_NONE)
		p->code = -ENOMEM;
	return id == INTERN_NONE ? 0 : id;
}

/* ---- begin and samples ---------------------------------------------------------------------------- */

static int begin(struct convert_run *r, struct err *e)
{
	struct pprof *p = r->own = calloc(1, sizeof(*p));

	if (!p || obuf_init(&p->text, -1, CHUNK) || obuf_init(&p->msg, -1, 0) ||
	    obuf_init(&p->inner, -1, 0) || obuf_init(&p->name, -1, 0) ||
	    intern(&p->strings, "") == INTERN_NONE)
		return err_set(e, -ENOMEM, "no memory for the profile");
#if HAVE_ZLIB
	/* 16: gzip's header and checksum. */
	if (!r->opts->plain &&
	    deflateInit2(&p->z, 6, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
		return err_set(e, -ENOMEM, "no memory to pack the profile");
	p->packed = !r->opts->plain;
#endif
	return stacks_new(&p->st, r, r->opts->by, e);
}

static int one_sample(struct convert_run *r, const struct session_sample *in, struct err *e)
{
	struct pprof *p = r->own;

	r->samples++;
	if (!(r->opts->options & CONVERT_BRANCHES))
		return stacks_add(p->st, r, in, e);
	return in->again ? 0 : stacks_add_branches(p->st, r, in, e);
}

static int merge(struct convert_run *r, struct convert_run *from, const struct session_maps *maps,
		 struct err *e)
{
	struct pprof *p = r->own, *other = from->own;

	return stacks_merge(p->st, other->st, maps, NULL, e);
}

/* ---- tables --------------------------------------------------------------------------------------- */

static void put_mappings(struct pprof *p, struct obuf *out)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < p->places.mappings.n; i++) {
		const struct places_mapping *m = &p->places.mappings.v[i];
		char id[2 * 255 + 1];

		for (unsigned k = 0; k < m->dso->build_id_size; k++) {
			id[2 * k] = digits[m->dso->build_id[k] >> 4];
			id[2 * k + 1] = digits[m->dso->build_id[k] & 15];
		}
		id[2 * m->dso->build_id_size] = '\0';
		proto_num(&p->msg, 1, i + 1);
		proto_num(&p->msg, 2, m->start);
		proto_num(&p->msg, 3, m->end);
		proto_num(&p->msg, 4, m->offset);
		proto_num(&p->msg, 5, string(p, m->dso->name));
		proto_num(&p->msg, 6, string(p, id));
		proto_num(&p->msg, 7, m->functions);
		proto_num(&p->msg, 8, m->files);
		proto_num(&p->msg, 9, m->lines);
		proto_num(&p->msg, 10, m->inlines);
		put_msg(p, 3);
		push(p, out, false);
	}
}

static void put_places(struct pprof *p, struct obuf *out)
{
	const struct places *t = &p->places;

	for (size_t i = 0; i < t->places.n; i++) {
		const struct places_entry *l = &t->places.v[i];

		proto_num(&p->msg, 1, i + 1);
		proto_num(&p->msg, 2, l->mapping);
		proto_num(&p->msg, 3, l->addr);
		for (uint32_t k = l->line; k < l->line + l->nr_lines; k++) {
			proto_num(&p->inner, 1, t->lines.v[k].function);
			proto_num(&p->inner, 2, t->lines.v[k].line);
			proto_msg(&p->msg, 4, &p->inner);
		}
		put_msg(p, 4);
		push(p, out, false);
	}
	for (size_t i = 0; i < t->functions.n; i++) {
		const struct places_function *f = &t->functions.v[i];
		uint32_t name = string(p, f->sym->name);

		proto_num(&p->msg, 1, i + 1);
		proto_num(&p->msg, 2, name);
		proto_num(&p->msg, 3, name);
		proto_num(&p->msg, 4, string(p, places_file(t, f)));
		put_msg(p, 5);
		push(p, out, false);
	}
}

/* ---- samples -------------------------------------------------------------------------------------- */

static void put_label(struct pprof *p, const char *key, const char *text, int64_t num,
		      const char *unit)
{
	proto_num(&p->inner, 1, string(p, key));
	if (text)
		proto_num(&p->inner, 2, string(p, text));
	proto_num(&p->inner, 3, (uint64_t)num);
	/* Go's reader drops a 0 without a unit. */
	if (unit)
		proto_num(&p->inner, 4, string(p, unit));
	proto_msg(&p->msg, 3, &p->inner);
}

static void put_labels(struct pprof *p, const struct stacks_group *g)
{
	if (g->comm != STACKS_NONE)
		put_label(p, "comm", machine_comm(p->st->env->machine, g->comm), 0, NULL);
	if (g->pid != -1)
		put_label(p, "pid", NULL, g->pid, "pid");
	if (g->tid != -1)
		put_label(p, "tid", NULL, g->tid, "tid");
	if (g->cpu != STACKS_NONE)
		put_label(p, "cpu", NULL, g->cpu, "cpu");
}

/* Values of one stack of one group: counts[0] to before counts[n], one for each event. */
static void put_sample(struct pprof *p, const struct stacks_count *counts, size_t n, size_t per)
{
	const struct stacks *st = p->st;
	size_t nr = p->st->events.n, k = 0;

	for (uint32_t at = counts->node; at != STACKS_NONE; at = p->places.above[at]) {
		uint32_t id = places_at(&p->places, at);

		if (!id)
			p->code = -ENOMEM;
		obuf_varint(&p->inner, id);
	}
	proto_msg(&p->msg, 1, &p->inner);
	for (size_t i = 0; i < nr; i++) {
		bool has = k < n && counts[k].event == p->st->events.v[i];

		for (size_t v = 0; v < per; v++)
			obuf_varint(&p->inner, has ? counts[k].v[v] : 0);
		k += has;
	}
	proto_msg(&p->msg, 2, &p->inner);
	put_labels(p, &st->groups.v[counts->group]);
	put_msg(p, 2);
}

static void put_samples(struct pprof *p, size_t per, struct obuf *out)
{
	const struct stacks_count *v = p->st->counts.v;
	size_t n = p->st->counts.n;

	for (size_t i = 0, j; i < n && !p->code; i = j) {
		for (j = i + 1; j < n && v[j].node == v[i].node && v[j].group == v[i].group;)
			j++;
		put_sample(p, &v[i], j - i, per);
		push(p, out, false);
	}
}

/* ---- the profile ---------------------------------------------------------------------------------- */

/* The name of a value; ':' parts names for some readers. */
static uint32_t type_name(struct pprof *p, const char *what, const char *more)
{
	uint32_t id;

	p->name.len = 0;
	emit_safe(&p->name, what);
	obuf_str(&p->name, more);
	for (size_t i = 0; i < p->name.len; i++)
		if (p->name.buf[i] == ':')
			p->name.buf[i] = '_';
	id = intern_n(&p->strings, p->name.buf, p->name.len);
	if (id == INTERN_NONE)
		p->code = -ENOMEM;
	return id == INTERN_NONE ? 0 : id;
}

/* A field that is a ValueType. */
static void put_type(struct pprof *p, unsigned field, const char *what, const char *more,
		     const char *unit)
{
	proto_num(&p->msg, 1, type_name(p, what, more));
	proto_num(&p->msg, 2, string(p, unit));
	put_msg(p, field);
}

static void put_types(struct pprof *p)
{
	const struct perfdata *pd = p->st->env->pd;

	vec_for_each (i, &p->st->events) {
		const struct perfdata_event *event = perfdata_event(pd, *i);

		if (!event)
			continue;
		if (p->st->events.n > 1)
			put_type(p, 1, event->name, "_samples", "count");
		else
			put_type(p, 1, "samples", "", "count");
		put_type(p, 1, event->name, "", stacks_unit(event));
	}
}

/* The value that is shown first, and what one sample stands for. */
static void put_period(struct pprof *p)
{
	const struct perfdata_event *event = perfdata_event(p->st->env->pd, p->st->events.v[0]);

	if (!event)
		return;
	proto_num(&p->text, 14, type_name(p, event->name, ""));
	put_type(p, 11, event->name, "", stacks_unit(event));
	proto_num(&p->text, 12, stacks_period(event));
}

static void put_about(struct pprof *p)
{
	const struct perfdata_env *env = perfdata_env(p->st->env->pd);
	uint64_t start, took;

	stacks_when(p->st, &start, &took);
	proto_num(&p->text, 9, start);
	proto_num(&p->text, 10, took);
	if (env->version[0]) {
		obuf_printf(&p->msg, "perf-version:%s", env->version);
		obuf_char(&p->msg, '\0');
		proto_num(&p->text, 13, string(p, p->msg.buf));
		p->msg.len = 0;
	}
	if (env->nr_cmdline) {
		obuf_str(&p->msg, "perf-command:");
		for (uint32_t i = 0; i < env->nr_cmdline; i++) {
			obuf_str(&p->msg, i ? " " : "");
			obuf_str(&p->msg, env->cmdline[i]);
		}
		obuf_char(&p->msg, '\0');
		proto_num(&p->text, 13, string(p, p->msg.buf));
		p->msg.len = 0;
	}
}

static int finish(struct convert_run *r, struct err *e)
{
	struct pprof *p = r->own;
	bool branches = r->opts->options & CONVERT_BRANCHES;

	if (stacks_end(p->st) || places_new(&p->places, p->st))
		return err_set(e, -ENOMEM, "no memory for the profile");
	if (branches) {
		put_type(p, 1, "branches", "", "count");
		put_type(p, 1, "mispredicted", "", "count");
		put_type(p, 1, "cycles", "", "count");
		proto_num(&p->text, 14, string(p, "branches"));
		put_type(p, 11, "branches", "", "count");
		proto_num(&p->text, 12, 1);
	} else {
		put_types(p);
		put_period(p);
	}
	put_samples(p, branches ? 3 : 2, r->out);
	places_end(&p->places);
	put_places(p, r->out);
	put_mappings(p, r->out);
	put_about(p);
	for (size_t i = 0; i < p->strings.str.n && !p->code; i++) {
		const char *s = intern_str(&p->strings, (uint32_t)i);

		proto_bytes(&p->text, 6, s, strlen(s));
		push(p, r->out, false);
	}
	push(p, r->out, true);
	return p->code ? err_set(e, p->code, "no memory for the profile") : 0;
}

static void end(struct convert_run *r)
{
	struct pprof *p = r->own;

	if (!p)
		return;
#if HAVE_ZLIB
	if (p->packed)
		deflateEnd(&p->z);
#endif
	free(p->text.buf);
	free(p->msg.buf);
	free(p->inner.buf);
	free(p->name.buf);
	intern_free(&p->strings);
	places_free(&p->places);
	stacks_free(p->st);
	free(p);
}

const struct convert_format convert_pprof = {
	.name = "pprof",
	.holds =
		"stacks with a value for each event, inlines, lines, build ids, for pprof and servers",
	.binary = true,
	.options = CONVERT_BY | CONVERT_BRANCHES,
	.by = CONVERT_BY_COMM | CONVERT_BY_PID | CONVERT_BY_TID | CONVERT_BY_CPU,
	.begin = begin,
	.sample = one_sample,
	.merge = merge,
	.finish = finish,
	.free = end,
};
