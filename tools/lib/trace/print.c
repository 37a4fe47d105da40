// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fields of a sample as text, by libtraceevent: it knows the C expressions with which formats say
 * how an event is printed. It gets copies of all that a file says, and no more of a sample than fits
 * the format: what it believes unasked is checked here first.
 */
#include <stdlib.h>

#include "config.h"
#include "base/bytes.h"
#include "trace-int.h"

#if HAVE_LIBTRACEEVENT

#include <event-parse.h>

/*
 * Formats give offsets and samples give places of strings (16 bits each); libtraceevent believes
 * both. Samples are printed from a buffer that reaches far enough for any of them, and what reaches
 * farther is not printed so: see trace_near().
 */
#define RAW_MAX	   (64 << 10)
#define FORMAT_MAX (64 << 10) /* bytes of text; each name in it is looked for among all fields */
#define RAW_BUFFER (RAW_MAX + 2 * TRACE_REACH + (64 << 10))

struct trace_printer {
	struct tep_handle *tep;
	unsigned char *raw;
	size_t raw_used;
	bool fields; /* names and numbers */
	struct trace_seq seq;
};

void trace_printer_free(struct trace_printer *p)
{
	if (!p)
		return;
	tep_free(p->tep);
	trace_seq_destroy(&p->seq);
	free(p->raw);
	free(p);
}

/* @size bytes as a string of its own; NULL without memory. */
static char *piece(const char *p, size_t size)
{
	char *s = calloc(1, size + 1);

	return s ? memcpy(s, p, size) : NULL;
}

/*
 * Cuts the expression off that the library may not see: it then prints the fields' names and numbers. False:
 * it may not see the fields either. A field that goes on in the next line is none; what is printed is all that
 * follows its label.
 */
static bool make_sound(char *text, const struct trace_format *f)
{
	static const char print[] = "print fmt:", field[] = "\tfield:", blanks[] = " \t\r\v\f";

	for (char *line = text, *end; *line; line = end) {
		char kept;
		bool good = true;

		if (!strncmp(line, print, strlen(print))) {
			line += strlen(print);
			if (f->size > FORMAT_MAX || !trace_print_sound(f, line))
				*line = 0;
			return true;
		}
		end = strchrnul(line, '\n');
		kept = *end;
		*end = 0;
		if (!strncmp(line, field, strlen(field)))
			good = trace_field_sound(line + strlen(field));
		else if (!strncmp(line + strspn(line, blanks), "field", strlen("field")))
			good = false; /* one to the library, and not as kernels write it */
		*end = kept;
		if (!good)
			return false;
		end += kept == '\n';
	}
	return true;
}

static void parse_format(struct trace_printer *p, const struct trace_format *f)
{
	char *text = piece(f->text, f->size);

	if (text && make_sound(text, f))
		tep_parse_event(p->tep, text, strlen(text), f->system);
	free(text);
}

/*
 * A line `0xADDR : "text\n"`. The library takes off quotes and a line's end unasked, as if they were there
 * (1.7.1 reads in front of what is shorter): so they always are.
 */
static void parse_printk_line(struct trace_printer *p, const char *line, size_t n)
{
	const char *colon = memchr(line, ':', n);
	const char *text = colon ? colon + 1 : line + n, *end = line + n;
	char *whole;

	if (strncmp(line, "0x", 2) != 0 || !colon)
		return;
	while (text < end && *text == ' ')
		text++;
	text += text < end && *text == '"';
	end -= end > text && end[-1] == '"';
	if (end - text >= 2 && !memcmp(end - 2, "\\n", 2))
		end -= 2;
	if (!trace_printk_sound(text, (size_t)(end - text)))
		return;
	if (asprintf(&whole, "\"%.*s\\n\"", (int)(end - text), text) < 0)
		return;
	tep_register_print_string(p->tep, whole, strtoull(line, NULL, 16));
	free(whole);
}

static void parse_printk(struct trace_printer *p, const struct trace *t)
{
	char *text = t->printk ? piece(t->printk, t->printk_size) : NULL;

	for (char *line = text; line && *line;) {
		size_t n = strcspn(line, "\n");

		parse_printk_line(p, line, n);
		line += n + (line[n] == '\n');
	}
	free(text);
}

static void take_formats(struct trace_printer *p, const struct trace *t)
{
	tep_set_file_bigendian(p->tep, t->big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(p->tep, host_is_big_endian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(p->tep, t->long_size);
	for (size_t i = 0; i < t->formats.n; i++)
		parse_format(p, &t->formats.v[i]);
	parse_printk(p, t);
}

int trace_printer_new(struct trace_printer **out, const struct trace *t, bool raw, const char *file,
		      struct err *e)
{
	struct trace_printer *p = calloc(1, sizeof(*p));

	*out = p;
	if (!p)
		return err_set(e, -ENOMEM, "no memory for the fields of tracepoints");
	p->fields = raw;
	p->tep = tep_alloc();
	trace_seq_init(&p->seq);
	tep_set_loglevel(TEP_LOG_NONE);
	if (!p->tep)
		return err_set(e, -ENOMEM, "no memory for the fields of tracepoints");
	if (!t)
		return err_set(e, -EINVAL, "%s: the tracepoint formats in this file cannot be read",
			       file);
	take_formats(p, t);
	return 0;
}

/* Each field inside the sample, and the place of what is elsewhere of its 32 bits? */
static bool list_fits(const struct tep_format_field *f, uint32_t size)
{
	for (; f; f = f->next) {
		if (f->offset < 0 || f->size < 0 || (uint64_t)f->offset + (uint64_t)f->size > size)
			return false;
		if (f->flags & TEP_FIELD_IS_DYNAMIC && f->size != 4)
			return false;
	}
	return true;
}

static bool fits(const struct tep_event *event, uint32_t size)
{
	return list_fits(event->format.common_fields, size) &&
	       list_fits(event->format.fields, size);
}

static void copy_raw(struct trace_printer *p, const struct trace_raw *r)
{
	memcpy(p->raw, r->data, r->size);
	if (r->size < p->raw_used)
		memset(p->raw + r->size, 0, p->raw_used - r->size);
	p->raw_used = r->size;
}

/* Of the sample, which is in p->raw then; NULL: it is not described, or otherwise than what is there. */
static struct tep_event *event_of(struct trace_printer *p, const struct trace_raw *r)
{
	struct tep_event *event;

	if (!p || !p->tep || !r->data || r->size > RAW_MAX)
		return NULL;
	event = tep_find_event(p->tep, (int)r->id);
	if (!event || !fits(event, r->size) || (!p->raw && !(p->raw = calloc(1, RAW_BUFFER))))
		return NULL;
	copy_raw(p, r);
	trace_seq_reset(&p->seq);
	return event;
}

const char *trace_text(struct trace_printer *p, const struct trace_raw *r, size_t *len)
{
	struct tep_event *event = event_of(p, r);
	struct tep_record rec = { .cpu = (int)r->cpu, .size = (int)r->size };

	if (!event)
		return NULL;
	rec.data = p->raw;
	/* An event is printed by the number in the sample itself, which need not be the one that was checked. */
	if (p->fields || tep_read_number(p->tep, rec.data, 2) != (uint64_t)event->id ||
	    !trace_near(p->tep, event, rec.data))
		tep_print_fields(&p->seq, rec.data, rec.size, event);
	else
		tep_print_event(p->tep, &p->seq, &rec, "%s", TEP_PRINT_INFO);
	if (p->seq.state != TRACE_SEQ__GOOD)
		return NULL;
	trace_seq_terminate(&p->seq);
	*len = p->seq.len;
	return p->seq.buffer;
}

void trace_each_field(struct trace_printer *p, const struct trace_raw *r,
		      void (*fn)(void *ctx, const char *name, const char *text), void *ctx)
{
	struct tep_event *event = event_of(p, r);

	for (struct tep_format_field *f = event ? event->format.fields : NULL; f; f = f->next) {
		trace_seq_reset(&p->seq);
		tep_print_field(&p->seq, p->raw, f);
		if (p->seq.state != TRACE_SEQ__GOOD)
			return;
		trace_seq_terminate(&p->seq);
		fn(ctx, f->name, p->seq.buffer);
	}
}

#else

struct trace_printer {
	int none;
};

void trace_printer_free(struct trace_printer *p)
{
	free(p);
}

int trace_printer_new(struct trace_printer **out, const struct trace *t, bool raw, const char *file,
		      struct err *e)
{
	(void)t, (void)raw, (void)file;
	*out = calloc(1, sizeof(struct trace_printer));
	return err_set(e, -ENOTSUP,
		       "built without libtraceevent: tracepoints are printed without their fields");
}

const char *trace_text(struct trace_printer *p, const struct trace_raw *r, size_t *len)
{
	(void)p, (void)r, (void)len;
	return NULL;
}

void trace_each_field(struct trace_printer *p, const struct trace_raw *r,
		      void (*fn)(void *ctx, const char *name, const char *text), void *ctx)
{
	(void)p, (void)r, (void)fn, (void)ctx;
}

#endif
