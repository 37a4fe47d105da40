// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The interpreter: AMX. What the tiles are is in the last 8 KB of the thread's XSAVE state; they are read
 * when the first of these instructions comes, and computed here: the process of the tracer has neither tiles
 * of its own nor to ask the kernel for them. A tile of which something is not known is not known.
 * Semantics: Intel SDM vol. 2, chapter 3 and the instructions' pages.
 */
#include "base/bytes.h"
#include "config.h"
#include "exec-int.h"

#if HAVE_ZYDIS && defined(__x86_64__)
#include <Zydis/Zydis.h>
#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#define XSTATE_BV_AT 512
#define MOST_ROWS    16
#define MOST_BYTES   64 /* of a row */
#define CONFIG_BYTES 64
#define BYTES_AT     16 /* in the configuration: 16 bits for each tile, then 8 bits: its rows */
#define ROWS_AT	     48
#define FTZ_DAZ	     0x9fc0 /* MXCSR as dot products of BF16 have it, whatever the program's is */

enum tile_op {
	TILE_NONE,
	TILE_CONFIGURE,
	TILE_STORE_CONFIG,
	TILE_RELEASE,
	TILE_ZERO,
	TILE_LOAD,
	TILE_STORE,
	TILE_DOT_SS, /* bytes, both signed */
	TILE_DOT_SU,
	TILE_DOT_US,
	TILE_DOT_UU,
	TILE_DOT_BF16,
};

#define M(name) ZYDIS_MNEMONIC_##name

void vm_choose_tile(struct vm_insn *in, const ZydisDecodedInstruction *z,
		    const ZydisDecodedOperand *o)
{
	static const struct {
		uint16_t mnemonic;
		uint8_t op;
	} rows[] = {
		{ M(LDTILECFG), TILE_CONFIGURE }, { M(STTILECFG), TILE_STORE_CONFIG },
		{ M(TILERELEASE), TILE_RELEASE }, { M(TILEZERO), TILE_ZERO },
		{ M(TILELOADD), TILE_LOAD },	  { M(TILELOADDT1), TILE_LOAD },
		{ M(TILESTORED), TILE_STORE },	  { M(TDPBSSD), TILE_DOT_SS },
		{ M(TDPBSUD), TILE_DOT_SU },	  { M(TDPBUSD), TILE_DOT_US },
		{ M(TDPBUUD), TILE_DOT_UU },	  { M(TDPBF16PS), TILE_DOT_BF16 },
	};
	struct vm_vector v = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].mnemonic == z->mnemonic)
			v.op = rows[i].op;
	if (!v.op || z->address_width != 64)
		return;
	for (unsigned i = 0; i < z->operand_count_visible && i < ARRAY_SIZE(v.opd); i++) {
		bool tile = o[i].type == ZYDIS_OPERAND_TYPE_REGISTER;

		v.opd[i].at = (uint8_t)i;
		v.opd[i].reg = tile ? ZydisRegisterGetId(o[i].reg.value) & 7 : VM_NO_REG;
	}
	in->op = OP_TILE;
	in->simd = v;
}

/* ---- what the tiles are ---------------------------------------------------------------------------------- */

static bool read_tiles(struct vm *vm)
{
	const struct xsave_component *config = &vm->cpu.comp[XSAVE_XTILE_CFG],
				     *data = &vm->cpu.comp[XSAVE_XTILE_DATA];
	unsigned char image[16384] __attribute__((aligned(64)));
	struct iovec iov = { image, sizeof(image) };
	struct vm_tiles *t = &vm->tiles;
	uint64_t bv;

	if (!(vm->cpu.xcr0 & BIT(XSAVE_XTILE_DATA)) || config->size != CONFIG_BYTES ||
	    data->size != sizeof(t->data) ||
	    ptrace(PTRACE_GETREGSET, vm->tid, (void *)NT_X86_XSTATE, &iov) ||
	    iov.iov_len < (size_t)data->offset + data->size)
		return false;
	bv = load_u64(image + XSTATE_BV_AT, false);
	memset(t, 0, sizeof(*t));
	if (bv & BIT(XSAVE_XTILE_CFG))
		memcpy(t->config, image + config->offset, CONFIG_BYTES);
	if (bv & BIT(XSAVE_XTILE_DATA))
		memcpy(t->data, image + data->offset, sizeof(t->data));
	t->known = UINT8_MAX;
	t->config_known = t->read = true;
	return true;
}

void vm_tiles_lost(struct vm *vm)
{
	vm->tiles.read = true;
	vm->tiles.known = 0;
	vm->tiles.config_known = false;
}

static unsigned tile_of(const struct vm_insn *in, unsigned i)
{
	return in->simd.opd[i].reg % VM_TILES;
}

/* Of tile @n, of a row of it, by a configuration. */
static unsigned rows_of(const unsigned char *config, unsigned n)
{
	return config[ROWS_AT + n];
}

static unsigned bytes_of(const unsigned char *config, unsigned n)
{
	return load_u16(config + BYTES_AT + 2 * n, false);
}

/* One that LDTILECFG takes, in which no load or store was interrupted. */
static bool is_sound(const unsigned char *config)
{
	if (config[0] > 1)
		return false;
	for (unsigned i = 1; i < BYTES_AT; i++)
		if (config[i])
			return false;
	for (unsigned n = 0; n < 16; n++)
		if (rows_of(config, n) > (n < VM_TILES ? MOST_ROWS : 0) ||
		    bytes_of(config, n) > (n < VM_TILES ? MOST_BYTES : 0) ||
		    !rows_of(config, n) != !bytes_of(config, n))
			return false;
	return true;
}

static void release(struct vm_tiles *t)
{
	memset(t, 0, sizeof(*t));
	t->known = UINT8_MAX;
	t->config_known = t->read = true;
}

/* ---- instructions ---------------------------------------------------------------------------------------- */

static enum vm_result configure(struct vm *vm, const struct vm_insn *in)
{
	struct val a = exec_address(vm, in, &in->opd[0]);
	unsigned char config[CONFIG_BYTES];
	size_t got = 0;

	if (a.known) {
		if (vm_probe(vm, a.v, CONFIG_BYTES) != VM_OK)
			return VM_NOMEM;
		got = vm_copy(vm, a.v, config, CONFIG_BYTES);
	}
	if (got < CONFIG_BYTES) {
		if (vm->exact)
			return VM_FOREIGN;
		vm_tiles_lost(vm);
		return VM_OK;
	}
	if (config[0] && !is_sound(config))
		return VM_FOREIGN;
	release(&vm->tiles);
	if (config[0])
		memcpy(vm->tiles.config, config, CONFIG_BYTES);
	return VM_OK;
}

/* @n bytes, all known or none. There is room. */
static void store(struct vm *vm, uint64_t addr, const unsigned char *b, unsigned n, bool known)
{
	for (unsigned i = 0; i < n; i += 8) {
		unsigned part = (unsigned)min_u64(8, n - i);
		uint64_t v = 0;

		memcpy(&v, b + i, part);
		(void)vm_store(vm, addr + i, part, v, known);
	}
}

static enum vm_result store_config(struct vm *vm, const struct vm_insn *in)
{
	struct val a = exec_address(vm, in, &in->opd[0]);

	if (!a.known)
		return VM_UNKNOWN;
	if (vm_probe(vm, a.v, CONFIG_BYTES) != VM_OK)
		return VM_NOMEM;
	if (!vm->tiles.config_known && vm->exact)
		return VM_FOREIGN;
	store(vm, a.v, vm->tiles.config, CONFIG_BYTES, vm->tiles.config_known);
	return VM_OK;
}

/* Where row 0 lies, and how far the next one is. */
static struct val place(const struct vm *vm, const struct vm_insn *in, unsigned i, uint64_t *stride)
{
	const struct vm_opd *o = &in->opd[i];
	struct val a = exec_address(vm, in, o);

	*stride = 0;
	if (o->index != VM_NO_REG) {
		*stride = vm->reg[o->index] * o->scale;
		a.v -= *stride;
	}
	return a;
}

static enum vm_result load(struct vm *vm, const struct vm_insn *in)
{
	unsigned n = tile_of(in, 0), bytes = bytes_of(vm->tiles.config, n);
	unsigned char tile[MOST_ROWS * MOST_BYTES] = { 0 };
	uint64_t stride;
	struct val a = place(vm, in, 1, &stride);
	bool known = a.known;

	for (unsigned row = 0; row < rows_of(vm->tiles.config, n) && known; row++) {
		uint64_t from = a.v + row * stride;

		if (vm_probe(vm, from, bytes) != VM_OK)
			return VM_NOMEM;
		known = vm_copy(vm, from, tile + row * MOST_BYTES, bytes) == bytes;
	}
	if (!known && vm->exact)
		return VM_FOREIGN;
	memcpy(vm->tiles.data[n], tile, sizeof(tile));
	vm->tiles.known = (uint8_t)((vm->tiles.known & ~(1 << n)) | (known ? 1u << n : 0));
	return VM_OK;
}

static enum vm_result store_tile(struct vm *vm, const struct vm_insn *in)
{
	unsigned n = tile_of(in, 1), bytes = bytes_of(vm->tiles.config, n);
	bool known = vm->tiles.known >> n & 1;
	unsigned rows = rows_of(vm->tiles.config, n);
	uint64_t stride;
	struct val a = place(vm, in, 0, &stride);

	if (!a.known)
		return VM_UNKNOWN;
	if (!known && vm->exact)
		return VM_FOREIGN;
	for (unsigned row = 0; row < rows; row++)
		if (vm_probe(vm, a.v + row * stride, bytes) != VM_OK)
			return VM_NOMEM;
	for (unsigned row = 0; row < rows; row++)
		store(vm, a.v + row * stride, vm->tiles.data[n] + row * MOST_BYTES, bytes, known);
	return VM_OK;
}

static int32_t dot_bytes(uint8_t op, const unsigned char *a, const unsigned char *b)
{
	bool a_signed = op == TILE_DOT_SS || op == TILE_DOT_SU,
	     b_signed = op == TILE_DOT_SS || op == TILE_DOT_US;
	int32_t sum = 0;

	for (unsigned i = 0; i < 4; i++)
		sum += (a_signed ? (int8_t)a[i] : a[i]) * (b_signed ? (int8_t)b[i] : b[i]);
	return sum;
}

static float from_bf16(const unsigned char *p)
{
	uint32_t bits = (uint32_t)load_u16(p, false) << 16;
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

/* As the CPU does it: whatever has AMX has this. Which of two NaNs comes out is decided there, too. */
static float multiply_add(float sum, float a, float b)
{
	__asm__ volatile("vfmadd231ss %2, %1, %0" : "+x"(sum) : "x"(a), "x"(b));
	return sum;
}

static float add(float a, float b)
{
	__asm__ volatile("vaddss %1, %0, %0" : "+x"(a) : "x"(b));
	return a;
}

/* A row of @c += a row of @a times @b: even and odd elements are summed up apart. */
static void dot_row_bf16(unsigned char *c, const unsigned char *a, const unsigned char *b,
			 unsigned columns, unsigned pairs)
{
	for (unsigned n = 0; n < columns; n++) {
		float sum[2] = { 0, 0 }, f;

		for (unsigned k = 0; k < pairs; k++)
			for (unsigned i = 0; i < 2; i++)
				sum[i] =
					multiply_add(sum[i], from_bf16(a + 4 * k + 2 * i),
						     from_bf16(b + k * MOST_BYTES + 4 * n + 2 * i));
		memcpy(&f, c + 4 * n, sizeof(f));
		f = add(f, add(sum[0], sum[1]));
		memcpy(c + 4 * n, &f, sizeof(f));
	}
}

static void dot_row(uint8_t op, unsigned char *c, const unsigned char *a, const unsigned char *b,
		    unsigned columns, unsigned quads)
{
	for (unsigned n = 0; n < columns; n++) {
		uint32_t sum = load_u32(c + 4 * n, false);

		for (unsigned k = 0; k < quads; k++)
			sum += (uint32_t)dot_bytes(op, a + 4 * k, b + k * MOST_BYTES + 4 * n);
		store_u32(c + 4 * n, sum);
	}
}

static enum vm_result dot(struct vm *vm, const struct vm_insn *in)
{
	unsigned c = tile_of(in, 0), a = tile_of(in, 1), b = tile_of(in, 2);
	uint8_t read = (uint8_t)(1 << a | 1 << b | 1 << c), op = in->simd.op;
	struct vm_tiles *t = &vm->tiles;
	unsigned rows = rows_of(t->config, c), bytes = bytes_of(t->config, c),
		 inner = bytes_of(t->config, a);
	uint32_t ours;

	if (a == b || a == c || b == c || rows != rows_of(t->config, a) ||
	    bytes != bytes_of(t->config, b) || inner != 4 * rows_of(t->config, b))
		return VM_FAULT;
	if ((t->known & read) != read) {
		if (vm->exact)
			return VM_FOREIGN;
		t->known &= ~(1 << c);
		return VM_OK;
	}
	__asm__ volatile("stmxcsr %0" : "=m"(ours));
	__asm__ volatile("ldmxcsr %0" : : "m"((uint32_t){ FTZ_DAZ }));
	for (unsigned row = 0; row < rows; row++) {
		unsigned char *to = t->data[c] + row * MOST_BYTES;
		const unsigned char *from = t->data[a] + row * MOST_BYTES;

		if (op == TILE_DOT_BF16)
			dot_row_bf16(to, from, t->data[b], bytes / 4, inner / 4);
		else
			dot_row(op, to, from, t->data[b], bytes / 4, inner / 4);
		memset(to + bytes, 0, MOST_BYTES - bytes);
	}
	__asm__ volatile("ldmxcsr %0" : : "m"(ours));
	memset(t->data[c] + rows * MOST_BYTES, 0, (MOST_ROWS - rows) * MOST_BYTES);
	return VM_OK;
}

/* All of its tiles have rows, of whole 32-bit elements where these are looked at. */
static bool are_usable(const struct vm *vm, const struct vm_insn *in)
{
	for (unsigned i = 0; i < ARRAY_SIZE(in->simd.opd) && i < in->nr; i++) {
		unsigned n = in->simd.opd[i].reg;

		if (n != VM_NO_REG &&
		    (!rows_of(vm->tiles.config, n) ||
		     (in->simd.op != TILE_ZERO && bytes_of(vm->tiles.config, n) % 4)))
			return false;
	}
	return true;
}

enum vm_result exec_tile(struct vm *vm, const struct vm_insn *in)
{
	struct vm_tiles *t = &vm->tiles;

	if (!t->read && !read_tiles(vm))
		return VM_FOREIGN;
	switch (in->simd.op) {
	case TILE_CONFIGURE: return configure(vm, in);
	case TILE_STORE_CONFIG: return store_config(vm, in);
	case TILE_RELEASE: release(t); return VM_OK;
	default: break;
	}
	/* the thread knows its configuration, and where an interrupted load or store goes on */
	if (!t->config_known)
		return VM_UNKNOWN;
	if (!is_sound(t->config))
		return VM_FOREIGN;
	if (!are_usable(vm, in))
		return VM_FAULT;
	switch (in->simd.op) {
	case TILE_ZERO:
		memset(t->data[tile_of(in, 0)], 0, sizeof(t->data[0]));
		t->known |= 1 << tile_of(in, 0);
		return VM_OK;
	case TILE_LOAD: return load(vm, in);
	case TILE_STORE: return store_tile(vm, in);
	default: return dot(vm, in);
	}
}
#else
void vm_tiles_lost(struct vm *vm)
{
	(void)vm;
}

enum vm_result exec_tile(struct vm *vm, const struct vm_insn *in)
{
	(void)vm;
	(void)in;
	return VM_FOREIGN;
}
#endif
