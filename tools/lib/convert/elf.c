// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An object's file: segments, functions as BOLT names them, build id, code. Profiles are read by
 * tools that look up names in the same file, so aliases, local functions of one name and fragments
 * must be called exactly as there.
 */
#include <stdio.h>
#include <stdlib.h>

#include "convert/convert-int.h"

struct sym { /* a function symbol before it has its name */
	uint64_t start, size;
	uint64_t limit, next; /* the end of its section, the start of the next symbol */
	const char *name;
	size_t order;
	bool local;
};

struct load {
	struct object_file *f;
	Elf *elf;
	VEC(struct sym) syms;
	struct htab slots; /* GOT slot -> index in relocs */
	VEC(struct sym) relocs;
	struct err *e;
};

static int load_segments(struct load *l)
{
	struct segments all = { 0 };
	int ret = elf_segments(l->f->file, &all);

	vec_for_each (s, &all.v) {
		if (!s->exec || ret)
			continue;
		if (!l->f->segs.v.n) {
			l->f->first_vaddr = s->vaddr;
			l->f->first_offset = s->offset;
		}
		ret = vec_push(&l->f->segs.v, *s);
	}
	vec_free(&all.v);
	return ret;
}

static Elf_Scn *section(const struct load *l, const char *name, GElf_Shdr *sh)
{
	return elf_scn_named(l->f->file, name, sh);
}

static uint64_t section_end(const struct load *l, size_t idx)
{
	Elf_Scn *scn = elf_getscn(l->elf, idx);
	GElf_Shdr sh;

	return scn && gelf_getshdr(scn, &sh) ? sh.sh_addr + sh.sh_size : NO_END;
}

/*
 * clang's -fbasic-block-sections=all: a basic block in a section of its own, which has a name and no type. The function's
 * symbol is that of its first block alone.
 */
static bool is_block(const GElf_Sym *sym, const char *name)
{
	return GELF_ST_TYPE(sym->st_info) == STT_NOTYPE && sym->st_size && name &&
	       strstr(name, ".__part.");
}

static int load_symtab(struct load *l, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_data(l->f->file, scn);
	size_t n = data && sh->sh_entsize ? data->d_size / sh->sh_entsize : 0;

	if (n && !elf_names_allowed(l->f->file, sh->sh_link))
		return 0;
	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		struct sym s = { .order = i };
		GElf_Sym sym;
		unsigned type;

		if (!gelf_getsym(data, (int)i, &sym))
			break;
		type = GELF_ST_TYPE(sym.st_info);
		s.name = elf_strptr(l->elf, sh->sh_link, sym.st_name);
		if ((type != STT_FUNC && type != STT_GNU_IFUNC && !is_block(&sym, s.name)) ||
		    sym.st_shndx == SHN_UNDEF)
			continue;
		s.limit = section_end(l, sym.st_shndx);
		s.start = sym.st_value;
		s.size = sym.st_size;
		s.local = GELF_ST_BIND(sym.st_info) == STB_LOCAL;
		if (s.name && s.name[0] && vec_push(&l->syms, s))
			return -ENOMEM;
	}
	return 0;
}

static int load_symbols(struct load *l)
{
	GElf_Shdr sh;
	Elf_Scn *scn = section(l, ".symtab", &sh);

	if (!scn)
		scn = section(l, ".dynsym", &sh);
	return scn ? load_symtab(l, scn, &sh) : 0;
}

/* ---- PLT entries: "jmp *slot(%rip)", the slot's relocation names the function ---- */

static const char *slot_name(const struct load *l, uint64_t slot)
{
	uint32_t i;

	for (struct htab_it it = htab_find(&l->slots, hash_u64(slot));
	     htab_next(&l->slots, &it, &i);)
		if (i < l->relocs.n && l->relocs.v[i].start == slot)
			return l->relocs.v[i].name;
	return NULL;
}

static int load_relocs(struct load *l)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(l->elf, scn))) {
		GElf_Shdr sh, symsh;
		Elf_Data *data, *symdata;
		Elf_Scn *symscn;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_RELA || !(sh.sh_flags & SHF_ALLOC))
			continue;
		symscn = elf_getscn(l->elf, sh.sh_link);
		data = elf_data(l->f->file, scn);
		symdata = elf_data(l->f->file, symscn);
		if (!data || !symdata || !gelf_getshdr(symscn, &symsh) || !sh.sh_entsize ||
		    !elf_names_allowed(l->f->file, symsh.sh_link))
			continue;
		for (size_t i = 0; i < data->d_size / sh.sh_entsize && i < INT32_MAX; i++) {
			struct sym s = { 0 };
			GElf_Rela r;
			GElf_Sym sym;

			if (!gelf_getrela(data, (int)i, &r) || !GELF_R_SYM(r.r_info) ||
			    !gelf_getsym(symdata, (int)GELF_R_SYM(r.r_info), &sym))
				continue;
			s.start = r.r_offset;
			s.name = elf_strptr(l->elf, symsh.sh_link, sym.st_name);
			/* The first stands: equal keys would make the table a list. */
			if (!s.name || !s.name[0] || slot_name(l, s.start))
				continue;
			if (vec_push(&l->relocs, s) ||
			    htab_add(&l->slots, hash_u64(s.start), (uint32_t)l->relocs.n - 1))
				return -ENOMEM;
		}
	}
	return 0;
}

static int plt_entry(struct load *l, const unsigned char *p, size_t size, uint64_t addr)
{
	struct function fn = { .start = addr, .end = addr + size };

	for (size_t at = 0; at + 6 <= size; at++) {
		const char *name;

		if (p[at] != 0xff || p[at + 1] != 0x25)
			continue;
		name = slot_name(l, addr + at + 6 +
					    (uint64_t)(int64_t)(int32_t)load_u32(
						    p + at + 2, host_is_big_endian()));
		if (!name)
			return 0;
		fn.name = arena_printf(&l->f->arena, "%s@PLT", name);
		return fn.name ? vec_push(&l->f->fns, fn) : -ENOMEM;
	}
	return 0;
}

static int load_plt(struct load *l)
{
	static const struct {
		const char *name;
		size_t entry;
	} plts[] = { { ".plt", 16 }, { ".plt.sec", 16 }, { ".plt.got", 0 } };
	int ret = l->f->machine == EM_X86_64 ? load_relocs(l) : 0;

	for (size_t i = 0; i < ARRAY_SIZE(plts) && !ret && l->f->machine == EM_X86_64; i++) {
		GElf_Shdr sh;
		Elf_Scn *scn = section(l, plts[i].name, &sh);
		Elf_Data *data = elf_data(l->f->file, scn);
		size_t step = plts[i].entry;

		if (!data || !data->d_buf)
			continue;
		if (!step)
			step = sh.sh_entsize == 16 ? 16 : 8;
		/* The first entry of .plt is no function's; BOLT has a name for it. */
		if (!i && vec_push(&l->f->fns, ((struct function){ sh.sh_addr, sh.sh_addr + step,
								   "__BOLT_PSEUDO_.plt", NULL })))
			return -ENOMEM;
		for (size_t at = i ? 0 : step; at + step <= data->d_size && !ret; at += step)
			ret = plt_entry(l, (unsigned char *)data->d_buf + at, step,
					sh.sh_addr + at);
	}
	return ret;
}

/* ---- names ---- */

static int by_start(const void *a, const void *b)
{
	const struct sym *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->local != y->local)
		return x->local - y->local;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int by_fn_start(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return !y->symbol - !x->symbol; /* stubs first */
}

/* BOLT tells local symbols of one name apart by "/1", "/2" ... in the order of addresses. */
static const char *bolt_name(struct load *l, struct intern *names, uint32_t **seen, size_t *cap,
			     const struct sym *s)
{
	uint32_t id;

	if (!s->local)
		return arena_strdup(&l->f->arena, s->name);
	id = intern(names, s->name);
	if (id == INTERN_NONE)
		return NULL;
	if (id >= *cap) {
		size_t n = (size_t)id * 2 + 64;
		uint32_t *more = realloc(*seen, n * sizeof(*more));

		if (!more)
			return NULL;
		memset(more + *cap, 0, (n - *cap) * sizeof(*more));
		*seen = more;
		*cap = n;
	}
	return arena_printf(&l->f->arena, "%s/%u", s->name, ++(*seen)[id]);
}

static uint64_t segment_end(const struct object_file *f, uint64_t vaddr)
{
	vec_for_each (s, &f->segs.v)
		if (vaddr >= s->vaddr && vaddr < s->vaddr + s->filesz)
			return s->vaddr + s->filesz;
	return vaddr;
}

/* Symbols without a size, as in crti, reach to the next one in their section. */
static uint64_t end_of(const struct load *l, const struct sym *s, uint64_t next)
{
	uint64_t limit = min_u64(s->limit, segment_end(l->f, s->start));

	if (s->size)
		return s->start + s->size > s->start ? s->start + s->size : limit;
	return min_u64(next, limit);
}

/* The first start behind each symbol's; the table is sorted. */
static void find_next(struct load *l)
{
	uint64_t next = NO_END;

	for (size_t i = l->syms.n; i-- > 0;) {
		struct sym *s = &l->syms.v[i];

		if (i + 1 < l->syms.n && s[1].start > s->start)
			next = s[1].start;
		s->next = next;
	}
}

static int name_functions(struct load *l)
{
	struct intern names = { 0 };
	uint32_t *seen = NULL;
	size_t cap = 0, n = 0;
	int ret = 0;

	if (l->syms.n)
		qsort(l->syms.v, l->syms.n, sizeof(*l->syms.v), by_start);
	find_next(l);
	for (size_t i = 0; i < l->syms.n && !ret; i++) {
		const struct sym *s = &l->syms.v[i];
		struct function fn = { .start = s->start, .end = end_of(l, s, s->next) };

		fn.name = bolt_name(l, &names, &seen, &cap, s);
		fn.symbol = s->local ? arena_strdup(&l->f->arena, s->name) : fn.name;
		/* The first of several at one address stays. */
		if (!fn.name || !fn.symbol)
			ret = -ENOMEM;
		else if (!i || s[-1].start != s->start)
			ret = vec_push(&l->f->fns, fn);
	}
	free(seen);
	intern_free(&names);
	if (l->f->fns.n)
		qsort(l->f->fns.v, l->f->fns.n, sizeof(*l->f->fns.v), by_fn_start);
	for (size_t i = 0; i < l->f->fns.n; i++)
		if (!n || l->f->fns.v[n - 1].start != l->f->fns.v[i].start)
			l->f->fns.v[n++] = l->f->fns.v[i];
	l->f->fns.n = n;
	return ret;
}

static int load(struct load *l)
{
	const struct build_id *id = elf_build_id(l->f->file);
	int ret;

	for (unsigned i = 0; i < id->size; i++)
		snprintf(l->f->build_id + 2 * i, 3, "%02x", id->id[i]);
	l->f->machine = (uint16_t)elf_e_machine(l->f->file);
	l->elf = l->f->file->elf;
	ret = load_segments(l) ?: load_symbols(l) ?: load_plt(l);
	return ret ? ret : name_functions(l);
}

int convert_elf_open(struct object_file *f, const char *path, unsigned flags, struct err *e)
{
	struct load l = { .f = f, .e = e };
	int ret = elf_open(&f->file, path, flags);

	if (ret)
		return ret == -ENOEXEC
			       ? err_set(e, ret, "%s is no ELF file", path)
			       : err_set(e, ret, "cannot open %s: %s", path, strerror(-ret));
	ret = load(&l);
	if (ret)
		err_set(e, ret, "%s: %s", path, ret == -ENOMEM ? "no memory" : "damaged ELF file");
	vec_free(&l.syms);
	vec_free(&l.relocs);
	htab_free(&l.slots);
	return ret;
}

void convert_elf_close(struct object_file *f)
{
	elf_close(f->file);
	f->file = NULL;
	vec_free(&f->segs.v);
	vec_free(&f->fns);
	arena_free(&f->arena);
}

uint64_t convert_elf_vaddr(const struct object_file *f, uint64_t offset)
{
	uint64_t vaddr;

	return segments_to_vaddr(&f->segs, offset, &vaddr) ? vaddr : NO_END;
}

unsigned char *convert_elf_code(const struct object_file *f, uint64_t vaddr, size_t n, size_t *got)
{
	vec_for_each (s, &f->segs.v) {
		uint64_t at = vaddr - s->vaddr, size = f->file->size;
		unsigned char *code;

		if (vaddr < s->vaddr || at >= s->filesz || s->offset > size ||
		    at >= size - s->offset)
			continue;
		*got = min_u64(n, min_u64(s->filesz - at, size - s->offset - at));
		code = malloc(*got);
		if (code && elf_bytes(f->file, s->offset + at, code, *got))
			return code;
		free(code);
		return NULL;
	}
	return NULL;
}

const struct function *convert_elf_function(const struct object_file *f, uint64_t vaddr)
{
	const struct function *at = f->fns.v;

	if (vaddr == NO_END || !f->fns.n)
		return NULL;
	/* Halved without a branch: which way it goes nobody could foretell. */
	for (size_t n = f->fns.n, half; n > 1; n -= half) {
		half = n / 2;
		at = at[half].start <= vaddr ? at + half : at;
	}
	return vaddr >= at->start && vaddr < at->end ? at : NULL;
}
