// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The frame of every record: its bytes, then a line with time, place and name (text-formats.adoc,
 * "perf report -D"). Each type has a row with its function. What is wrong with a record stands in
 * its line, and the next one goes on: whoever dumps a file looks for what is wrong with it.
 */
#include <stdlib.h>

#include "base/hex.h"
#include "dump/dump-int.h"

static const char hex_pairs[513] =
	"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f2021222324252627"
	"28292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f404142434445464748494a4b4c4d4e4f"
	"505152535455565758595a5b5c5d5e5f606162636465666768696a6b6c6d6e6f7071727374757677"
	"78797a7b7c7d7e7f808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"
	"a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3c4c5c6c7"
	"c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeef"
	"f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";

char *dump_put_hex(char *p, uint64_t v)
{
	if (!v) {
		*p = '0';
		return p + 1;
	}
	p[0] = '0';
	p[1] = 'x';
	return hex_put(p + 2, v);
}

void dump_hex(struct obuf *o, uint64_t v)
{
	char *p = obuf_room(o, DUMP_NUMBER);

	if (p)
		o->len += (size_t)(dump_put_hex(p, v) - p);
}

void dump_s32(struct obuf *o, uint32_t v)
{
	obuf_sdec(o, (int32_t)v);
}

/* ---- bytes ------------------------------------------------------------------------------------- */

#define PER_LINE 16
/* ".  0000: " + 16 x " 00" + "  " + 16 characters + newline */
#define LINE_ROOM (9 + PER_LINE * 3 + 2 + PER_LINE + 1)

typedef uint8_t line_bytes __attribute__((vector_size(PER_LINE)));

/* The bytes as characters, all at once; a dot for those that are none. */
static inline void put_characters(char *p, const unsigned char *bytes)
{
	line_bytes c, shown;

	memcpy(&c, bytes, sizeof(c));
	shown = (line_bytes)(c - ' ' <= '~' - ' ');
	c = (c & shown) | ('.' & ~shown);
	memcpy(p, &c, sizeof(c));
}

/* A line of PER_LINE bytes that are at @at of a record; returns the place behind it. */
static char *put_line(char *p, const unsigned char *bytes, uint32_t at)
{
	char *hex = p + 9, *ascii = hex + PER_LINE * 3 + 2;

	memcpy(p, ".  ", 3);
	memcpy(p + 3, hex_pairs + 2 * (at >> 8 & 0xff), 2);
	memcpy(p + 5, hex_pairs + 2 * (at & 0xff), 2);
	memcpy(p + 7, ": ", 2);
	memset(hex, ' ', PER_LINE * 3 + 2);
	for (unsigned i = 0; i < PER_LINE; i++)
		memcpy(hex + 3 * i + 1, hex_pairs + 2 * bytes[i], 2);
	put_characters(ascii, bytes);
	ascii[PER_LINE] = '\n';
	return ascii + PER_LINE + 1;
}

/* The same of the last @n bytes: what is missing is blank. */
static char *put_last_line(char *p, const unsigned char *bytes, uint32_t at, uint32_t n)
{
	unsigned char line[PER_LINE] = { 0 };
	char *end;

	memcpy(line, bytes, n);
	end = put_line(p, line, at);
	memset(p + 9 + 3 * (size_t)n, ' ', 3 * (PER_LINE - (size_t)n));
	memset(end - 1 - (PER_LINE - n), ' ', PER_LINE - n);
	return end;
}

static uint32_t nr_lines(const struct record *rec)
{
	return (rec->size + PER_LINE - 1) / PER_LINE;
}

static char *put_bytes(char *p, const struct record *rec)
{
	p = DUMP_PUT(p, ".\n. ... raw event: size ");
	p += fmt_dec(p, rec->size);
	p = DUMP_PUT(p, " bytes\n");
	for (uint32_t at = 0; at < rec->size; at += PER_LINE) {
		uint32_t n = rec->size - at;

		p = n >= PER_LINE ? put_line(p, rec->data + at, at)
				  : put_last_line(p, rec->data + at, at, n);
	}
	*p = '\n';
	return p + 1;
}

/* Upstream counts a pipe's bytes from behind its 16-byte header. */
static uint64_t place_of(const struct dump *d, const struct record *rec)
{
	return d->pipe && rec->file_offset >= 16 ? rec->file_offset - 16 : rec->file_offset;
}

/* All but bytes and path: less than this. */
#define FRAME_ROOM 200

/* There is one for each record: its pieces of text do not ask for room one by one. */
static void print_frame(struct dump *d, const struct record *rec, bool bytes)
{
	struct obuf *o = d->o;
	size_t lines = bytes ? (size_t)nr_lines(rec) * LINE_ROOM : 0;
	char *start = obuf_room(o, FRAME_ROOM + d->path_len + lines), *p = start;

	if (!p)
		return;
	*p++ = '\n';
	p = dump_put_hex(p, place_of(d, rec));
	*p++ = '@';
	p = mempcpy(p, d->path, d->path_len);
	p = DUMP_PUT(p, " [");
	p = dump_put_hex(p, rec->size);
	p = DUMP_PUT(p, "]: event: ");
	p += fmt_dec(p, rec->type);
	*p++ = '\n';
	if (bytes)
		p = put_bytes(p, rec);
	o->len += (size_t)(p - start);
}

/* ---- the line ------------------------------------------------------------------------------------ */

/*
 * A pipe's events count from behind their ATTR record on: perfdata reads ahead to know them, a
 * reader of the text has not seen them yet.
 */
static void learn_events(struct dump *d)
{
	size_t nr = perfdata_nr_events(d->pd);

	d->nr_events = d->pipe ? min_u64(nr, d->attrs_seen) : nr;
	d->sample_types = 0;
	for (size_t i = 0; i < d->nr_events; i++)
		d->sample_types |= perfdata_event(d->pd, i)->attr.sample_type;
	d->id_all =
		d->nr_events && attr_flag(&perfdata_event(d->pd, 0)->attr, ATTR_FLAG_SAMPLE_ID_ALL);
}

/* Which CPU and time: a sample's own, the trailer's, 0 for what the tool wrote. */
static void when(const struct dump *d, const struct record *rec, uint32_t *cpu, uint64_t *time)
{
	struct record_id id;
	struct sample s;

	*cpu = UINT32_MAX;
	*time = RECORD_NO_TIME;
	if (rec->type >= PERF_RECORD_USER_TYPE_START) {
		*cpu = 0;
		*time = 0;
	} else if (d->parsed) {
		*cpu = d->sample.cpu;
		*time = d->sample.time;
	} else if (rec->type == PERF_RECORD_SAMPLE) {
		if (!sample_parse_some(rec, PERF_SAMPLE_CPU | PERF_SAMPLE_TIME, &s, NULL)) {
			*cpu = s.cpu;
			*time = s.time;
		}
	} else {
		record_sample_id(rec, &id);
		if (id.present & PERF_SAMPLE_CPU)
			*cpu = id.cpu;
		if (id.present & PERF_SAMPLE_TIME)
			*time = id.time;
	}
}

static char *put_when(char *p, const struct dump *d, const struct record *rec)
{
	uint64_t types = d->sample_types, time;
	uint32_t cpu;

	if (rec->type != PERF_RECORD_SAMPLE && !d->id_all)
		return DUMP_PUT(p, "-1 -1 ");
	when(d, rec, &cpu, &time);
	if (types & PERF_SAMPLE_CPU) {
		p += fmt_dec(p, cpu);
		*p++ = ' ';
	}
	if (types & PERF_SAMPLE_TIME) {
		p += fmt_dec(p, time);
		*p++ = ' ';
	}
	return p;
}

static void print_line_start(struct dump *d, const struct record *rec)
{
	char *start = obuf_room(d->o, FRAME_ROOM), *p = start;

	if (!p)
		return;
	p = put_when(p, d, rec);
	p = dump_put_hex(p, place_of(d, rec));
	p = DUMP_PUT(p, " [");
	p = dump_put_hex(p, rec->size);
	p = DUMP_PUT(p, "]: PERF_RECORD_");
	d->o->len += (size_t)(p - start);
	obuf_str(d->o, record_type_name(rec->type));
}

static void print_line(struct dump *d, const struct record *rec)
{
	dump_body body;
	struct err e; /* only what is printed of it is cleared: there is one for each record */

	e.text[0] = '\0';
	d->parsed = rec->type == PERF_RECORD_SAMPLE && !sample_parse(rec, &d->sample, NULL);
	print_line_start(d, rec);
	if (rec->type == PERF_RECORD_SAMPLE)
		body = dump_sample;
	else if (rec->type < PERF_RECORD_USER_TYPE_START)
		body = dump_kernel_body(rec->type);
	else
		body = dump_tool_body(rec->type);
	if (!body)
		obuf_lit(d->o, ": unhandled!\n");
	else if (body(d, rec, &e))
		obuf_printf(d->o, ": %s\n", e.text);
}

void dump_record(struct dump *d, const struct record *rec)
{
	struct err e;

	dump_stats_add(&d->stats, rec);
	if (rec->type == PERF_RECORD_HEADER_EVENT_TYPE)
		return;
	print_frame(d, rec,
		    !d->opts.no_raw && !(d->opts.redact && rec->type == PERF_RECORD_SAMPLE));
	print_line(d, rec);
	if (rec->type == PERF_RECORD_HEADER_ATTR) {
		d->attrs_seen++;
		learn_events(d);
	}
	/* A malformed record has said so already. */
	if (rec->type != PERF_RECORD_SAMPLE)
		machine_record(d->machine, rec, &e);
}

int dump_new(struct dump **out, struct perfdata *pd, struct obuf *o, const struct dump_opts *opts,
	     struct err *e)
{
	const struct perfdata_env *env = perfdata_env(pd);
	struct dump *d = calloc(1, sizeof(*d));
	int ret;

	if (!d)
		return err_set(e, -ENOMEM, "no memory to dump the recording");
	d->pd = pd;
	d->o = o;
	if (opts)
		d->opts = *opts;
	d->stats.pd = pd;
	d->pipe = perfdata_is_pipe(pd);
	d->path = d->pipe ? "pipe" : perfdata_path(pd);
	d->path_len = strlen(d->path);
	d->arch = regs_arch_from_uname(env->arch);
	if (d->arch == REGS_ARCH_NONE)
		d->arch = regs_arch_from_elf(env->e_machine);
	/* Nothing in the file says: most are read where they were made. */
	if (d->arch == REGS_ARCH_NONE)
		d->arch = regs_arch_host();
	ret = machine_new(&d->machine, env->arch, e);
	if (!ret)
		ret = machine_add_build_ids(d->machine, pd, e);
	if (ret) {
		dump_free(d);
		return ret;
	}
	learn_events(d);
	*out = d;
	return 0;
}

void dump_free(struct dump *d)
{
	if (!d)
		return;
	machine_free(d->machine);
	dump_stats_free(&d->stats);
	free(d);
}

const struct dump_stats *dump_stats(const struct dump *d)
{
	return &d->stats;
}
