/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto: fields of protocol buffers (protobuf.dev, "Encoding"), appended to a buffer. A message inside of
 * another one is made in a buffer of its own first, for its length stands in front of it.
 */
#ifndef PERF_BASE_PROTO_H
#define PERF_BASE_PROTO_H

#include "base/bytes.h"
#include "base/obuf.h"

/* 0 is what a field has that is not there. */
static inline void proto_num(struct obuf *o, unsigned field, uint64_t v)
{
	if (!v)
		return;
	obuf_varint(o, field << 3);
	obuf_varint(o, v);
}

static inline void proto_fixed64(struct obuf *o, unsigned field, uint64_t v)
{
	unsigned char b[8];

	if (!v)
		return;
	for (int i = 0; i < 8; i++)
		b[i] = (unsigned char)(v >> 8 * i);
	obuf_varint(o, field << 3 | 1);
	obuf_mem(o, b, sizeof(b));
}

/* A string, or a message; one of length 0 is there all the same. */
static inline void proto_bytes(struct obuf *o, unsigned field, const void *data, size_t n)
{
	obuf_varint(o, field << 3 | 2);
	obuf_varint(o, n);
	obuf_mem(o, data, n);
}

/* The message @msg as @field; @msg is empty then. */
static inline void proto_msg(struct obuf *o, unsigned field, struct obuf *msg)
{
	proto_bytes(o, field, msg->buf, msg->len);
	msg->len = 0;
}

#endif
