// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ways into the kernel: system calls with structs to show, traps. What matters are the arguments
 * and the trap; the kernel may refuse the call.
 */
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "workload/workload-int.h"

#ifndef SYS_landlock_create_ruleset /* the same numbers on all architectures */
#define SYS_landlock_create_ruleset 444
#endif
#ifndef SYS_landlock_add_rule
#define SYS_landlock_add_rule 445
#endif

/*
 * Both kinds of rules for a ruleset that does not exist: what a tracer shows is in the arguments,
 * whatever the kernel says to them.
 */
int workload_landlock(int argc, char **argv)
{
	struct {
		uint64_t allowed;
		int32_t parent;
	} __attribute__((packed)) path = { .allowed = 1, .parent = 14 };
	struct {
		uint64_t allowed, port;
	} net = { .allowed = 1, .port = 19 };

	(void)argc, (void)argv;
	syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
	syscall(SYS_landlock_add_rule, 11, 1, &path, 0xffffffffu);
	syscall(SYS_landlock_add_rule, 11, 2, &net, 0xffffffffu);
	return 0;
}

void trap_here(uint64_t rounds);

static void on_trap(int sig)
{
	(void)sig;
}

/* An instruction that traps: into a handler on x86, into the kernel's emulation on arm64. */
AS_WRITTEN void trap_here(uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++) {
#if defined(__x86_64__) || defined(__i386__)
		__asm__ volatile("int3");
#elif defined(__aarch64__)
		uint64_t id;

		__asm__ volatile("mrs %0, ID_AA64ISAR0_EL1" : "=r"(id));
#else
		raise(SIGTRAP);
#endif
	}
}

int workload_traploop(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_trap }, old;

	if (sigaction(SIGTRAP, &sa, &old))
		return 1;
	trap_here(workload_count(argc, argv, 1, 10000));
	return sigaction(SIGTRAP, &old, NULL) != 0;
}
