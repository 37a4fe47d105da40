// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parts: .eh_frame, .debug_frame, .eh_frame_hdr in an object of their own, and a stack; then where .eh_frame lies, and
 * registers. Each address of code is a frame whose caller is looked for, and that one's, and so on: by our rules alone,
 * by these as samples are unwound, and by libunwind where it is built in.
 */
#include <stdlib.h>

#include "image.h"
#include "unwind/cfi-int.h"
#include "unwind/unwind.h"

#define STACK 0x7000ULL
#define SP    7

struct stack {
	const uint8_t *p;
	size_t n;
};

static bool memory(void *ctx, uint64_t addr, unsigned size, uint64_t *v)
{
	const struct stack *s = ctx;

	if (addr < STACK || addr - STACK > s->n || s->n - (addr - STACK) < size || size > 8)
		return false;
	*v = 0;
	memcpy(v, s->p + (addr - STACK), size);
	return true;
}

static void walk(struct cfi *c, struct cfi_object *o, struct cfi_regs r, uint64_t pc,
		 struct stack *s)
{
	for (int depth = 0; depth < 8; depth++) {
		uint64_t at = pc - IMAGE_TEXT + 0x1000;
		uint32_t rule = cfi_find(c, o, at);

		if (rule == CFI_NONE)
			break;
		if (!cfi_step(c, cfi_rule(c, rule), &r, SP, 8, memory, s, &pc))
			break;
	}
}

/* The same stack as that of a sample, at @pc. */
static void walk_sample(struct unwind *u, struct thread *th, const struct cfi_regs *r, uint64_t pc,
			const struct stack *s)
{
	/* By perf's numbers of registers, as x86-64 has them in a sample: bits of the mask. */
	static const uint8_t dwarf[] = {
		0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8
	};
	static const struct perfdata_event event = { .attr.sample_stack_user = 8192 };
	unsigned char words[24 * 8] = { 0 };
	struct sample smp = { .event = &event,
			      .present = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
			      .cpumode = PERF_RECORD_MISC_USER,
			      .stack = s->p,
			      .stack_size = s->n };
	const struct frame *frames;

	for (unsigned i = 0; i < ARRAY_SIZE(dwarf); i++)
		store_u64(words + 8 * dwarf[i], i == SP ? STACK : i == 16 ? pc : r->v[i]);
	smp.user_regs = (struct sample_regs){ .abi = PERF_SAMPLE_REGS_ABI_64,
					      .mask = 0xffffff,
					      .gpr = { .p = words, .nr = 24 } };
	if (unwind_chain(u, th, &smp, &frames) < 0)
		abort();
}

static void run_samples(struct machine *m, struct resolver *res, enum unwind_by by,
			const struct cfi_regs *r, const struct stack *s)
{
	const struct unwind_opts opts = {
		.arch = "x86_64", .by = by, .max_stack = 8, .ips_only = true
	};
	struct unwind *u;

	if (!unwind_new(&u, m, res, &opts, NULL))
		for (unsigned off = 0; off < 192; off += 3)
			walk_sample(u, machine_thread(m, 1, 1), r, IMAGE_TEXT + off, s);
	unwind_free(u);
}

static void run(const uint8_t *data, size_t size)
{
	struct image_section sec[3] = { { .name = ".eh_frame" },
					{ .name = ".debug_frame" },
					{ .name = ".eh_frame_hdr" } };
	struct fuzz_bytes b = { data, size };
	struct symbol_opts opts = { .no_host_kernel = true };
	struct cfi_regs r = { 0 };
	struct cfi_object *o;
	struct resolver *res;
	struct machine *m;
	struct map_hit hit;
	struct stack s;
	struct cfi *c;

	for (size_t i = 0; i < ARRAY_SIZE(sec); i++)
		sec[i].p = fuzz_part(&b, &sec[i].n);
	s.p = fuzz_part(&b, &s.n);
	sec[0].addr = fuzz_u64(&b);
	sec[2].addr = sec[2].n ? sec[0].addr - sec[2].n : 0;
	for (unsigned i = 0; i < 17; i++)
		cfi_set(&r, i, STACK + 8ULL * fuzz_u8(&b));
	image_write(0, sec, ARRAY_SIZE(sec));
	if (machine_new(&m, "x86_64", NULL) || resolver_new(&res, m, &opts, NULL) ||
	    cfi_new(&c, res))
		abort();
	image_map(m, 0);
	if (!machine_find_map(m, machine_thread(m, 1, 1), PERF_RECORD_MISC_USER, IMAGE_TEXT, &hit))
		abort();
	o = cfi_object(c, hit.map->dso);
	for (unsigned off = 0; o && off < 192; off += 3)
		walk(c, o, r, IMAGE_TEXT + off, &s);
	cfi_free(c);
	run_samples(m, res, UNWIND_PERF, &r, &s);
	run_samples(m, res, UNWIND_LIBUNWIND, &r, &s);
	resolver_free(res);
	machine_free(m);
}

const struct fuzz_target fuzz_cfi = {
	.name = "cfi",
	.reads = "call frame information, and stacks unwound by it",
	.max_len = 2048,
	.run = run,
	.mutate = mutate_parts,
};
