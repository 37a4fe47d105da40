// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a core file: the registers of its threads, as text. */
#include "fuzz.h"
#include "xstate/xstate.h"

static void run(const uint8_t *data, size_t size)
{
	struct xstate_view v = { .cpu = NULL, .all = true };
	struct tracer_states st = { 0 };
	struct err note = { 0 }, err = { 0 };
	struct emit e;
	struct obuf o;

	fuzz_file(0, data, size);
	if (tracer_states_core(&st, fuzz_path(0), &err) || obuf_init(&o, -1, 0)) {
		tracer_states_free(&st);
		return;
	}
	emit_init(&e, &o, size % 2 ? EMIT_JSON : EMIT_TEXT);
	emit_object(&e, NULL);
	xstate_show_threads(&e, &v, "core", &st, &note, &err);
	obuf_free(&o);
	tracer_states_free(&st);
}

const struct fuzz_target fuzz_core = {
	.name = "core",
	.reads = "core files: registers and XSAVE images of threads",
	.max_len = 8192,
	.run = run,
	.mutate = mutate_elf,
};
