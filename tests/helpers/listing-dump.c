// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * listing-dump [options] FILE: every function that FILE has a symbol of, as listings have it: a line
 * "FUNCTION start end name", then for each instruction "address bytes target text"; the target of a
 * direct branch or "-". -f the text as perf annotate prints it, -i Intel's syntax, -d data behind a #,
 * -l source lines too, -t prints nothing but how many functions and instructions there were, -b ADDR
 * a branch was recorded there.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "annotate/annotate.h"
#include "elf/elf.h"
#include "faces/faces.h"

#define BASE 0x10000000ULL

static struct machine *mach;
static struct resolver *res;
static struct annotate *counts;
static struct listing_opts opts = { .no_source = true };
static bool quiet, data, printed;
static struct obuf out;
static uint64_t nr_functions, nr_insns, nr_lines;
static const struct symbol *last;

static void die(const struct err *e)
{
	fprintf(stderr, "%s\n%s\n", e->text, e->hint);
	exit(1);
}

/* Process 1 has all of the file at an address. */
static struct dso *map_all(const char *path)
{
	struct {
		uint32_t type;
		uint16_t misc, size;
		uint32_t pid, tid;
		uint64_t start, len, pgoff;
		char path[4096];
	} mmap = {
		PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, sizeof(mmap), 1, 1, BASE, 1 << 30, 0, ""
	};
	struct perfdata_event ev = { .name = "" };
	struct record rec = { .data = (unsigned char *)&mmap,
			      .size = sizeof(mmap),
			      .type = mmap.type,
			      .misc = mmap.misc,
			      .time = RECORD_NO_TIME,
			      .event = &ev };
	struct err e = { 0 };
	struct map_hit hit;

	snprintf(mmap.path, sizeof(mmap.path), "%s", path);
	if (machine_record(mach, &rec, &e))
		die(&e);
	if (!machine_find_map(mach, machine_thread(mach, 1, 1), PERF_RECORD_MISC_USER, BASE, &hit))
		exit(1);
	return hit.map->dso;
}

/* @offset in the file, of an instruction that jumps to itself. */
static void add_branch(uint64_t offset)
{
	static struct perfdata_event ev = { .name = "" };
	uint64_t at = BASE + offset, words[] = { at, at, 0 };
	struct err e = { 0 };
	struct sample s = { .present = annotate_need(counts),
			    .event = &ev,
			    .cpumode = PERF_RECORD_MISC_USER,
			    .ip = at,
			    .period = 1,
			    .branches = { .entries = (unsigned char *)words, .nr = 1 } };
	const struct session_sample in = { .s = &s, .thread = machine_thread(mach, 1, 1) };

	ev.attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	if (annotate_add(counts, &in, &e))
		die(&e);
}

static void print_insn(const struct listing *l, const struct listing_line *line)
{
	printf("%" PRIx64 " ", listing_addr(l, line));
	for (unsigned i = 0; i < line->len; i++)
		printf("%02x", line->bytes[i]);
	if (line->ref == LISTING_LOCAL || line->ref == LISTING_CODE)
		printf(" %" PRIx64, line->ref_addr);
	else
		printf(" -");
	if (printed) {
		out.len = 0;
		faces_insn_text(l, line, true, FACES_INSN_WIDTH, &out);
		printf(" %.*s", (int)out.len, out.buf);
	} else {
		printf(" %s", line->text);
	}
	if (data && line->ref == LISTING_DATA)
		printf(" # %" PRIx64 " %s+%" PRIx64, line->ref_addr, line->name ? line->name : "?",
		       line->name_off);
	printf("\n");
}

static void one_function(struct dso *dso, const struct symbol *sym)
{
	struct listing *l;
	struct err e = { 0 };

	if (listing_open(&l, counts, dso, sym, &opts, &e))
		die(&e);
	nr_functions++;
	nr_insns += l->nr_insns;
	nr_lines += l->nr_lines;
	if (!quiet) {
		printf("FUNCTION %" PRIx64 " %" PRIx64 " %s\n", l->start + l->shift,
		       l->end + l->shift, sym->name);
		for (uint32_t i = 0; i < l->nr_insns; i++)
			print_insn(l, &l->line[l->insn_line[i]]);
	}
	listing_close(l);
}

static void functions_of(struct elf_file *f, struct dso *dso, GElf_Word type)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_scn_of_type(f, type, &shdr);
	Elf_Data *data = scn ? elf_data(f, scn) : NULL;
	const struct symbol *sym;
	const unsigned char *words;
	uint64_t addr, at = 0;
	size_t n = 0;
	GElf_Sym s;

	words = elf_e_machine(f) == EM_PPC64 ? elf_section(f, ".opd", &n, &at, NULL) : NULL;

	for (int i = 0; data && gelf_getsym(data, i, &s); i++) {
		if (GELF_ST_TYPE(s.st_info) != STT_FUNC || !s.st_size || !s.st_shndx ||
		    s.st_shndx >= SHN_LORESERVE)
			continue;
		if (elf_e_machine(f) == EM_ARM)
			s.st_value &= ~1ULL;
		if (words && n >= 8 && s.st_value - at <= n - 8)
			s.st_value = load_u64(words + (s.st_value - at), f->swap);
		if (!symbol_object_addr(res, dso, s.st_value, &addr))
			continue;
		sym = symbol_find(res, dso, addr);
		if (sym && sym->start == addr && sym != last)
			one_function(dso, sym);
		last = sym;
	}
}

int main(int argc, char **argv)
{
	struct err e = { 0 };
	uint64_t branch = 0;
	char *path = NULL;
	struct elf_file *f;
	struct dso *dso;
	int opt;

	while ((opt = getopt(argc, argv, "b:dfilt")) != -1)
		switch (opt) {
		case 'b': branch = strtoull(optarg, NULL, 0); break;
		case 'd': data = true; break;
		case 'f': printed = true; break;
		case 'i': opts.syntax = INSN_INTEL; break;
		case 'l': opts.no_source = false; break;
		case 't': quiet = true; break;
		default: return 129;
		}
	path = optind < argc ? realpath(argv[optind], NULL) : NULL;
	if (!path || elf_open(&f, path, 0)) {
		free(path);
		return 129;
	}
	if (obuf_init(&out, -1, 0))
		return 1;
	if (machine_new(&mach, "", &e) || resolver_new(&res, mach, NULL, &e) ||
	    annotate_new(&counts, mach, res, &e))
		die(&e);
	dso = map_all(path);
	if (branch)
		add_branch(branch);
	if (annotate_finish(counts, &e))
		die(&e);
	functions_of(f, dso, elf_has_symtab(f) ? SHT_SYMTAB : SHT_DYNSYM);
	if (quiet)
		printf("%" PRIu64 " functions, %" PRIu64 " instructions, %" PRIu64 " lines\n",
		       nr_functions, nr_insns, nr_lines);
	obuf_free(&out);
	annotate_free(counts);
	resolver_free(res);
	machine_free(mach);
	elf_close(f);
	free(path);
	return 0;
}
