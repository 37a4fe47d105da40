// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What kind of code lies where, on ARM: its programs have two instruction sets and data between
 * functions, and symbols called $a, $t, $d and $x tell where each begins. A file without .symtab has
 * no such symbols; bit 0 of its functions' addresses still tells the instruction set.
 */
#include <stdlib.h>

#include "symbol/symbol-int.h"

static char kind_of(const struct elf_file *f, const GElf_Sym *s, const char *name)
{
	if (name && name[0] == '$' && name[1] && strchr("adtx", name[1]) &&
	    (!name[2] || name[2] == '.'))
		return name[1];
	if (f->ehdr.e_machine == EM_ARM && GELF_ST_TYPE(s->st_info) == STT_FUNC)
		return s->st_value & 1 ? 't' : 'a';
	return 0;
}

static int add_marks(struct elf_file *f, struct object *o, GElf_Word type)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_scn_of_type(f, type, &shdr);
	Elf_Data *data = scn ? elf_data(f, scn) : NULL;
	GElf_Sym s;

	if (!data || !elf_names_allowed(f, shdr.sh_link))
		return 0;
	for (int i = 0; gelf_getsym(data, i, &s); i++) {
		struct symbol_mark m = {
			.kind = kind_of(f, &s, elf_strptr(f->elf, shdr.sh_link, s.st_name))
		};

		if (m.kind && s.st_shndx && s.st_shndx < SHN_LORESERVE &&
		    segments_to_offset(&o->found.seg, s.st_value & ~(m.kind == 't' ? 1ULL : 0),
				       &m.addr) &&
		    vec_push(&o->mark, m))
			return -ENOMEM;
	}
	return 0;
}

static int by_addr(const void *a, const void *b)
{
	const struct symbol_mark *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->kind - y->kind;
}

static void load(struct resolver *res, const struct dso *dso, struct object *o)
{
	struct elf_file *f = files_open_run(res, dso), *debug;
	bool whole = f && elf_has_symtab(f);

	debug = whole ? NULL : files_open_debug(res, dso, f, ".symtab");
	if (debug)
		add_marks(debug, o, SHT_SYMTAB);
	else if (f)
		add_marks(f, o, whole ? SHT_SYMTAB : SHT_DYNSYM);
	elf_close(debug);
	elf_close(f);
	if (o->mark.n)
		qsort(o->mark.v, o->mark.n, sizeof(*o->mark.v), by_addr);
}

size_t symbol_marks(struct resolver *res, struct dso *dso, uint64_t addr,
		    const struct symbol_mark **marks)
{
	struct object *o = object_load(res, dso);
	size_t lo = 0, n;

	if (!o || dso->kind != DSO_USER ||
	    (o->found.e_machine != EM_ARM && o->found.e_machine != EM_AARCH64))
		return 0;
	if (!o->marks_tried)
		load(res, dso, o);
	o->marks_tried = true;
	/* The last one at or before @addr, or the first. */
	for (n = o->mark.n; n;) {
		size_t half = n / 2;

		if (o->mark.v[lo + half].addr <= addr) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	lo -= lo > 0;
	*marks = o->mark.v + lo;
	return o->mark.n - lo;
}
