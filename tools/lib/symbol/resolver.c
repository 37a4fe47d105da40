// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From (thread, mode, ip) to numbers. Three steps, each rarer than the one before:
 *
 *	cache		direct-mapped on (address space, ip): a hit costs a hash and a compare
 *	by_place	(object, address, mode) to the number; bounded by distinct code
 *	symbol_find()	once per number
 */
#include <stdio.h>
#include <stdlib.h>

#include "symbol/internal.h"

/* It starts small, to lie in the CPU's caches, and grows while it misses much. */
#define CACHE_BITS_MIN 12
#define CACHE_BITS_MAX 19

static int copy_opts(struct resolver *res, const struct symbol_opts *opts)
{
	if (!opts)
		return 0;
	res->opts = *opts;
	if (opts->symfs && *opts->symfs && !(res->symfs = strdup(opts->symfs)))
		return -ENOMEM;
	if (opts->kallsyms && !(res->kallsyms = strdup(opts->kallsyms)))
		return -ENOMEM;
	if (opts->vmlinux && !(res->vmlinux = strdup(opts->vmlinux)))
		return -ENOMEM;
	return 0;
}

static int cache_resize(struct resolver *res, unsigned bits)
{
	struct cache_entry *cache = malloc(sizeof(*cache) << bits);

	if (!cache)
		return -ENOMEM;
	for (size_t i = 0; i < (size_t)1 << bits; i++)
		cache[i] = (struct cache_entry){ .loc = LOC_NONE };
	free(res->cache);
	res->cache = cache;
	res->cache_bits = bits;
	res->misses = 0;
	return 0;
}

int resolver_new(struct resolver **out, struct machine *m, const struct symbol_opts *opts,
		 struct err *e)
{
	struct resolver *res = calloc(1, sizeof(*res));

	*out = NULL;
	if (res)
		res->m = m;
	if (!res || copy_opts(res, opts) || cache_resize(res, CACHE_BITS_MIN)) {
		resolver_free(res);
		return err_set(e, -ENOMEM, "out of memory for the symbol cache");
	}
	*out = res;
	return 0;
}

void resolver_free(struct resolver *res)
{
	if (!res)
		return;
	vec_for_each (o, &res->object)
		object_free(*o);
	vec_free(&res->object);
	for (size_t i = 0; i < machine_nr_dsos(res->m); i++)
		machine_dso(res->m, i)->symbols = NULL;
	vec_for_each (p, &res->page)
		free(*p);
	vec_free(&res->page);
	vec_for_each (w, &res->warning)
		free(*w);
	vec_free(&res->warning);
	htab_free(&res->by_place);
	symtab_free(&res->kernel.tab);
	free(res->kernel.file);
	intern_free(&res->files);
	vec_free(&res->place);
	htab_free(&res->by_addr);
	intern_free(&res->inline_names);
	vec_free(&res->inline_sym);
	arena_free(&res->arena);
	free(res->cache);
	free(res->symfs);
	free(res->kallsyms);
	free(res->vmlinux);
	free(res);
}

/* ---- locations ------------------------------------------------------------------------------------ */

size_t resolver_nr_locs(const struct resolver *res)
{
	return res->nr_locs;
}

const struct loc *resolver_loc(const struct resolver *res, uint32_t loc)
{
	return &res->page.v[loc / LOC_PAGE][loc % LOC_PAGE];
}

static struct loc *new_loc(struct resolver *res)
{
	struct loc *page;

	if (res->nr_locs == LOC_NONE)
		return NULL;
	if (res->nr_locs % LOC_PAGE)
		return &res->page.v[res->nr_locs / LOC_PAGE][res->nr_locs % LOC_PAGE];
	if (res->nr_locs / LOC_PAGE < res->page.n) /* left by a failed attempt */
		return res->page.v[res->nr_locs / LOC_PAGE];
	page = malloc(LOC_PAGE * sizeof(*page));
	if (!page || vec_push(&res->page, page)) {
		free(page);
		return NULL;
	}
	return page;
}

static uint32_t find_place(struct resolver *res, struct dso *dso, uint64_t addr, uint8_t mode)
{
	uint64_t hash = hash_mix(addr, (dso ? (uint64_t)dso->idx + 1 : 0) << 8 | mode);
	struct loc *l;
	uint32_t i;

	for (struct htab_it it = htab_find(&res->by_place, hash);
	     htab_next(&res->by_place, &it, &i);) {
		const struct loc *have = resolver_loc(res, i);

		if (have->addr == addr && have->dso == dso && have->cpumode == mode)
			return i;
	}
	l = new_loc(res);
	if (!l || htab_add(&res->by_place, hash, res->nr_locs))
		return LOC_NONE;
	l->dso = dso;
	l->addr = addr;
	l->cpumode = mode;
	l->sym = dso ? symbol_find(res, dso, addr) : NULL;
	return res->nr_locs++;
}

static uint32_t find_slow(struct resolver *res, struct thread *th, uint8_t mode, uint64_t ip,
			  struct cache_entry *c)
{
	struct map_hit hit;
	uint32_t loc;

	if (machine_find_map(res->m, th, mode, ip, &hit))
		loc = find_place(res, hit.map->dso, hit.addr, hit.cpumode);
	else
		loc = find_place(res, NULL, ip, mode);
	c->loc = loc;
	/* The entry is not touched any more: the cache may be another one now. */
	if (++res->misses > 4u << res->cache_bits && res->cache_bits < CACHE_BITS_MAX)
		cache_resize(res, res->cache_bits + 1);
	return loc;
}

uint32_t resolver_find(struct resolver *res, struct thread *th, uint8_t cpumode, uint64_t ip)
{
	/* Kernel code is the same for all. */
	uint32_t space = cpumode == PERF_RECORD_MISC_KERNEL || !th ? 0 : th->space;
	uint32_t gen = machine_generation(res->m, space);
	uint64_t h = (ip ^ ((uint64_t)space << 40) ^ cpumode) * 0x9e3779b97f4a7c15ULL;
	struct cache_entry *c = &res->cache[h >> (64 - res->cache_bits)];

	if (likely(c->ip == ip && c->space == space && c->gen == gen && c->mode == cpumode &&
		   c->loc != LOC_NONE))
		return c->loc;
	c->ip = ip;
	c->space = space;
	c->gen = gen;
	c->mode = cpumode;
	return find_slow(res, th, cpumode, ip, c);
}

/* ---- symbols ---------------------------------------------------------------------------------------- */

const struct symbol *resolver_make_symbol(struct resolver *res, uint64_t start, uint64_t end,
					  const char *name, bool is_inline)
{
	struct symbol *s = arena_alloc(&res->arena, sizeof(*s));

	if (!s)
		return NULL;
	s->start = start;
	s->end = end;
	s->name = name;
	s->idx = res->nr_syms++;
	s->binding = 'l';
	s->is_inline = is_inline;
	return s;
}

const struct symbol *resolver_symbol(struct resolver *res, struct symtab *t, uint32_t i,
				     bool kernel)
{
	static const char binding[] = { 'l', 'g', 'w', 'l' };
	const struct sym *from = &t->sym.v[i];
	uint64_t end = from->start + from->size;
	struct symbol *s = t->handed[i];

	if (s)
		return s;
	s = (struct symbol *)resolver_make_symbol(
		res, from->start, end < from->start ? UINT64_MAX : end,
		resolver_demangle(res, symtab_name(t, i), kernel), false);
	if (s)
		s->binding = binding[from->name & 3];
	t->handed[i] = s;
	return s;
}

const struct symbol *symbol_find(struct resolver *res, struct dso *dso, uint64_t addr)
{
	struct object *o = object_load(res, dso);
	struct symtab *t;
	uint32_t i;

	if (!o)
		return NULL;
	t = o->kernel_tab ? &res->kernel.tab : &o->tab;
	i = symtab_find(t, addr);
	return i == SYM_NO_SEG ? NULL : resolver_symbol(res, t, i, o->kernel_tab);
}

/* ---- warnings ----------------------------------------------------------------------------------------- */

void resolver_warn(struct resolver *res, const char *fmt, ...)
{
	char *text;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	vec_for_each (w, &res->warning)
		if (!strcmp(*w, text)) {
			free(text);
			return;
		}
	if (vec_push(&res->warning, text))
		free(text);
}

const char *resolver_next_warning(struct resolver *res)
{
	return res->warning_at < res->warning.n ? res->warning.v[res->warning_at++] : NULL;
}
