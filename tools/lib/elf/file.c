// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ELF files through libelf: tables, segments, build ids, debug links. Every number of the file is
 * checked by libelf against the file's size or here before it is used as an index.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/bytes.h"
#include "base/lack.h"
#include "box/box.h"
#include "elf/elf-int.h"

static int refused(const struct elf_file *f, int ret)
{
	if (!lack_is_trouble(errno))
		return ret;
	ret = -errno;
	lack_note(ret, "cannot read", f->path ? f->path : "an ELF file");
	return ret;
}

/*
 * What libelf cannot do for want of memory looks as what it cannot do with a damaged file, and that
 * would be taken for one without symbols. errno, 0 before, tells them apart.
 */
static int elf_start(struct elf_file *f)
{
	if (!f->elf || elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &f->ehdr) ||
	    elf_getshdrstrndx(f->elf, &f->shstrndx) ||
	    (f->shstrndx && !elf_names_allowed(f, f->shstrndx)))
		return refused(f, -ENOEXEC);
	f->is_64bit = gelf_getclass(f->elf) == ELFCLASS64;
	f->swap = (f->ehdr.e_ident[EI_DATA] == ELFDATA2MSB) != host_is_big_endian();
	return 0;
}

/* libelf maps it; the place of the map is known only afterwards. */
static int elf_map(struct elf_file *f)
{
	size_t size = 0;

	guard_begin();
	errno = 0;
	f->elf = elf_begin(f->fd, ELF_C_READ_MMAP, NULL);
	f->image = f->elf ? (const unsigned char *)elf_rawfile(f->elf, &size) : NULL;
	f->size = size;
	f->guard = guard_end(f->image, size);
	return f->guard ? elf_start(f) : f->image ? -ENOMEM : refused(f, -ENOEXEC);
}

/* As file_open_regular(), of other roots too. */
static int open_object(const char *path, uint64_t *size)
{
	struct stat st;
	int fd, ret = 0;

	do {
		fd = box_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	} while (fd == -EINTR);
	if (fd < 0)
		ret = fd;
	else if (fstat(fd, &st))
		ret = -errno;
	else if (!S_ISREG(st.st_mode))
		ret = -ENOEXEC;
	else
		*size = (uint64_t)st.st_size;
	if (!ret)
		return fd;
	lack_note(ret, "cannot open", path);
	if (fd >= 0)
		close(fd);
	return ret;
}

int elf_open(struct elf_file **out, const char *path, unsigned flags)
{
	struct elf_file *f = calloc(1, sizeof(*f));
	int ret;

	*out = NULL;
	if (!f)
		return -ENOMEM;
	elf_version(EV_CURRENT);
	f->fd = open_object(path, &f->size);
	f->path = strdup(path);
	if (f->fd >= 0)
		limits_init(f, flags & ELF_NO_LIMITS);
	if (f->fd < 0)
		ret = f->fd;
	else if (!f->path)
		ret = -ENOMEM;
	else if (!limits_headers(f))
		ret = -ENOEXEC;
	else if (flags & ELF_MAPPED && guard_installed())
		ret = elf_map(f);
	else {
		errno = 0;
		f->elf = elf_begin(f->fd, ELF_C_READ, NULL);
		ret = elf_start(f);
	}
	if (ret) {
		elf_close(f);
		return ret;
	}
	*out = f;
	return 0;
}

int elf_open_memory(struct elf_file **out, void *image, size_t size)
{
	struct elf_file *f = calloc(1, sizeof(*f));
	int ret;

	*out = NULL;
	if (!f)
		return -ENOMEM;
	elf_version(EV_CURRENT);
	f->fd = -1;
	f->image = image;
	f->size = size;
	limits_init(f, false);
	errno = 0;
	f->elf = limits_headers(f) ? elf_memory(image, size) : NULL;
	ret = elf_start(f);
	if (ret) {
		elf_close(f);
		return ret;
	}
	*out = f;
	return 0;
}

void elf_close(struct elf_file *f)
{
	if (!f)
		return;
	/* Dropped first: another map may lie there as soon as this one is gone. */
	elf_guard_drop(f->guard);
	elf_end(f->elf);
	packed_free(f);
	if (f->fd >= 0)
		close(f->fd);
	free(f->path);
	free(f);
}

const char *elf_path(const struct elf_file *f)
{
	return f->path;
}

unsigned elf_e_machine(const struct elf_file *f)
{
	return f->ehdr.e_machine;
}

bool elf_is_relocatable(const struct elf_file *f)
{
	return f->ehdr.e_type == ET_REL;
}

/* ---- bytes ------------------------------------------------------------------------------------- */

static bool read_at(const struct elf_file *f, void *buf, size_t n, uint64_t off)
{
	ssize_t got = file_read_at(f->fd, buf, n, off);

	if (got < 0)
		lack_note((int)got, "cannot read", f->path);
	return got == (ssize_t)n;
}

bool elf_bytes(const struct elf_file *f, uint64_t off, void *buf, size_t n)
{
	if (off > f->size || n > f->size - off)
		return false;
	if (!f->image)
		return read_at(f, buf, n, off);
	if (n)
		memcpy(buf, f->image + off, n);
	return true;
}

bool elf_has_bytes(const struct elf_file *f, const GElf_Shdr *shdr)
{
	return shdr->sh_type != SHT_NOBITS && shdr->sh_size <= f->budget &&
	       shdr->sh_offset <= f->size && shdr->sh_size <= f->size - shdr->sh_offset;
}

/* ---- rows -------------------------------------------------------------------------------------- */

void elf_rows_start(struct elf_rows *r, const struct elf_file *f, const GElf_Shdr *shdr, size_t row)
{
	r->f = f;
	r->at = shdr->sh_offset;
	r->left = elf_has_bytes(f, shdr) ? shdr->sh_size / row : 0;
	r->row = row;
	r->p = r->end = NULL;
}

bool elf_rows_fill(struct elf_rows *r)
{
	size_t n = (size_t)min_u64(r->left, ELF_ROWS_BUF / r->row) * r->row;

	if (!n || !elf_bytes(r->f, r->at, r->buf, n))
		return false;
	r->at += n;
	r->left -= n / r->row;
	r->p = r->buf;
	r->end = r->buf + n;
	return true;
}

/*
 * They are read whole at the first question. Where the last one has no end libelf would look for one at each question,
 * through all of the table.
 */
bool elf_names_allowed(const struct elf_file *f, size_t idx)
{
	Elf_Scn *scn = elf_getscn(f->elf, idx);
	const Elf_Data *data;
	GElf_Shdr shdr;

	if (!scn || !gelf_getshdr(scn, &shdr) || shdr.sh_flags & SHF_COMPRESSED ||
	    !elf_has_bytes(f, &shdr))
		return false;
	data = elf_data(f, scn);
	return data && (!data->d_size || !((const char *)data->d_buf)[data->d_size - 1]);
}

Elf_Data *elf_data(const struct elf_file *f, Elf_Scn *scn)
{
	Elf_Data *data;
	GElf_Shdr shdr;

	if (!scn || !gelf_getshdr(scn, &shdr) || !elf_has_bytes(f, &shdr))
		return NULL;
	errno = 0;
	data = elf_getdata(scn, NULL);
	if (!data)
		refused(f, 0);
	return data;
}

/* ---- sections ---------------------------------------------------------------------------------- */

Elf_Scn *elf_scn_named(struct elf_file *f, const char *name, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(f->elf, scn)) != NULL) {
		const char *s;

		if (!gelf_getshdr(scn, shdr))
			continue;
		s = elf_strptr(f->elf, f->shstrndx, shdr->sh_name);
		if (s && !strcmp(s, name))
			return scn;
	}
	return NULL;
}

Elf_Scn *elf_scn_of_type(struct elf_file *f, GElf_Word type, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(f->elf, scn)) != NULL)
		if (gelf_getshdr(scn, shdr) && shdr->sh_type == type)
			return scn;
	return NULL;
}

bool elf_has_section(struct elf_file *f, const char *name)
{
	GElf_Shdr shdr;

	return elf_scn_named(f, name, &shdr) && shdr.sh_type != SHT_NOBITS && shdr.sh_size;
}

bool elf_has_debug_info(struct elf_file *f)
{
	return elf_has_section(f, ".debug_info") || elf_has_section(f, ".zdebug_info");
}

bool elf_has_symtab(struct elf_file *f)
{
	GElf_Shdr shdr;

	return elf_scn_of_type(f, SHT_SYMTAB, &shdr) != NULL;
}

const void *elf_section(struct elf_file *f, const char *name, size_t *size, uint64_t *addr,
			uint64_t *offset)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_scn_named(f, name, &shdr);
	Elf_Data *data;

	if (!scn || !elf_has_bytes(f, &shdr))
		return NULL;
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf)
		return NULL;
	*size = data->d_size;
	if (addr)
		*addr = shdr.sh_addr;
	if (offset)
		*offset = shdr.sh_offset;
	return data->d_buf;
}

const char *elf_debuglink(struct elf_file *f)
{
	size_t size;
	const char *name = elf_section(f, ".gnu_debuglink", &size, NULL, NULL);

	/* A bare file name: a path would lead anywhere. */
	if (!name || !memchr(name, 0, size) || !*name || strchr(name, '/'))
		return NULL;
	return name;
}

/* ---- segments ---------------------------------------------------------------------------------------- */

/* Questions look at one after the other. Files have four, those of the kernel's memory dozens. */
#define SEGMENTS_MAX 1024

int elf_segments(struct elf_file *f, struct segments *out)
{
	GElf_Phdr ph;
	size_t n = 0;

	if (elf_getphdrnum(f->elf, &n))
		return -ENOEXEC;
	for (size_t i = 0; i < n; i++) {
		struct segment s;

		if (!gelf_getphdr(f->elf, (int)i, &ph) || ph.p_type != PT_LOAD)
			continue;
		s = (struct segment){ ph.p_offset, ph.p_vaddr, ph.p_filesz,
				      ph.p_memsz,  ph.p_align, ph.p_flags & PF_X };
		if (vec_push(&out->v, s))
			return -ENOMEM;
	}
	if (elf_allows(f, out->v.n, SEGMENTS_MAX, UINT32_MAX))
		return 0;
	vec_free(&out->v);
	return -ENOEXEC;
}

/* Where offsets begin that are of nothing in the file. */
#define NO_BYTES (1ULL << 62)

bool segments_to_offset(const struct segments *s, uint64_t vaddr, uint64_t *offset)
{
	vec_for_each (p, &s->v) {
		if (vaddr < p->vaddr || vaddr - p->vaddr >= p->memsz)
			continue;
		*offset = p->filesz ? vaddr - p->vaddr + p->offset : NO_BYTES + vaddr;
		return true;
	}
	return false;
}

bool segments_to_vaddr(const struct segments *s, uint64_t offset, uint64_t *vaddr)
{
	const struct segment *found = NULL;

	/* File pages may be mapped twice, as data and as code: code is what was sampled. */
	vec_for_each (p, &s->v) {
		if (offset < p->offset || offset - p->offset >= p->filesz)
			continue;
		if (!found || (p->exec && !found->exec))
			found = p;
	}
	if (!found)
		return false;
	*vaddr = offset - found->offset + found->vaddr;
	return true;
}

bool elf_symbol_value(struct elf_file *f, const char *name, uint64_t *value)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_scn_of_type(f, SHT_SYMTAB, &shdr);
	Elf_Data *data = elf_data(f, scn);
	GElf_Sym s;

	if (!data || !elf_names_allowed(f, shdr.sh_link))
		return false;
	for (int i = 0; gelf_getsym(data, i, &s); i++) {
		const char *n = elf_strptr(f->elf, shdr.sh_link, s.st_name);

		if (!n || strcmp(n, name))
			continue;
		*value = s.st_value;
		return true;
	}
	return false;
}
