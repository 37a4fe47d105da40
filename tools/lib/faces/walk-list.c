// SPDX-License-Identifier: GPL-2.0-or-later
/* Cells and places of lists: tables whose columns people and programs share. */
#include <stdio.h>

#include "faces/faces-int.h"

struct faces_cell list_text(const char *s)
{
	return (struct faces_cell){ .kind = s ? FACES_STR : FACES_NONE, .s = s };
}

struct faces_cell list_number(uint64_t n)
{
	return (struct faces_cell){ .kind = FACES_U64, .n = n };
}

struct faces_cell list_real(bool known, double d)
{
	return (struct faces_cell){ .kind = known ? FACES_F64 : FACES_NONE, .d = d };
}

struct faces_cell list_share(uint64_t part, uint64_t all)
{
	return list_real(all, faces_percent(part, all));
}

const char *list_place(const struct symbol *sym, uint64_t addr, char *buf, size_t size)
{
	if (!sym)
		snprintf(buf, size, "0x%llx", (unsigned long long)addr);
	else if (addr == sym->start)
		snprintf(buf, size, "%s", sym->name);
	else
		snprintf(buf, size, "%s+0x%llx", sym->name,
			 (unsigned long long)(addr - sym->start));
	return buf;
}

const char *list_dso(const struct dso *dso)
{
	return dso ? dso->short_name : "[unknown]";
}
