// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a range passes through. BOLT's profile counts every edge between basic blocks, those that
 * are fallen through too; a branch stack only says where a straight run began and ended. So each
 * function that runs is decoded once: a block begins at a direct jump's target, behind an
 * instruction that may leave, and where an indirect jump was seen to go.
 */
#include <elf.h>
#include <stdlib.h>

#include "convert/convert-int.h"
#include "insn/insn.h"

enum {
	INSN = 1,   /* an instruction starts at this byte */
	LEADER = 2, /* and a block */
	LEAVES = 4, /* it never goes on to the next */
	RETURN = 8,
	CALL = 16,
	INDIRECT = 32, /* jump through a register or memory */
	BESIDE = 64,   /* follows a conditional branch: a block, but for the pair jcc, jmp */
};

#define FUNCTION_MAX (64u << 20) /* a compiler's are shorter by far */

struct body {
	uint8_t *map; /* a byte of flags for each byte of code; NULL = not decoded yet */
	uint32_t size;
};

struct flow {
	const struct object_file *f;
	struct insn_decoder *d;
	struct body *body; /* one for each function */
	uint64_t left;	   /* bytes of functions that may still be decoded */
	bool cut;	   /* some were too many */
};

int convert_decoder(struct insn_decoder **d, const struct object_file *f, struct err *e)
{
	static const struct {
		uint16_t machine;
		enum regs_arch arch;
		unsigned mode;
	} arches[] = {
		{ EM_X86_64, REGS_ARCH_X86, INSN_64BIT },
		{ EM_386, REGS_ARCH_X86, 0 },
		{ EM_AARCH64, REGS_ARCH_ARM64, INSN_64BIT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(arches); i++)
		if (arches[i].machine == f->machine)
			return insn_new(d, arches[i].arch, arches[i].mode, e);
	return err_set(e, -EOPNOTSUPP, "no decoder for ELF machine %u", f->machine);
}

int flow_new(struct flow **out, const struct object_file *f, struct err *e)
{
	struct flow *fl = calloc(1, sizeof(*fl));
	int ret;

	*out = NULL;
	if (!fl)
		return err_set(e, -ENOMEM, "no memory for the flow of control");
	fl->f = f;
	/* Functions may overlap: each of them as large as all code, they are more than any memory. */
	fl->left = f->file->budget;
	ret = convert_decoder(&fl->d, f, e);
	fl->body = calloc(f->fns.n + 1, sizeof(*fl->body));
	if (!fl->body && !ret)
		ret = err_set(e, -ENOMEM, "no memory for %zu functions", f->fns.n);
	if (ret) {
		flow_free(fl);
		return ret;
	}
	*out = fl;
	return 0;
}

void flow_free(struct flow *fl)
{
	if (!fl)
		return;
	for (size_t i = 0; fl->body && i < fl->f->fns.n; i++)
		free(fl->body[i].map);
	free(fl->body);
	if (fl->d)
		insn_free(fl->d);
	free(fl);
}

static uint8_t flags_of(const struct insn *in)
{
	switch (in->branch) {
	case INSN_JUMP: return LEAVES;
	case INSN_IND_JUMP: return LEAVES | INDIRECT;
	case INSN_RET:
	case INSN_SYSRET: return LEAVES | RETURN;
	case INSN_CALL:
	case INSN_IND_CALL: return CALL;
	default: return 0;
	}
}

static void decode(struct flow *fl, const struct function *fn, struct body *b)
{
	uint64_t want = min_u64(fn->end - fn->start, FUNCTION_MAX);
	unsigned char *code;
	size_t size = 0;
	struct insn in;

	if (want > fl->left) {
		fl->cut = true;
		return;
	}
	fl->left -= want;
	code = want ? convert_elf_code(fl->f, fn->start, want, &size) : NULL;
	b->map = code ? calloc(size + 1, 1) : NULL;
	if (!b->map) {
		free(code);
		return;
	}
	b->size = (uint32_t)size;
	b->map[0] |= LEADER;
	for (uint64_t at = 0; at < size; at += in.len) {
		if (insn_decode(fl->d, code + at, size - at, fn->start + at, &in) <= 0 || !in.len)
			break;
		b->map[at] |= INSN | flags_of(&in);
		if (b->map[at] & BESIDE && in.branch != INSN_JUMP)
			b->map[at] |= LEADER;
		if (in.branch == INSN_COND)
			b->map[at + in.len] |= BESIDE;
		else if (b->map[at] & LEAVES)
			b->map[at + in.len] |= LEADER;
		if ((in.branch == INSN_COND || in.branch == INSN_JUMP) && in.has_target &&
		    in.target >= fn->start && in.target - fn->start < size)
			b->map[in.target - fn->start] |= LEADER;
	}
	free(code);
}

static const struct body *body_of(struct flow *fl, const struct function *fn)
{
	struct body *b = &fl->body[fn - fl->f->fns.v];

	if (!b->map)
		decode(fl, fn, b);
	return b->map ? b : NULL;
}

static uint8_t flags_at(struct flow *fl, uint64_t addr)
{
	const struct function *fn = convert_elf_function(fl->f, addr);
	const struct body *b = fn ? body_of(fl, fn) : NULL;

	return b && addr - fn->start < b->size ? b->map[addr - fn->start] : 0;
}

void flow_add_target(struct flow *fl, uint64_t from, uint64_t to)
{
	const struct function *fn = convert_elf_function(fl->f, to);

	if (fn && convert_elf_function(fl->f, from) == fn && flags_at(fl, from) & INDIRECT &&
	    flags_at(fl, to) & INSN)
		body_of(fl, fn)->map[to - fn->start] |= LEADER;
}

bool flow_is_cut(const struct flow *fl)
{
	return fl->cut;
}

bool flow_is_return(struct flow *fl, uint64_t addr)
{
	return flags_at(fl, addr) & RETURN;
}

/* The instruction before the one at @at; UINT64_MAX when there is none. */
static uint64_t before(const struct body *b, uint64_t at)
{
	while (at-- > 0)
		if (b->map[at] & INSN)
			return at;
	return UINT64_MAX;
}

static uint64_t behind(const struct body *b, uint64_t at)
{
	while (++at < b->size)
		if (b->map[at] & INSN)
			return at;
	return b->size;
}

static bool straight(const struct body *b, uint64_t start, uint64_t end)
{
	if (start >= b->size || end >= b->size || start > end || !(b->map[start] & INSN) ||
	    !(b->map[end] & INSN))
		return false;
	for (uint64_t at = start; at < end; at++)
		if (b->map[at] & LEAVES)
			return false;
	return true;
}

bool flow_walk(struct flow *fl, uint64_t from, uint64_t start, uint64_t end,
	       int (*fn)(void *ctx, uint64_t last, uint64_t next), void *ctx)
{
	const struct function *f = convert_elf_function(fl->f, start);
	const struct body *b = f ? body_of(fl, f) : NULL;
	uint64_t at, last, next, base = f ? f->start : 0;

	if (!b || !straight(b, start - base, end - base))
		return false;
	at = start - base;
	/* Back from a call that ended its block: the block before falls into this one. */
	last = at && b->map[at] & LEADER ? before(b, at) : UINT64_MAX;
	if (last != UINT64_MAX && b->map[last] & CALL && convert_elf_function(fl->f, from) != f &&
	    fn(ctx, base + last, start))
		return false;
	for (; at < end - base; at = next) {
		next = behind(b, at);
		if (b->map[next] & LEADER && fn(ctx, base + at, base + next))
			return false;
	}
	return true;
}
