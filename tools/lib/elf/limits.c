// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How much of a file is believed (elf.h): work and memory may be a multiple of what the file has
 * on disk, not of the numbers in it. A sparse file or a compressed section of a few kilobytes may
 * claim gigabytes.
 */
#include <sys/stat.h>

#include "base/bytes.h"
#include "elf/elf-int.h"

#define FREE_BYTES (64ull << 20)
#define RATIO	   32

void limits_init(struct elf_file *f, bool none)
{
	struct stat st;

	f->on_disk = f->size;
	/* Some file systems do not tell; what was written has a block at least. */
	if (f->fd >= 0 && !fstat(f->fd, &st) && st.st_blocks > 0)
		f->on_disk = min_u64(f->size, (uint64_t)st.st_blocks * 512);
	f->budget = none ? UINT64_MAX : max_u64(FREE_BYTES, f->on_disk * RATIO);
}

bool limits_headers(const struct elf_file *f)
{
	unsigned char h[sizeof(Elf64_Ehdr)], shdr[sizeof(Elf64_Shdr)];
	uint64_t shoff, nr, phnum, size;
	bool is64, swap;

	if (!elf_bytes(f, 0, h, sizeof(Elf32_Ehdr)))
		return false;
	is64 = h[EI_CLASS] == ELFCLASS64;
	swap = (h[EI_DATA] == ELFDATA2MSB) != host_is_big_endian();
	if (is64 && !elf_bytes(f, 0, h, sizeof(Elf64_Ehdr)))
		return false;
	shoff = is64 ? load_u64(h + 40, swap) : load_u32(h + 32, swap);
	nr = load_u16(h + (is64 ? 60 : 48), swap);
	phnum = load_u16(h + (is64 ? 56 : 44), swap);
	size = is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	/* Numbers that do not fit stand in the first section's header. */
	if (shoff && (!nr || phnum == PN_XNUM) && elf_bytes(f, shoff, shdr, size)) {
		if (!nr)
			nr = is64 ? load_u64(shdr + 32, swap) : load_u32(shdr + 20, swap);
		if (phnum == PN_XNUM)
			phnum = load_u32(shdr + (is64 ? 44 : 28), swap);
	}
	/* libelf keeps about 200 bytes for each. */
	return elf_allows(f, nr, 1 << 16, 32) && elf_allows(f, phnum, 1 << 16, 32);
}

bool elf_allows(const struct elf_file *f, uint64_t n, uint64_t least, unsigned per)
{
	return f->budget == UINT64_MAX || n <= least || n - least <= f->on_disk / per;
}

uint64_t elf_time_allowed(const struct elf_file *f)
{
	if (f->budget == UINT64_MAX)
		return UINT64_MAX;
	/* 10 s, and what reading 10 MB a second takes. */
	return 10000000000ull + f->on_disk * 100;
}

/* What a section takes once it is unpacked. */
static uint64_t unpacked_size(const struct elf_file *f, Elf_Scn *scn, const GElf_Shdr *shdr,
			      const char *name)
{
	unsigned char head[12];
	GElf_Chdr chdr;

	if (shdr->sh_type == SHT_NOBITS)
		return 0;
	if (shdr->sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(scn, &chdr) ? chdr.ch_size : 0;
	if (!strncmp(name, ".zdebug", 7) && elf_bytes(f, shdr->sh_offset, head, 12) &&
	    !memcmp(head, "ZLIB", 4))
		return load_u64(head + 4, !host_is_big_endian());
	return shdr->sh_size;
}

bool elf_debug_allowed(struct elf_file *f)
{
	uint64_t total = 0, n;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(f->elf, scn)) != NULL) {
		const char *name;

		if (!gelf_getshdr(scn, &shdr))
			continue;
		name = elf_strptr(f->elf, f->shstrndx, shdr.sh_name);
		if (!name || (!strstr(name, "debug") && !(shdr.sh_flags & SHF_COMPRESSED)))
			continue;
		n = unpacked_size(f, scn, &shdr, name);
		if (n > f->budget - total)
			return false;
		total += n;
	}
	return true;
}
