// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Build ids for maps of what already runs. A file's is read once per (device, inode). The note
 * is looked for in the program headers, which a stripped file has too. Source: elf(5).
 */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "capture/private.h"

#define HEAD	    4096 /* enough for the headers and mostly the notes */
#define MAX_NOTES   (64 << 10)
#define NT_BUILD_ID 3

struct cached {
	uint64_t dev, ino;
	uint8_t size, id[BUILD_ID_MAX];
};

struct synth_cache {
	VEC(struct cached) v;
	struct htab tab;
};

/* Walks the notes of one segment; the id's length, 0 = none. */
static size_t find_note(const void *data, size_t size, uint8_t id[BUILD_ID_MAX])
{
	struct cursor c = cursor_init(data, size, false);

	while (cursor_left(&c) >= 12) {
		uint32_t namesz = cursor_u32(&c), descsz = cursor_u32(&c), type = cursor_u32(&c);
		const char *name = cursor_bytes(&c, align_up(namesz, 4));
		const uint8_t *desc = cursor_bytes(&c, descsz);

		if (c.bad)
			return 0;
		if (type == NT_BUILD_ID && namesz == 4 && !memcmp(name, "GNU", 4) && descsz &&
		    descsz <= BUILD_ID_MAX) {
			memcpy(id, desc, descsz);
			return descsz;
		}
		if (cursor_left(&c) < align_up(descsz, 4) - descsz)
			return 0;
		cursor_skip(&c, align_up(descsz, 4) - descsz);
	}
	return 0;
}

/* Reads bytes of the object: a file, or our own vdso in memory. */
struct object {
	int fd;
	const unsigned char *mem;
	size_t mem_size;
};

static bool object_read(const struct object *o, uint64_t off, void *buf, size_t n)
{
	if (o->fd >= 0)
		return pread(o->fd, buf, n, (off_t)off) == (ssize_t)n;
	if (off > o->mem_size || n > o->mem_size - off)
		return false;
	memcpy(buf, o->mem + off, n);
	return true;
}

struct segment {
	uint32_t type;
	uint64_t offset, size;
};

static bool read_segment(const struct object *o, bool is64, uint64_t phoff, unsigned i,
			 struct segment *s)
{
	if (is64) {
		Elf64_Phdr p;

		if (!object_read(o, phoff + (uint64_t)i * sizeof(p), &p, sizeof(p)))
			return false;
		*s = (struct segment){ p.p_type, p.p_offset, p.p_filesz };
	} else {
		Elf32_Phdr p;

		if (!object_read(o, phoff + (uint64_t)i * sizeof(p), &p, sizeof(p)))
			return false;
		*s = (struct segment){ p.p_type, p.p_offset, p.p_filesz };
	}
	return true;
}

static size_t read_build_id(const struct object *o, uint8_t id[BUILD_ID_MAX])
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf64_Ehdr e64;
		Elf32_Ehdr e32;
	} h;
	size_t found = 0;
	uint64_t phoff;
	unsigned phnum;
	bool is64;

	if (!object_read(o, 0, &h, sizeof(h.e32)) || memcmp(h.ident, ELFMAG, SELFMAG) ||
	    h.ident[EI_DATA] != (host_is_big_endian() ? ELFDATA2MSB : ELFDATA2LSB))
		return 0;
	is64 = h.ident[EI_CLASS] == ELFCLASS64;
	if (is64 && !object_read(o, 0, &h, sizeof(h.e64)))
		return 0;
	phoff = is64 ? h.e64.e_phoff : h.e32.e_phoff;
	phnum = is64 ? h.e64.e_phnum : h.e32.e_phnum;
	for (unsigned i = 0; !found && i < phnum; i++) {
		struct segment s;
		unsigned char *notes;

		if (!read_segment(o, is64, phoff, i, &s))
			break;
		if (s.type != PT_NOTE || !s.size || s.size > MAX_NOTES)
			continue;
		notes = malloc(s.size);
		if (notes && object_read(o, s.offset, notes, s.size))
			found = find_note(notes, s.size, id);
		free(notes);
	}
	return found;
}

static size_t vdso_build_id(uint8_t id[BUILD_ID_MAX])
{
	struct object o = { .fd = -1, .mem_size = HEAD };

	o.mem = (const unsigned char *)getauxval(AT_SYSINFO_EHDR); // NOLINT: an address by contract
	return o.mem ? read_build_id(&o, id) : 0;
}

size_t capture_file_build_id(const char *path, uint8_t id[BUILD_ID_MAX])
{
	struct object o = { .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) };
	struct stat st;
	size_t n = 0;

	if (o.fd < 0)
		return 0;
	if (!fstat(o.fd, &st) && S_ISREG(st.st_mode))
		n = read_build_id(&o, id);
	close(o.fd);
	return n;
}

size_t capture_notes_build_id(const char *path, uint8_t id[BUILD_ID_MAX])
{
	size_t size = 0, n;
	char *notes = file_read_all(path, MAX_NOTES, &size, NULL);

	n = notes ? find_note(notes, size, id) : 0;
	free(notes);
	return n;
}

/* The mapped file itself: not another one that has its name by now, nor one of our own root. */
static int open_mapped(const char *proc, pid_t pid, const char *path, uint32_t maj, uint32_t min,
		       uint64_t ino)
{
	char in_root[PATH_MAX];
	const char *names[] = { path, in_root };

	snprintf(in_root, sizeof(in_root), "%s/%d/root%s", proc, pid, path);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		int fd = open(names[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		struct stat st;

		if (fd < 0)
			continue;
		if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_ino == ino &&
		    st.st_dev == makedev(maj, min))
			return fd;
		close(fd);
	}
	return -1;
}

static struct cached *find_cached(struct synth_cache *c, uint64_t dev, uint64_t ino)
{
	uint64_t hash = hash_mix(hash_u64(dev), ino);
	uint32_t idx;

	for (struct htab_it it = htab_find(&c->tab, hash); htab_next(&c->tab, &it, &idx);)
		if (c->v.v[idx].dev == dev && c->v.v[idx].ino == ino)
			return &c->v.v[idx];
	return NULL;
}

static void add_cached(struct synth_cache *c, const struct cached *new)
{
	uint64_t hash = hash_mix(hash_u64(new->dev), new->ino);

	/* Without memory the file is read again: slower, not wrong. */
	if (!vec_push(&c->v, *new))
		(void)htab_add(&c->tab, hash, (uint32_t)(c->v.n - 1));
}

size_t synth_build_id(struct synth *s, pid_t pid, const char *path, uint32_t maj, uint32_t min,
		      uint64_t ino, uint8_t id[BUILD_ID_MAX])
{
	struct cached new = { .dev = makedev(maj, min), .ino = ino };
	struct object o = { .fd = -1 };
	const struct cached *old;

	if (!strcmp(path, "[vdso]"))
		return vdso_build_id(id);
	if (path[0] != '/' || !ino)
		return 0;
	if (!s->cache)
		s->cache = calloc(1, sizeof(*s->cache));
	if (!s->cache)
		return 0;
	old = find_cached(s->cache, new.dev, ino);
	if (!old) {
		o.fd = open_mapped(s->proc ? s->proc : "/proc", pid, path, maj, min, ino);
		if (o.fd >= 0) {
			new.size = (uint8_t)read_build_id(&o, new.id);
			close(o.fd);
		}
		add_cached(s->cache, &new);
		old = &new;
	}
	memcpy(id, old->id, BUILD_ID_MAX);
	return old->size;
}

void synth_end(struct synth *s)
{
	if (!s->cache)
		return;
	vec_free(&s->cache->v);
	htab_free(&s->cache->tab);
	free(s->cache);
	s->cache = NULL;
}
