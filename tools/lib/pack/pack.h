/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pack: the objects of a recording in one archive, for reading it on a machine that does not have them.
 * What is in it lies as in the cache of build ids (buildid/buildid.h), so that tar can put it there too:
 *
 *	usr/bin/prog/ID/elf			the file; "debug", "kallsyms"
 *	.build-id/xx/yyyy...		-> ../../usr/bin/prog/ID
 *	perf.data				the recording itself, if it was added
 *
 *	struct pack *p;
 *	int ret = pack_new(&p, "perf.data.tar.zst", true, &err);
 *
 *	ret = ret ?: pack_add(p, &id, "/usr/bin/prog", "elf", "/usr/bin/prog", &err);
 *	ret = ret ?: pack_end(p, &err);
 *	pack_free(p);
 *
 * Archives are read and written by libarchive, which is loaded when it is needed. Errors are -errno with a
 * text, -ENOTSUP where there is no libarchive. Nothing is shared between packs: any thread.
 */
#ifndef PERF_PACK_H
#define PERF_PACK_H

#include "buildid/buildid.h"

struct pack;

/*
 * A new archive at @path ("-": stdout), packed as its name says: .tar, .tar.gz, .tar.bz2, .tar.xz, .tar.zst.
 * -EINVAL for another name. @shared: others may read it, where the umask says so.
 */
int pack_new(struct pack **p, const char *path, bool shared, struct err *e);
/* Without pack_end() before, nothing is left of it. */
void pack_free(struct pack *p);
/*
 * The file @from as @name of the object @id, which was recorded as @path (absolute, or a name in brackets).
 * -EEXIST: it is in there.
 */
int pack_add(struct pack *p, const struct build_id *id, const char *path, const char *name,
	     const char *from, struct err *e);
int pack_add_recording(struct pack *p, const char *from, struct err *e);
int pack_end(struct pack *p, struct err *e);

struct pack_taken {
	size_t added, had, refused; /* files */
	bool recording;		    /* ./perf.data was written */
};

/*
 * What the archive at @path ("-": stdin) has, into the cache of build ids, and a recording into the directory
 * at hand. Whatever is no object of that build id is refused, and said to @log; a file with a name of
 * another form is passed over. @no_limits: also what unpacks to much more than it is.
 */
int pack_unpack(const char *path, bool no_limits, const struct log_sink *log, struct pack_taken *n,
		struct err *e);

#endif
