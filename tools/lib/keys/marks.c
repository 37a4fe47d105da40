// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Marks: what accumulators of registers say where there are no rows: of a single sample, of the samples at an
 * instruction. A slot is those of the accumulators that were asked for, one behind the other; their columns are what
 * can be said, by the names that report has for them.
 */
#include "keys-int.h"

#define ALIGN 8

static const struct {
	const char *name;
	unsigned bit;
	const struct acc *acc;
} kinds[] = {
	{ "numbers", KEYS_MARK_NUMBERS, &keys_acc_numbers },
	{ "mxcsr", KEYS_MARK_NUMBERS, &keys_acc_mxcsr },
	{ "idle-lanes", KEYS_MARK_IDLE, &keys_acc_idle },
	{ "dirty", KEYS_MARK_DIRTY, &keys_acc_dirty },
	{ "apx", KEYS_MARK_APX, &keys_acc_apx },
	{ "shadow-stack", KEYS_MARK_SHADOW, &keys_acc_shadow },
	{ "values", KEYS_MARK_VALUES, &keys_acc_values },
	{ "simd", KEYS_MARK_SIMD, &keys_acc_simd },
};

struct keys_marks {
	unsigned what;
	const char *values; /* the register */
	size_t size;
	uint64_t need;
	struct {
		const struct acc *acc;
		void *state;
		size_t at; /* of its slot */
	} v[ARRAY_SIZE(kinds)];
	unsigned nr;
	VEC(const struct key *) col;
	VEC(unsigned) of; /* by column: which of v */
};

static int add_kind(struct keys_marks *m, const struct acc *acc, const struct acc_env *env)
{
	m->v[m->nr].acc = acc;
	m->v[m->nr].at = m->size;
	if (acc->start && acc->start(&m->v[m->nr].state, env))
		return -ENOMEM;
	m->size += (acc->size + ALIGN - 1) / ALIGN * ALIGN;
	for (unsigned c = 0; c < acc->nr_cols; c++) {
		if (vec_push(&m->col, &acc->cols[c]) || vec_push(&m->of, m->nr))
			return -ENOMEM;
		m->need |= acc->cols[c].need;
	}
	m->nr++;
	return 0;
}

int keys_marks_new(struct keys_marks **out, unsigned what, const struct acc_env *env, struct err *e)
{
	struct keys_marks *m = calloc(1, sizeof(*m));
	int ret = m ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < ARRAY_SIZE(kinds); i++)
		if (what & kinds[i].bit)
			ret = add_kind(m, kinds[i].acc, env);
	if (ret) {
		keys_marks_free(m);
		return err_set(e, ret, "no memory for what registers say");
	}
	m->what = what;
	m->values = env->values;
	*out = m;
	return 0;
}

void keys_marks_free(struct keys_marks *m)
{
	for (unsigned i = 0; m && i < m->nr; i++)
		if (m->v[i].acc->stop)
			m->v[i].acc->stop(m->v[i].state);
	if (m) {
		vec_free(&m->col);
		vec_free(&m->of);
	}
	free(m);
}

unsigned keys_marks_what(const struct keys_marks *m)
{
	return m->what;
}

uint64_t keys_marks_need(const struct keys_marks *m)
{
	return m->need;
}

size_t keys_marks_size(const struct keys_marks *m)
{
	return m->size;
}

void keys_marks_begin(const struct keys_marks *m, void *slot)
{
	memset(slot, 0, m->size);
	for (unsigned i = 0; i < m->nr; i++)
		if (m->v[i].acc->empty)
			memcpy((char *)slot + m->v[i].at, m->v[i].acc->empty, m->v[i].acc->size);
}

int keys_marks_add(const struct keys_marks *m, void *slot, const struct sample *s,
		   struct thread *th)
{
	const struct acc_in in = { .s = s, .th = th, .period = s->period, .times = 1 };
	int ret = 0;

	for (unsigned i = 0; !ret && i < m->nr; i++)
		ret = m->v[i].acc->add((char *)slot + m->v[i].at, &in, m->v[i].state);
	return ret;
}

int keys_marks_merge(const struct keys_marks *m, void *slot, const void *from,
		     const struct acc_maps *maps)
{
	int ret = 0;

	for (unsigned i = 0; !ret && i < m->nr; i++)
		ret = m->v[i].acc->merge((char *)slot + m->v[i].at, (const char *)from + m->v[i].at,
					 maps);
	return ret;
}

void keys_marks_drop(const struct keys_marks *m, void *slot)
{
	for (unsigned i = 0; i < m->nr; i++)
		if (m->v[i].acc->drop)
			m->v[i].acc->drop((char *)slot + m->v[i].at);
}

void keys_acc_emit_told(const struct acc *acc, const void *slot, struct emit *e)
{
	char name[40];

	/* Who has members of its own has that one, too. */
	if (!acc->told || acc->json)
		return;
	snprintf(name, sizeof(name), "%s_samples", acc->name);
	emit_u64(e, name, acc->told(slot));
}

void keys_acc_legend(const struct acc *acc, struct obuf *o)
{
	for (const char *s = acc->legend ?: ""; *s;) {
		size_t n = strcspn(s, "\n"), skip = strspn(s, "# ");

		skip = skip < n ? skip : n;
		if (n > skip) {
			obuf_mem(o, s + skip, n - skip);
			obuf_char(o, '\n');
		}
		s += n + (s[n] != 0);
	}
}

void keys_marks_legend(const struct keys_marks *m, struct obuf *o)
{
	for (unsigned i = 0; i < m->nr; i++) {
		if (m->v[i].acc->legend)
			obuf_char(o, '\n');
		keys_acc_legend(m->v[i].acc, o);
	}
}

static const struct key *column(const struct keys_marks *m, size_t i, const void *slot,
				uint64_t *value)
{
	const struct key *k = m->col.v[i];

	*value = k->stat ? k->stat(NULL, (const char *)slot + m->v[m->of.v[i]].at) : STAT_UNKNOWN;
	return k;
}

/* Of values: those themselves, which say how many and which share besides. */
static void put_values(const struct keys_marks *m, const void *slot, const char *gap,
		       struct obuf *o)
{
	for (size_t i = 0; i < m->col.n; i++) {
		const struct key *k = m->col.v[i];
		size_t at = o->len;

		if (!k->slot_text)
			continue;
		obuf_printf(o, "%s%s ", gap, m->values);
		k->slot_text(NULL, (const char *)slot + m->v[m->of.v[i]].at, o);
		if (o->len && o->buf[o->len - 1] == '-')
			o->len = at;
	}
}

void keys_marks_put(const struct keys_marks *m, const void *slot, struct obuf *o)
{
	const char *gap = "";

	for (size_t i = 0; i < m->col.n; i++) {
		uint64_t v;
		const struct key *k = column(m, i, slot, &v);

		if (v == STAT_UNKNOWN || !v || k->of == &keys_acc_values)
			continue;
		obuf_str(o, gap);
		gap = " ";
		if (k->stat_text)
			obuf_str(o, k->stat_text(v));
		else if (k->permille)
			obuf_printf(o, "%s %.0f%%", k->head, (double)v / 10);
		else
			obuf_printf(o, "%s %llu", k->head, (unsigned long long)v);
	}
	put_values(m, slot, gap, o);
}

/* A column that is no number. */
static void emit_text(const struct key *k, const void *slot, struct emit *e)
{
	struct obuf o;

	if (obuf_init(&o, -1, 64))
		return;
	k->slot_text(NULL, slot, &o);
	obuf_char(&o, 0);
	emit_str(e, k->name, o.code || !strcmp(o.buf, "-") ? NULL : o.buf);
	obuf_free(&o);
}

void keys_marks_emit(const struct keys_marks *m, const void *slot, const char *name, bool told,
		     struct emit *e)
{
	emit_object(e, name);
	for (size_t i = 0; i < m->col.n; i++) {
		uint64_t v;
		const struct key *k = column(m, i, slot, &v);

		if (k->slot_text)
			emit_text(k, (const char *)slot + m->v[m->of.v[i]].at, e);
		else if (k->stat_text)
			emit_str(e, k->name, v == STAT_UNKNOWN ? NULL : k->stat_text(v));
		else if (v == STAT_UNKNOWN)
			emit_str(e, k->name, NULL);
		else if (k->permille)
			emit_f64(e, k->name, (double)v / 10, 1);
		else
			emit_u64(e, k->name, v);
	}
	for (unsigned i = 0; i < m->nr; i++) {
		const char *at = (const char *)slot + m->v[i].at;

		if (told)
			keys_acc_emit_told(m->v[i].acc, at, e);
		if (m->v[i].acc->json)
			m->v[i].acc->json(NULL, at, e);
	}
	emit_end(e);
}
