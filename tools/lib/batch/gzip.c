// SPDX-License-Identifier: GPL-2.0-or-later
/* What goes over a network, or waits for one, is packed by zlib. Without that it goes as it is. */
#include "config.h"
#include "batch/batch.h"

#define GZIP 16 /* added to the size of the window: zlib.h, "deflateInit2" */

#if HAVE_ZLIB
#include <zlib.h>

/* A few kilobytes can stand for a full memory. Blocks have BATCH_PART rows at most. */
#define MOST (1ull << 31)

static int run(z_stream *z, int (*step)(z_stream *, int), struct obuf *o)
{
	unsigned char out[1 << 14];
	int ret = Z_OK;

	while (ret == Z_OK) {
		z->next_out = out;
		z->avail_out = sizeof(out);
		ret = step(z, Z_FINISH);
		/* All that fits was written, and there is more. */
		if (ret == Z_BUF_ERROR && !z->avail_out)
			ret = Z_OK;
		obuf_mem(o, out, sizeof(out) - z->avail_out);
		if (o->len > MOST)
			return -EFBIG;
	}
	return ret == Z_STREAM_END ? o->code : ret == Z_MEM_ERROR ? -ENOMEM : -EINVAL;
}

int batch_gzip(const void *p, size_t n, struct obuf *o)
{
	z_stream z = { .next_in = (void *)p, .avail_in = (uInt)n };
	int ret;

	if (n > UINT32_MAX ||
	    deflateInit2(&z, 3, Z_DEFLATED, MAX_WBITS + GZIP, 8, Z_DEFAULT_STRATEGY))
		return -ENOMEM;
	ret = run(&z, deflate, o);
	deflateEnd(&z);
	return ret;
}

int batch_gunzip(const void *p, size_t n, struct obuf *o)
{
	z_stream z = { .next_in = (void *)p, .avail_in = (uInt)n };
	int ret;

	if (n > UINT32_MAX || inflateInit2(&z, MAX_WBITS + GZIP))
		return -ENOMEM;
	ret = run(&z, inflate, o);
	inflateEnd(&z);
	return ret;
}
#else
int batch_gzip(const void *p, size_t n, struct obuf *o)
{
	(void)p, (void)n, (void)o;
	return -ENOTSUP;
}

int batch_gunzip(const void *p, size_t n, struct obuf *o)
{
	(void)p, (void)n, (void)o;
	return -ENOTSUP;
}
#endif
