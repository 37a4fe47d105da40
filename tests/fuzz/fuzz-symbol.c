// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer target: any bytes as an ELF file, in memory and as a file, and as the text of
 * kallsyms. Every address must find a symbol that holds it, or none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "symbol/symbol-int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every name is read to its end. */
static volatile size_t sink;

static void ask(const struct symtab *t, uint64_t addr)
{
	uint32_t i = symtab_find(t, addr);

	if (i == SYM_NO_SEG)
		return;
	if (i >= t->sym.n || addr - t->sym.v[i].start >= t->sym.v[i].size)
		abort();
	sink += strlen(symtab_name(t, i));
}

static void ask_all(struct symtab *t)
{
	for (size_t i = 0; i < t->sym.n; i++) {
		ask(t, t->sym.v[i].start);
		ask(t, t->sym.v[i].start - 1);
		ask(t, t->sym.v[i].start + t->sym.v[i].size);
	}
	ask(t, 0);
	ask(t, UINT64_MAX);
	symtab_free(t);
}

static void load(struct elf_file *f)
{
	struct symtab t = { 0 };

	elf_build_id(f);
	elf_debuglink(f);
	if (!symtab_load_elf(f, NULL, false, 0, &t) && !symtab_load_plt(f, &t) &&
	    !symtab_load_minidebug(f, NULL, &t) && !symtab_finish(&t, ENDS_NEXT))
		ask_all(&t);
	symtab_free(&t);
	elf_close(f);
}

static void read_kallsyms(const char *path)
{
	struct kallsyms *k = calloc(1, sizeof(*k));

	if (!k)
		return;
	k->path = strdup(path);
	k->ref = strdup("_text");
	k->recorded = 0xffffffff81000000;
	if (k->path && k->ref && !kallsyms_read(k))
		ask_all(&k->tab);
	kallsyms_free(k);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct elf_file *f;
	char path[64];
	void *copy = malloc(size ? size : 1);

	if (fd < 0 || !copy || write_all(fd, data, size))
		abort();
	memcpy(copy, data, size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!elf_open_memory(&f, copy, size))
		load(f);
	if (!elf_open(&f, path, 0))
		load(f);
	else
		read_kallsyms(path);
	free(copy);
	close(fd);
	return 0;
}
