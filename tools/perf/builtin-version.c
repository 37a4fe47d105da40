// SPDX-License-Identifier: GPL-2.0-or-later
/* perf version: the version, and with --build-options what the program was built with. */
#include "builtin.h"
#include "build-options.h"

struct version_opts {
	bool build_options;
};

static const struct option version_options[] = {
	OPT_BOOL(0, "build-options", struct version_opts, build_options,
		 "which optional libraries are built in"),
	OPT_END(),
};

static const char *const version_usage[] = { "version [--build-options]", NULL };

static const struct feature features[] = {
#define FEATURE(name, on, package, gives) { name, on, package, gives },
#include "features.def"
#undef FEATURE
	/* Always there; clients such as hotspot look for the line. */
	{ "aio", true, "", "accepted by record; writing is already asynchronous" },
};

const struct feature *perf_features(size_t *nr)
{
	*nr = ARRAY_SIZE(features);
	return features;
}

static int version_run(const struct command *cmd, int argc, char **argv)
{
	struct version_opts o = { 0 };
	int n = cli_parse(cmd, &o, argc, argv, 0);

	if (n < 0)
		return CLI_STATUS(n);
	printf("perf version %s\n", PERF_VERSION);
	for (size_t i = 0; o.build_options && i < ARRAY_SIZE(features); i++) {
		const struct feature *f = &features[i];

		printf("%24s: [ %s ]  # %s%s%s\n", f->name, f->on ? "on " : "OFF", f->gives,
		       f->on ? "" : "; install ", f->on ? "" : f->package);
	}
	return 0;
}

const struct command cmd_version = {
	.name = "version",
	.summary = "Show the version and what was built in",
	.usage = version_usage,
	.options = version_options,
	.run = version_run,
};
