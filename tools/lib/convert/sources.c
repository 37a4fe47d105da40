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

#define FOLD_MAX 32 /* calls of a round of recursion that is seen as one */

/* ---- names and places ------------------------------------------------------------------------- */

/* What would be read as something else in a line of text. */
static bool fits_text(const char *s)
{
	return convert_fits_line(s, "") && !strchr("[!#", s[0]);
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
static uint32_t name_of(struct source_maker *m, uint32_t origin)
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

struct source_pos source_pos_of(const struct source_maker *m, const struct origin *at)
{
	struct source_pos pos = { (at->line - at->decl) & 0xffff, 0 };

	if (m->kind == SOURCE_LLVM)
		pos.block = packed(at->discriminator);
	return pos;
}

void source_fold(const struct source_tree *t, struct source_caller *c)
{
	struct source_caller v[2 * FOLD_MAX];
	size_t n = 0, same;

	for (struct source_caller f = *c; f.fn != SOURCE_NONE && n < ARRAY_SIZE(v);) {
		v[n++] = f;
		f = (struct source_caller){ t->fn.v[f.fn].parent, t->fn.v[f.fn].at };
	}
	for (size_t k = 1; k <= n / 2; k++) {
		for (same = 0; same < k; same++) {
			const struct source_caller *x = &v[same], *y = &v[same + k];

			if (t->fn.v[x->fn].name != t->fn.v[y->fn].name ||
			    x->at.offset != y->at.offset || x->at.block != y->at.block)
				break;
		}
		if (same == k) {
			*c = v[k];
			return;
		}
	}
}

/* @f[@i] called at @at. 0; 1: it cannot be told, and belongs to what it was inlined into; -ENOMEM. */
static int enter(struct source_maker *m, const struct origin *f, int i, bool inlined,
		 struct source_caller *at)
{
	uint32_t name = f[i].decl ? name_of(m, f[i].name) : 0;

	if (name == SOURCE_NONE)
		return -ENOMEM;
	if (!name || (inlined && !f[i + 1].line))
		return 1;
	if (inlined)
		at->at = source_pos_of(m, &f[i + 1]);
	if (inlined && m->c->contexts)
		source_fold(m->t, at);
	at->fn = source_function(m->t, at->fn, at->at, name);
	if (at->fn == SOURCE_NONE)
		return -ENOMEM;
	m->t->fn.v[at->fn].inlined |= inlined;
	return 0;
}

int source_place(struct source_maker *m, const struct origin *f, int n, uint64_t bytes,
		 uint32_t *fn, const struct origin **leaf)
{
	struct source_caller at = m->base;

	*leaf = NULL;
	m->undeclared |= !f[n - 1].decl;
	for (int i = n - 1; i >= 0; i--) {
		int ret = enter(m, f, i, i < n - 1, &at);

		if (ret < 0)
			return ret;
		if (ret)
			break;
		if (!m->c->contexts)
			m->t->fn.v[at.fn].total += bytes;
		*leaf = &f[i];
	}
	*fn = at.fn;
	return *leaf != NULL;
}

/* ---- functions -------------------------------------------------------------------------------- */

/* "f.cold" is no function of its own, but what was moved out of f. */
static bool is_cold(const char *name)
{
	const char *s = strstr(name, ".cold");

	return s && (s[5] == '\0' || s[5] == '.');
}

static uint64_t find_entry(const struct source_maker *m, const struct code_range *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct function *fn = convert_elf_function(&m->ob->file, v[i].start);

		if (fn && fn->start == v[i].start && fn->symbol && !is_cold(fn->symbol))
			return v[i].start;
	}
	return v[0].start;
}

/* Makes the piece of a function that has @addr the current one. 0 or -ENOMEM. */
static int go_to(struct source_maker *m, uint64_t addr)
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
		/* All of it could have run. */
		if (!m->c->contexts &&
		    vec_push(&m->span, ((struct span){ v[i].start, v[i].end, 0 })))
			return -ENOMEM;
	}
	if (m->known)
		m->entry = find_entry(m, v, (size_t)n);
	return 0;
}

/* Where the instruction at @addr of the current piece ends. */
static uint64_t behind(struct source_maker *m, uint64_t addr)
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

int source_add_range(struct source_maker *m, const struct local_edge *l, uint64_t count)
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

static int add_ranges(struct source_maker *m, const struct local_edge *v, size_t n)
{
	for (size_t i = 0, j; i < n; i = j) {
		uint64_t count = 0;

		for (j = i; j < n && !by_range(&v[i], &v[j]); j++)
			count += v[j].count;
		if (v[i].to != NO_END && v[i].end != NO_END && source_add_range(m, &v[i], count))
			return -ENOMEM;
	}
	return 0;
}

/* Of the code from @at to @end, all of one place. */
static int instructions(struct source_maker *m, uint64_t at, uint64_t end, uint64_t *n)
{
	for (*n = 0; at < end; at = behind(m, at), ++*n)
		if (go_to(m, at))
			return -ENOMEM;
	return 0;
}

static int count_piece(void *ctx, const struct span *s)
{
	struct source_maker *m = ctx;
	uint64_t at = s->start, end;
	int ret = 0;

	for (; at < s->end && !ret; at = end) {
		const struct origin *f, *leaf;
		int n = symbol_origins_at(m->o, at, &f, &end);
		uint64_t count = s->count, ran = 0;
		uint32_t fn;

		if (n < 0)
			return n;
		if (!count && m->c->contexts)
			return 0;
		end = min_u64(end, s->end);
		ret = n ? source_place(m, f, n, count * (end - at), &fn, &leaf) : 0;
		if (ret <= 0 || !leaf->line) {
			ret = ret < 0 ? ret : 0;
			continue;
		}
		if (m->c->contexts && instructions(m, at, end, &ran))
			return -ENOMEM;
		m->t->fn.v[fn].total += count * ran;
		if (m->kind == SOURCE_LLVM)
			count *= copies(leaf->discriminator);
		ret = source_count(m->t, fn, source_pos_of(m, leaf), count);
	}
	return ret;
}

/* ---- calls ------------------------------------------------------------------------------------ */

/* What the instruction at @addr does; INSN_NO_BRANCH when that is not known. */
static enum insn_branch kind_at(const struct source_maker *m, uint64_t addr)
{
	size_t n = 0;
	unsigned char *code = m->dec ? convert_elf_code(&m->ob->file, addr, 16, &n) : NULL;
	struct insn in = { .branch = INSN_NO_BRANCH };

	if (!code || insn_decode(m->dec, code, n, addr, &in) <= 0)
		in.branch = INSN_NO_BRANCH;
	free(code);
	return in.branch;
}

/* Whether a branch from @addr may go to others, too; true when that is not known. */
static bool is_indirect(const struct source_maker *m, uint64_t addr)
{
	enum insn_branch kind = kind_at(m, addr);

	return kind == INSN_NO_BRANCH || kind == INSN_IND_CALL || kind == INSN_IND_JUMP;
}

/* @callee was entered @count times, by @caller. */
static int add_head(struct source_maker *m, const struct source_caller *caller, uint32_t callee,
		    uint64_t count)
{
	uint32_t fn = source_function(m->t, caller->fn, caller->at, callee);

	if (fn == SOURCE_NONE)
		return -ENOMEM;
	m->t->fn.v[fn].head += count;
	return 0;
}

/* The head of what is called by context: in that call; what was jumped to waits for no return. */
static int add_context_head(struct source_maker *m, const struct local_edge *l,
			    const struct source_caller *call, uint32_t callee)
{
	enum insn_branch kind = l->from == NO_END ? INSN_NO_BRANCH : kind_at(m, l->from);
	struct source_caller at = *call;

	if (kind != INSN_CALL && kind != INSN_IND_CALL)
		at = m->base;
	else
		source_fold(m->t, &at);
	return add_head(m, &at, callee, l->count);
}

/* A branch to where a function begins. */
static int add_call(struct source_maker *m, const struct local_edge *l)
{
	static const struct source_caller nobody = { SOURCE_NONE, { 0, 0 } };
	const struct origin *f, *leaf = NULL;
	struct source_caller call = nobody;
	uint32_t callee;
	uint64_t end;
	int n = symbol_origins_at(m->o, l->to, &f, &end), ret;

	if (n <= 0)
		return n;
	callee = f[n - 1].decl ? name_of(m, f[n - 1].name) : 0;
	if (!callee || callee == SOURCE_NONE)
		return callee ? -ENOMEM : 0;
	n = l->from == NO_END ? 0 : symbol_origins_at(m->o, l->from, &f, &end);
	n = n > 0 ? source_place(m, f, n, 0, &call.fn, &leaf) : n;
	if (n < 0)
		return n;
	if (n && leaf->line)
		call.at = source_pos_of(m, leaf);
	else
		call = nobody;
	ret = m->c->contexts ? add_context_head(m, l, &call, callee)
			     : add_head(m, &nobody, callee, l->count);
	if (ret || call.fn == SOURCE_NONE)
		return ret;
	if (m->kind == SOURCE_GCC && !is_indirect(m, l->from))
		return 0;
	return source_call(m->t, call.fn, call.at, callee, l->count);
}

int source_add_branch(struct source_maker *m, const struct local_edge *l)
{
	if (go_to(m, l->to))
		return -ENOMEM;
	*(m->known ? &m->counted : &m->lost) += l->count;
	return m->known && l->to == m->entry ? add_call(m, l) : 0;
}

static int add_branches(struct source_maker *m, const struct local_edge *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].to != NO_END && source_add_branch(m, &v[i]))
			return -ENOMEM;
	return 0;
}

int source_add_sample(struct source_maker *m, uint64_t addr, uint64_t count)
{
	if (go_to(m, addr))
		return -ENOMEM;
	*(m->known ? &m->counted : &m->lost) += count;
	return m->known ? vec_push(&m->span, ((struct span){ addr, addr + 1, count })) : 0;
}

/* Without branch stacks: where samples fell. */
static int add_samples(struct source_maker *m)
{
	vec_for_each (ip, &m->c->ips) {
		uint64_t addr =
			ip->dso == m->ob->dso ? convert_elf_vaddr(&m->ob->file, ip->addr) : NO_END;

		if (addr != NO_END && source_add_sample(m, addr, ip->count))
			return -ENOMEM;
	}
	return 0;
}

int source_count_spans(struct source_maker *m)
{
	int ret = convert_spans(m->span.v, m->span.n, count_piece, m);

	m->span.n = 0;
	return ret;
}

/* ---- all of it -------------------------------------------------------------------------------- */

static int add_all(struct source_maker *m, struct err *e)
{
	size_t n;
	struct local_edge *v = convert_local(m->c, m->ob, &n, e);
	int ret;

	if (!v)
		return -ENOMEM;
	if (n)
		qsort(v, n, sizeof(*v), by_range);
	ret = add_ranges(m, v, n) ?: add_branches(m, v, n);
	free(v);
	if (!ret && !m->c->stats.with_branches)
		ret = add_samples(m);
	return ret ?: source_count_spans(m);
}

static int make(struct source_maker *m, struct err *e)
{
	int ret = m->c->contexts ? source_contexts(m) : add_all(m, e);

	ret = ret ?: source_sort(m->t);
	return ret ? err_set(e, -ENOMEM, "no memory for the source of %s", m->ob->pub.name) : 0;
}

static void say_lost(const struct source_maker *m)
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
	struct source_maker m = { .c = c,
				  .ob = ob,
				  .o = ob->origins,
				  .kind = kind,
				  .t = t,
				  .base = { .fn = SOURCE_NONE } };
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
