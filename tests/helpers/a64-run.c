// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * a64-run SEED COUNT: executes instructions of tests/unit/a64-cases.h on an AArch64 CPU, real or
 * emulated, and writes what became of the state. Each is followed by brk: the handler of that signal (or of
 * the one that the instruction got) notes all registers and puts those of the next case in their place.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "../unit/a64-cases.h"

static struct a64_case now;
static struct a64_result result;
static uint64_t seed, count, at;
static int begun;
static unsigned char stack[1 << 16];

static struct fpsimd_context *vectors(ucontext_t *u)
{
	struct _aarch64_ctx *c = (void *)u->uc_mcontext.__reserved;

	while (c->magic && c->magic != FPSIMD_MAGIC)
		c = (void *)((char *)c + c->size);
	return (void *)c;
}

static void note(int sig, ucontext_t *u)
{
	mcontext_t *m = &u->uc_mcontext;

	result.sig = (uint32_t)sig;
	result.nzcv = (uint32_t)(m->pstate >> 28 & 15);
	result.pc = m->pc;
	result.sp = m->sp;
	memcpy(result.x, m->regs, sizeof(result.x));
	memcpy(result.v, vectors(u)->vregs, sizeof(result.v));
	result.data = a64_hash((void *)A64_DATA, A64_PAGE);
	fwrite(&result, sizeof(result), 1, stdout);
}

static void on_signal(int sig, siginfo_t *si, void *ctx)
{
	ucontext_t *u = ctx;
	mcontext_t *m = &u->uc_mcontext;
	uint32_t *code = (uint32_t *)A64_CODE;

	(void)si;
	if (begun)
		note(sig, u);
	begun = 1;
	if (at == count) {
		fflush(stdout);
		_exit(0);
	}
	a64_make(seed, at++, &now);
	memcpy((void *)A64_DATA, now.data, A64_PAGE);
	code[0] = now.word;
	code[1] = A64_BRK;
	__builtin___clear_cache((char *)code, (char *)(code + 2));
	memcpy(m->regs, now.x, sizeof(now.x));
	m->sp = now.sp;
	m->pc = A64_CODE;
	m->pstate = (m->pstate & 0x0fffffff & ~0xc00ULL) | (uint64_t)now.nzcv << 28;
	memcpy(vectors(u)->vregs, now.v, sizeof(now.v));
}

static int map(uint64_t addr, int prot)
{
	return mmap((void *)addr, A64_PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
	       MAP_FAILED;
}

int main(int argc, char **argv)
{
	static const int signals[] = { SIGTRAP, SIGILL, SIGSEGV, SIGBUS };
	struct sigaction sa = { .sa_sigaction = on_signal,
				.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };
	stack_t alt = { .ss_sp = stack, .ss_size = sizeof(stack) };

	if (argc != 3)
		return 2;
	seed = strtoull(argv[1], NULL, 0);
	count = strtoull(argv[2], NULL, 0);
	if (map(A64_DATA, PROT_READ | PROT_WRITE) ||
	    map(A64_CODE, PROT_READ | PROT_WRITE | PROT_EXEC) || sigaltstack(&alt, NULL))
		return 1;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &sa, NULL);
	raise(SIGTRAP);
	return 1;
}
