// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What lies at an object address besides a symbol: source line, inlined calls. Asked for by few
 * commands and dear, so each kind is looked up when it is asked for, once per address, failures
 * included.
 */
#include <errno.h>
#include <stdlib.h>

#include "symbol/symbol-int.h"

/* ---- debug information ---------------------------------------------------------------------- */

static char *user_debug_path(struct resolver *res, const struct dso *dso)
{
	struct elf_file *run = files_open_run(res, dso), *debug = NULL, *use = run;
	char *path = NULL;

	if (!run || !elf_has_debug_info(run))
		use = debug = files_open_debug(res, dso, run, ".debug_info");
	if (use)
		path = strdup(elf_path(use));
	elf_close(debug);
	elf_close(run);
	return path;
}

/* Also where its symbols came from kallsyms, which know no lines. */
static void open_kernel_lines(struct resolver *res, struct object *o)
{
	struct kernel_tab *kt = &res->kernel;
	char *path;

	if (o->found.kernel_tab && kt->found.vmlinux) {
		o->lines_delta = kt->found.delta;
		o->lines_of = stored_lines(res, kt->found.file, &o->lines);
		return;
	}
	path = kernel_image(res, &o->lines_delta);
	if (path)
		o->lines_of = stored_lines(res, path, &o->lines);
	free(path);
}

static struct lines *module_lines(struct resolver *res, const struct dso *dso, struct object *o)
{
	const struct module *mod = module_get(res, dso, o);
	struct elf_file *f = mod ? module_debug(res, dso, mod) : NULL;

	return f ? lines_open_file(res, f, dso->name) : NULL;
}

static bool module_vaddr(const struct object *o, uint64_t addr, uint64_t *vaddr)
{
	const struct module_section *s = module_section_at(o->module, addr);

	if (!s || !lines_section(o->lines, s->idx, vaddr))
		return false;
	*vaddr += addr - s->addr;
	return true;
}

/* The debug information of an object; NULL = there is none. */
static struct lines *lines_of(struct resolver *res, struct dso *dso, struct object *o)
{
	if (o->lines_tried)
		return o->lines;
	o->lines_tried = true;
	if (dso->kind == DSO_KERNEL) {
		open_kernel_lines(res, o);
	} else if (dso->kind == DSO_MODULE) {
		o->lines = module_lines(res, dso, o);
	} else if (dso->kind == DSO_USER) {
		o->debug_file = user_debug_path(res, dso);
		if (o->debug_file)
			o->lines_of = stored_lines(res, o->debug_file, &o->lines);
	}
	return o->lines;
}

/* The debug information that covers @addr and the address there. */
static struct lines *lines_at(struct resolver *res, struct dso *dso, uint64_t addr, uint64_t *vaddr)
{
	struct object *o = object_load(res, dso);

	if (!o || dso->guest || !lines_of(res, dso, o))
		return NULL;
	if (dso->kind == DSO_KERNEL)
		*vaddr = addr - o->lines_delta;
	else if (dso->kind == DSO_MODULE)
		return module_vaddr(o, addr, vaddr) ? o->lines : NULL;
	else if (!segments_to_vaddr(&o->found.seg, addr, vaddr))
		return NULL;
	return o->lines;
}

struct place *resolver_place(struct resolver *res, struct dso *dso, uint64_t addr)
{
	uint64_t hash = hash_mix(addr, dso->idx);
	struct place p = { .dso = dso, .addr = addr };
	uint32_t i;

	for (struct htab_it it = htab_find(&res->by_addr, hash); htab_next(&res->by_addr, &it, &i);)
		if (res->place.v[i].addr == addr && res->place.v[i].dso == dso)
			return &res->place.v[i];
	i = (uint32_t)res->place.n;
	if (vec_push(&res->place, p))
		return NULL;
	if (htab_add(&res->by_addr, hash, i)) {
		res->place.n--;
		return NULL;
	}
	return &res->place.v[i];
}

void lines_set(struct resolver *res, const char *file, struct srcline *out)
{
	uint32_t id = intern(&res->files, file);
	const char *slash;

	out->file = intern_str(&res->files, id == INTERN_NONE ? 0 : id);
	slash = res->opts.full_paths ? NULL : strrchr(out->file, '/');
	out->base = slash ? slash + 1 : out->file;
}

bool symbol_srcline(struct resolver *res, struct dso *dso, uint64_t addr, struct srcline *out)
{
	struct place *p = resolver_place(res, dso, addr);
	struct lines *l;
	uint64_t vaddr;

	*out = (struct srcline){ "", "", 0 };
	if (!p)
		return false;
	if (!p->line_tried) {
		p->line_tried = true;
		l = lines_at(res, dso, addr, &vaddr);
		if (l)
			p->has_line = lines_find(l, res, vaddr, &p->line);
		else if (dso->kind == DSO_JIT)
			p->has_line = lines_of_jit(res, dso, addr, &p->line);
	}
	if (p->has_line)
		*out = p->line;
	return p->has_line;
}

const struct symbol *resolver_inline_symbol(struct resolver *res, const char *name)
{
	uint32_t id = intern(&res->inline_names, name ? name : "??");
	const struct symbol *s;

	if (id == INTERN_NONE)
		return NULL;
	if (vec_reach(&res->inline_sym, id, NULL))
		return NULL;
	s = res->inline_sym.v[id];
	if (s)
		return s;
	name = resolver_demangle(res, intern_str(&res->inline_names, id), false);
	s = resolver_make_symbol(res, 0, 0, name, true);
	res->inline_sym.v[id] = s;
	return s;
}

static int make_frames(struct resolver *res, struct place *p, const struct inline_info *info, int n)
{
	struct inline_frame *f = arena_alloc(&res->arena, (size_t)n * sizeof(*f));
	struct dso *dso = p->dso;
	uint64_t addr = p->addr;

	if (!f)
		return 0;
	for (int i = 0; i < n; i++) {
		f[i].call = info[i].call;
		f[i].sym = i < n - 1 ? resolver_inline_symbol(res, info[i].name)
				     : symbol_find(res, dso, addr);
		if (!f[i].sym)
			return 0;
	}
	p->frames = f;
	p->nr_frames = n;
	return n;
}

/* Every report with chains asks: the kernel's lines, which take long, are not read for that. */
static bool is_dear(const struct resolver *res, const struct dso *dso)
{
	return dso->kind == DSO_MODULE || (dso->kind == DSO_KERNEL && !res->kernel.found.vmlinux);
}

bool symbol_may_inline(struct resolver *res, struct dso *dso)
{
	struct object *o = object_load(res, dso);

	return o && !dso->guest && !is_dear(res, dso) && lines_of(res, dso, o);
}

static int inlines(struct resolver *res, struct dso *dso, uint64_t addr, bool calls,
		   const struct inline_frame **frames)
{
	const struct inline_info *info;
	uint64_t vaddr;
	struct lines *l = is_dear(res, dso) ? NULL : lines_at(res, dso, addr, &vaddr);
	struct place *p;
	int n;

	/* Most objects have no debug information: nothing to keep of their addresses. */
	*frames = NULL;
	p = l ? resolver_place(res, dso, addr) : NULL;
	if (!p)
		return 0;
	if (!p->names_tried || (calls && !p->calls_tried && p->nr_frames)) {
		p->names_tried = true;
		p->calls_tried = calls;
		lines_begin(l, res);
		n = lines_inlines(l, res, vaddr, calls, &info);
		if (n)
			make_frames(res, p, info, n);
		lines_end(l);
	}
	*frames = p->frames;
	return p->nr_frames;
}

int symbol_inlines(struct resolver *res, struct dso *dso, uint64_t addr,
		   const struct inline_frame **frames)
{
	return inlines(res, dso, addr, true, frames);
}

int symbol_inline_names(struct resolver *res, struct dso *dso, uint64_t addr,
			const struct inline_frame **frames)
{
	return inlines(res, dso, addr, false, frames);
}
