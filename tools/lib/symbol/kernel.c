// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's symbols: kallsyms of this machine when it runs the recorded kernel, a kallsyms
 * file that was kept, or a vmlinux. All hold absolute addresses; a kernel that was moved (KASLR)
 * since is moved back by the distance of the symbol that the recording names.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "buildid/buildid.h"
#include "symbol/symbol-int.h"

#define KALLSYMS "/proc/kallsyms"

static const struct dso *kernel_dso(const struct resolver *res)
{
	for (size_t i = 0; i < machine_nr_dsos(res->m); i++) {
		const struct dso *d = machine_dso(res->m, i);

		if (d->kind == DSO_KERNEL && !d->guest)
			return d;
	}
	return NULL;
}

/* The build id of the recorded kernel; false when it has none. */
static bool recorded_id(const struct resolver *res, struct build_id *id)
{
	const struct dso *dso = kernel_dso(res);

	if (!dso || !dso->build_id_size)
		return false;
	id->size = (uint8_t)min_u64(dso->build_id_size, BUILD_ID_MAX);
	memcpy(id->id, dso->build_id, id->size);
	return true;
}

static bool host_build_id(struct build_id *id)
{
	size_t n;
	char *notes = file_read_all("/sys/kernel/notes", 1 << 20, &n, NULL);
	bool ok = notes && build_id_from_notes(notes, n, false, id);

	free(notes);
	return ok;
}

/* What the recording says of its kernel and this machine says of its own. */
enum same { SAME_NO, SAME_YES, SAME_UNKNOWN };

static enum same same_kernel(struct resolver *res)
{
	const struct dso *dso = kernel_dso(res);
	const char *release = machine_os_release(res->m);
	struct build_id id;
	struct utsname u;

	if (dso && dso->build_id_size && host_build_id(&id))
		return build_id_equal(dso->build_id, dso->build_id_size, id.id, id.size);
	if (*release && !uname(&u))
		return !strcmp(release, u.release);
	return SAME_UNKNOWN;
}

bool kernel_is_host(struct resolver *res, const struct dso *dso)
{
	return !res->opts.no_host_kernel && !res->symfs && !(dso && dso->guest) &&
	       same_kernel(res) == SAME_YES;
}

/* ---- kallsyms ---------------------------------------------------------------------------------- */

static struct kallsyms *kallsyms_new(struct resolver *res, const char *path, bool must_match)
{
	struct kallsyms *k = calloc(1, sizeof(*k));
	const char *ref = machine_kernel_ref(res->m, false, k ? &k->recorded : &(uint64_t){ 0 });

	if (!k)
		return NULL;
	k->must_match = must_match;
	k->path = strdup(path);
	k->ref = ref ? strdup(ref) : NULL;
	if (k->path && (k->ref || !ref))
		return k;
	kallsyms_free(k);
	return NULL;
}

/* It may be taken from the cache, without modules. */
static struct kallsyms *kallsyms_of_host(struct resolver *res, bool must_match)
{
	struct kallsyms *k = kallsyms_new(res, KALLSYMS, must_match);

	if (k && res->opts.cache && host_build_id(&k->id))
		k->cache = stored_cache(res);
	return k;
}

/* To or from the cache, whose last word is the symbol with the highest address. */
static void note_kept(struct resolver *res, struct found *kt, const struct kallsyms *k)
{
	const struct sym *s = kt->tab.sym.v;
	struct symtab own;

	if (k->kept) {
		kt->own_from = s->start;
		kt->own_size = s[kt->tab.sym.n - 1].start + s[kt->tab.sym.n - 1].size - s->start;
		log_to(&res->opts.log, LOG_INFO, "symbols of the cache: %s", k->key.name);
	} else if (kallsyms_own(k, &own)) {
		stored_keep(res, &k->key, &own);
	}
}

/* Moves what was read into @kt; @ret is how it went. */
static bool kallsyms_take(struct resolver *res, struct found *kt, struct kallsyms *k, int ret)
{
	if (!ret) {
		kt->tab = k->tab;
		kt->delta = k->delta;
		kt->file = strdup(k->path);
		note_kept(res, kt, k);
		k->tab = (struct symtab){ 0 };
	} else if (ret == -EACCES && !strcmp(k->path, KALLSYMS)) {
		resolver_warn(res, "kernel symbols are hidden: /proc/sys/kernel/kptr_restrict lets "
				   "only root (or nobody) see them");
	}
	kallsyms_free(k);
	return !ret;
}

static bool kallsyms_load(struct resolver *res, struct found *kt, const char *path, bool must_match)
{
	struct kallsyms *k = kallsyms_new(res, path, must_match);

	return k && kallsyms_take(res, kt, k, kallsyms_read(k));
}

static int check_text(const char *path, struct err *e)
{
	struct kallsyms k = { .path = (char *)path };
	int ret = kallsyms_read(&k);
	size_t n = k.tab.sym.n;

	symtab_free(&k.tab);
	if (n && k.any)
		return 0;
	if (n) {
		err_set(e, -EINVAL, "--kallsyms %s: all addresses are 0", path);
		err_hint(e, "The kernel hides them from ordinary users: sudo cat /proc/kallsyms "
			    ">FILE.");
		return -EINVAL;
	}
	if (ret && ret != -EACCES) /* which says no more than that there is no address */
		return err_set(e, ret, "--kallsyms %s: %s", path, strerror(-ret));
	err_set(e, -EINVAL,
		"--kallsyms %s holds no kernel symbols: no line has an address, a type "
		"and a name",
		path);
	err_hint(e,
		 "It is a copy of /proc/kallsyms of the recorded kernel; of an image with symbols "
		 "say -k FILE.");
	return -EINVAL;
}

static int check_image(const char *path, struct err *e)
{
	struct elf_file *f;
	int ret = elf_open(&f, path, 0);

	if (!ret) {
		elf_close(f);
		return 0;
	}
	err_set(e, ret, "--vmlinux %s: %s", path,
		ret == -ENOEXEC ? "this is no ELF file" : strerror(-ret));
	if (ret == -ENOEXEC)
		err_hint(
			e,
			"It is the kernel's image with symbols, not packed (vmlinux, not vmlinuz); "
			"of a copy of /proc/kallsyms say --kallsyms FILE.");
	return ret;
}

int symbol_check_kernel(const struct symbol_opts *opts, struct err *e)
{
	struct stat st;
	int ret = 0;

	if (opts->vmlinux && !opts->ignore_vmlinux)
		ret = check_image(opts->vmlinux, e);
	if (ret || !opts->kallsyms)
		return ret;
	if (stat(opts->kallsyms, &st) || access(opts->kallsyms, R_OK))
		return err_set(e, -errno, "--kallsyms %s: %s", opts->kallsyms, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return err_set(e, -EISDIR, "--kallsyms %s: %s", opts->kallsyms, strerror(EISDIR));
	/* A pipe can be read once. An empty file is how to ask for no kernel symbols. */
	return S_ISREG(st.st_mode) && st.st_size ? check_text(opts->kallsyms, e) : 0;
}

/* ---- the store ------------------------------------------------------------------------------- */

char *kernel_key(const struct resolver *res)
{
	const struct dso *dso = kernel_dso(res);
	uint64_t recorded = 0;
	const char *ref = machine_kernel_ref(res->m, false, &recorded);
	char id[2 * BUILD_ID_MAX + 1] = "", *key;
	struct build_id have;

	if (recorded_id(res, &have))
		buildid_hex(&have, id);
	return asprintf(&key, "%s\n%s\n%s\n%s\n%" PRIx64, id, dso ? dso->name : "",
			machine_os_release(res->m), ref ? ref : "", recorded) < 0
		       ? NULL
		       : key;
}

/* What @what names of the kernel, once in *s. */
static struct stored *get_stored(struct resolver *res, struct stored **s, const char *what)
{
	char *which = *s ? NULL : kernel_key(res), *key = NULL;

	if (which && asprintf(&key, "%s\n%s", what, which) >= 0) {
		*s = stored_get(res, key);
		free(key);
	}
	free(which);
	return *s;
}

static struct stored *get_kernel(struct resolver *res)
{
	return get_stored(res, &res->kernel.stored, "kernel");
}

static struct stored *get_rest(struct resolver *res)
{
	return get_stored(res, &res->kernel.rest_stored, "kernel's rest");
}

/* Whether it is read ahead must not depend on how far another resolver has got. */
static bool start_ahead(struct resolver *res)
{
	struct kallsyms *k;
	enum same same;

	if ((res->vmlinux && !res->opts.ignore_vmlinux) || res->kallsyms || res->symfs ||
	    res->opts.no_host_kernel)
		return false;
	same = same_kernel(res);
	if (same == SAME_NO || !get_kernel(res))
		return false;
	k = kallsyms_of_host(res, same == SAME_UNKNOWN);
	return k && stored_start(res->kernel.stored, k);
}

/* A module's names are in none that was kept. Nobody's order depends on when they are there. */
static void start_rest(struct resolver *res)
{
	struct kernel_tab *kt = &res->kernel;
	struct kallsyms *k;

	if (kt->rest_ahead || !stored_found_kept(kt->stored))
		return;
	kt->rest_ahead = true;
	if (!get_rest(res))
		return;
	k = kallsyms_new(res, KALLSYMS, same_kernel(res) == SAME_UNKNOWN);
	if (k)
		stored_start(kt->rest_stored, k);
}

bool symbol_load_ahead(struct resolver *res, const struct dso *dso)
{
	struct kernel_tab *kt = &res->kernel;

	if ((dso->kind != DSO_KERNEL && dso->kind != DSO_MODULE) || dso->guest || kt->tried)
		return false;
	if (!kt->ahead_tried)
		kt->ahead = start_ahead(res);
	kt->ahead_tried = true;
	if (kt->ahead && dso->kind == DSO_MODULE)
		start_rest(res);
	return kt->ahead;
}

void symbol_load_kernel_ahead(struct resolver *res)
{
	const struct dso *dso = kernel_dso(res);

	if (dso)
		symbol_load_ahead(res, dso);
}

double symbol_ahead_seconds(const struct resolver *res)
{
	const struct kernel_tab *kt = &res->kernel;

	return (kt->stored ? stored_ahead_seconds(kt->stored) : 0) +
	       (kt->rest_stored ? stored_ahead_seconds(kt->rest_stored) : 0);
}

/* ---- vmlinux ------------------------------------------------------------------------------------ */

/* The image at @path if it is that of the recorded kernel; its addresses lack @delta. */
static struct elf_file *vmlinux_open(struct resolver *res, const char *path, bool asked,
				     uint64_t *delta)
{
	const struct dso *dso = kernel_dso(res);
	const struct build_id *id;
	uint64_t recorded, here;
	struct elf_file *f;
	const char *ref;
	int ret;

	ret = elf_open(&f, path, symbol_elf_flags(res));
	if (ret) {
		if (asked)
			resolver_warn(res, "%s: %s", path,
				      ret == -ENOEXEC ? "this is no ELF file" : strerror(-ret));
		return NULL;
	}
	/* A copy of /proc/kcore: code, no symbols. */
	if (f->ehdr.e_type == ET_CORE) {
		elf_close(f);
		return NULL;
	}
	id = elf_build_id(f);
	if (!elf_has_symtab(f) ||
	    (dso && dso->build_id_size &&
	     !build_id_equal(dso->build_id, dso->build_id_size, id->id, id->size))) {
		if (asked)
			resolver_warn(res, "%s is not the recorded kernel or has no symbols", path);
		elf_close(f);
		return NULL;
	}
	*delta = 0;
	ref = machine_kernel_ref(res->m, false, &recorded);
	if (ref && recorded && elf_symbol_value(f, ref, &here))
		*delta = recorded - here;
	return f;
}

static int vmlinux_table(struct resolver *res, struct elf_file *f, uint64_t delta, struct symtab *t)
{
	struct symcache_key key;
	bool cache = res->opts.cache && symcache_key(&key, res, f, NULL, &delta);
	int ret;

	if (cache && symcache_get(res, &key, t))
		return 0;
	ret = symtab_load_elf(f, NULL, NULL, true, delta, t);
	ret = ret ?: symtab_finish(t, ENDS_NEXT);
	if (!ret && cache && t->sym.n)
		stored_keep(res, &key, NULL);
	return ret;
}

static bool vmlinux_load(struct resolver *res, struct found *kt, const char *path, bool asked)
{
	uint64_t delta;
	struct elf_file *f = vmlinux_open(res, path, asked, &delta);
	int ret;

	if (!f)
		return false;
	kt->delta = delta;
	ret = vmlinux_table(res, f, delta, &kt->tab);
	elf_close(f);
	if (ret || !kt->tab.sym.n) {
		symtab_free(&kt->tab);
		return false;
	}
	kt->vmlinux = true;
	kt->file = strdup(path);
	return true;
}

/* Something to do with a path; true ends the search. */
typedef bool place_fn(struct resolver *res, const char *path, void *ctx);

/* Where distributions put it; without a build id only the release tells that it is the one. */
static bool each_place(struct resolver *res, place_fn *fn, void *ctx)
{
	static const char *const places[] = { "/boot/vmlinux-%s", "/usr/lib/debug/boot/vmlinux-%s",
					      "/lib/modules/%s/build/vmlinux",
					      "/usr/lib/debug/lib/modules/%s/vmlinux" };
	const char *release = machine_os_release(res->m);
	const struct dso *dso = kernel_dso(res);
	char path[PATH_MAX], sub[PATH_MAX / 2];

	if (res->opts.ignore_vmlinux)
		return false;
	/* The one that the recorder knew. */
	if (dso && dso->build_id_size && files_symfs_path(res, dso->name, path, sizeof(path)) &&
	    fn(res, path, ctx))
		return true;
	if (!*release || strchr(release, '/'))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(sub, sizeof(sub), places[i], release);
#pragma GCC diagnostic pop
		if (files_symfs_path(res, sub, path, sizeof(path)) && fn(res, path, ctx))
			return true;
	}
	return false;
}

static bool load_place(struct resolver *res, const char *path, void *ctx)
{
	return vmlinux_load(res, ctx, path, false);
}

struct image {
	char *path;
	uint64_t delta;
};

static bool try_image(struct resolver *res, const char *path, void *ctx)
{
	struct image *image = ctx;
	struct elf_file *f = vmlinux_open(res, path, false, &image->delta);

	image->path = f ? strdup(path) : NULL;
	elf_close(f);
	return f != NULL;
}

/* From the cache of build ids. */
static bool cached_image(struct resolver *res, place_fn *fn, void *ctx)
{
	struct build_id id;
	char path[PATH_MAX];

	return !res->opts.ignore_vmlinux && recorded_id(res, &id) &&
	       buildid_cache_path(&id, "elf", path, sizeof(path)) && fn(res, path, ctx);
}

/* From a server: as a program, or as the file of debug symbols, which is the image, too. */
static bool served_image(struct resolver *res, place_fn *fn, void *ctx)
{
	struct build_id id;
	char *path;
	bool done;

	if (res->opts.ignore_vmlinux || !res->opts.debuginfod || !recorded_id(res, &id))
		return false;
	path = files_server_code(res, &id, "the kernel");
	done = path && fn(res, path, ctx);
	free(path);
	if (done)
		return true;
	path = files_server_debug(res, &id, "the kernel");
	done = path && fn(res, path, ctx);
	free(path);
	return done;
}

char *kernel_image(struct resolver *res, uint64_t *delta)
{
	struct image image = { NULL, 0 };

	if (res->opts.ignore_vmlinux)
		return NULL;
	if (!(res->vmlinux && try_image(res, res->vmlinux, &image)) &&
	    !cached_image(res, try_image, &image) && !each_place(res, try_image, &image))
		served_image(res, try_image, &image);
	*delta = image.delta;
	return image.path;
}

char *kernel_core(struct resolver *res)
{
	const char *slash = res->kallsyms ? strrchr(res->kallsyms, '/') : NULL;
	struct elf_file *f;
	char path[PATH_MAX];
	bool core;

	if (res->vmlinux && !res->opts.ignore_vmlinux &&
	    !elf_open(&f, res->vmlinux, symbol_elf_flags(res))) {
		core = f->ehdr.e_type == ET_CORE;
		elf_close(f);
		if (core)
			return strdup(res->vmlinux);
	}
	if (!res->kallsyms ||
	    snprintf(path, sizeof(path), "%.*skcore", slash ? (int)(slash + 1 - res->kallsyms) : 0,
		     res->kallsyms) >= (int)sizeof(path))
		return NULL;
	/* Of "--kallsyms /proc/kallsyms" that is the running kernel's: the caller knows when. */
	return strcmp(path, "/proc/kcore") && !access(path, R_OK) ? strdup(path) : NULL;
}

static bool cached_kallsyms(struct resolver *res, struct found *kt)
{
	struct build_id id;
	char path[PATH_MAX];

	return recorded_id(res, &id) && buildid_cache_path(&id, "kallsyms", path, sizeof(path)) &&
	       kallsyms_load(res, kt, path, false);
}

static bool host_kallsyms(struct resolver *res, struct found *kt, enum same same)
{
	int ret = 0;
	struct kallsyms *k = stored_wait(res->kernel.stored, &ret);

	if (!k) {
		k = kallsyms_of_host(res, same == SAME_UNKNOWN);
		ret = k ? kallsyms_read(k) : 0;
	}
	return k && kallsyms_take(res, kt, k, ret);
}

static void load(struct resolver *res, struct found *kt)
{
	const char *release = machine_os_release(res->m);
	enum same same;

	if (res->vmlinux && !res->opts.ignore_vmlinux && vmlinux_load(res, kt, res->vmlinux, true))
		return;
	if (res->kallsyms) {
		if (!kallsyms_load(res, kt, res->kallsyms, false))
			resolver_warn(res, "%s holds no kernel symbols", res->kallsyms);
		return;
	}
	if (res->symfs) {
		if (!each_place(res, load_place, kt) && !cached_image(res, load_place, kt))
			served_image(res, load_place, kt);
		return;
	}
	same = res->opts.no_host_kernel ? SAME_NO : same_kernel(res);
	if ((same != SAME_NO && host_kallsyms(res, kt, same)) ||
	    cached_image(res, load_place, kt) || cached_kallsyms(res, kt) ||
	    each_place(res, load_place, kt) || served_image(res, load_place, kt))
		return;
	if (same == SAME_NO && !res->opts.no_host_kernel)
		resolver_warn(res,
			      "kernel symbols are missing: the recorded kernel (%s) is not the "
			      "one that runs here; name its vmlinux with -k",
			      *release ? release : "unknown");
}

struct kernel_tab *kernel_load(struct resolver *res)
{
	struct kernel_tab *kt = &res->kernel;
	struct stored *s;

	if (kt->tried)
		return kt;
	kt->tried = true;
	s = get_kernel(res);
	if (!s) {
		resolver_no_memory(res, "symbols", "the kernel");
		return kt;
	}
	if (stored_begin(res, s))
		load(res, stored_found(s));
	stored_end(res, s, &kt->found);
	return kt;
}

bool kernel_host_delta(struct resolver *res, uint64_t *delta)
{
	const struct found *kt = &kernel_load(res)->found;
	struct kallsyms *k;
	bool known;

	*delta = kt->delta;
	if (kt->file && !strcmp(kt->file, KALLSYMS))
		return true;
	/* The names are of another text, which may be one of when it was recorded. */
	k = kallsyms_new(res, KALLSYMS, false);
	known = k && !kallsyms_read(k) && (k->ref_addr || !k->recorded);
	*delta = known ? k->delta : 0;
	kallsyms_free(k);
	return known;
}

static void load_rest(struct resolver *res, struct stored *s)
{
	int ret = 0;
	struct kallsyms *k = stored_wait(s, &ret);

	if (!k) {
		k = kallsyms_new(res, KALLSYMS, same_kernel(res) == SAME_UNKNOWN);
		ret = k ? kallsyms_read(k) : 0;
	}
	if (k)
		kallsyms_take(res, stored_found(s), k, ret);
}

struct symtab *kernel_rest(struct resolver *res)
{
	struct kernel_tab *kt = &res->kernel;
	struct stored *s;

	if (kt->rest_tried)
		return &kt->rest.tab;
	kt->rest_tried = true;
	s = get_rest(res);
	if (!s) {
		resolver_no_memory(res, "symbols", "the kernel");
		return &kt->rest.tab;
	}
	if (stored_begin(res, s))
		load_rest(res, s);
	stored_end(res, s, &kt->rest);
	return &kt->rest.tab;
}
