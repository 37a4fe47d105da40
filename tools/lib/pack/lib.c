// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libarchive, loaded when an archive is read or written (base/loaded.h).
 */
#include "pack/pack-int.h"

#if HAVE_LIBARCHIVE
#include "base/loaded.h"

int pack_load(struct pack_lib *lib, struct err *e)
{
#define NAME(name) "archive_" #name,
	static const char *const names[] = { PACK_FUNCTIONS(NAME) };
#undef NAME

	return loaded_functions(
		&(struct loaded){ "archives need", "libarchive.so.13", "libarchive13" }, names,
		ARRAY_SIZE(names), (void **)lib, e);
}

int pack_failed(const struct pack_lib *lib, struct archive *a, int code, const char *what,
		struct err *e)
{
	const char *why = lib->error_string(a);

	return err_set(e, code, "%s: %s", what, why ? why : strerror(-code));
}
#endif
