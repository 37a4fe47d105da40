// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What instructions refer to. A jump to an instruction of the same function is local, every other
 * direct branch goes to a symbol, and so does a memory operand whose address does not depend on
 * registers; a slot which the dynamic linker fills is named after what it fills in. The linker's
 * addresses, which the instructions have, are turned into those of the object, for that is how
 * symbols are found. In a module of the kernel relocations say it instead.
 */
#include <stdlib.h>

#include "annotate-int.h"

/* What is known by relocations: it is not what the bytes say. */
static int name_relocated(struct listing_build *b)
{
	size_t n = b->insns.n;
	struct symbol_insn *insn = calloc(n + 1, sizeof(*insn));
	struct symbol_ref *ref = calloc(n + 1, sizeof(*ref));

	if (!insn || !ref) {
		free(insn);
		free(ref);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		insn[i] = (struct symbol_insn){ b->insns.v[i].addr, b->insns.v[i].len };
	if (!symbol_code_refs(b->res, b->l.dso, insn, n, ref))
		n = 0;
	for (size_t i = 0; i < n; i++) {
		struct listing_line *line = &b->insns.v[i];

		if (!ref[i].name || line->bad)
			continue;
		line->ref = line->ref == LISTING_CODE ? LISTING_CODE : LISTING_DATA;
		line->ref_addr = ref[i].addr;
		line->name = ref[i].name;
		line->name_off = ref[i].off;
	}
	free(insn);
	free(ref);
	if (!n)
		return 0;
	return annotate_note(
		b,
		"%s is the module as it was built: what calls and data refer to is told "
		"by its relocations, what the kernel patched since is not in it",
		b->l.path);
}

static int name_ref(struct listing_build *b, struct listing_line *line)
{
	const char *slot = NULL;
	const struct symbol *sym;
	uint64_t addr;

	if (line->ref == LISTING_DATA)
		slot = symbol_slot_name(b->res, b->l.dso, line->ref_addr);
	if (slot) {
		line->name = arena_printf(&b->arena, "%s@got", slot);
		return line->name ? 0 : -ENOMEM;
	}
	/* What else such a compiler had made, and where, when this ran, is not asked. */
	if (b->l.dso->kind == DSO_JIT)
		return 0;
	if (!symbol_object_addr(b->res, b->l.dso, line->ref_addr, &addr))
		return 0;
	sym = symbol_find(b->res, b->l.dso, addr);
	if (sym) {
		line->name = sym->name;
		line->name_off = addr - sym->start;
	}
	return 0;
}

static bool is_jump(const struct listing_line *line)
{
	return line->branch == INSN_JUMP || line->branch == INSN_COND;
}

/* Jumps inside the function; for now to the number of an instruction: lines come later. */
static void find_local(struct listing_build *b)
{
	vec_for_each (line, &b->insns) {
		if (line->ref != LISTING_CODE || !is_jump(line) || (line->name && !line->ref_addr))
			continue;
		line->target = annotate_insn_start(b, line->ref_addr - b->l.shift);
		if (line->target == LISTING_NONE)
			continue;
		line->ref = LISTING_LOCAL;
		line->name = b->l.sym->name;
		line->name_off = line->ref_addr - b->l.shift - b->l.start;
		b->insns.v[line->target].jumps++;
	}
}

int annotate_refs(struct listing_build *b)
{
	if (b->l.dso->kind == DSO_MODULE && name_relocated(b))
		return -ENOMEM;
	find_local(b);
	if (b->l.arch == REGS_ARCH_ARM64)
		annotate_pages(b);
	vec_for_each (line, &b->insns)
		if (!line->name && (line->ref == LISTING_CODE || line->ref == LISTING_DATA) &&
		    name_ref(b, line))
			return -ENOMEM;
	return 0;
}

static const struct annotate_function *named(const struct annotate *a, const char *name, size_t n)
{
	for (size_t i = 0; i < annotate_nr_functions(a); i++) {
		const struct annotate_function *f = annotate_function(a, i);

		if (!strncmp(f->sym->name, name, n) && !f->sym->name[n])
			return f;
	}
	return NULL;
}

/* "malloc@plt" leads to another object's malloc; which, only samples there tell. */
static const struct annotate_function *behind_plt(const struct annotate *a, const char *name)
{
	const char *at = strstr(name, "@plt");

	return at ? named(a, name, (size_t)(at - name)) : NULL;
}

bool listing_callee(const struct annotate *a, const struct listing *l,
		    const struct listing_line *line, struct dso **dso, const struct symbol **sym)
{
	const struct annotate_function *f;
	uint64_t addr;

	/* A module calls the kernel by name. */
	f = line->ref == LISTING_CODE && !line->ref_addr && line->name
		    ? named(a, line->name, strlen(line->name))
		    : NULL;
	if (f) {
		*dso = f->dso;
		*sym = f->sym;
		return true;
	}
	if (line->ref != LISTING_CODE || !line->ref_addr ||
	    !symbol_object_addr(a->res, l->dso, line->ref_addr, &addr))
		return false;
	*dso = l->dso;
	*sym = symbol_find(a->res, l->dso, addr);
	f = *sym ? behind_plt(a, (*sym)->name) : NULL;
	if (f) {
		*dso = f->dso;
		*sym = f->sym;
	}
	return *sym != NULL;
}
