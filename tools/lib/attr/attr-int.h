/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attr, inside: the tables that bytes and text share (fields.c). */
#ifndef PERF_ATTR_INT_H
#define PERF_ATTR_INT_H

#include "attr/attr.h"

/* How a member is written; but for the first two, nothing when it is 0. */
enum attr_text {
	TEXT_TYPE,
	TEXT_CONFIG,
	TEXT_DEC,
	TEXT_SDEC,
	TEXT_HEX,
	TEXT_SAMPLE_TYPE,
	TEXT_READ_FORMAT,
	TEXT_FLAGS,
	TEXT_BRANCHES,
	TEXT_AUX_ACTION,
	TEXT_HOLE, /* reserved: never */
};

struct attr_field {
	const char *name;
	uint16_t offset;
	uint8_t size;	/* 2, 4 or 8 bytes */
	uint8_t text;	/* enum attr_text */
	uint16_t since; /* the first published size of the struct that has it */
};

/* In the order of the text, which is not quite that of the bytes. */
extern const struct attr_field attr_fields[];
extern const size_t attr_nr_fields;

struct attr_bits {
	const char *name;
	uint8_t shift, width;
};

extern const struct attr_bits attr_flags[];
extern const size_t attr_nr_flags;

struct attr_sample_field {
	uint64_t bit; /* 0: none */
	const char *name;
};

/* By their place in evlist -v, from 1 on. */
extern const struct attr_sample_field attr_sample_listed[];
extern const size_t attr_nr_sample_listed;

extern const char *const attr_read_formats[]; /* by bit */
extern const size_t attr_nr_read_formats;

#endif
