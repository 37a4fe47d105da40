// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * COMPRESSED and COMPRESSED2 records: their payloads are one zstd stream, its output is records
 * again, and a record cut at the end of one chunk goes on in the next. What a chunk holds is
 * taken out piece by piece, so that no chunk, however well packed, needs more than one buffer.
 */
#include <stdlib.h>

#include "base/lack.h"
#include "config.h"
#include "perfdata-int.h"

#if HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>

#define UNZIP_BUF (512u << 10)

/*
 * A few kilobytes can stand for gigabytes that never end on disk. Samples hold times and
 * registers: recorders pack them to a fifth, hardly ever to a fiftieth.
 */
#define UNZIP_FREE  (64ull << 20) /* whatever it was packed to */
#define UNZIP_RATIO 256

struct unzip {
	ZSTD_DStream *ds;
	ZSTD_inBuffer in;
	bool more; /* zstd still holds output */
	bool no_limits;
	uint64_t fed;  /* bytes, packed */
	uint64_t base; /* of buf[0] in the decompressed stream */
	size_t pos, len;
	unsigned char buf[UNZIP_BUF];
};

struct unzip *unzip_new(bool no_limits, struct err *e)
{
	struct unzip *z = malloc(sizeof(*z));

	if (z) {
		z->no_limits = no_limits;
		z->ds = ZSTD_createDStream();
		unzip_reset(z);
	}
	if (!z || !z->ds) {
		free(z);
		err_set(e, -ENOMEM, "out of memory for decompression");
		return NULL;
	}
	return z;
}

void unzip_free(struct unzip *z)
{
	if (z)
		ZSTD_freeDStream(z->ds);
	free(z);
}

void unzip_reset(struct unzip *z)
{
	if (z->ds)
		ZSTD_initDStream(z->ds);
	z->in = (ZSTD_inBuffer){ NULL, 0, 0 };
	z->more = false;
	z->base = z->pos = z->len = 0;
	z->fed = 0;
}

void unzip_feed(struct unzip *z, const void *data, size_t size)
{
	z->in = (ZSTD_inBuffer){ data, size, 0 };
	z->fed += size;
}

static int too_much(const struct unzip *z, struct err *e)
{
	err_set(e, -EFBIG,
		"%llu bytes of records unpack to more than %llu MB: no recorder packs so well",
		(unsigned long long)z->fed, (unsigned long long)((z->base + z->len) >> 20));
	err_hint(e,
		 "What came before is used. --no-limits reads on, into memory and temporary files "
		 "as large as it takes.");
	return -EFBIG;
}

size_t unzip_left(const struct unzip *z)
{
	return z->len - z->pos;
}

/* More output behind what is left. 1 = some came, 0 = needs input. */
static int unzip_fill(struct unzip *z, struct err *e)
{
	ZSTD_outBuffer out = { z->buf, UNZIP_BUF, 0 };
	size_t ret;

	if (!z->more && z->in.pos == z->in.size)
		return 0;
	if (unlikely(z->base + z->len > max_u64(UNZIP_FREE, UNZIP_RATIO * z->fed)) && !z->no_limits)
		return too_much(z, e);
	memmove(z->buf, z->buf + z->pos, z->len - z->pos);
	z->base += z->pos;
	z->len -= z->pos;
	z->pos = 0;
	out.pos = z->len;
	ret = ZSTD_decompressStream(z->ds, &out, &z->in);
	if (ZSTD_isError(ret) && ZSTD_getErrorCode(ret) == ZSTD_error_memory_allocation) {
		lack_memory();
		return err_set(e, -ENOMEM, "out of memory to decompress records");
	}
	if (ZSTD_isError(ret))
		return err_set(e, -EBADMSG, "cannot decompress: %s", ZSTD_getErrorName(ret));
	z->more = out.pos == out.size;
	if (out.pos == z->len && z->in.pos == z->in.size)
		z->more = false;
	z->len = out.pos;
	return 1;
}

int unzip_next(struct unzip *z, bool swap, struct raw_record *r, struct err *e)
{
	for (;;) {
		const unsigned char *p = z->buf + z->pos;
		size_t left = z->len - z->pos;
		int ret;

		if (left >= 8) {
			r->data = p;
			r->offset = z->base + z->pos;
			r->type = load_u32(p, swap);
			r->misc = load_u16(p + 4, swap);
			r->size = load_u16(p + 6, swap);
			r->unzipped = true;
			if (r->size < 8)
				return -EBADMSG; /* the caller says which record */
			if (left >= r->size) {
				z->pos += r->size;
				return 1;
			}
		}
		ret = unzip_fill(z, e);
		if (ret <= 0)
			return ret;
	}
}

#else

struct unzip *unzip_new(bool no_limits, struct err *e)
{
	(void)no_limits;
	err_set(e, -ENOTSUP, "the records are compressed with zstd, which this build leaves out");
	err_hint(e, "install libzstd-dev and build again");
	return NULL;
}

void unzip_free(struct unzip *z)
{
	(void)z;
}

void unzip_reset(struct unzip *z)
{
	(void)z;
}

void unzip_feed(struct unzip *z, const void *data, size_t size)
{
	(void)z, (void)data, (void)size;
}

size_t unzip_left(const struct unzip *z)
{
	(void)z;
	return 0;
}

int unzip_next(struct unzip *z, bool swap, struct raw_record *r, struct err *e)
{
	(void)z, (void)swap, (void)r;
	return err_set(e, -ENOTSUP, "no zstd in this build");
}

#endif
