// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * .gnu_debugdata: a small ELF file, packed by xz, with the symbols that a stripped file would
 * miss most. Unpacked in memory, for as long as the table is read.
 */
#include <stdlib.h>

#include "config.h"
#include "symbol/internal.h"

#if HAVE_LZMA
#include <lzma.h>

#define UNPACKED_MAX (256u << 20)
#define XZ_MEMORY    (64u << 20)

static int unpack_stream(lzma_stream *s, unsigned char **out, size_t *size)
{
	size_t cap = 0, n = 0;
	lzma_ret ret = LZMA_OK;

	while (ret == LZMA_OK) {
		unsigned char *p;

		if (cap == n) {
			cap = cap ? cap * 2 : 256 << 10;
			p = cap <= UNPACKED_MAX ? realloc(*out, cap) : NULL;
			if (!p)
				return -ENOMEM;
			*out = p;
		}
		s->next_out = *out + n;
		s->avail_out = cap - n;
		ret = lzma_code(s, LZMA_FINISH);
		n = cap - s->avail_out;
	}
	*size = n;
	return ret == LZMA_STREAM_END ? 0 : -ENOEXEC;
}

int unxz(const void *in, size_t n, unsigned char **out, size_t *size)
{
	lzma_stream s = LZMA_STREAM_INIT;
	int ret;

	s.next_in = in;
	s.avail_in = n;
	if (lzma_stream_decoder(&s, XZ_MEMORY, 0) != LZMA_OK)
		return -ENOMEM;
	ret = unpack_stream(&s, out, size);
	lzma_end(&s);
	return ret;
}

int minidebug_load(struct elf_file *run, const struct segments *seg, struct symtab *t)
{
	unsigned char *image = NULL;
	struct elf_file *f = NULL;
	size_t packed, size;
	const void *in = elf_section(run, ".gnu_debugdata", &packed, NULL, NULL);
	int ret;

	if (!in)
		return 0;
	ret = unxz(in, packed, &image, &size);
	if (!ret)
		ret = elf_open_memory(&f, image, size);
	if (!ret)
		ret = elf_load_symbols(f, seg, false, 0, t);
	elf_close(f);
	free(image);
	return ret == -ENOMEM ? ret : 0;
}
#else
int unxz(const void *in, size_t n, unsigned char **out, size_t *size)
{
	(void)in, (void)n, (void)out, (void)size;
	return -ENOTSUP;
}

int minidebug_load(struct elf_file *run, const struct segments *seg, struct symtab *t)
{
	(void)run;
	(void)seg;
	(void)t;
	return 0;
}
#endif
