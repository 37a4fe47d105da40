// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Words of command lines, a line each: the command, then its options with what belongs to them. They run whole, on a
 * small recording. Options that start programs, write files, open terminals, wait or ask servers are left out
 * here, as are commands that do little else.
 */
#include <stdio.h>

#include "fuzz.h"
#include "perf-main.h"

/* Long options are known by every beginning that is unique, short ones may hide in a bunch. */
static const struct allowed {
	const char *command;
	bool reads; /* a recording, with -i */
	const char *less, *short_less;
} allowed[] = {
	{ "report", true, " --html --tui --diff --source ", "" },
	{ "script", true, " --per-event-dump ", "" },
	{ "annotate", true, " --tui --source ", "" },
	{ "data", true, " --binary --to-json --check ", "" },
	{ "evlist", true, "", "" },
	{ "buildid-list", true, "", "" },
	{ "check", false, "", "" },
	{ "version", false, "", "" },
	{ "pmu-dt", false, " --groups --pmu-dt ", "" },
	{ "xstate", false, " --pid --core --image --simulate ", "p" },
};

/* Of all of them: files other than the recording, and servers. */
#define LESS " --input --no-input --output --symfs --vmlinux --kallsyms --debuginfod "

static const struct allowed *find_allowed(const char *command)
{
	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++)
		if (!strcmp(allowed[i].command, command))
			return &allowed[i];
	return NULL;
}

static bool is_allowed(const char *word, const struct allowed *a)
{
	char name[64];
	int len;

	if (word[0] != '-')
		return !strchr(word, '/'); /* a file's name, perhaps */
	if (word[1] != '-')
		return !strpbrk(word, "oik/") && !strpbrk(word, a->short_less);
	len = (int)strcspn(word, "=");
	if (len < 3)
		return false; /* "--" ends options */
	snprintf(name, sizeof(name), " %.*s", len < 40 ? len : 40, word);
	return !strstr(LESS, name) && !strstr(a->less, name);
}

/* A file of one sample, with a call chain, a process and a map: in a pipe's form. */
static const char *recording(void)
{
	static const uint64_t words[] = {
		0x32454c4946524550ULL,
		16,
		/* HEADER_ATTR: cpu-clock; IP, TID, TIME, CALLCHAIN, PERIOD; sample_id_all */
		64 | 152ULL << 48,
		1 | 136ULL << 32,
		0,
		4000,
		0x127,
		0,
		1 << 18,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		7,
		/* COMM, MMAP, SAMPLE */
		3 | 48ULL << 48,
		5 | 6ULL << 32,
		0x6f6f66,
		5 | 6ULL << 32,
		100,
		0,
		1 | 2ULL << 32 | 80ULL << 48,
		5 | 6ULL << 32,
		0x1000,
		0x1000,
		0,
		0x6f662f6e69622f,
		0,
		5 | 6ULL << 32,
		200,
		0,
		9 | 2ULL << 32 | 64ULL << 48,
		0x1010,
		5 | 6ULL << 32,
		300,
		1,
		2,
		(uint64_t)-512,
		0x1010,
	};

	fuzz_file(1, words, sizeof(words));
	return fuzz_path(1);
}

static void run(const uint8_t *data, size_t size)
{
	struct fuzz_bytes b = { data, size };
	char word[256], all[2048];
	const struct allowed *a;
	size_t n;

	a = find_allowed(fuzz_line(&b, word, sizeof(word)));
	if (!a)
		return;
	n = (size_t)snprintf(all, sizeof(all), "%s\n%s", word,
			     strcmp(word, "data") ? "" : "convert\n-o\n/dev/null\n");
	while (b.left && n < sizeof(all) - sizeof(word) - 1)
		if (is_allowed(fuzz_line(&b, word, sizeof(word)), a))
			n += (size_t)snprintf(all + n, sizeof(all) - n, "%s\n", word);
	fuzz_perf(all, a->reads ? recording() : NULL);
}

const struct fuzz_target fuzz_options = {
	.name = "options",
	.reads = "command lines: options, sort keys, fields, filters, times",
	.max_len = 512,
	.run = run,
	.mutate = mutate_text,
};
