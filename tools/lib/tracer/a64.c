// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The instruction set of AArch64, for the vm (vm-int.h): portable, so that it is tested wherever perf is
 * built. An instruction is a word of 32 bits. Which it is says the first row of a table whose bits it has; what is
 * in no row only the thread itself can execute. Facts: Arm Architecture Reference Manual for A-profile, "The A64
 * Instruction Set".
 *
 * Integers are computed, and of vectors what string functions are made of; floating point, and of vectors the
 * rest, only loses what it would write.
 */
#include "a64-int.h"
#include "base/bytes.h"
#include "branch/branch.h"

struct row {
	uint32_t mask, value;
	a64_exec *exec;
	uint8_t branch; /* enum of perf branch types */
};

#define VECTORS 0x0e000000 /* and floating point: these bits are set */

/* Special cases stand before what they are cases of. */
static const struct row rows[] = {
	/* constants */
	{ 0x1f000000, 0x10000000, a64_adr, 0 },
	{ 0x1f800000, 0x11000000, a64_add_imm, 0 },
	{ 0x1f800000, 0x12000000, a64_logic_imm, 0 },
	{ 0x1f800000, 0x12800000, a64_mov_wide, 0 },
	{ 0x1f800000, 0x13000000, a64_bitfield, 0 },
	{ 0x7fa00000, 0x13800000, a64_extr, 0 },
	/* branches */
	{ 0xfc000000, 0x14000000, a64_b, BR_UNCOND },
	{ 0xfc000000, 0x94000000, a64_b, BR_CALL },
	{ 0xff000000, 0x54000000, a64_b_cond, BR_COND },
	{ 0x7e000000, 0x34000000, a64_cbz, BR_COND },
	{ 0x7e000000, 0x36000000, a64_tbz, BR_COND },
	{ 0xfffffc1f, 0xd61f0000, a64_b_reg, BR_IND },	    /* br */
	{ 0xfffffc1f, 0xd63f0000, a64_b_reg, BR_IND_CALL }, /* blr */
	{ 0xfffffc1f, 0xd65f0000, a64_b_reg, BR_RET },	    /* ret */
	{ 0xfffff81f, 0xd61f081f, a64_b_reg, BR_IND },	    /* braaz, brabz */
	{ 0xfffff800, 0xd71f0800, a64_b_reg, BR_IND },	    /* braa, brab */
	{ 0xfffff81f, 0xd63f081f, a64_b_reg, BR_IND_CALL },
	{ 0xfffff800, 0xd73f0800, a64_b_reg, BR_IND_CALL },
	{ 0xfffffbff, 0xd65f0bff, a64_b_reg, BR_RET }, /* retaa, retab */
	/* the system */
	{ 0xffe0001f, 0xd4000001, a64_svc, 0 },
	{ 0xff000000, 0xd4000000, a64_trap, 0 }, /* hvc, smc, brk, hlt */
	{ 0xffff0000, 0x00000000, a64_trap, 0 }, /* udf */
	{ 0xfffff01f, 0xd503201f, a64_hint, 0 },
	{ 0xfffff01f, 0xd503301f, a64_barrier, 0 },
	{ 0xffffffff, 0xd500401f, a64_cfinv, 0 },
	{ 0xffffffe0, 0xd50b7420, a64_dc_zva, 0 },
	{ 0xffffffe0, 0xd50b7520, a64_nop, 0 }, /* ic ivau */
	{ 0xffffffe0, 0xd50b7a20, a64_nop, 0 }, /* dc cvac, cvau, cvap, cvadp, civac */
	{ 0xffffffe0, 0xd50b7b20, a64_nop, 0 },
	{ 0xffffffe0, 0xd50b7c20, a64_nop, 0 },
	{ 0xffffffe0, 0xd50b7d20, a64_nop, 0 },
	{ 0xffffffe0, 0xd50b7e20, a64_nop, 0 },
	{ 0xfff00000, 0xd5300000, a64_mrs, 0 },
	{ 0xfff00000, 0xd5100000, a64_msr, 0 },
	/* registers */
	{ 0x1f000000, 0x0a000000, a64_logic_reg, 0 },
	{ 0x1f200000, 0x0b000000, a64_add_reg, 0 },
	{ 0x1fe00000, 0x0b200000, a64_add_extended, 0 },
	{ 0x1fe0fc00, 0x1a000000, a64_adc, 0 },
	{ 0xffe07c10, 0xba000400, a64_rmif, 0 },
	{ 0xffffbc1f, 0x3a00080d, a64_setf, 0 },
	{ 0x3fe00410, 0x3a400000, a64_ccmp, 0 },
	{ 0x3fe00800, 0x1a800000, a64_csel, 0 },
	{ 0x7f000000, 0x1b000000, a64_multiply, 0 },
	{ 0x7fe00000, 0x1ac00000, a64_two_sources, 0 },
	{ 0xffff0000, 0xdac10000, a64_pac, 0 },
	{ 0x7fe00000, 0x5ac00000, a64_one_source, 0 },
	/* memory */
	{ 0x3f000000, 0x08000000, a64_exclusive, 0 },
	{ 0x3f200c00, 0x19000000, a64_ldapur, 0 },
	{ 0x3b000000, 0x18000000, a64_literal, 0 },
	{ 0x3a000000, 0x28000000, a64_pair, 0 },
	{ 0x3b200000, 0x38000000, a64_ldst_imm9, 0 },
	{ 0x3b200c00, 0x38200800, a64_ldst_reg, 0 },
	{ 0x3f200c00, 0x38200000, a64_atomic, 0 },
	{ 0xff200400, 0xf8200400, a64_ldraa, 0 },
	{ 0x3b000000, 0x39000000, a64_ldst_imm12, 0 },
	{ 0xbfbf0000, 0x0c000000, a64_structs, 0 },
	{ 0xbfa00000, 0x0c800000, a64_structs, 0 },
	/* vectors */
	{ 0xbfe0fc00, 0x0e000c00, a64_dup, 0 },
	{ 0xbfe0fc00, 0x0e000400, a64_dup, 0 },
	{ 0xbfe0ec00, 0x0e002c00, a64_umov, 0 }, /* and smov */
	{ 0xffe0fc00, 0x4e001c00, a64_ins, 0 },
	{ 0xffe08400, 0x6e000400, a64_ins_element, 0 },
	{ 0x7f36fc00, 0x1e260000, a64_fmov_general, 0 },
	{ 0xffbffc00, 0x1e204000, a64_fmov, 0 },
	{ 0x9ff80400, 0x0f000400, a64_movi, 0 },
	{ 0x9f20fc00, 0x0e201c00, a64_vec_logic, 0 },
	{ 0x9f200400, 0x0e200400, a64_vec_same, 0 },
	{ 0x9f3e0c00, 0x0e200800, a64_vec_misc, 0 },
	{ 0x9f3e0c00, 0x0e300800, a64_vec_across, 0 },
	{ 0x9f800400, 0x0f000400, a64_vec_shift, 0 },
	/* floating point: flags and general registers may be written */
	{ 0xff20fc07, 0x1e202000, a64_fcmp, 0 },
	{ 0xff200c00, 0x1e200400, a64_fcmp, 0 }, /* fccmp */
	{ 0x7f20fc00, 0x1e200000, a64_fp_general, 0 },
	{ 0x7f200000, 0x1e000000, a64_fp_general, 0 },
	{ VECTORS, VECTORS, a64_fp_other, 0 },
	{ 0, 0, a64_foreign, 0 },
};

static bool decode(struct vm_insn *in, const unsigned char *bytes, size_t n)
{
	unsigned i = 0;
	uint32_t w;

	if (n < 4)
		return false;
	w = load_u32(bytes, host_is_big_endian());
	if ((w & VECTORS) == VECTORS && !a64_is_vector(w))
		i = ARRAY_SIZE(rows) - 1;
	while ((w & rows[i].mask) != rows[i].value)
		i++;
	in->op = (uint8_t)i;
	in->len = 4;
	in->branch = rows[i].branch;
	return true;
}

static enum vm_result execute(struct vm *vm, struct vm_insn *in)
{
	/* unlike the last row's, an address that is none is the program's mistake */
	if (in->addr & 3)
		return VM_FAULT;
	return rows[in->op].exec(vm, in, load_u32(in->bytes, host_is_big_endian()));
}

const struct vm_machine vm_a64 = {
	.insn_max = 4,
	.decode = decode,
	.execute = execute,
};

/* ---- what several files need --------------------------------------------------------------- */

uint64_t a64_strip(const struct vm *vm, uint64_t v)
{
	return vm_unsigned(vm, v);
}

struct a64_val a64_condition(const struct vm *vm, unsigned cond)
{
	static const uint8_t needs[8] = {
		A64_Z, A64_C, A64_N, A64_V, A64_C | A64_Z, A64_N | A64_V, A64_N | A64_Z | A64_V, 0
	};
	uint32_t f = vm->flags, need = needs[cond >> 1];
	bool n = f & A64_N, z = f & A64_Z, c = f & A64_C, v = f & A64_V, x;

	switch (cond >> 1) {
	case 0: x = z; break;
	case 1: x = c; break;
	case 2: x = n; break;
	case 3: x = v; break;
	case 4: x = c && !z; break;
	case 5: x = n == v; break;
	case 6: x = n == v && !z; break;
	default: return (struct a64_val){ 1, true };
	}
	return (struct a64_val){ x ^ (cond & 1), (vm->flags_known & need) == need };
}

uint64_t a64_add(uint64_t a, uint64_t b, bool carry, bool is_64, uint32_t *nzcv)
{
	uint64_t r, top = is_64 ? BIT(63) : BIT(31), all = a64_low(is_64 ? 64 : 32);

	a &= all, b &= all;
	r = (a + b + carry) & all;
	*nzcv = (r & top ? A64_N : 0) | (r ? 0 : A64_Z);
	*nzcv |= r < a || (carry && r == a) ? A64_C : 0;
	*nzcv |= (a ^ r) & (b ^ r) & top ? A64_V : 0;
	return r;
}

/* Where they cannot be had, none is known. */
static void need_vectors(struct vm *vm)
{
	if (vm->vectors_read)
		return;
	if (!vm->read_vectors || !vm->read_vectors(vm))
		vm->vec_known = 0;
	vm->vectors_read = true;
}

struct a64_vec a64_vec(struct vm *vm, unsigned n)
{
	struct a64_vec x;

	need_vectors(vm);
	x.q[0] = load_u64(vm->xsave + 16 * n, false);
	x.q[1] = load_u64(vm->xsave + 16 * n + 8, false);
	x.known = vm->vec_known >> n & 1;
	return x;
}

void a64_set_vec(struct vm *vm, unsigned n, struct a64_vec x)
{
	need_vectors(vm);
	store_u64(vm->xsave + 16 * n, x.q[0]);
	store_u64(vm->xsave + 16 * n + 8, x.q[1]);
	vm->vec_known = (vm->vec_known & ~(1u << n)) | (uint32_t)x.known << n;
}

enum vm_result a64_lose_vec(struct vm *vm, unsigned n)
{
	if (vm->exact)
		return VM_FOREIGN;
	vm->foreign++;
	a64_set_vec(vm, n, (struct a64_vec){ .known = false });
	return VM_OK;
}
