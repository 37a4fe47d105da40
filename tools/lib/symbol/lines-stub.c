// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Without libdw nothing is known of lines and inlined functions: this stands in for lines.c, and
 * callers see no difference but the answers.
 */
#include "config.h"
#include "symbol/symbol-int.h"

#if !HAVE_LIBDW
struct lines *lines_open(struct resolver *res, const char *path)
{
	(void)res;
	(void)path;
	return NULL;
}

struct lines *lines_open_file(struct resolver *res, struct elf_file *f, const char *path)
{
	(void)res;
	(void)path;
	elf_close(f);
	return NULL;
}

void lines_begin(struct lines *l, struct resolver *res)
{
	(void)l, (void)res;
}

void lines_end(struct lines *l)
{
	(void)l;
}

bool lines_section(struct lines *l, size_t idx, uint64_t *addr)
{
	(void)l;
	(void)idx;
	(void)addr;
	return false;
}

void lines_free(struct lines *l)
{
	(void)l;
}

bool lines_find(struct lines *l, struct resolver *res, uint64_t vaddr, struct srcline *out)
{
	(void)l;
	(void)res;
	(void)vaddr;
	(void)out;
	return false;
}

int lines_inlines(struct lines *l, struct resolver *res, uint64_t vaddr, bool calls,
		  const struct inline_info **out)
{
	(void)calls;
	(void)l;
	(void)res;
	(void)vaddr;
	(void)out;
	return 0;
}

int symbol_origins_open(struct origins **o, struct resolver *res, const struct dso *dso,
			const char *path, struct err *e)
{
	(void)res;
	(void)dso;
	*o = NULL;
	err_set(e, -ENOTSUP, "%s: its lines cannot be read: this perf was built without libdw",
		path);
	err_hint(e, "Install libdw-dev and build again.");
	return -ENOTSUP;
}

void symbol_origins_close(struct origins *o)
{
	(void)o;
}

int symbol_origins_at(struct origins *o, uint64_t addr, const struct origin **out, uint64_t *end)
{
	(void)o;
	(void)addr;
	(void)out;
	*end = UINT64_MAX;
	return 0;
}

ssize_t symbol_origins_function(struct origins *o, uint64_t addr, const struct code_range **out)
{
	(void)o;
	(void)addr;
	(void)out;
	return 0;
}

const char *symbol_origins_name(const struct origins *o, uint32_t name)
{
	(void)o;
	(void)name;
	return "";
}
#endif
