// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What an object's symbols are made of, by its kind: files, the kernel's table, the vdso of this
 * process, maps that compilers leave. Each object is read once, when the first address in it is
 * asked for; that nothing was found is remembered too.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/file.h"
#include "symbol/symbol-int.h"

/* Of code that lies in no file: that of a 64-bit program of the recorded machine. */
static unsigned made_mode(const struct resolver *res)
{
	const struct perfdata *pd = machine_recording(res->m);
	bool big = host_is_big_endian() != (pd && perfdata_swapped(pd));

	return INSN_64BIT | (big ? INSN_BIG_ENDIAN | INSN_BIG_DATA : 0);
}

void object_set_machine(struct object *o, const struct elf_file *f)
{
	bool big = f->swap != host_is_big_endian();
	/* Since version 6 ARM has its instructions little-endian beside data that is not: BE8. */
	bool little = f->ehdr.e_machine == EM_AARCH64 ||
		      (f->ehdr.e_machine == EM_ARM && f->ehdr.e_flags & EF_ARM_BE8);

	o->e_machine = f->ehdr.e_machine;
	o->insn_mode = (f->is_64bit ? INSN_64BIT : 0) | (big ? INSN_BIG_DATA : 0) |
		       (big && !little ? INSN_BIG_ENDIAN : 0);
}

struct object *object_get(struct resolver *res, struct dso *dso)
{
	struct object *o = dso->symbols;

	if (o)
		return o;
	o = calloc(1, sizeof(*o));
	if (!o || vec_push(&res->object, o)) {
		free(o);
		return NULL;
	}
	o->code_fd = -1;
	o->insn_mode = made_mode(res);
	dso->symbols = o;
	return o;
}

void object_free(struct object *o)
{
	symtab_free(&o->tab);
	vec_free(&o->seg.v);
	lines_free(o->lines);
	if (o->code_fd >= 0)
		close(o->code_fd);
	vec_free(&o->mark);
	vec_free(&o->slot);
	module_free(o->module);
	free(o->code_file);
	free(o->file);
	free(o->run_file);
	free(o->debug_file);
	free(o);
}

/* ---- files ---------------------------------------------------------------------------------------- */

static int load_from(struct object *o, struct elf_file *run, struct elf_file *debug)
{
	struct elf_file *main = debug ? debug : run;
	int ret = symtab_load_elf(main, run ? &o->seg : NULL, false, 0, &o->tab);

	if (!ret && run && !debug && !elf_has_symtab(run))
		ret = symtab_load_minidebug(run, &o->seg, &o->tab);
	if (!ret && run)
		ret = symtab_load_plt(run, &o->tab);
	if (!o->tab.sym.n)
		return ret;
	free(o->file);
	o->file = strdup(elf_path(main));
	return ret;
}

static int user_load(struct resolver *res, const struct dso *dso, struct object *o)
{
	struct elf_file *run = files_open_run(res, dso), *debug = NULL;
	int ret = 0;

	if (!run || !elf_has_symtab(run))
		debug = files_open_debug(res, dso, run, ".symtab");
	if (!run && !debug)
		run = files_open_served(res, dso);
	if (run) {
		o->run_file = strdup(elf_path(run));
		o->id = *elf_build_id(run);
	}
	o->stripped = run && !debug && !elf_has_symtab(run);
	if (run || debug) {
		object_set_machine(o, run ? run : debug);
		ret = elf_segments(run ? run : debug, &o->seg);
		if (ret != -ENOMEM)
			ret = load_from(o, run, debug);
	}
	elf_close(debug);
	elf_close(run);
	return ret;
}

/* ---- vdso ------------------------------------------------------------------------------------------- */

static size_t vdso_size(uint64_t start)
{
	char *maps = file_read_all("/proc/self/maps", 16 << 20, NULL, NULL), *line, *save = NULL;
	uint64_t from, to, size = 0;

	for (line = maps ? strtok_r(maps, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &from, &to) == 2 && from == start)
			size = to - from;
	free(maps);
	return size;
}

void *object_vdso(size_t *size)
{
	uint64_t start = getauxval(AT_SYSINFO_EHDR);
	void *copy;

	*size = start ? vdso_size(start) : 0;
	copy = *size ? malloc(*size) : NULL;
	if (copy)
		memcpy(copy, (const void *)(uintptr_t)start, *size);
	return copy;
}

static int vdso_load(struct resolver *res, const struct dso *dso, struct object *o)
{
	struct elf_file *f = NULL;
	const struct build_id *id;
	size_t size;
	void *image;
	bool ours;
	int ret = 0;

	if (res->symfs || res->opts.no_host_kernel)
		return 0;
	image = object_vdso(&size);
	if (!image || elf_open_memory(&f, image, size))
		goto out;
	id = elf_build_id(f);
	ours = dso->build_id_size
		       ? build_id_equal(dso->build_id, dso->build_id_size, id->id, id->size)
		       : kernel_is_host(res, dso);
	if (!ours)
		goto out;
	object_set_machine(o, f);
	ret = elf_segments(f, &o->seg);
	if (ret != -ENOMEM)
		ret = symtab_load_elf(f, &o->seg, false, 0, &o->tab);
	o->file = strdup("[vdso]");
out:
	elf_close(f);
	free(image);
	return ret;
}

/* ---- modules ----------------------------------------------------------------------------------------- */

static const struct map *module_map(struct resolver *res, const struct dso *dso)
{
	const struct map *map;

	for (size_t i = 0; (map = machine_kernel_map_at(res->m, i)); i++)
		if (map->dso == dso)
			return map;
	return NULL;
}

/* Whether the kernel's symbols, which kallsyms mixes with those of modules, reach into @map. */
static bool has_symbols_in(const struct symtab *t, const struct map *map)
{
	const uint64_t *row = starts_search(starts_narrow(&t->starts, map->end - 1), map->end - 1);

	return row && *row >= map->start;
}

static int kernel_module_load(struct resolver *res, const struct dso *dso, struct object *o)
{
	const struct map *map = module_map(res, dso);
	const struct symtab *kernel = &kernel_load(res)->tab;

	o->kernel_tab = kernel->sym.n > 0;
	if (map && map->end > map->start && !has_symbols_in(kernel, map) &&
	    !symtab_load_module(res, dso, o))
		o->kernel_tab = false;
	return 0;
}

/* ---- all kinds ---------------------------------------------------------------------------------------- */

static int load_kind(struct resolver *res, const struct dso *dso, struct object *o)
{
	switch (dso->kind) {
	case DSO_MODULE:
		if (!dso->guest)
			return kernel_module_load(res, dso, o);
		return 0;
	case DSO_KERNEL:
		if (!dso->guest)
			o->kernel_tab = kernel_load(res)->tab.sym.n > 0;
		return 0;
	case DSO_VDSO: return vdso_load(res, dso, o);
	case DSO_ANON: return symtab_load_jit(res, dso, o);
	case DSO_JIT: return symtab_load_jitdump(res, dso, o);
	case DSO_BPF: return symtab_add(&o->tab, dso->start, dso->size, SYM_GLOBAL, dso->name);
	default: return user_load(res, dso, o);
	}
}

struct object *object_load(struct resolver *res, struct dso *dso)
{
	struct object *o = object_get(res, dso);
	bool jit = dso->kind == DSO_ANON || dso->kind == DSO_JIT;

	if (!o || o->loaded)
		return o;
	o->loaded = true;
	if (load_kind(res, dso, o) == -ENOMEM ||
	    symtab_finish(&o->tab, jit ? ENDS_JIT : ENDS_NEXT)) {
		symtab_free(&o->tab);
		resolver_no_memory(res, "symbols", dso->name);
	}
	return o;
}

unsigned symbol_insn_mode(struct resolver *res, struct dso *dso)
{
	struct object *o = object_load(res, dso);

	return o ? o->insn_mode : made_mode(res);
}

uint64_t symbol_listed_addr(struct resolver *res, struct dso *dso, uint64_t addr)
{
	struct object *o = object_load(res, dso);
	uint64_t vaddr;

	/* Others have no offsets of a file: their addresses are those that are listed. */
	if (dso->kind != DSO_USER && dso->kind != DSO_VDSO)
		return addr;
	return o && segments_to_vaddr(&o->seg, addr, &vaddr) ? vaddr : addr;
}

bool symbol_object_addr(struct resolver *res, struct dso *dso, uint64_t listed, uint64_t *addr)
{
	struct object *o = object_load(res, dso);

	*addr = listed;
	if (dso->kind != DSO_USER && dso->kind != DSO_VDSO)
		return true;
	if (!o)
		return false;
	if (segments_to_offset(&o->seg, listed, addr))
		return true;
	/* Zeroed data has no bytes in the file; its symbols were put behind those that have. */
	vec_for_each (s, &o->seg.v) {
		if (listed - s->vaddr >= s->memsz)
			continue;
		*addr = listed - s->vaddr + s->offset;
		return true;
	}
	return false;
}

uint32_t symbol_e_machine(struct resolver *res, struct dso *dso)
{
	struct object *o = object_load(res, dso);

	return o ? o->e_machine : 0;
}
