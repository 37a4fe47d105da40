// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What others make of functions' code, once for all resolvers that share a store. Nobody waits for who is at it: two
 * that make the same of one function at the same time are rare, and what comes second is dropped.
 */
#include <stdlib.h>

#include "symbol/symbol-int.h"

static bool is_of(const struct note *a, const struct note *b)
{
	return a->kind == b->kind && a->of == b->of && a->number == b->number && a->at == b->at;
}

static uint64_t hash_of(const struct note *n)
{
	return hash_mix(hash_mix(n->at, (uintptr_t)n->of), n->number);
}

/*
 * Its name in the store. The functions of an object that is read once for all are known by where they are; others, of code
 * that comes and goes or whose bytes are a recording's, by their number in this resolver.
 */
static struct note name_of(struct resolver *res, const struct loc *l,
			   const struct symbol_note_kind *kind)
{
	const struct object *o = object_load(res, l->dso);
	const struct stored *s = o ? o->stored : NULL;

	if (s && (l->dso->kind == DSO_USER || l->dso->kind == DSO_VDSO))
		return (struct note){ .kind = kind, .of = s, .at = l->sym->start };
	return (struct note){ .kind = kind, .number = res->number + 1, .at = l->sym->idx };
}

static const struct note *find(const struct symbol_store_notes *s, const struct note *n)
{
	uint32_t i;

	for (struct htab_it it = htab_find(&s->by_name, hash_of(n));
	     htab_next(&s->by_name, &it, &i);)
		if (is_of(&s->note.v[i], n))
			return &s->note.v[i];
	return NULL;
}

const void *symbol_note(struct resolver *res, const struct loc *l,
			const struct symbol_note_kind *kind)
{
	struct symbol_store_notes *s = stored_notes(res);
	struct note n = name_of(res, l, kind);
	const struct note *have;
	const void *what;

	pthread_mutex_lock(&s->lock);
	have = find(s, &n);
	what = have ? have->what : NULL;
	pthread_mutex_unlock(&s->lock);
	return what;
}

const void *symbol_note_keep(struct resolver *res, const struct loc *l,
			     const struct symbol_note_kind *kind, void *what)
{
	struct symbol_store_notes *s = stored_notes(res);
	struct note n = name_of(res, l, kind);
	const struct note *have;
	const void *kept = NULL;

	n.what = what;
	pthread_mutex_lock(&s->lock);
	have = find(s, &n);
	if (have)
		kept = have->what;
	else if (!vec_push(&s->note, n) &&
		 !htab_add(&s->by_name, hash_of(&n), (uint32_t)s->note.n - 1))
		kept = what;
	else if (s->note.n && s->note.v[s->note.n - 1].what == what)
		s->note.n--;
	pthread_mutex_unlock(&s->lock);
	if (kept != what)
		kind->drop(what);
	return kept;
}

void symbol_notes_init(struct symbol_store_notes *s)
{
	pthread_mutex_init(&s->lock, NULL);
}

void symbol_notes_free(struct symbol_store_notes *s)
{
	vec_for_each (n, &s->note)
		n->kind->drop(n->what);
	vec_free(&s->note);
	htab_free(&s->by_name);
	pthread_mutex_destroy(&s->lock);
}
