// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Build ids. Whoever only wants that looks for the note by the program headers, which a stripped
 * file has too, in a few reads. Source: elf(5).
 */
#include <elf.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/bytes.h"
#include "elf/elf-int.h"

#define MAX_NOTES (1 << 20) /* of a file, together: the id is among the first */

bool build_id_equal(const uint8_t *a, size_t na, const uint8_t *b, size_t nb)
{
	static const uint8_t zero[256];
	size_t n = min_u64(na, nb);

	return n && !memcmp(a, b, n) && !memcmp(a + n, zero, na - n) &&
	       !memcmp(b + n, zero, nb - n);
}

bool build_id_from_notes(const void *notes, size_t n, bool swap, struct build_id *out)
{
	struct cursor c = cursor_init(notes, n, swap);

	while (cursor_left(&c) >= 12) {
		uint32_t namesz = cursor_u32(&c), descsz = cursor_u32(&c), type = cursor_u32(&c);
		const char *name = cursor_bytes(&c, align_up(namesz, 4));
		uint64_t left = cursor_left(&c);
		/* The last note's padding may be missing. */
		const void *desc = cursor_bytes(&c, min_u64(align_up(descsz, 4), left));

		if (c.bad || descsz > left)
			return false;
		if (type != NT_GNU_BUILD_ID || namesz != 4 || memcmp(name, "GNU", 4) || !descsz)
			continue;
		out->size = (uint8_t)min_u64(descsz, BUILD_ID_MAX);
		memcpy(out->id, desc, out->size);
		return true;
	}
	return false;
}

/* ---- without libelf ---------------------------------------------------------------------------- */

/* Bytes of the object: a file, or an image in memory. */
struct object {
	int fd;
	const unsigned char *mem;
	size_t mem_size;
};

static bool object_read(const struct object *o, uint64_t off, void *buf, size_t n)
{
	if (!o->mem)
		return off <= INT64_MAX && file_read_at(o->fd, buf, n, off) == (ssize_t)n;
	if (off > o->mem_size || n > o->mem_size - off)
		return false;
	memcpy(buf, o->mem + off, n);
	return true;
}

/* Headers of both classes and byte orders: where fields lie is all that differs. */
struct note_place {
	uint32_t type;
	uint64_t offset, size;
};

static bool read_phdr(const struct object *o, bool is64, bool swap, uint64_t at,
		      struct note_place *p)
{
	unsigned char buf[sizeof(Elf64_Phdr)];

	if (!object_read(o, at, buf, is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)))
		return false;
	p->type = load_u32(buf, swap);
	p->offset = is64 ? load_u64(buf + 8, swap) : load_u32(buf + 4, swap);
	p->size = is64 ? load_u64(buf + 32, swap) : load_u32(buf + 16, swap);
	return true;
}

/* Headers may all show the same notes: *left is what is still looked at. */
static bool take_notes(uint64_t size, uint64_t *left)
{
	if (size > *left)
		return false;
	*left -= size;
	return true;
}

static bool id_in_note(const struct object *o, const struct note_place *p, bool swap,
		       uint64_t *left, struct build_id *out)
{
	unsigned char *notes;
	bool found;

	if (p->type != PT_NOTE || !p->size || !take_notes(p->size, left))
		return false;
	notes = malloc(p->size);
	found = notes && object_read(o, p->offset, notes, p->size) &&
		build_id_from_notes(notes, p->size, swap, out);
	free(notes);
	return found;
}

static bool id_of_object(const struct object *o, struct build_id *out)
{
	unsigned char h[sizeof(Elf64_Ehdr)] = { 0 };
	uint64_t phoff, left = MAX_NOTES;
	bool is64, swap;
	unsigned phnum;

	out->size = 0;
	if (!object_read(o, 0, h, sizeof(Elf32_Ehdr)) || memcmp(h, ELFMAG, SELFMAG))
		return false;
	is64 = h[EI_CLASS] == ELFCLASS64;
	swap = (h[EI_DATA] == ELFDATA2MSB) != host_is_big_endian();
	if (is64 && !object_read(o, 0, h, sizeof(Elf64_Ehdr)))
		return false;
	phoff = is64 ? load_u64(h + 32, swap) : load_u32(h + 28, swap);
	phnum = load_u16(h + (is64 ? 56 : 44), swap);
	for (unsigned i = 0; i < phnum; i++) {
		uint64_t size = is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
		struct note_place p;

		if (phoff > INT64_MAX - i * size || !read_phdr(o, is64, swap, phoff + i * size, &p))
			return false;
		if (id_in_note(o, &p, swap, &left, out))
			return true;
	}
	return false;
}

bool build_id_from_fd(int fd, struct build_id *out)
{
	return id_of_object(&(struct object){ .fd = fd }, out);
}

bool build_id_from_image(const void *image, size_t size, struct build_id *out)
{
	return id_of_object(&(struct object){ .fd = -1, .mem = image, .mem_size = size }, out);
}

/* ---- by libelf --------------------------------------------------------------------------------- */

static bool id_of_section(struct elf_file *f)
{
	uint64_t left = MAX_NOTES;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(f->elf, scn)) != NULL) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_NOTE ||
		    !take_notes(shdr.sh_size, &left))
			continue;
		data = elf_data(f, scn);
		if (data && data->d_buf &&
		    build_id_from_notes(data->d_buf, data->d_size, false, &f->id))
			return true;
	}
	return false;
}

static bool id_of_segment(struct elf_file *f)
{
	uint64_t left = MAX_NOTES;
	GElf_Phdr ph;
	size_t n = 0;

	elf_getphdrnum(f->elf, &n);
	for (size_t i = 0; i < n; i++) {
		Elf_Data *data;

		if (!gelf_getphdr(f->elf, (int)i, &ph) || ph.p_type != PT_NOTE ||
		    !take_notes(ph.p_filesz, &left))
			continue;
		data = elf_getdata_rawchunk(f->elf, (int64_t)ph.p_offset, ph.p_filesz,
					    ph.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		if (data && data->d_buf &&
		    build_id_from_notes(data->d_buf, data->d_size, false, &f->id))
			return true;
	}
	return false;
}

const struct build_id *elf_build_id(struct elf_file *f)
{
	if (!f->has_id) {
		f->has_id = true;
		if (!id_of_section(f) && !id_of_segment(f))
			f->id.size = 0;
	}
	return &f->id;
}
