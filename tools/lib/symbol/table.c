// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Symbol tables. Of several symbols at one address one is kept, by the rules that upstream perf
 * shows: one with a size, then not weak, then global, then fewer leading underscores, then the
 * longer name (both as demangled), then the first.
 */
#include <stdlib.h>

#include "base/numbered.h"
#include "symbol/symbol-int.h"

#define PAGE		4096ULL
#define NAME_MAX_OFFSET (UINT32_MAX >> 2)

uint32_t symtab_blob_room(struct symtab *t, uint64_t n, char **room)
{
	size_t at = t->blob.n;

	if (!at) { /* offset 0 is "" */
		if (vec_push(&t->blob, '\0'))
			return UINT32_MAX;
		at = 1;
	}
	if (n >= NAME_MAX_OFFSET - at || vec_reserve(&t->blob, at + n + 1))
		return UINT32_MAX;
	*room = t->blob.v + at;
	t->blob.v[at + n] = 0;
	t->blob.n = at + n + 1;
	return (uint32_t)at;
}

uint32_t symtab_blob(struct symtab *t, const void *p, size_t n)
{
	char *room;
	uint32_t at = symtab_blob_room(t, n, &room);

	if (n && at != UINT32_MAX)
		memcpy(room, p, n);
	return at;
}

int symtab_add_at(struct symtab *t, uint64_t start, uint64_t size, int binding, uint32_t name)
{
	struct sym s = { .start = start,
			 .size = (uint32_t)min_u64(size, UINT32_MAX),
			 .name = name << 2 | (uint32_t)binding };

	if (t->sym.n >= SYM_NO_SEG - 1)
		return -ENOMEM;
	return vec_push(&t->sym, s);
}

int symtab_add(struct symtab *t, uint64_t start, uint64_t size, int binding, const char *name)
{
	uint32_t at = symtab_blob(t, name, strlen(name));

	return at == UINT32_MAX ? -ENOMEM : symtab_add_at(t, start, size, binding, at);
}

/* ---- aliases ---------------------------------------------------------------------------------------- */

struct alias {
	const char *name; /* as shown */
	char *plain;	  /* to be freed */
	size_t len, underscores;
};

static struct alias alias_of(const char *name)
{
	struct alias a = { .name = name, .plain = symbol_demangle(name, false) };

	if (a.plain)
		a.name = a.plain;
	a.len = strlen(a.name);
	a.underscores = strspn(a.name, "_");
	return a;
}

/* "C1" and "C2": two symbols of one constructor; demangled they are equal. */
static bool same_but_one_digit(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n > 2 && (a[n - 1] == 'C' || a[n - 1] == 'D') && a[n] && b[n] &&
	       !strcmp(a + n + 1, b + n + 1);
}

static bool better_name(const char *na, const char *nb)
{
	struct alias a, b;
	bool ret;

	if (strnlen(na, SYM_LONG_NAME) == SYM_LONG_NAME ||
	    strnlen(nb, SYM_LONG_NAME) == SYM_LONG_NAME)
		return false;
	if (na[0] == '_' && nb[0] == '_' && same_but_one_digit(na, nb))
		return false;
	a = alias_of(na);
	b = alias_of(nb);
	if (a.underscores != b.underscores)
		ret = b.underscores < a.underscores;
	else if (a.len != b.len)
		ret = b.len > a.len;
	else /* the kernel's SyS_ aliases of system calls */
		ret = !strncmp(na, "SyS", 3) || !strncmp(na, "compat_SyS", 10);
	free(a.plain);
	free(b.plain);
	return ret;
}

bool symtab_better(const struct symtab *t, const struct sym *a, const struct sym *b)
{
	int ba = a->name & 3, bb = b->name & 3;

	if (!a->size != !b->size)
		return !a->size;
	if ((ba == SYM_WEAK) != (bb == SYM_WEAK))
		return ba == SYM_WEAK;
	if ((ba == SYM_GLOBAL) != (bb == SYM_GLOBAL))
		return bb == SYM_GLOBAL;
	return better_name(t->blob.v + (a->name >> 2), t->blob.v + (b->name >> 2));
}

static void drop_aliases(struct symtab *t, bool keep_first)
{
	size_t out = 0;

	for (size_t i = 0; i < t->sym.n; i++) {
		const struct sym *s = &t->sym.v[i];

		if (out && t->sym.v[out - 1].start == s->start) {
			if (!keep_first && symtab_better(t, &t->sym.v[out - 1], s))
				t->sym.v[out - 1] = *s;
			continue;
		}
		t->sym.v[out++] = *s;
	}
	t->sym.n = out;
}

/* ---- ends ---------------------------------------------------------------------------------------------- */

static void guess_ends(struct symtab *t, enum symtab_ends ends)
{
	for (size_t i = 0; i < t->sym.n; i++) {
		struct sym *s = &t->sym.v[i];
		const struct sym *next = i + 1 < t->sym.n ? s + 1 : NULL;
		uint64_t page_end = align_up(s->start + PAGE, PAGE);

		if (s->size)
			continue;
		if (next && ends == ENDS_KALLSYMS &&
		    strcmp(symtab_module(t, (uint32_t)i), symtab_module(t, (uint32_t)i + 1)))
			next = NULL;
		s->size = (uint32_t)min_u64((next ? next->start : page_end) - s->start, UINT32_MAX);
	}
}

/* ---- nesting ------------------------------------------------------------------------------------ */

static uint64_t end_of(const struct sym *s)
{
	return s->start + s->size < s->start ? UINT64_MAX : s->start + s->size;
}

static bool is_nested(const struct symtab *t)
{
	uint64_t end = 0;

	for (size_t i = 0; i < t->sym.n; i++) {
		if (t->sym.v[i].start < end)
			return true;
		end = end_of(&t->sym.v[i]);
	}
	return false;
}

struct flat {
	VEC(struct sym) sym;
	VEC(uint32_t) open; /* indices of symbols that begun and did not end */
};

/* Closes what ends at or before @pos; below each the next open one shows again. */
static int close_until(struct flat *f, uint64_t pos)
{
	while (f->open.n) {
		uint64_t end = end_of(&f->sym.v[f->open.v[f->open.n - 1]]);
		struct sym rest = { .start = end };
		uint32_t top;

		if (end > pos)
			return 0;
		do
			f->open.n--;
		while (f->open.n && end_of(&f->sym.v[f->open.v[f->open.n - 1]]) <= end);
		if (!f->open.n)
			return 0;
		top = f->open.v[f->open.n - 1];
		rest.size = (uint32_t)(end_of(&f->sym.v[top]) - end);
		rest.name = top << 2 | SYM_REST;
		if (vec_push(&f->sym, rest))
			return -ENOMEM;
	}
	return 0;
}

/* Every address shall belong to the symbol that starts last. */
static int flatten(struct symtab *t)
{
	struct flat f = { 0 };
	int ret = 0;

	if (!is_nested(t))
		return 0;
	/* A rest for each symbol at most. */
	if (t->sym.n > NAME_MAX_OFFSET / 2 || vec_reserve(&f.sym, t->sym.n + t->sym.n / 16))
		return -ENOMEM;
	for (size_t i = 0; i < t->sym.n && !ret; i++) {
		ret = close_until(&f, t->sym.v[i].start);
		if (!ret)
			ret = vec_push(&f.open, (uint32_t)f.sym.n);
		if (!ret)
			ret = vec_push(&f.sym, t->sym.v[i]);
	}
	if (!ret)
		ret = close_until(&f, UINT64_MAX);
	vec_free(&f.open);
	vec_free(&t->sym);
	t->sym.v = f.sym.v;
	t->sym.n = f.sym.n;
	t->sym.cap = f.sym.cap;
	return ret;
}

int symtab_finish(struct symtab *t, enum symtab_ends ends)
{
	if (!t->sym.n || t->starts.n)
		return 0;
	if (numbered_sort_items(t->sym.v, t->sym.n, sizeof(*t->sym.v), offsetof(struct sym, start)))
		return -ENOMEM;
	/* In this order: of symbols without sizes at one address the last one gets one, and with
	 * it the preference. */
	guess_ends(t, ends);
	drop_aliases(t, ends == ENDS_JIT);
	if (flatten(t))
		return -ENOMEM;
	starts_build(&t->starts, t->sym.v, t->sym.n);
	return 0;
}

void symtab_span(const struct symtab *t, uint64_t addr, uint64_t *start, uint64_t *end)
{
	const uint64_t *row = starts_search(starts_narrow(&t->starts, addr), addr);
	size_t next = row ? (size_t)(row - t->starts.at) / 2 + 1 : 0;
	uint64_t limit = next < t->sym.n ? t->sym.v[next].start : UINT64_MAX;

	*start = row ? t->sym.v[next - 1].start : 0;
	*end = row ? min_u64(end_of(&t->sym.v[next - 1]), limit) : 0;
	if (addr < *end)
		return;
	*start = *end;
	*end = limit;
}

void symtab_free(struct symtab *t)
{
	vec_free(&t->sym);
	vec_free(&t->blob);
	starts_free(&t->starts);
}
