// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instructions per cycle of functions, from branch stacks with cycles (key ipc_lbr). A block is
 * the code from where one branch went to, through the next one; its instructions are counted in
 * the object's code, its cycles are the branch's. A function's IPC is that of its blocks, each as
 * often as it ran, and its coverage is how many of its instructions lie in one. (Upstream keeps of
 * the blocks that end together the longest, and leaves out those that lie in others: there one
 * rare long block stands for all the common ones.)
 */
#include "insn/insn.h"
#include "table-int.h"

#define CODE_MAX (1u << 20) /* bytes of a function that are looked at */

struct sym_block {
	const struct symbol *sym;
	const struct brflow_block *block;
};

struct code {
	struct decoders dec;
	unsigned char bytes[CODE_MAX];
	uint32_t before[CODE_MAX + 1]; /* instructions that begin before this byte */
	bool covered[CODE_MAX];
};

int table_ipc_init(struct table *t, struct err *e)
{
	const struct brflow_opts o = { .machine = t->keys.m, .blocks = true, .each_start = true };

	if (t->keys.o.rich)
		return brflow_new(&t->flow, t->keys.res, &o, e);
	for (unsigned i = 0; i < t->c.nr_cols; i++)
		if (!strcmp(t->c.cols[i].key->name, "ipc_lbr") && !t->c.cols[i].elided)
			return brflow_new(&t->flow, t->keys.res, &o, e);
	return 0;
}

void table_ipc_free(struct table *t)
{
	brflow_free(t->flow);
}

static int by_function(const void *a, const void *b)
{
	const struct sym_block *x = a, *y = b;

	return x->sym->idx < y->sym->idx ? -1 : x->sym->idx > y->sym->idx;
}

/* Finds where the instructions of a function begin; how many bytes there are, 0 = no code. */
static uint32_t read_code(struct table *t, struct dso *dso, const struct symbol *sym,
			  struct code *c)
{
	struct insn_decoder *d = keys_decoder(&c->dec, t->keys.res, t->keys.o.arch, dso);
	uint64_t size = min_u64(sym->end - sym->start, CODE_MAX);
	uint32_t nr = 0, next = 0;
	struct insn in;
	ssize_t n;

	if (!d || sym->end <= sym->start)
		return 0;
	n = symbol_read_code(t->keys.res, dso, sym->start, c->bytes, size);
	for (uint32_t at = 0; at < n; at++) {
		c->before[at] = nr;
		if (at != next)
			continue;
		next = at + 1; /* what is no instruction is skipped byte by byte */
		if (insn_decode(d, c->bytes + at, (size_t)n - at, sym->start + at, &in) <= 0)
			continue;
		next = at + in.len;
		nr++;
	}
	if (n <= 0)
		return 0;
	c->before[n] = nr;
	memset(c->covered, 0, (size_t)n);
	return (uint32_t)n;
}

static void add_block(struct code *c, uint32_t size, const struct sym_block *sb, struct ipc *ipc)
{
	const struct brflow_block *b = sb->block;
	uint64_t from = b->start - sb->sym->start, end = b->end - sb->sym->start;

	if (b->start == BRFLOW_NO_START || b->start < sb->sym->start || end >= size || from > end)
		return;
	for (uint64_t at = from; at <= end; at++) {
		if (c->before[at + 1] == c->before[at] || c->covered[at])
			continue;
		c->covered[at] = true;
		ipc->covered++;
	}
	ipc->insns += (uint64_t)(c->before[end + 1] - c->before[from]) * b->own_nr;
	ipc->cycles += b->own_cycles;
}

static int add_function(struct table *t, const struct sym_block *sb, size_t n, struct code *c)
{
	uint32_t idx = sb->sym->idx, size;
	static const struct ipc none;
	struct ipc *ipc;

	if (vec_reach(&t->keys.ipc, idx, none))
		return -ENOMEM;
	ipc = &t->keys.ipc.v[idx];
	size = read_code(t, sb->block->dso, sb->sym, c);
	for (size_t i = 0; size && i < n; i++)
		add_block(c, size, &sb[i], ipc);
	ipc->total = size ? c->before[size] : 0;
	return 0;
}

int table_ipc_finish(struct table *t)
{
	size_t nr = t->flow ? brflow_nr_blocks(t->flow) : 0, n = 0, len;
	struct sym_block *sb;
	struct code *c;
	int ret = 0;

	if (!nr)
		return 0;
	sb = calloc(nr, sizeof(*sb));
	c = malloc(sizeof(*c));
	if (!sb || !c)
		ret = -ENOMEM;
	else
		c->dec = (struct decoders){ 0 };
	for (size_t i = 0; !ret && i < nr; i++) {
		const struct brflow_block *b = brflow_block(t->flow, i);

		sb[n].block = b;
		sb[n].sym = symbol_find(t->keys.res, b->dso, b->end);
		n += sb[n].sym != NULL;
	}
	if (n)
		qsort(sb, n, sizeof(*sb), by_function);
	for (size_t i = 0; !ret && i < n; i += len) {
		for (len = 1; i + len < n && sb[i + len].sym == sb[i].sym;)
			len++;
		ret = add_function(t, &sb[i], len, c);
	}
	if (c && sb)
		keys_decoders_free(&c->dec);
	free(sb);
	free(c);
	return ret;
}
