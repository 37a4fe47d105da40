// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Blocks: instructions that follow each other up to a branch, as uops that call one another (exec-quick.c).
 * What they were made of is compared with memory once in every walk, like single instructions, and all
 * at once. A block remembers which one followed it; what no block does is left to vm_step().
 */
#include "base/tables.h"
#include "exec-int.h"

/* Instructions of blocks that follow each other: without optimization each is a call in the one before. */
#define CHAIN_MOST 4096

/* ---- all of them -------------------------------------------------------------------------------- */

#define TOUCH(t, what, most, n) \
	vm_big_touch((t)->what, sizeof((t)->what[0]), most, n, &(t)->there.what)

/* For so many more blocks, uops of them all, and bytes of code. */
static void touch(struct vm_blocks *t, uint32_t blocks, uint32_t uops, uint32_t bytes)
{
	TOUCH(t, block, VM_BLOCKS, t->nr + blocks);
	TOUCH(t, uop, VM_UOPS, t->nr_uops + uops);
	TOUCH(t, insn, VM_UOPS, t->nr_uops + uops);
	TOUCH(t, addr, VM_UOPS, t->nr_uops + uops);
	TOUCH(t, bytes, VM_CODE_BYTES, t->nr_bytes + bytes);
}

/* For one more block, as long as they may be. */
static void touch_one(struct vm_blocks *t)
{
	touch(t, 1, VM_STRAIGHT + 1, VM_BLOCK);
}

void exec_blocks_room(struct vm *vm)
{
	struct vm_blocks *t = vm->blocks;

	if (!t)
		return;
	/* A block of cold code has some four instructions, an instruction of x86 four bytes; and what blocks add to them. */
	(void)htab_reserve(&t->at, VM_ROOM / 4);
	touch(t, VM_ROOM / 4, 2 * VM_ROOM, 4 * VM_ROOM);
}

void exec_blocks_new(struct vm *vm)
{
	struct vm_blocks *t = vm_big_new(sizeof(*t));

	vm->blocks = t;
	if (!t)
		return;
	t->nr = 1;
	touch_one(t);
}

void exec_blocks_free(struct vm *vm)
{
	if (vm->blocks)
		htab_free(&vm->blocks->at);
	vm_big_free(vm->blocks, sizeof(*vm->blocks));
}

void exec_blocks_forget(struct vm *vm)
{
	struct vm_blocks *t = vm->blocks;

	if (!t)
		return;
	htab_free(&t->at);
	t->nr = 1;
	t->nr_uops = t->nr_bytes = 0;
	vm->from = NULL;
}

static bool is_full(const struct vm_blocks *t)
{
	return t->nr == VM_BLOCKS || t->nr_uops + VM_STRAIGHT + 1 > VM_UOPS ||
	       t->nr_bytes + VM_BLOCK > VM_CODE_BYTES;
}

/* ---- one ---------------------------------------------------------------------------------------- */

/* What only vm_step() executes is in none, nor what lies in two pages. */
static bool may_be_in(const struct vm_insn *in)
{
	return in->op != OP_SYSCALL && in->op != OP_FAULT &&
	       in->addr % VM_PAGE + in->len <= VM_PAGE;
}

static void add_insn(struct vm *vm, struct vm_block *b, const struct vm_insn *in)
{
	struct vm_blocks *t = vm->blocks;
	uint32_t at = b->uop + b->n++;

	t->insn[at] = (uint32_t)(in - vm->insns->insn);
	t->addr[at] = in->addr;
	exec_quick_choose(&t->uop[at], in, b->n > 1 ? &t->uop[at - 1] : NULL);
	memcpy(t->bytes + b->bytes + b->size, in->bytes, in->len);
	b->size += in->len;
}

/* Of the instructions from vm->rip on; false: of not a single one. */
static bool make_block(struct vm *vm, struct vm_block *b)
{
	struct vm_blocks *t = vm->blocks;
	uint64_t addr = vm->rip;
	struct vm_insn *in;
	enum vm_result why;

	*b = (struct vm_block){ .addr = addr, .uop = t->nr_uops, .bytes = t->nr_bytes };
	do {
		in = vm_fetch(vm, &why);
		if (!in || !may_be_in(in) || b->size + in->len > VM_BLOCK ||
		    (addr ^ in->addr) / VM_PAGE)
			break;
		add_insn(vm, b, in);
		vm->last = NULL;
		vm->rip += in->len;
	} while (!in->branch && b->n < VM_STRAIGHT);
	vm->rip = addr;
	if (!b->n)
		return false;
	t->insn[b->uop + b->n] = t->insn[b->uop + b->n - 1];
	exec_quick_end(&t->uop[b->uop + b->n], addr + b->size,
		       &vm->insns->insn[t->insn[b->uop + b->n]]);
	b->walk = vm->walk;
	b->changes = vm->insns->changes;
	return true;
}

/* Whether memory has what the block was made of, and no instruction was decoded anew since. */
static bool is_same(struct vm *vm, struct vm_block *b)
{
	struct vm_page *p;

	if (b->changes != vm->insns->changes)
		return false;
	p = vm_page_near(vm, b->addr, b->size);
	if (!p)
		p = vm_page(vm, b->addr, b->size);
	if (!p || p->dirty ||
	    memcmp(vm->blocks->bytes + b->bytes, p->data + b->addr % VM_PAGE, b->size))
		return false;
	if (!p->code)
		vm_note_code(vm, p);
	b->walk = vm->walk;
	return true;
}

/* 0: there is none that began here. */
static uint32_t look_up(const struct vm_blocks *t, uint64_t addr, uint64_t hash)
{
	uint32_t i;

	for (struct htab_it it = htab_find(&t->at, hash); htab_next(&t->at, &it, &i);)
		if (t->block[i].addr == addr)
			return i;
	return 0;
}

/* The block at vm->rip; 0: there is none. */
static uint32_t find_block(struct vm *vm)
{
	struct vm_blocks *t = vm->blocks;
	uint64_t hash = hash_u64(vm->rip);
	uint32_t i = look_up(t, vm->rip, hash);
	struct vm_block b;

	if (i && (t->block[i].walk == vm->walk || is_same(vm, &t->block[i])))
		return i;
	if (is_full(t)) {
		exec_blocks_forget(vm);
		i = 0;
	}
	touch_one(t);
	if (!make_block(vm, &b) || (!i && htab_add(&t->at, hash, t->nr)))
		return 0;
	if (!i)
		i = t->nr++;
	t->block[i] = b;
	t->nr_uops += b.n + 1u;
	t->nr_bytes += b.size;
	return i;
}

/* ---- executing ---------------------------------------------------------------------------------- */

/* What followed the last time, if it does again. */
static struct vm_block *next_block(struct vm *vm)
{
	struct vm_blocks *t = vm->blocks;
	struct vm_block *b;
	uint32_t nr;

	if (vm->known != 0xffff || !t)
		return NULL;
	if (vm->from) {
		b = &t->block[vm->from->link];
		if (b->addr == vm->rip && b->walk == vm->walk)
			return b;
	}
	nr = find_block(vm);
	if (vm->from)
		vm->from->link = nr;
	return nr ? &t->block[nr] : NULL;
}

static enum vm_result run_blocks(struct vm *vm, struct vm_block *b, uint64_t most,
				 struct vm_insn **last)
{
	struct vm_uop *u = &vm->blocks->uop[b->uop];
	enum vm_result r;

	most = min_u64(most, CHAIN_MOST);
	vm->left = most - b->n;
	vm->block = b;
	exec_remember(vm, b);
	r = u->run(vm, u);
	vm->executed += most - vm->left;
	vm->nr_trace = (uint32_t)min_u64(vm->nr_trace, VM_TRACE);
	vm->from = r == VM_BRANCH || exec_quick_is_end(vm->at) ? vm->at : NULL;
	*last = &vm->insns->insn[vm->blocks->insn[vm->at - vm->blocks->uop]];
	vm->last = *last;
	vm->last_taken = r == VM_BRANCH;
	return r;
}

static enum vm_result step(struct vm *vm, struct vm_insn **last)
{
	enum vm_result r = VM_OK;

	*last = vm_fetch(vm, &r);
	return *last ? vm_step(vm, *last) : r;
}

enum vm_result exec_run(struct vm *vm, uint64_t insns, struct vm_insn **last)
{
	uint64_t end = vm->executed + insns;
	enum vm_result r = VM_OK;

	vm->reg[VM_SLOT_FS] = vm->fs_base;
	vm->reg[VM_SLOT_GS] = vm->gs_base;
	while (vm->executed < end && r == VM_OK) {
		struct vm_block *b = next_block(vm);

		if (b && b->n <= end - vm->executed)
			r = run_blocks(vm, b, end - vm->executed, last);
		else
			r = step(vm, last);
		if (r == VM_BRANCH && *last && vm->nr_passed < vm->past) {
			vm->passed[vm->nr_passed++] =
				(struct vm_branch){ (*last)->addr, vm->rip, (*last)->branch };
			r = VM_OK;
		}
	}
	return r;
}
