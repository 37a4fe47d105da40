/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that fail on demand: a library that is preloaded into the program under test, counts its
 * calls by class and lets the Nth of one class fail, once or from then on.
 *
 *	FAULTS=ASK,ANSWER FAULTS_LOG=FILE LD_PRELOAD=faults.so perf report ...
 *
 *	FAULTS=CLASS:HOW:NTH gdb ...	one run, as it is: numbers of this file; --verbose of run tells them
 *
 * The program does not run at once: before main() it reads requests from file descriptor ASK, and for
 * each forks a child that runs main() with that fault, stdout and stderr in the files `out` and `err`
 * of its directory; what became of it goes to ANSWER. So the libraries are loaded once for thousands
 * of runs, and addresses are the same in all of them. What the program executes is left alone; what it
 * forks counts on.
 *
 *	faults.c	counting, whose turn it is to fail, where that was
 *	server.c	requests and answers, the end of children
 *	calls.c		the functions of the C library that are counted
 *	run		who asks, and judges
 */
#ifndef FAULTS_H
#define FAULTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What is counted together; tests/faults/run has the same names in the same order. */
/* clang-format off */
#define FAULT_CLASSES(X) \
	X(ALLOC) X(READ) X(WRITE) X(MMAP) X(OPEN) X(PTRACE) X(CLOSE) X(SIZE) X(NAME) X(STAT) \
	X(POLL) X(THREAD) X(FORK) X(PIPE) X(WAIT) X(IOCTL) X(EVENT) X(LIMIT)
/* clang-format on */

enum fault_class {
#define X(name) FAULT_##name,
	FAULT_CLASSES(X)
#undef X
		FAULT_NR
};

/* One run; written by tests/faults/run, in this machine's byte order. */
struct fault_request {
	int32_t class;	   /* -1: nothing fails */
	int32_t how;	   /* an errno, or FAULT_SHORT */
	uint64_t nth;	   /* from 1 */
	uint32_t for_good; /* and all calls of the class after it */
	uint32_t log;	   /* write each call's class and stack into the log */
	uint64_t timeout;  /* milliseconds */
};

/* Half of what was asked for is read or written. */
#define FAULT_SHORT (-1)

struct fault_answer {
	int32_t status;	 /* of waitpid() */
	uint32_t hung;	 /* ended by us, after the timeout */
	uint32_t left;	 /* processes that the program left behind */
	uint32_t failed; /* calls that were made to fail */
	uint64_t count[FAULT_NR];
};

/* A line of the log; as many as the program made calls, in their order. */
struct fault_line {
	uint64_t stack; /* a hash of the return addresses */
	uint32_t class, nth;
};
#define FAULT_LINES (1u << 20)

/* Shared by the program, what it forks, and the server. */
struct fault_state {
	struct fault_request plan;
	uint64_t count[FAULT_NR];
	uint32_t failed;
	uint32_t lines;
};
extern struct fault_state *fault_state; /* NULL: nothing is counted */
extern struct fault_line *fault_log;
extern int fault_where; /* opened before main(): the program may give up the right to open files */

extern const char *
	fault_kallsyms; /* what is opened in place of /proc/kallsyms, from FAULTS_KALLSYMS; NULL: itself */

/* 0, or how this call is to fail: an errno or FAULT_SHORT. */
int fault_of(enum fault_class class);
/* The same for calls that cannot be cut short: whether to fail, with errno set. */
bool fails(enum fault_class class);
/* Calls of this thread are its own, not the program's, until fault_end(). */
void fault_begin(void);
void fault_end(void);

#endif
