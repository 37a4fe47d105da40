// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * COMPRESSED records (type 81, the one that every perf since 5.2 reads): their payloads form one
 * zstd stream for the whole file. Each chunk of input is flushed, so no more than one chunk
 * comes out of a record, which is what readers size their buffers for.
 *
 * The stream is many frames, since nobody can begin in the middle of one: with frames of 2 MB several
 * threads unpack one file, for 0.3 to 3 % more bytes. A frame ends behind a whole record, where what is
 * handed in at once is not larger than a frame itself.
 */
#include <stdlib.h>

#include "config.h"
#include "perfdata-int.h"
#include "write-int.h"

#define ZIP_CHUNK (256u << 10)

uint32_t writer_zip_chunk(void)
{
	return ZIP_CHUNK;
}

#if HAVE_ZSTD
#include <zstd.h>

#define ZIP_OUT	  (RECORD_MAX & ~7u)
#define ZIP_FRAME (2u << 20)

struct zip {
	ZSTD_CStream *cs;
	int level;
	size_t len;
	uint64_t frame; /* bytes that were packed into the frame at hand */
	unsigned char in[ZIP_CHUNK];
	unsigned char out[ZIP_OUT];
};

int writer_zip_init(struct perfdata_writer *w, int level, struct err *e)
{
	struct zip *z = malloc(sizeof(*z));

	if (z)
		z->cs = ZSTD_createCStream();
	if (!z || !z->cs) {
		free(z);
		return err_set(e, -ENOMEM, "out of memory for compression");
	}
	z->len = 0;
	z->frame = 0;
	z->level = level;
	ZSTD_initCStream(z->cs, level);
	w->zip = z;
	return 0;
}

int writer_zip_level(const struct perfdata_writer *w)
{
	return w->zip->level;
}

/* What is in z->in, as one or more COMPRESSED records; ZSTD_e_end: the frame ends there. */
static int put_chunk(struct perfdata_writer *w, ZSTD_EndDirective how, struct err *e)
{
	struct zip *z = w->zip;
	ZSTD_inBuffer in = { z->in, z->len, 0 };
	size_t left;
	int ret;

	z->frame += z->len;
	if (how == ZSTD_e_end)
		z->frame = 0;
	do {
		ZSTD_outBuffer out = { z->out + 8, ZIP_OUT - 8, 0 };

		left = ZSTD_compressStream2(z->cs, &out, &in, how);
		if (ZSTD_isError(left))
			return err_set(e, -EIO, "zstd cannot compress: %s",
				       ZSTD_getErrorName(left));
		store_u32(z->out, PERF_RECORD_COMPRESSED);
		store_u16(z->out + 4, 0);
		store_u16(z->out + 6, (uint16_t)(out.pos + 8));
		ret = writer_put(w, z->out, out.pos + 8, NULL, 0, e);
		if (ret)
			return ret;
	} while (left);
	z->len = 0;
	return 0;
}

int writer_zip_flush(struct perfdata_writer *w, struct err *e)
{
	return w->zip->len ? put_chunk(w, ZSTD_e_flush, e) : 0;
}

static int zip_piece(struct perfdata_writer *w, const unsigned char *p, size_t n, struct err *e)
{
	struct zip *z = w->zip;

	while (n) {
		size_t part = (size_t)min_u64(n, ZIP_CHUNK - z->len);
		int ret;

		memcpy(z->in + z->len, p, part);
		z->len += part;
		p += part;
		n -= part;
		if (z->len < ZIP_CHUNK)
			continue;
		ret = put_chunk(w, z->frame < 2 * ZIP_FRAME ? ZSTD_e_flush : ZSTD_e_end, e);
		if (ret)
			return ret;
	}
	return 0;
}

int writer_zip(struct perfdata_writer *w, const void *a, size_t na, const void *b, size_t nb,
	       struct err *e)
{
	int ret = zip_piece(w, a, na, e);

	ret = ret ? ret : zip_piece(w, b, nb, e);
	if (!ret && w->zip->frame + w->zip->len >= ZIP_FRAME)
		ret = put_chunk(w, ZSTD_e_end, e);
	return ret;
}

void writer_zip_free(struct perfdata_writer *w)
{
	if (w->zip)
		ZSTD_freeCStream(w->zip->cs);
	free(w->zip);
}

#else

int writer_zip_init(struct perfdata_writer *w, int level, struct err *e)
{
	(void)w, (void)level;
	err_set(e, -ENOTSUP, "this build has no zstd: it cannot compress recordings");
	err_hint(e, "install libzstd-dev and build again, or record without -z");
	return -ENOTSUP;
}

int writer_zip(struct perfdata_writer *w, const void *a, size_t na, const void *b, size_t nb,
	       struct err *e)
{
	return writer_put(w, a, na, b, nb, e);
}

int writer_zip_flush(struct perfdata_writer *w, struct err *e)
{
	(void)w, (void)e;
	return 0;
}

int writer_zip_level(const struct perfdata_writer *w)
{
	(void)w;
	return 0;
}

void writer_zip_free(struct perfdata_writer *w)
{
	(void)w;
}

#endif
