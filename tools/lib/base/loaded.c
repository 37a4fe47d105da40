// SPDX-License-Identifier: GPL-2.0-or-later
/* Libraries loaded when they are needed: all functions that are asked for, or none. */
#include <dlfcn.h>

#include "base/loaded.h"

int loaded_functions(const struct loaded *l, const char *const *name, size_t nr, void **function,
		     struct err *e)
{
	void *so = dlopen(l->so, RTLD_NOW | RTLD_LOCAL);
	bool all = so != NULL;

	for (size_t i = 0; all && i < nr; i++) {
		function[i] = dlsym(so, name[i]);
		all = function[i] != NULL;
	}
	if (all)
		return 0;
	err_set(e, -ENOTSUP, "%s %s, which does not load here: %s", l->what, l->so,
		dlerror() ?: "functions are missing");
	err_hint(e, "Debian's package is %s.", l->package);
	return -ENOTSUP;
}
