// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin of qemu-user: how often each taken branch of a program is executed, of all its threads. For
 * programs that do not run under callgrind (Go), as a file in the form of callgrind's that
 * edge-overlap.py reads:
 *
 *	cc -shared -fPIC -O2 -o edges.so qemu-edges.c
 *	qemu-x86_64 -cpu max -plugin ./edges.so,ob=OBJECT,out=FILE OBJECT ARGS...
 *
 * Addresses are those of memory, so OBJECT has to be linked statically and not PIE. Returns are left out,
 * as callgrind leaves them out. QEMU runs a program by blocks without a branch in between: where one begins
 * elsewhere than behind the last one of its thread, that one's last instruction has branched there.
 *
 * The declarations are of version 1 of the plugins' interface, docs/devel/tcg-plugins.rst of QEMU: Debian has no
 * header of it. QEMU before 9 takes plugins of that version.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define EDGES  (1u << 20)

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef void (*trans_cb)(plugin_id id, struct qemu_plugin_tb *tb);
typedef void (*exec_cb)(unsigned vcpu, void *ctx);
typedef void (*exit_cb)(plugin_id id, void *ctx);

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, trans_cb cb);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, exec_cb cb, int flags,
					  void *ctx);
void qemu_plugin_register_atexit_cb(plugin_id id, exit_cb cb, void *ctx);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

EXPORT int qemu_plugin_version = 1;

struct block {
	uint64_t begin, last, end; /* of its instructions: the first, the last, and behind that */
	bool branches, cond;
};

struct edge {
	uint64_t from, to, n;
};

static struct edge edges[EDGES]; /* by hash; from 0 = none */
static unsigned used;
static char lock;
static const char *object, *output;
static __thread const struct block *before;

static struct edge *find(uint64_t from, uint64_t to)
{
	unsigned at = (unsigned)((from * 31 + to) * 0x9e3779b97f4a7c15ULL >> 44) % EDGES;

	for (;; at = (at + 1) % EDGES) {
		uint64_t is = __atomic_load_n(&edges[at].from, __ATOMIC_ACQUIRE);

		if (!is || (is == from && edges[at].to == to))
			return &edges[at];
	}
}

static struct edge *add(uint64_t from, uint64_t to)
{
	struct edge *e;

	while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE))
		;
	e = find(from, to);
	if (!e->from) {
		if (++used > EDGES / 2) {
			fprintf(stderr, "qemu-edges: more than %u edges\n", EDGES / 2);
			abort();
		}
		e->to = to;
		__atomic_store_n(&e->from, from, __ATOMIC_RELEASE);
	}
	__atomic_clear(&lock, __ATOMIC_RELEASE);
	return e;
}

static void executed(unsigned vcpu, void *ctx)
{
	const struct block *b = ctx, *last = before;
	struct edge *e;

	(void)vcpu;
	before = b;
	/* not taken; or the block was cut before its last instruction, which has not been executed */
	if (!last || !last->branches || (last->cond && b->begin == last->end) ||
	    b->begin == last->last)
		return;
	e = find(last->last, b->begin);
	if (e->from != last->last || e->to != b->begin) /* none, or another thread's by now */
		e = add(last->last, b->begin);
	__atomic_fetch_add(&e->n, 1, __ATOMIC_RELAXED);
}

static const unsigned char *behind_prefixes(const unsigned char *code, size_t n)
{
	static const unsigned char prefixes[] = { 0x26, 0x2e, 0x36, 0x3e, 0x64,
						  0x65, 0x66, 0x67, 0xf2, 0xf3 };

	while (n > 1 && (memchr(prefixes, *code, sizeof(prefixes)) || (*code & 0xf0) == 0x40)) {
		code++;
		n--;
	}
	return code;
}

static bool is_cond(const unsigned char *code)
{
	return (*code & 0xf0) == 0x70 || (*code & 0xfc) == 0xe0 ||
	       (*code == 0x0f && (code[1] & 0xf0) == 0x80);
}

/* Not a return. A signal behind such a block counts for a branch to its handler, once for each signal. */
static bool is_branch(const unsigned char *code)
{
	return is_cond(code) || *code == 0xe8 || *code == 0xe9 || *code == 0xeb ||
	       (*code == 0xff && ((code[1] >> 3 & 7) == 2 || (code[1] >> 3 & 7) == 4));
}

static void translated(plugin_id id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);
	struct block *b = malloc(sizeof(*b));
	struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, n - 1);
	const unsigned char *code =
		behind_prefixes(qemu_plugin_insn_data(last), qemu_plugin_insn_size(last));

	(void)id;
	if (!b)
		abort();
	*b = (struct block){
		.begin = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0)),
		.last = qemu_plugin_insn_vaddr(last),
		.end = qemu_plugin_insn_vaddr(last) + qemu_plugin_insn_size(last),
		.branches = is_branch(code),
		.cond = is_cond(code),
	};
	qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, 0,
					     b); /* QEMU may run it until the end */
}

static void at_exit(plugin_id id, void *ctx)
{
	FILE *f = fopen(output, "w");

	(void)id;
	(void)ctx;
	if (!f)
		abort();
	fprintf(f, "ob=%s\n", object);
	for (unsigned i = 0; i < EDGES; i++)
		if (edges[i].from)
			fprintf(f, "jump=%llu 0x%llx\n0x%llx 0\n", (unsigned long long)edges[i].n,
				(unsigned long long)edges[i].to, (unsigned long long)edges[i].from);
	if (fclose(f))
		abort();
}

EXPORT int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], "ob=", 3))
			object = strdup(argv[i] + 3);
		else if (!strncmp(argv[i], "out=", 4))
			output = strdup(argv[i] + 4);
	if (!object || !output) {
		fprintf(stderr, "qemu-edges: ob=OBJECT,out=FILE\n");
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, at_exit, NULL);
	return 0;
}
