// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as /proc/kallsyms. Every address must find a symbol that holds it, or none. */
#include <stdlib.h>

#include "fuzz.h"
#include "symbol/symbol-int.h"

static void ask(const struct symtab *t, uint64_t addr)
{
	uint32_t i = symtab_find(t, addr);

	if (i == SYM_NO_SEG)
		return;
	if (i >= t->sym.n || addr - t->sym.v[i].start >= t->sym.v[i].size)
		abort();
	fuzz_touch(symtab_name(t, i));
}

static void run(const uint8_t *data, size_t size)
{
	struct kallsyms *k = calloc(1, sizeof(*k));

	if (!k)
		abort();
	fuzz_file(0, data, size);
	k->path = strdup(fuzz_path(0));
	k->ref = strdup("_text");
	k->recorded = 0xffffffff81000000;
	if (k->path && k->ref && !kallsyms_read(k))
		for (size_t i = 0; i < k->tab.sym.n; i++) {
			ask(&k->tab, k->tab.sym.v[i].start);
			ask(&k->tab, k->tab.sym.v[i].start - 1);
			ask(&k->tab, k->tab.sym.v[i].start + k->tab.sym.v[i].size);
		}
	kallsyms_free(k);
}

const struct fuzz_target fuzz_kallsyms = {
	.name = "kallsyms",
	.reads = "/proc/kallsyms and copies of it",
	.max_len = 2048,
	.run = run,
	.mutate = mutate_text,
};
