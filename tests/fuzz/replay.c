// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * replay [-v] [-n N] TARGET FILE|DIR...: runs a target over files, once each, then N times changed a little
 * by the target's mutator: always in the same way, so that what it finds is found again. Needs no
 * libFuzzer, so every compiler builds it, and `make check` runs it, under sanitizers too.
 * replay -l: the targets, each with what it reads.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "fuzz.h"
#include "perf-main.h"

/* For one input. A machine that does other things too makes it late, but has it do no more. */
#define CPU_SECONDS  20
#define WALL_SECONDS 300

#define DECLARE(name) extern const struct fuzz_target fuzz_##name;
FUZZ_TARGETS(DECLARE)

#define ADDRESS(name) &fuzz_##name,
static const struct fuzz_target *const targets[] = { FUZZ_TARGETS(ADDRESS) };

struct replay {
	const struct fuzz_target *t;
	FILE *out; /* stdout is taken from the targets */
	unsigned changes;
	bool verbose;
	size_t files, runs;
};

static uint32_t mutate_seed;

/* Bytes anywhere, in place of libFuzzer's. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max)
{
	size_t at = size ? fuzz_rand(&mutate_seed) % size : 0;

	if (!size || (fuzz_rand(&mutate_seed) % 8 == 0 && size < max)) {
		memmove(data + at + 1, data + at, size - at);
		data[at] = (uint8_t)fuzz_rand(&mutate_seed);
		return max ? size + 1 : 0;
	}
	if (size > 1 && fuzz_rand(&mutate_seed) % 8 == 0) {
		memmove(data + at, data + at + 1, size - at - 1);
		return size - 1;
	}
	data[at] = (uint8_t)fuzz_odd(&mutate_seed, data[at]);
	return size;
}

static void limit(time_t cpu, unsigned wall)
{
	struct itimerval timer = { .it_value.tv_sec = cpu };

	if (setitimer(ITIMER_PROF, &timer, NULL))
		abort();
	alarm(wall);
}

static void run(struct replay *r, const uint8_t *data, size_t size)
{
	/* A copy of just that size: a byte too many is seen. */
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	limit(CPU_SECONDS, WALL_SECONDS);
	r->t->run(copy, size);
	limit(0, 0);
	free(copy);
	r->runs++;
}

static void run_changed(struct replay *r, uint8_t *buf, size_t size, uint8_t *orig)
{
	size_t n = size, got;

	memcpy(orig, buf, size);
	for (unsigned i = 0; i < r->changes; i++) {
		if (i % 4 == 0) { /* changes add up a little */
			memcpy(buf, orig, size);
			n = size;
		}
		mutate_seed = i;
		got = r->t->mutate && n ? r->t->mutate(buf, n, r->t->max_len, i) : 0;
		n = got ? got : LLVMFuzzerMutate(buf, n, r->t->max_len);
		run(r, buf, n);
	}
}

static int replay_file(struct replay *r, const char *path)
{
	uint8_t *buf = malloc(2 * r->t->max_len + 2), *orig = buf + r->t->max_len + 1;
	FILE *f = fopen(path, "re");
	size_t n;

	if (!buf || !f) {
		perror(path);
		free(buf);
		return 1;
	}
	n = fread(buf, 1, r->t->max_len, f);
	fclose(f);
	if (r->verbose) {
		fprintf(r->out, "%s: %s\n", r->t->name, path);
		fflush(r->out);
	}
	r->files++;
	run(r, buf, n);
	run_changed(r, buf, n, orig);
	free(buf);
	return 0;
}

static int replay_path(struct replay *r, const char *path)
{
	struct dirent **list;
	struct stat st;
	char name[4096];
	int n, ret = 0;

	if (stat(path, &st)) {
		perror(path);
		return 1;
	}
	if (!S_ISDIR(st.st_mode))
		return replay_file(r, path);
	n = scandir(path, &list, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s/%s", path, list[i]->d_name);
		if (list[i]->d_name[0] != '.')
			ret |= replay_path(r, name);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return ret;
}

/* Commands print and complain: to nobody, but a sanitizer has the stderr that was there. */
void __sanitizer_set_report_fd(void *fd) __attribute__((weak));

static void hush(struct replay *r)
{
	int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO),
	    null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	r->out = out < 0 ? NULL : fdopen(out, "w");
	if (!r->out || err < 0 || null < 0 || dup2(null, STDOUT_FILENO) < 0 ||
	    dup2(null, STDERR_FILENO) < 0)
		abort();
	if (__sanitizer_set_report_fd && !getenv("ASAN_OPTIONS"))
		__sanitizer_set_report_fd((void *)(intptr_t)err);
}

static const struct fuzz_target *find_target(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++)
		if (!strcmp(targets[i]->name, name))
			return targets[i];
	return NULL;
}

int main(int argc, char **argv)
{
	struct replay r = { 0 };
	int opt, ret = 0;

	while ((opt = getopt(argc, argv, "ln:v")) != -1) {
		if (opt == 'l')
			for (size_t i = 0; i < ARRAY_SIZE(targets); i++)
				printf("%s\t%s\n", targets[i]->name, targets[i]->reads);
		else if (opt == 'n')
			r.changes = (unsigned)atoi(optarg);
		else if (opt == 'v')
			r.verbose = true;
		else
			return 2;
		if (opt == 'l')
			return 0;
	}
	r.t = optind < argc ? find_target(argv[optind]) : NULL;
	if (!r.t) {
		fprintf(stderr,
			"usage: replay [-v] [-n N] TARGET FILE|DIR... (replay -l: targets)\n");
		return 2;
	}
	fuzz_init();
	hush(&r);
	for (int i = optind + 1; i < argc; i++)
		ret |= replay_path(&r, argv[i]);
	ret |= fuzz_lines_refused(r.out) != 0;
	fprintf(r.out, "%s: %zu files, %zu runs\n", r.t->name, r.files, r.runs);
	fclose(r.out);
	return ret;
}
