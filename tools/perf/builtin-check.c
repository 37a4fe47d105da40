// SPDX-License-Identifier: GPL-2.0-or-later
/* perf check feature NAME[,NAME]: whether an optional library was built in. */
#include "build-options.h"
#include "builtin.h"

struct check_opts {
	bool quiet;
};

static const struct option check_options[] = {
	OPT_BOOL('q', "quiet", struct check_opts, quiet, "print nothing, only set the exit status"),
	OPT_END(),
};

static const char *const check_usage[] = { "check feature NAME[,NAME...]", NULL };

static const struct feature *find_feature(const char *name)
{
	size_t nr;
	const struct feature *f = perf_features(&nr);

	/* "zstd", "HAVE_ZSTD_SUPPORT", "libzstd": the ways upstream's names are written. */
	if (!strncasecmp(name, "HAVE_", 5))
		name += 5;
	for (size_t i = 0; i < nr; i++) {
		size_t n = strlen(f[i].name);
		const char *bare = !strncmp(f[i].name, "lib", 3) ? f[i].name + 3 : f[i].name;

		if (!strcasecmp(name, f[i].name) || !strcasecmp(name, bare) ||
		    (!strncasecmp(name, "lib", 3) && !strcasecmp(name + 3, f[i].name)))
			return &f[i];
		if (!strncasecmp(name, f[i].name, n) && !strcasecmp(name + n, "_SUPPORT"))
			return &f[i];
	}
	return NULL;
}

static int check_one(const struct command *cmd, const char *name, bool quiet)
{
	const struct feature *f = find_feature(name);

	if (!f)
		return cli_usage_error(
			cmd, "unknown feature '%s'; see perf version --build-options", name);
	if (!quiet)
		printf("%24s: [ %s ]  # %s\n", f->name, f->on ? "on " : "OFF", f->gives);
	return !f->on;
}

static int check_run(const struct command *cmd, int argc, char **argv)
{
	struct check_opts o = { 0 };
	int n = cli_parse(cmd, &o, argc, argv, 0), ret = 0;

	if (n < 0)
		return CLI_STATUS(n);
	if (n < 2 || strcmp(argv[0], "feature") != 0)
		return cli_usage_error(cmd, "say which feature: perf check feature zstd");
	for (char *save, *name = strtok_r(argv[1], ",", &save); name;
	     name = strtok_r(NULL, ",", &save)) {
		int r = check_one(cmd, name, o.quiet);

		if (r > ret)
			ret = r;
	}
	return ret;
}

const struct command cmd_check = {
	.name = "check",
	.summary = "Tell whether an optional library was built in",
	.usage = check_usage,
	.options = check_options,
	.run = check_run,
};
