// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows that an engine answers with, made a recording again: report --from. Each line is a call, its fields between tabs:
 * r EVENT NAME OBJECT FUNC PATH N PERIOD, o OBJECT KIND PATH, f OBJECT FUNC NAME, l LOST, c: with chains.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fleet/fleet.h"
#include "fuzz.h"

#define FIELDS 7

static char dir[FUZZ_DIR_SIZE];

static void remove_in(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") &&
		    unlinkat(dirfd(d), e->d_name, 0))
			unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
	if (d)
		closedir(d);
}

/* What is written: DIR/recording, DIR/kallsyms, DIR/objects/, of which nothing stays. */
static void remove_all(void)
{
	char path[FUZZ_DIR_SIZE + 16];

	snprintf(path, sizeof(path), "%s/objects", dir);
	remove_in(path);
	remove_in(dir);
}

static void remove_dir(void)
{
	remove_all();
	rmdir(dir);
}

static void one_line(struct fleet_compose *c, char *line, bool *chains)
{
	char *f[FIELDS + 1];
	size_t nr = 0;
	struct err e = { 0 };

	for (char *s = line; s && nr < ARRAY_SIZE(f);)
		f[nr++] = strsep(&s, "\t");
	while (nr < ARRAY_SIZE(f))
		f[nr++] = (char *)"";
	switch (*f[0]) {
	case 'r': {
		const struct fleet_row row = { .event = f[1],
					       .name = f[2],
					       .object = f[3],
					       .func = strtoll(f[4], NULL, 10),
					       .path = strtoull(f[5], NULL, 16),
					       .n = strtoull(f[6], NULL, 10),
					       .period = strtoull(f[7], NULL, 10) };

		fleet_compose_row(c, &row, &e);
		break;
	}
	case 'o': fleet_compose_object(c, f[1], f[2], f[3], &e); break;
	case 'f': fleet_compose_function(c, f[1], strtoll(f[2], NULL, 10), f[3], &e); break;
	case 'l': fleet_compose_lost(c, strtoull(f[1], NULL, 10)); break;
	case 'c': *chains = true; break;
	default: break;
	}
	err_clear(&e);
}

static void run(const uint8_t *data, size_t size)
{
	struct fuzz_bytes b = { data, size };
	struct fleet_compose *c = NULL;
	struct fleet_composed done;
	struct err e = { 0 };
	bool chains = false;
	char line[512];

	if (!*dir) {
		fuzz_dir(dir, "fleet");
		if (atexit(remove_dir))
			abort();
	}
	if (fleet_compose_new(&c, &e))
		abort();
	while (b.left) {
		fuzz_line(&b, line, sizeof(line));
		one_line(c, line, &chains);
	}
	for (size_t i = 0; fleet_compose_needs(c, i); i++)
		fuzz_touch(fleet_compose_needs(c, i));
	if (!fleet_compose_write(c, dir, chains, &done, &e) && done.of_each == 0)
		abort();
	fuzz_touch(e.text);
	err_clear(&e);
	fleet_compose_free(c);
	remove_all();
}

const struct fuzz_target fuzz_fleet = {
	.name = "fleet",
	.reads = "rows of an engine's answer, made a recording again",
	.max_len = 2048,
	.run = run,
	.mutate = mutate_text,
};
