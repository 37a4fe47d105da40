// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Register notes of an ELF core file (elf(5), the kernel's Documentation of core notes). Every
 * size is the file's word: the segments of notes are held against the file and a limit before they
 * are read, and a note that goes beyond its segment is damage with a place, not an end.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "tracer.h"

#define NOTES_MAX (256u << 20) /* of all segments; a thread takes about 20 KB */

#ifndef NT_X86_SHSTK
#define NT_X86_SHSTK 0x204
#endif
#define NT_GDB_TDESC 0xff000000u /* gdb's gcore: what it knows of the machine's registers */

#ifndef NT_X86_XSAVE_LAYOUT
#define NT_X86_XSAVE_LAYOUT 0x205
#endif

/* Where struct elf_prstatus has what is wanted here. */
struct prstatus_layout {
	uint32_t pid, ip;
};

struct core {
	const char *path;
	int fd;
	bool is_64, swap;
	uint16_t machine;
	uint64_t phoff;
	uint32_t phnum, phentsize;
	uint64_t left; /* bytes that notes may still have: all that there are are kept */
};

static int read_at(const struct core *c, void *buf, size_t n, uint64_t off, const char *what,
		   struct err *e)
{
	unsigned char *p = buf;

	while (n) {
		ssize_t r = pread(c->fd, p, n, (off_t)off);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return err_set(e, -errno, "%s: reading %s: %s", c->path, what,
				       strerror(errno));
		if (!r)
			return err_set(e, -EINVAL, "%s: cut: %s at offset %llu is not there",
				       c->path, what, (unsigned long long)off);
		p += r;
		off += r;
		n -= r;
	}
	return 0;
}

static int read_header(struct core *c, struct err *e)
{
	unsigned char h[64];
	struct cursor k;
	int ret = read_at(c, h, 52, 0, "the ELF header", e);

	if (ret)
		return ret;
	if (memcmp(h, ELFMAG, SELFMAG))
		return err_set(e, -EINVAL, "%s: not an ELF file", c->path);
	c->is_64 = h[EI_CLASS] == ELFCLASS64;
	c->swap = (h[EI_DATA] == ELFDATA2MSB) != host_is_big_endian();
	if (c->is_64 && (ret = read_at(c, h, 64, 0, "the ELF header", e)))
		return ret;
	k = cursor_init(h, sizeof(h), c->swap);
	cursor_skip(&k, EI_NIDENT);
	if (cursor_u16(&k) != ET_CORE)
		return err_set(e, -EINVAL, "%s: an ELF file, but no core", c->path);
	c->machine = cursor_u16(&k);
	cursor_skip(&k, c->is_64 ? 12 : 8); /* version, entry */
	c->phoff = c->is_64 ? cursor_u64(&k) : cursor_u32(&k);
	cursor_skip(&k, c->is_64 ? 14 : 10); /* section headers, flags, header size */
	c->phentsize = cursor_u16(&k);
	c->phnum = cursor_u16(&k);
	if (c->machine != EM_X86_64 && c->machine != EM_386)
		return err_set(e, -ENOTSUP, "%s: a core of machine %u; XSAVE is an x86 format",
			       c->path, c->machine);
	if (c->phentsize < (c->is_64 ? 56 : 32))
		return err_set(e, -EINVAL, "%s: program headers of %u bytes", c->path,
			       c->phentsize);
	return 0;
}

static int take_prstatus(struct tracer_states *st, const struct core *c, const void *desc,
			 uint32_t size)
{
	/* siginfo, signal, two signal sets, then the pid; user_regs_struct begins after times */
	static const struct prstatus_layout l64 = { 32, 112 + 16 * 8 }, l32 = { 24, 72 + 12 * 4 };
	const struct prstatus_layout *l = c->machine == EM_X86_64 && c->is_64 ? &l64 : &l32;
	struct cursor k = cursor_init(desc, size, c->swap);
	struct tracer_state t = { 0 };

	cursor_skip(&k, l->pid);
	t.tid = (pid_t)cursor_u32(&k);
	cursor_skip(&k, l->ip - l->pid - 4);
	t.ip = l == &l64 ? cursor_u64(&k) : cursor_u32(&k);
	return !k.bad && vec_push(&st->threads, t) ? -ENOMEM : 0;
}

struct note {
	const char *name;
	uint32_t namesz, type;
};

static bool note_is(const struct note *n, const char *name, uint32_t type)
{
	return n->type == type && n->namesz == strlen(name) + 1 &&
	       !memcmp(n->name, name, n->namesz);
}

/*
 * A note belongs to the thread whose PRSTATUS came last before it. Numbers are their owner's:
 * only the kernel's own, which debuggers imitate, mean what is looked for here.
 */
static int take_note(struct tracer_states *st, const struct core *c, const struct note *n,
		     const void *desc, uint32_t size)
{
	struct tracer_state *t = st->threads.n ? &st->threads.v[st->threads.n - 1] : NULL;
	uint32_t type = note_is(n, "LINUX", n->type) ? n->type : 0;
	void *copy;

	if (note_is(n, "GDB", NT_GDB_TDESC)) {
		st->by_gdb = true;
	} else if (note_is(n, "CORE", NT_PRSTATUS)) {
		return take_prstatus(st, c, desc, size);
	} else if (type == NT_X86_SHSTK && t && size >= 8) {
		t->has_ssp = true;
		t->ssp = load_u64(desc, c->swap);
	} else if ((type == NT_X86_XSTATE && t) || type == NT_X86_XSAVE_LAYOUT) {
		copy = arena_memdup(&st->arena, desc, size);
		if (!copy)
			return -ENOMEM;
		if (type == NT_X86_XSTATE) {
			t->xsave = copy;
			t->xsave_size = size;
		} else {
			st->layout = copy;
			st->layout_size = size;
		}
	}
	return 0;
}

static int walk_notes(struct tracer_states *st, const struct core *c, const void *notes,
		      size_t size, struct err *e)
{
	struct cursor k = cursor_init(notes, size, c->swap);

	while (cursor_left(&k) >= 12) {
		struct note n = { .namesz = cursor_u32(&k) };
		uint32_t descsz = cursor_u32(&k);
		size_t at = cursor_pos(&k) - 8;
		const void *desc;

		n.type = cursor_u32(&k);
		n.name = cursor_bytes(&k, align_up(n.namesz, 4));
		desc = cursor_bytes(&k, descsz);
		if (!n.name || !desc)
			return err_set(e, -EINVAL, "%s: note at byte %zu of its segment is cut",
				       c->path, at);
		cursor_skip(&k, min_u64(align_up(descsz, 4) - descsz, cursor_left(&k)));
		if (take_note(st, c, &n, desc, descsz))
			return err_set(e, -ENOMEM, "%s: no memory for its notes", c->path);
	}
	return 0;
}

static int read_segment(struct tracer_states *st, struct core *c, uint64_t off, uint64_t size,
			struct err *e)
{
	unsigned char last;
	void *notes;
	int ret;

	if (size > NOTES_MAX)
		return err_set(e, -EFBIG, "%s: a note segment of %llu bytes", c->path,
			       (unsigned long long)size);
	/* of a size that nobody wrote no memory is asked for */
	ret = size ? read_at(c, &last, 1, off + size - 1, "the notes", e) : 0;
	if (ret)
		return ret;
	if (size > c->left)
		return err_set(e, -EFBIG,
			       "%s: its segments of notes overlap, or have more than %u MB",
			       c->path, NOTES_MAX >> 20);
	c->left -= size;
	notes = malloc(size + 1);
	if (!notes)
		return err_set(e, -ENOMEM, "%s: no memory for %llu bytes of notes", c->path,
			       (unsigned long long)size);
	ret = read_at(c, notes, size, off, "the notes", e);
	if (!ret)
		ret = walk_notes(st, c, notes, size, e);
	free(notes);
	return ret;
}

static int read_segments(struct tracer_states *st, struct core *c, struct err *e)
{
	for (uint32_t i = 0; i < c->phnum; i++) {
		unsigned char ph[56];
		struct cursor k = cursor_init(ph, sizeof(ph), c->swap);
		uint64_t off, size;
		int ret;

		ret = read_at(c, ph, c->is_64 ? 56 : 32, c->phoff + (uint64_t)i * c->phentsize,
			      "the program headers", e);
		if (ret)
			return ret;
		if (cursor_u32(&k) != PT_NOTE)
			continue;
		if (c->is_64)
			cursor_skip(&k, 4); /* flags */
		off = c->is_64 ? cursor_u64(&k) : cursor_u32(&k);
		cursor_skip(&k, c->is_64 ? 16 : 8); /* addresses */
		size = c->is_64 ? cursor_u64(&k) : cursor_u32(&k);
		ret = read_segment(st, c, off, size, e);
		if (ret)
			return ret;
	}
	return 0;
}

int tracer_states_core(struct tracer_states *st, const char *path, struct err *e)
{
	struct core c = { .path = path };
	struct stat s;
	int ret;

	c.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (c.fd < 0)
		return err_set(e, -errno, "cannot open %s: %s", path, strerror(errno));
	/* segments that overlap would have more than the file, without an end */
	if (!fstat(c.fd, &s))
		c.left = min_u64(NOTES_MAX, (uint64_t)s.st_size);
	ret = read_header(&c, e);
	if (!ret)
		ret = read_segments(st, &c, e);
	if (!ret && !st->threads.n)
		ret = err_set(e, -ENODATA, "%s: no thread's registers among its notes", path);
	close(c.fd);
	return ret;
}

void tracer_states_free(struct tracer_states *st)
{
	vec_free(&st->threads);
	arena_free(&st->arena);
	memset(st, 0, sizeof(*st));
}
