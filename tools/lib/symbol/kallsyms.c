// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /proc/kallsyms and copies of it, a line per symbol:
 *
 *	ffffffff81000000 T name\t[module]
 *
 * The kernel makes that text while it is read, which takes as long as all the rest of a small
 * report: so a table is read as a job that any thread can do. It touches nothing but its struct.
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
	/* The module's name right behind, see module_of(). */
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

static int read_text(struct kallsyms *k, int fd)
{
	struct text t = { .buf = malloc(CHUNK) };
	ssize_t r = -ENOMEM;
	size_t all = 0;
	int ret = 0;

	while (t.buf && !ret && (r = read_some(fd, t.buf + t.n, CHUNK - t.n)) > 0) {
		all += (size_t)r;
		ret = all > TEXT_MAX ? -EFBIG : take_lines(k, &t, (size_t)r);
	}
	if (!ret && !r && !t.skip)
		ret = take_line(k, t.buf, t.buf + t.n);
	free(t.buf);
	return ret ? ret : (int)r;
}

/* Symbols of modules stay: only the kernel itself moves as one. */
static void move_kernel(struct symtab *t, uint64_t delta)
{
	for (size_t i = 0; delta && i < t->sym.n; i++) {
		const char *name = symtab_name(t, (uint32_t)i);

		if (!name[strlen(name) + 1])
			t->sym.v[i].start += delta;
	}
}

int kallsyms_read(struct kallsyms *k)
{
	int fd = open(k->path, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = read_text(k, fd);
	close(fd);
	if (ret)
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

void kallsyms_free(struct kallsyms *k)
{
	if (!k)
		return;
	symtab_free(&k->tab);
	free(k->path);
	free(k->ref);
	free(k);
}
