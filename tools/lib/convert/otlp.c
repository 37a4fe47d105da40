// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * OpenTelemetry's profiles (package opentelemetry.proto.profiles.v1development, as in version 1.11.0 of
 * opentelemetry-proto): a message ProfilesData, which has the fields of the request that servers take at
 * /v1development/profiles. The format is in development: numbers of fields changed with 1.9, and may again.
 *
 * A profile has one kind of value, so each event is two: the sum of periods, and samples. All share one
 * dictionary, whose tables begin with a zero element that stands for "none". Who ran is attributes of
 * samples, by the names of the semantic conventions.
 *
 * Lengths stand in front of messages, and the profiles are one inside of two others: what is distinct is
 * held as bytes until the end.
 */
#include <stdlib.h>

#include "base/proto.h"
#include "convert/places-int.h"
#include "session/session.h"

enum table { MAPPINGS = 1, LOCATIONS, FUNCTIONS, LINKS, STRINGS, ATTRIBUTES, STACKS };

/* Text is the number of a string. */
struct attribute {
	uint32_t key;
	bool is_text;
	uint64_t value;
};

struct otlp {
	struct stacks *st;
	struct places places;
	struct obuf profiles; /* ScopeProfiles' fields */
	struct obuf profile, msg, inner,
		deeper; /* messages on their way, each inside of the one before */
	struct obuf text;
	struct intern strings;
	VEC(struct attribute) attributes;
	struct htab attribute_tab;
	VEC(uint32_t) stacks; /* nodes */
	uint32_t *stack_of;   /* node -> number of the stack that begins there */
	int code;
};

static uint32_t string(struct otlp *t, const char *s)
{
	uint32_t id;

	t->text.len = 0;
	emit_safe(&t->text, s);
	id = intern_n(&t->strings, t->text.buf, t->text.len);
	if (id == INTERN_NONE)
		t->code = -ENOMEM;
	return id == INTERN_NONE ? 0 : id;
}

/* Its number in the table. */
static uint32_t attribute(struct otlp *t, const char *key, const char *text, uint64_t num)
{
	struct attribute a = { string(t, key), text != NULL, text ? string(t, text) : num };
	uint64_t hash = hash_mix((uint64_t)a.key << 1 | a.is_text, a.value);
	uint32_t i;

	for (struct htab_it it = htab_find(&t->attribute_tab, hash);
	     htab_next(&t->attribute_tab, &it, &i);)
		if (t->attributes.v[i].key == a.key && t->attributes.v[i].is_text == a.is_text &&
		    t->attributes.v[i].value == a.value)
			return i + 1;
	i = (uint32_t)t->attributes.n;
	if (vec_push(&t->attributes, a) || htab_add(&t->attribute_tab, hash, i))
		t->code = -ENOMEM;
	return i + 1;
}

/* ---- reading -------------------------------------------------------------------------------------- */

static int begin(struct convert_run *r, struct err *e)
{
	struct otlp *t = r->own = calloc(1, sizeof(*t));

	if (!t || obuf_init(&t->profiles, -1, 0) || obuf_init(&t->profile, -1, 0) ||
	    obuf_init(&t->msg, -1, 0) || obuf_init(&t->inner, -1, 0) ||
	    obuf_init(&t->deeper, -1, 0) || obuf_init(&t->text, -1, 0) ||
	    intern(&t->strings, "") == INTERN_NONE)
		return err_set(e, -ENOMEM, "no memory for the profile");
	return stacks_new(&t->st, r, r->opts->by, e);
}

static int one_sample(struct convert_run *r, const struct session_sample *in, struct err *e)
{
	struct otlp *t = r->own;

	r->samples++;
	return stacks_add(t->st, r, in, e);
}

static int merge(struct convert_run *r, struct convert_run *from, const struct session_maps *maps,
		 struct err *e)
{
	struct otlp *t = r->own, *other = from->own;

	return stacks_merge(t->st, other->st, maps, NULL, e);
}

/* ---- profiles ------------------------------------------------------------------------------------- */

static uint32_t stack_of(struct otlp *t, uint32_t node)
{
	if (node == STACKS_NONE)
		return 0;
	if (!t->stack_of[node]) {
		if (vec_push(&t->stacks, node))
			t->code = -ENOMEM;
		t->stack_of[node] = (uint32_t)t->stacks.n;
	}
	return t->stack_of[node];
}

static void put_who(struct otlp *t, const struct stacks_group *g)
{
	if (g->comm != STACKS_NONE)
		obuf_varint(&t->inner, attribute(t, "thread.name",
						 machine_comm(t->st->env->machine, g->comm), 0));
	if (g->pid != -1)
		obuf_varint(&t->inner,
			    attribute(t, "process.pid", NULL, (uint64_t)(int64_t)g->pid));
	if (g->tid != -1)
		obuf_varint(&t->inner, attribute(t, "thread.id", NULL, (uint64_t)(int64_t)g->tid));
	if (g->cpu != STACKS_NONE)
		obuf_varint(&t->inner, attribute(t, "cpu.logical_number", NULL, g->cpu));
	if (t->inner.len)
		proto_msg(&t->msg, 2, &t->inner);
}

/* @value: 0 = samples, 1 = their periods. */
static void put_samples(struct otlp *t, uint32_t event, int value)
{
	vec_for_each (c, &t->st->counts) {
		if (c->event != event)
			continue;
		proto_num(&t->msg, 1, stack_of(t, c->node));
		put_who(t, &t->st->groups.v[c->group]);
		obuf_varint(&t->inner, c->v[value]);
		proto_msg(&t->msg, 4, &t->inner);
		proto_msg(&t->profile, 2, &t->msg);
	}
}

static void put_type(struct otlp *t, unsigned field, const char *what, const char *unit)
{
	proto_num(&t->msg, 1, string(t, what));
	proto_num(&t->msg, 2, string(t, unit));
	proto_msg(&t->profile, field, &t->msg);
}

static void put_profile(struct otlp *t, const struct perfdata_event *event, int value)
{
	uint64_t start, took;

	stacks_when(t->st, &start, &took);
	if (value)
		put_type(t, 1, event->name, stacks_unit(event));
	else
		put_type(t, 1, "samples", "count");
	put_samples(t, event->idx, value);
	proto_fixed64(&t->profile, 3, start);
	proto_num(&t->profile, 4, took);
	put_type(t, 5, event->name, stacks_unit(event));
	proto_num(&t->profile, 6, stacks_period(event));
	proto_msg(&t->profiles, 2, &t->profile);
}

/* ---- the dictionary ------------------------------------------------------------------------------- */

/* An element of a table; of that message each is a field. */
static void put_element(struct otlp *t, enum table table, struct obuf *out)
{
	proto_msg(out, table, &t->msg);
}

static void put_mappings(struct otlp *t, struct obuf *out)
{
	put_element(t, MAPPINGS, out);
	vec_for_each (m, &t->places.mappings) {
		char id[2 * 255 + 1];

		for (unsigned k = 0; k < m->dso->build_id_size; k++) {
			id[2 * k] = "0123456789abcdef"[m->dso->build_id[k] >> 4];
			id[2 * k + 1] = "0123456789abcdef"[m->dso->build_id[k] & 15];
		}
		id[2 * m->dso->build_id_size] = '\0';
		proto_num(&t->msg, 1, m->start);
		proto_num(&t->msg, 2, m->end);
		proto_num(&t->msg, 3, m->offset);
		proto_num(&t->msg, 4, string(t, m->dso->name));
		if (id[0]) {
			obuf_varint(&t->inner,
				    attribute(t, "process.executable.build_id.gnu", id, 0));
			proto_msg(&t->msg, 5, &t->inner);
		}
		put_element(t, MAPPINGS, out);
	}
}

static bool is_kernel(const struct stacks *st, const struct places_entry *l)
{
	uint8_t mode = resolver_loc(st->env->resolver, st->frames.v[l->first].loc)->cpumode;

	return mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_GUEST_KERNEL;
}

static void put_locations(struct otlp *t, struct obuf *out)
{
	const struct places *p = &t->places;

	put_element(t, LOCATIONS, out);
	vec_for_each (l, &p->places) {
		proto_num(&t->msg, 1, l->mapping);
		proto_num(&t->msg, 2, l->addr);
		for (uint32_t k = l->line; k < l->line + l->nr_lines; k++) {
			proto_num(&t->inner, 1, p->lines.v[k].function);
			proto_num(&t->inner, 2, p->lines.v[k].line);
			proto_msg(&t->msg, 3, &t->inner);
		}
		obuf_varint(&t->inner, attribute(t, "profile.frame.type",
						 is_kernel(t->st, l) ? "kernel" : "native", 0));
		proto_msg(&t->msg, 4, &t->inner);
		put_element(t, LOCATIONS, out);
	}
}

static void put_functions(struct otlp *t, struct obuf *out)
{
	put_element(t, FUNCTIONS, out);
	vec_for_each (f, &t->places.functions) {
		uint32_t name = string(t, f->sym->name);

		proto_num(&t->msg, 1, name);
		proto_num(&t->msg, 2, name);
		proto_num(&t->msg, 3, string(t, places_file(&t->places, f)));
		put_element(t, FUNCTIONS, out);
	}
}

static void put_stacks(struct otlp *t, struct obuf *out)
{
	put_element(t, STACKS, out);
	vec_for_each (node, &t->stacks) {
		for (uint32_t at = *node; at != STACKS_NONE; at = t->places.above[at]) {
			uint32_t id = places_at(&t->places, at);

			if (!id)
				t->code = -ENOMEM;
			obuf_varint(&t->inner, id);
		}
		proto_msg(&t->msg, 1, &t->inner);
		put_element(t, STACKS, out);
	}
}

static void put_attributes(struct otlp *t, struct obuf *out)
{
	put_element(t, ATTRIBUTES, out);
	vec_for_each (a, &t->attributes) {
		const char *text = a->is_text ? intern_str(&t->strings, (uint32_t)a->value) : NULL;

		proto_num(&t->msg, 1, a->key);
		if (text) {
			proto_bytes(&t->inner, 1, text, strlen(text));
		} else {
			/* One of several kinds of values is told apart by being there. */
			obuf_varint(&t->inner, 3 << 3);
			obuf_varint(&t->inner, a->value);
		}
		proto_msg(&t->msg, 2, &t->inner);
		put_element(t, ATTRIBUTES, out);
	}
}

/* Stacks first: they find places, which find functions; strings last. */
static void put_dictionary(struct otlp *t, struct obuf *out)
{
	put_stacks(t, out);
	places_end(&t->places);
	put_mappings(t, out);
	put_locations(t, out);
	put_functions(t, out);
	put_element(t, LINKS, out);
	put_attributes(t, out);
	for (uint32_t i = 0; i < t->strings.str.n; i++)
		proto_bytes(out, STRINGS, intern_str(&t->strings, i),
			    strlen(intern_str(&t->strings, i)));
}

/* ---- the file ------------------------------------------------------------------------------------- */

/* An attribute of the resource has its key at hand. */
static void put_about(struct otlp *t, const char *key, const char *value)
{
	if (!value || !value[0])
		return;
	t->text.len = 0;
	emit_safe(&t->text, value);
	proto_bytes(&t->inner, 1, key, strlen(key));
	proto_msg(&t->deeper, 1, &t->text);
	proto_msg(&t->inner, 2, &t->deeper);
	proto_msg(&t->msg, 1, &t->inner);
}

/* ResourceProfiles: where it was recorded, and by what; then the profiles. */
static void put_resource(struct otlp *t, struct obuf *out)
{
	const struct perfdata_env *env = perfdata_env(t->st->env->pd);

	put_about(t, "host.name", env->hostname);
	put_about(t, "os.type", "linux");
	put_about(t, "os.version", env->os_release);
	proto_msg(&t->profile, 1, &t->msg);
	proto_bytes(&t->msg, 1, "perf", 4);
	if (env->version && env->version[0]) {
		t->text.len = 0;
		emit_safe(&t->text, env->version);
		proto_msg(&t->msg, 2, &t->text);
	}
	proto_msg(&t->profiles, 1, &t->msg);
	proto_msg(&t->profile, 2, &t->profiles);
	proto_msg(out, 1, &t->profile);
}

static int finish(struct convert_run *r, struct err *e)
{
	struct otlp *t = r->own;
	struct obuf *o = &t->profiles;

	t->stack_of = calloc(t->st->nodes.n + 1, sizeof(*t->stack_of));
	if (!t->stack_of || stacks_end(t->st) || places_new(&t->places, t->st))
		return err_set(e, -ENOMEM, "no memory for the profile");
	vec_for_each (i, &t->st->events) {
		const struct perfdata_event *event = perfdata_event(t->st->env->pd, *i);

		/* Readers show the first profile. */
		for (int value = 1; event && value >= 0; value--)
			put_profile(t, event, value);
	}
	put_resource(t, r->out);
	put_dictionary(t, o);
	proto_msg(r->out, 2, o);
	t->code = t->code
			  ?: o->code
			  ?: t->profile.code
			  ?: t->msg.code
			  ?: t->inner.code
			  ?: t->deeper.code
			  ?: t->text.code;
	return t->code ? err_set(e, t->code, "no memory for the profile") : 0;
}

static void end(struct convert_run *r)
{
	struct otlp *t = r->own;

	if (!t)
		return;
	free(t->profiles.buf);
	free(t->profile.buf);
	free(t->msg.buf);
	free(t->inner.buf);
	free(t->deeper.buf);
	free(t->text.buf);
	intern_free(&t->strings);
	vec_free(&t->attributes);
	htab_free(&t->attribute_tab);
	vec_free(&t->stacks);
	free(t->stack_of);
	places_free(&t->places);
	stacks_free(t->st);
	free(t);
}

const struct convert_format convert_otlp = {
	.name = "otlp",
	.holds = "OpenTelemetry's profiles, v1development of version 1.11.0, for collectors",
	.binary = true,
	.options = CONVERT_BY,
	.by = CONVERT_BY_COMM | CONVERT_BY_PID | CONVERT_BY_TID | CONVERT_BY_CPU,
	.begin = begin,
	.sample = one_sample,
	.merge = merge,
	.finish = finish,
	.free = end,
};
