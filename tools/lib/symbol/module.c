// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernel modules from their files, x.ko, packed or not: for recordings of kernels whose kallsyms
 * are not at hand. A module is an object file; the kernel puts its .text where the map starts.
 */
#include <limits.h>
#include <stdlib.h>

#include "config.h"
#include "symbol/elf-file.h"

#define PACKED_MAX   (64u << 20)
#define UNPACKED_MAX (256u << 20)

#if HAVE_ZSTD
#include <zstd.h>

static int unzstd(const void *in, size_t n, unsigned char **out, size_t *size)
{
	ZSTD_DStream *s = ZSTD_createDStream();
	ZSTD_inBuffer from = { in, n, 0 };
	ZSTD_outBuffer to = { NULL, 0, 0 };
	size_t left = 1;

	while (s && left && !ZSTD_isError(left)) {
		size_t cap = to.size ? to.size * 2 : 1 << 20;
		void *p = NULL;

		if (to.pos == to.size) {
			p = cap <= UNPACKED_MAX ? realloc(to.dst, cap) : NULL;
			if (!p)
				break;
			to.dst = p;
			to.size = cap;
		}
		left = ZSTD_decompressStream(s, &to, &from);
		if (!p && from.pos == from.size && to.pos < to.size)
			break; /* cut off */
	}
	ZSTD_freeDStream(s);
	*out = to.dst;
	*size = to.pos;
	return left ? -ENOEXEC : 0;
}
#else
static int unzstd(const void *in, size_t n, unsigned char **out, size_t *size)
{
	(void)in, (void)n, (void)out, (void)size;
	return -ENOTSUP;
}
#endif

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n > m && !strcmp(s + n - m, end);
}

/* *image: the unpacked file, to be freed after it; NULL for one that is not packed. */
static struct elf_file *module_open(const char *path, unsigned char **image)
{
	bool xz = ends_with(path, ".xz"), zst = ends_with(path, ".zst");
	struct elf_file *f = NULL;
	size_t n, size = 0;
	char *packed;
	int ret;

	if (!xz && !zst)
		return elf_open(&f, path) ? NULL : f;
	packed = file_read_all(path, PACKED_MAX, &n, NULL);
	if (!packed)
		return NULL;
	ret = xz ? unxz(packed, n, image, &size) : unzstd(packed, n, image, &size);
	free(packed);
	return ret || elf_open_memory(&f, *image, size) ? NULL : f;
}

static int add_symbols(struct elf_file *f, uint64_t start, struct symtab *t)
{
	GElf_Shdr text, shdr;
	Elf_Scn *code = elf_scn_named(f, ".text", &text);
	Elf_Scn *scn = elf_scn_of_type(f, SHT_SYMTAB, &shdr);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	size_t n = data && shdr.sh_entsize ? data->d_size / shdr.sh_entsize : 0;
	int ret = 0;

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

int module_load(struct resolver *res, const struct dso *dso, const struct map *map,
		struct object *o)
{
	unsigned char *image = NULL;
	const struct build_id *id;
	struct elf_file *f;
	char path[PATH_MAX];
	int ret = -ENOENT;

	if (!files_symfs_path(res, dso->path, path, sizeof(path)))
		return -ENOENT;
	f = module_open(path, &image);
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
	o->is_64bit = elf_is_64bit(f);
	ret = elf_is_relocatable(f) ? add_symbols(f, map->start, &o->tab) : -ENOEXEC;
	if (!ret)
		o->file = strdup(path);
out:
	elf_close(f);
	free(image);
	return ret;
}
