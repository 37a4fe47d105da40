// SPDX-License-Identifier: GPL-2.0-or-later
/* C++ and Rust names, by libiberty. */
#include <stdio.h>
#include <stdlib.h>

#include "config.h"
#include "symbol/internal.h"

#if HAVE_LIBIBERTY
#include <libiberty/demangle.h>

/* libiberty recurses on nested names; past this a name is none that a compiler made. */
#define MANGLED_MAX 16384

static bool is_mangled(const char *name)
{
	name += strspn(name, "_.$");
	return *name == 'Z' || *name == 'R';
}

char *symbol_demangle(const char *name, bool params)
{
	int opts = params ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS;
	const char *at = strchr(name, '@');
	size_t n = at ? (size_t)(at - name) : strlen(name);
	char *bare, *plain, *out = NULL;

	if (name[0] != '_' || !is_mangled(name) || n > MANGLED_MAX)
		return NULL;
	if (!at)
		return cplus_demangle(name, opts);
	/* "@plt" and symbol versions are no part of the mangled name. */
	bare = strndup(name, n);
	plain = bare ? cplus_demangle(bare, opts) : NULL;
	if (plain && asprintf(&out, "%s%s", plain, at) < 0)
		out = NULL;
	free(plain);
	free(bare);
	return out;
}
#else
char *symbol_demangle(const char *name, bool params)
{
	(void)name;
	(void)params;
	return NULL;
}
#endif

const char *resolver_demangle(struct resolver *res, const char *name, bool kernel)
{
	const char *copy;
	char *plain;

	if (res->opts.no_demangle || (kernel && !res->opts.demangle_kernel))
		return name;
	plain = symbol_demangle(name, res->opts.demangle_params);
	if (!plain)
		return name;
	copy = arena_strdup(&res->arena, plain);
	free(plain);
	return copy ? copy : name;
}
