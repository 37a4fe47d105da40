// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libarchive, loaded when an archive is read or written: linked, it would bring a dozen libraries into every
 * run, which costs more than many a report.
 */
#include "pack/pack-int.h"

#if HAVE_LIBARCHIVE
#include <dlfcn.h>

int pack_load(struct pack_lib *lib, struct err *e)
{
	void *so = dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);
	bool all = so != NULL;

#define FUNCTION(name)                                                               \
	lib->name = all ? (__typeof__(lib->name))dlsym(so, "archive_" #name) : NULL; \
	all = all && lib->name;
	PACK_FUNCTIONS(FUNCTION)
#undef FUNCTION
	if (all)
		return 0;
	err_set(e, -ENOTSUP, "archives need libarchive.so.13, which does not load here: %s",
		dlerror() ?: "functions are missing");
	err_hint(e, "Debian's package is libarchive13.");
	return -ENOTSUP;
}

int pack_failed(const struct pack_lib *lib, struct archive *a, int code, const char *what,
		struct err *e)
{
	const char *why = lib->error_string(a);

	return err_set(e, code, "%s: %s", what, why ? why : strerror(-code));
}
#endif
