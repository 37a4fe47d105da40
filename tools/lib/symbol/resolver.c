// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From (thread, mode, ip) to numbers. Three steps, each rarer than the one before:
 *
 *	the map		of the ip: most often the one that answered last
 *	slots		(object, address, mode) to the number: one probe of an open table, which all
 *			processes share and which grows with distinct code only
 *	symbol_find()	once per number
 */
#include <stdio.h>
#include <stdlib.h>

#include "buildid/buildid.h"
#include "symbol/symbol-int.h"

#define SLOT_BITS_MIN 10

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

static bool hash_of_slot(const void *slot, uint64_t *hash)
{
	const struct loc_slot *s = slot;

	*hash = loc_hash(s->addr, s->where);
	return s->loc;
}

static int set_slots(struct resolver *res, unsigned bits)
{
	struct loc_slot *slot =
		slots_resize(res->slot, res->slot_bits, bits, sizeof(*slot), hash_of_slot);

	if (!slot)
		return -ENOMEM;
	res->slot = slot;
	res->slot_bits = bits;
	return 0;
}

static int get_store(struct resolver *res, struct err *e)
{
	if (!res->opts.store && symbol_store_new(&res->own, e))
		return -ENOMEM;
	if (res->own)
		res->opts.store = res->own;
	res->number = stored_next_number(res->opts.store);
	return 0;
}

struct symbol_store *resolver_store(const struct resolver *res)
{
	return res->opts.store;
}

int resolver_new(struct resolver **out, struct machine *m, const struct symbol_opts *opts,
		 struct err *e)
{
	struct resolver *res = calloc(1, sizeof(*res));

	*out = NULL;
	if (res)
		res->m = m;
	if (!res || copy_opts(res, opts) || set_slots(res, SLOT_BITS_MIN) || get_store(res, e)) {
		resolver_free(res);
		return err_set(e, -ENOMEM, "out of memory for the symbol cache");
	}
	machine_read_jitdumps(m, res->symfs, res->opts.symfs_flat);
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
	intern_free(&res->warnings);
	stored_forget(&res->kernel.found);
	stored_forget(&res->kernel.rest);
	symbol_store_free(res->own);
	buildid_roots_free(res->roots);
	intern_free(&res->files);
	sources_free(res->sources);
	vec_free(&res->place);
	htab_free(&res->by_addr);
	intern_free(&res->inline_names);
	vec_free(&res->inline_sym);
	vec_free(&res->copy);
	vec_free(&res->stand_in);
	htab_free(&res->by_copy);
	vec_free(&res->symbol);
	arena_free(&res->arena);
	free(res->slot);
	free(res->symfs);
	free(res->kallsyms);
	free(res->vmlinux);
	free(res);
}

/* ---- locations ------------------------------------------------------------------------------------ */

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

uint32_t resolver_add(struct resolver *res, const struct wanted *w, size_t at)
{
	size_t mask = ((size_t)1 << res->slot_bits) - 1;
	struct loc *l = new_loc(res);

	if (!l)
		return LOC_NONE;
	/* At most 5 of 8 are used: then the free one found before is not where it goes. */
	if (res->nr_locs >= (mask + 1) / 8 * 5) {
		if (set_slots(res, res->slot_bits + 1))
			return LOC_NONE;
		mask = mask << 1 | 1;
		for (at = slot_of(res, w->addr, w->where); res->slot[at].loc;)
			at = (at + 1) & mask;
	}
	l->dso = w->dso;
	l->addr = w->addr;
	l->cpumode = w->where & PERF_RECORD_MISC_CPUMODE_MASK;
	l->sym = w->dso ? symbol_find(res, w->dso, w->addr) : NULL;
	res->slot[at] = (struct loc_slot){ w->addr, w->where, ++res->nr_locs };
	return res->nr_locs - 1;
}

uint32_t resolver_find(struct resolver *res, struct thread *th, uint8_t cpumode, uint64_t ip)
{
	struct wanted w = resolver_locate(res, th, cpumode, ip);

	return resolver_get(res, &w);
}

void resolver_forget(struct resolver *res)
{
	struct loc_slot *slot = calloc((size_t)1 << SLOT_BITS_MIN, sizeof(*slot));

	vec_for_each (o, &res->object) {
		object_forget_lines(*o);
		free((*o)->debug_file);
		(*o)->debug_file = NULL;
	}
	if (!slot)
		return;
	free(res->slot);
	res->slot = slot;
	res->slot_bits = SLOT_BITS_MIN;
}

/* ---- symbols ---------------------------------------------------------------------------------------- */

const struct symbol *resolver_make_symbol(struct resolver *res, uint64_t start, uint64_t end,
					  const char *name, bool is_inline)
{
	struct symbol *s = arena_alloc(&res->arena, sizeof(*s));

	if (!s || vec_push(&res->symbol, s))
		return NULL;
	s->start = start;
	s->end = end;
	s->name = name;
	s->idx = (uint32_t)res->symbol.n - 1;
	s->binding = 'l';
	s->is_inline = is_inline;
	return s;
}

const struct symbol *symbol_stand_in(struct resolver *res, const char *name)
{
	const struct symbol *s;
	const char *copy;

	vec_for_each (have, &res->stand_in)
		if (!strcmp((*have)->name, name))
			return *have;
	copy = arena_strdup(&res->arena, name);
	s = copy ? resolver_make_symbol(res, 0, 0, copy, false) : NULL;
	return s && !vec_push(&res->stand_in, s) ? s : NULL;
}

const struct symbol *resolver_symbol(struct resolver *res, struct symtab *t, uint32_t i,
				     bool kernel)
{
	static const char binding[] = { 'l', 'g', 'w', 'l' };
	const struct sym *from = &t->sym.v[i];
	uint64_t end = from->start + from->size;
	struct symbol *s;

	if (t->handed[i])
		return res->symbol.v[t->handed[i] - 1];
	s = (struct symbol *)resolver_make_symbol(
		res, from->start, end < from->start ? UINT64_MAX : end,
		resolver_demangle(res, symtab_name(t, i), kernel), false);
	if (!s)
		return NULL;
	s->binding = binding[from->name & 3];
	t->handed[i] = s->idx + 1;
	return s;
}

const struct symbol *symbol_find(struct resolver *res, struct dso *dso, uint64_t addr)
{
	struct object *o = object_load(res, dso);
	struct symtab *t;
	uint32_t i;

	if (!o)
		return NULL;
	t = object_symtab(res, o, addr);
	i = symtab_find(t, addr);
	if (i != SYM_NO_SEG)
		return resolver_symbol(res, t, i, o->found.kernel_tab);
	o->unnamed = true;
	return NULL;
}

const struct symbol *symbol_find_span(struct resolver *res, struct dso *dso, uint64_t addr,
				      uint64_t *start, uint64_t *end)
{
	const struct symbol *s = symbol_find(res, dso, addr);
	struct object *o = object_load(res, dso);

	*start = addr;
	*end = addr < UINT64_MAX ? addr + 1 : addr;
	/* The kernel has several tables: a hole of this one says nothing of the others. */
	if (o && (s || !o->found.kernel_tab))
		symtab_span(object_symtab(res, o, addr), addr, start, end);
	return s;
}

/* ---- warnings ----------------------------------------------------------------------------------------- */

static void keep_warning(struct resolver *res, const char *text)
{
	if (res->loading)
		stored_warning(res->loading, text);
	(void)intern(&res->warnings, text);
}

void resolver_warn(struct resolver *res, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	safe_format(text, sizeof(text), fmt, ap);
	va_end(ap);
	keep_warning(res, text);
}

void resolver_no_memory(struct resolver *res, const char *what, const char *name)
{
	res->lacked_memory = true;
	if (res->loading)
		stored_lacked_memory(res->loading);
	resolver_warn(res, "out of memory for the %s of %s", what, name);
}

int resolver_take_notes(struct resolver *to, const struct resolver *from,
			struct dso *const *objects)
{
	vec_for_each (w, &from->warnings.str)
		keep_warning(to, *w);
	to->lacked_memory |= from->lacked_memory;
	for (size_t i = 0; i < machine_nr_dsos(from->m); i++) {
		const struct object *there = machine_dso(from->m, i)->symbols;
		struct object *o;

		if (!there || !there->unnamed)
			continue;
		o = object_load(to, objects[i]);
		if (!o)
			return -ENOMEM;
		o->unnamed = true;
	}
	return 0;
}

bool resolver_lacked_memory(const struct resolver *res)
{
	return res && res->lacked_memory;
}

const char *resolver_next_warning(struct resolver *res)
{
	if (elf_guard_hits() != res->guard_hits) {
		res->guard_hits = elf_guard_hits();
		resolver_warn(res, "a program or library became shorter while it was read: frames "
				   "and lines of it may be missing; read the recording again");
	}
	return res->warnings_told + 1 < res->warnings.str.n
		       ? intern_str(&res->warnings, ++res->warnings_told)
		       : NULL;
}
