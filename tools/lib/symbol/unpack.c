// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is packed: kernel modules, by gzip, xz or zstd as their kernel was configured, and
 * .gnu_debugdata, by xz. Unpacked in memory, up to a size that no honest file has.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "config.h"
#include "symbol/symbol-int.h"

#if HAVE_ZLIB || HAVE_LZMA || HAVE_ZSTD
#define UNPACKED_MAX (256u << 20)

/* Room for more behind the first u->n bytes. 0 or -ENOMEM. */
static int make_room(struct unpacked *u)
{
	size_t cap = u->cap ? u->cap * 2 : 1 << 20, max = u->max ? u->max : UNPACKED_MAX;
	unsigned char *p;

	if (u->n < u->cap)
		return 0;
	p = cap <= max ? realloc(u->v, cap) : NULL;
	if (!p)
		return -ENOMEM;
	u->v = p;
	u->cap = cap;
	return 0;
}
#endif

#if HAVE_ZLIB
#include <zlib.h>

int unpack_gzip(const void *in, size_t n, struct unpacked *out)
{
	z_stream s = { .next_in = (Bytef *)in, .avail_in = (uInt)min_u64(n, UINT_MAX) };
	int ret = inflateInit2(&s, 16 + MAX_WBITS); /* 16: gzip's header, no other */

	if (ret != Z_OK)
		return -ENOMEM;
	while (ret == Z_OK && !make_room(out)) {
		s.next_out = out->v + out->n;
		s.avail_out = (uInt)(out->cap - out->n);
		ret = inflate(&s, Z_NO_FLUSH);
		out->n = out->cap - s.avail_out;
	}
	inflateEnd(&s);
	return ret == Z_STREAM_END ? 0 : -ENOEXEC;
}
#else
int unpack_gzip(const void *in, size_t n, struct unpacked *out)
{
	(void)in, (void)n, (void)out;
	return -ENOTSUP;
}
#endif

#if HAVE_LZMA
#include <lzma.h>

#define XZ_MEMORY (64u << 20)

int unpack_xz(const void *in, size_t n, struct unpacked *out)
{
	lzma_stream s = LZMA_STREAM_INIT;
	lzma_ret ret = lzma_stream_decoder(&s, XZ_MEMORY, 0);

	if (ret != LZMA_OK)
		return -ENOMEM;
	s.next_in = in;
	s.avail_in = n;
	while (ret == LZMA_OK && !make_room(out)) {
		s.next_out = out->v + out->n;
		s.avail_out = out->cap - out->n;
		ret = lzma_code(&s, LZMA_FINISH);
		out->n = out->cap - s.avail_out;
	}
	lzma_end(&s);
	return ret == LZMA_STREAM_END ? 0 : -ENOEXEC;
}
#else
int unpack_xz(const void *in, size_t n, struct unpacked *out)
{
	(void)in, (void)n, (void)out;
	return -ENOTSUP;
}
#endif

#if HAVE_ZSTD
#include <zstd.h>

int unpack_zstd(const void *in, size_t n, struct unpacked *out)
{
	ZSTD_DStream *s = ZSTD_createDStream();
	ZSTD_inBuffer from = { in, n, 0 };
	size_t left = 1;
	bool cut = false;

	if (!s)
		return -ENOMEM;
	while (left && !ZSTD_isError(left) && !cut && !make_room(out)) {
		ZSTD_outBuffer to = { out->v, out->cap, out->n };

		left = ZSTD_decompressStream(s, &to, &from);
		out->n = to.pos;
		cut = from.pos == from.size && to.pos < to.size;
	}
	ZSTD_freeDStream(s);
	return left ? -ENOEXEC : 0;
}
#else
int unpack_zstd(const void *in, size_t n, struct unpacked *out)
{
	(void)in, (void)n, (void)out;
	return -ENOTSUP;
}
#endif
