// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Source lines and inlined functions, by libdw. Opening an object lists the address ranges of its
 * compilation units; a unit's functions are walked once, when the first address in it is asked
 * for, and flattened into sorted segments. After that every answer is a binary search. Resolvers
 * that share a store ask the same lists, one after the other: what takes long is done once for all. A unit's
 * lines change no more once they were read, so these are asked for without waiting for others, and several
 * threads read those of several units (lines-handles.c).
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/file.h"
#include "base/lack.h"
#include "config.h"
#include "symbol/symbol-int.h"

#if HAVE_LIBDW
#include <dwarf.h>

#include "symbol/lines-int.h"

#define DEPTH_MAX 128 /* nested blocks and inlined calls; deeper is damage */

/*
 * What a file may cost, by the bytes that it has on disk (see elf/elf.h): libdw keeps a kilobyte
 * for a unit and a hundred bytes for a byte of a line program, and many entries may share one long
 * list of ranges.
 */
#define UNITS_FREE    (1u << 14)
#define RANGES_FREE   (1u << 20)
#define NODES_FREE    (1u << 20)
#define PROGRAM_FREE  (1u << 20) /* bytes of one line program */
#define PROGRAMS_FREE (4u << 20) /* and of all that were read */

static int by_start(const void *a, const void *b)
{
	const struct cu_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Says once that there is more than is read. */
static void say_over(struct lines *l, struct resolver *res, const char *what)
{
	if (!atomic_exchange(&l->over, true))
		resolver_warn(res,
			      "%s: %s; lines and inlined functions of it are missing (--no-limits "
			      "reads them whatever it takes)",
			      elf_path(l->file), what);
}

static bool allowed(struct lines *l, uint64_t n, uint64_t least, unsigned per, const char *what)
{
	if (likely(elf_allows(l->file, n, least, per)))
		return true;
	say_over(l, l->res, what);
	return false;
}

static bool ranges_allowed(struct lines *l)
{
	return allowed(l, ++l->ranges, RANGES_FREE, 1,
		       "its debug information has more ranges of addresses than a file of that "
		       "size has");
}

/*
 * Strings of debug information that go on behind their section. libdw 0.188 looks for the end of none, neither of
 * those among the entries nor of those in sections of their own, and itself takes lengths of the latter.
 */

typedef bool section_fn(const char *name, const char *data, size_t size, const char *s);

/* Whether @fn says so of a section; @s is its own. */
static bool any_section(Elf *elf, section_fn *fn, const char *s)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name =
			gelf_getshdr(scn, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;
		/* What libdw has of it. */
		Elf_Data *data = name && strstr(name, "debug_") ? elf_rawdata(scn, NULL) : NULL;

		if (data && data->d_buf && data->d_size && fn(name, data->d_buf, data->d_size, s))
			return true;
	}
	return false;
}

static bool is_endless(const char *name, const char *data, size_t size, const char *s)
{
	(void)s;
	return strstr(name, "str") && !strstr(name, "offsets") && data[size - 1];
}

static bool has_all_of(const char *name, const char *data, size_t size, const char *s)
{
	(void)name;
	return s >= data && s < data + size && memchr(s, 0, (size_t)(data + size - s));
}

/* The string of @attr; NULL when there is none. */
static const char *string_of(Dwarf_Attribute *attr)
{
	const char *s = attr ? dwarf_formstring(attr) : NULL;

	if (!s || dwarf_whatform(attr) != DW_FORM_string)
		return s;
	return any_section(dwarf_getelf(dwarf_cu_getdwarf(attr->cu)), has_all_of, s) ? s : NULL;
}

/* Where the compiler ran. False: libdw, which puts that in front of names, would go on behind it. */
static bool sound_directory(Dwarf_Die *die, const char **dir)
{
	Dwarf_Attribute attr;

	*dir = NULL;
	if (!dwarf_attr(die, DW_AT_comp_dir, &attr) || !dwarf_formstring(&attr))
		return true;
	*dir = string_of(&attr);
	return *dir;
}

static int add_cu(struct lines *l, Dwarf_Die *die)
{
	struct cu cu = { .die = *die, .lines_die = *die };
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	/* A skeleton has addresses and lines; what is in the .dwo file it names is not looked at. */
	if (dwarf_tag(die) != DW_TAG_compile_unit && dwarf_tag(die) != DW_TAG_skeleton_unit)
		return 0;
	if (!sound_directory(die, &cu.dir))
		return 0;
	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0 && ranges_allowed(l)) {
		struct cu_range r = { start, end, (uint32_t)l->cu.n };

		/* Ranges at 0 are of functions that the linker dropped. */
		if (start && start < end && vec_push(&l->range, r))
			return -ENOMEM;
	}
	return vec_push(&l->cu, cu);
}

void lines_refused(const struct lines *l)
{
	lack_note(errno, "cannot read the debug information of",
		  elf_path(l->file) ? elf_path(l->file) : "a program");
}

static int list_units(struct lines *l)
{
	Dwarf_Off off = 0, next;
	size_t header;
	Dwarf_Die die;

	for (; errno = 0, !dwarf_nextcu(l->dbg, off, &next, &header, NULL, NULL, NULL);
	     l->units++) {
		if (!allowed(l, l->cu.n, UNITS_FREE, 32,
			     "its debug information has more units than a file of that size has"))
			break;
		if (!dwarf_offdie(l->dbg, off + header, &die))
			lines_refused(l);
		else if (add_cu(l, &die))
			return -ENOMEM;
		if (next <= off)
			break;
		off = next;
	}
	lines_refused(l);
	if (l->range.n)
		qsort(l->range.v, l->range.n, sizeof(*l->range.v), by_start);
	return 0;
}

/*
 * libdw unpacks all debug sections when it opens a file. Nothing here needs to know where variables lie, which is a
 * sixth of what is packed in libc6-dbg: such sections are shown without bytes, as libdw knows them from programs
 * whose debug information was split off.
 */
static bool is_unread(const char *name)
{
	static const char *const names[] = { ".debug_loclists", ".debug_loc",
					     ".debug_macro",	".debug_macinfo",
					     ".debug_pubnames", ".debug_pubtypes",
					     ".debug_names" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void hide_unread(struct elf_file *f)
{
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr shdr;

	while ((scn = elf_scn_next_packed(f, scn, &shdr, &name))) {
		if (!is_unread(name))
			continue;
		/* In libelf's memory alone, where unpacking would change it, too. */
		shdr.sh_type = SHT_NOBITS;
		gelf_update_shdr(scn, &shdr);
	}
}

static int no_debuginfo(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr base,
			const char *file, const char *link, GElf_Word crc, char **found)
{
	(void)m, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)found;
	return -1;
}

/*
 * Debug information of an object file has numbers that relocations complete; libdwfl does that, and
 * gives each section an address. False when it cannot.
 */
static bool open_relocatable(struct lines *l)
{
	static const Dwfl_Callbacks callbacks = {
		.section_address = dwfl_offline_section_address,
		.find_debuginfo = no_debuginfo,
	};
	const char *path = elf_path(l->file) ?: "module";
	char *image = (char *)l->file->image;
	Dwarf_Addr bias;
	size_t n = l->file->size;

	/* libdwfl would map it without a guard. */
	if (l->file->fd >= 0 && l->file->size <= l->file->budget)
		image = l->copy = file_read_all(path, 1 << 30, &n, NULL);
	l->dwfl = image ? dwfl_begin(&callbacks) : NULL;
	if (!l->dwfl)
		return false;
	dwfl_report_begin(l->dwfl);
	l->module = dwfl_report_offline_memory(l->dwfl, path, path, image, n);
	if (dwfl_report_end(l->dwfl, NULL, NULL) || !l->module)
		return false;
	l->dbg = dwfl_module_getdwarf(l->module, &bias);
	return l->dbg && !bias;
}

bool lines_section(struct lines *l, size_t idx, uint64_t *addr)
{
	GElf_Addr bias;
	Elf *elf = l->module ? dwfl_module_getelf(l->module, &bias) : NULL;
	Elf_Scn *scn = elf ? elf_getscn(elf, idx) : NULL;
	GElf_Shdr shdr;

	if (!scn || !gelf_getshdr(scn, &shdr))
		return false;
	*addr = shdr.sh_addr;
	return true;
}

static void find_program(struct lines *l)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_scn_named(l->file, ".debug_line", &shdr);
	Elf_Data *data;

	if (!scn)
		scn = elf_scn_named(l->file, ".zdebug_line", &shdr);
	data = scn ? elf_getdata(scn, NULL) : NULL; /* libdw has unpacked it */
	if (!data || !data->d_buf)
		return;
	l->program = data->d_buf;
	l->program_size = data->d_size;
}

struct lines *lines_open(struct resolver *res, const char *path)
{
	struct elf_file *f;
	int ret = elf_open(&f, path, ELF_MAPPED | symbol_elf_flags(res));

	if (ret == -ENOMEM)
		resolver_no_memory(res, "lines and inlined functions", path);
	return ret ? NULL : lines_open_file(res, f, path);
}

struct lines *lines_open_file(struct resolver *res, struct elf_file *f, const char *path)
{
	struct lines *l = calloc(1, sizeof(*l));
	int ret = l ? 0 : -ENOMEM;

	/* libdw ends the program, or dies, where it gets no memory. */
	if (ret == -ENOMEM || (!ret && !mem_spare(LINES_SPARE))) {
		resolver_no_memory(res, "lines and inlined functions", path);
		ret = -ENOMEM;
	}
	if (!l) {
		elf_close(f);
		return NULL;
	}
	pthread_mutex_init(&l->lock, NULL);
	lines_handles_init(l);
	l->res = res;
	l->file = f;
	if (ret)
		goto fail;
	if (!elf_debug_allowed(l->file)) {
		say_over(l, res,
			 "its debug information unpacks to much more than a file of that size "
			 "holds");
		goto fail;
	}
	errno = 0;
	if (!elf_is_relocatable(f)) {
		hide_unread(f);
		elf_unpack_debug(f);
		l->dbg = dwarf_begin_elf(f->elf, DWARF_C_READ, NULL);
	} else if (!open_relocatable(l)) {
		l->dbg = NULL;
	}
	if (!l->dbg)
		lines_refused(l);
	else
		find_program(l);
	ret = !l->dbg || any_section(dwarf_getelf(l->dbg), is_endless, NULL) ? -ENOEXEC
									     : list_units(l);
	if (!ret)
		return l;
	if (ret == -ENOMEM)
		resolver_no_memory(res, "lines and inlined functions", path);
fail:
	lines_free(l);
	return NULL;
}

void lines_free(struct lines *l)
{
	if (!l)
		return;
	vec_for_each (cu, &l->cu) {
		vec_free(&cu->node);
		segs_free(&cu->segs);
	}
	vec_free(&l->cu);
	vec_free(&l->range);
	vec_free(&l->answer);
	lines_handles_free(l);
	if (l->dbg && !l->dwfl)
		dwarf_end(l->dbg);
	dwfl_end(l->dwfl);
	free(l->copy);
	elf_close(l->file);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

void lines_begin(struct lines *l, struct resolver *res)
{
	pthread_mutex_lock(&l->lock);
	l->res = res;
}

void lines_end(struct lines *l)
{
	pthread_mutex_unlock(&l->lock);
}

/* How many ranges begin at or before @addr. */
static size_t ranges_until(const struct lines *l, uint64_t addr)
{
	size_t lo = 0, n = l->range.n;

	while (n) {
		size_t half = n / 2;

		if (l->range.v[lo + half].start <= addr) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo;
}

uint64_t lines_next_unit(const struct lines *l, uint64_t addr)
{
	size_t i = ranges_until(l, addr);

	return i < l->range.n ? l->range.v[i].start : UINT64_MAX;
}

/* Units do not overlap but in odd files; a few steps back find the one that encloses. */
static struct cu *find_cu(struct lines *l, uint64_t addr)
{
	size_t lo = ranges_until(l, addr);

	for (size_t i = 0; i < 8 && i < lo; i++)
		if (addr < l->range.v[lo - 1 - i].end)
			return &l->cu.v[l->range.v[lo - 1 - i].cu];
	return NULL;
}

/* ---- lines --------------------------------------------------------------------------------------- */

/* Relative names are meant from where the compiler ran. */
static void set_file(const struct cu *cu, struct resolver *res, struct srcline *out,
		     const char *file)
{
	char path[PATH_MAX];

	if (file && file[0] != '/' && !res->opts.full_paths && cu->dir &&
	    snprintf(path, sizeof(path), "%s/%s", cu->dir, file) < (int)sizeof(path))
		file = path;
	lines_set(res, file ? file : "", out);
}

/* Bytes of the unit's line program: libdw decodes all of it at the first question. */
static uint64_t program_size(const struct lines *l, struct cu *cu)
{
	Dwarf_Attribute attr;
	Dwarf_Word at;

	if (dwarf_formudata(dwarf_attr(&cu->lines_die, DW_AT_stmt_list, &attr), &at))
		return 0;
	if (l->program_size < 4 || at > l->program_size - 4)
		return 0;
	return min_u64(load_u32(l->program + at, l->file->swap), l->program_size - at);
}

bool lines_program_allowed(struct lines *l, struct resolver *res, struct cu *cu)
{
	uint64_t n;

	if (cu->program_tried)
		return cu->program_ok;
	cu->program_tried = true;
	n = program_size(l, cu);
	cu->program_ok =
		elf_allows(l->file, n, PROGRAM_FREE, 4) && lines_add_program(l, n, PROGRAMS_FREE);
	if (!cu->program_ok)
		say_over(l, res, "its line tables are longer than a file of that size has");
	return cu->program_ok;
}

/*
 * All that questions for lines ask libdw to make, by a handle that nobody else uses. The unit is
 * claimed. By each handle it has the same offset; to tell that writes nothing.
 */
static void read_lines(struct lines *l, struct resolver *res, struct cu *cu, Dwarf *dbg)
{
	Dwarf_Lines *lines;
	size_t n;

	errno = 0;
	if (dbg != l->dbg && !dwarf_offdie(dbg, dwarf_dieoffset(&cu->die), &cu->lines_die)) {
		lines_refused(l);
	} else if (lines_program_allowed(l, res, cu)) {
		errno = 0;
		cu->has_lines = !dwarf_getsrclines(&cu->lines_die, &lines, &n) && n;
		if (!cu->has_lines)
			lines_refused(l);
	}
	lines_publish(l, cu);
}

/* After lines_publish(): a search in what changes no more, by any thread. */
static bool cu_line(const struct cu *cu, struct resolver *res, uint64_t addr, struct srcline *out)
{
	Dwarf_Die die = cu->lines_die; /* libdw may note something in it */
	Dwarf_Line *line = cu->has_lines ? dwarf_getsrc_die(&die, addr) : NULL;
	const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	int no = 0;

	if (!file || dwarf_lineno(line, &no))
		return false;
	set_file(cu, res, out, file);
	out->line = no > 0 ? (uint32_t)no : 0;
	return true;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

bool lines_question(struct lines *l, struct resolver *res, uint64_t *start)
{
	*start = now_ns();
	if (likely(atomic_load(&l->spent_ns) <= elf_time_allowed(l->file)))
		return true;
	say_over(l, res, "its debug information takes longer than a file of that size should");
	return false;
}

void lines_answered(struct lines *l, uint64_t start)
{
	atomic_fetch_add(&l->spent_ns, now_ns() - start);
}

/* Whether its lines are there; else there is no time to read them. */
static bool read_in_time(struct lines *l, struct resolver *res, struct cu *cu)
{
	uint64_t start;
	bool in_time;
	Dwarf *dbg;

	if (likely(atomic_load_explicit(&cu->lines_read, memory_order_acquire)) ||
	    lines_wait(l, cu))
		return true;
	dbg = lines_take_handle(l, res);
	in_time = lines_question(l, res, &start);
	if (in_time && lines_claim(cu))
		read_lines(l, res, cu, dbg);
	lines_answered(l, start);
	lines_give_handle(l, dbg);
	/* By this one or by another, who came first. */
	return in_time && lines_wait(l, cu);
}

bool lines_find(struct lines *l, struct resolver *res, uint64_t vaddr, struct srcline *out)
{
	struct cu *cu = find_cu(l, vaddr);

	return cu && read_in_time(l, res, cu) && cu_line(cu, res, vaddr, out);
}

/* ---- inlined functions ------------------------------------------------------------------------------ */

struct walk {
	struct lines *l;
	struct cu *cu;
	Dwarf_Off seen; /* entries up to here were visited: damage may lead back */
	VEC(struct interval) iv;
};

static int add_node(struct walk *w, Dwarf_Die *die, bool inlined, uint32_t parent, uint32_t *idx)
{
	struct lines_node n = { dwarf_dieoffset(die), parent, inlined };
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	*idx = (uint32_t)w->cu->node.n;
	if (!allowed(w->l, ++w->l->nodes, NODES_FREE, 1,
		     "its debug information has more functions than a file of that size has"))
		return -EFBIG;
	if (vec_push(&w->cu->node, n))
		return -ENOMEM;
	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0 && ranges_allowed(w->l)) {
		struct interval iv = { start, end, *idx };

		if (start && start < end && vec_push(&w->iv, iv))
			return -ENOMEM;
	}
	return 0;
}

static int walk_children(struct walk *w, Dwarf_Die *parent_die, uint32_t parent, int depth)
{
	Dwarf_Die die;
	int ret = 0;

	if (depth > DEPTH_MAX || dwarf_child(parent_die, &die))
		return 0;
	do {
		uint32_t idx = parent;
		int tag = dwarf_tag(&die);

		if (dwarf_dieoffset(&die) <= w->seen)
			return 0;
		w->seen = dwarf_dieoffset(&die);

		switch (tag) {
		case DW_TAG_subprogram:
		case DW_TAG_inlined_subroutine:
			ret = add_node(w, &die, tag == DW_TAG_inlined_subroutine, parent, &idx);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_namespace:
		case DW_TAG_module: /* of Fortran and D: its procedures are in it */
		case DW_TAG_try_block:
		case DW_TAG_catch_block: break;
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
			/* Functions of lambdas and local classes, by g++; other classes have declarations. */
			if (parent == NO_NODE)
				continue;
			break;
		default: continue;
		}
		if (!ret)
			ret = walk_children(w, &die, idx, depth + 1);
	} while (!ret && !dwarf_siblingof(&die, &die));
	return ret;
}

static void build_cu(struct lines *l, struct cu *cu)
{
	struct walk w = { .l = l, .cu = cu };

	cu->built = true;
	if (walk_children(&w, &cu->die, NO_NODE, 0) || segs_build(&cu->segs, w.iv.v, w.iv.n))
		segs_free(&cu->segs);
	vec_free(&w.iv);
}

struct cu *lines_unit(struct lines *l, uint64_t addr)
{
	struct cu *cu = find_cu(l, addr);

	if (cu && !cu->built)
		build_cu(l, cu);
	return cu;
}

const char *lines_die_name(Dwarf_Die *die)
{
	static const unsigned names[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name };
	Dwarf_Attribute attr;
	const char *s;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		s = string_of(dwarf_attr_integrate(die, names[i], &attr));
		if (s)
			return s;
	}
	return NULL;
}

/* After lines_publish(), which leaves the list of files, too. */
static void call_site(struct cu *cu, struct resolver *res, Dwarf_Die *die, struct srcline *out)
{
	Dwarf_Attribute attr;
	Dwarf_Word file = 0, line = 0;
	Dwarf_Files *files;
	const char *path = NULL;
	size_t n;

	if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr), &file) && cu->program_ok &&
	    !dwarf_getsrcfiles(&cu->lines_die, &files, &n) && file < n)
		path = dwarf_filesrc(files, file, NULL, NULL);
	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &line))
		line = 0;
	set_file(cu, res, out, path);
	out->line = line <= UINT32_MAX ? (uint32_t)line : 0;
}

/* By the object's handle, or by another thread, whose time is not this question's. */
static void read_or_wait(struct lines *l, struct resolver *res, struct cu *cu, uint64_t *start)
{
	uint64_t from;

	if (atomic_load_explicit(&cu->lines_read, memory_order_acquire))
		return;
	if (lines_claim(cu)) {
		read_lines(l, res, cu, l->dbg);
		return;
	}
	from = now_ns();
	lines_wait(l, cu);
	*start += now_ns() - from;
}

static int inlines_at(struct lines *l, struct resolver *res, uint64_t vaddr, uint64_t *start,
		      bool calls, const struct inline_info **out)
{
	struct cu *cu = lines_unit(l, vaddr);
	struct srcline at = { "", "", 0 };
	uint32_t i;

	l->answer.n = 0;
	if (!cu)
		return 0;
	i = segs_find(&cu->segs, vaddr);
	/* Most addresses are in no inlined call, and line tables take long to read. */
	if (i == SYM_NO_SEG || !cu->node.v[i].inlined)
		return 0;
	if (calls) {
		read_or_wait(l, res, cu, start);
		cu_line(cu, res, vaddr, &at);
	}
	for (; i != SYM_NO_SEG && cu->node.v[i].inlined; i = cu->node.v[i].parent) {
		struct inline_info info = { .call = at };
		Dwarf_Die die;

		if (!dwarf_offdie(l->dbg, cu->node.v[i].die, &die))
			break;
		info.name = lines_die_name(&die);
		if (calls)
			call_site(cu, res, &die, &at);
		if (vec_push(&l->answer, info))
			return 0;
	}
	if (l->answer.n) {
		struct inline_info real = { .name = NULL, .call = at };

		if (vec_push(&l->answer, real))
			return 0;
	}
	*out = l->answer.v;
	return (int)l->answer.n;
}

int lines_inlines(struct lines *l, struct resolver *res, uint64_t vaddr, bool calls,
		  const struct inline_info **out)
{
	uint64_t start;
	int n = lines_question(l, res, &start) ? inlines_at(l, res, vaddr, &start, calls, out) : 0;

	lines_answered(l, start);
	return n;
}
#endif
