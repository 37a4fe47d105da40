// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * C++ and Rust names, by libiberty. Names come out of files that anybody may have written, and the
 * demangler has no limit of its own: so there is one for what goes in and one for what comes out.
 */
#include <stdio.h>
#include <stdlib.h>

#include "config.h"
#include "symbol/symbol-int.h"

#if HAVE_LIBIBERTY
#include <setjmp.h>

#include <libiberty/demangle.h>

/* What a compiler makes is shorter by far. */
#define MANGLED_MAX 16384
#define PLAIN_MAX   (64 * 1024)

static bool is_mangled(const char *name)
{
	name += strspn(name, "_.$");
	return *name == 'Z' || *name == 'R';
}

/*
 * A few dozen bytes can stand for gigabytes (a template of pairs of pairs of ...): the demangler
 * hands out its text in pieces, and past PLAIN_MAX it is left by longjmp(). It keeps its state on
 * the stack.
 */
struct plain {
	jmp_buf too_long;
	size_t n;
	char text[PLAIN_MAX];
};

static void take(const char *s, size_t n, void *opaque)
{
	struct plain *p = opaque;

	if (n >= sizeof(p->text) - p->n)
		longjmp(p->too_long, 1);
	if (!n) /* and then perhaps no text */
		return;
	memcpy(p->text + p->n, s, n);
	p->n += n;
}

static bool demangle_into(struct plain *p, const char *name, int opts)
{
	p->n = 0;
	if (setjmp(p->too_long))
		return false;
	if (rust_demangle_callback(name, opts, take, p))
		return true;
	p->n = 0;
	return cplus_demangle_v3_callback(name, opts, take, p);
}

char *symbol_demangle(const char *name, bool params)
{
	struct plain *p;
	char *bare, *out = NULL;
	size_t n;

	/* First what is told by a letter, then what looks at no more than so many. */
	if (name[0] != '_' || strnlen(name, MANGLED_MAX + 1) > MANGLED_MAX || !is_mangled(name))
		return NULL;
	/* "@plt" and symbol versions are no part of the mangled name. */
	n = strcspn(name, "@");
	p = malloc(sizeof(*p));
	bare = name[n] ? strndup(name, n) : NULL;
	if (p && (bare || !name[n]) &&
	    demangle_into(p, bare ? bare : name, params ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS) &&
	    asprintf(&out, "%.*s%s", (int)p->n, p->text, name + n) < 0)
		out = NULL;
	free(bare);
	free(p);
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
