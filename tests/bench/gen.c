// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes large perf.data files for `make bench`, by the format and without our writer, so that
 * a slip of the writer does not make the reader look good. Deterministic: same arguments, same
 * bytes.
 *
 *	gen flat FILE SAMPLES OBJECT		IP|TID|TIME|CPU|PERIOD, 200 processes
 *	gen branches FILE SAMPLES ENTRIES OBJECT	IP|TID|TIME|BRANCH_STACK
 *	gen simd FILE SAMPLES OBJECT		IP|TID|TIME|REGS_INTR, 32 zmm and 8 opmask registers
 *	gen stacks FILE SAMPLES DISTINCT FORK OBJECT	IP|TID|TIME|CPU|PERIOD|CALLCHAIN, 60 frames;
 *						DISTINCT stacks, which at depth FORK have all parted
 *
 * Addresses lie in the code of OBJECT (a little-endian ELF64 file). Branches follow a random walk
 * over a fixed graph of 4,096 blocks; samples are taken in a few hot ones.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uapi/perf_event.h"

#define BASE	  0x555555554000ULL
#define BLOCKS	  4096
#define HEADER	  104
#define PROCESSES 200
#define AT_ONCE	  (128u << 10) /* as a recorder writes what a ring of events holds: see main() */

static FILE *out;
static char out_buf[AT_ONCE];
static uint64_t code_start, code_size; /* in memory: BASE + file offset */
static uint64_t state = 0x9e3779b97f4a7c15ULL;

static uint64_t rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void put(const void *p, size_t n)
{
	if (fwrite(p, 1, n, out) != n) {
		perror("gen: write");
		exit(1);
	}
}

static void put64(uint64_t v)
{
	put(&v, 8);
}

static void put_pair(uint32_t a, uint32_t b)
{
	uint32_t v[2] = { a, b };

	put(v, 8);
}

static void put_header(uint32_t type, uint16_t misc, size_t size)
{
	struct perf_event_header h = { .type = type, .misc = misc, .size = (uint16_t)size };

	put(&h, sizeof(h));
}

/* The executable segment of the object: where addresses are taken from. */
static void find_code(const char *path)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;
	FILE *f = fopen(path, "rb");

	if (!f || fread(&eh, sizeof(eh), 1, f) != 1 || eh.e_ident[EI_CLASS] != ELFCLASS64) {
		fprintf(stderr, "gen: %s is not an ELF64 file\n", path);
		exit(1);
	}
	for (int i = 0; i < eh.e_phnum; i++) {
		if (fseek(f, (long)(eh.e_phoff + (uint64_t)i * sizeof(ph)), SEEK_SET) ||
		    fread(&ph, sizeof(ph), 1, f) != 1)
			break;
		if (ph.p_type == PT_LOAD && (ph.p_flags & PF_X)) {
			code_start = BASE + (ph.p_offset & ~0xfffULL);
			code_size = ph.p_filesz + (ph.p_offset & 0xfff);
		}
	}
	fclose(f);
	if (code_size < 4096) {
		fprintf(stderr, "gen: %s has no code\n", path);
		exit(1);
	}
}

static void put_mmap2(uint32_t pid, const char *path)
{
	size_t n = (strlen(path) + 8) & ~(size_t)7;
	char name[512] = "";

	snprintf(name, sizeof(name), "%s", path);
	put_header(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, 8 + 64 + n);
	put_pair(pid, pid);
	put64(code_start);
	put64((code_size + 0xfff) & ~0xfffULL);
	put64(code_start - BASE);
	put_pair(8, 1);
	put64(1);
	put64(1);
	put_pair(5, 2);
	put(name, n);
}

static void put_comm(uint32_t pid)
{
	char name[16] = "";

	snprintf(name, sizeof(name), "bench%u", pid % 10);
	put_header(PERF_RECORD_COMM, 0, 8 + 8 + 16);
	put_pair(pid, pid);
	put(name, 16);
}

/* Squared twice: low block numbers are hot. */
static uint32_t hot_block(void)
{
	double x = (double)(rnd() >> 11) / 9007199254740992.0;

	x *= x;
	return (uint32_t)(x * x * BLOCKS) % BLOCKS;
}

static uint64_t block_addr[BLOCKS];

static void make_blocks(void)
{
	for (int i = 0; i < BLOCKS; i++)
		block_addr[i] = code_start + rnd() % (code_size - 256);
}

static void flat(uint64_t samples, const char *object)
{
	uint32_t pid = 1000;

	for (uint32_t p = 0; p < PROCESSES; p++) {
		put_comm(1000 + p);
		put_mmap2(1000 + p, object);
	}
	for (uint64_t i = 0; i < samples; i++) {
		uint64_t r = rnd();

		/* A process runs for a while before the next one gets the CPU. */
		if (!(r & 63))
			pid = 1000 + (uint32_t)(r >> 32) % PROCESSES;
		put_header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 8 + 40);
		put64(block_addr[hot_block()] + (r >> 8 & r >> 16 & 60));
		put_pair(pid, pid);
		put64(1000000000 + i * 1000);
		put_pair((uint32_t)(i & 1), 0);
		put64(250000);
	}
}

static void branches(uint64_t samples, uint64_t entries, const char *object)
{
	static const uint32_t steps[4] = { 1, 17, 291, 5003 };
	uint64_t words[3 * 1024];
	uint32_t at = 0;

	put_comm(1000);
	put_mmap2(1000, object);
	for (uint64_t i = 0; i < samples; i++) {
		/* Oldest first while walking, newest first in the record. */
		for (uint64_t e = entries; e-- > 0;) {
			uint64_t r = rnd(), len = 4 + at % 60, mispred = r >> 16 & 31;
			uint32_t next = at + steps[(r >> 8) & 3];

			/* Now and then an indirect branch, to one of eight targets of its block. */
			if ((r & 63) == 0)
				next = at * 2654435761U + (uint32_t)(r >> 10 & 7) * 40503U;
			next %= BLOCKS;
			/* A block takes its own time, one time in eight a little more. */
			words[e * 3] = block_addr[at] + len;
			words[e * 3 + 1] = block_addr[next];
			words[e * 3 + 2] = (mispred ? 2 : 1) |
					   (1 + at % 50 + (r & 0x7000000 ? 0 : r >> 27 & 3)) << 4;
			at = next;
		}
		put_header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 8 + 32 + entries * 24);
		put64(block_addr[at] + 2);
		put_pair(1000, 1000);
		put64(1000000000 + i * 1000);
		put64(entries);
		put(words, entries * 24);
	}
}

static void simd(uint64_t samples, const char *object)
{
	uint64_t words[1 + 3 + 4 + 32 * 8 + 8];

	put_comm(1000);
	put_mmap2(1000, object);
	for (uint64_t i = 0; i < samples; i++) {
		size_t n = 0;

		words[n++] = PERF_SAMPLE_REGS_ABI_64 | PERF_SAMPLE_REGS_ABI_SIMD;
		words[n++] = rnd();
		words[n++] = rnd();
		words[n++] = rnd();
		words[n++] = 32;
		words[n++] = 8;
		words[n++] = 8;
		words[n++] = 1;
		while (n < sizeof(words) / 8)
			words[n++] = rnd();
		put_header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 8 + 24 + sizeof(words));
		put64(block_addr[hot_block()]);
		put_pair(1000, 1000);
		put64(1000000000 + i * 1000);
		put(words, sizeof(words));
	}
}

#define DEPTH 60

/*
 * Stacks by number: at each depth a few more bits of it say which function is called, and at @fork all.
 * Low numbers are hot, unless there are as many stacks as samples.
 */
static void stacks(uint64_t samples, uint64_t distinct, uint64_t fork, const char *object)
{
	unsigned bits = 64 - (unsigned)__builtin_clzll(distinct);
	uint64_t chain[DEPTH + 1] = { PERF_CONTEXT_USER };
	uint32_t pid = 1000;

	for (uint32_t p = 0; p < 8; p++) {
		put_comm(1000 + p);
		put_mmap2(1000 + p, object);
	}
	for (uint64_t i = 0; i < samples; i++) {
		uint64_t r = rnd(), number = i;

		if (distinct < samples) {
			double x = (double)(rnd() >> 11) / 9007199254740992.0;

			number = (uint64_t)(x * x * x * (double)distinct);
		}
		if (!(r >> 48 & 255))
			pid = 1000 + (uint32_t)(r >> 41 & 7);
		for (unsigned k = 0; k < DEPTH; k++) {
			unsigned known = k < fork ? (unsigned)(k * bits / fork) : bits;
			uint64_t way = number >> (bits - known);

			way = (way + k * 0x9e3779b9) * 0x9e3779b97f4a7c15ULL;
			chain[DEPTH - k] = block_addr[way >> 52] + 4;
		}
		put_header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 8 + 40 + 8 + sizeof(chain));
		put64(chain[1]);
		put_pair(pid, pid);
		put64(1000000000 + i * 20000);
		put_pair((uint32_t)(i & 1), 0);
		put64(240000 + (r >> 20 & 0x3fff));
		put64(DEPTH + 1);
		put(chain, sizeof(chain));
	}
}

/* The file header with one attr and no features; data runs to the end of the file. */
static void put_file_header(const struct perf_event_attr *attr, uint64_t data_size)
{
	uint64_t attrs = HEADER, entry = attr->size + 16;

	put("PERFILE2", 8);
	put64(HEADER);
	put64(entry);
	put64(attrs);
	put64(entry);
	put64(attrs + entry);
	put64(data_size);
	put64(0);
	put64(0);
	for (int i = 0; i < 4; i++)
		put64(0);
	put(attr, attr->size);
	put64(0);
	put64(0);
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr = { .size = PERF_ATTR_SIZE_VER5, .sample_period = 250000 };
	const char *kind = argc > 3 ? argv[1] : "", *object = argv[argc - 1];
	uint64_t samples = argc > 3 ? strtoull(argv[3], NULL, 0) : 0, entries = 0, distinct = 0,
		 fork = 0;
	uint64_t data_start;

	if (!strcmp(kind, "flat") && argc == 5) {
		attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				   PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	} else if (!strcmp(kind, "branches") && argc == 6) {
		entries = strtoull(argv[4], NULL, 0);
		attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				   PERF_SAMPLE_BRANCH_STACK;
		attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	} else if (!strcmp(kind, "stacks") && argc == 7) {
		distinct = strtoull(argv[4], NULL, 0);
		fork = strtoull(argv[5], NULL, 0);
		attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				   PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN;
	} else if (!strcmp(kind, "simd") && argc == 5) {
		attr.size = PERF_ATTR_SIZE_VER10;
		attr.sample_type =
			PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_INTR;
		attr.sample_regs_intr = 0x103;
		attr.sample_simd_regs_enabled = 1;
		attr.sample_simd_vec_reg_qwords = 8;
		attr.sample_simd_vec_reg_intr = 0xffffffff;
		attr.sample_simd_pred_reg_qwords = 1;
		attr.sample_simd_pred_reg_intr = 0xff;
	} else {
		fputs("usage: gen flat FILE SAMPLES OBJECT\n"
		      "       gen branches FILE SAMPLES ENTRIES OBJECT\n"
		      "       gen simd FILE SAMPLES OBJECT\n"
		      "       gen stacks FILE SAMPLES DISTINCT FORK OBJECT\n",
		      stderr);
		return 129;
	}
	if (entries > 1024) {
		fputs("gen: at most 1024 entries\n", stderr);
		return 129;
	}
	out = fopen(argv[2], "wb");
	if (!out) {
		perror(argv[2]);
		return 1;
	}
	/*
	 * Linux keeps a file in memory by pages as large as what was written at once, and maps small ones more slowly: a file of
	 * stdio's 4 kB would look like no recording.
	 */
	setvbuf(out, out_buf, _IOFBF, sizeof(out_buf));
	find_code(object);
	make_blocks();
	put_file_header(&attr, 0);
	data_start = (uint64_t)ftell(out);
	if (entries)
		branches(samples, entries, object);
	else if (distinct && fork)
		stacks(samples, distinct, fork, object);
	else if (attr.sample_simd_regs_enabled)
		simd(samples, object);
	else
		flat(samples, object);
	data_start = (uint64_t)ftell(out) - data_start;
	rewind(out);
	put_file_header(&attr, data_start);
	return fclose(out) ? 1 : 0;
}
