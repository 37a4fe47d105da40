// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Libraries that use what they did not get. elfutils (0.188 at least) goes on with a table of abbreviations that malloc()
 * refused, and dies at an address next to NULL; elsewhere it asserts that it got one, and aborts. It cannot be
 * asked before: mem_spare() tells what is there now, and other programs take it meanwhile. So such an end is told for what it
 * is, lack of memory, and ends the process with status 1 in place of a core.
 *
 * This thread's latest error has to be ENOMEM, and what died must not be the program's own code, whose mistakes stay
 * visible: it asserts nothing itself. Else the signal goes on to whoever had it before.
 */
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include "elf/elf-int.h"

#define NEAR_NULL 0x10000

extern const char __executable_start[], etext[]; /* the linker's */

static bool installed;
static struct sigaction before_segv, before_abort;

static bool is_ours(const ucontext_t *uc)
{
#if defined(__x86_64__)
	uintptr_t ip = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	uintptr_t ip = (uintptr_t)uc->uc_mcontext.pc;
#elif defined(__riscv)
	uintptr_t ip = (uintptr_t)uc->uc_mcontext.__gregs[REG_PC];
#else
	uintptr_t ip = uc ? (uintptr_t)__executable_start : 0; /* not known: as if it were */
#endif
	return ip >= (uintptr_t)__executable_start && ip < (uintptr_t)etext;
}

static bool is_starved(int sig, const siginfo_t *si, const ucontext_t *uc)
{
	if (errno != ENOMEM)
		return false;
	if (sig == SIGABRT)
		return si->si_code == SI_TKILL && si->si_pid == getpid();
	return si->si_code > 0 && (uintptr_t)si->si_addr < NEAR_NULL && !is_ours(uc);
}

static void on_signal(int sig, siginfo_t *si, void *ctx)
{
	static const char text[] =
		"perf: Cannot allocate memory: a library went on without what it asked for, and crashed; "
		"what was printed is not complete\nLet less run beside it, or allow more (ulimit -v).\n";

	if (is_starved(sig, si, ctx))
		_exit(write(STDERR_FILENO, text, sizeof(text) - 1) > 0 ? 1 : 2);
	/* A fault happens again, and finds who was there before; what was sent does not. */
	sigaction(sig, sig == SIGABRT ? &before_abort : &before_segv, NULL);
	if (si->si_code <= 0)
		raise(sig);
}

void elf_starved_install(void)
{
	struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	sigemptyset(&sa.sa_mask);
	if (installed || sigaction(SIGSEGV, &sa, &before_segv))
		return;
	sigaction(SIGABRT, &sa, &before_abort);
	installed = true;
}
