// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernel modules from their files, x.ko, packed or not: for recordings of kernels whose kallsyms
 * are not at hand, and for code. A module is an object file. The kernel lays its sections of code one
 * behind the other, in the file's order and as each wants to be aligned, from where the map starts on;
 * those that only run at the beginning lie elsewhere and are gone. So an address is one in a section
 * and the section's bytes are in the file, but for what relocations put there: see module-refs.c.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "buildid/buildid.h"
#include "symbol/symbol-int.h"

#define PACKED_MAX (64u << 20)

static const struct {
	const char magic[7];
	uint8_t n;
	int (*unpack)(const void *in, size_t n, struct unpacked *out);
} packings[] = {
	{ "\x1f\x8b", 2, unpack_gzip },
	{ "\xfd"
	  "7zXZ",
	  6, unpack_xz },
	{ "\x28\xb5\x2f\xfd", 4, unpack_zstd },
};

/* All of a packed file, to be freed; NULL when it cannot be read. */
static void *read_packed(const char *path, size_t *size)
{
	uint64_t n = 0;
	int fd = file_open_regular(path, &n);
	void *buf = fd >= 0 && n && n <= PACKED_MAX ? malloc(n) : NULL;

	if (buf && file_read_at(fd, buf, n, 0) != (ssize_t)n) {
		free(buf);
		buf = NULL;
	}
	if (fd >= 0)
		close(fd);
	*size = n;
	return buf;
}

/* Told by its first bytes: in the cache of build ids no file has a suffix. -1 = it is not packed. */
static int packing_of(const char *path)
{
	char head[6] = "";
	uint64_t size;
	int fd = file_open_regular(path, &size);
	ssize_t n = fd >= 0 ? file_read_at(fd, head, sizeof(head), 0) : 0;

	if (fd >= 0)
		close(fd);
	for (size_t i = 0; i < ARRAY_SIZE(packings); i++)
		if (n >= packings[i].n && !memcmp(head, packings[i].magic, packings[i].n))
			return (int)i;
	return -1;
}

/* @image: the unpacked file, to be freed after it; empty for one that is not packed. */
static struct elf_file *open_any(const char *path, unsigned flags, struct unpacked *image)
{
	int packing = packing_of(path), ret;
	struct elf_file *f = NULL;
	void *packed;
	size_t n;

	if (packing < 0)
		return elf_open(&f, path, flags) ? NULL : f;
	packed = read_packed(path, &n);
	if (!packed)
		return NULL;
	ret = packings[packing].unpack(packed, n, image);
	free(packed);
	return ret || elf_open_memory(&f, image->v, image->n) ? NULL : f;
}

bool symbol_file_build_id(const char *path, struct build_id *id)
{
	struct unpacked image = { 0 };
	struct elf_file *f = open_any(path, 0, &image);

	*id = f ? *elf_build_id(f) : (struct build_id){ .size = 0 };
	elf_close(f);
	free(image.v);
	return id->size;
}

void module_free(struct module *mod)
{
	if (!mod)
		return;
	elf_close(mod->file);
	free(mod->image.v);
	free(mod->path);
	vec_free(&mod->sec);
	free(mod);
}

/* ---- sections ---------------------------------------------------------------------------------- */

static bool is_early(const char *name)
{
	return !name || !strncmp(name, ".init", 5);
}

static int lay_sections(struct module *mod, uint64_t addr)
{
	struct elf_file *f = mod->file;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(f->elf, scn)) != NULL) {
		struct module_section s;
		uint64_t align;

		if (!gelf_getshdr(scn, &shdr) ||
		    (shdr.sh_flags & (SHF_ALLOC | SHF_EXECINSTR)) != (SHF_ALLOC | SHF_EXECINSTR) ||
		    !elf_has_bytes(f, &shdr) ||
		    is_early(elf_strptr(f->elf, f->shstrndx, shdr.sh_name)))
			continue;
		align = shdr.sh_addralign && !(shdr.sh_addralign & (shdr.sh_addralign - 1))
				? shdr.sh_addralign
				: 1;
		addr = (addr + align - 1) & -align;
		s = (struct module_section){ .idx = elf_ndxscn(scn),
					     .addr = addr,
					     .size = shdr.sh_size,
					     .offset = shdr.sh_offset };
		if (vec_push(&mod->sec, s))
			return -ENOMEM;
		addr += shdr.sh_size;
	}
	return 0;
}

const struct module_section *module_section(const struct module *mod, size_t idx)
{
	vec_for_each (s, &mod->sec)
		if (s->idx == idx)
			return s;
	return NULL;
}

/* ---- which file -------------------------------------------------------------------------------- */

/* The file at @path if it is that module. */
static struct module *try_file(struct resolver *res, const struct dso *dso, const char *path,
			       bool *other)
{
	struct module *mod = calloc(1, sizeof(*mod));
	const struct build_id *id;

	if (!mod)
		return NULL;
	mod->file = open_any(path, symbol_elf_flags(res), &mod->image);
	mod->path = strdup(path);
	if (!mod->file || !mod->path || !elf_is_relocatable(mod->file))
		goto fail;
	if (dso->build_id_size) {
		id = elf_build_id(mod->file);
		*other = !build_id_equal(dso->build_id, dso->build_id_size, id->id, id->size);
		if (*other)
			goto fail;
	}
	return mod;
fail:
	module_free(mod);
	return NULL;
}

static bool id_of(const struct dso *dso, struct build_id *id)
{
	id->size = (uint8_t)min_u64(dso->build_id_size, BUILD_ID_MAX);
	if (id->size)
		memcpy(id->id, dso->build_id, id->size);
	return id->size;
}

/* "kernel/fs/ext4/ext4.ko.xz: kernel/fs/jbd2/jbd2.ko.xz": whether the first is called @name. */
static bool is_file_of(const char *line, size_t n, const char *name)
{
	const char *base = line, *dot;

	for (const char *p = line; p < line + n; p++)
		if (*p == '/')
			base = p + 1;
	dot = memchr(base, '.', n - (size_t)(base - line));
	if (!dot || (size_t)(dot - base) != strlen(name))
		return false;
	for (size_t i = 0; name[i]; i++) /* what a file calls a-b, the kernel calls a_b */
		if ((base[i] == '-' ? '_' : base[i]) != (name[i] == '-' ? '_' : name[i]))
			return false;
	return true;
}

/* Where "[ext4]" lies, by the list that depmod makes: a recorder that cannot read it has no path. */
static bool listed_path(struct resolver *res, const struct dso *dso, char *path, size_t size)
{
	char dir[PATH_MAX / 2], list[PATH_MAX], name[64], sub[PATH_MAX];
	const char *release = machine_os_release(res->m), *end;
	size_t n = strlen(dso->path);
	bool found = false;
	char *text;

	if (dso->path[0] != '[' || n < 3 || n - 2 >= sizeof(name) || !*release ||
	    strchr(release, '/') ||
	    snprintf(dir, sizeof(dir), "/lib/modules/%s", release) >= (int)sizeof(dir))
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)n - 2, dso->path + 1);
	snprintf(sub, sizeof(sub), "%s/modules.dep", dir);
	text = !res->opts.symfs_flat && files_symfs_path(res, sub, list, sizeof(list))
		       ? file_read_all(list, 16 << 20, NULL, NULL)
		       : NULL;
	for (const char *p = text; p && *p && !found; p = *end ? end + 1 : end) {
		size_t len = strcspn(p, ":\n");

		end = p + strcspn(p, "\n");
		found = is_file_of(p, len, name) &&
			snprintf(sub, sizeof(sub), "%s/%.*s", *p == '/' ? "" : dir, (int)len, p) <
				(int)sizeof(sub) &&
			files_symfs_path(res, sub, path, size);
	}
	free(text);
	return found;
}

static struct module *find_file(struct resolver *res, const struct dso *dso)
{
	struct module *mod = NULL;
	struct build_id id;
	char path[PATH_MAX], *served;
	bool other = false, there;

	if (id_of(dso, &id) && buildid_cache_path(&id, "elf", path, sizeof(path)))
		mod = try_file(res, dso, path, &other);
	if (mod)
		return mod;
	there = files_symfs_path(res, dso->path, path, sizeof(path)) ||
		listed_path(res, dso, path, sizeof(path));
	if (there)
		mod = try_file(res, dso, path, &other);
	if (!mod && id.size) {
		served = files_server_code(res, &id, dso->name);
		mod = served ? try_file(res, dso, served, &(bool){ false }) : NULL;
		free(served);
	}
	if (!mod && other)
		resolver_warn(res,
			      "%s has changed since the recording (another build id): its "
			      "symbols are not used",
			      path);
	return mod;
}

const struct map *module_map(const struct resolver *res, const struct dso *dso)
{
	const struct map *map;

	for (size_t i = 0; (map = machine_kernel_map_at(res->m, i)); i++)
		if (map->dso == dso)
			return map;
	return NULL;
}

/* "ext4 802816 2 - Live 0xffffffffc0400000", of that name in brackets. */
static bool lies_at(const char *line, const char *name, uint64_t start)
{
	unsigned long long addr;
	char have[64];

	return sscanf(line, "%63s %*s %*s %*s %*s %llx", have, &addr) == 2 && addr == start &&
	       !strncmp(name + 1, have, strlen(have)) && !strcmp(name + 1 + strlen(have), "]");
}

bool module_runs(const struct resolver *res, const struct dso *dso)
{
	const struct map *map = module_map(res, dso);
	char *all = map ? file_read_all("/proc/modules", 16 << 20, NULL, NULL) : NULL;
	struct build_id id;
	bool there = false;

	for (const char *line = all; line && *line && !there; line += *line == '\n') {
		there = lies_at(line, dso->short_name, map->start);
		line += strcspn(line, "\n");
	}
	free(all);
	/* Another build of it may have come to the same place. */
	return there && (!dso->build_id_size || !buildid_of_dso(dso, &id) ||
			 build_id_equal(dso->build_id, dso->build_id_size, id.id, id.size));
}

struct module *module_get(struct resolver *res, const struct dso *dso, struct object *o)
{
	const struct map *map = module_map(res, dso);

	if (o->module_tried || dso->guest || !map)
		return o->module;
	o->module_tried = true;
	o->module = find_file(res, dso);
	if (o->module && lay_sections(o->module, map->start)) {
		resolver_no_memory(res, "code", dso->name);
		module_free(o->module);
		o->module = NULL;
	}
	return o->module;
}

const struct module_section *module_section_at(const struct module *mod, uint64_t addr)
{
	vec_for_each (s, &mod->sec)
		if (addr >= s->addr && addr - s->addr < s->size)
			return s;
	return NULL;
}

ssize_t module_read(const struct module *mod, uint64_t addr, void *buf, size_t size)
{
	const struct module_section *s = module_section_at(mod, addr);

	if (!s)
		return -EFAULT;
	size = (size_t)min_u64(size, s->size - (addr - s->addr));
	return elf_bytes(mod->file, s->offset + (addr - s->addr), buf, size) ? (ssize_t)size : -EIO;
}

struct elf_file *module_debug(struct resolver *res, const struct dso *dso, const struct module *mod)
{
	struct elf_file *f;

	if (!elf_has_debug_info(mod->file))
		return files_open_debug(res, dso, mod->file, ".debug_info");
	if (mod->image.n)
		return elf_open_memory(&f, mod->image.v, mod->image.n) ? NULL : f;
	return elf_open(&f, mod->path, symbol_elf_flags(res)) ? NULL : f;
}

/* ---- symbols ----------------------------------------------------------------------------------- */

static int add_symbols(const struct module *mod, struct symtab *t)
{
	struct elf_file *f = mod->file;
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_scn_of_type(f, SHT_SYMTAB, &shdr);
	Elf_Data *data = elf_data(f, scn);
	size_t n = data && shdr.sh_entsize ? data->d_size / shdr.sh_entsize : 0;
	int ret = 0;

	if (n && !elf_names_allowed(f, shdr.sh_link))
		return -ENOEXEC;

	for (size_t i = 0; i < n && i < INT_MAX && !ret && symtab_may_copy(t, f); i++) {
		const struct module_section *sec;
		const char *name;
		GElf_Sym s;

		if (!gelf_getsym(data, (int)i, &s) || GELF_ST_TYPE(s.st_info) != STT_FUNC)
			continue;
		sec = module_section(mod, s.st_shndx);
		if (!sec || s.st_value >= sec->size)
			continue;
		name = elf_strptr(f->elf, shdr.sh_link, s.st_name);
		if (name && *name && strnlen(name, SYM_LONG_NAME) < SYM_LONG_NAME)
			ret = symtab_add(t, sec->addr + s.st_value, s.st_size,
					 GELF_ST_BIND(s.st_info) == STB_LOCAL ? SYM_LOCAL
									      : SYM_GLOBAL,
					 name);
	}
	return ret;
}

int symtab_load_module(struct resolver *res, const struct dso *dso, struct object *o,
		       struct found *found)
{
	const struct module *mod = module_get(res, dso, o);
	int ret;

	if (!mod)
		return -ENOENT;
	object_set_machine(found, mod->file);
	ret = add_symbols(mod, &found->tab);
	if (!ret)
		found->file = strdup(mod->path);
	return ret;
}
