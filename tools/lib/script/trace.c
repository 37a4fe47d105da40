// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tracepoint fields, printed by libtraceevent from the formats that the recorder stored. The
 * TRACING_DATA blob, with numbers in the recorder's byte order:
 *
 *	17 08 44 "tracing" VERSION\0  u8 big-endian  u8 sizeof(long)  u32 page size
 *	"header_page\0" u64 size, text	"header_event\0" u64 size, text
 *	u32 n, n x { u64 size, format of an ftrace event }
 *	u32 n, n x { system\0, u32 m, m x { u64 size, format } }
 *	u32 size, kallsyms	u32 size, printk formats	[0.6] u64 size, comms
 */
#include <stdlib.h>

#include "config.h"
#include "emit/emit.h"
#include "script-int.h"

#if HAVE_LIBTRACEEVENT

#include <event-parse.h>

/*
 * Formats give offsets and samples give places of strings (16 bits each); libtraceevent believes
 * both. Samples are printed from a buffer that reaches far enough for any of them.
 */
#define RAW_MAX	   (64 << 10)
#define RAW_BUFFER (256 << 10)

struct trace {
	struct tep_handle *tep;
	unsigned char *raw;
	size_t raw_used;
	bool fields; /* names and numbers */
	struct trace_seq seq;
};

void trace_free(struct trace *t)
{
	if (!t)
		return;
	tep_free(t->tep);
	trace_seq_destroy(&t->seq);
	free(t->raw);
	free(t);
}

static const char *word(struct cursor *c)
{
	const void *end = memchr(c->p, 0, cursor_left(c));

	if (!end) {
		c->bad = true;
		return "";
	}
	return cursor_str(c, (uint64_t)((const unsigned char *)end - c->p) + 1);
}

/* The next @size bytes as a string of its own, with room for one more; NULL at the end. */
static char *piece(struct cursor *c, uint64_t size)
{
	const void *p = cursor_bytes(c, size);
	char *s = p ? calloc(1, size + 2) : NULL;

	return s ? memcpy(s, p, size) : NULL;
}

static void parse_format(struct trace *t, struct cursor *c, const char *system)
{
	uint64_t size = cursor_u64(c);
	char *text = piece(c, size);

	if (text)
		tep_parse_event(t->tep, text, strlen(text), system);
	free(text);
}

static void parse_formats(struct trace *t, struct cursor *c)
{
	uint32_t systems, n = cursor_u32(c);

	while (n-- && !c->bad)
		parse_format(t, c, "ftrace");
	systems = cursor_u32(c);
	while (systems-- && !c->bad) {
		const char *system = word(c);

		n = cursor_u32(c);
		while (n-- && !c->bad)
			parse_format(t, c, system);
	}
}

/* Drops lines that are not `0xADDR : "text"`: the parser looks behind the colon unasked. */
static void keep_printk_lines(char *text)
{
	char *to = text, *line = text;

	while (*line) {
		size_t n = strcspn(line, "\n");
		const char *colon = memchr(line, ':', n);

		if (!strncmp(line, "0x", 2) && colon && (size_t)(colon - line) + 2 < n) {
			memmove(to, line, n);
			to += n;
			*to++ = '\n';
		}
		line += n + (line[n] == '\n');
	}
	*to = 0;
}

static void parse_tables(struct trace *t, struct cursor *c)
{
	char *text = piece(c, cursor_u32(c));

	/* Kernel symbols: named by the symbol room where they are needed. */
	free(text);
	text = piece(c, cursor_u32(c));
	if (text) {
		keep_printk_lines(text);
		tep_parse_printk_formats(t->tep, text);
	}
	free(text);
}

static int parse_blob(struct trace *t, struct cursor *c)
{
	static const unsigned char magic[] = {
		0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g'
	};
	const void *p = cursor_bytes(c, sizeof(magic));
	bool big;

	if (!p || memcmp(p, magic, sizeof(magic)))
		return -EINVAL;
	word(c);
	big = cursor_u8(c);
	c->swap = big != host_is_big_endian();
	tep_set_file_bigendian(t->tep, big ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(t->tep, host_is_big_endian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(t->tep, cursor_u8(c));
	cursor_u32(c);
	for (int i = 0; i < 2; i++) { /* header_page, header_event: not about samples */
		word(c);
		cursor_skip(c, cursor_u64(c));
	}
	if (c->bad)
		return -EINVAL;
	parse_formats(t, c);
	parse_tables(t, c);
	return 0;
}

struct trace *trace_load(const struct perfdata *pd, bool raw)
{
	struct trace *t = calloc(1, sizeof(*t));
	struct cursor c;
	const void *p;
	size_t size;

	if (!t)
		return NULL;
	t->fields = raw;
	t->tep = tep_alloc();
	t->raw = calloc(1, RAW_BUFFER);
	trace_seq_init(&t->seq);
	p = perfdata_feature_raw(pd, FEAT_TRACING_DATA, &size);
	c = cursor_init(p, p ? size : 0, false);
	tep_set_loglevel(TEP_LOG_NONE);
	if (t->tep && t->raw && parse_blob(t, &c))
		log_warn("%s: the tracepoint formats in this file cannot be read",
			 perfdata_path(pd));
	return t;
}

/* Every fixed field inside the sample? */
static bool fits(const struct tep_event *event, uint32_t size)
{
	for (const struct tep_format_field *f = event->format.fields; f; f = f->next)
		if (f->offset < 0 || f->size < 0 || (uint64_t)f->offset + (uint64_t)f->size > size)
			return false;
	return true;
}

static const unsigned char *copy_raw(struct trace *t, const struct sample *s)
{
	memcpy(t->raw, s->raw, s->raw_size);
	if (s->raw_size < t->raw_used)
		memset(t->raw + s->raw_size, 0, t->raw_used - s->raw_size);
	t->raw_used = s->raw_size;
	return t->raw;
}

const char *trace_text(struct trace *t, const struct sample *s, size_t *len)
{
	struct tep_event *event;
	struct tep_record rec = { .cpu = (int)s->cpu, .size = (int)s->raw_size };

	if (!t || !t->tep || !t->raw || !s->raw || s->raw_size > RAW_MAX)
		return NULL;
	event = tep_find_event(t->tep, (int)s->event->attr.config);
	if (!event || !fits(event, s->raw_size))
		return NULL;
	rec.data = (void *)copy_raw(t, s);
	trace_seq_reset(&t->seq);
	if (t->fields)
		tep_print_fields(&t->seq, (void *)rec.data, rec.size, event);
	else
		tep_print_event(t->tep, &t->seq, &rec, "%s", TEP_PRINT_INFO);
	if (t->seq.state != TRACE_SEQ__GOOD)
		return NULL;
	trace_seq_terminate(&t->seq);
	*len = t->seq.len;
	return t->seq.buffer;
}

#else

struct trace {
	int none;
};

void trace_free(struct trace *t)
{
	free(t);
}

struct trace *trace_load(const struct perfdata *pd, bool raw)
{
	(void)pd, (void)raw;
	log_warn("built without libtraceevent: tracepoints are printed without their fields");
	return calloc(1, sizeof(struct trace));
}

const char *trace_text(struct trace *t, const struct sample *s, size_t *len)
{
	(void)t, (void)s, (void)len;
	return NULL;
}

#endif

void print_trace(struct script *sc, const struct ctx *c)
{
	const char *text;
	size_t len;

	if (!sc->trace)
		sc->trace = trace_load(sc->env.pd, false);
	text = trace_text(sc->trace, c->s, &len);
	if (text)
		emit_safe_n(sc->o, text, len);
}
