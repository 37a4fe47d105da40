// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compressed debug sections (gabi, "Section Compression"), unpacked before libdw asks for them. libelf would do it with zlib, which is
 * most of the work of opening a distribution's debug file, and older ones know nothing of zstd.
 *
 * A section is unpacked into memory of its own; then libelf is told, in its memory alone, that these are the section's bytes and that it is
 * not compressed. What cannot be unpacked stays as it is: libelf judges it.
 */
#include <stdlib.h>

#include "config.h"
#include "elf/elf-int.h"

#if HAVE_LIBDEFLATE
#include <libdeflate.h>

static bool unpack_zlib(const void *in, size_t n, void *out, size_t size)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	bool done =
		d && libdeflate_zlib_decompress(d, in, n, out, size, NULL) == LIBDEFLATE_SUCCESS;

	libdeflate_free_decompressor(d);
	return done;
}
#else
static bool unpack_zlib(const void *in, size_t n, void *out, size_t size)
{
	(void)in, (void)n, (void)out, (void)size;
	return false;
}
#endif

#if HAVE_ZSTD
#include <zstd.h>

static bool unpack_zstd(const void *in, size_t n, void *out, size_t size)
{
	return ZSTD_decompress(out, size, in, n) == size;
}
#else
static bool unpack_zstd(const void *in, size_t n, void *out, size_t size)
{
	(void)in, (void)n, (void)out, (void)size;
	return false;
}
#endif

/* Not in every elf.h. */
#define CH_ZLIB 1
#define CH_ZSTD 2

static void *unpacked(const GElf_Chdr *chdr, const void *in, size_t n)
{
	void *out = malloc(chdr->ch_size);
	bool done = false;

	if (out && chdr->ch_type == CH_ZLIB)
		done = unpack_zlib(in, n, out, chdr->ch_size);
	else if (out && chdr->ch_type == CH_ZSTD)
		done = unpack_zstd(in, n, out, chdr->ch_size);
	if (done)
		return out;
	free(out);
	return NULL;
}

static void set_data(Elf_Data *d, void *bytes, const GElf_Chdr *chdr)
{
	d->d_buf = bytes;
	d->d_type = ELF_T_BYTE;
	d->d_size = chdr->ch_size;
	d->d_align = chdr->ch_addralign;
}

void elf_unpack(struct elf_file *f, Elf_Scn *scn)
{
	size_t head = gelf_fsize(f->elf, ELF_T_CHDR, 1, EV_CURRENT);
	Elf_Data *raw, *data;
	GElf_Shdr shdr;
	GElf_Chdr chdr;
	void *bytes;

	if (!gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS ||
	    !(shdr.sh_flags & SHF_COMPRESSED) || !elf_has_bytes(f, &shdr) ||
	    !gelf_getchdr(scn, &chdr) || !chdr.ch_size || chdr.ch_size > f->budget)
		return;
	raw = elf_rawdata(scn, NULL);
	data = elf_getdata(scn, NULL);
	if (!raw || !data || raw->d_size < head || vec_reserve(&f->unpacked, f->unpacked.n + 1))
		return;
	bytes = unpacked(&chdr, (const char *)raw->d_buf + head, raw->d_size - head);
	if (!bytes)
		return;
	(void)!vec_push(&f->unpacked, bytes);
	shdr.sh_flags &= ~(GElf_Xword)SHF_COMPRESSED;
	shdr.sh_size = chdr.ch_size;
	shdr.sh_addralign = chdr.ch_addralign;
	if (!gelf_update_shdr(scn, &shdr))
		return;
	set_data(raw, bytes, &chdr);
	set_data(data, bytes, &chdr);
}

Elf_Scn *elf_scn_next_packed(const struct elf_file *f, Elf_Scn *scn, GElf_Shdr *shdr,
			     const char **name)
{
	while ((scn = elf_nextscn(f->elf, scn))) {
		if (!gelf_getshdr(scn, shdr) || !(shdr->sh_flags & SHF_COMPRESSED))
			continue;
		*name = elf_strptr(f->elf, f->shstrndx, shdr->sh_name);
		if (*name)
			break;
	}
	return scn;
}

void elf_unpack_debug(struct elf_file *f)
{
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr shdr;

	while ((scn = elf_scn_next_packed(f, scn, &shdr, &name)))
		if (!strncmp(name, ".debug_", 7))
			elf_unpack(f, scn);
}

void packed_free(struct elf_file *f)
{
	vec_for_each (p, &f->unpacked)
		free(*p);
	vec_free(&f->unpacked);
}
