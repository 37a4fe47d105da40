// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finished symbol tables on disk, so that a second run need not make them of the same files again. A
 * file holds words that say what the table was made of, and by which perf; then its symbols and
 * its names, as they lie in memory:
 *
 *	W_WORDS words of 8 bytes	see below; all in this machine's byte order
 *	nr_syms * 16 bytes		struct sym
 *	blob bytes			names
 *
 * It is read, not mapped, so that nobody can change it under the reader, and believed for nothing: a sum
 * tells damage, and every number is checked like those of any other file. The sum has no key: who can
 * write into the directory can give functions wrong names, which is why that has to be the user's alone
 * (symcache-dir.c), but no more than that.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "buildid/buildid.h"
#include "config.h"
#include "box/box.h"
#include "symbol/symbol-int.h"

#define MAGIC	   0x6d79736672657000ULL /* "\0perfsym" */
#define RULES	   2 /* moves when a table of the same file would be another one */
#define FILE_MAX   (1u << 30)
#define OF_KERNEL  (1u << 31)
#define OF_TEXT	   (1u << 30)
#define USED_AGAIN 3600 /* seconds until a file's use is noted again */

enum word {
	W_MAGIC,
	W_VERSION,	       /* of perf, and what was built into it */
	W_ID,		       /* build id: 20 bytes and their number */
	W_RUN_SIZE = W_ID + 3, /* of kallsyms: that of its first bytes, and their sum */
	W_RUN_TIME,
	W_DEBUG_SIZE,
	W_DEBUG_TIME,
	W_DELTA,
	W_FLAGS,
	W_SYMS, /* so far all are known before the file is read */
	W_BLOB,
	W_SUM, /* of all before and behind it */
	W_WORDS,
};

_Static_assert(W_WORDS == SYMCACHE_WORDS, "words of struct symcache_key");

#define KNOWN (W_SYMS * sizeof(uint64_t))

/* ---- the sum --------------------------------------------------------------------------------- */

#define LANES 4

/* Four sums side by side: as fast as memory. One changed word always changes one of them. */
struct sum {
	uint64_t lane[LANES];
};

static void sum_words(struct sum *s, const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t *lane = &s->lane[i % LANES];

		*lane = (*lane ^ load_u64(p + 8 * i, false)) * HASH_GOLDEN;
		*lane = *lane << 31 | *lane >> 33;
	}
}

static void sum_add(struct sum *s, const void *p, size_t n)
{
	unsigned char rest[8 * LANES] = { 0 };
	size_t whole = n / sizeof(rest) * sizeof(rest);

	sum_words(s, p, whole / 8);
	if (n > whole)
		memcpy(rest, (const unsigned char *)p + whole, n - whole);
	sum_words(s, rest, LANES);
}

static const struct sum sum_begin = { { 1, 2, 3, 4 } };

/* The next process is to get the same: no hash_mix(). */
static uint64_t sum_end(const struct sum *s)
{
	uint64_t all = 0;

	for (size_t i = 0; i < LANES; i++)
		all = hash_fixed(all ^ (s->lane[i] + HASH_GOLDEN + (all << 6)));
	return all;
}

uint64_t symcache_sum(const void *p, size_t n)
{
	struct sum s = sum_begin;

	sum_add(&s, p, n);
	return sum_end(&s);
}

static uint64_t sum_of(const uint64_t *words, const struct symtab *t)
{
	struct sum s = sum_begin;

	sum_add(&s, words, W_SUM * sizeof(*words));
	sum_add(&s, t->sym.v, t->sym.n * sizeof(*t->sym.v));
	sum_add(&s, t->blob.v, t->blob.n);
	return sum_end(&s);
}

/* ---- what it is made of ---------------------------------------------------------------------- */

static uint64_t version_word(void)
{
	uint64_t made[3] = { symcache_sum(PERF_VERSION, strlen(PERF_VERSION)), RULES, 0 };

	/* Of aliases the better one is chosen by what is shown; .gnu_debugdata is packed. */
#if HAVE_LIBIBERTY
	made[2] |= 1;
#endif
#if HAVE_LZMA
	made[2] |= 2;
#endif
	return symcache_sum(made, sizeof(made));
}

static bool file_words(const struct elf_file *f, uint64_t *size, uint64_t *mtime)
{
	struct stat st;

	if (f->fd < 0 || fstat(f->fd, &st))
		return false;
	*size = (uint64_t)st.st_size;
	*mtime = (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
	return true;
}

static void set_id(struct symcache_key *k, const struct build_id *id, const char *kind)
{
	char hex[2 * BUILD_ID_MAX + 1];
	uint64_t *w = k->word;

	memset(k, 0, sizeof(*k));
	w[W_MAGIC] = MAGIC;
	w[W_VERSION] = version_word();
	memcpy(&w[W_ID], id->id, id->size);
	w[W_ID + 2] |= (uint64_t)id->size << (host_is_big_endian() ? 0 : 56);
	buildid_hex(id, hex);
	snprintf(k->name, sizeof(k->name), "%s.%s" SYMCACHE_SUFFIX, hex, kind);
}

bool symcache_kernel_key(struct symcache_key *k, const struct build_id *id, size_t n, uint64_t sum)
{
	if (id->size < 2)
		return false;
	set_id(k, id, "kallsyms");
	k->word[W_RUN_SIZE] = n;
	k->word[W_RUN_TIME] = sum;
	k->word[W_FLAGS] = OF_KERNEL | OF_TEXT;
	return true;
}

bool symcache_key(struct symcache_key *k, const struct resolver *res, struct elf_file *run,
		  struct elf_file *debug, const uint64_t *delta)
{
	const struct build_id *id = run || debug ? elf_build_id(run ? run : debug) : NULL;
	const char *kind = delta ? "kernel" : !run ? "debug" : debug ? "both" : "run";
	uint64_t *w;

	memset(k, 0, sizeof(*k));
	if (!id || id->size < 2)
		return false;
	set_id(k, id, kind);
	w = k->word;
	if ((run && !file_words(run, &w[W_RUN_SIZE], &w[W_RUN_TIME])) ||
	    (debug && !file_words(debug, &w[W_DEBUG_SIZE], &w[W_DEBUG_TIME])))
		return false;
	w[W_DELTA] = delta ? *delta : 0;
	w[W_FLAGS] = symbol_elf_flags(res) | (delta ? OF_KERNEL : 0);
	return true;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Every index leads into the table, or into the names; rows ascend. */
static bool is_sound(const struct symtab *t)
{
	uint64_t last = 0;

	if (!t->sym.n || !t->blob.n || t->blob.v[t->blob.n - 1])
		return false;
	for (size_t i = 0; i < t->sym.n; i++) {
		const struct sym *s = &t->sym.v[i];
		uint32_t at = s->name >> 2;
		bool rest = (s->name & 3) == SYM_REST;

		if (s->start < last || at >= (rest ? t->sym.n : t->blob.n) ||
		    (rest && (t->sym.v[at].name & 3) == SYM_REST))
			return false;
		last = s->start;
	}
	return true;
}

static bool read_table(int fd, const uint64_t *w, struct symtab *t)
{
	size_t syms = w[W_SYMS] * sizeof(struct sym), at = W_WORDS * sizeof(*w);

	if (vec_reserve(&t->sym, w[W_SYMS]) || vec_reserve(&t->blob, w[W_BLOB]))
		return false;
	t->sym.n = w[W_SYMS];
	t->blob.n = w[W_BLOB];
	return file_read_at(fd, t->sym.v, syms, at) == (ssize_t)syms &&
	       file_read_at(fd, t->blob.v, t->blob.n, at + syms) == (ssize_t)t->blob.n &&
	       sum_of(w, t) == w[W_SUM] && is_sound(t);
}

/* Whose the file is, and whether it has just the size that it says. */
static bool fits(int fd, const struct symcache_key *k, uint64_t *w, struct stat *st)
{
	uint64_t rows, size = W_WORDS * sizeof(*w);

	if (fstat(fd, st) || !S_ISREG(st->st_mode) || st->st_uid != geteuid() ||
	    st->st_mode & (S_IWGRP | S_IWOTH) || (uint64_t)st->st_size < size ||
	    st->st_size > FILE_MAX || file_read_at(fd, w, size, 0) != (ssize_t)size ||
	    memcmp(w, k->word, KNOWN) != 0)
		return false;
	rows = (uint64_t)st->st_size - size;
	return w[W_SYMS] <= rows / sizeof(struct sym) &&
	       w[W_BLOB] == rows - w[W_SYMS] * sizeof(struct sym);
}

/* What was used last stays longest. */
static void note_use(int fd, const struct stat *st)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_nsec = UTIME_NOW } };

	if (time(NULL) - st->st_mtime > USED_AGAIN)
		(void)futimens(fd, times);
}

bool symcache_read(const struct symcache *c, const struct symcache_key *k, struct symtab *t)
{
	uint64_t w[W_WORDS];
	struct stat st;
	bool found;
	int fd;

	if (c->dir < 0)
		return false;
	fd = openat(c->dir, k->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return false;
	found = fits(fd, k, w, &st) && read_table(fd, w, t);
	if (found)
		note_use(fd, &st);
	close(fd);
	if (found)
		starts_build(&t->starts, t->sym.v, t->sym.n);
	else
		symtab_free(t);
	return found;
}

bool symcache_get(struct resolver *res, const struct symcache_key *k, struct symtab *t)
{
	bool found = symcache_read(stored_cache(res), k, t);

	if (found)
		log_to(&res->opts.log, LOG_INFO, "symbols of the cache: %s", k->name);
	return found;
}

/* ---- writing --------------------------------------------------------------------------------- */

static int write_table(int fd, const uint64_t *w, const struct symtab *t)
{
	int ret = write_all(fd, w, W_WORDS * sizeof(*w));

	ret = ret ?: write_all(fd, t->sym.v, t->sym.n * sizeof(*t->sym.v));
	return ret ?: write_all(fd, t->blob.v, t->blob.n);
}

static int begin(int dir, const char *temp)
{
	struct box_answer a;
	int fd;

	if (box_closed())
		return box_ask(BOX_TABLE, temp, strlen(temp), &a) ?: a.fd;
	fd = openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	return fd < 0 ? -errno : fd;
}

/* In a box; @name "" where it failed. */
static int end(const char *temp, const char *name)
{
	char q[2 * SYMCACHE_NAME];
	struct box_answer a;
	int n = snprintf(q, sizeof(q), "%s%c%s", temp, 0, name);

	return n >= (int)sizeof(q) ? -EINVAL : box_ask(BOX_TABLE_KEEP, q, (size_t)n, &a);
}

/* Under a name of its own first: others see the whole file or none. */
static int put(int dir, const struct symcache_key *k, const uint64_t *w, const struct symtab *t)
{
	char temp[64];
	int fd, ret;

	snprintf(temp, sizeof(temp), SYMCACHE_TEMP "%d-%d" SYMCACHE_SUFFIX, (int)getpid(),
		 (int)gettid());
	fd = begin(dir, temp);
	if (fd < 0)
		return fd;
	ret = write_table(fd, w, t);
	if (close(fd) && !ret)
		ret = -errno;
	if (box_closed())
		return end(temp, ret ? "" : k->name) ?: ret;
	if (!ret && renameat(dir, temp, dir, k->name))
		ret = -errno;
	if (ret)
		unlinkat(dir, temp, 0);
	return ret;
}

void symcache_put(const struct symcache *c, const struct symcache_key *k, const struct symtab *t)
{
	uint64_t w[W_WORDS], size = sizeof(w) + t->sym.n * sizeof(*t->sym.v) + t->blob.n;

	if (size > c->limit || size > FILE_MAX)
		return;
	memcpy(w, k->word, sizeof(w));
	w[W_SYMS] = t->sym.n;
	w[W_BLOB] = t->blob.n;
	w[W_SUM] = sum_of(w, t);
	/* A full disk is no news for who wants a report. */
	if (!put(c->dir, k, w, t) && !box_closed())
		symcache_trim(c, time(NULL));
}
