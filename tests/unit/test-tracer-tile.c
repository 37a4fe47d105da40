// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * AMX, computed by the tracer and executed by a thread of this CPU: tiles of every shape with random
 * bytes, loads and stores with any distance between rows, dot products also of numbers that are none.
 */
#include "unit.h"

#if defined(__x86_64__) && defined(__linux__)
#include "tracer-round.h"

#define ROUNDS	  20000
#define CONFIG_AT 64 /* in the data */

/* @p: the instruction's opcode byte and its pp; memory is [rbx + rsi] for loads and stores, [rbx] for others. */
static const struct kind {
	unsigned char opcode, pp, w;
	bool dot, memory, indexed;
} kinds[] = {
	{ 0x5e, 3, 0, true, false, false },  /* tdpbssd */
	{ 0x5e, 2, 0, true, false, false },  /* tdpbsud */
	{ 0x5e, 1, 0, true, false, false },  /* tdpbusd */
	{ 0x5e, 0, 0, true, false, false },  /* tdpbuud */
	{ 0x5c, 2, 0, true, false, false },  /* tdpbf16ps */
	{ 0x4b, 3, 0, false, true, true },   /* tileloadd */
	{ 0x4b, 1, 0, false, true, true },   /* tileloaddt1 */
	{ 0x4b, 2, 0, false, true, true },   /* tilestored */
	{ 0x49, 0, 0, false, true, false },  /* ldtilecfg */
	{ 0x49, 1, 0, false, true, false },  /* sttilecfg */
	{ 0x49, 3, 0, false, false, false }, /* tilezero */
	{ 0x49, 0, 0, false, false, false }, /* tilerelease */
};

static bool has_tiles(const struct round *d)
{
	return d->cpu.xcr0 & BIT(XSAVE_XTILE_DATA) && d->cpu.comp[XSAVE_XTILE_DATA].size == 8192;
}

static void put_shape(unsigned char *config, unsigned tile, unsigned rows, unsigned bytes)
{
	store_u16(config + 16 + 2 * tile, (uint16_t)bytes);
	config[48 + tile] = (unsigned char)rows;
}

/* Shapes that fit for the product of tiles 1 and 2 in 0, and any. */
static void random_config(unsigned char *config)
{
	unsigned rows = 1 + rnd() % 16, columns = 1 + rnd() % 16, inner = 1 + rnd() % 16;

	memset(config, 0, 64);
	config[0] = 1;
	put_shape(config, 0, rows, 4 * columns);
	put_shape(config, 1, rows, 4 * inner);
	put_shape(config, 2, inner, 4 * columns);
	for (unsigned n = 3; n < 8; n++)
		if (!one_in(8))
			put_shape(config, n, 1 + rnd() % 16,
				  one_in(8) ? 1 + rnd() % 64 : 4 + rnd() % 16 * 4);
	if (one_in(16)) /* perhaps one that none can have */
		config[rnd() % 64] = (unsigned char)rnd();
}

static void random_tiles(struct round *d)
{
	const struct xsave_component *c = d->cpu.comp;
	unsigned char *config = d->image + c[XSAVE_XTILE_CFG].offset,
		      *data = d->image + c[XSAVE_XTILE_DATA].offset;
	uint64_t bv = load_u64(d->image + 512, false);

	do
		random_config(config);
	while (config[0] != 1);
	/* what SETREGSET takes is not looked at by the kernel, but is by the CPU */
	for (unsigned n = 0; n < 8; n++)
		if (config[48 + n] > 16 || load_u16(config + 16 + 2 * n, false) > 64)
			put_shape(config, n, 0, 0);
	memset(config + 1, 0, 15);
	memset(config + 32, 0, 16);
	memset(config + 56, 0, 8);
	for (unsigned n = 0; n < 8; n++) {
		unsigned rows = config[48 + n], bytes = load_u16(config + 16 + 2 * n, false);

		if (!rows || !bytes)
			put_shape(config, n, rows = 0, bytes = 0);
		for (unsigned i = 0; i < 1024; i++)
			data[1024 * n + i] =
				i / 64 < rows && i % 64 < bytes ? (unsigned char)rnd() : 0;
		/* BF16 of about one, so that sums are numbers; others are any, of which many are none */
		for (unsigned i = 1; i < 1024 && n < 3 && one_in(2); i += 2)
			data[1024 * n + i] =
				data[1024 * n + i] ? 0x3f | (data[1024 * n + i] & 0x80) : 0;
	}
	bv |= BIT(XSAVE_XTILE_CFG) | BIT(XSAVE_XTILE_DATA);
	if (one_in(16))
		bv &= ~BIT(XSAVE_XTILE_DATA);
	store_u64(d->image + 512, bv);
}

static void encode(struct round *d, const struct kind *k)
{
	bool mixed = one_in(8);
	unsigned c = mixed ? rnd() & 7 : 0, a = mixed ? rnd() & 7 : 1, b = mixed ? rnd() & 7 : 2;
	unsigned vvvv = k->dot ? b : 0, n = 0;

	if (!k->dot)
		c = k->opcode == 0x4b || k->pp == 3 ? rnd() & 7 : 0;
	d->x = (struct encoding){ 0 };
	d->x.bytes[n++] = 0xc4;
	d->x.bytes[n++] = 0xe2;
	d->x.bytes[n++] = (unsigned char)((~vvvv & 15) << 3 | k->pp);
	d->x.bytes[n++] = k->opcode;
	if (k->indexed) {
		d->x.bytes[n++] = (unsigned char)(c << 3 | 4);
		d->x.bytes[n++] = (unsigned char)((one_in(4) ? 1 : 0) << 6 | 6 << 3 | 3);
	} else {
		d->x.bytes[n++] = (unsigned char)((k->memory ? 0 : 3) << 6 | c << 3 |
						  (k->memory ? 3
						   : k->dot  ? a
							     : 0));
	}
}

static void compare_tiles(const struct round *d)
{
	const struct xsave_component *c = d->cpu.comp;
	const struct vm_tiles *t = &d->vm->tiles;
	unsigned char image[IMAGE_MAX];
	uint64_t bv;

	assert_int_equal(get_image(d->pid, image, sizeof(image)), d->image_size);
	bv = load_u64(image + 512, false);
	if (!(bv & BIT(XSAVE_XTILE_CFG)))
		memset(image + c[XSAVE_XTILE_CFG].offset, 0, 64);
	if (!(bv & BIT(XSAVE_XTILE_DATA)))
		memset(image + c[XSAVE_XTILE_DATA].offset, 0, 8192);
	if (!t->read || !t->config_known || t->known != UINT8_MAX)
		wrong("tiles are not known");
	if (memcmp(t->config, image + c[XSAVE_XTILE_CFG].offset, 64))
		wrong("another configuration");
	for (unsigned i = 0; i < 8192; i++)
		if (t->data[i / 1024][i % 1024] != image[c[XSAVE_XTILE_DATA].offset + i])
			wrong("tile %u, row %u, byte %u: %02x, not %02x", i / 1024, i / 64 % 16,
			      i % 64, t->data[i / 1024][i % 1024],
			      image[c[XSAVE_XTILE_DATA].offset + i]);
}

/* False: it cannot be computed, and the thread gets a signal. */
static bool round_of(struct round *d, const struct kind *k)
{
	struct vm_insn in = { .addr = CODE }, *at;
	unsigned char code[sizeof(d->x.bytes) + 1], config[64];
	struct user_regs_struct r;
	enum vm_result why;
	int sig;

	random_registers(d, &r);
	random_tiles(d);
	random_config(config);
	copy_to(d->pid, DATA + CONFIG_AT, config, sizeof(config));
	encode(d, k);
	r.rsi = k->indexed ? rnd() % 65 : 0;
	r.rbx = k->indexed ? DATA + 256 + rnd() % 256 : DATA + CONFIG_AT;
	if (k->indexed && one_in(4)) { /* backwards */
		r.rbx += 1200;
		r.rsi = -r.rsi;
	}
	if (!vm_decode(&in, d->x.bytes, sizeof(d->x.bytes))) /* the same tile twice */
		return false;
	memcpy(code, d->x.bytes, sizeof(d->x.bytes));
	code[in.len] = 0x90;
	copy_to(d->pid, CODE, code, sizeof(code));
	set_state(d->pid, &r, d->image, d->image_size);
	vm_begin(d->vm, d->pid, &r);
	at = vm_fetch(d->vm, &why);
	assert_non_null(at);
	why = vm_step(d->vm, at);
	sig = run_thread(d, false, &r);
	if (why != VM_OK) {
		if (sig == SIGTRAP && why != VM_FOREIGN)
			wrong("the thread executes it, the tracer says %d", why);
		return false;
	}
	if (sig != SIGTRAP)
		wrong("the thread got signal %d", sig);
	if (!vm_agrees(d->vm, &r))
		wrong("registers");
	compare_tiles(d);
	compare_memory(d);
	return true;
}

static void test_all(void **state)
{
	struct round *d = *state;
	unsigned nr[ARRAY_SIZE(kinds)] = { 0 };

	if (!has_tiles(d)) {
		print_message("# no AMX here\n");
		skip();
	}
	for (unsigned i = 0; i < ROUNDS; i++)
		nr[i % ARRAY_SIZE(kinds)] += round_of(d, &kinds[i % ARRAY_SIZE(kinds)]);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		print_message("# opcode %02x, prefix %u: %u computed\n", kinds[i].opcode,
			      kinds[i].pp, nr[i]);
		assert_true(nr[i] > ROUNDS / ARRAY_SIZE(kinds) / 2);
	}
}

/* What is in memory or in tiles is not known: then neither is what comes of it, and nothing is said that is not true. */
static void test_unknown(void **state)
{
	static const struct kind load = { 0x4b, 3, 0, false, true, true },
				 store = { 0x4b, 2, 0, false, true, true };
	struct round *d = *state;
	struct vm_insn in = { .addr = CODE };
	struct user_regs_struct r;
	uint64_t v;

	if (!has_tiles(d))
		skip();
	random_registers(d, &r);
	random_tiles(d);
	put_shape(d->image + d->cpu.comp[XSAVE_XTILE_CFG].offset, 0, 2, 8);
	set_state(d->pid, &r, d->image, d->image_size);
	r.rbx = DATA + 256;
	r.rsi = 64;
	vm_begin(d->vm, d->pid, &r);
	assert_int_equal(vm_store(d->vm, DATA + 256 + 64, 1, 0, false), VM_OK);
	for (unsigned i = 0; i < 2; i++) {
		encode(d, i ? &store : &load);
		d->x.bytes[4] = 4;
		d->x.bytes[5] = 6 << 3 | 3;
		in = (struct vm_insn){ .addr = CODE };
		assert_true(vm_decode(&in, d->x.bytes, sizeof(d->x.bytes)));
		assert_int_equal(vm_step(d->vm, &in), VM_OK);
		assert_int_equal(d->vm->tiles.known, 0xfe);
	}
	assert_int_equal(vm_load(d->vm, DATA + 256 + 7, 1, &v), VM_UNKNOWN);
	assert_int_equal(vm_load(d->vm, DATA + 256 + 8, 8, &v), VM_OK);
	assert_int_equal(vm_load(d->vm, DATA + 256 + 64 + 7, 1, &v), VM_UNKNOWN);
	assert_int_equal(vm_load(d->vm, DATA + 256 + 64 + 8, 8, &v), VM_OK);
	assert_int_equal(vm_load(d->vm, DATA + 256 + 128, 8, &v), VM_OK);
	/* nor is where it lies */
	d->vm->known &= ~(1u << VM_SI);
	assert_int_equal(vm_step(d->vm, &in), VM_UNKNOWN);
	/* where all must be known, the thread does it */
	d->vm->known = 0xffff;
	d->vm->exact = true;
	assert_int_equal(vm_step(d->vm, &in), VM_FOREIGN);
	d->vm->exact = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_unknown),
	};
	struct vm_insn in = { 0 };

	if (!vm_decode(&in, (const unsigned char *)"\x90", 1)) {
		puts("1..0 # SKIP built without Zydis");
		return 0;
	}
	return cmocka_run_group_tests_name("tracer-tile", tests, set_up, tear_down);
}
#else
int main(void)
{
	puts("1..0 # SKIP the tracer is for Linux on x86-64");
	return 0;
}
#endif
