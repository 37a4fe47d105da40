// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's symbols: kallsyms of this machine when it runs the recorded kernel, a kallsyms
 * file that was kept, or a vmlinux. All hold absolute addresses; a kernel that was moved (KASLR)
 * since is moved back by the distance of the symbol that the recording names.
 */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "symbol/internal.h"

#define KALLSYMS_MAX (256u << 20)

static const struct dso *kernel_dso(const struct resolver *res)
{
	for (size_t i = 0; i < machine_nr_dsos(res->m); i++) {
		const struct dso *d = machine_dso(res->m, i);

		if (d->kind == DSO_KERNEL && !d->guest)
			return d;
	}
	return NULL;
}

static bool host_build_id(struct build_id *id)
{
	size_t n;
	char *notes = file_read_all("/sys/kernel/notes", 1 << 20, &n, NULL);
	bool ok = notes && build_id_from_notes(notes, n, false, id);

	free(notes);
	return ok;
}

/* What the recording says of its kernel and this machine says of its own. */
enum same { SAME_NO, SAME_YES, SAME_UNKNOWN };

static enum same same_kernel(struct resolver *res)
{
	const struct dso *dso = kernel_dso(res);
	const char *release = machine_os_release(res->m);
	struct build_id id;
	struct utsname u;

	if (dso && dso->build_id_size && host_build_id(&id))
		return build_id_equal(dso->build_id, dso->build_id_size, id.id, id.size);
	if (*release && !uname(&u))
		return !strcmp(release, u.release);
	return SAME_UNKNOWN;
}

bool kernel_is_host(struct resolver *res, const struct dso *dso)
{
	return !res->opts.no_host_kernel && !res->symfs && !(dso && dso->guest) &&
	       same_kernel(res) == SAME_YES;
}

/* ---- kallsyms ---------------------------------------------------------------------------------- */

struct kallsyms {
	struct symtab *tab;
	const char *ref;   /* name looked for */
	uint64_t ref_addr; /* its address here; 0 = not there */
	bool any;	   /* an address that is not 0 */
};

static bool is_wanted(char type, const char *name)
{
	/* Text, weak, data, bss; the rest are constants and absolute numbers. */
	if (!strchr("TWDB", toupper((unsigned char)type)))
		return false;
	return name[0] != '$' && strncmp(name, ".L", 2) && strncmp(name, "L0", 2);
}

/* Digits up to anything else; strtoull() is slow for a hundred thousand lines. */
static uint64_t parse_hex(const char *s, char **end)
{
	uint64_t v = 0;

	for (;; s++) {
		unsigned digit = (unsigned char)*s - '0';

		if (digit > 9) {
			digit = ((unsigned char)*s | 0x20) - 'a' + 10;
			if (digit < 10 || digit > 15)
				break;
		}
		v = v << 4 | digit;
	}
	*end = (char *)s;
	return v;
}

/* "ffffffff81000000 T name\t[module]" */
static int kallsyms_line(struct kallsyms *k, char *line)
{
	char *p, *name, *tab, type;
	uint64_t addr = parse_hex(line, &p);
	int binding;
	uint32_t at;

	if (p == line || p[0] != ' ' || !p[1] || p[2] != ' ')
		return 0;
	type = p[1];
	name = p + 3;
	tab = strchr(name, '\t');
	if (tab)
		*tab++ = 0;
	if (k->ref && !tab && !strcmp(name, k->ref))
		k->ref_addr = addr;
	if (addr)
		k->any = true;
	if (!*name || !is_wanted(type, name))
		return 0;
	binding = type == 'W' || type == 'w'	 ? SYM_WEAK
		  : isupper((unsigned char)type) ? SYM_GLOBAL
						 : SYM_LOCAL;
	at = symtab_blob(k->tab, name, strlen(name));
	/* The module's name right behind, see module_of(). */
	if (at == UINT32_MAX ||
	    symtab_blob(k->tab, tab ? tab : "", tab ? strlen(tab) : 0) == UINT32_MAX)
		return -ENOMEM;
	return symtab_add_at(k->tab, addr, 0, binding, at);
}

static int kallsyms_parse(struct kallsyms *k, char *text)
{
	char *line = text, *end;

	for (; *line; line = end) {
		end = strchr(line, '\n');
		if (end)
			*end++ = 0;
		else
			end = line + strlen(line);
		if (kallsyms_line(k, line))
			return -ENOMEM;
	}
	return 0;
}

/* Symbols of modules stay: only the kernel itself moves as one. */
static void kallsyms_move(struct symtab *t, uint64_t delta)
{
	for (size_t i = 0; delta && i < t->sym.n; i++) {
		const char *name = symtab_name(t, (uint32_t)i);

		if (!name[strlen(name) + 1])
			t->sym.v[i].start += delta;
	}
}

static bool kallsyms_load(struct resolver *res, const char *path, bool must_match)
{
	struct kernel_tab *kt = &res->kernel;
	struct kallsyms k = { .tab = &kt->tab };
	uint64_t recorded;
	size_t size;
	char *text = file_read_all(path, KALLSYMS_MAX, &size, NULL);

	if (!text)
		return false;
	/* Lines are some 45 bytes. */
	if (vec_reserve(&kt->tab.sym, size / 45) || vec_reserve(&kt->tab.blob, size / 2))
		goto bad;
	k.ref = machine_kernel_ref(res->m, false, &recorded);
	if (kallsyms_parse(&k, text) || !k.any)
		goto bad;
	if (recorded && k.ref_addr)
		kt->delta = recorded - k.ref_addr;
	if (must_match && (!recorded || kt->delta))
		goto bad;
	kallsyms_move(&kt->tab, kt->delta);
	if (symtab_finish(&kt->tab, ENDS_KALLSYMS))
		goto bad;
	free(text);
	kt->file = strdup(path);
	return true;
bad:
	if (!k.any && !strcmp(path, "/proc/kallsyms"))
		resolver_warn(res, "kernel symbols are hidden: /proc/sys/kernel/kptr_restrict lets "
				   "only root (or nobody) see them");
	symtab_free(&kt->tab);
	kt->delta = 0;
	free(text);
	return false;
}

/* ---- vmlinux ------------------------------------------------------------------------------------ */

static bool vmlinux_load(struct resolver *res, const char *path, bool asked)
{
	struct kernel_tab *kt = &res->kernel;
	const struct dso *dso = kernel_dso(res);
	const struct build_id *id;
	uint64_t recorded, here;
	struct elf_file *f;
	const char *ref;
	int ret;

	ret = elf_open(&f, path);
	if (ret) {
		if (asked)
			resolver_warn(res, "%s: %s", path,
				      ret == -ENOEXEC ? "this is no ELF file" : strerror(-ret));
		return false;
	}
	id = elf_build_id(f);
	if (!elf_has_symtab(f) ||
	    (dso && dso->build_id_size &&
	     !build_id_equal(dso->build_id, dso->build_id_size, id->id, id->size))) {
		if (asked)
			resolver_warn(res, "%s is not the recorded kernel or has no symbols", path);
		elf_close(f);
		return false;
	}
	ref = machine_kernel_ref(res->m, false, &recorded);
	if (ref && recorded && elf_symbol_value(f, ref, &here))
		kt->delta = recorded - here;
	ret = elf_load_symbols(f, NULL, true, kt->delta, &kt->tab);
	elf_close(f);
	if (ret || !kt->tab.sym.n || symtab_finish(&kt->tab, ENDS_NEXT)) {
		symtab_free(&kt->tab);
		return false;
	}
	kt->vmlinux = true;
	kt->file = strdup(path);
	return true;
}

/* Where distributions put it; without a build id only the release tells that it is the one. */
static bool vmlinux_search(struct resolver *res)
{
	static const char *const places[] = { "/boot/vmlinux-%s", "/usr/lib/debug/boot/vmlinux-%s",
					      "/lib/modules/%s/build/vmlinux",
					      "/usr/lib/debug/lib/modules/%s/vmlinux" };
	const char *release = machine_os_release(res->m);
	const struct dso *dso = kernel_dso(res);
	char path[PATH_MAX], sub[PATH_MAX / 2];

	if (res->opts.ignore_vmlinux)
		return false;
	/* The one that the recorder knew. */
	if (dso && dso->name[0] == '/' && dso->build_id_size) {
		snprintf(path, sizeof(path), "%s%s", res->symfs ? res->symfs : "", dso->name);
		if (vmlinux_load(res, path, false))
			return true;
	}
	if (!*release || strchr(release, '/'))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(sub, sizeof(sub), places[i], release);
#pragma GCC diagnostic pop
		snprintf(path, sizeof(path), "%s%s", res->symfs ? res->symfs : "", sub);
		if (vmlinux_load(res, path, false))
			return true;
	}
	return false;
}

static bool cached_kallsyms(struct resolver *res)
{
	const struct dso *dso = kernel_dso(res);
	struct build_id id = { 0 };
	char path[PATH_MAX];

	if (!dso || !dso->build_id_size)
		return false;
	id.size = (uint8_t)min_u64(dso->build_id_size, BUILD_ID_MAX);
	memcpy(id.id, dso->build_id, id.size);
	return files_cache_path(&id, "kallsyms", path, sizeof(path)) &&
	       kallsyms_load(res, path, false);
}

struct kernel_tab *kernel_load(struct resolver *res)
{
	struct kernel_tab *kt = &res->kernel;
	enum same same;

	if (kt->tried)
		return kt;
	kt->tried = true;
	if (res->vmlinux && !res->opts.ignore_vmlinux && vmlinux_load(res, res->vmlinux, true))
		return kt;
	if (res->kallsyms) {
		if (!kallsyms_load(res, res->kallsyms, false))
			resolver_warn(res, "%s holds no kernel symbols", res->kallsyms);
		return kt;
	}
	if (res->symfs) {
		vmlinux_search(res);
		return kt;
	}
	same = res->opts.no_host_kernel ? SAME_NO : same_kernel(res);
	if (same != SAME_NO && kallsyms_load(res, "/proc/kallsyms", same == SAME_UNKNOWN))
		return kt;
	if (cached_kallsyms(res) || vmlinux_search(res))
		return kt;
	if (same == SAME_NO && !res->opts.no_host_kernel)
		resolver_warn(res,
			      "kernel symbols are missing: the recorded kernel (%s) is not the "
			      "one that runs here; name its vmlinux with -k",
			      *machine_os_release(res->m) ? machine_os_release(res->m) : "unknown");
	return kt;
}
