// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Symbol tables and relocations of ELF files. Every number of the file is checked against the
 * file's size or the table it points into.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "symbol/symbol-int.h"

/* ---- symbols ----------------------------------------------------------------------------------- */

/* Elf32_Sym or Elf64_Sym. */
struct elf_sym {
	uint64_t value, size;
	uint32_t name;
	uint16_t shndx;
	uint8_t type, binding, visibility;
};

static size_t sym_row(const struct elf_file *f)
{
	return f->is_64bit ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

static struct elf_sym load_sym(const unsigned char *p, bool is_64bit, bool swap)
{
	struct elf_sym s = { .name = load_u32(p, swap) };
	uint8_t info, other;

	if (is_64bit) {
		info = p[4];
		other = p[5];
		s.shndx = load_u16(p + 6, swap);
		s.value = load_u64(p + 8, swap);
		s.size = load_u64(p + 16, swap);
	} else {
		s.value = load_u32(p + 4, swap);
		s.size = load_u32(p + 8, swap);
		info = p[12];
		other = p[13];
		s.shndx = load_u16(p + 14, swap);
	}
	s.type = info & 0xf;
	s.binding = info >> 4;
	s.visibility = other & 3;
	return s;
}

/* Marks where code and data begin, for disassemblers; no names of anything. */
static bool is_mapping_symbol(unsigned machine, const char *name)
{
	switch (machine) {
	case EM_ARM:
		return name[0] == '$' && name[1] && strchr("adtx", name[1]) &&
		       (!name[2] || name[2] == '.');
	case EM_AARCH64:
		return name[0] == '$' && name[1] && strchr("dx", name[1]) &&
		       (!name[2] || name[2] == '.');
	case EM_RISCV:
		return (name[0] == '$' && name[1] && strchr("dx", name[1])) ||
		       !strncmp(name, "L0", 2);
	default: return false;
	}
}

/* What matters of a section to its symbols, looked up once per section. */
struct section {
	bool loaded; /* has a place in memory */
	bool labels; /* code or data, by the name: a label elsewhere is no symbol */
	uint64_t addr, offset;
	/* Of big-endian PowerPC's .opd: symbols of functions are of three words there, the first says where
	 * the code is. Else NULL. */
	const unsigned char *words;
	size_t nr_bytes;
};

struct sections {
	VEC(struct section) v;
};

/* A file of debug symbols has the section without its bytes: these are in @run's. */
static void take_words(struct elf_file *f, struct elf_file *run, struct section *s)
{
	s->words = elf_section(f, ".opd", &s->nr_bytes, NULL, NULL);
	if (!s->words && run)
		s->words = elf_section(run, ".opd", &s->nr_bytes, NULL, NULL);
}

/* Where the code of a function is that begins at @addr by its symbol; false: nowhere in the file. */
static bool by_words(const struct elf_file *f, const struct section *s, uint64_t *addr)
{
	uint64_t off = *addr - s->addr;

	if (s->nr_bytes < 8 || off > s->nr_bytes - 8)
		return false;
	*addr = load_u64(s->words + off, f->swap);
	return true;
}

static int list_sections(struct elf_file *f, struct elf_file *run, struct sections *out)
{
	struct section none = { 0 }, opd = { 0 };
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	if (vec_push(&out->v, none))
		return -ENOMEM;
	if (f->ehdr.e_machine == EM_PPC64)
		take_words(f, run, &opd);
	while ((scn = elf_nextscn(f->elf, scn)) != NULL) {
		struct section s = { 0 };
		const char *name = NULL;

		if (gelf_getshdr(scn, &shdr)) {
			name = elf_strptr(f->elf, f->shstrndx, shdr.sh_name);
			s = (struct section){ .loaded = shdr.sh_flags & SHF_ALLOC,
					      .addr = shdr.sh_addr,
					      .offset = shdr.sh_offset };
		}
		if (opd.words && name && !strcmp(name, ".opd")) {
			s.words = opd.words;
			s.nr_bytes = opd.nr_bytes;
		}
		s.labels = name && (strstr(name, "text") || strstr(name, "data"));
		if (vec_push(&out->v, s))
			return -ENOMEM;
	}
	return 0;
}

static bool is_symbol(const struct section *sec, const struct elf_sym *s)
{
	if (!s->name || !sec->loaded)
		return false;
	switch (s->type) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
	case STT_OBJECT: return true;
	case STT_NOTYPE:
		return s->visibility != STV_HIDDEN && s->visibility != STV_INTERNAL && sec->labels;
	default: return false;
	}
}

static int binding_of(const struct elf_sym *s)
{
	switch (s->binding) {
	case STB_GLOBAL:
	case STB_GNU_UNIQUE: return SYM_GLOBAL;
	case STB_WEAK: return SYM_WEAK;
	default: return SYM_LOCAL;
	}
}

struct symbol_load {
	struct elf_file *f;
	struct sections sec;
	const struct segments *seg;
	bool raw;
	uint64_t delta;
	struct symtab *t;
	Elf_Data *xindex;
	uint32_t blob; /* where the string table lies */
	uint64_t blob_n;
};

/* Section numbers of 65280 and more lie in a table beside the symbol table. */
static Elf_Data *xindex_data(struct elf_file *f, Elf_Scn *symtab)
{
	int index = elf_scnshndx(symtab);
	Elf_Scn *scn = index > 0 ? elf_getscn(f->elf, (size_t)index) : NULL;

	return elf_data(f, scn);
}

static const struct section *section_of(const struct symbol_load *l, const struct elf_sym *s,
					size_t i)
{
	size_t shndx = s->shndx;

	if (shndx == SHN_XINDEX)
		shndx = l->xindex && l->xindex->d_buf && i < l->xindex->d_size / 4
				? load_u32((const char *)l->xindex->d_buf + i * 4, false)
				: 0;
	return &l->sec.v.v[shndx < l->sec.v.n ? shndx : 0];
}

static int add_symbol(struct symbol_load *l, const struct elf_sym *s, size_t i)
{
	const struct section *sec = section_of(l, s, i);
	uint64_t addr = s->value;

	if (s->name >= l->blob_n || !is_symbol(sec, s) ||
	    is_mapping_symbol(l->f->ehdr.e_machine, l->t->blob.v + l->blob + s->name))
		return 0;
	/* Thumb functions have bit 0 set. */
	if (l->f->ehdr.e_machine == EM_ARM && s->type == STT_FUNC)
		addr &= ~1ULL;
	if (sec->words && !by_words(l->f, sec, &addr))
		return 0;
	if (l->raw)
		addr += l->delta;
	else if (!segments_to_offset(l->seg, addr, &addr))
		addr = addr - sec->addr + sec->offset;
	return symtab_add_at(l->t, addr, s->size, binding_of(s), l->blob + s->name);
}

static int add_symbols(struct symbol_load *l, const GElf_Shdr *shdr)
{
	bool is_64bit = l->f->is_64bit, swap = l->f->swap;
	const unsigned char *p;
	struct elf_rows rows;

	elf_rows_start(&rows, l->f, shdr, sym_row(l->f));
	for (size_t i = 0; (p = elf_rows_next(&rows)) != NULL; i++) {
		struct elf_sym s = load_sym(p, is_64bit, swap);

		if (s.name && add_symbol(l, &s, i))
			return -ENOMEM;
	}
	return 0;
}

/* A string table becomes part of the names. False when it is none or not all there. */
static bool take_strings(struct symbol_load *l, const GElf_Shdr *str)
{
	char *room;

	if (str->sh_type != SHT_STRTAB || !elf_has_bytes(l->f, str))
		return false;
	l->blob_n = str->sh_size;
	l->blob = symtab_blob_room(l->t, str->sh_size, &room);
	if (l->blob == UINT32_MAX)
		return true;
	return elf_bytes(l->f, str->sh_offset, room, str->sh_size);
}

static int load_table(struct symbol_load *l, GElf_Word type)
{
	GElf_Shdr shdr, str;
	Elf_Scn *scn = elf_scn_of_type(l->f, type, &shdr), *strscn;

	if (!scn || !shdr.sh_entsize)
		return 0;
	strscn = elf_getscn(l->f->elf, shdr.sh_link);
	if (!strscn || !gelf_getshdr(strscn, &str) || !take_strings(l, &str))
		return 0;
	if (l->blob == UINT32_MAX)
		return -ENOMEM;
	l->xindex = type == SHT_SYMTAB ? xindex_data(l->f, scn) : NULL;
	return add_symbols(l, &shdr);
}

int symtab_load_elf(struct elf_file *f, struct elf_file *run, const struct segments *seg, bool raw,
		    uint64_t delta, struct symtab *t)
{
	struct segments own = { 0 };
	struct symbol_load l = { .f = f, .seg = seg, .raw = raw, .delta = delta, .t = t };
	int ret = 0;

	if (!raw && (!seg || !seg->v.n)) {
		ret = elf_segments(f, &own);
		l.seg = &own;
	}
	if (ret != -ENOMEM)
		ret = list_sections(f, run, &l.sec);
	/* .symtab holds all of .dynsym. */
	if (!ret)
		ret = load_table(&l, elf_has_symtab(f) ? SHT_SYMTAB : SHT_DYNSYM);
	vec_free(&own.v);
	vec_free(&l.sec.v);
	return ret;
}

/* ---- relocations of the PLT -------------------------------------------------------------------- */

/* Elf32_Rel, Elf32_Rela, Elf64_Rel or Elf64_Rela. */
struct elf_reloc {
	uint64_t offset, addend;
	uint32_t sym;
};

static size_t reloc_row(const struct elf_file *f, bool rela)
{
	if (f->is_64bit)
		return rela ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
	return rela ? sizeof(Elf32_Rela) : sizeof(Elf32_Rel);
}

static struct elf_reloc load_reloc(const unsigned char *p, const struct elf_file *f, bool rela)
{
	struct elf_reloc r = { 0 };

	if (f->is_64bit) {
		r.offset = load_u64(p, f->swap);
		r.sym = (uint32_t)(load_u64(p + 8, f->swap) >> 32);
		r.addend = rela ? load_u64(p + 16, f->swap) : 0;
	} else {
		r.offset = load_u32(p, f->swap);
		r.sym = load_u32(p + 4, f->swap) >> 8;
		r.addend = rela ? (uint64_t)(int64_t)(int32_t)load_u32(p + 8, f->swap) : 0;
	}
	return r;
}

struct reloc_list {
	VEC(struct plt_reloc) v;
};

static const char *reloc_name(struct elf_file *f, Elf_Data *syms, size_t strndx, uint32_t sym)
{
	GElf_Sym s;

	return sym && sym <= INT_MAX && gelf_getsym(syms, (int)sym, &s)
		       ? elf_strptr(f->elf, strndx, s.st_name)
		       : NULL;
}

/* Those of one section whose slots are in [from, to]; with @named only what names a symbol. */
static int list_relocs(struct elf_file *f, const GElf_Shdr *shdr, uint64_t from, uint64_t to,
		       bool named, struct reloc_list *out)
{
	bool rela = shdr->sh_type == SHT_RELA;
	Elf_Scn *symscn = elf_getscn(f->elf, shdr->sh_link);
	const unsigned char *p;
	struct elf_rows rows;
	Elf_Data *syms = NULL;
	GElf_Shdr symhdr;

	if ((!rela && shdr->sh_type != SHT_REL) || !symscn || !gelf_getshdr(symscn, &symhdr))
		return 0;
	elf_rows_start(&rows, f, shdr, reloc_row(f, rela));
	while ((p = elf_rows_next(&rows)) != NULL) {
		struct elf_reloc e = load_reloc(p, f, rela);
		struct plt_reloc r = { .got = e.offset, .addend = e.addend };

		if (e.offset < from || e.offset > to || (named && !e.sym))
			continue;
		if (!syms)
			syms = elf_data(f, symscn);
		if (!syms || !syms->d_buf || !elf_names_allowed(f, symhdr.sh_link))
			return 0;
		r.name = reloc_name(f, syms, symhdr.sh_link, e.sym);
		if (vec_push(&out->v, r))
			return -ENOMEM;
	}
	return 0;
}

int symtab_relocs(struct elf_file *f, bool dyn, uint64_t from, uint64_t to, struct plt_reloc **out,
		  size_t *nr)
{
	struct reloc_list list = { 0 };
	GElf_Shdr shdr;
	int ret = 0;

	if (elf_scn_named(f, dyn ? ".rela.dyn" : ".rela.plt", &shdr) ||
	    elf_scn_named(f, dyn ? ".rel.dyn" : ".rel.plt", &shdr))
		ret = list_relocs(f, &shdr, from, to, dyn, &list);
	*out = list.v.v;
	*nr = list.v.n;
	return ret;
}
