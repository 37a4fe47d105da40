// SPDX-License-Identifier: GPL-2.0-or-later
/* What libFuzzer calls, for the target that the makefile names: FUZZ_TARGET. */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

extern const struct fuzz_target FUZZ_TARGET;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

/* The target knows best how long its inputs may be; what stands on the command line comes later and wins. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static char option[32];
	char **args = calloc((size_t)*argc + 2, sizeof(*args));

	if (!args)
		abort();
	snprintf(option, sizeof(option), "-max_len=%zu", FUZZ_TARGET.max_len);
	args[0] = (*argv)[0];
	args[1] = option;
	for (int i = 1; i < *argc; i++)
		args[i + 1] = (*argv)[i];
	++*argc;
	*argv = args;
	fuzz_init();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FUZZ_TARGET.run(data, size);
	return 0;
}

/* Bytes anywhere one time in four: structure is a guess of ours at what could be wrong. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	size_t n = 0;

	if (FUZZ_TARGET.mutate && size && seed % 4)
		n = FUZZ_TARGET.mutate(data, size, max, seed / 4);
	return n ? n : LLVMFuzzerMutate(data, size, max);
}
