// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From addresses to the source. Ranges of all branch stacks become pieces of code that ran equally
 * often; each piece is walked by what its debug information says, from one line to the next. A
 * place of the source ran as often as the busiest of its instructions: compilers spread a line
 * over several, and copies of one would count double. Functions that ran are told whole, with
 * zeros for what did not run, for compilers take a line without a number for one that nobody asked
 * about. Taken branches to where a function begins are its calls.
 */
#include <stdlib.h>

#include "convert/source-int.h"
#include "insn/insn.h"
#include "session/session.h"

struct maker {
	const struct convert *c;
	const struct convert_elf *ob;
	struct origins *o;
	struct source_tree *t;
	enum source_kind kind;
	struct insn_decoder *dec;
	VEC(uint32_t) name; /* of t->names + 1, by the number that origins have; 0 = not asked */
	VEC(struct span) span;
	/* The function that was asked about last: its piece, and its code. */
	struct code_range piece;
	uint64_t entry;
	bool known;
	unsigned char *code;
	size_t code_size;
	uint64_t counted, lost; /* branches with and without a function of the source */
	bool undeclared;	/* functions without the line where they begin were met */
};

/* ---- names and places ------------------------------------------------------------------------- */

/* What would be read as something else in a line of text. */
static bool fits_text(const char *s)
{
	if (!s[0] || strchr("[!#", s[0]))
		return false;
	for (; *s; s++)
		if ((unsigned char)*s <= ' ' || *s == 0x7f)
			return false;
	return true;
}

/* LLVM marks copies of functions, and looks for the name without the mark. */
static size_t plain_length(const char *s)
{
	static const char *const marks[] = { ".llvm.", ".part." };
	size_t len = strlen(s);

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		size_t n = strlen(marks[i]);
		const char *dot = memrchr(s, '.', len);

		if (dot && (size_t)(dot - s) >= n && !memcmp(dot + 1 - n, marks[i], n))
			len = (size_t)(dot + 1 - n - s);
	}
	return len;
}

/* Its number in the tree; 0 = it cannot be told. SOURCE_NONE: no memory. */
static uint32_t name_of(struct maker *m, uint32_t origin)
{
	const char *s = symbol_origins_name(m->o, origin);
	uint32_t id = 0;

	if (vec_reach(&m->name, origin, 0))
		return SOURCE_NONE;
	if (m->name.v[origin])
		return m->name.v[origin] - 1;
	if (m->kind == SOURCE_GCC)
		id = intern(&m->t->names, s);
	else if (fits_text(s))
		id = intern_n(&m->t->names, s, plain_length(s));
	if (id != INTERN_NONE)
		m->name.v[origin] = id + 1;
	return id;
}

/*
 * LLVM packs three numbers into a discriminator, of which the first is the block, and the second
 * tells how many copies of it an unrolled loop has. Each is one bit when it is zero, else 7 bits or
 * 14, behind a zero bit.
 */
static uint32_t packed(uint32_t d)
{
	if (d & 1)
		return 0;
	d >>= 1;
	return d & 0x20 ? (d >> 1 & 0xfe0) | (d & 0x1f) : d & 0x1f;
}

static uint32_t copies(uint32_t d)
{
	d = d & 1 ? d >> 1 : d >> (d & 0x40 ? 14 : 7);
	d = d ? packed(d) : 0;
	return d ? d : 1;
}

static struct source_pos pos_of(const struct maker *m, const struct origin *at)
{
	struct source_pos pos = { (at->line - at->decl) & 0xffff, 0 };

	if (m->kind == SOURCE_LLVM)
		pos.block = packed(at->discriminator);
	return pos;
}

/*
 * The function of the tree that @f, innermost first, is code of, with @bytes added to it and all
 * around it. *leaf: which of @f it is. 1; 0 when there is none; or -ENOMEM.
 */
static int place(struct maker *m, const struct origin *f, int n, uint64_t bytes, uint32_t *fn,
		 const struct origin **leaf)
{
	uint32_t at = SOURCE_NONE;

	*leaf = NULL;
	m->undeclared |= !f[n - 1].decl;
	for (int i = n - 1; i >= 0; i--) {
		struct source_pos pos = { 0, 0 };
		uint32_t name = f[i].decl ? name_of(m, f[i].name) : 0;

		if (name == SOURCE_NONE)
			return -ENOMEM;
		/* What has no name or no line belongs to what it was inlined into. */
		if (!name || (at != SOURCE_NONE && !f[i + 1].line))
			break;
		if (at != SOURCE_NONE)
			pos = pos_of(m, &f[i + 1]);
		at = source_function(m->t, at, pos, name);
		if (at == SOURCE_NONE)
			return -ENOMEM;
		m->t->fn.v[at].total += bytes;
		*leaf = &f[i];
	}
	*fn = at;
	return *leaf != NULL;
}

/* ---- functions -------------------------------------------------------------------------------- */

/* "f.cold" is no function of its own, but what was moved out of f. */
static bool is_cold(const char *name)
{
	const char *s = strstr(name, ".cold");

	return s && (s[5] == '\0' || s[5] == '.');
}

static uint64_t find_entry(const struct maker *m, const struct code_range *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct function *fn = convert_elf_function(&m->ob->file, v[i].start);

		if (fn && fn->start == v[i].start && fn->symbol && !is_cold(fn->symbol))
			return v[i].start;
	}
	return v[0].start;
}

/* Makes the piece of a function that has @addr the current one. 0 or -ENOMEM. */
static int go_to(struct maker *m, uint64_t addr)
{
	const struct code_range *v;
	ssize_t n;

	if (addr >= m->piece.start && addr < m->piece.end)
		return 0;
	n = symbol_origins_function(m->o, addr, &v);
	if (n < 0)
		return -ENOMEM;
	m->piece = (struct code_range){ addr, addr + 1 };
	m->known = false;
	free(m->code);
	m->code = NULL;
	for (ssize_t i = 0; i < n; i++) {
		if (addr >= v[i].start && addr < v[i].end) {
			m->piece = v[i];
			m->known = true;
		}
		if (vec_push(&m->span, ((struct span){ v[i].start, v[i].end, 0 })))
			return -ENOMEM;
	}
	if (m->known)
		m->entry = find_entry(m, v, (size_t)n);
	return 0;
}

/* Where the instruction at @addr of the current piece ends. */
static uint64_t behind(struct maker *m, uint64_t addr)
{
	uint64_t at = addr - m->piece.start;
	struct insn in;

	if (!m->dec)
		return addr + 1;
	if (!m->code) {
		m->code = convert_elf_code(&m->ob->file, m->piece.start,
					   m->piece.end - m->piece.start, &m->code_size);
		if (!m->code)
			return addr + 1;
	}
	if (at >= m->code_size ||
	    insn_decode(m->dec, m->code + at, m->code_size - at, addr, &in) <= 0)
		return addr + 1;
	return min_u64(addr + in.len, m->piece.end);
}

/* ---- ranges ----------------------------------------------------------------------------------- */

static int by_range(const void *a, const void *b)
{
	const struct local_edge *x = a, *y = b;

	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static int add_range(struct maker *m, const struct local_edge *l, uint64_t count)
{
	struct span s = { .start = l->to, .count = count };

	if (go_to(m, l->to))
		return -ENOMEM;
	if (!m->known)
		return 0;
	/* What runs on into another function was not seen whole. */
	s.end = l->end < m->piece.end ? behind(m, l->end) : m->piece.end;
	return vec_push(&m->span, s);
}

static int add_ranges(struct maker *m, const struct local_edge *v, size_t n)
{
	for (size_t i = 0, j; i < n; i = j) {
		uint64_t count = 0;

		for (j = i; j < n && !by_range(&v[i], &v[j]); j++)
			count += v[j].count;
		if (v[i].to != NO_END && v[i].end != NO_END && add_range(m, &v[i], count))
			return -ENOMEM;
	}
	return 0;
}

static int count_piece(void *ctx, const struct span *s)
{
	struct maker *m = ctx;
	uint64_t at = s->start, end;
	int ret = 0;

	for (; at < s->end && !ret; at = end) {
		const struct origin *f, *leaf;
		int n = symbol_origins_at(m->o, at, &f, &end);
		uint64_t count = s->count;
		uint32_t fn;

		if (n < 0)
			return n;
		end = min_u64(end, s->end);
		ret = n ? place(m, f, n, count * (end - at), &fn, &leaf) : 0;
		if (ret <= 0 || !leaf->line) {
			ret = ret < 0 ? ret : 0;
			continue;
		}
		if (m->kind == SOURCE_LLVM)
			count *= copies(leaf->discriminator);
		ret = source_count(m->t, fn, pos_of(m, leaf), count);
	}
	return ret;
}

/* ---- calls ------------------------------------------------------------------------------------ */

/* Whether the instruction at @addr may go to others, too; true when that is not known. */
static bool is_indirect(const struct maker *m, uint64_t addr)
{
	size_t n = 0;
	unsigned char *code = m->dec ? convert_elf_code(&m->ob->file, addr, 16, &n) : NULL;
	struct insn in;
	bool known = code && insn_decode(m->dec, code, n, addr, &in) > 0;

	free(code);
	return !known || in.branch == INSN_IND_CALL || in.branch == INSN_IND_JUMP;
}

/* A branch to where a function begins. */
static int add_call(struct maker *m, const struct local_edge *l)
{
	struct source_pos none = { 0, 0 };
	const struct origin *f, *leaf;
	uint32_t callee, fn;
	uint64_t end;
	int n = symbol_origins_at(m->o, l->to, &f, &end);

	if (n <= 0)
		return n;
	callee = f[n - 1].decl ? name_of(m, f[n - 1].name) : 0;
	if (!callee || callee == SOURCE_NONE)
		return callee ? -ENOMEM : 0;
	fn = source_function(m->t, SOURCE_NONE, none, callee);
	if (fn == SOURCE_NONE)
		return -ENOMEM;
	m->t->fn.v[fn].head += l->count;
	if (l->from == NO_END)
		return 0;
	n = symbol_origins_at(m->o, l->from, &f, &end);
	n = n > 0 ? place(m, f, n, 0, &fn, &leaf) : n;
	if (n <= 0 || !leaf->line)
		return n < 0 ? n : 0;
	if (m->kind == SOURCE_GCC && !is_indirect(m, l->from))
		return 0;
	return source_call(m->t, fn, pos_of(m, leaf), callee, l->count);
}

static int add_calls(struct maker *m, const struct local_edge *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (v[i].to == NO_END)
			continue;
		if (go_to(m, v[i].to))
			return -ENOMEM;
		*(m->known ? &m->counted : &m->lost) += v[i].count;
		if (m->known && v[i].to == m->entry && add_call(m, &v[i]))
			return -ENOMEM;
	}
	return 0;
}

/* Without branch stacks: where samples fell. */
static int add_samples(struct maker *m)
{
	vec_for_each (ip, &m->c->ips) {
		uint64_t addr =
			ip->dso == m->ob->dso ? convert_elf_vaddr(&m->ob->file, ip->addr) : NO_END;

		if (addr == NO_END)
			continue;
		if (go_to(m, addr))
			return -ENOMEM;
		*(m->known ? &m->counted : &m->lost) += ip->count;
		if (m->known && vec_push(&m->span, ((struct span){ addr, addr + 1, ip->count })))
			return -ENOMEM;
	}
	return 0;
}

/* ---- all of it -------------------------------------------------------------------------------- */

static int make(struct maker *m, struct err *e)
{
	size_t n;
	struct local_edge *v = convert_local(m->c, m->ob, &n, e);
	int ret;

	if (!v)
		return -ENOMEM;
	if (n)
		qsort(v, n, sizeof(*v), by_range);
	ret = add_ranges(m, v, n) ?: add_calls(m, v, n);
	free(v);
	if (!ret && !m->c->stats.with_branches)
		ret = add_samples(m);
	ret = ret ?: convert_spans(m->span.v, m->span.n, count_piece, m) ?: source_sort(m->t);
	return ret ? err_set(e, -ENOMEM, "no memory for the source of %s", m->ob->pub.name) : 0;
}

static void say_lost(const struct maker *m)
{
	uint64_t all = m->counted + m->lost;

	if (m->undeclared && !m->t->fn.n)
		log_to(&m->c->log, LOG_WARN,
		       "%s: its debug information does not tell where functions are declared, which lines "
		       "are counted from: build with -g, or add clang's -fdebug-info-for-profiling",
		       m->ob->pub.dso->name);
	if (m->lost > all / 20)
		log_to(&m->c->log, LOG_WARN,
		       "%s: %.1f %% of what was recorded there is in code without debug information, "
		       "and not in its profile",
		       m->ob->pub.dso->name, 100.0 * (double)m->lost / (double)all);
}

int convert_source_open(const struct convert *c, struct convert_elf *ob, enum source_kind kind,
			struct err *e)
{
	struct resolver *res = c->session ? session_env(c->session)->resolver : NULL;
	uint64_t value;

	if (!res)
		return err_set(e, -EINVAL, "nobody looks for debug information of %s",
			       ob->pub.name);

	/* Its numbers of blocks have 32 bits, and libdw drops line tables with more than 24. */
	if (kind == SOURCE_LLVM &&
	    elf_symbol_value(ob->file.file, "__llvm_fs_discriminator__", &value)) {
		err_set(e, -ENOTSUP,
			"%s was compiled with flow-sensitive discriminators, which libdw "
			"does not read",
			ob->pub.dso->name);
		err_hint(e, "Give llvm-profgen what --to profgen writes.");
		return -ENOTSUP;
	}
	return ob->origins ? 0
			   : symbol_origins_open(&ob->origins, res, ob->pub.dso,
						 elf_path(ob->file.file), e);
}

int convert_source(const struct convert *c, const struct convert_elf *ob, enum source_kind kind,
		   struct source_tree *t, struct err *e)
{
	struct maker m = { .c = c, .ob = ob, .o = ob->origins, .kind = kind, .t = t };
	int ret;

	if (!m.o)
		return err_set(e, -EINVAL, "%s has no debug information", ob->pub.name);
	/* Ranges end with an instruction whose length is not known then. */
	if (convert_decoder(&m.dec, &ob->file, NULL))
		m.dec = NULL;
	ret = make(&m, e);
	say_lost(&m);
	if (m.dec)
		insn_free(m.dec);
	free(m.code);
	vec_free(&m.span);
	vec_free(&m.name);
	return ret;
}
