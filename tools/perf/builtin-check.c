// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf check feature NAME[,NAME]: whether an optional library was built in. Scripts ask by any of
 * upstream's names, which changed over the years: "libzstd", "zstd" and "HAVE_ZSTD_SUPPORT" are
 * one. perf check sandbox: what holds on this machine while recordings are read, by making a box.
 */
#include "box/box.h"
#include "build-options.h"
#include "builtin.h"

struct check_opts {
	bool quiet;
};

static const struct option check_options[] = {
	OPT_BOOL('q', "quiet", struct check_opts, quiet, "print nothing, only set the exit status"),
	OPT_END(),
};

static const char *const check_usage[] = { "check feature NAME[,NAME...]", "check sandbox", NULL };

/* "libzstd", "zstd" and "HAVE_ZSTD_SUPPORT" alike: upstream's names changed over the years. */
static void bare_name(const char *name, char *bare, size_t size)
{
	const char *end;

	if (!strncasecmp(name, "HAVE_", 5))
		name += 5;
	if (!strncasecmp(name, "lib", 3))
		name += 3;
	end = strcasestr(name, "_SUPPORT");
	snprintf(bare, size, "%.*s", (int)(end ? (size_t)(end - name) : strlen(name)), name);
}

static const struct feature *find_feature(const char *name)
{
	char want[64], have[64];
	size_t nr;
	const struct feature *f = perf_features(&nr);

	bare_name(name, want, sizeof(want));
	for (size_t i = 0; i < nr; i++) {
		bare_name(f[i].name, have, sizeof(have));
		if (!strcasecmp(want, have) || !strcasecmp(name, f[i].macro))
			return &f[i];
	}
	return NULL;
}

/* Whether it is built in. */
static bool check_one(const char *name, bool quiet)
{
	const struct feature *f = find_feature(name);

	if (f && !quiet)
		perf_print_feature(f);
	else if (!quiet)
		log_error("Unknown feature '%s', please use 'perf version --build-options' to see "
			  "which ones are available.",
			  name);
	return f && f->on;
}

/* Why one of them does not hold. */
static const char *reason(int error)
{
	switch (error) {
	case -ENOSYS: return "this kernel, or what runs in its place, has none";
	case -EOPNOTSUPP: return "the kernel has it, switched off";
	case -EBUSY: return "not under valgrind";
	default: return strerror(-error);
	}
}

static int check_sandbox(bool quiet)
{
	const struct box_state s = box_try();
	bool filter = s.holds & BOX_SECCOMP, files = s.holds & BOX_LANDLOCK;

	if (!quiet) {
		printf("seccomp:  %s%s\n",
		       filter ? "on: no programs, no network, nothing opened for writing" : "off: ",
		       filter ? "" : reason(s.seccomp));
		if (files)
			printf("Landlock: on, version %d: only files that reading may need\n",
			       s.landlock);
		else
			printf("Landlock: off: %s\n", reason(s.landlock));
	}
	return !filter || !files;
}

static int check_run(const struct command *cmd, int argc, char **argv)
{
	struct check_opts o = { 0 };
	int n = cli_parse(cmd, &o, argc, argv, 0);
	bool all = true;

	if (n < 0)
		return CLI_STATUS(n);
	if (n == 1 && !strcmp(argv[0], "sandbox"))
		return check_sandbox(o.quiet);
	if (n < 2 || strcmp(argv[0], "feature") != 0)
		return cli_usage_error(cmd,
				       "say what: perf check feature zstd, perf check sandbox");
	for (char *save, *name = strtok_r(argv[1], ",", &save); name;
	     name = strtok_r(NULL, ",", &save))
		all &= check_one(name, o.quiet);
	return !all;
}

const struct command cmd_check = {
	.name = "check",
	.summary = "Tell what was built in, and what protects reading here",
	.usage = check_usage,
	.options = check_options,
	.run = check_run,
};
