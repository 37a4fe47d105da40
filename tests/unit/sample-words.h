/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every word that a sample can hold, by the table of room attr: tests ask who shows each. */
#ifndef PERF_UNIT_SAMPLE_WORDS_H
#define PERF_UNIT_SAMPLE_WORDS_H

#include "attr/attr.h"

#define WORD_CASE(bit, listed, name, dump) { PERF_SAMPLE_##bit, #name },

static const struct {
	uint64_t bit; /* PERF_SAMPLE_* */
	const char *name;
} sample_words[] = { ATTR_SAMPLE_FIELDS(ATTR_NO_HEAD, ATTR_NO_PART, WORD_CASE) };

#endif
