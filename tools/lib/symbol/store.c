// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is read of objects, for several resolvers in several threads. The first to ask about an object
 * loads it, under a lock of that object alone: two threads load two objects side by side, and a
 * third that wants one of them waits. What was loaded never changes, so that it is read without a lock:
 * each resolver has a copy of the few pointers.
 *
 * Machines number objects in ways of their own; so one is known by a text that says all that its
 * loading depends on, but for the options, which are the same for all resolvers of a store.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/side.h"
#include "symbol/symbol-int.h"

#define WORTH 10000 /* symbols: smaller tables are made about as fast as they are read */

struct stored {
	pthread_mutex_t lock;
	bool loaded;
	struct found found;
	VEC(char *) warning;
	bool lacked_memory;
	struct kallsyms *ahead; /* a thread is reading it; NULL = none */
	int ahead_ret;		/* the thread's, once it ended */
	double ahead_seconds;	/* likewise: of CPU time */
	atomic_bool kept;	/* of the thread: it was in the cache */
	pthread_t thread;
	struct lines *lines; /* of a file with debug information */
	unsigned users;	     /* of them */
	struct symcache_key key;
	const struct symcache *cache; /* where the table goes; NULL = nowhere */
	struct symtab part;	      /* what of it; shares found.tab's memory */
	pthread_t writer;
	bool writing;
};

struct symbol_store {
	pthread_mutex_t lock; /* for finding and adding */
	struct intern keys;
	VEC(struct stored *) stored; /* by number of the key */
	unsigned resolvers;
	struct symbol_store_notes notes;
	struct symcache cache;
	bool cache_tried;
};

int symbol_store_new(struct symbol_store **st, struct err *e)
{
	*st = calloc(1, sizeof(**st));
	if (!*st)
		return err_set(e, -ENOMEM, "out of memory for the symbol tables");
	(*st)->cache.dir = -1;
	pthread_mutex_init(&(*st)->lock, NULL);
	symbol_notes_init(&(*st)->notes);
	return 0;
}

static void found_free(struct found *f)
{
	symtab_free(&f->tab);
	vec_free(&f->seg.v);
	free(f->file);
	free(f->run_file);
}

static void forget_warnings(struct stored *s)
{
	vec_for_each (w, &s->warning)
		free(*w);
	vec_free(&s->warning);
	s->lacked_memory = false;
}

static void stored_free(struct stored *s)
{
	int ret;

	if (!s)
		return;
	kallsyms_free(stored_wait(s, &ret));
	if (s->writing)
		pthread_join(s->writer, NULL);
	found_free(&s->found);
	lines_free(s->lines);
	forget_warnings(s);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

void symbol_store_free(struct symbol_store *st)
{
	if (!st)
		return;
	symbol_notes_free(&st->notes);
	vec_for_each (s, &st->stored)
		stored_free(*s);
	vec_free(&st->stored);
	intern_free(&st->keys);
	symcache_close(&st->cache);
	pthread_mutex_destroy(&st->lock);
	free(st);
}

unsigned stored_next_number(struct symbol_store *st)
{
	unsigned n;

	pthread_mutex_lock(&st->lock);
	n = st->resolvers++;
	pthread_mutex_unlock(&st->lock);
	return n;
}

struct symbol_store_notes *stored_notes(struct resolver *res)
{
	return &res->opts.store->notes;
}

const struct symcache *stored_cache(struct resolver *res)
{
	struct symbol_store *st = res->opts.store;

	pthread_mutex_lock(&st->lock);
	if (!st->cache_tried && res->opts.cache)
		symcache_open(&st->cache, &res->opts.log);
	st->cache_tried = true;
	pthread_mutex_unlock(&st->lock);
	return &st->cache;
}

static struct stored *get(struct symbol_store *st, const char *key)
{
	uint32_t id = intern(&st->keys, key);
	struct stored *s;

	if (id == INTERN_NONE || vec_reach(&st->stored, id, NULL))
		return NULL;
	s = st->stored.v[id];
	if (s)
		return s;
	s = st->stored.v[id] = calloc(1, sizeof(*s));
	if (s)
		pthread_mutex_init(&s->lock, NULL);
	return s;
}

struct stored *stored_get(struct resolver *res, const char *key)
{
	struct symbol_store *st = res->opts.store;
	struct stored *s;

	pthread_mutex_lock(&st->lock);
	s = get(st, key);
	pthread_mutex_unlock(&st->lock);
	return s;
}

bool stored_begin(struct resolver *res, struct stored *s)
{
	pthread_mutex_lock(&s->lock);
	if (s->loaded)
		return false;
	s->loaded = true;
	res->loading = s;
	return true;
}

struct found *stored_found(struct stored *s)
{
	return &s->found;
}

/* Also to whom it would have come in vain: every resolver says what it would say alone. */
static void take_warnings(struct resolver *res, const struct stored *s)
{
	vec_for_each (w, &s->warning)
		resolver_warn(res, "%s", *w);
	res->lacked_memory |= s->lacked_memory;
}

static void *write_table(void *arg)
{
	struct stored *s = arg;

	symcache_put(s->cache, &s->key, s->part.sym.n ? &s->part : &s->found.tab);
	return NULL;
}

void stored_end(struct resolver *res, struct stored *s, struct found *copy)
{
	bool first = res->loading == s;

	res->loading = NULL;
	if (copy)
		*copy = s->found;
	if (!first)
		take_warnings(res, s);
	else if (s->cache)
		s->writing = !pthread_create(&s->writer, NULL, write_table, s);
	pthread_mutex_unlock(&s->lock);
	if (!copy || !copy->tab.sym.n)
		return;
	copy->tab.handed = calloc(copy->tab.sym.n, sizeof(*copy->tab.handed));
	if (copy->tab.handed)
		return;
	copy->tab = (struct symtab){ 0 };
	resolver_no_memory(res, "symbols", copy->file ? copy->file : "an object");
}

void stored_forget(struct found *copy)
{
	free(copy->tab.handed);
}

void stored_warning(struct stored *s, const char *text)
{
	char *copy = strdup(text);

	if (!copy || vec_push(&s->warning, copy))
		free(copy);
}

void stored_lacked_memory(struct stored *s)
{
	s->lacked_memory = true;
}

/* ---- debug information ------------------------------------------------------------------------ */

struct stored *stored_lines(struct resolver *res, const char *path, struct lines **lines)
{
	struct stored *s = NULL;
	char *key;

	*lines = NULL;
	if (asprintf(&key, "lines\n%s", path) >= 0) {
		s = stored_get(res, key);
		free(key);
	}
	if (!s) {
		resolver_no_memory(res, "lines and inlined functions", path);
		return NULL;
	}
	if (stored_begin(res, s))
		s->lines = lines_open(res, path);
	s->users++;
	*lines = s->lines;
	stored_end(res, s, NULL);
	return s;
}

void stored_lines_done(struct stored *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	if (!--s->users) {
		lines_free(s->lines);
		s->lines = NULL;
		s->loaded = false;
		forget_warnings(s);
	}
	pthread_mutex_unlock(&s->lock);
}

/* ---- on disk ----------------------------------------------------------------------------------- */

void stored_keep(struct resolver *res, const struct symcache_key *k, const struct symtab *part)
{
	const struct symcache *c = stored_cache(res);

	if (c->dir < 0 || (part ? part->sym.n : res->loading->found.tab.sym.n) < WORTH)
		return;
	if (part)
		res->loading->part = *part;
	res->loading->key = *k;
	res->loading->cache = c;
}

/* ---- ahead ------------------------------------------------------------------------------------ */

static void *read_ahead(void *arg)
{
	struct stored *s = arg;
	double start = side_seconds();

	s->ahead_ret = kallsyms_read(s->ahead);
	s->ahead_seconds = side_seconds() - start;
	atomic_store(&s->kept, s->ahead->kept);
	return NULL;
}

bool stored_found_kept(struct stored *s)
{
	return atomic_load(&s->kept);
}

bool stored_start(struct stored *s, struct kallsyms *k)
{
	bool there = true;

	/* Who holds it loads it, or is about to. */
	if (pthread_mutex_trylock(&s->lock)) {
		kallsyms_free(k);
		return true;
	}
	if (s->loaded || s->ahead) {
		kallsyms_free(k);
	} else {
		s->ahead = k;
		there = !pthread_create(&s->thread, NULL, read_ahead, s);
		if (!there) {
			kallsyms_free(k);
			s->ahead = NULL;
		}
	}
	pthread_mutex_unlock(&s->lock);
	return there;
}

struct kallsyms *stored_wait(struct stored *s, int *ret)
{
	struct kallsyms *k = s->ahead;

	if (!k)
		return NULL;
	pthread_join(s->thread, NULL);
	s->ahead = NULL;
	*ret = s->ahead_ret;
	return k;
}

double stored_ahead_seconds(struct stored *s)
{
	double seconds;

	pthread_mutex_lock(&s->lock);
	seconds = s->ahead ? 0 : s->ahead_seconds;
	pthread_mutex_unlock(&s->lock);
	return seconds;
}
