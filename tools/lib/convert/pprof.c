// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pprof's profile.proto (github.com/google/pprof, proto/profile.proto): stacks with two values for each
 * event, how many samples and the sum of their periods, so that sums are those of perf report.
 *
 * Objects are mappings as if each had been loaded at its offsets: an address is one of the file,
 * whatever process ran it, and equal code of several processes is one location. Mappings say
 * truthfully what is known of them, so that who has the object may find out the rest. Ids are dense
 * from 1, in the order in which they are written; all strings are valid UTF-8.
 *
 * Messages are written one by one through gzip; what is held is what is distinct.
 */
#include <stdlib.h>

#include "config.h"
#include "convert/stacks-int.h"
#include "session/session.h"

#if HAVE_ZLIB
#include <zlib.h>
#endif

/* ---- bytes --------------------------------------------------------------------------------------- */

#define CHUNK (64 << 10)

/* A place, told apart by its frames from the innermost inlined function out. */
struct location {
	uint32_t first, last; /* nodes' frames */
};

struct function_entry {
	const struct symbol *sym;
	uint32_t name, file;
};

struct mapping {
	const struct dso *dso;
	uint64_t low, high, samples;
	bool functions, files, lines, inlines;
};

struct pprof {
	struct stacks *st;
	struct obuf text;  /* messages on their way to the packer */
	struct obuf msg;   /* the one that is being made ... */
	struct obuf inner; /* ... and one inside of it */
	struct obuf name;
	struct intern strings;
	struct htab location_tab, function_tab;
	VEC(struct location) locations;
	VEC(struct function_entry) functions;
	VEC(struct mapping) mappings;
	uint32_t *mapping_of;  /* dso -> mapping id, 0 = none yet */
	uint32_t *location_of; /* node -> id of the location that it is the innermost line of */
	uint32_t *above;       /* node -> the node that the location above begins at */
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

static void put_varint(struct obuf *o, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		obuf_char(o, (char)(v | 0x80));
	obuf_char(o, (char)v);
}

/* 0 is what a field has that is not there. */
static void put_num(struct obuf *o, unsigned field, uint64_t v)
{
	if (!v)
		return;
	put_varint(o, field << 3);
	put_varint(o, v);
}

static void put_bytes(struct obuf *o, unsigned field, const void *data, size_t n)
{
	put_varint(o, field << 3 | 2);
	put_varint(o, n);
	obuf_mem(o, data, n);
}

/* The message that was made, as @field of the profile. */
static void put_msg(struct pprof *p, unsigned field)
{
	put_bytes(&p->text, field, p->msg.buf, p->msg.len);
	p->msg.len = 0;
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
	int ret = r->opts->options & CONVERT_BRANCHES
			  ? convert_need(r, PERF_SAMPLE_BRANCH_STACK, "it has no branch stacks",
					 "Record with -b, or -j any,u.", e)
			  : 0;

	if (ret)
		return ret;
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
	return r->opts->options & CONVERT_BRANCHES ? stacks_add_branches(p->st, r, in, e)
						   : stacks_add(p->st, r, in, e);
}

/* ---- mappings ------------------------------------------------------------------------------------- */

/* Its id; 0 where the frame is in no object. */
static uint32_t mapping_of(struct pprof *p, const struct dso *dso)
{
	if (!dso)
		return 0;
	if (!p->mapping_of[dso->idx]) {
		if (vec_push(&p->mappings, ((struct mapping){ .dso = dso, .low = UINT64_MAX }))) {
			p->code = -ENOMEM;
			return 0;
		}
		p->mapping_of[dso->idx] = (uint32_t)p->mappings.n;
	}
	return p->mapping_of[dso->idx];
}

static bool is_program(const struct dso *dso)
{
	return dso->kind == DSO_USER && dso->name[0] == '/' && !strstr(dso->name, ".so");
}

/* The first mapping is what readers name the profile after: the program that has most samples. */
static void choose_first(struct pprof *p)
{
	struct mapping *best = NULL;

	vec_for_each (m, &p->mappings)
		if (!best || is_program(m->dso) > is_program(best->dso) ||
		    (is_program(m->dso) == is_program(best->dso) && m->samples > best->samples))
			best = m;
	if (best) {
		struct mapping m = *best;

		*best = p->mappings.v[0];
		p->mappings.v[0] = m;
	}
	for (size_t i = 0; i < p->mappings.n; i++)
		p->mapping_of[p->mappings.v[i].dso->idx] = (uint32_t)i + 1;
}

static int find_mappings(struct pprof *p)
{
	const struct stacks *st = p->st;

	p->mapping_of = calloc(machine_nr_dsos(st->env->machine) + 1, sizeof(*p->mapping_of));
	if (!p->mapping_of)
		return -ENOMEM;
	vec_for_each (c, &st->counts) {
		const struct stacks_frame *f =
			c->node == STACKS_NONE ? NULL : &st->frames.v[st->nodes.v[c->node].frame];
		uint32_t id = f ? mapping_of(p, stacks_dso(st, f)) : 0;

		if (id)
			p->mappings.v[id - 1].samples += c->v[0];
	}
	vec_for_each (f, &st->frames)
		mapping_of(p, stacks_dso(st, f));
	choose_first(p);
	return p->code;
}

static void put_mappings(struct pprof *p, struct obuf *out)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < p->mappings.n; i++) {
		const struct mapping *m = &p->mappings.v[i];
		uint64_t low = m->low & ~4095ULL, high = m->high | 4095;
		char id[2 * 255 + 1];
		bool file = m->dso->kind == DSO_USER || m->dso->kind == DSO_VDSO;

		for (unsigned k = 0; k < m->dso->build_id_size; k++) {
			id[2 * k] = digits[m->dso->build_id[k] >> 4];
			id[2 * k + 1] = digits[m->dso->build_id[k] & 15];
		}
		id[2 * m->dso->build_id_size] = '\0';
		put_num(&p->msg, 1, i + 1);
		put_num(&p->msg, 2, low);
		put_num(&p->msg, 3, high + 1 ? high + 1 : high);
		put_num(&p->msg, 4, file ? low : 0);
		put_num(&p->msg, 5, string(p, m->dso->name));
		put_num(&p->msg, 6, string(p, id));
		put_num(&p->msg, 7, m->functions);
		put_num(&p->msg, 8, m->files);
		put_num(&p->msg, 9, m->lines);
		put_num(&p->msg, 10, m->inlines);
		put_msg(p, 3);
		push(p, out, false);
	}
}

/* ---- functions and locations ---------------------------------------------------------------------- */

/* Its id: a function is a name in a source file. */
static uint32_t function_of(struct pprof *p, const struct symbol *sym, const char *file)
{
	struct function_entry f = { sym, 0, file ? string(p, file) : 0 };
	uint64_t hash = hash_mix((uintptr_t)sym, f.file);
	uint32_t i;

	for (struct htab_it it = htab_find(&p->function_tab, hash);
	     htab_next(&p->function_tab, &it, &i);)
		if (p->functions.v[i].sym == sym && p->functions.v[i].file == f.file)
			return i + 1;
	f.name = string(p, sym->name);
	i = (uint32_t)p->functions.n;
	if (vec_push(&p->functions, f) || htab_add(&p->function_tab, hash, i))
		p->code = -ENOMEM;
	put_num(&p->msg, 1, i + 1);
	put_num(&p->msg, 2, f.name);
	put_num(&p->msg, 3, f.name);
	put_num(&p->msg, 4, f.file);
	put_msg(p, 5);
	return i + 1;
}

/* One function of a location, as field 4 of it; in inner until all functions are known. */
static void put_line(struct pprof *p, const struct stacks_frame *f, struct mapping *m)
{
	char one[32];
	struct obuf line = { .buf = one, .cap = sizeof(one), .fd = -1 };
	struct srcline at;
	bool known = stacks_line(p->st, f, &at);

	put_num(&line, 1, function_of(p, f->sym, known ? at.file : NULL));
	put_num(&line, 2, known ? at.line : 0);
	put_bytes(&p->inner, 4, line.buf, line.len);
	if (m) {
		m->functions = true;
		m->files |= known;
		m->lines |= known;
		m->inlines |= f->inlined;
	}
}

/* A new one: @node is its innermost function, @end the node above its outermost. */
static void put_location(struct pprof *p, uint32_t node, uint32_t end, uint32_t id)
{
	const struct stacks *st = p->st;
	const struct stacks_frame *f = &st->frames.v[st->nodes.v[node].frame];
	uint32_t map = mapping_of(p, stacks_dso(st, f));
	struct mapping *m = map ? &p->mappings.v[map - 1] : NULL;
	uint64_t addr = stacks_addr(st, f);

	p->inner.len = 0;
	for (; node != end; node = st->nodes.v[node].parent) {
		f = &st->frames.v[st->nodes.v[node].frame];
		if (f->sym)
			put_line(p, f, m);
	}
	if (m) {
		m->low = min_u64(m->low, addr);
		m->high = max_u64(m->high, addr);
	}
	put_num(&p->msg, 1, id);
	put_num(&p->msg, 2, map);
	put_num(&p->msg, 3, addr);
	obuf_mem(&p->msg, p->inner.buf, p->inner.len);
	put_msg(p, 4);
}

/* The id of the location that begins at @node; p->above of it is where the next one does. */
static uint32_t location_of(struct pprof *p, uint32_t node)
{
	const struct stacks *st = p->st;
	struct location l;
	uint32_t last = node, i;
	uint64_t hash;

	if (p->location_of[node])
		return p->location_of[node];
	while (st->frames.v[st->nodes.v[last].frame].inlined &&
	       st->nodes.v[last].parent != STACKS_NONE)
		last = st->nodes.v[last].parent;
	l = (struct location){ st->nodes.v[node].frame, st->nodes.v[last].frame };
	p->above[node] = st->nodes.v[last].parent;
	hash = hash_mix(l.first, l.last);
	for (struct htab_it it = htab_find(&p->location_tab, hash);
	     htab_next(&p->location_tab, &it, &i);)
		if (p->locations.v[i].first == l.first && p->locations.v[i].last == l.last)
			return p->location_of[node] = i + 1;
	i = (uint32_t)p->locations.n;
	if (vec_push(&p->locations, l) || htab_add(&p->location_tab, hash, i)) {
		p->code = -ENOMEM;
		return 0;
	}
	put_location(p, node, p->above[node], i + 1);
	return p->location_of[node] = i + 1;
}

/* ---- samples -------------------------------------------------------------------------------------- */

static void put_label(struct pprof *p, const char *key, const char *text, int64_t num,
		      const char *unit)
{
	p->inner.len = 0;
	put_num(&p->inner, 1, string(p, key));
	if (text)
		put_num(&p->inner, 2, string(p, text));
	put_num(&p->inner, 3, (uint64_t)num);
	/* Go's reader drops a 0 without a unit. */
	if (unit)
		put_num(&p->inner, 4, string(p, unit));
	put_bytes(&p->msg, 3, p->inner.buf, p->inner.len);
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

	/* Locations first: what is new among them are messages of their own. */
	for (uint32_t at = counts->node; at != STACKS_NONE; at = p->above[at])
		if (!location_of(p, at))
			return;
	p->inner.len = 0;
	for (uint32_t at = counts->node; at != STACKS_NONE; at = p->above[at])
		put_varint(&p->inner, p->location_of[at]);
	put_bytes(&p->msg, 1, p->inner.buf, p->inner.len);
	p->inner.len = 0;
	for (size_t i = 0; i < nr; i++) {
		bool has = k < n && counts[k].event == p->st->events.v[i];

		for (size_t v = 0; v < per; v++)
			put_varint(&p->inner, has ? counts[k].v[v] : 0);
		k += has;
	}
	put_bytes(&p->msg, 2, p->inner.buf, p->inner.len);
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
	put_num(&p->msg, 1, type_name(p, what, more));
	put_num(&p->msg, 2, string(p, unit));
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

/* The value that is shown first, and what one sample stands for; a frequency says it of clocks alone. */
static void put_period(struct pprof *p)
{
	const struct perfdata_event *event = perfdata_event(p->st->env->pd, p->st->events.v[0]);

	if (!event)
		return;
	put_num(&p->text, 14, type_name(p, event->name, ""));
	put_type(p, 11, event->name, "", stacks_unit(event));
	if (!(event->attr.flags & ATTR_FLAG_FREQ))
		put_num(&p->text, 12, event->attr.sample_period);
	else if (stacks_unit(event)[0] == 'n' && event->attr.sample_freq)
		put_num(&p->text, 12, 1000000000 / event->attr.sample_freq);
}

static void put_about(struct pprof *p)
{
	const struct perfdata_env *env = perfdata_env(p->st->env->pd);
	const struct stacks *st = p->st;
	struct perfdata_layout l;

	perfdata_layout(st->env->pd, &l);
	if (st->first_time <= st->last_time) {
		uint64_t took = st->last_time - st->first_time;

		/* The file was written when the last sample had come. */
		if (l.mtime > 0 && (uint64_t)l.mtime * 1000000000 > took)
			put_num(&p->text, 9, (uint64_t)l.mtime * 1000000000 - took);
		put_num(&p->text, 10, took);
	}
	if (env->version[0]) {
		obuf_printf(&p->msg, "perf-version:%s", env->version);
		obuf_char(&p->msg, '\0');
		put_num(&p->text, 13, string(p, p->msg.buf));
		p->msg.len = 0;
	}
	if (env->nr_cmdline) {
		obuf_str(&p->msg, "perf-command:");
		for (uint32_t i = 0; i < env->nr_cmdline; i++) {
			obuf_str(&p->msg, i ? " " : "");
			obuf_str(&p->msg, env->cmdline[i]);
		}
		obuf_char(&p->msg, '\0');
		put_num(&p->text, 13, string(p, p->msg.buf));
		p->msg.len = 0;
	}
}

static int finish(struct convert_run *r, struct err *e)
{
	struct pprof *p = r->own;
	bool branches = r->opts->options & CONVERT_BRANCHES;

	p->location_of = calloc(p->st->nodes.n + 1, sizeof(*p->location_of));
	p->above = calloc(p->st->nodes.n + 1, sizeof(*p->above));
	if (!p->location_of || !p->above || stacks_end(p->st) || find_mappings(p))
		return err_set(e, -ENOMEM, "no memory for the profile");
	if (branches) {
		put_type(p, 1, "branches", "", "count");
		put_type(p, 1, "mispredicted", "", "count");
		put_type(p, 1, "cycles", "", "count");
		put_num(&p->text, 14, string(p, "branches"));
		put_type(p, 11, "branches", "", "count");
		put_num(&p->text, 12, 1);
	} else {
		put_types(p);
		put_period(p);
	}
	put_samples(p, branches ? 3 : 2, r->out);
	put_mappings(p, r->out);
	put_about(p);
	for (size_t i = 0; i < p->strings.str.n && !p->code; i++) {
		const char *s = intern_str(&p->strings, (uint32_t)i);

		put_bytes(&p->text, 6, s, strlen(s));
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
	htab_free(&p->location_tab);
	htab_free(&p->function_tab);
	vec_free(&p->locations);
	vec_free(&p->functions);
	vec_free(&p->mappings);
	free(p->mapping_of);
	free(p->location_of);
	free(p->above);
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
	.finish = finish,
	.free = end,
};
