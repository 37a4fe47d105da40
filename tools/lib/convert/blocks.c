// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The map of basic blocks, of each version that compilers wrote up to clang 19: functions by address, in each
 * its blocks with offset, size and, from version 2 on, number. It is read whole or not at all: a map that
 * is wrong in one place cannot be believed in another.
 */
#include <elf.h>
#include <stdlib.h>

#include "convert/blocks-int.h"

#define SECTION	   ".llvm_bb_addr_map"
#define TYPE_V0	   0x6fff4c08 /* clang 12 to 14: no version inside */
#define MAX_BLOCKS (64u << 20)

enum { /* what else is there of a function, by bits of its head */
       ENTRY_COUNT = 1,
       FREQUENCIES = 2,
       PROBABILITIES = 4,
       RANGES = 8,
};

struct map_head {
	uint8_t version, features;
};

/* One run of blocks from @base on. 0 or -errno. */
static int read_blocks(struct blocks_map *m, struct cursor *c, struct map_head h, uint64_t base)
{
	uint64_t n = cursor_uleb(c), at = base;
	uint32_t fn = (uint32_t)m->fns.n - 1;

	/* A block takes three bytes at least. */
	if (c->bad || n > cursor_left(c) / 3 || m->v.n + n > MAX_BLOCKS)
		return -EINVAL;
	for (uint64_t i = 0; i < n; i++) {
		struct block b = { .fn = fn, .id = (uint32_t)i };

		if (h.version >= 2)
			b.id = (uint32_t)cursor_uleb(c);
		b.start = (h.version ? at : base) + cursor_uleb(c);
		b.end = at = b.start + cursor_uleb(c);
		cursor_uleb(c); /* how it ends: not asked for */
		if (c->bad || b.end < b.start)
			return -EINVAL;
		if (b.end > b.start && vec_push(&m->v, b))
			return -ENOMEM;
	}
	return (int)min_u64(n, INT32_MAX);
}

static void skip_profile(struct cursor *c, struct map_head h, uint64_t blocks)
{
	if (h.features & ENTRY_COUNT)
		cursor_uleb(c);
	for (uint64_t i = 0; i < blocks && h.features & (FREQUENCIES | PROBABILITIES) && !c->bad;
	     i++) {
		if (h.features & FREQUENCIES)
			cursor_uleb(c);
		for (uint64_t k = h.features & PROBABILITIES ? cursor_uleb(c) : 0; k && !c->bad;
		     k--) {
			cursor_uleb(c);
			cursor_uleb(c);
		}
	}
}

static int read_function(struct blocks_map *m, struct cursor *c, const struct object_file *f,
			 bool v0)
{
	struct map_head h = { 0 };
	uint64_t ranges = 1, blocks = 0;

	if (!v0) {
		h.version = cursor_u8(c);
		h.features = cursor_u8(c);
		if (h.version > 2 ||
		    h.features & ~(ENTRY_COUNT | FREQUENCIES | PROBABILITIES | RANGES))
			return -ENOTSUP;
		m->has_ids = h.version == 2;
	}
	if (h.features & RANGES)
		ranges = cursor_uleb(c);
	for (uint64_t i = 0; i < ranges; i++) {
		uint64_t base = cursor_u64(c);
		const struct function *fn = convert_elf_function(f, base);
		int n;

		if (!i && vec_push(&m->fns, fn && fn->start == base ? fn->symbol : NULL))
			return -ENOMEM;
		n = c->bad ? -EINVAL : read_blocks(m, c, h, base);
		if (n < 0)
			return n;
		blocks += (uint64_t)n;
	}
	skip_profile(c, h, blocks);
	return c->bad ? -EINVAL : 0;
}

static int by_start(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int read_all(struct blocks_map *m, const struct object_file *f, bool *any)
{
	Elf_Scn *scn = NULL;
	int ret = 0;

	while (!ret && (scn = elf_nextscn(f->file->elf, scn))) {
		const char *name;
		struct cursor c;
		Elf_Data *data;
		GElf_Shdr sh;
		size_t str;

		if (!gelf_getshdr(scn, &sh) || elf_getshdrstrndx(f->file->elf, &str))
			continue;
		name = elf_strptr(f->file->elf, str, sh.sh_name);
		data = name && !strcmp(name, SECTION) ? elf_data(f->file, scn) : NULL;
		if (!data || !data->d_buf)
			continue;
		*any = true;
		c = cursor_init(data->d_buf, data->d_size, host_is_big_endian());
		while (!ret && cursor_left(&c))
			ret = read_function(m, &c, f, sh.sh_type == TYPE_V0);
	}
	return ret;
}

int blocks_read(struct blocks_map *m, const struct object_file *f, struct err *e)
{
	bool any = false;
	int ret = read_all(m, f, &any);

	if (!ret && m->v.n)
		qsort(m->v.v, m->v.n, sizeof(*m->v.v), by_start);
	if (!ret && !any) {
		ret = err_set(e, -ENODATA, "%s has no map of its basic blocks (" SECTION ")",
			      elf_path(f->file));
		err_hint(
			e,
			"Build it by clang with -fbasic-block-sections=labels; from clang 20 on that is "
			"-fbasic-block-address-map.");
	} else if (ret == -ENOTSUP) {
		err_set(e, ret, "%s: its map of basic blocks is newer than version 2",
			elf_path(f->file));
		err_hint(e, "Build it with clang 19 or older.");
	} else if (ret == -EINVAL) {
		err_set(e, ret, "%s: its map of basic blocks is damaged", elf_path(f->file));
	} else if (ret) {
		err_set(e, ret, "no memory for basic blocks");
	}
	return ret;
}

void blocks_free(struct blocks_map *m)
{
	vec_free(&m->v);
	vec_free(&m->fns);
}

struct block *blocks_at(const struct blocks_map *m, uint64_t addr)
{
	size_t lo = 0, hi = m->v.n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (m->v.v[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && addr < m->v.v[lo - 1].end ? &m->v.v[lo - 1] : NULL;
}
