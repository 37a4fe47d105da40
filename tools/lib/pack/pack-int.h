/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of room pack: libarchive, as far as it is used, found when it is needed. */
#ifndef PERF_PACK_INT_H
#define PERF_PACK_INT_H

#include <limits.h>

#include "config.h"
#include "pack/pack.h"

/* "usr/bin/prog/ID/elf" taken apart. */
struct pack_name {
	char path[PATH_MAX]; /* "/usr/bin/prog" or "[name]" */
	struct build_id id;
	const char *name; /* "elf", in the entry's own string */
};

/* False for what is called otherwise. */
bool pack_parse_name(const char *entry, struct pack_name *out);
/* An absolute path, or a name in brackets, that does not lead out of a directory it is put below. */
bool pack_path_allowed(const char *path);

#if HAVE_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>

/* Functions that are called, without "archive_". */
/* clang-format off */
#define PACK_FUNCTIONS(F) \
	F(error_string) \
	F(entry_new) F(entry_free) F(entry_set_pathname) F(entry_set_size) F(entry_set_filetype) \
	F(entry_set_perm) F(entry_set_mtime) F(entry_set_symlink) F(entry_pathname) \
	F(entry_size) F(entry_filetype) \
	F(write_new) F(write_free) F(write_close) F(write_open_fd) F(write_header) F(write_data) \
	F(write_set_format_pax_restricted) F(write_add_filter_none) F(write_add_filter_gzip) \
	F(write_add_filter_bzip2) F(write_add_filter_xz) F(write_add_filter_zstd) \
	F(read_new) F(read_free) F(read_support_filter_all) F(read_support_format_tar) \
	F(read_open_fd) F(read_next_header) F(read_data) F(filter_bytes)
/* clang-format on */

struct pack_lib {
#define FUNCTION(name) __typeof__(archive_##name) *name;
	PACK_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

/* The library stays loaded. */
int pack_load(struct pack_lib *lib, struct err *e);
/* What the library says of its last error. */
int pack_failed(const struct pack_lib *lib, struct archive *a, int code, const char *what,
		struct err *e);
#endif

#endif
