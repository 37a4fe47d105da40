// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All output goes through one large buffer. A failure (no memory, disk full) is kept in the buffer
 * and what comes after it is dropped: callers print without looking, and the end of a command asks
 * once. printf() costs more than the rest of a line of perf script, hence the numbers by hand, two
 * digits at a time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"
#include "base/obuf.h"
#include "base/file.h"

int write_all(int fd, const void *buf, size_t n)
{
	const char *p = buf;

	while (n) {
		ssize_t w = write(fd, p, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0)
			return w ? -errno : -EIO;
		p += w;
		n -= (size_t)w;
	}
	return 0;
}

#define FULL  ((size_t)1 << 18)
#define FIRST ((size_t)1 << 14) /* most texts are short */

int obuf_init(struct obuf *o, int fd, size_t cap)
{
	size_t full = cap ? cap : FULL;

	if (!cap)
		cap = fd >= 0 ? FIRST : 4096;
	*o = (struct obuf){ .fd = fd, .cap = cap, .full = fd >= 0 ? full : 0 };
	o->buf = malloc(cap);
	if (!o->buf) {
		o->cap = 0;
		o->code = -ENOMEM;
	}
	return o->code;
}

int obuf_flush(struct obuf *o)
{
	if (o->fd >= 0 && o->len) {
		if (!o->code)
			o->code = write_all(o->fd, o->buf, o->len);
		o->total += o->len;
		o->len = 0;
	}
	return o->code;
}

int obuf_free(struct obuf *o)
{
	int code = obuf_flush(o);

	free(o->buf);
	o->buf = NULL;
	o->len = o->cap = o->full = 0;
	return code;
}

char *obuf_room_slow(struct obuf *o, size_t n)
{
	size_t cap = o->cap;
	char *p;

	if (cap >= o->full)
		obuf_flush(o);
	if (o->cap - o->len >= n && o->buf)
		return o->buf + o->len;
	if (o->code == -ENOMEM)
		return NULL;
	while (cap - o->len < n) {
		if (__builtin_mul_overflow(cap ? cap : 64, (size_t)2, &cap))
			goto nomem;
	}
	p = realloc(o->buf, cap);
	if (!p && o->cap < o->full) {
		o->full = o->cap;
		return obuf_room_slow(o, n);
	}
	if (!p)
		goto nomem;
	o->buf = p;
	o->cap = cap;
	return p + o->len;
nomem:
	o->code = -ENOMEM;
	return NULL;
}

void obuf_move(struct obuf *to, struct obuf *from)
{
	bool direct = to->fd >= 0 && from->len >= to->full / 2;

	if (from->code && !to->code)
		to->code = from->code;
	if (direct && !obuf_flush(to))
		to->code = write_all(to->fd, from->buf, from->len);
	if (direct)
		to->total += from->len;
	else
		obuf_mem(to, from->buf, from->len);
	from->len = 0;
}

void obuf_varint(struct obuf *o, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		obuf_char(o, (char)(v | 0x80));
	obuf_char(o, (char)v);
}

void obuf_base64(struct obuf *o, const void *data, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *b = data;

	for (size_t i = 0; i < n; i += 3) {
		size_t have = n - i < 3 ? n - i : 3;
		uint32_t v = (uint32_t)b[i] << 16 | (have > 1 ? (uint32_t)b[i + 1] << 8 : 0) |
			     (have > 2 ? b[i + 2] : 0);
		char c[4] = { digits[v >> 18], digits[v >> 12 & 63],
			      have > 1 ? digits[v >> 6 & 63] : '=',
			      have > 2 ? digits[v & 63] : '=' };

		obuf_mem(o, c, 4);
	}
}

void obuf_pad(struct obuf *o, char c, int n)
{
	char *p = n > 0 ? obuf_room(o, (size_t)n) : NULL;

	if (p) {
		memset(p, c, (size_t)n);
		o->len += (size_t)n;
	}
}

void obuf_str_left(struct obuf *o, const char *s, int width)
{
	size_t n = strlen(s);

	obuf_mem(o, s, n);
	obuf_pad(o, ' ', width - (int)n);
}

void obuf_str_right(struct obuf *o, const char *s, int width)
{
	size_t n = strlen(s);

	obuf_pad(o, ' ', width - (int)n);
	obuf_mem(o, s, n);
}

static const char dec_pairs[201] =
	"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243"
	"4445464748495051525354555657585960616263646566676869707172737475767778798081828384858687"
	"888990919293949596979899";

static int dec_digits(uint64_t v)
{
	int n = 1;

	for (;; n += 4, v /= 10000) {
		if (v < 10)
			return n;
		if (v < 100)
			return n + 1;
		if (v < 1000)
			return n + 2;
		if (v < 10000)
			return n + 3;
	}
}

int fmt_dec(char *buf, uint64_t v)
{
	int n = dec_digits(v), i = n;

	while (v >= 100) {
		memcpy(buf + (i -= 2), dec_pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10)
		memcpy(buf, dec_pairs + v * 2, 2);
	else
		buf[0] = (char)('0' + v);
	return n;
}

int fmt_hex(char *buf, uint64_t v)
{
	int n = v ? (67 - __builtin_clzll(v)) / 4 : 1;

	for (int i = n - 1; i >= 0; i--, v >>= 4)
		buf[i] = "0123456789abcdef"[v & 15];
	return n;
}

void obuf_dec(struct obuf *o, uint64_t v)
{
	char *p = obuf_room(o, 20);

	if (p)
		o->len += (size_t)fmt_dec(p, v);
}

void obuf_sdec(struct obuf *o, int64_t v)
{
	if (v < 0)
		obuf_char(o, '-');
	obuf_dec(o, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void obuf_hex(struct obuf *o, uint64_t v)
{
	char *p = obuf_room(o, 16);

	if (p)
		o->len += (size_t)fmt_hex(p, v);
}

static void padded(struct obuf *o, const char *digits, int n, int width, char fill)
{
	obuf_pad(o, fill, width - n);
	obuf_mem(o, digits, (size_t)n);
}

void obuf_dec_right(struct obuf *o, uint64_t v, int width)
{
	char d[20];

	padded(o, d, fmt_dec(d, v), width, ' ');
}

void obuf_dec_zero(struct obuf *o, uint64_t v, int width)
{
	char d[20];

	padded(o, d, fmt_dec(d, v), width, '0');
}

void obuf_hex_right(struct obuf *o, uint64_t v, int width)
{
	char d[16];

	padded(o, d, fmt_hex(d, v), width, ' ');
}

void obuf_hex_zero(struct obuf *o, uint64_t v, int width)
{
	char d[16];

	padded(o, d, fmt_hex(d, v), width, '0');
}

/*
 * A double is an integer times a power of two, so that hundredths of most are an integer with a rest to be rounded, as
 * printf() does: to the nearest, ties to even. What is larger, or no number, is left to it.
 */
int fmt_fixed2(char *buf, double v)
{
	uint64_t bits, n;
	unsigned exp;
	char *p = buf;

	memcpy(&bits, &v, sizeof(bits));
	exp = (unsigned)(bits >> 52 & 0x7ff);
	if (exp > 1023 + 52)
		return 0;
	/* Below 2^53 times 100; what is smaller than 2^-10 has no hundredth. */
	n = exp < 1023 - 10 ? 0 : ((bits & (BIT(52) - 1)) | BIT(52)) * 100;
	if (n) {
		unsigned shift = 1023 + 52 - exp;
		uint64_t rest = n & (BIT(shift) - 1), half = shift ? BIT(shift - 1) : 1;

		n >>= shift;
		n += rest > half || (rest == half && n & 1);
	}
	if (bits >> 63)
		*p++ = '-';
	p += fmt_dec(p, n / 100);
	*p++ = '.';
	memcpy(p, dec_pairs + n % 100 * 2, 2);
	return (int)(p + 2 - buf);
}

void obuf_fixed2(struct obuf *o, double v)
{
	char *p = obuf_room(o, FMT_FIXED2);
	int n = p ? fmt_fixed2(p, v) : 0;

	o->len += (size_t)n;
	if (p && !n)
		obuf_printf(o, "%.2f", v);
}

void obuf_printf(struct obuf *o, const char *fmt, ...)
{
	size_t room = 256;
	va_list ap;
	char *p;
	int n;

	for (;;) {
		p = obuf_room(o, room);
		if (!p)
			return;
		va_start(ap, fmt);
		n = vsnprintf(p, room, fmt, ap);
		va_end(ap);
		if (n < 0)
			return;
		if ((size_t)n < room) {
			o->len += (size_t)n;
			return;
		}
		room = (size_t)n + 1;
	}
}
