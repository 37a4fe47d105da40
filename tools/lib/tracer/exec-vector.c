// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The few vector instructions that nearly all programs execute, between integers: copies, comparisons of
 * strings, cleared registers. The processor itself would do them right, too (native.c), but has to be given all of
 * the program's vector registers before and asked for them behind, which takes a hundred times as long.
 * So these are computed in the image of XSAVE where the registers lie. All that they read must be known;
 * where something is not, or the form is a rare one, nothing is done here.
 */
#include "base/bytes.h"
#include "config.h"
#include "exec-int.h"

#if HAVE_ZYDIS && defined(__x86_64__)
#include <Zydis/Zydis.h>

#define XSTATE_BV_AT 512
#define XMM_AT	     160
#define LONGEST	     64

enum vector_op {
	VECTOR_NONE,
	VECTOR_MOVE, /* what is left of 16 bytes, with VEX of all, becomes zero */
	VECTOR_LOW,  /* 8 bytes, the others stay */
	VECTOR_HIGH,
	VECTOR_AND,
	VECTOR_ANDN,
	VECTOR_OR,
	VECTOR_XOR,
	VECTOR_EQUAL8,
	VECTOR_EQUAL16,
	VECTOR_EQUAL32,
	VECTOR_ADD8,
	VECTOR_ADD16,
	VECTOR_ADD32,
	VECTOR_ADD64,
	VECTOR_SUB8,
	VECTOR_SUB32,
	VECTOR_SUB64,
	VECTOR_MIN8,
	VECTOR_MASK, /* the sign of each byte */
	VECTOR_CLEAR_UPPER,
};

/* ---- which ---------------------------------------------------------------------------------------- */

#define M(name) ZYDIS_MNEMONIC_##name

/* @size: bytes that are moved; 0 = the operand's. */
static const struct row {
	uint16_t mnemonic;
	uint8_t op, size;
} rows[] = {
	{ M(MOVUPS), VECTOR_MOVE, 0 },
	{ M(MOVUPD), VECTOR_MOVE, 0 },
	{ M(MOVAPS), VECTOR_MOVE, 0 },
	{ M(MOVAPD), VECTOR_MOVE, 0 },
	{ M(MOVDQU), VECTOR_MOVE, 0 },
	{ M(MOVDQA), VECTOR_MOVE, 0 },
	{ M(LDDQU), VECTOR_MOVE, 0 },
	{ M(MOVNTDQ), VECTOR_MOVE, 0 },
	{ M(MOVNTPS), VECTOR_MOVE, 0 },
	{ M(MOVQ), VECTOR_MOVE, 8 },
	{ M(MOVD), VECTOR_MOVE, 4 },
	{ M(MOVSS), VECTOR_MOVE, 4 },
	{ M(MOVSD), VECTOR_MOVE, 8 },
	{ M(VMOVUPS), VECTOR_MOVE, 0 },
	{ M(VMOVUPD), VECTOR_MOVE, 0 },
	{ M(VMOVAPS), VECTOR_MOVE, 0 },
	{ M(VMOVAPD), VECTOR_MOVE, 0 },
	{ M(VMOVDQU), VECTOR_MOVE, 0 },
	{ M(VMOVDQA), VECTOR_MOVE, 0 },
	{ M(VMOVDQU8), VECTOR_MOVE, 0 },
	{ M(VMOVDQU16), VECTOR_MOVE, 0 },
	{ M(VMOVDQU32), VECTOR_MOVE, 0 },
	{ M(VMOVDQU64), VECTOR_MOVE, 0 },
	{ M(VMOVDQA32), VECTOR_MOVE, 0 },
	{ M(VMOVDQA64), VECTOR_MOVE, 0 },
	{ M(VLDDQU), VECTOR_MOVE, 0 },
	{ M(VMOVNTDQ), VECTOR_MOVE, 0 },
	{ M(VMOVQ), VECTOR_MOVE, 8 },
	{ M(VMOVD), VECTOR_MOVE, 4 },
	{ M(VMOVSS), VECTOR_MOVE, 4 },
	{ M(VMOVSD), VECTOR_MOVE, 8 },
	{ M(MOVLPS), VECTOR_LOW, 8 },
	{ M(MOVLPD), VECTOR_LOW, 8 },
	{ M(MOVHPS), VECTOR_HIGH, 8 },
	{ M(MOVHPD), VECTOR_HIGH, 8 },
	{ M(PAND), VECTOR_AND, 0 },
	{ M(ANDPS), VECTOR_AND, 0 },
	{ M(ANDPD), VECTOR_AND, 0 },
	{ M(PANDN), VECTOR_ANDN, 0 },
	{ M(ANDNPS), VECTOR_ANDN, 0 },
	{ M(ANDNPD), VECTOR_ANDN, 0 },
	{ M(POR), VECTOR_OR, 0 },
	{ M(ORPS), VECTOR_OR, 0 },
	{ M(ORPD), VECTOR_OR, 0 },
	{ M(PXOR), VECTOR_XOR, 0 },
	{ M(XORPS), VECTOR_XOR, 0 },
	{ M(XORPD), VECTOR_XOR, 0 },
	{ M(PCMPEQB), VECTOR_EQUAL8, 0 },
	{ M(PCMPEQW), VECTOR_EQUAL16, 0 },
	{ M(PCMPEQD), VECTOR_EQUAL32, 0 },
	{ M(PADDB), VECTOR_ADD8, 0 },
	{ M(PADDW), VECTOR_ADD16, 0 },
	{ M(PADDD), VECTOR_ADD32, 0 },
	{ M(PADDQ), VECTOR_ADD64, 0 },
	{ M(PSUBB), VECTOR_SUB8, 0 },
	{ M(PSUBD), VECTOR_SUB32, 0 },
	{ M(PSUBQ), VECTOR_SUB64, 0 },
	{ M(PMINUB), VECTOR_MIN8, 0 },
	{ M(PMOVMSKB), VECTOR_MASK, 0 },
	{ M(VPAND), VECTOR_AND, 0 },
	{ M(VPANDN), VECTOR_ANDN, 0 },
	{ M(VPOR), VECTOR_OR, 0 },
	{ M(VPXOR), VECTOR_XOR, 0 },
	{ M(VXORPS), VECTOR_XOR, 0 },
	{ M(VXORPD), VECTOR_XOR, 0 },
	{ M(VPCMPEQB), VECTOR_EQUAL8, 0 },
	{ M(VPCMPEQW), VECTOR_EQUAL16, 0 },
	{ M(VPCMPEQD), VECTOR_EQUAL32, 0 },
	{ M(VPADDB), VECTOR_ADD8, 0 },
	{ M(VPADDD), VECTOR_ADD32, 0 },
	{ M(VPADDQ), VECTOR_ADD64, 0 },
	{ M(VPSUBB), VECTOR_SUB8, 0 },
	{ M(VPMINUB), VECTOR_MIN8, 0 },
	{ M(VPMOVMSKB), VECTOR_MASK, 0 },
	{ M(VZEROUPPER), VECTOR_CLEAR_UPPER, 0 },
};

static const struct row *find_row(uint16_t mnemonic)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].mnemonic == mnemonic)
			return &rows[i];
	return NULL;
}

/* The operand's place in vm_vector: a vector register, a general one or memory. */
static bool take_operand(struct vm_vector *v, const struct vm_insn *in, unsigned i,
			 const ZydisDecodedOperand *o)
{
	ZydisRegisterClass class = ZYDIS_REGCLASS_INVALID;
	uint8_t reg = VM_NO_REG;

	if (o->type == ZYDIS_OPERAND_TYPE_REGISTER)
		class = ZydisRegisterGetClass(o->reg.value);
	if (class == ZYDIS_REGCLASS_MASK)
		return true;
	if (class == ZYDIS_REGCLASS_XMM || class == ZYDIS_REGCLASS_YMM ||
	    class == ZYDIS_REGCLASS_ZMM)
		reg = (uint8_t)ZydisRegisterGetId(o->reg.value);
	else if (v->nr == ARRAY_SIZE(v->opd) || i >= ARRAY_SIZE(in->opd) ||
		 (in->opd[i].kind == VM_OPD_REG && in->opd[i].reg == VM_NO_REG) ||
		 (in->opd[i].kind != VM_OPD_REG && in->opd[i].kind != VM_OPD_MEM))
		return false;
	if (v->nr == ARRAY_SIZE(v->opd))
		return false;
	v->opd[v->nr].at = (uint8_t)i;
	v->opd[v->nr++].reg = reg;
	return true;
}

/* The operands that @v->op has in the forms that are computed here. */
static bool is_usual(const struct vm_vector *v, const struct vm_insn *in,
		     const ZydisDecodedInstruction *z)
{
	bool to = v->nr && v->opd[0].reg != VM_NO_REG,
	     from = v->nr > 1 && v->opd[1].reg != VM_NO_REG;

	switch (v->op) {
	case VECTOR_CLEAR_UPPER: return true;
	case VECTOR_MOVE:
		/* a scalar between registers takes only a part along */
		if (to && from &&
		    (z->mnemonic == M(MOVSS) || z->mnemonic == M(MOVSD) ||
		     z->mnemonic == M(VMOVSS) || z->mnemonic == M(VMOVSD)))
			return false;
		return v->nr == 2 && (to || from);
	case VECTOR_LOW:
	case VECTOR_HIGH:
		return v->nr == 2 && to != from && in->opd[v->opd[to].at].kind == VM_OPD_MEM;
	case VECTOR_MASK: return v->nr == 2 && !to && from;
	default: return to && v->nr == (v->vex ? 3 : 2) && (!v->vex || from);
	}
}

void vm_choose_vector(struct vm_insn *in, const ZydisDecodedInstruction *z,
		      const ZydisDecodedOperand *o)
{
	const struct row *row = find_row(z->mnemonic);
	struct vm_vector v = { 0 };

	in->simd = v;
	if (!row || in->regs_written == 0xffff || z->address_width != 64 ||
	    (z->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX &&
	     (row->op != VECTOR_MOVE || z->avx.mask.mode > ZYDIS_MASK_MODE_DISABLED ||
	      z->avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID)))
		return;
	v.op = row->op;
	v.vex = z->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY;
	v.needs = z->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX ? BIT(XSAVE_HI16_ZMM)
		  : v.vex					 ? BIT(XSAVE_AVX)
								 : BIT(XSAVE_SSE);
	for (unsigned i = 0; i < z->operand_count_visible; i++)
		if (!take_operand(&v, in, i, &o[i]))
			return;
	/* MMX registers, which are x87's, have other sizes and no number here */
	v.size = row->size ? row->size : v.vex ? (uint8_t)(z->avx.vector_length / 8) : 16;
	if (row->size == 4 && z->raw.rex.W && z->mnemonic == M(MOVD))
		v.size = 8;
	if (is_usual(&v, in, z))
		in->simd = v;
}

/* ---- registers -------------------------------------------------------------------------------------- */

/* A register's bytes lie in up to three components. */
static unsigned part_of(const struct vm *vm, unsigned reg, unsigned n, unsigned *at, unsigned *size,
			unsigned *component)
{
	const struct xsave_component *c = vm->cpu.comp;

	if (reg >= 16) {
		*component = XSAVE_HI16_ZMM;
		*at = c[XSAVE_HI16_ZMM].offset + 64 * (reg - 16) + n;
		*size = 64 - n;
	} else if (n < 16) {
		*component = XSAVE_SSE;
		*at = XMM_AT + 16 * reg + n;
		*size = 16 - n;
	} else if (n < 32) {
		*component = XSAVE_AVX;
		*at = c[XSAVE_AVX].offset + 16 * reg + n - 16;
		*size = 32 - n;
	} else {
		*component = XSAVE_ZMM_HI256;
		*at = c[XSAVE_ZMM_HI256].offset + 32 * reg + n - 32;
		*size = 64 - n;
	}
	return *size;
}

static uint64_t in_use(const struct vm *vm)
{
	return load_u64(vm->xsave + XSTATE_BV_AT, false);
}

static void read_register(const struct vm *vm, unsigned reg, unsigned char *to, unsigned n)
{
	unsigned at, size, component;

	for (unsigned i = 0; i < n; i += size) {
		size = (unsigned)min_u64(n - i, part_of(vm, reg, i, &at, &size, &component));
		if (in_use(vm) >> component & 1)
			memcpy(to + i, vm->xsave + at, size);
		else
			memset(to + i, 0, size);
	}
}

/* A component that was in its initial state has no bytes yet. */
static void begin_use(struct vm *vm, unsigned component)
{
	const struct xsave_component *c = &vm->cpu.comp[component];

	if (component == XSAVE_SSE)
		memset(vm->xsave + XMM_AT, 0, 256);
	else
		memset(vm->xsave + c->offset, 0, c->size);
	store_u64(vm->xsave + XSTATE_BV_AT, in_use(vm) | BIT(component));
}

static bool is_zero(const unsigned char *p, unsigned n)
{
	unsigned char any = 0;

	for (unsigned i = 0; i < n; i++)
		any |= p[i];
	return !any;
}

static void write_register(struct vm *vm, unsigned reg, const unsigned char *from, unsigned n)
{
	uint64_t ours = vm_natives_components(vm);
	unsigned at, size, component;

	for (unsigned i = 0; i < n; i += size) {
		size = (unsigned)min_u64(n - i, part_of(vm, reg, i, &at, &size, &component));
		if (!(ours >> component & 1))
			continue;
		if (!(in_use(vm) >> component & 1)) {
			if (is_zero(from + i, size))
				continue;
			begin_use(vm, component);
		}
		memcpy(vm->xsave + at, from + i, size);
	}
}

/* @n bytes of @b, the rest of it is zero. What was not known of the register's upper part stays so. */
static void put_register(struct vm *vm, const struct vm_vector *v, unsigned char *b, unsigned n)
{
	unsigned reg = v->opd[0].reg;

	memset(b + n, 0, LONGEST - n);
	write_register(vm, reg, b, v->vex ? LONGEST : 16);
	if (v->vex)
		vm->vec_known |= 1u << reg;
}

/* ---- computing -------------------------------------------------------------------------------------- */

static bool is_known(const struct vm *vm, unsigned reg)
{
	return vm->vec_known >> reg & 1;
}

static bool get(struct vm *vm, const struct vm_insn *in, unsigned i, unsigned char *b, unsigned n)
{
	const struct vm_opd *o = &in->opd[in->simd.opd[i].at];
	struct val a;

	if (in->simd.opd[i].reg != VM_NO_REG) {
		read_register(vm, in->simd.opd[i].reg, b, n);
		return is_known(vm, in->simd.opd[i].reg);
	}
	if (o->kind == VM_OPD_REG) {
		store_u64(b, vm->reg[o->reg]);
		return vm->known >> o->reg & 1;
	}
	a = exec_address(vm, in, o);
	for (unsigned at = 0; a.known && at < n; at += 8) {
		uint64_t word;

		if (vm_load(vm, a.v + at, (unsigned)min_u64(8, n - at), &word) != VM_OK)
			return false;
		memcpy(b + at, &word, min_u64(8, n - at));
	}
	return a.known;
}

/* To memory or a general register. */
static bool put(struct vm *vm, const struct vm_insn *in, const unsigned char *b, unsigned n)
{
	const struct vm_opd *o = &in->opd[in->simd.opd[0].at];
	struct val a;

	if (o->kind == VM_OPD_REG) {
		exec_set_reg(vm, o->reg, load_u64(b, false) & mask_of(n), true);
		return true;
	}
	a = exec_address(vm, in, o);
	if (!a.known || vm_probe(vm, a.v, n) != VM_OK)
		return false;
	for (unsigned at = 0; at < n; at += 8) {
		uint64_t word = 0;

		memcpy(&word, b + at, min_u64(8, n - at));
		(void)vm_store(vm, a.v + at, (unsigned)min_u64(8, n - at), word, true);
	}
	return true;
}

static bool move(struct vm *vm, const struct vm_insn *in)
{
	const struct vm_vector *v = &in->simd;
	unsigned char b[LONGEST] = { 0 };

	if (!get(vm, in, 1, b, v->size))
		return false;
	if (v->opd[0].reg == VM_NO_REG)
		return put(vm, in, b, v->size);
	if (!v->vex && !is_known(vm, v->opd[0].reg))
		return false;
	put_register(vm, v, b, v->size);
	return true;
}

static bool move_half(struct vm *vm, const struct vm_insn *in)
{
	unsigned at = in->simd.op == VECTOR_HIGH ? 8 : 0;
	bool load = in->simd.opd[0].reg != VM_NO_REG;
	unsigned char b[LONGEST], half[8];

	if (!get(vm, in, !load, b, 16))
		return false;
	if (!load)
		return put(vm, in, b + at, 8);
	if (!get(vm, in, 1, half, 8))
		return false;
	memcpy(b + at, half, 8);
	write_register(vm, in->simd.opd[0].reg, b, 16);
	return true;
}

#define EACH(type, expression)                           \
	for (unsigned i = 0; i < n; i += sizeof(type)) { \
		type x, y;                               \
                                                         \
		memcpy(&x, a + i, sizeof(x));            \
		memcpy(&y, b + i, sizeof(y));            \
		x = (type)(expression);                  \
		memcpy(a + i, &x, sizeof(x));            \
	}                                                \
	break

static void compute(uint8_t op, unsigned char *a, const unsigned char *b, unsigned n)
{
	switch (op) {
	case VECTOR_AND: EACH(uint64_t, x & y);
	case VECTOR_ANDN: EACH(uint64_t, ~x & y);
	case VECTOR_OR: EACH(uint64_t, x | y);
	case VECTOR_XOR: EACH(uint64_t, x ^ y);
	case VECTOR_EQUAL8: EACH(uint8_t, x == y ? -1 : 0);
	case VECTOR_EQUAL16: EACH(uint16_t, x == y ? -1 : 0);
	case VECTOR_EQUAL32: EACH(uint32_t, x == y ? -1 : 0);
	case VECTOR_ADD8: EACH(uint8_t, x + y);
	case VECTOR_ADD16: EACH(uint16_t, x + y);
	case VECTOR_ADD32: EACH(uint32_t, x + y);
	case VECTOR_ADD64: EACH(uint64_t, x + y);
	case VECTOR_SUB8: EACH(uint8_t, x - y);
	case VECTOR_SUB32: EACH(uint32_t, x - y);
	case VECTOR_SUB64: EACH(uint64_t, x - y);
	default: EACH(uint8_t, x < y ? x : y);
	}
}

static bool compute_two(struct vm *vm, const struct vm_insn *in)
{
	unsigned char a[LONGEST] = { 0 }, b[LONGEST] = { 0 };
	const struct vm_vector *v = &in->simd;
	unsigned first = v->vex ? 1 : 0;

	/* zeroes and ones, whatever was there */
	if (v->vex && (v->op == VECTOR_XOR || v->op == VECTOR_EQUAL8 || v->op == VECTOR_EQUAL32) &&
	    v->opd[1].reg == v->opd[2].reg) {
		memset(b, 0, v->size);
	} else if (!get(vm, in, first, a, v->size) || !get(vm, in, first + 1, b, v->size)) {
		return false;
	}
	compute(v->op, a, b, v->size);
	put_register(vm, v, a, v->size);
	return true;
}

static bool make_mask(struct vm *vm, const struct vm_insn *in)
{
	unsigned char b[LONGEST];
	uint64_t mask = 0;

	if (!get(vm, in, 1, b, in->simd.size))
		return false;
	for (unsigned i = 0; i < in->simd.size; i++)
		mask |= (uint64_t)(b[i] >> 7) << i;
	exec_set_reg(vm, in->opd[in->simd.opd[0].at].reg, mask, true);
	return true;
}

enum vm_result exec_vector(struct vm *vm, const struct vm_insn *in)
{
	bool done;

	if (!(vm_natives_components(vm) & in->simd.needs) || !vm_vectors(vm))
		return VM_FOREIGN;
	switch (in->simd.op) {
	case VECTOR_MOVE: done = move(vm, in); break;
	case VECTOR_LOW:
	case VECTOR_HIGH: done = move_half(vm, in); break;
	case VECTOR_MASK: done = make_mask(vm, in); break;
	case VECTOR_CLEAR_UPPER:
		store_u64(vm->xsave + XSTATE_BV_AT,
			  in_use(vm) & ~(BIT(XSAVE_AVX) | BIT(XSAVE_ZMM_HI256)));
		done = true;
		break;
	default: done = compute_two(vm, in); break;
	}
	if (done)
		vm->foreign++;
	return done ? VM_OK : VM_FOREIGN;
}
#else
enum vm_result exec_vector(struct vm *vm, const struct vm_insn *in)
{
	(void)vm;
	(void)in;
	return VM_FOREIGN;
}
#endif
