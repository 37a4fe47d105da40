// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the files of an object are looked for, in order, and whether they are the right ones. With
 * a build id the cache comes first, for it keeps the file as it was recorded, and a file with
 * another id is never used, only said. Without one the file that the process itself saw comes
 * first. Debug information: by the link in the file, by build id, by path, and at last, when the
 * user asked for that, from a server.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buildid/buildid.h"
#include "symbol/symbol-int.h"

static struct build_id dso_id(const struct dso *dso)
{
	struct build_id id = { .size = (uint8_t)min_u64(dso->build_id_size, BUILD_ID_MAX) };

	if (id.size)
		memcpy(id.id, dso->build_id, id.size);
	return id;
}

bool files_symfs_path(const struct resolver *res, const char *path, char *buf, size_t size)
{
	int n;

	if (path[0] != '/')
		return false;
	n = snprintf(buf, size, "%s%s", res->symfs ? res->symfs : "",
		     res->opts.symfs_flat ? strrchr(path, '/') : path);
	return n > 0 && (size_t)n < size;
}

/* The file at @path if it is ELF and its build id is @id (when that is known). */
static struct elf_file *open_checked(const struct resolver *res, const char *path,
				     const struct build_id *id, bool *other)
{
	const struct build_id *have;
	struct elf_file *f;

	if (elf_open(&f, path, symbol_elf_flags(res)))
		return NULL;
	if (!id->size)
		return f;
	have = elf_build_id(f);
	if (build_id_equal(have->id, have->size, id->id, id->size))
		return f;
	if (other)
		*other = true;
	elf_close(f);
	return NULL;
}

/* As a process of the recording sees the file that is another one, or none, for us. */
static struct elf_file *open_in_container(struct resolver *res, const struct dso *dso,
					  const struct build_id *want)
{
	struct build_id id;
	char path[PATH_MAX + 64];
	int fd;

	if (res->symfs || (!res->roots && buildid_roots_new(&res->roots)))
		return NULL;
	buildid_roots_add_all(res->roots, res->m);
	fd = buildid_roots_open(res->roots, dso, &id, path, sizeof(path));
	if (fd < 0)
		return NULL;
	close(fd);
	return open_checked(res, path, want, NULL);
}

struct elf_file *files_open_run(struct resolver *res, const struct dso *dso)
{
	struct build_id id = dso_id(dso);
	struct elf_file *f = NULL;
	char path[PATH_MAX];
	bool other = false;

	/* The cache of build ids keeps the file as it was recorded, whatever lies there now. */
	if (id.size && buildid_cache_path(&id, "elf", path, sizeof(path)))
		f = open_checked(res, path, &id, NULL);
	/* Without build id the file here may be another: the very one that was mapped comes first. */
	else if (!id.size)
		f = open_in_container(res, dso, &id);
	if (f || dso->path[0] != '/')
		return f;
	if (files_symfs_path(res, dso->path, path, sizeof(path)))
		f = open_checked(res, path, &id, &other);
	if (!f && id.size)
		f = open_in_container(res, dso, &id);
	if (!f && other)
		resolver_warn(res,
			      "%s has changed since the recording (another build id): its "
			      "symbols are not used",
			      dso->path);
	return f;
}

struct elf_file *files_open_served(struct resolver *res, const struct dso *dso)
{
	struct build_id id = dso_id(dso);
	char *path = id.size ? files_server_code(res, &id, dso->path) : NULL;
	struct elf_file *f = path ? open_checked(res, path, &id, NULL) : NULL;

	free(path);
	return f;
}

unsigned symbol_elf_flags(const struct resolver *res)
{
	return res->opts.no_limits ? ELF_NO_LIMITS : 0;
}

char *symbol_run_file(struct resolver *res, const struct dso *dso)
{
	struct elf_file *f = files_open_run(res, dso);
	char *path = f ? strdup(elf_path(f)) : NULL;

	elf_close(f);
	return path;
}

struct debug_search {
	struct resolver *res;
	struct build_id id;
	const char *want;
	struct elf_file *found;
};

static bool has_wanted(struct elf_file *f, const char *want)
{
	return strcmp(want, ".symtab") ? elf_has_debug_info(f) : elf_has_symtab(f);
}

static bool try_debug(struct debug_search *s, bool symfs, const char *fmt, ...) __printf_fmt(3, 4);

static bool try_debug(struct debug_search *s, bool symfs, const char *fmt, ...)
{
	char name[PATH_MAX], path[PATH_MAX];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(name) ||
	    (symfs && !files_symfs_path(s->res, name, path, sizeof(path))))
		return false;
	s->found = open_checked(s->res, symfs ? path : name, &s->id, NULL);
	if (s->found && has_wanted(s->found, s->want))
		return true;
	elf_close(s->found);
	s->found = NULL;
	return false;
}

static bool try_debuglink(struct debug_search *s, const char *path, struct elf_file *run)
{
	const char *link = run ? elf_debuglink(run) : NULL, *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path) : 0;

	return link && slash &&
	       (try_debug(s, true, "%.*s/%s", dir, path, link) ||
		try_debug(s, true, "%.*s/.debug/%s", dir, path, link) ||
		try_debug(s, true, "/usr/lib/debug%.*s/%s", dir, path, link));
}

static bool try_build_id(struct debug_search *s)
{
	char hex[2 * BUILD_ID_MAX + 1], path[PATH_MAX];

	if (s->id.size < 2)
		return false;
	buildid_hex(&s->id, hex);
	return (buildid_cache_path(&s->id, "debug", path, sizeof(path)) &&
		try_debug(s, false, "%s", path)) ||
	       try_debug(s, true, "/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex + 2);
}

static bool try_server(struct debug_search *s, const char *what)
{
	char *path = files_server_debug(s->res, &s->id, what);
	bool found = path && try_debug(s, false, "%s", path);

	free(path);
	return found;
}

struct elf_file *files_open_debug(struct resolver *res, const struct dso *dso, struct elf_file *run,
				  const char *want)
{
	struct debug_search s = { .res = res, .id = dso_id(dso), .want = want };

	if (!s.id.size && run)
		s.id = *elf_build_id(run);
	if (dso->path[0] != '/')
		return try_build_id(&s) ? s.found : NULL;
	if (try_debuglink(&s, dso->path, run) || try_build_id(&s) ||
	    try_debug(&s, true, "/usr/lib/debug%s.debug", dso->path) ||
	    try_debug(&s, true, "/usr/lib/debug%s", dso->path) || try_server(&s, dso->path))
		return s.found;
	return NULL;
}

char *symbol_debug_file(struct resolver *res, const struct dso *dso)
{
	struct elf_file *run = files_open_run(res, dso), *debug;
	char *path;

	debug = files_open_debug(res, dso, run, ".debug_info")
			?: files_open_debug(res, dso, run, ".symtab");
	path = debug ? strdup(elf_path(debug)) : NULL;
	elf_close(debug);
	elf_close(run);
	return path;
}
