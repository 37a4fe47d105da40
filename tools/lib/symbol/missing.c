// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What could not be named, said once at the end: objects that samples lie in and whose file is
 * gone, has changed or is stripped.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "symbol/symbol-int.h"

#define SHOWN 5 /* objects that are named; the others are counted */

/* Paths that name no file: memory that was mapped executable. */
static bool is_file(const struct dso *dso)
{
	static const char *const none[] = { "/memfd:", "/SYSV", "/dev/", "/anon_hugepage" };

	if (dso->kind != DSO_USER || dso->guest || dso->path[0] != '/')
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		if (!strncmp(dso->path, none[i], strlen(none[i])))
			return false;
	return true;
}

enum trouble { FINE, GONE, HIDDEN, CHANGED, NO_ELF, STRIPPED, TROUBLES };

static const char *const words[TROUBLES] = {
	[GONE] = "not found",
	[HIDDEN] = "not readable",
	[NO_ELF] = "no ELF file",
	[STRIPPED] = "stripped",
};

static enum trouble trouble(const struct resolver *res, const struct dso *dso)
{
	const struct object *o = dso->symbols;
	char path[PATH_MAX];

	if (!o || !o->loaded || !o->unnamed || !is_file(dso))
		return FINE;
	if (o->found.run_file)
		return o->found.stripped ? STRIPPED : FINE;
	if (o->found.tab.sym.n)
		return FINE;
	if (!files_symfs_path(res, dso->path, path, sizeof(path)) || access(path, F_OK))
		return GONE;
	if (access(path, R_OK))
		return HIDDEN;
	return dso->build_id_size ? CHANGED : NO_ELF;
}

static void put_object(struct obuf *o, const struct dso *dso, const char *why, bool first)
{
	obuf_printf(o, "%s%s (%s", first ? "" : ", ", dso->path, why);
	if (dso->build_id_size)
		obuf_lit(o, ", build id ");
	for (unsigned i = 0; i < dso->build_id_size; i++)
		obuf_printf(o, "%02x", dso->build_id[i]);
	obuf_char(o, ')');
}

/* What can be done, by what is the matter. */
static void advise(struct resolver *res, const uint32_t *nr)
{
	if (nr[GONE] + nr[HIDDEN] + nr[NO_ELF])
		resolver_warn(res, "Copies of such files are looked for below --symfs DIR, and by "
				   "build id after perf buildid-cache --add FILE.");
	if (nr[CHANGED])
		resolver_warn(res, "Record again what has changed; perf buildid-cache --add FILE "
				   "keeps a file as it was.");
	if (nr[STRIPPED])
		resolver_warn(res,
			      "Packages with debug symbols name the functions of stripped "
			      "files; %s.",
			      res->opts.debuginfod ? "--debuginfod asked in vain"
						   : "--debuginfod fetches them");
}

void resolver_note_missing(struct resolver *res)
{
	uint32_t nr[TROUBLES] = { 0 }, shown = 0, all = 0;
	struct obuf o;

	if (obuf_init(&o, -1, 0))
		return;
	for (size_t i = 0; i < machine_nr_dsos(res->m); i++) {
		const struct dso *dso = machine_dso(res->m, i);
		enum trouble what = trouble(res, dso);

		nr[what]++;
		/* One that has changed was told of when that was seen. */
		if (!words[what])
			continue;
		if (shown < SHOWN)
			put_object(&o, dso, words[what], !shown++);
		all++;
	}
	if (all > shown)
		obuf_printf(&o, " and %u more", all - shown);
	obuf_char(&o, 0);
	if (all)
		resolver_warn(res, "no function names for %s", o.buf);
	advise(res, nr);
	obuf_free(&o);
}
