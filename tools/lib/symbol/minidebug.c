// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * .gnu_debugdata: a small ELF file, packed by xz, with the symbols that a stripped file would
 * miss most. Unpacked in memory, for as long as the table is read.
 */
#include <stdlib.h>

#include "symbol/symbol-int.h"

/* Names pack to a fifth. */
#define UNPACKED_FREE  (4u << 20)
#define UNPACKED_RATIO 64

int symtab_load_minidebug(struct elf_file *run, const struct segments *seg, struct symtab *t)
{
	struct unpacked image = { 0 };
	struct elf_file *f = NULL;
	size_t packed;
	const void *in = elf_section(run, ".gnu_debugdata", &packed, NULL, NULL);
	int ret;

	if (!in)
		return 0;
	image.max = (size_t)max_u64(UNPACKED_FREE, packed * UNPACKED_RATIO);
	ret = unpack_xz(in, packed, &image);
	if (!ret)
		ret = elf_open_memory(&f, image.v, image.n);
	if (!ret)
		ret = symtab_load_elf(f, run, seg, false, 0, t);
	elf_close(f);
	free(image.v);
	return ret == -ENOMEM ? ret : 0;
}
