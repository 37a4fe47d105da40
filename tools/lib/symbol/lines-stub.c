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

int lines_inlines(struct lines *l, struct resolver *res, uint64_t vaddr,
		  const struct inline_info **out)
{
	(void)l;
	(void)res;
	(void)vaddr;
	(void)out;
	return 0;
}
#endif
