// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records that cannot be read again from where they came (a pipe, what was packed): chunks in
 * memory, beyond a limit in an unlinked file in TMPDIR. A place in it stays the same whether it is
 * in memory or not.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "box/box.h"
#include "perfdata-int.h"

void spool_init(struct spool *s, size_t max_mem)
{
	*s = (struct spool){ .max_mem = max_mem, .fd = -1 };
}

static int temp_file(struct err *e)
{
	const char *dir = getenv("TMPDIR");
	int fd = box_temp_file();

	if (fd >= 0)
		return fd;
	err_set(e, fd, "cannot create a temporary file in %s: %s", dir && *dir ? dir : "/tmp",
		strerror(-fd));
	err_hint(e, "records are sorted there once they exceed the memory limit; set TMPDIR to a "
		    "directory with room");
	return fd;
}

static int pwrite_all(int fd, const void *buf, size_t n, uint64_t off)
{
	while (n) {
		ssize_t r = pwrite(fd, buf, n, (off_t)off);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return r < 0 ? -errno : -EIO;
		buf = (const char *)buf + r;
		n -= (size_t)r;
		off += (uint64_t)r;
	}
	return 0;
}

/* A full chunk leaves memory when there are too many. */
static int spool_spill(struct spool *s, size_t i, struct err *e)
{
	int ret;

	if (s->in_mem <= s->max_mem || !s->chunks.v[i])
		return 0;
	if (s->fd < 0)
		s->fd = temp_file(e);
	if (s->fd < 0)
		return s->fd;
	ret = pwrite_all(s->fd, s->chunks.v[i], SPOOL_CHUNK, (uint64_t)i * SPOOL_CHUNK);
	if (ret) {
		err_set(e, ret, "cannot write records to a temporary file: %s", strerror(-ret));
		err_hint(e, "set TMPDIR to a directory with more room");
		return ret;
	}
	free(s->chunks.v[i]);
	s->chunks.v[i] = NULL;
	s->in_mem -= SPOOL_CHUNK;
	return 0;
}

static int spool_new_chunk(struct spool *s, struct err *e)
{
	unsigned char *chunk = NULL;

	if (!vec_reserve(&s->chunks, s->chunks.n + 1))
		chunk = malloc(SPOOL_CHUNK);
	if (!chunk)
		return err_set(e, -ENOMEM, "out of memory for records to be sorted");
	s->chunks.v[s->chunks.n++] = chunk;
	s->in_mem += SPOOL_CHUNK;
	return s->chunks.n < 2 ? 0 : spool_spill(s, s->chunks.n - 2, e);
}

int spool_append(struct spool *s, const void *data, size_t size, struct err *e)
{
	while (size) {
		size_t i = s->end / SPOOL_CHUNK, at = s->end % SPOOL_CHUNK, n;
		int ret = i < s->chunks.n ? 0 : spool_new_chunk(s, e);

		if (ret)
			return ret;
		n = (size_t)min_u64(size, SPOOL_CHUNK - at);
		memcpy(s->chunks.v[i] + at, data, n);
		data = (const char *)data + n;
		size -= n;
		s->end += n;
	}
	return 0;
}

int spool_read(const struct spool *s, uint64_t pos, void *buf, size_t size, struct err *e)
{
	while (size) {
		size_t i = pos / SPOOL_CHUNK, at = pos % SPOOL_CHUNK;
		size_t n = (size_t)min_u64(size, SPOOL_CHUNK - at);

		if (i < s->chunks.n && s->chunks.v[i])
			memcpy(buf, s->chunks.v[i] + at, n);
		else if (window_pread(s->fd, buf, n, pos) != (ssize_t)n)
			return err_set(e, -EIO, "cannot read records back from a temporary file");
		buf = (char *)buf + n;
		pos += n;
		size -= n;
	}
	return 0;
}

void spool_release(struct spool *s, uint64_t before)
{
	size_t last = (size_t)(min_u64(before, s->end) / SPOOL_CHUNK);

	if (before >= s->end) {
		/* Empty: start again, so that positions and the file stay small. */
		for (size_t i = s->first; i < s->chunks.n; i++)
			free(s->chunks.v[i]);
		s->chunks.n = s->first = s->in_mem = 0;
		s->end = 0;
		if (s->fd >= 0)
			(void)!ftruncate(s->fd, 0); /* it only stays long */
		return;
	}
	for (; s->first < last; s->first++) {
		unsigned char **chunk = &s->chunks.v[s->first];

		if (*chunk)
			s->in_mem -= SPOOL_CHUNK;
		else
			fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				  (off_t)s->first * SPOOL_CHUNK, SPOOL_CHUNK);
		free(*chunk);
		*chunk = NULL;
	}
}

void spool_free(struct spool *s)
{
	for (size_t i = 0; i < s->chunks.n; i++)
		free(s->chunks.v[i]);
	vec_free(&s->chunks);
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}
