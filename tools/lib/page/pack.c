// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The data's way into the page. Up to 128 KiB it stands there as it is: any browser reads that, and
 * any editor. More goes through gzip as it comes, and as base64, a quarter larger than gzip's bytes
 * and yet a small part of the text; the page has the browser unpack it. Without zlib it is never
 * packed.
 */
#include "config.h"
#include "page-int.h"

#if HAVE_ZLIB
#include <zlib.h>
#endif

#define PLAIN_MAX (128 << 10)
#define CHUNK	  (64 << 10)

struct pack {
	struct obuf *out;
	struct obuf text;
	bool packed;
	int code;
#if HAVE_ZLIB
	z_stream z;
	unsigned char bytes[CHUNK + 3]; /* what gzip gave, less than three of it left from before */
	size_t left;
#endif
};

int page_pack_begin(struct pack **k, struct obuf *out)
{
	*k = calloc(1, sizeof(**k));
	if (!*k)
		return -ENOMEM;
	(*k)->out = out;
	if (obuf_init(&(*k)->text, -1, 2 * CHUNK)) {
		free(*k);
		*k = NULL;
		return -ENOMEM;
	}
	return 0;
}

struct obuf *page_pack_text(struct pack *k)
{
	return &k->text;
}

static void open_element(struct pack *k, const char *form)
{
	obuf_printf(k->out, "<script id=\"data\" type=\"text/plain\" data-form=\"%s\">", form);
}

#if HAVE_ZLIB
/* All that is in text, and with Z_FINISH what is still inside of zlib. */
static void squeeze(struct pack *k, int how)
{
	k->z.next_in = (unsigned char *)k->text.buf;
	k->z.avail_in = (unsigned)k->text.len;
	do {
		size_t n;

		k->z.next_out = k->bytes + k->left;
		k->z.avail_out = (unsigned)(sizeof(k->bytes) - k->left);
		deflate(&k->z, how); /* there is always room: it cannot fail */
		n = (size_t)(k->z.next_out - k->bytes);
		k->left = n % 3;
		obuf_base64(k->out, k->bytes, n - k->left);
		memmove(k->bytes, k->bytes + n - k->left, k->left);
	} while (!k->z.avail_out);
	k->text.len = 0;
}

static void start_packing(struct pack *k)
{
	/* 16: gzip's header and checksum. */
	if (deflateInit2(&k->z, 6, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
		k->code = -ENOMEM;
		return;
	}
	k->packed = true;
	open_element(k, "gzip");
}

void page_pack_more(struct pack *k)
{
	if (!k->code && !k->packed && k->text.len > PLAIN_MAX)
		start_packing(k);
	if (k->code)
		k->text.len = 0;
	else if (k->packed && k->text.len > CHUNK)
		squeeze(k, Z_NO_FLUSH);
}

static void end_packing(struct pack *k)
{
	squeeze(k, Z_FINISH);
	obuf_base64(k->out, k->bytes, k->left);
	deflateEnd(&k->z);
}
#else
void page_pack_more(struct pack *k)
{
	(void)k;
}

static void end_packing(struct pack *k)
{
	(void)k;
}
#endif

int page_pack_end(struct pack *k)
{
	int ret;

	page_pack_more(k);
	ret = k->code ? k->code : k->text.code;
	if (k->packed) {
		end_packing(k);
	} else {
		open_element(k, "json");
		obuf_mem(k->out, k->text.buf, k->text.len);
	}
	obuf_lit(k->out, "</script>\n");
	obuf_free(&k->text);
	free(k);
	return ret;
}
