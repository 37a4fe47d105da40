// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The second unwinder: libunwind, told that the sample is a process far away. It asks for registers, words of
 * memory and the rules at an address by functions of ours, which answer from the sample's registers, its copy of
 * the stack and the objects' files: no process is looked at. It has been written for programs that are trusted, so
 * rules are looked through before (fde.c), and each step may ask for so many words and no more.
 *
 * libunwind keeps rules by address and knows one process: spaces of ours are kept apart by a handful of its own,
 * each forgotten when another process needs its place or maps have moved. It is loaded when it is asked for: what
 * it exports (_Unwind_*) must not come before the compiler's own in every run.
 */
#include <stdlib.h>

#include "base/loaded.h"
#include "dwarf-int.h"

#if HAVE_LIBDW && HAVE_LIBUNWIND

#include <libunwind-x86_64.h>

#include "cfi-libdw-int.h"
#include "fde-int.h"

/* Its library exports this one, its header does not name it. */
int unw_search_table(unw_addr_space_t as, unw_word_t ip, unw_dyn_info_t *di, unw_proc_info_t *pi,
		     int need_unwind_info, void *arg);

#define SPACES	  16
#define SLOTS	  8192
#define MAX_WORDS (1u << 17) /* of memory, in one step */
#define NS_A_WORD 32	     /* what one is taken for, of elf_time_allowed() */
/* Where its search finds the one row that it is given: an address that no process has. */
#define ONE_ROW (~0ULL << 12)

#define FUNCTIONS(F)          \
	F(create_addr_space)  \
	F(destroy_addr_space) \
	F(set_caching_policy) \
	F(flush_cache)        \
	F(init_remote)        \
	F(step)               \
	F(get_reg)
#define MEMBER(name) __typeof__(unw_##name) *name;
#define NAME(name)   "_Ux86_64_" #name,

struct library {
	FUNCTIONS(MEMBER)
	__typeof__(unw_search_table) *search;
};

/* What is known of an object, once. */
struct object {
	struct fdes fdes;
	bool read;
	uint64_t words; /* that libunwind has asked for of its rules */
};

/* An object where a process has it. */
struct image {
	uint64_t bias; /* address = as linked + bias */
	uint64_t lo, hi;
	uint32_t dso;
	struct cfi_object *file;
};

struct space {
	unw_addr_space_t as;
	uint32_t space, generation;
	VEC(struct image) images;
	uint32_t last; /* the one that was looked at */
};

struct slot {
	uint64_t pc;
	uint32_t space, generation;
	uint32_t loc; /* + 1; 0 = empty */
	bool mapped, signal;
};

struct remote {
	struct library lib;
	struct space spaces[SPACES];
	VEC(struct object) objects; /* by dso->idx */
	struct slot slots[SLOTS];
};

/* One walk, as libunwind's functions hand it back. */
struct far {
	struct dwarf_walk *w;
	struct remote *r;
	struct space *s;
	unsigned words;
};

static uint64_t object_vaddr_end(const struct cfi_object *o, uint64_t *lo)
{
	uint64_t hi = 0;

	*lo = UINT64_MAX;
	vec_for_each (p, &o->load.v) {
		if (p->vaddr + p->memsz < p->vaddr)
			continue;
		*lo = min_u64(*lo, p->vaddr);
		hi = max_u64(hi, p->vaddr + p->memsz);
	}
	return hi;
}

/* The object at @pc, in the list of its space; NULL where none can be read. */
static struct image *image_at(struct far *f, uint64_t pc, uint64_t *vaddr)
{
	struct unwind *u = f->w->u;
	struct space *s = f->s;
	struct object none = { .read = false };
	struct cfi_object *o;
	struct map_hit hit;
	struct image im;
	uint32_t dso;

	if (!machine_find_map(u->m, f->w->th, PERF_RECORD_MISC_USER, pc, &hit))
		return NULL;
	dso = hit.map->dso->idx;
	o = cfi_object(dwarf_cfi(u), hit.map->dso);
	if (!o || !segments_to_vaddr(&o->load, hit.addr, vaddr))
		return NULL;
	im = (struct image){ .bias = pc - *vaddr, .dso = dso, .file = o };
	for (size_t i = 0; i < s->images.n; i++)
		if (s->images.v[i].dso == dso && s->images.v[i].bias == im.bias)
			return &s->images.v[i];
	im.hi = object_vaddr_end(o, &im.lo) + im.bias;
	im.lo += im.bias;
	if (vec_reach(&f->r->objects, dso, none) || vec_push(&s->images, im)) {
		u->oom = true;
		return NULL;
	}
	return &s->images.v[s->images.n - 1];
}

static struct object *object_of(struct far *f, const struct image *im)
{
	struct object *o = &f->r->objects.v[im->dso];

	if (!o->read) {
		o->read = true;
		if (fde_read(&o->fdes, im->file->file)) {
			fde_free(&o->fdes);
			o->fdes = (struct fdes){ 0 };
			f->w->u->oom = true;
		}
	}
	return o;
}

/* ---- what libunwind asks ------------------------------------------------------------------------ */

/* The rules of a file may be a program of any length, run for each address anew. */
static bool words_allowed(struct far *f, const struct image *im)
{
	struct object *o = &f->r->objects.v[im->dso];

	if (likely(o->words++ < elf_time_allowed(im->file->file) / NS_A_WORD))
		return true;
	resolver_warn(f->w->u->res,
		      "%s: its call frame information takes longer than a file of that size "
		      "should; frames are missing (--no-limits goes on whatever it takes)",
		      elf_path(im->file->file) ? elf_path(im->file->file) : "[vdso]");
	return false;
}

/* A word of an object's bytes; those that it has not are 0 where it has one of them. */
static bool image_word(struct far *f, const struct image *im, uint64_t vaddr, uint64_t *v)
{
	const struct fdes *fdes = &f->r->objects.v[im->dso].fdes;
	unsigned char buf[8] = { 0 };
	uint64_t off;
	bool any = false;

	if (vaddr >= FDE_MADE - 8) {
		for (unsigned i = 0; i < 8; i++)
			if (vaddr + i >= FDE_MADE && vaddr + i - FDE_MADE < fdes->made.n) {
				buf[i] = fdes->made.v[vaddr + i - FDE_MADE];
				any = true;
			}
	} else if (segments_to_offset(&im->file->load, vaddr, &off) &&
		   elf_bytes(im->file->file, off, buf, 8)) {
		any = true;
	} else {
		for (unsigned i = 0; i < 8; i++)
			any |= segments_to_offset(&im->file->load, vaddr + i, &off) &&
			       elf_bytes(im->file->file, off, buf + i, 1);
	}
	*v = load_u64(buf, false);
	return any && words_allowed(f, im);
}

static bool is_in(struct far *f, const struct image *im, uint64_t addr)
{
	uint64_t made = addr - im->bias - (FDE_MADE - 8);

	return (addr + 8 > im->lo && addr < im->hi) ||
	       made < f->r->objects.v[im->dso].fdes.made.n + 8;
}

static const struct image *image_of(struct far *f, uint64_t addr)
{
	struct space *s = f->s;

	if (s->last < s->images.n && is_in(f, &s->images.v[s->last], addr))
		return &s->images.v[s->last];
	for (size_t i = 0; i < s->images.n; i++)
		if (is_in(f, &s->images.v[i], addr)) {
			s->last = (uint32_t)i;
			return &s->images.v[i];
		}
	return NULL;
}

static int access_mem(unw_addr_space_t as, unw_word_t addr, unw_word_t *v, int write, void *ctx)
{
	struct far *f = ctx;
	const struct sample *s = f->w->s;
	const struct image *im;
	const unsigned char *p;
	uint64_t vaddr;

	(void)as;
	if (write)
		return -UNW_EINVAL;
	if (++f->words > MAX_WORDS)
		return -UNW_EUNSPEC;
	p = addr < f->w->sp ? NULL : sample_stack_at(s, addr - f->w->sp, 8);
	if (p) {
		*v = load_u64(p, s->swap);
		return 0;
	}
	if ((addr & ONE_ROW) == ONE_ROW) {
		*v = 0;
		return 0;
	}
	im = image_of(f, addr);
	if (im && image_word(f, im, addr - im->bias, v))
		return 0;
	/* What is neither: an object that no frame was in yet. */
	im = im ? NULL : image_at(f, addr, &vaddr);
	if (im && image_word(f, im, vaddr, v))
		return 0;
	f->w->beyond = dwarf_is_beyond(f->w, addr);
	return -UNW_EINVAL;
}

static int access_reg(unw_addr_space_t as, unw_regnum_t reg, unw_word_t *v, int write, void *ctx)
{
	const struct far *f = ctx;

	(void)as;
	if (write)
		return -UNW_EREADONLYREG;
	if (reg < 0 || !cfi_known(&f->w->r, (unsigned)reg))
		return -UNW_EBADREG;
	*v = f->w->r.v[reg];
	return 0;
}

static int access_fpreg(unw_addr_space_t as, unw_regnum_t reg, unw_fpreg_t *v, int write, void *ctx)
{
	(void)as, (void)reg, (void)v, (void)write, (void)ctx;
	return -UNW_EBADREG;
}

/* A table of one row, all zero: the function begins where the table says, its FDE where segbase says. */
static int find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *pi, int need,
			  void *ctx)
{
	unw_dyn_info_t di = { .format = UNW_INFO_FORMAT_IP_OFFSET };
	struct far *f = ctx;
	const struct fde *fde = NULL;
	struct image *im;
	struct object *o;
	uint64_t vaddr;

	im = image_at(f, ip, &vaddr);
	if (im) {
		o = object_of(f, im);
		fde = fde_find(&o->fdes, vaddr);
	}
	if (!fde)
		return -UNW_ENOINFO;
	di.start_ip = fde->start + im->bias;
	di.end_ip = fde->end + im->bias;
	di.u.rti.segbase = (fde->debug ? FDE_MADE : o->fdes.eh) + fde->at + im->bias;
	di.u.rti.table_data = ONE_ROW;
	di.u.rti.table_len = 1;
	if (ip < di.start_ip || ip >= di.end_ip)
		return -UNW_ENOINFO;
	return f->r->lib.search(as, ip, &di, pi, need, ctx);
}

static void put_unwind_info(unw_addr_space_t as, unw_proc_info_t *pi, void *ctx)
{
	(void)as, (void)pi, (void)ctx;
}

static int get_dyn_info_list_addr(unw_addr_space_t as, unw_word_t *addr, void *ctx)
{
	(void)as, (void)addr, (void)ctx;
	return -UNW_ENOINFO;
}

static int resume_it(unw_addr_space_t as, unw_cursor_t *c, void *ctx)
{
	(void)as, (void)c, (void)ctx;
	return -UNW_EINVAL;
}

static int get_proc_name(unw_addr_space_t as, unw_word_t addr, char *buf, size_t n, unw_word_t *off,
			 void *ctx)
{
	(void)as, (void)addr, (void)buf, (void)n, (void)off, (void)ctx;
	return -UNW_ENOINFO;
}

/* ---- spaces ------------------------------------------------------------------------------------- */

static struct space *space_of(struct far *f)
{
	/* libunwind takes a pointer to it that is not const, and copies it. */
	unw_accessors_t answers = {
		find_proc_info, put_unwind_info, get_dyn_info_list_addr, access_mem, access_reg,
		access_fpreg,	resume_it,	 get_proc_name,
	};
	uint32_t space = f->w->th->space;
	uint32_t generation = machine_generation(f->w->u->m, space);
	struct space *s = &f->r->spaces[space % SPACES];

	if (!s->as) {
		s->as = f->r->lib.create_addr_space(&answers, 0);
		if (!s->as)
			return NULL;
		/*
		 * What its cache keeps of a place depends on which stacks came there before: stacks within code that switches
		 * them came out otherwise by another number of threads.
		 */
		f->r->lib.set_caching_policy(s->as, UNW_CACHE_NONE);
	} else if (s->space == space && s->generation == generation) {
		return s;
	} else {
		f->r->lib.flush_cache(s->as, 0, 0);
	}
	s->images.n = 0;
	s->space = space;
	s->generation = generation;
	return s;
}

static void fill_slot(struct far *f, struct slot *p, uint64_t pc)
{
	struct map_hit hit;
	struct image *im;
	uint64_t vaddr;
	const struct fde *fde;

	*p = (struct slot){ .pc = pc, .space = f->s->space, .generation = f->s->generation };
	im = image_at(f, pc, &vaddr);
	if (im) {
		fde = fde_find(&object_of(f, im)->fdes, vaddr);
		p->signal = fde && fde->signal;
		p->mapped = true;
	} else if (machine_find_map(f->w->u->m, f->w->th, PERF_RECORD_MISC_USER, pc, &hit)) {
		p->mapped = cfi_object(dwarf_cfi(f->w->u), hit.map->dso) ||
			    unwind_maps_code(hit.map->dso);
	}
	if (p->mapped)
		p->loc = frame_loc(f->w->u, f->w->th, PERF_RECORD_MISC_USER, pc) + 1;
}

static const struct slot *slot_of(struct far *f, uint64_t pc)
{
	struct slot *p = &f->r->slots[(hash_u64(pc) ^ f->s->space * 31) & (SLOTS - 1)];

	if (unlikely(p->pc != pc || p->space != f->s->space || p->generation != f->s->generation ||
		     (p->mapped && !p->loc)))
		fill_slot(f, p, pc);
	return p;
}

/* ---- walking ------------------------------------------------------------------------------------ */

void remote_walk(struct dwarf_walk *w, uint64_t pc)
{
	struct far f = { .w = w, .r = w->u->remote };
	struct library *lib = &f.r->lib;
	unw_word_t sp = w->sp, before;
	unw_cursor_t cursor;
	bool caller = false; /* pc is a return address: the call is before it */

	f.s = space_of(&f);
	if (!f.s) {
		w->u->oom = true;
		return;
	}
	if (lib->init_remote(&cursor, f.s->as, &f))
		return;
	for (uint32_t left = w->u->opts.max_stack; left && pc; left--) {
		const struct slot *p = slot_of(&f, pc - caller);
		uint64_t old = pc;

		if (!p->mapped || !p->loc ||
		    frame_add_loc(w->u, PERF_RECORD_MISC_USER, pc - caller, p->loc - 1))
			return;
		caller = !p->signal;
		before = sp;
		f.words = 0;
		w->beyond = false;
		if (lib->step(&cursor) <= 0 || lib->get_reg(&cursor, UNW_REG_IP, &pc) ||
		    lib->get_reg(&cursor, UNW_REG_SP, &sp))
			return;
		/* The stack must unwind towards its start. */
		if (sp < before || (sp == before && pc == old))
			return;
	}
}

int remote_new(struct unwind *u, struct err *e)
{
	static const struct loaded l = { "--unwinder libunwind needs", "libunwind-x86_64.so.8",
					 "libunwind8" };
	static const char *const names[] = { FUNCTIONS(NAME) "_Ux86_64_dwarf_search_unwind_table" };

	if (u->arch != REGS_ARCH_X86) {
		err_set(e, -ENOTSUP,
			"--unwinder libunwind: it unwinds stacks of x86-64 here, and the recording is of "
			"another machine");
		err_hint(e, "Leave --unwinder out: perf unwinds them itself.");
		return -ENOTSUP;
	}
	u->remote = calloc(1, sizeof(*u->remote));
	if (!u->remote)
		return err_set(e, -ENOMEM, "no memory for the unwinder");
	return loaded_functions(&l, names, ARRAY_SIZE(names), (void **)&u->remote->lib, e);
}

void remote_free(struct remote *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < SPACES; i++) {
		if (r->spaces[i].as)
			r->lib.destroy_addr_space(r->spaces[i].as);
		vec_free(&r->spaces[i].images);
	}
	vec_for_each (o, &r->objects)
		fde_free(&o->fdes);
	vec_free(&r->objects);
	free(r);
}

#else

int remote_new(struct unwind *u, struct err *e)
{
	(void)u;
	err_set(e, -ENOTSUP, "--unwinder libunwind: this perf was built without %s",
		HAVE_LIBDW ? "libunwind" : "libdw, which libunwind is used with");
	err_hint(e, "Build it with %s, on x86-64, or leave --unwinder out: perf unwinds itself.",
		 HAVE_LIBDW ? "libunwind-dev" : "libdw-dev");
	return -ENOTSUP;
}

void remote_walk(struct dwarf_walk *w, uint64_t pc)
{
	(void)w, (void)pc;
}

void remote_free(struct remote *r)
{
	(void)r;
}

#endif
