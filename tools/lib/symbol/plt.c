// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stubs of the procedure linkage table get the name of what they jump to. On x86-64 each stub's
 * jump is decoded: it names the slot of the global offset table, and a relocation names the
 * function that fills the slot. Elsewhere stubs are in the order of the relocations.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "symbol/internal.h"

static int add_stub(struct symtab *t, uint64_t offset, uint64_t size, const char *name)
{
	char buf[4096];

	if (!name || !*name || snprintf(buf, sizeof(buf), "%s@plt", name) >= (int)sizeof(buf))
		return 0;
	return symtab_add(t, offset, size, SYM_GLOBAL, buf);
}

/* ---- x86-64 ------------------------------------------------------------------------------------ */

static int by_got(const void *a, const void *b)
{
	uint64_t x = ((const struct plt_reloc *)a)->got, y = ((const struct plt_reloc *)b)->got;

	return x < y ? -1 : x > y;
}

static const char *got_name(const struct plt_reloc *r, size_t n, uint64_t got)
{
	struct plt_reloc key = { .got = got };
	const struct plt_reloc *hit = n ? bsearch(&key, r, n, sizeof(*r), by_got) : NULL;

	return hit ? hit->name : NULL;
}

/* "jmp *disp(%rip)" near the start of a stub, behind endbr64 and a bnd prefix if there are any. */
static bool stub_target(const unsigned char *p, size_t n, uint64_t addr, uint64_t *got)
{
	for (size_t i = 0; i + 6 <= n && i <= 6; i++) {
		if (p[i] != 0xff || p[i + 1] != 0x25)
			continue;
		*got = addr + i + 6 + (uint64_t)(int64_t)(int32_t)load_u32(p + i + 2, false);
		return true;
	}
	return false;
}

static int x86_section(struct elf_file *f, const char *name, size_t stub, const struct plt_reloc *r,
		       size_t nr, struct symtab *t)
{
	uint64_t addr, offset, got;
	size_t size;
	const unsigned char *p = elf_section(f, name, &size, &addr, &offset);

	for (size_t at = 0; p && at + stub <= size; at += stub)
		if (stub_target(p + at, stub, addr + at, &got) &&
		    add_stub(t, offset + at, stub, got_name(r, nr, got)))
			return -ENOMEM;
	return 0;
}

static int x86_plt(struct elf_file *f, struct symtab *t)
{
	/* .plt.got has stubs of 8 bytes, or of 16 when they begin with endbr64. */
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	struct plt_reloc *plt = NULL, *dyn = NULL;
	size_t nr_plt, nr_dyn, size, stub = 8;
	const unsigned char *got;
	int ret = -ENOMEM;

	if (elf_relocs(f, false, &plt, &nr_plt) || elf_relocs(f, true, &dyn, &nr_dyn))
		goto out;
	if (nr_plt)
		qsort(plt, nr_plt, sizeof(*plt), by_got);
	if (nr_dyn)
		qsort(dyn, nr_dyn, sizeof(*dyn), by_got);
	got = elf_section(f, ".plt.got", &size, NULL, NULL);
	if (got && size >= 16 && !memcmp(got, endbr64, 4))
		stub = 16;
	if (x86_section(f, ".plt", 16, plt, nr_plt, t) ||
	    x86_section(f, ".plt.sec", 16, plt, nr_plt, t) ||
	    x86_section(f, ".plt.got", stub, dyn, nr_dyn, t))
		goto out;
	ret = 0;
out:
	free(plt);
	free(dyn);
	return ret;
}

/* ---- by position ----------------------------------------------------------------------------------- */

static const struct {
	unsigned machine;
	unsigned header, stub;
} layouts[] = {
	{ EM_386, 16, 16 },   { EM_ARM, 20, 12 },      { EM_AARCH64, 32, 16 },
	{ EM_RISCV, 32, 16 }, { EM_S390, 32, 32 },     { EM_LOONGARCH, 32, 16 },
	{ EM_SPARC, 48, 12 }, { EM_SPARCV9, 128, 32 },
};

static int ordered_plt(struct elf_file *f, unsigned header, unsigned stub, struct symtab *t)
{
	struct plt_reloc *r;
	uint64_t offset;
	size_t nr, size;
	int ret = 0;

	if (!elf_section(f, ".plt", &size, NULL, &offset))
		return 0;
	if (elf_relocs(f, false, &r, &nr))
		return -ENOMEM;
	for (size_t i = 0; i < nr && !ret && header + (i + 1) * stub <= size; i++)
		ret = add_stub(t, offset + header + i * stub, stub, r[i].name);
	free(r);
	return ret;
}

int elf_load_plt(struct elf_file *f, struct symtab *t)
{
	unsigned machine = elf_e_machine(f);

	if (machine == EM_X86_64)
		return x86_plt(f, t);
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].machine == machine)
			return ordered_plt(f, layouts[i].header, layouts[i].stub, t);
	return 0;
}
