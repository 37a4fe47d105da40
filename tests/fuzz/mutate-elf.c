// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Objects changed in what is counted and pointed at in them: fields of the header, of sections, segments and
 * notes, rows of tables of symbols; and bytes of sections, so that a change meets code that reads
 * sections, not the check of the header in front of it. Little endian, 64 bits; others as bytes.
 */
#include <elf.h>
#include <stdbool.h>

#include "base/bytes.h"
#include "fuzz.h"

struct mut {
	uint8_t *p;
	size_t n;
	uint32_t seed;
};

static uint32_t pick(struct mut *m, uint64_t n)
{
	return n ? (uint32_t)(fuzz_rand(&m->seed) % n) : 0;
}

static bool there(const struct mut *m, uint64_t off, uint64_t n)
{
	return off <= m->n && n <= m->n - off;
}

/* A number of 1, 2, 4 or 8 bytes gets odd. */
static void change(struct mut *m, uint64_t off, unsigned bytes)
{
	uint64_t old = 0, v;

	if (!there(m, off, bytes))
		return;
	memcpy(&old, m->p + off, bytes);
	v = fuzz_odd(&m->seed, old);
	memcpy(m->p + off, &v, bytes);
}

/* Sizes of the fields of a row, ended by 0; one of them changes. */
static void change_field(struct mut *m, uint64_t row, const char *fields)
{
	unsigned i = pick(m, strlen(fields));

	for (unsigned k = 0; k < i; k++)
		row += (unsigned)(fields[k] - '0');
	change(m, row, (unsigned)(fields[i] - '0'));
}

static uint64_t u64_at(const struct mut *m, uint64_t off)
{
	return there(m, off, 8) ? load_u64(m->p + off, false) : 0;
}

static uint32_t u16_at(const struct mut *m, uint64_t off)
{
	return there(m, off, 2) ? load_u16(m->p + off, false) : 0;
}

static void change_section(struct mut *m)
{
	uint64_t row = u64_at(m, 40) + 64ULL * pick(m, u16_at(m, 60)), off, size;
	uint32_t type;

	if (!there(m, row, 64))
		return;
	if (!pick(m, 3)) {
		change_field(m, row, "4488884488");
		return;
	}
	type = load_u32(m->p + row + 4, false);
	off = u64_at(m, row + 24);
	size = u64_at(m, row + 32);
	if (!size || type == SHT_NOBITS || !there(m, off, size))
		return;
	if (type == SHT_SYMTAB || type == SHT_DYNSYM)
		change_field(m, off + 24ULL * pick(m, size / 24), "411288");
	else if (type == SHT_RELA)
		change_field(m, off + 24ULL * pick(m, size / 24), "888");
	else if (type == SHT_NOTE)
		change(m, off + 4ULL * pick(m, size / 4), 4);
	else if (type == SHT_DYNAMIC)
		change_field(m, off + 16ULL * pick(m, size / 16), "88");
	else if (pick(m, 2))
		change(m, off + pick(m, size), 1);
	else
		change(m, off + 4ULL * pick(m, size / 4), pick(m, 2) ? 4 : 8);
}

/* Two sections change places in the table, or one is there twice. */
static void move_section(struct mut *m)
{
	uint64_t n = u16_at(m, 60), table = u64_at(m, 40), a = table + 64ULL * pick(m, n),
		 b = table + 64ULL * pick(m, n);
	uint8_t row[64];

	if (!there(m, a, 64) || !there(m, b, 64))
		return;
	memcpy(row, m->p + a, 64);
	memmove(m->p + a, m->p + b, 64);
	if (pick(m, 2))
		memcpy(m->p + b, row, 64);
}

size_t mutate_elf(uint8_t *data, size_t size, size_t max, uint32_t seed)
{
	struct mut m = { .p = data, .n = size, .seed = seed };

	if (size > max || size < 64 || memcmp(data, ELFMAG, SELFMAG) != 0 ||
	    data[EI_CLASS] != ELFCLASS64 || data[EI_DATA] != ELFDATA2LSB)
		return 0;
	for (unsigned n = 1 + pick(&m, 3); n; n--) {
		switch (pick(&m, 12)) {
		case 0: change_field(&m, 16, "2248884222222"); break;
		case 1:
		case 2:
			change_field(&m, u64_at(&m, 32) + 56ULL * pick(&m, u16_at(&m, 56)),
				     "44888888");
			break;
		case 3: move_section(&m); break;
		default: change_section(&m);
		}
	}
	return size;
}
