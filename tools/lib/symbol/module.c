// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernel modules from their files, x.ko, packed or not: for recordings of kernels whose kallsyms
 * are not at hand. A module is an object file; the kernel puts its .text where the map starts.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "symbol/symbol-int.h"

#define PACKED_MAX (64u << 20)

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n > m && !strcmp(s + n - m, end);
}

static const struct {
	const char *end;
	int (*unpack)(const void *in, size_t n, struct unpacked *out);
} packings[] = {
	{ ".gz", unpack_gzip },
	{ ".xz", unpack_xz },
	{ ".zst", unpack_zstd },
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

/* @image: the unpacked file, to be freed after it; empty for one that is not packed. */
static struct elf_file *module_open(const struct resolver *res, const char *path,
				    struct unpacked *image)
{
	int (*unpack)(const void *in, size_t n, struct unpacked *out) = NULL;
	struct elf_file *f = NULL;
	void *packed;
	size_t n;
	int ret;

	for (size_t i = 0; i < ARRAY_SIZE(packings); i++)
		if (ends_with(path, packings[i].end))
			unpack = packings[i].unpack;
	if (!unpack)
		return elf_open(&f, path, symbol_elf_flags(res)) ? NULL : f;
	packed = read_packed(path, &n);
	if (!packed)
		return NULL;
	ret = unpack(packed, n, image);
	free(packed);
	return ret || elf_open_memory(&f, image->v, image->n) ? NULL : f;
}

static int add_symbols(struct elf_file *f, uint64_t start, struct symtab *t)
{
	GElf_Shdr text, shdr;
	Elf_Scn *code = elf_scn_named(f, ".text", &text);
	Elf_Scn *scn = elf_scn_of_type(f, SHT_SYMTAB, &shdr);
	Elf_Data *data = elf_data(f, scn);
	size_t n = data && shdr.sh_entsize ? data->d_size / shdr.sh_entsize : 0;
	int ret = 0;

	if (n && !elf_names_allowed(f, shdr.sh_link))
		return -ENOEXEC;

	for (size_t i = 0; code && i < n && i < INT_MAX && !ret; i++) {
		const char *name;
		GElf_Sym s;

		if (!gelf_getsym(data, (int)i, &s) || s.st_shndx != elf_ndxscn(code) ||
		    GELF_ST_TYPE(s.st_info) != STT_FUNC || s.st_value >= text.sh_size)
			continue;
		name = elf_strptr(f->elf, shdr.sh_link, s.st_name);
		if (name && *name)
			ret = symtab_add(t, start + s.st_value, s.st_size,
					 GELF_ST_BIND(s.st_info) == STB_LOCAL ? SYM_LOCAL
									      : SYM_GLOBAL,
					 name);
	}
	return ret;
}

int symtab_load_module(struct resolver *res, const struct dso *dso, const struct map *map,
		       struct object *o)
{
	struct unpacked image = { 0 };
	const struct build_id *id;
	struct elf_file *f;
	char path[PATH_MAX];
	int ret = -ENOENT;

	if (!files_symfs_path(res, dso->path, path, sizeof(path)))
		return -ENOENT;
	f = module_open(res, path, &image);
	if (!f)
		goto out;
	id = elf_build_id(f);
	if (dso->build_id_size &&
	    !build_id_equal(dso->build_id, dso->build_id_size, id->id, id->size)) {
		resolver_warn(res,
			      "%s has changed since the recording (another build id): its "
			      "symbols are not used",
			      path);
		goto out;
	}
	object_set_machine(o, f);
	ret = elf_is_relocatable(f) ? add_symbols(f, map->start, &o->tab) : -ENOEXEC;
	if (!ret)
		o->file = strdup(path);
out:
	elf_close(f);
	free(image.v);
	return ret;
}
