// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ELF files through libelf: tables, segments, build ids, debug links. Every number of the file is
 * checked by libelf against the file's size or here before it is used as an index.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/internal.h"

struct elf_file {
	Elf *elf;
	GElf_Ehdr ehdr;
	size_t shstrndx;
	char *path;
	int fd;
	bool has_id;
	struct build_id id;
};

static int elf_start(struct elf_file *f)
{
	if (!f->elf || elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &f->ehdr) ||
	    elf_getshdrstrndx(f->elf, &f->shstrndx))
		return -ENOEXEC;
	return 0;
}

int elf_open(struct elf_file **out, const char *path)
{
	struct elf_file *f = calloc(1, sizeof(*f));
	struct stat st;
	int ret;

	*out = NULL;
	if (!f)
		return -ENOMEM;
	elf_version(EV_CURRENT);
	/* O_NONBLOCK: a path of a recording may name a FIFO here. */
	f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	f->path = strdup(path);
	if (f->fd < 0)
		ret = -errno;
	else if (!f->path)
		ret = -ENOMEM;
	else if (fstat(f->fd, &st) || !S_ISREG(st.st_mode))
		ret = -ENOEXEC;
	else {
		f->elf = elf_begin(f->fd, ELF_C_READ, NULL);
		ret = elf_start(f);
	}
	if (ret) {
		elf_close(f);
		return ret;
	}
	*out = f;
	return 0;
}

int elf_open_memory(struct elf_file **out, void *image, size_t size)
{
	struct elf_file *f = calloc(1, sizeof(*f));
	int ret;

	*out = NULL;
	if (!f)
		return -ENOMEM;
	elf_version(EV_CURRENT);
	f->fd = -1;
	f->elf = elf_memory(image, size);
	ret = elf_start(f);
	if (ret) {
		elf_close(f);
		return ret;
	}
	*out = f;
	return 0;
}

void elf_close(struct elf_file *f)
{
	if (!f)
		return;
	elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	free(f->path);
	free(f);
}

const char *elf_path(const struct elf_file *f)
{
	return f->path;
}

int elf_fd(const struct elf_file *f)
{
	return f->fd;
}

bool elf_is_64bit(const struct elf_file *f)
{
	return gelf_getclass(f->elf) == ELFCLASS64;
}

unsigned elf_e_machine(const struct elf_file *f)
{
	return f->ehdr.e_machine;
}

bool elf_is_relocatable(const struct elf_file *f)
{
	return f->ehdr.e_type == ET_REL;
}

/* ---- sections ---------------------------------------------------------------------------------- */

static Elf_Scn *section_by_name(struct elf_file *f, const char *name, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(f->elf, scn)) != NULL) {
		const char *s;

		if (!gelf_getshdr(scn, shdr))
			continue;
		s = elf_strptr(f->elf, f->shstrndx, shdr->sh_name);
		if (s && !strcmp(s, name))
			return scn;
	}
	return NULL;
}

static Elf_Scn *section_by_type(struct elf_file *f, GElf_Word type, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(f->elf, scn)) != NULL)
		if (gelf_getshdr(scn, shdr) && shdr->sh_type == type)
			return scn;
	return NULL;
}

bool elf_has_section(struct elf_file *f, const char *name)
{
	GElf_Shdr shdr;

	return section_by_name(f, name, &shdr) && shdr.sh_type != SHT_NOBITS && shdr.sh_size;
}

bool elf_has_symtab(struct elf_file *f)
{
	GElf_Shdr shdr;

	return section_by_type(f, SHT_SYMTAB, &shdr) != NULL;
}

const void *elf_section(struct elf_file *f, const char *name, size_t *size, uint64_t *addr,
			uint64_t *offset)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = section_by_name(f, name, &shdr);
	Elf_Data *data;

	if (!scn || shdr.sh_type == SHT_NOBITS)
		return NULL;
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf)
		return NULL;
	*size = data->d_size;
	if (addr)
		*addr = shdr.sh_addr;
	if (offset)
		*offset = shdr.sh_offset;
	return data->d_buf;
}

const char *elf_debuglink(struct elf_file *f)
{
	size_t size;
	const char *name = elf_section(f, ".gnu_debuglink", &size, NULL, NULL);

	/* A bare file name: a path would lead anywhere. */
	if (!name || !memchr(name, 0, size) || !*name || strchr(name, '/'))
		return NULL;
	return name;
}

/* ---- build ids ----------------------------------------------------------------------------------- */

bool build_id_equal(const uint8_t *a, size_t na, const uint8_t *b, size_t nb)
{
	static const uint8_t zero[256];
	size_t n = min_u64(na, nb);

	return n && !memcmp(a, b, n) && !memcmp(a + n, zero, na - n) &&
	       !memcmp(b + n, zero, nb - n);
}

bool build_id_from_notes(const void *notes, size_t n, bool swap, struct build_id *out)
{
	struct cursor c = cursor_init(notes, n, swap);

	while (cursor_left(&c) >= 12) {
		uint32_t namesz = cursor_u32(&c), descsz = cursor_u32(&c), type = cursor_u32(&c);
		const char *name = cursor_bytes(&c, align_up(namesz, 4));
		/* The last note's padding may be missing. */
		const void *desc = cursor_bytes(&c, min_u64(align_up(descsz, 4), cursor_left(&c)));

		if (c.bad || descsz > cursor_pos(&c))
			return false;
		if (type != NT_GNU_BUILD_ID || namesz != 4 || memcmp(name, "GNU", 4) || !descsz)
			continue;
		out->size = (uint8_t)min_u64(descsz, BUILD_ID_MAX);
		memcpy(out->id, desc, out->size);
		return true;
	}
	return false;
}

static bool id_of_section(struct elf_file *f)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(f->elf, scn)) != NULL) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_NOTE)
			continue;
		data = elf_getdata(scn, NULL);
		if (data && data->d_buf &&
		    build_id_from_notes(data->d_buf, data->d_size, false, &f->id))
			return true;
	}
	return false;
}

static bool id_of_segment(struct elf_file *f)
{
	GElf_Phdr ph;
	size_t n = 0;

	elf_getphdrnum(f->elf, &n);
	for (size_t i = 0; i < n; i++) {
		Elf_Data *data;

		if (!gelf_getphdr(f->elf, (int)i, &ph) || ph.p_type != PT_NOTE)
			continue;
		data = elf_getdata_rawchunk(f->elf, (int64_t)ph.p_offset, ph.p_filesz,
					    ph.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		if (data && data->d_buf &&
		    build_id_from_notes(data->d_buf, data->d_size, false, &f->id))
			return true;
	}
	return false;
}

const struct build_id *elf_build_id(struct elf_file *f)
{
	if (!f->has_id) {
		f->has_id = true;
		if (!id_of_section(f) && !id_of_segment(f))
			f->id.size = 0;
	}
	return &f->id;
}

/* ---- segments ---------------------------------------------------------------------------------------- */

int elf_segments(struct elf_file *f, struct segments *out)
{
	GElf_Phdr ph;
	size_t n = 0;

	if (elf_getphdrnum(f->elf, &n))
		return -ENOEXEC;
	for (size_t i = 0; i < n; i++) {
		struct segment s;

		if (!gelf_getphdr(f->elf, (int)i, &ph) || ph.p_type != PT_LOAD)
			continue;
		s = (struct segment){ ph.p_offset, ph.p_vaddr, ph.p_filesz, ph.p_memsz,
				      ph.p_flags & PF_X };
		if (vec_push(&out->v, s))
			return -ENOMEM;
	}
	return 0;
}

bool segments_to_offset(const struct segments *s, uint64_t vaddr, uint64_t *offset)
{
	for (const struct segment *p = s->v.v; p < s->v.v + s->v.n; p++) {
		if (vaddr < p->vaddr || vaddr - p->vaddr >= p->memsz)
			continue;
		*offset = vaddr - p->vaddr + p->offset;
		return true;
	}
	return false;
}

bool segments_to_vaddr(const struct segments *s, uint64_t offset, uint64_t *vaddr)
{
	const struct segment *found = NULL;

	/* File pages may be mapped twice, as data and as code: code is what was sampled. */
	for (const struct segment *p = s->v.v; p < s->v.v + s->v.n; p++) {
		if (offset < p->offset || offset - p->offset >= p->filesz)
			continue;
		if (!found || (p->exec && !found->exec))
			found = p;
	}
	if (!found)
		return false;
	*vaddr = offset - found->offset + found->vaddr;
	return true;
}

/* ---- symbols -------------------------------------------------------------------------------------------- */

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
};

struct sections {
	VEC(struct section) v;
};

static int list_sections(struct elf_file *f, struct sections *out)
{
	struct section none = { 0 };
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	if (vec_push(&out->v, none))
		return -ENOMEM;
	while ((scn = elf_nextscn(f->elf, scn)) != NULL) {
		struct section s = { 0 };
		const char *name = NULL;

		if (gelf_getshdr(scn, &shdr)) {
			name = elf_strptr(f->elf, f->shstrndx, shdr.sh_name);
			s = (struct section){ .loaded = shdr.sh_flags & SHF_ALLOC,
					      .addr = shdr.sh_addr,
					      .offset = shdr.sh_offset };
		}
		s.labels = name && (strstr(name, "text") || strstr(name, "data"));
		if (vec_push(&out->v, s))
			return -ENOMEM;
	}
	return 0;
}

static bool is_symbol(const struct section *sec, const GElf_Sym *s)
{
	if (!s->st_name || !sec->loaded)
		return false;
	switch (GELF_ST_TYPE(s->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
	case STT_OBJECT: return true;
	case STT_NOTYPE:
		return GELF_ST_VISIBILITY(s->st_other) != STV_HIDDEN &&
		       GELF_ST_VISIBILITY(s->st_other) != STV_INTERNAL && sec->labels;
	default: return false;
	}
}

static int binding_of(const GElf_Sym *s)
{
	switch (GELF_ST_BIND(s->st_info)) {
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

static int add_symbol(struct symbol_load *l, const GElf_Sym *s, size_t xindex)
{
	uint64_t addr = s->st_value;
	size_t shndx = s->st_shndx == SHN_XINDEX ? xindex : s->st_shndx;
	const struct section *sec = &l->sec.v.v[shndx < l->sec.v.n ? shndx : 0];

	if (s->st_name >= l->blob_n || !is_symbol(sec, s) ||
	    is_mapping_symbol(l->f->ehdr.e_machine, l->t->blob.v + l->blob + s->st_name))
		return 0;
	/* Thumb functions have bit 0 set. */
	if (l->f->ehdr.e_machine == EM_ARM && GELF_ST_TYPE(s->st_info) == STT_FUNC)
		addr &= ~1ULL;
	if (l->raw)
		addr += l->delta;
	else if (!segments_to_offset(l->seg, addr, &addr))
		addr = addr - sec->addr + sec->offset;
	return symtab_add_at(l->t, addr, s->st_size, binding_of(s), l->blob + (uint32_t)s->st_name);
}

/* Section numbers of 65280 and more lie in a table beside the symbol table. */
static Elf_Data *xindex_data(struct elf_file *f, Elf_Scn *symtab)
{
	int index = elf_scnshndx(symtab);
	Elf_Scn *scn = index > 0 ? elf_getscn(f->elf, (size_t)index) : NULL;

	return scn ? elf_getdata(scn, NULL) : NULL;
}

static int load_table(struct symbol_load *l, GElf_Word type)
{
	GElf_Shdr shdr, strhdr;
	Elf_Scn *scn = section_by_type(l->f, type, &shdr), *strscn;
	Elf_Data *data, *str;
	GElf_Sym s;
	size_t n;

	if (!scn || !shdr.sh_entsize)
		return 0;
	strscn = elf_getscn(l->f->elf, shdr.sh_link);
	data = elf_getdata(scn, NULL);
	str = strscn && gelf_getshdr(strscn, &strhdr) && strhdr.sh_type == SHT_STRTAB
		      ? elf_getdata(strscn, NULL)
		      : NULL;
	if (!data || !data->d_buf || !str || !str->d_buf)
		return 0;
	n = data->d_size / gelf_fsize(l->f->elf, ELF_T_SYM, 1, EV_CURRENT);
	l->xindex = type == SHT_SYMTAB ? xindex_data(l->f, scn) : NULL;
	l->blob_n = str->d_size;
	l->blob = symtab_blob(l->t, str->d_buf, str->d_size);
	if (l->blob == UINT32_MAX)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		Elf32_Word xindex = 0;

		if (gelf_getsymshndx(data, l->xindex, (int)i, &s, &xindex) &&
		    add_symbol(l, &s, xindex))
			return -ENOMEM;
	}
	return 0;
}

int elf_load_symbols(struct elf_file *f, const struct segments *run, bool raw, uint64_t delta,
		     struct symtab *t)
{
	struct segments own = { 0 };
	struct symbol_load l = { .f = f, .seg = run, .raw = raw, .delta = delta, .t = t };
	int ret = 0;

	if (!raw && (!run || !run->v.n)) {
		ret = elf_segments(f, &own);
		l.seg = &own;
	}
	if (ret != -ENOMEM)
		ret = list_sections(f, &l.sec);
	/* .symtab holds all of .dynsym. */
	if (!ret)
		ret = load_table(&l, elf_has_symtab(f) ? SHT_SYMTAB : SHT_DYNSYM);
	vec_free(&own.v);
	vec_free(&l.sec.v);
	return ret;
}

bool elf_symbol_value(struct elf_file *f, const char *name, uint64_t *value)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = section_by_type(f, SHT_SYMTAB, &shdr);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	GElf_Sym s;

	for (int i = 0; data && gelf_getsym(data, i, &s); i++) {
		const char *n = elf_strptr(f->elf, shdr.sh_link, s.st_name);

		if (!n || strcmp(n, name))
			continue;
		*value = s.st_value;
		return true;
	}
	return false;
}

/* ---- relocations of the PLT --------------------------------------------------------------------------------- */

static void add_reloc(struct elf_file *f, Elf_Data *syms, size_t strndx, uint64_t where,
		      uint64_t info, struct plt_reloc *r)
{
	GElf_Sym s;

	r->got = where;
	r->name = NULL;
	if (GELF_R_SYM(info) && gelf_getsym(syms, (int)GELF_R_SYM(info), &s))
		r->name = elf_strptr(f->elf, strndx, s.st_name);
}

int elf_relocs(struct elf_file *f, bool dyn, struct plt_reloc **out, size_t *nr)
{
	GElf_Shdr shdr, symhdr;
	Elf_Scn *scn = section_by_name(f, dyn ? ".rela.dyn" : ".rela.plt", &shdr), *symscn;
	Elf_Data *data, *syms;
	size_t n;

	*out = NULL;
	*nr = 0;
	if (!scn)
		scn = section_by_name(f, dyn ? ".rel.dyn" : ".rel.plt", &shdr);
	symscn = scn ? elf_getscn(f->elf, shdr.sh_link) : NULL;
	if (!symscn || !gelf_getshdr(symscn, &symhdr) || !shdr.sh_entsize)
		return 0;
	data = elf_getdata(scn, NULL);
	syms = elf_getdata(symscn, NULL);
	if (!data || !data->d_buf || !syms || !syms->d_buf)
		return 0;
	n = data->d_size / shdr.sh_entsize;
	*out = calloc(n ? n : 1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct plt_reloc *r = &(*out)[*nr];
		GElf_Rela ra = { 0 };
		GElf_Rel rel;

		if (shdr.sh_type == SHT_REL && gelf_getrel(data, (int)i, &rel))
			ra = (GElf_Rela){ rel.r_offset, rel.r_info, 0 };
		else if (shdr.sh_type != SHT_RELA || !gelf_getrela(data, (int)i, &ra))
			continue;
		/* Most of .rela.dyn only adds the load address. */
		if (dyn && !GELF_R_SYM(ra.r_info))
			continue;
		add_reloc(f, syms, symhdr.sh_link, ra.r_offset, ra.r_info, r);
		r->addend = (uint64_t)ra.r_addend;
		++*nr;
	}
	return 0;
}
