// SPDX-License-Identifier: GPL-2.0-or-later
/* User stacks from registers and a copy of the stack. */
#include "unwind-int.h"

void dwarf_chain(struct unwind *u, struct thread *th, const struct sample *s)
{
	(void)u;
	(void)th;
	(void)s;
}

void dwarf_free(struct dwarf_unwind *d)
{
	(void)d;
}
