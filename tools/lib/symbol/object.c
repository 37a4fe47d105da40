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

void object_set_machine(struct found *found, const struct elf_file *f)
{
	bool big = f->swap != host_is_big_endian();
	/* Since version 6 ARM has its instructions little-endian beside data that is not: BE8. */
	bool little = f->ehdr.e_machine == EM_AARCH64 ||
		      (f->ehdr.e_machine == EM_ARM && f->ehdr.e_flags & EF_ARM_BE8);

	found->e_machine = f->ehdr.e_machine;
	found->insn_mode = (f->is_64bit ? INSN_64BIT : 0) | (big ? INSN_BIG_DATA : 0) |
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
	o->found.insn_mode = made_mode(res);
	dso->symbols = o;
	return o;
}

void object_forget_lines(struct object *o)
{
	if (o->lines_of)
		stored_lines_done(o->lines_of);
	else
		lines_free(o->lines);
	o->lines_of = NULL;
	o->lines = NULL;
	o->lines_tried = false;
}

void object_free(struct object *o)
{
	stored_forget(&o->found);
	vec_free(&o->code_seg.v);
	vec_free(&o->code_span);
	object_forget_lines(o);
	if (o->code_fd >= 0)
		close(o->code_fd);
	vec_free(&o->mark);
	vec_free(&o->slot);
	module_free(o->module);
	free(o->code_file);
	free(o->debug_file);
	free(o);
}

/* ---- files ---------------------------------------------------------------------------------------- */

static int load_from(struct found *found, struct elf_file *run, struct elf_file *debug)
{
	struct elf_file *main = debug ? debug : run;
	int ret = symtab_load_elf(main, run, &found->seg, false, 0, &found->tab);

	if (!ret && run && !debug && !elf_has_symtab(run))
		ret = symtab_load_minidebug(run, &found->seg, &found->tab);
	if (!ret && run)
		ret = symtab_load_plt(run, &found->tab);
	if (!found->tab.sym.n)
		return ret;
	free(found->file);
	found->file = strdup(elf_path(main));
	return ret;
}

/* As it lies in the cache, or of the files. */
static int load_cached(struct resolver *res, struct found *found, struct elf_file *run,
		       struct elf_file *debug)
{
	struct symcache_key key, now;
	int ret;

	/* By a debug file alone it is not of files alone: see place_code(). */
	if (!res->opts.cache || !run || !symcache_key(&key, res, run, debug, NULL))
		return load_from(found, run, debug);
	if (symcache_get(res, &key, &found->tab)) {
		found->file = strdup(elf_path(debug ? debug : run));
		return 0;
	}
	ret = load_from(found, run, debug);
	ret = ret ?: symtab_finish(&found->tab, ENDS_NEXT);
	/* Not while somebody writes one of them. */
	if (!ret && symcache_key(&now, res, run, debug, NULL) && !memcmp(&key, &now, sizeof(key)))
		stored_keep(res, &key, NULL);
	return ret;
}

/*
 * Where code lies in a file that is not here, for its debug file has no bytes of it, and another offset in its header. But
 * recorded maps begin at the first code, rounded down to a page, and offset and address are alike within the alignment. Of code
 * that lies apart from the first nothing is known.
 */
static void place_code(const struct dso *dso, struct segments *seg)
{
	bool first = true;

	vec_for_each (s, &seg->v) {
		uint64_t align = max_u64(s->align, 4096);
		bool known = s->filesz;

		if (!s->exec)
			continue;
		if (!known && first && dso->code_from != UINT64_MAX) {
			s->offset = dso->code_from + ((s->vaddr - dso->code_from) & (align - 1));
			known = true;
		}
		if (known)
			s->filesz = s->memsz;
		first = false;
	}
}

static int user_load(struct resolver *res, const struct dso *dso, struct found *found)
{
	struct elf_file *run = files_open_run(res, dso), *debug = NULL;
	int ret = 0;

	if (!run || !elf_has_symtab(run))
		debug = files_open_debug(res, dso, run, ".symtab");
	if (!run)
		run = files_open_served(res, dso);
	if (run) {
		found->run_file = strdup(elf_path(run));
		found->id = *elf_build_id(run);
	}
	found->stripped = run && !debug && !elf_has_symtab(run);
	if (run || debug) {
		object_set_machine(found, run ? run : debug);
		ret = elf_segments(run ? run : debug, &found->seg);
		if (!run)
			place_code(dso, &found->seg);
		if (ret != -ENOMEM)
			ret = load_cached(res, found, run, debug);
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

bool symbol_is_own_vdso(struct resolver *res, const struct dso *dso, const struct build_id *id)
{
	/* A kernel has one for each width. */
	if (dso->start != (sizeof(void *) == 4))
		return false;
	if (dso->build_id_size)
		return build_id_equal(dso->build_id, dso->build_id_size, id->id, id->size);
	/* What no recording tells of runs here. */
	return !machine_recording(res->m) || kernel_is_host(res, dso);
}

static int vdso_load(struct resolver *res, const struct dso *dso, struct found *found)
{
	struct elf_file *f = NULL;
	size_t size;
	void *image;
	int ret = 0;

	if (res->symfs || res->opts.no_host_kernel)
		return 0;
	image = object_vdso(&size);
	if (!image || elf_open_memory(&f, image, size))
		goto out;
	if (!symbol_is_own_vdso(res, dso, elf_build_id(f)))
		goto out;
	object_set_machine(found, f);
	ret = elf_segments(f, &found->seg);
	if (ret != -ENOMEM)
		ret = symtab_load_elf(f, f, &found->seg, false, 0, &found->tab);
	found->file = strdup("[vdso]");
out:
	elf_close(f);
	free(image);
	return ret;
}

/* ---- modules ----------------------------------------------------------------------------------------- */

/*
 * Whether @t, of kallsyms, has the symbols of the module at @map. Another one may have been loaded there since. A module's code
 * begins with its map; what lies behind that may be any module's, for the map is as long as all its memory.
 */
static bool has_symbols_in(const struct symtab *t, const struct map *map)
{
	const uint64_t *row = map->start ? starts_search(starts_narrow(&t->starts, map->start - 1),
							 map->start - 1)
					 : NULL;
	size_t i = row ? (size_t)(row - t->starts.at) / 2 + 1 : 0;
	const char *module;

	if (i >= t->sym.n || t->sym.v[i].start >= map->end || (t->sym.v[i].name & 3) == SYM_REST)
		return false;
	module = symtab_module(t, (uint32_t)i);
	return !*module || !strcmp(module, map->dso->short_name);
}

static int kernel_module_load(struct resolver *res, const struct dso *dso, struct object *o,
			      struct found *found)
{
	const struct map *map = module_map(res, dso);
	/* It was read before. */
	const struct symtab *kernel =
		res->kernel.found.own_size ? kernel_rest(res) : &res->kernel.found.tab;

	found->kernel_tab =
		map ? !res->kernel.found.vmlinux && has_symbols_in(kernel, map) : kernel->sym.n > 0;
	return found->kernel_tab ? 0 : symtab_load_module(res, dso, o, found);
}

/* ---- all kinds ---------------------------------------------------------------------------------------- */

static int load_kind(struct resolver *res, const struct dso *dso, struct object *o,
		     struct found *found)
{
	switch (dso->kind) {
	case DSO_KERNEL: return 0;
	case DSO_MODULE: return kernel_module_load(res, dso, o, found);
	case DSO_VDSO: return vdso_load(res, dso, found);
	case DSO_ANON: return symtab_load_jit(res, dso, found);
	case DSO_JIT: return symtab_load_jitdump(res, dso, found);
	case DSO_BPF: return symtab_add(&found->tab, dso->start, dso->size, SYM_GLOBAL, dso->name);
	default: return user_load(res, dso, found);
	}
}

static void load(struct resolver *res, const struct dso *dso, struct object *o, struct found *found)
{
	bool jit = dso->kind == DSO_ANON || dso->kind == DSO_JIT;

	found->insn_mode = made_mode(res);
	if (load_kind(res, dso, o, found) == -ENOMEM ||
	    symtab_finish(&found->tab, jit ? ENDS_JIT : ENDS_NEXT)) {
		symtab_free(&found->tab);
		resolver_no_memory(res, "symbols", dso->name);
	}
}

/* All that loading @dso depends on, to be freed; NULL: no memory. */
static char *key_of(struct resolver *res, const struct dso *dso)
{
	const struct map *map = dso->kind == DSO_MODULE ? module_map(res, dso) : NULL;
	/* Code comes and goes in a jitdump file: each machine has its own view of it. */
	bool alone = dso->kind == DSO_JIT;
	bool in_kernel = dso->kind == DSO_MODULE || dso->kind == DSO_VDSO;
	char *kernel = in_kernel ? kernel_key(res) : NULL, *key = NULL;
	struct obuf o;

	if ((in_kernel && !kernel) || obuf_init(&o, -1, 0)) {
		free(kernel);
		return NULL;
	}
	obuf_printf(&o, "%d %u %d %u:%u:%" PRIu64 " %" PRIx64 "+%" PRIx64 " %" PRIx64 "-%" PRIx64,
		    dso->kind, alone ? res->number + 1 : 0, dso->pid, dso->maj, dso->min, dso->ino,
		    dso->start, dso->size, map ? map->start : 0, map ? map->end : 0);
	obuf_printf(&o, " %u ", made_mode(res));
	for (unsigned i = 0; i < dso->build_id_size; i++)
		obuf_printf(&o, "%02x", dso->build_id[i]);
	obuf_printf(&o, "\n%s\n%s\n%s", dso->name, dso->path, kernel ? kernel : "");
	obuf_char(&o, 0);
	key = o.code ? NULL : strdup(o.buf);
	obuf_free(&o);
	free(kernel);
	return key;
}

static void load_stored(struct resolver *res, const struct dso *dso, struct object *o)
{
	char *key = key_of(res, dso);
	struct stored *s = key ? stored_get(res, key) : NULL;

	free(key);
	if (!s) {
		resolver_no_memory(res, "symbols", dso->name);
		return;
	}
	o->stored = s;
	if (stored_begin(res, s))
		load(res, dso, o, stored_found(s));
	stored_end(res, s, &o->found);
}

struct object *object_load(struct resolver *res, struct dso *dso)
{
	struct object *o = object_get(res, dso);
	const char *trouble;

	if (!o || o->loaded)
		return o;
	o->loaded = true;
	if (dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE) {
		if (dso->guest)
			return o;
		/* Before the lock of the module. */
		o->found.kernel_tab = kernel_load(res)->found.tab.sym.n > 0;
		if (dso->kind == DSO_KERNEL)
			return o;
		if (res->kernel.found.own_size)
			kernel_rest(res);
	}
	if (dso->kind == DSO_ANON || dso->kind == DSO_JIT) {
		trouble = machine_jit_trouble(res->m, dso->pid);
		if (trouble)
			resolver_warn(res, "%s", trouble);
	}
	load_stored(res, dso, o);
	return o;
}

unsigned symbol_insn_mode(struct resolver *res, struct dso *dso)
{
	struct object *o = object_load(res, dso);

	return o ? o->found.insn_mode : made_mode(res);
}

uint64_t symbol_listed_addr(struct resolver *res, struct dso *dso, uint64_t addr)
{
	struct object *o = object_load(res, dso);
	uint64_t vaddr;

	/* Others have no offsets of a file: their addresses are those that are listed. */
	if (dso->kind != DSO_USER && dso->kind != DSO_VDSO)
		return addr;
	return o && segments_to_vaddr(&o->found.seg, addr, &vaddr) ? vaddr : addr;
}

bool symbol_object_addr(struct resolver *res, struct dso *dso, uint64_t listed, uint64_t *addr)
{
	struct object *o = object_load(res, dso);

	*addr = listed;
	if (dso->kind != DSO_USER && dso->kind != DSO_VDSO)
		return true;
	return o && segments_to_offset(&o->found.seg, listed, addr);
}

uint32_t symbol_e_machine(struct resolver *res, struct dso *dso)
{
	struct object *o = object_load(res, dso);

	return o ? o->found.e_machine : 0;
}
