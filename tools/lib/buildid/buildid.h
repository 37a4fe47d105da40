/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * buildid: what tells objects apart: where an object's build id is found, how a recording lists it,
 * and the cache, which keeps a program as it was when it was recorded (or brings one from another
 * machine). The cache has upstream's layout:
 *
 *	DIR/usr/bin/prog/ID/elf			the file; "kallsyms", "vdso" for those objects
 *	DIR/.build-id/xx/yyyy...		-> ../../usr/bin/prog/ID
 *
 * DIR is $PERF_BUILDID_DIR, or ~/.debug. ID is the build id in hex, xx its first byte. An object is
 * found by the link; the directories tell which ids a path ever had. Errors are -errno with a text;
 * -EEXIST and -ENOENT say that an object was there or was not.
 */
#ifndef PERF_BUILDID_H
#define PERF_BUILDID_H

#include "box/box.h"
#include "elf/elf.h"
#include "machine/machine.h"

/* The id in hex, at least 2 * BUILD_ID_MAX + 1 bytes. */
void buildid_hex(const struct build_id *id, char *hex);
/* Hex digits as above; false when they are none or too many. */
bool buildid_parse(const char *hex, struct build_id *id);

/*
 * The build id of an object of this machine: as recorded, or read from the file, /sys/kernel/notes
 * or /sys/module. False when there is none.
 */
bool buildid_of_dso(const struct dso *dso, struct build_id *id);
/* Appends an entry of the feature BUILD_ID: of @dso, or one that a recording has. Names longer than
 * PATH_MAX are left out. */
void buildid_put_entry(struct obuf *o, const struct dso *dso, const struct build_id *id);
void buildid_put_recorded(struct obuf *o, const struct perfdata_build_id *b);

/*
 * Roots other than ours that processes of a recording have: of containers, of chroot. In them paths
 * name other files. What is looked for is told by its build id; without one, by device and inode.
 */
struct buildid_roots;
int buildid_roots_new(struct buildid_roots **r); /* 0 or -ENOMEM */
void buildid_roots_free(struct buildid_roots *r);
/* That of process @pid, if it lives. @keep: its files can be opened after the process' end, too. */
void buildid_roots_add(struct buildid_roots *r, int32_t pid, bool keep);
/* Those of @m's processes that live; called again, of those that came since. */
void buildid_roots_add_all(struct buildid_roots *r, struct machine *m);
/*
 * Another machine comes: all are forgotten but those that were to be kept and that a process had
 * which lives: the first one, or one that was added when that had ended.
 */
void buildid_roots_renew(struct buildid_roots *r);
size_t buildid_roots_nr(const struct buildid_roots *r);
/*
 * A descriptor of the file of @dso in one of them, -ENOENT when none has it. @id is its build id
 * (size 0: it has none), @path where it lies as seen from here while the process lives.
 */
int buildid_roots_open(const struct buildid_roots *r, const struct dso *dso, struct build_id *id,
		       char *path, size_t size);

/* BOX_ROOT, BOX_ROOT_FILE of a box: they tell of roots, and open what is code in others than ours. */
int buildid_serve_root(void *ctx, const char *q, size_t size, struct box_answer *a);
int buildid_serve_file(void *ctx, const char *q, size_t size, struct box_answer *a);

/* The cache's directory; false when there is no home and nothing was named. */
bool buildid_cache_dir(char *buf, size_t size);
/* Where the file called @name ("elf", "debug") of @id lies, whether or not it is there. */
bool buildid_cache_path(const struct build_id *id, const char *name, char *buf, size_t size);

/*
 * Copies @from into the cache as the object @path, an absolute path or a name in brackets, under
 * @name. A copy appears whole or not at all.
 */
int buildid_cache_add(const struct build_id *id, const char *from, const char *path,
		      const char *name, struct err *e);
int buildid_cache_remove(const struct build_id *id, struct err *e);
/* Everything that the cache has of @path; *nr: how many objects that were. */
int buildid_cache_purge(const char *path, size_t *nr, struct err *e);

/* Everything. */
int buildid_cache_clear(struct err *e);

typedef int buildid_entry_fn(void *ctx, const struct build_id *id, const char *path);
/* Calls @entry for each object, in order of ids; non-zero ends and is returned. */
int buildid_cache_list(buildid_entry_fn *entry, void *ctx, struct err *e);
/* For each that @pd lists and the cache has not, in the recording's order. */
int buildid_cache_missing(const struct perfdata *pd, buildid_entry_fn *entry, void *ctx);

/* ---- as text ------------------------------------------------------------------------------------ */

/* The digits alone. */
void buildid_print(struct obuf *out, const uint8_t *id, size_t size);
/* That of the running kernel; of it and its modules, with where they lie. */
int buildid_print_kernel(struct obuf *out, struct err *e);
int buildid_print_kernel_maps(struct obuf *out, struct err *e);
/* What @pd lists. */
void buildid_print_recorded(struct perfdata *pd, struct obuf *out);
/* An object's own build id, or what the recording says about its path (a pipe: at its end). */
void buildid_print_dso(struct perfdata *pd, const struct dso *dso, struct obuf *out);

#endif
