// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What compilers made code of, for profiles that they read again. The lists of lines.c say which
 * functions and inlined calls there are and where; here each gets its name and its lines once, when
 * the first address in it is asked for, and each unit's line table becomes rows of its own. So an
 * answer is two binary searches, and knows up to where it holds: who counts walks from one to the
 * next instead of asking for each instruction.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "config.h"
#include "symbol/symbol-int.h"

#if HAVE_LIBDW
#include <dwarf.h>

#include "symbol/lines-int.h"

#define GNU_DISCRIMINATOR 0x2136 /* DW_AT_GNU_discriminator, which dwarf.h does not name */

#define PIECES_MAX 4096 /* of one function; compilers make two or three */

struct row { /* it reaches to the next */
	uint64_t addr;
	uint32_t line, discriminator; /* line 0: no code, or code of no line */
};

/* A function, or a call that was inlined: a node of lines.c. */
struct made {
	bool known;
	uint32_t name, decl;
	uint32_t call_line, call_discriminator;
};

struct unit {
	bool read;
	VEC(struct row) row;
	VEC(struct made) made; /* by number of the node */
};

struct origins {
	struct lines *l;
	struct intern names;
	VEC(struct unit) unit; /* as l->cu */
	VEC(struct origin) answer;
	VEC(struct code_range) range;
	bool no_memory;
};

/* ---- opening ---------------------------------------------------------------------------------- */

static int debug_file(struct resolver *res, const struct dso *dso, const char *path, char *out,
		      size_t size, struct err *e)
{
	struct elf_file *run = NULL, *debug = NULL, *use;
	int ret = elf_open(&run, path, symbol_elf_flags(res));

	if (ret)
		return err_set(e, ret, "cannot open %s: %s", path, strerror(-ret));
	if (!elf_has_debug_info(run))
		debug = files_open_debug(res, dso, run, ".debug_info");
	use = debug ? debug : run;
	if (!elf_has_debug_info(use)) {
		ret = err_set(e, -ENOENT,
			      "%s has no debug information, which says what code was "
			      "compiled from",
			      path);
		err_hint(e, "Build with -g (clang: -gline-tables-only -fdebug-info-for-profiling), "
			    "or install its debug symbols.");
	} else if (snprintf(out, size, "%s", elf_path(use)) >= (int)size) {
		ret = err_set(e, -ENAMETOOLONG, "the path of debug information of %s is too long",
			      path);
	}
	elf_close(debug);
	elf_close(run);
	return ret;
}

int symbol_origins_open(struct origins **out, struct resolver *res, const struct dso *dso,
			const char *path, struct err *e)
{
	struct origins *o = calloc(1, sizeof(*o));
	char debug[PATH_MAX];
	int ret;

	*out = NULL;
	if (!o)
		return err_set(e, -ENOMEM, "no memory for lines of %s", path);
	ret = debug_file(res, dso, path, debug, sizeof(debug), e);
	if (ret) {
		free(o);
		return ret;
	}
	o->l = lines_open(res, debug);
	if (!o->l || vec_reserve(&o->unit, o->l->cu.n)) {
		symbol_origins_close(o);
		return err_set(e, -ENOEXEC, "%s: its debug information cannot be read", debug);
	}
	if (o->l->cu.n)
		memset(o->unit.v, 0, o->l->cu.n * sizeof(*o->unit.v));
	o->unit.n = o->l->cu.n;
	*out = o;
	return 0;
}

void symbol_origins_close(struct origins *o)
{
	if (!o)
		return;
	vec_for_each (u, &o->unit) {
		vec_free(&u->row);
		vec_free(&u->made);
	}
	vec_free(&o->unit);
	vec_free(&o->answer);
	vec_free(&o->range);
	intern_free(&o->names);
	lines_free(o->l);
	free(o);
}

/* ---- units ------------------------------------------------------------------------------------ */

/* Of rows at one address the last is the code's; the end of a sequence comes before them. */
static int add_row(struct unit *u, Dwarf_Line *line)
{
	struct row r = { 0 };
	unsigned int discriminator = 0;
	Dwarf_Addr addr;
	bool end;
	int no;

	if (dwarf_lineaddr(line, &addr) || dwarf_lineendsequence(line, &end))
		return 0;
	r.addr = addr;
	if (!end && !dwarf_lineno(line, &no) && no > 0) {
		r.line = (uint32_t)no;
		dwarf_linediscriminator(line, &discriminator);
		r.discriminator = discriminator;
	}
	if (u->row.n && u->row.v[u->row.n - 1].addr >= r.addr) {
		u->row.v[u->row.n - 1] = r;
		return 0;
	}
	return vec_push(&u->row, r);
}

static int read_unit(struct origins *o, struct unit *u, struct cu *cu)
{
	Dwarf_Lines *lines;
	size_t n;

	u->read = true;
	if (vec_reach(&u->made, cu->node.n, (struct made){ .known = false }))
		return -ENOMEM;
	if (!lines_program_allowed(o->l, o->l->res, cu))
		return 0;
	errno = 0;
	if (dwarf_getsrclines(&cu->die, &lines, &n)) {
		lines_refused(o->l);
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		if (add_row(u, dwarf_onesrcline(lines, i)))
			return -ENOMEM;
	return 0;
}

/* The row of @addr, NULL = there is none, and up to where that holds. */
static const struct row *find_row(const struct unit *u, uint64_t addr, uint64_t *end)
{
	size_t lo = 0, hi = u->row.n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (u->row.v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	*end = lo < u->row.n ? u->row.v[lo].addr : UINT64_MAX;
	return lo ? &u->row.v[lo - 1] : NULL;
}

static uint32_t number(Dwarf_Die *die, unsigned attribute, bool inherited)
{
	Dwarf_Attribute attr;
	Dwarf_Word v;

	if (dwarf_formudata(inherited ? dwarf_attr_integrate(die, attribute, &attr)
				      : dwarf_attr(die, attribute, &attr),
			    &v) ||
	    v > UINT32_MAX)
		return 0;
	return (uint32_t)v;
}

static const struct made *made_at(struct origins *o, struct unit *u, const struct cu *cu,
				  uint32_t i)
{
	struct made *m = &u->made.v[i];
	const char *name;
	Dwarf_Die die;

	if (m->known)
		return m;
	if (!dwarf_offdie(o->l->dbg, cu->node.v[i].die, &die))
		return NULL;
	name = lines_die_name(&die);
	m->name = intern(&o->names, name ? name : "");
	if (m->name == INTERN_NONE) {
		o->no_memory = true;
		return NULL;
	}
	m->decl = number(&die, DW_AT_decl_line, true);
	m->call_line = number(&die, DW_AT_call_line, false);
	m->call_discriminator = number(&die, GNU_DISCRIMINATOR, false);
	m->known = true;
	return m;
}

/* The unit that has @addr, read; NULL = none. */
static struct unit *unit_at(struct origins *o, uint64_t addr, struct cu **cu)
{
	struct unit *u;

	*cu = lines_unit(o->l, addr);
	if (!*cu)
		return NULL;
	u = &o->unit.v[*cu - o->l->cu.v];
	if (!u->read && read_unit(o, u, *cu))
		o->no_memory = true;
	return u->made.n ? u : NULL;
}

/* ---- answers ---------------------------------------------------------------------------------- */

static int frames_at(struct origins *o, uint64_t addr, uint64_t *end)
{
	uint64_t row_end, seg_end;
	struct cu *cu;
	struct unit *u = unit_at(o, addr, &cu);
	const struct row *row;
	struct origin at = { 0 };
	uint32_t i;

	o->answer.n = 0;
	*end = lines_next_unit(o->l, addr);
	if (!u)
		return 0;
	i = segs_find_end(&cu->segs, addr, &seg_end);
	row = find_row(u, addr, &row_end);
	*end = min_u64(*end, min_u64(seg_end, row_end));
	if (row) {
		at.line = row->line;
		at.discriminator = row->discriminator;
	}
	for (; i != SYM_NO_SEG; i = cu->node.v[i].parent) {
		const struct made *m = made_at(o, u, cu, i);

		if (!m)
			break;
		at.name = m->name;
		at.decl = m->decl;
		if (vec_push(&o->answer, at)) {
			o->no_memory = true;
			break;
		}
		if (!cu->node.v[i].inlined)
			return (int)o->answer.n;
		at.line = m->call_line;
		at.discriminator = m->call_discriminator;
	}
	return 0; /* code of no function */
}

int symbol_origins_at(struct origins *o, uint64_t addr, const struct origin **out, uint64_t *end)
{
	uint64_t start;
	int n;

	*end = UINT64_MAX;
	n = lines_question(o->l, o->l->res, &start) ? frames_at(o, addr, end) : 0;
	lines_answered(o->l, start);
	*out = o->answer.v;
	return o->no_memory ? -ENOMEM : n;
}

static ssize_t ranges_at(struct origins *o, uint64_t addr)
{
	Dwarf_Addr base, start, end;
	struct cu *cu;
	struct unit *u = unit_at(o, addr, &cu);
	uint32_t i = u ? segs_find(&cu->segs, addr) : SYM_NO_SEG;
	ptrdiff_t at = 0;
	Dwarf_Die die;

	while (i != SYM_NO_SEG && cu->node.v[i].inlined)
		i = cu->node.v[i].parent;
	o->range.n = 0;
	if (i == SYM_NO_SEG || !dwarf_offdie(o->l->dbg, cu->node.v[i].die, &die))
		return 0;
	while ((at = dwarf_ranges(&die, at, &base, &start, &end)) > 0 && o->range.n < PIECES_MAX)
		if (start && start < end &&
		    vec_push(&o->range, ((struct code_range){ start, end })))
			o->no_memory = true;
	return (ssize_t)o->range.n;
}

ssize_t symbol_origins_function(struct origins *o, uint64_t addr, const struct code_range **out)
{
	uint64_t start;
	ssize_t n;

	n = lines_question(o->l, o->l->res, &start) ? ranges_at(o, addr) : 0;
	lines_answered(o->l, start);
	*out = o->range.v;
	return o->no_memory ? -ENOMEM : n;
}

const char *symbol_origins_name(const struct origins *o, uint32_t name)
{
	return intern_str(&o->names, name);
}
#endif
