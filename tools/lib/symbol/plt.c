// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stubs of the procedure linkage table get the name of what they jump to. On x86-64 each stub's
 * jump is decoded: it names the slot of the global offset table, and a relocation names the
 * function that fills the slot. Elsewhere stubs are in the order of the relocations.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "symbol/symbol-int.h"

static int add_stub(struct symtab *t, uint64_t offset, uint64_t size, const struct plt_reloc *r)
{
	const char *name = r ? r->name : NULL;
	char buf[SYM_LONG_NAME];
	int n;

	if (!r)
		return 0;
	if (!name && r->ifunc)
		name = symtab_name(t, r->ifunc - 1);
	if (name)
		n = snprintf(buf, sizeof(buf), "%s@plt", name);
	else
		n = snprintf(buf, sizeof(buf), "offset_%#" PRIx64 "@plt", offset);
	/* The name is copied first: it may lie in what grows. */
	return n < (int)sizeof(buf) ? symtab_add(t, offset, size, SYM_GLOBAL, buf) : 0;
}

/* What the dynamic linker is entered by. */
static int add_header(struct symtab *t, uint64_t offset, uint64_t size)
{
	return symtab_add(t, offset, size, SYM_GLOBAL, ".plt");
}

/* ---- x86-64 ------------------------------------------------------------------------------------ */

static int by_got(const void *a, const void *b)
{
	uint64_t x = ((const struct plt_reloc *)a)->got, y = ((const struct plt_reloc *)b)->got;

	return x < y ? -1 : x > y;
}

static const struct plt_reloc *reloc_of(const struct plt_reloc *r, size_t n, uint64_t got)
{
	struct plt_reloc key = { .got = got };

	return n ? bsearch(&key, r, n, sizeof(*r), by_got) : NULL;
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

struct stubs {
	const char *section;
	size_t size;
	const struct plt_reloc *r;
	size_t nr;
	bool header; /* it may begin with a header */
};

static int x86_section(struct elf_file *f, const struct stubs *s, struct symtab *t)
{
	uint64_t addr, offset, got;
	size_t size;
	const unsigned char *p = elf_section(f, s->section, &size, &addr, &offset);
	int ret = 0;

	for (size_t at = 0; p && !ret && symtab_may_copy(t, f) && at + s->size <= size;
	     at += s->size) {
		const struct plt_reloc *r = NULL;

		if (stub_target(p + at, s->size, addr + at, &got))
			r = reloc_of(s->r, s->nr, got);
		if (!r && !at && s->header)
			ret = add_header(t, offset, s->size);
		else
			ret = add_stub(t, offset + at, s->size, r);
	}
	return ret;
}

/* Slots filled by a function that picks one (IFUNC) have no name: the picker lends its own. */
struct ifuncs {
	VEC(struct plt_reloc *) v; /* addend is the file offset, ascending */
};

static int by_addend(const void *a, const void *b)
{
	uint64_t x = (*(struct plt_reloc *const *)a)->addend;
	uint64_t y = (*(struct plt_reloc *const *)b)->addend;

	return x < y ? -1 : x > y;
}

static void offer_symbol(struct ifuncs *f, const struct symtab *t, uint32_t i)
{
	const struct sym *s = &t->sym.v[i];
	size_t lo = 0, n = f->v.n;

	while (n) {
		size_t half = n / 2;

		if (f->v.v[lo + half]->addend < s->start) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	for (; lo < f->v.n && f->v.v[lo]->addend == s->start; lo++) {
		struct plt_reloc *r = f->v.v[lo];

		if (!r->ifunc || symtab_better(t, &t->sym.v[r->ifunc - 1], s))
			r->ifunc = i + 1;
	}
}

static int name_ifuncs(struct elf_file *f, struct plt_reloc *r, size_t nr, struct symtab *t)
{
	struct segments seg = { 0 };
	struct ifuncs fs = { 0 };
	int ret = elf_segments(f, &seg) == -ENOMEM ? -ENOMEM : 0;

	for (size_t i = 0; i < nr && !ret; i++)
		if (!r[i].name && segments_to_offset(&seg, r[i].addend, &r[i].addend))
			ret = vec_push(&fs.v, &r[i]);
	if (fs.v.n) {
		qsort(fs.v.v, fs.v.n, sizeof(*fs.v.v), by_addend);
		for (uint32_t i = 0; i < t->sym.n && !ret; i++)
			offer_symbol(&fs, t, i);
	}
	vec_free(&fs.v);
	vec_free(&seg.v);
	return ret;
}

/* .plt.got has stubs of 8 bytes, or of 16 when they begin with endbr64. */
static struct stubs got_stubs(struct elf_file *f)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	struct stubs s = { .section = ".plt.got", .size = 8 };
	size_t size;
	const unsigned char *p = elf_section(f, s.section, &size, NULL, NULL);

	if (p && size >= 16 && !memcmp(p, endbr64, 4))
		s.size = 16;
	return s;
}

/* Where the slots lie that the stubs jump through; false when there are none. */
static bool stub_slots(struct elf_file *f, const struct stubs *s, uint64_t *from, uint64_t *to)
{
	uint64_t addr, got;
	size_t size;
	const unsigned char *p = elf_section(f, s->section, &size, &addr, NULL);

	*from = UINT64_MAX;
	*to = 0;
	for (size_t at = 0; p && at + s->size <= size; at += s->size) {
		if (!stub_target(p + at, s->size, addr + at, &got))
			continue;
		*from = min_u64(*from, got);
		*to = max_u64(*to, got);
	}
	return *from <= *to;
}

static int x86_plt(struct elf_file *f, struct symtab *t)
{
	struct plt_reloc *plt = NULL, *dyn = NULL;
	struct stubs got = got_stubs(f);
	size_t nr_plt, nr_dyn = 0;
	uint64_t from, to;
	int ret = -ENOMEM;

	if (symtab_relocs(f, false, 0, UINT64_MAX, &plt, &nr_plt))
		goto out;
	/* There may be a million others. */
	if (stub_slots(f, &got, &from, &to) && symtab_relocs(f, true, from, to, &dyn, &nr_dyn))
		goto out;
	if (nr_plt)
		qsort(plt, nr_plt, sizeof(*plt), by_got);
	if (nr_dyn)
		qsort(dyn, nr_dyn, sizeof(*dyn), by_got);
	got.r = dyn;
	got.nr = nr_dyn;
	ret = name_ifuncs(f, plt, nr_plt, t);
	if (!ret)
		ret = x86_section(f, &(struct stubs){ ".plt", 16, plt, nr_plt, true }, t);
	if (!ret)
		ret = x86_section(f, &(struct stubs){ ".plt.sec", 16, plt, nr_plt, false }, t);
	if (!ret)
		ret = x86_section(f, &got, t);
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
	int ret;

	if (!elf_section(f, ".plt", &size, NULL, &offset))
		return 0;
	ret = symtab_relocs(f, false, 0, UINT64_MAX, &r, &nr);
	if (!ret && nr && size >= header)
		ret = add_header(t, offset, header);
	for (size_t i = 0;
	     i < nr && !ret && symtab_may_copy(t, f) && header + (i + 1) * stub <= size; i++)
		ret = add_stub(t, offset + header + i * stub, stub, &r[i]);
	free(r);
	return ret;
}

int symtab_load_plt(struct elf_file *f, struct symtab *t)
{
	unsigned machine = elf_e_machine(f);

	if (machine == EM_X86_64)
		return x86_plt(f, t);
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].machine == machine)
			return ordered_plt(f, layouts[i].header, layouts[i].stub, t);
	return 0;
}
