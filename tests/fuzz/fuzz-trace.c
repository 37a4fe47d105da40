// SPDX-License-Identifier: GPL-2.0-or-later
/* Two parts: any bytes as TRACING_DATA, and as what a sample says of each tracepoint in it. */
#include "fuzz.h"
#include "trace/trace.h"

static void ask(const struct trace_format *f)
{
	struct trace_field field = { 0 };
	struct obuf o;

	fuzz_touch_bytes(f->text, f->size);
	if (f->name)
		fuzz_touch_bytes(f->name, f->name_size);
	fuzz_touch(f->system);
	for (int i = 0; i < 64 && trace_next_field(f, &field); i++)
		fuzz_touch_bytes(field.name, field.name_size);
	trace_field(f, "prev_pid", &field);
	if (obuf_init(&o, -1, 0))
		return;
	trace_field_names(f, &o);
	obuf_free(&o);
}

static void run(const uint8_t *data, size_t size)
{
	struct fuzz_bytes b = { data, size };
	struct trace_printer *p;
	struct trace *t;
	size_t n, raw_size, len;
	const uint8_t *bytes = fuzz_part(&b, &n), *raw = fuzz_part(&b, &raw_size);

	if (trace_new(&t, bytes, n, NULL))
		return;
	for (int plain = 0; plain < 2; plain++) {
		if (trace_printer_new(&p, t, plain, "file", NULL) && !p)
			break;
		for (uint64_t id = 0; id < 8; id++) {
			/* Ids of what is there: samples say theirs in the first two bytes, too. */
			struct trace_raw r = { raw, (uint32_t)raw_size, 0, id ? id : 316 };
			const struct trace_format *f = trace_find(t, r.id);

			if (f)
				ask(f);
			fuzz_touch(trace_text(p, &r, &len));
		}
		trace_printer_free(p);
	}
	trace_free(t);
}

const struct fuzz_target fuzz_trace = {
	.name = "trace",
	.reads = "formats of tracepoints, and samples of these",
	.max_len = 4096,
	.run = run,
	.mutate = mutate_parts,
};
