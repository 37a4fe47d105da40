// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --header lines of BPF programs and BTF. A program is stored as the kernel's struct
 * bpf_prog_info (bpf(2)), its pointers turned into offsets within the bytes that follow. Functions are named as the
 * kernel's symbols are: each by its own tag and by its name in the program's BTF (Documentation/bpf/btf.rst), which
 * is a feature of its own.
 */
#include "emit/emit.h"
#include "dump/dump.h"
#include "header-int.h"

enum { /* offsets within struct bpf_prog_info */
       INFO_ID = 4,
       INFO_TAG = 8,
       INFO_NAME = 64,
       INFO_NR_KSYMS = 104,
       INFO_NR_LENS = 108,
       INFO_KSYMS = 112,
       INFO_LENS = 120,
       INFO_MIN = 128,
       INFO_BTF_ID = 128,
       INFO_FUNC_SIZE = 132, /* of a record of func_info */
       INFO_FUNCS = 136,
       INFO_NR_FUNCS = 144,
       INFO_NR_TAGS = 180,
       INFO_TAGS = 184,
       INFO_WITH_TAGS = 192,
       NAME_SIZE = 16,
       TAG_SIZE = 8,
       NAME_MAX_SIZE = 512, /* of a kernel's symbol */
};

struct prog {
	struct perfdata *pd;
	const unsigned char *info, *data;
	uint32_t info_size, data_size;
	bool swap;
	/* How many more entries of BTF may be passed, of all programs: types are of unlike sizes, so that each
	 * name's search begins at the first. */
	uint32_t *looks;
};

static bool may_look(const struct prog *p)
{
	return *p->looks && (*p->looks)--;
}

/* ---- names of functions --------------------------------------------------------------------- */

/* The bytes of the BTF called @id, a cursor without any when there is none. */
static struct cursor find_btf(const struct prog *p, uint32_t id)
{
	size_t size = 0;
	const unsigned char *raw = perfdata_feature_raw(p->pd, FEAT_BPF_BTF, &size);
	struct cursor c = cursor_init(raw, size, p->swap);

	for (uint32_t i = 0, nr = raw ? cursor_u32(&c) : 0; i < nr && may_look(p) && !c.bad; i++) {
		uint32_t this = cursor_u32(&c), n = cursor_u32(&c);
		const unsigned char *bytes = cursor_bytes(&c, n);

		if (this == id && bytes)
			return cursor_init(bytes, n, p->swap);
	}
	return (struct cursor){ .bad = true };
}

/* What lies behind a type's three words, by its kind and the number of its members. */
static uint32_t more_of_type(uint32_t info)
{
	enum { NONE, WORD, ARRAY, TWO_EACH, THREE_EACH };
	static const unsigned char kinds[32] = {
		[1] = WORD,	[3] = ARRAY,	   [4] = THREE_EACH, [5] = THREE_EACH,
		[6] = TWO_EACH, [13] = TWO_EACH,   [14] = WORD,	     [15] = THREE_EACH,
		[17] = WORD,	[19] = THREE_EACH,
	};
	uint32_t members = info & 0xffff;

	switch (kinds[info >> 24 & 0x1f]) {
	case WORD: return 4;
	case ARRAY: return 12;
	case TWO_EACH: return 8 * members;
	case THREE_EACH: return 12 * members;
	default: return 0;
	}
}

/* The name of type @id of the program's BTF, which ends with *@max bytes at the latest; NULL when there is none. */
static const char *btf_name(const struct prog *p, struct cursor btf, uint32_t id, size_t *max)
{
	uint32_t head, types, size, strings, strings_size, name = 0;

	cursor_skip(&btf, 4); /* magic, version, flags */
	head = cursor_u32(&btf);
	types = cursor_u32(&btf);
	size = cursor_u32(&btf);
	strings = cursor_u32(&btf);
	strings_size = cursor_u32(&btf);
	if (btf.bad || (uint64_t)head + types + size > (uint64_t)(btf.end - btf.start) ||
	    (uint64_t)head + strings + strings_size > (uint64_t)(btf.end - btf.start))
		return NULL;
	btf.p = btf.start + head + types;
	btf.end = btf.p + size;
	for (uint32_t i = 1; i <= id && !btf.bad; i++) {
		uint32_t info;

		if (!may_look(p))
			return NULL;
		name = cursor_u32(&btf);
		info = cursor_u32(&btf);
		cursor_skip(&btf, 4 + more_of_type(info));
	}
	if (btf.bad || !id || name >= strings_size)
		return NULL;
	*max = strings_size - name;
	if (*max > NAME_MAX_SIZE)
		*max = NAME_MAX_SIZE;
	return (const char *)btf.start + head + strings + name;
}

/* Whether @nr values of @width bytes lie at the offset that the info has at @field. */
static bool prog_array(const struct prog *p, int field, uint32_t nr, uint32_t width, uint64_t *at)
{
	*at = load_u64(p->info + field, p->swap);
	return *at <= p->data_size && nr <= (p->data_size - *at) / width;
}

/* The name of the @i-th function of @nr in BTF; NULL when there is none. */
static const char *func_name(const struct prog *p, uint32_t i, size_t *max)
{
	uint32_t size, nr;
	uint64_t funcs;

	if (p->info_size < INFO_WITH_TAGS || !load_u32(p->info + INFO_BTF_ID, p->swap))
		return NULL;
	size = load_u32(p->info + INFO_FUNC_SIZE, p->swap);
	nr = load_u32(p->info + INFO_NR_FUNCS, p->swap);
	if (size < 8 || i >= nr || !prog_array(p, INFO_FUNCS, nr, size, &funcs))
		return NULL;
	return btf_name(p, find_btf(p, load_u32(p->info + INFO_BTF_ID, p->swap)),
			load_u32(p->data + funcs + (uint64_t)i * size + 4, p->swap), max);
}

/* @tag: the function's; the program's is that of its first. */
static void print_func_name(struct obuf *o, const struct prog *p, uint32_t i, uint32_t nr,
			    const unsigned char *tag)
{
	size_t max = NAME_SIZE;
	const char *name = func_name(p, i, &max);

	if (!name && nr > 1)
		name = "F", max = 1;
	else if (!name)
		name = (const char *)p->info + INFO_NAME;
	obuf_lit(o, "bpf_prog_");
	for (int k = 0; k < TAG_SIZE; k++)
		obuf_hex_zero(o, tag[k], 2);
	if (*name) {
		obuf_char(o, '_');
		emit_safe_n(o, name, strnlen(name, max));
	}
}

/* ---- programs ------------------------------------------------------------------------------- */

/* Where the functions' tags lie. A recorder that stored none names only programs of one function. */
static const unsigned char *prog_tags(const struct prog *p, uint32_t nr)
{
	uint64_t tags;

	if (p->info_size >= INFO_WITH_TAGS && load_u32(p->info + INFO_NR_TAGS, p->swap) == nr &&
	    prog_array(p, INFO_TAGS, nr, TAG_SIZE, &tags))
		return p->data + tags;
	return nr == 1 ? p->info + INFO_TAG : NULL;
}

static void print_prog(struct obuf *o, const struct prog *p)
{
	uint32_t id = load_u32(p->info + INFO_ID, p->swap);
	uint32_t nr = load_u32(p->info + INFO_NR_KSYMS, p->swap);
	uint32_t nr_lens = load_u32(p->info + INFO_NR_LENS, p->swap);
	const unsigned char *tags = prog_tags(p, nr);
	uint64_t ksyms, lens;

	if (!tags || nr != nr_lens || !prog_array(p, INFO_KSYMS, nr, 8, &ksyms) ||
	    !prog_array(p, INFO_LENS, nr, 4, &lens))
		return;
	if (nr > 1)
		obuf_printf(o, "# bpf_prog_info %u:\n", id);
	for (uint32_t i = 0; i < nr; i++) {
		obuf_printf(o,
			    nr > 1 ? "# \tsub_prog %u: " : "# bpf_prog_info %u: ", nr > 1 ? i : id);
		print_func_name(o, p, i, nr, tags + (size_t)i * TAG_SIZE);
		obuf_printf(o, " addr 0x%lx size %u\n", load_u64(p->data + ksyms + i * 8, p->swap),
			    load_u32(p->data + lens + i * 4, p->swap));
	}
}

void dump_bpf_prog_info(struct header_line *p)
{
	uint32_t nr = cursor_u32(p->c), looks = 1 << 24;

	if (!nr && !p->c->bad)
		obuf_lit(p->o, "# bpf_prog_info empty\n");
	for (uint32_t i = 0; i < nr && !p->c->bad; i++) {
		uint32_t info_size = cursor_u32(p->c), data_size = cursor_u32(p->c);
		struct prog prog = { .pd = p->pd,
				     .looks = &looks,
				     .info_size = info_size,
				     .data_size = data_size,
				     .swap = perfdata_swapped(p->pd) };

		cursor_u64(p->c); /* which arrays were asked for */
		prog.info = cursor_bytes(p->c, info_size);
		prog.data = cursor_bytes(p->c, data_size);
		if (prog.data && info_size >= INFO_MIN)
			print_prog(p->o, &prog);
	}
}

void dump_bpf_btf(struct header_line *p)
{
	uint32_t nr = cursor_u32(p->c);

	if (!nr && !p->c->bad)
		obuf_lit(p->o, "# btf info empty\n");
	for (uint32_t i = 0; i < nr && !p->c->bad; i++) {
		uint32_t id = cursor_u32(p->c);

		cursor_skip(p->c, cursor_u32(p->c));
		if (!p->c->bad)
			obuf_printf(p->o, "# btf info of id %u\n", id);
	}
}
