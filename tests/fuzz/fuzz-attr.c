// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as an attr and a sample of it: of one event, without a file around them. */
#include "base/obuf.h"
#include "fuzz.h"
#include "sample/sample.h"

static void touch(const struct u64s *a)
{
	uint64_t v[2];

	if (!a->nr)
		return;
	v[0] = u64s_get(a, 0);
	v[1] = u64s_get(a, a->nr - 1);
	fuzz_touch_bytes(v, sizeof(v));
}

static void ask(const struct record *rec)
{
	struct sample s;
	struct sample_frames it;
	struct branch_entry br;
	struct obuf o;
	uint64_t ip;

	if (sample_parse(rec, &s, NULL))
		return;
	touch(&s.read.words);
	touch(&s.user_regs.gpr);
	touch(&s.intr_regs.vec);
	touch(&s.intr_regs.pred);
	touch(&s.branches.counters);
	it = sample_frames(&s.callchain);
	while (sample_frames_next(&it, &ip) > 0)
		;
	for (uint64_t i = 0; i < s.branches.nr; i++)
		sample_branch(&s.branches, i, &br);
	fuzz_touch_bytes(s.raw, s.raw_size);
	fuzz_touch_bytes(s.stack, s.stack_size);
	fuzz_touch_bytes(s.aux, s.aux_size);
	if (obuf_init(&o, -1, 0))
		return;
	attr_print(&rec->event->attr, &o);
	obuf_free(&o);
}

/* Half of the inputs are of the other byte order. */
static void run(const uint8_t *data, size_t size)
{
	struct fuzz_bytes b = { data, size };
	bool swap = fuzz_u8(&b) & 1;
	uint32_t attr_size = 136;
	struct perfdata_event ev = { .name = "event", .nr_members = 1, .scale = 1 };
	struct record rec = { .type = PERF_RECORD_SAMPLE, .swap = swap, .event = &ev };
	const uint8_t *attr;
	size_t n;
	char name[64];

	if (b.left >= 8 && load_u32(b.p + 4, swap) <= 4096)
		attr_size = load_u32(b.p + 4, swap);
	attr = fuzz_take(&b, attr_size, &n);
	if (attr_load(&ev.attr, attr, n, swap, NULL))
		return;
	attr_name(&ev.attr, name, sizeof(name));
	fuzz_touch(name);
	if (b.left < 8 || b.left > UINT16_MAX)
		return;
	rec.data = b.p;
	rec.size = (uint32_t)b.left;
	ask(&rec);
}

const struct fuzz_target fuzz_attr = {
	.name = "attr",
	.reads = "attrs and samples of them, alone",
	.max_len = 512,
	.run = run,
};
