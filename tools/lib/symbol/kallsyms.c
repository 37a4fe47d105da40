// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /proc/kallsyms and copies of it, a line per symbol:
 *
 *	ffffffff81000000 T name\t[module]
 *
 * The kernel makes that text while it is read, which takes as long as all the rest of a small
 * report: so a table is read as a job that any thread can do. It touches nothing but its struct.
 *
 * And it is kept on disk. Modules, BPF programs and trampolines come and go while a machine runs, and
 * nothing tells of it but the whole text; the kernel's own symbols, which come first in it, stay where
 * they are until the machine starts again. So only these are kept, for the build id and for just the
 * first bytes of the text, in which a kernel that moved or that hides its addresses says other things.
 * What lies outside of them is looked up in a table of the whole text, read when it is first asked for
 * (kernel_rest()).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "symbol/symbol-int.h"

#define TEXT_MAX (256u << 20)
#define CHUNK	 (64u << 10)

/* ---- a line ---------------------------------------------------------------------------------- */

/* Digits up to anything else. */
static uint64_t take_hex(const char **p, const char *end)
{
	const char *s = *p;
	uint64_t v = 0;

	for (; s < end; s++) {
		unsigned digit = (unsigned char)*s - '0';

		if (digit > 9) {
			digit = ((unsigned char)*s | 0x20) - 'a' + 10;
			if (digit < 10 || digit > 15)
				break;
		}
		v = v << 4 | digit;
	}
	*p = s;
	return v;
}

static bool is_wanted(char type, const char *name, size_t n)
{
	/* Text, weak, data, bss; the rest are constants and absolute numbers. */
	if (!type || !strchr("tTwWdDbB", type) || !n || name[0] == '$')
		return false;
	/* Labels of the compiler. */
	return n < 2 || !((name[0] == '.' && name[1] == 'L') || (name[0] == 'L' && name[1] == '0'));
}

static int binding_of(char type)
{
	if (type == 'W' || type == 'w')
		return SYM_WEAK;
	return type >= 'A' && type <= 'Z' ? SYM_GLOBAL : SYM_LOCAL;
}

static int take_line(struct kallsyms *k, const char *p, const char *end)
{
	const char *start = p, *name, *tab;
	uint64_t addr = take_hex(&p, end);
	size_t n, module;
	uint32_t at;

	if (p == start || end - p < 3 || p[0] != ' ' || p[2] != ' ')
		return 0;
	name = p + 3;
	tab = memchr(name, '\t', (size_t)(end - name));
	n = (size_t)((tab ? tab : end) - name);
	module = tab ? (size_t)(end - tab) - 1 : 0;
	/* What a string cannot hold is no name. */
	if (memchr(name, 0, (size_t)(end - name)))
		return 0;
	if (k->ref && !tab && n == strlen(k->ref) && !memcmp(name, k->ref, n))
		k->ref_addr = addr;
	if (addr)
		k->any = true;
	if (!is_wanted(p[1], name, n))
		return 0;
	at = symtab_blob(&k->tab, name, n);
	if (!tab && k->own_blob)
		k->mixed = true;
	if (tab && !k->own_blob)
		k->own_blob = at;
	/* The module's name right behind, see symtab_module(). */
	if (at == UINT32_MAX || symtab_blob(&k->tab, tab ? tab + 1 : "", module) == UINT32_MAX)
		return -ENOMEM;
	return symtab_add_at(&k->tab, addr, 0, binding_of(p[1]), at);
}

/* ---- the text -------------------------------------------------------------------------------- */

struct text {
	char *buf; /* CHUNK bytes */
	size_t n;  /* of the line that has no end yet */
	bool skip; /* it is too long for the buffer, and no symbol */
};

/* @n more bytes lie behind the first t->n. */
static int take_lines(struct kallsyms *k, struct text *t, size_t n)
{
	char *p = t->buf, *end = t->buf + t->n + n, *nl;

	while ((nl = memchr(p, '\n', (size_t)(end - p))) != NULL) {
		if (!t->skip && take_line(k, p, nl))
			return -ENOMEM;
		t->skip = false;
		p = nl + 1;
	}
	t->n = (size_t)(end - p);
	memmove(t->buf, p, t->n);
	if (t->n == CHUNK) {
		t->skip = true;
		t->n = 0;
	}
	return 0;
}

static ssize_t read_some(int fd, void *buf, size_t n)
{
	ssize_t r;

	do
		r = read(fd, buf, n);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : r;
}

/* As much as the buffer holds, however the kernel cuts it: bytes, or -errno. */
static ssize_t read_head(int fd, char *buf)
{
	size_t n = 0;
	ssize_t r;

	while (n < CHUNK && (r = read_some(fd, buf + n, CHUNK - n)) != 0) {
		if (r < 0)
			return r;
		n += (size_t)r;
	}
	return (ssize_t)n;
}

static bool has_address(const struct symtab *t)
{
	vec_for_each (s, &t->sym)
		if (s->start)
			return true;
	return false;
}

/* After the first @n bytes, of that @sum: whether they say which table this is, and that it may be kept. */
static void set_key(struct kallsyms *k, size_t n, uint64_t sum)
{
	k->head_ref = k->ref_addr;
	k->keyed = k->cache && k->cache->dir >= 0 && has_address(&k->tab) &&
		   (k->recorded ? k->ref_addr == k->recorded : !k->must_match) &&
		   symcache_kernel_key(&k->key, &k->id, n, sum);
}

/* The kernel's own symbols as they lie in the cache. */
static void take_kept(struct kallsyms *k)
{
	struct symtab kept = { 0 };

	if (!k->keyed || !symcache_read(k->cache, &k->key, &kept))
		return;
	symtab_free(&k->tab);
	k->tab = kept;
	k->kept = true;
}

static int read_text(struct kallsyms *k, int fd)
{
	struct text t = { .buf = malloc(CHUNK) };
	size_t all;
	uint64_t sum;
	ssize_t r;
	int ret;

	if (!t.buf)
		return -ENOMEM;
	r = read_head(fd, t.buf);
	all = r > 0 ? (size_t)r : 0;
	sum = symcache_sum(t.buf, all);
	ret = take_lines(k, &t, all);
	if (!ret && all)
		set_key(k, all, sum);
	if (!ret)
		take_kept(k);
	while (r > 0 && !ret && !k->kept && (r = read_some(fd, t.buf + t.n, CHUNK - t.n)) > 0) {
		all += (size_t)r;
		ret = all > TEXT_MAX ? -EFBIG : take_lines(k, &t, (size_t)r);
	}
	if (!ret && !r && !t.skip)
		ret = take_line(k, t.buf, t.buf + t.n);
	free(t.buf);
	return ret ? ret : (int)min_i64(r, 0);
}

/*
 * To where the recorded kernel was. Only the kernel itself moves as one: modules lie elsewhere with each boot, and others may be
 * where the recorded ones were, so those of this one name nothing.
 */
static void move_kernel(struct symtab *t, uint64_t delta)
{
	size_t n = 0;

	for (size_t i = 0; delta && i < t->sym.n; i++) {
		if (*symtab_module(t, (uint32_t)i))
			continue;
		t->sym.v[n] = t->sym.v[i];
		t->sym.v[n++].start += delta;
	}
	if (delta)
		t->sym.n = n;
}

int kallsyms_read(struct kallsyms *k)
{
	int fd = open(k->path, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = read_text(k, fd);
	close(fd);
	if (ret || k->kept)
		return ret;
	if (!k->any)
		return -EACCES;
	if (k->recorded && k->ref_addr)
		k->delta = k->recorded - k->ref_addr;
	if (k->must_match && (!k->recorded || k->delta))
		return -ENOENT;
	move_kernel(&k->tab, k->delta);
	return symtab_finish(&k->tab, ENDS_KALLSYMS);
}

bool kallsyms_own(const struct kallsyms *k, struct symtab *own)
{
	const struct symtab *t = &k->tab;
	size_t blob = k->own_blob ? k->own_blob : t->blob.n, n = 0, first = 0;

	if (!k->keyed || k->kept || k->mixed || k->ref_addr != k->head_ref)
		return false;
	for (size_t i = 0; i < t->sym.n; i++) {
		if ((t->sym.v[i].name & 3) == SYM_REST)
			return false;
		if (t->sym.v[i].name >> 2 >= blob)
			continue;
		if (n && first + n != i)
			return false; /* one of a module among them */
		first = n ? first : i;
		n++;
	}
	*own = (struct symtab){ .sym = { .v = t->sym.v + first, .n = n },
				.blob = { .v = t->blob.v, .n = blob } };
	return n;
}

void kallsyms_free(struct kallsyms *k)
{
	if (!k)
		return;
	symtab_free(&k->tab);
	free(k->path);
	free(k->ref);
	free(k);
}
