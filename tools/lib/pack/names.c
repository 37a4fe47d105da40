// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of files in an archive. One made by somebody else may hold anything: only this form is meant. */
#include <limits.h>
#include <stdio.h>

#include "pack/pack-int.h"

static bool is_component(const char *s, size_t n)
{
	return n && !(n == 1 && s[0] == '.') && !(n == 2 && s[0] == '.' && s[1] == '.');
}

bool pack_path_allowed(const char *path)
{
	const char *at = *path == '/' ? path + 1 : path;

	if (*path != '/' && *path != '[')
		return false;
	for (;; at++) {
		size_t n = strcspn(at, "/");

		if (!is_component(at, n))
			return false;
		at += n;
		if (!*at)
			return true;
	}
}

static bool is_kind(const char *name)
{
	return !strcmp(name, "elf") || !strcmp(name, "debug") || !strcmp(name, "kallsyms") ||
	       !strcmp(name, "vdso");
}

bool pack_parse_name(const char *entry, struct pack_name *out)
{
	const char *name, *id, *at = entry;
	char hex[2 * BUILD_ID_MAX + 1];
	size_t n;

	if (!strncmp(at, "./", 2))
		at += 2;
	name = strrchr(at, '/');
	if (!name || !is_kind(name + 1))
		return false;
	for (id = name; id > at && id[-1] != '/';)
		id--;
	n = (size_t)(name - id);
	if (id <= at + 1 || n >= sizeof(hex))
		return false;
	memcpy(hex, id, n);
	hex[n] = 0;
	if (!buildid_parse(hex, &out->id) || out->id.size < 2)
		return false;
	n = (size_t)(id - 1 - at);
	if (snprintf(out->path, sizeof(out->path), "%s%.*s", *at == '[' ? "" : "/", (int)n, at) >=
	    (int)sizeof(out->path))
		return false;
	out->name = name + 1;
	return pack_path_allowed(out->path);
}
