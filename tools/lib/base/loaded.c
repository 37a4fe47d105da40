// SPDX-License-Identifier: GPL-2.0-or-later
/* Libraries loaded when they are needed: all functions that are asked for, or none. */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "base/lack.h"
#include "base/loaded.h"

/*
 * Why the machine, and not a missing file, was in the way; 0: it was not. The linker's text ends in the cause. What it
 * leaves in errno is that of the last place where it looked, and where there was no memory for a text, of that.
 */
static int machine_trouble(const char *text, int left)
{
	static const int codes[] = { ENOMEM, EMFILE, ENFILE, EIO, EINTR };

	for (size_t i = 0; text && i < ARRAY_SIZE(codes); i++)
		if (strstr(text, strerror(codes[i])))
			return codes[i];
	return lack_is_trouble(left) ? left : 0;
}

int loaded_functions(const struct loaded *l, const char *const *name, size_t nr, void **function,
		     struct err *e)
{
	const char *text;
	bool all;
	void *so;
	int why;

	errno = 0;
	so = dlopen(l->so, RTLD_NOW | RTLD_LOCAL);
	all = so != NULL;
	for (size_t i = 0; all && i < nr; i++) {
		function[i] = dlsym(so, name[i]);
		all = function[i] != NULL;
	}
	if (all)
		return 0;
	why = errno;
	text = dlerror();
	/* Who does without a library that is not installed must not because memory or descriptors are out. */
	why = so ? 0 : machine_trouble(text, why);
	if (why) {
		lack_note(why, "cannot load", l->so);
		return err_set(e, -why, "%s %s, which cannot be loaded: %s", l->what, l->so,
			       strerror(why));
	}
	err_set(e, -ENOTSUP, "%s %s, which does not load here: %s", l->what, l->so,
		text ?: "functions are missing");
	err_hint(e, "Debian's package is %s.", l->package);
	return -ENOTSUP;
}
