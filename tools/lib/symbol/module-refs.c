// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What relocations put into a module's code. In the file a call of another function goes nowhere: the
 * kernel fills it in when it loads the module, with an address that no file has. But the relocation
 * says whose, and that is what somebody who reads the code wants to know.
 */
#include <limits.h>
#include <stdlib.h>

#include "symbol/symbol-int.h"

struct tables {
	struct elf_file *f;
	const struct module *mod;
	Elf_Data *sym;
	GElf_Shdr symtab;
};

/* The largest symbol that holds @off of section @idx: its name, and what is left of @off. */
static const char *name_in(const struct tables *t, size_t idx, uint64_t *off)
{
	const char *found = NULL;
	uint64_t start = 0;
	GElf_Sym s;

	for (int i = 0; gelf_getsym(t->sym, i, &s); i++) {
		unsigned type = GELF_ST_TYPE(s.st_info);
		const char *name;

		if (s.st_shndx != idx || (type != STT_FUNC && type != STT_OBJECT) ||
		    *off < s.st_value || *off - s.st_value >= s.st_size)
			continue;
		name = elf_strptr(t->f->elf, t->symtab.sh_link, s.st_name);
		if (!name || !*name || (found && s.st_value < start))
			continue;
		found = name;
		start = s.st_value;
	}
	*off -= start;
	return found;
}

static const char *section_name(const struct tables *t, size_t idx)
{
	Elf_Scn *scn = elf_getscn(t->f->elf, idx);
	GElf_Shdr shdr;

	return scn && gelf_getshdr(scn, &shdr) ? elf_strptr(t->f->elf, t->f->shstrndx, shdr.sh_name)
					       : NULL;
}

/* Whether the number is a distance from behind the instruction, as x86 counts them. */
static bool from_behind(const struct tables *t, uint32_t type)
{
	switch (t->f->ehdr.e_machine) {
	case EM_X86_64:
		return type == R_X86_64_PC32 || type == R_X86_64_PLT32 ||
		       type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX ||
		       type == R_X86_64_REX_GOTPCRELX;
	case EM_386: return type == R_386_PC32 || type == R_386_PLT32;
	default: return false;
	}
}

/* What is meant, once it is known where the instruction ends. */
static bool resolve(const struct tables *t, const GElf_Rela *rela, uint64_t behind,
		    struct symbol_ref *ref)
{
	const struct module_section *sec;
	uint64_t off = (uint64_t)rela->r_addend + behind;
	GElf_Sym s;

	if (!gelf_getsym(t->sym, (int)GELF_R_SYM(rela->r_info), &s))
		return false;
	sec = module_section(t->mod, s.st_shndx);
	ref->addr = sec ? sec->addr + s.st_value + off : 0;
	if (GELF_ST_TYPE(s.st_info) == STT_SECTION) {
		ref->name = name_in(t, s.st_shndx, &off);
		if (!ref->name)
			ref->name = section_name(t, s.st_shndx);
	} else {
		ref->name = elf_strptr(t->f->elf, t->symtab.sh_link, s.st_name);
	}
	ref->off = off;
	return ref->name && *ref->name;
}

static bool open_tables(struct tables *t, const struct module *mod)
{
	Elf_Scn *scn = elf_scn_of_type(mod->file, SHT_SYMTAB, &t->symtab);

	t->mod = mod;
	t->f = mod->file;
	t->sym = elf_data(mod->file, scn);
	return t->sym && elf_names_allowed(mod->file, t->symtab.sh_link);
}

/* The relocation table of section @idx. */
static Elf_Data *relocs_of(const struct tables *t, size_t idx, bool *rela)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(t->f->elf, scn)) != NULL) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_info != idx ||
		    (shdr.sh_type != SHT_RELA && shdr.sh_type != SHT_REL))
			continue;
		*rela = shdr.sh_type == SHT_RELA;
		return elf_data(t->f, scn);
	}
	return NULL;
}

/* In tables without addends these stand in the code; -4 for a distance is what assemblers write. */
static bool get_reloc(Elf_Data *data, bool rela, int i, GElf_Rela *out, const struct tables *t)
{
	GElf_Rel rel;

	if (rela)
		return gelf_getrela(data, i, out);
	if (!gelf_getrel(data, i, &rel))
		return false;
	*out = (GElf_Rela){ .r_offset = rel.r_offset, .r_info = rel.r_info };
	out->r_addend = from_behind(t, (uint32_t)GELF_R_TYPE(rel.r_info)) ? -4 : 0;
	return true;
}

static int add_refs(struct tables *t, const struct module_section *sec,
		    const struct symbol_insn *insn, size_t n, struct symbol_ref *refs)
{
	bool with_addend = false;
	Elf_Data *data = relocs_of(t, sec->idx, &with_addend);
	GElf_Rela rela;
	int nr = 0;

	for (int i = 0; data && get_reloc(data, with_addend, i, &rela, t); i++) {
		uint64_t addr = sec->addr + rela.r_offset, behind = 0;
		size_t lo = 0, left = n;

		if (rela.r_offset >= sec->size || addr < insn[0].addr)
			continue;
		while (left) { /* the last one at or before it */
			size_t half = left / 2;

			if (insn[lo + half].addr <= addr) {
				lo += half + 1;
				left -= half + 1;
			} else {
				left = half;
			}
		}
		if (!lo || addr - insn[lo - 1].addr >= insn[lo - 1].len)
			continue;
		if (from_behind(t, (uint32_t)GELF_R_TYPE(rela.r_info)))
			behind = insn[lo - 1].addr + insn[lo - 1].len - addr;
		nr += resolve(t, &rela, behind, &refs[lo - 1]);
	}
	return nr;
}

size_t symbol_code_refs(struct resolver *res, struct dso *dso, const struct symbol_insn *insn,
			size_t n, struct symbol_ref *refs)
{
	struct object *o = object_load(res, dso);
	const struct module_section *sec;
	struct tables t;

	if (!o || !n || !o->code_module || !open_tables(&t, o->module))
		return 0;
	sec = module_section_at(o->module, insn[0].addr);
	return sec ? (size_t)add_refs(&t, sec, insn, n, refs) : 0;
}
