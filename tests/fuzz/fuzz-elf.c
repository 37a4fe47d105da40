// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as an ELF file, in memory and as a file. Every address must find a symbol that holds it, or
 * none.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "symbol/symbol-int.h"

static void ask(const struct symtab *t, uint64_t addr)
{
	uint32_t i = symtab_find(t, addr);

	if (i == SYM_NO_SEG)
		return;
	if (i >= t->sym.n || addr - t->sym.v[i].start >= t->sym.v[i].size)
		abort();
	fuzz_touch(symtab_name(t, i));
}

static void ask_all(struct symtab *t)
{
	for (size_t i = 0; i < t->sym.n; i++) {
		ask(t, t->sym.v[i].start);
		ask(t, t->sym.v[i].start - 1);
		ask(t, t->sym.v[i].start + t->sym.v[i].size);
	}
	ask(t, 0);
	ask(t, UINT64_MAX);
	symtab_free(t);
}

static void load(struct elf_file *f)
{
	struct symtab t = { 0 };

	elf_build_id(f);
	elf_debuglink(f);
	if (!symtab_load_elf(f, NULL, NULL, false, 0, &t) && !symtab_load_plt(f, &t) &&
	    !symtab_load_minidebug(f, NULL, &t) && !symtab_finish(&t, ENDS_NEXT))
		ask_all(&t);
	symtab_free(&t);
	elf_close(f);
}

static void run(const uint8_t *data, size_t size)
{
	struct elf_file *f;
	void *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	fuzz_file(0, data, size);
	if (!elf_open_memory(&f, copy, size))
		load(f);
	if (!elf_open(&f, fuzz_path(0), 0))
		load(f);
	free(copy);
}

const struct fuzz_target fuzz_elf = {
	.name = "elf",
	.reads = "ELF: sections, segments, notes, tables of symbols, PLT, mini debug information",
	.max_len = 16384,
	.run = run,
	.mutate = mutate_elf,
};
