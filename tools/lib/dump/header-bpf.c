// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --header lines of BPF programs and BTF. A program is stored as the kernel's struct
 * bpf_prog_info (bpf(2)), its pointers turned into offsets within the bytes that follow.
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
       NAME_SIZE = 16,
};

struct prog {
	const unsigned char *info, *data;
	uint32_t data_size;
	bool swap;
};

static void print_prog_name(struct obuf *o, const struct prog *p)
{
	const char *name = (const char *)p->info + INFO_NAME;

	obuf_lit(o, "bpf_prog_");
	for (int i = 0; i < 8; i++)
		obuf_hex_zero(o, p->info[INFO_TAG + i], 2);
	if (*name) {
		obuf_char(o, '_');
		emit_safe_n(o, name, strnlen(name, NAME_SIZE));
	}
}

/* Whether @nr values of @width bytes lie at the offset that the info has at @field. */
static bool prog_array(const struct prog *p, int field, uint32_t nr, uint32_t width, uint64_t *at)
{
	*at = load_u64(p->info + field, p->swap);
	return *at <= p->data_size && nr <= (p->data_size - *at) / width;
}

static void print_prog(struct obuf *o, const struct prog *p)
{
	uint32_t id = load_u32(p->info + INFO_ID, p->swap);
	uint32_t nr = load_u32(p->info + INFO_NR_KSYMS, p->swap);
	uint32_t nr_lens = load_u32(p->info + INFO_NR_LENS, p->swap);
	uint64_t ksyms, lens;

	if (nr != nr_lens || !prog_array(p, INFO_KSYMS, nr, 8, &ksyms) ||
	    !prog_array(p, INFO_LENS, nr, 4, &lens))
		return;
	if (nr > 1)
		obuf_printf(o, "# bpf_prog_info %u:\n", id);
	for (uint32_t i = 0; i < nr; i++) {
		obuf_printf(o,
			    nr > 1 ? "# \tsub_prog %u: " : "# bpf_prog_info %u: ", nr > 1 ? i : id);
		print_prog_name(o, p);
		obuf_printf(o, " addr 0x%lx size %u\n", load_u64(p->data + ksyms + i * 8, p->swap),
			    load_u32(p->data + lens + i * 4, p->swap));
	}
}

void dump_bpf_prog_info(struct header_line *p)
{
	uint32_t nr = cursor_u32(p->c);

	if (!nr && !p->c->bad)
		obuf_lit(p->o, "# bpf_prog_info empty\n");
	for (uint32_t i = 0; i < nr && !p->c->bad; i++) {
		uint32_t info_size = cursor_u32(p->c), data_size = cursor_u32(p->c);
		struct prog prog = { .data_size = data_size, .swap = perfdata_swapped(p->pd) };

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
