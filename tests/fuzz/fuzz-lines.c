// SPDX-License-Identifier: GPL-2.0-or-later
/* Parts: the sections of DWARF, in an object of their own. Lines, inlined calls and origins of its code. */
#include <stdlib.h>

#include "image.h"
#include "symbol/symbol.h"

static const char *const names[] = {
	".debug_info",	 ".debug_abbrev",   ".debug_line", ".debug_str",	 ".debug_line_str",
	".debug_ranges", ".debug_rnglists", ".debug_addr", ".debug_str_offsets", ".debug_aranges",
};

static void ask_origins(struct resolver *res, const struct dso *dso)
{
	const struct code_range *ranges;
	const struct origin *out;
	struct origins *o;
	uint64_t end;

	if (symbol_origins_open(&o, res, dso, fuzz_path(0), NULL))
		return;
	for (uint64_t addr = IMAGE_TEXT; addr < IMAGE_TEXT + 128; addr += 7) {
		int n = symbol_origins_at(o, addr, &out, &end);

		for (int i = 0; i < n; i++)
			fuzz_touch(symbol_origins_name(o, out[i].name));
		symbol_origins_function(o, addr, &ranges);
	}
	symbol_origins_close(o);
}

static void ask(struct resolver *res, struct machine *m)
{
	const struct inline_frame *frames;
	struct srcline line;
	struct map_hit hit;

	if (!machine_find_map(m, machine_thread(m, 1, 1), PERF_RECORD_MISC_USER, IMAGE_TEXT, &hit))
		abort();
	for (unsigned off = 0; off < 160; off += 5) {
		uint64_t addr = hit.addr + off;
		int n;

		if (symbol_srcline(res, hit.map->dso, addr, &line)) {
			fuzz_touch(line.file);
			fuzz_touch(line.base);
		}
		n = symbol_inlines(res, hit.map->dso, addr, &frames);
		for (int i = 0; i < n; i++) {
			fuzz_touch(frames[i].sym->name);
			fuzz_touch(frames[i].call.file);
		}
	}
	ask_origins(res, hit.map->dso);
}

static void run(const uint8_t *data, size_t size)
{
	struct image_section sec[ARRAY_SIZE(names)];
	struct fuzz_bytes b = { data, size };
	struct symbol_opts opts = { .no_host_kernel = true };
	struct machine *m;
	struct resolver *res;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		sec[i] = (struct image_section){ .name = names[i] };
		sec[i].p = fuzz_part(&b, &sec[i].n);
	}
	image_write(0, sec, ARRAY_SIZE(sec));
	if (machine_new(&m, "x86_64", NULL) || resolver_new(&res, m, &opts, NULL))
		abort();
	image_map(m, 0);
	ask(res, m);
	resolver_free(res);
	machine_free(m);
}

const struct fuzz_target fuzz_lines = {
	.name = "lines",
	.reads = "DWARF: lines, inlined calls, origins of code",
	.max_len = 4096,
	.run = run,
	.mutate = mutate_parts,
};
