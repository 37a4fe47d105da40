// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of what the dynamic linker fills in: "call *0x2fe2(%rip)" goes through a slot of the global
 * offset table, which has no symbol of its own; the relocation that fills it names one.
 */
#include <stdlib.h>

#include "symbol/symbol-int.h"

static int by_addr(const void *a, const void *b)
{
	uint64_t x = ((const struct slot_name *)a)->addr, y = ((const struct slot_name *)b)->addr;

	return x < y ? -1 : x > y;
}

/* By where it lies in the file: relocations of one symbol come together. */
static int by_name(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)((const struct plt_reloc *)a)->name;
	uintptr_t y = (uintptr_t)((const struct plt_reloc *)b)->name;

	return x < y ? -1 : x > y;
}

/* A copy as it is to be shown; NULL: no memory. */
static const char *copy_name(struct resolver *res, const char *name, uint64_t *copied)
{
	const char *copy = arena_strdup(&res->arena, name);

	if (!copy)
		return NULL;
	copy = resolver_demangle(res, copy, false);
	*copied += strlen(name) + strlen(copy);
	return copy;
}

/* Names take what the file may take (elf.h, "limits"); those behind are left out. */
static int add_slots(struct resolver *res, struct elf_file *f, bool dyn, struct object *o)
{
	struct plt_reloc *r = NULL;
	const char *last = NULL;
	uint64_t copied = 0;
	size_t nr = 0;
	int ret = symtab_relocs(f, dyn, 0, UINT64_MAX, &r, &nr);

	if (nr)
		qsort(r, nr, sizeof(*r), by_name);
	for (size_t i = 0; i < nr && !ret && copied <= f->budget; i++) {
		struct slot_name s = { .addr = r[i].got, .name = last };
		size_t n = r[i].name ? strnlen(r[i].name, SYM_LONG_NAME) : 0;

		if (!n || n == SYM_LONG_NAME)
			continue;
		if (!i || r[i].name != r[i - 1].name)
			s.name = last = copy_name(res, r[i].name, &copied);
		ret = s.name ? vec_push(&o->slot, s) : -ENOMEM;
	}
	free(r);
	return ret;
}

static void load(struct resolver *res, const struct dso *dso, struct object *o)
{
	struct elf_file *f = files_open_run(res, dso);

	if (f && (add_slots(res, f, true, o) == -ENOMEM || add_slots(res, f, false, o) == -ENOMEM))
		resolver_no_memory(res, "names of slots", dso->name);
	if (o->slot.n)
		qsort(o->slot.v, o->slot.n, sizeof(*o->slot.v), by_addr);
	elf_close(f);
}

const char *symbol_slot_name(struct resolver *res, struct dso *dso, uint64_t listed)
{
	struct object *o = dso->kind == DSO_USER ? object_load(res, dso) : NULL;
	const struct slot_name key = { .addr = listed }, *s;

	if (!o)
		return NULL;
	if (!o->slots_tried)
		load(res, dso, o);
	o->slots_tried = true;
	s = o->slot.n ? bsearch(&key, o->slot.v, o->slot.n, sizeof(key), by_addr) : NULL;
	return s ? s->name : NULL;
}
