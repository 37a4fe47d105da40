// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf version: the version, and with --build-options what the program was built with. Its table
 * is that of tools/feature.sh, and beside it names that clients of upstream's perf look for.
 */
#include "builtin.h"
#include "build-options.h"
#include "config.h"

struct version_opts {
	bool build_options;
	int verbose;
};

static const struct option version_options[] = {
	OPT_BOOL(0, "build-options", struct version_opts, build_options,
		 "which optional libraries are built in"),
	OPT_INC('v', "verbose", struct version_opts, verbose, "the same"),
	OPT_END(),
};

static const char *const version_usage[] = { "version [--build-options] [-v]", NULL };

static const struct feature features[] = {
#define FEATURE(name, on, macro, package, gives) { name, on, macro, package, gives },
#include "features.def"
#undef FEATURE
	/* Always there; clients such as hotspot look for the line. */
	{ "aio", true, "HAVE_AIO_SUPPORT", NULL, "writing never waits for the disk" },
	/* Names under which upstream lists libdw, and scripts ask for it. */
	{ "dwarf", HAVE_LIBDW, "HAVE_LIBDW_SUPPORT", "libdw-dev", "source lines" },
	{ "dwarf_getlocations", HAVE_LIBDW, "HAVE_LIBDW_SUPPORT", "libdw-dev", "inlines" },
	{ "dwarf-unwind", HAVE_LIBDW, "HAVE_DWARF_UNWIND_SUPPORT", "libdw-dev", "user stacks" },
	{ "libdw-dwarf-unwind", HAVE_LIBDW, "HAVE_LIBDW_SUPPORT", "libdw-dev", "user stacks" },
	/* What upstream can be built with and this perf never is: perf check knows them. */
	{ "babeltrace2-ctf-writer", false, "HAVE_BABELTRACE2_CTF_WRITER_SUPPORT", NULL, NULL },
	{ "bpf", false, "HAVE_LIBBPF_SUPPORT", NULL, NULL },
	{ "bpf_skeletons", false, "HAVE_BPF_SKEL", NULL, NULL },
	{ "libLLVM", false, "HAVE_LIBLLVM_SUPPORT", NULL, NULL },
	{ "libbfd", false, "HAVE_LIBBFD_SUPPORT", NULL, NULL },
	{ "libbpf-strings", false, "HAVE_LIBBPF_STRINGS_SUPPORT", NULL, NULL },
	{ "libnuma", false, "HAVE_LIBNUMA_SUPPORT", NULL, NULL },
	{ "libopencsd", false, "HAVE_CSTRACE_SUPPORT", NULL, NULL },
	{ "libperl", false, "HAVE_LIBPERL_SUPPORT", NULL, NULL },
	{ "libpfm4", false, "HAVE_LIBPFM", NULL, NULL },
	{ "libpython", false, "HAVE_LIBPYTHON_SUPPORT", NULL, NULL },
	{ "numa_num_possible_cpus", false, "HAVE_LIBNUMA_SUPPORT", NULL, NULL },
	{ "rust", false, "HAVE_RUST_SUPPORT", NULL, NULL },
};

const struct feature *perf_features(size_t *nr)
{
	*nr = ARRAY_SIZE(features);
	return features;
}

void perf_print_feature(const struct feature *f)
{
	printf("%22s: [ %s ]  # %s", f->name, f->on ? "on " : "OFF", f->macro);
	if (!f->on && f->package)
		printf(" ( tip: install %s: %s )", f->package, f->gives);
	putchar('\n');
}

static int version_run(const struct command *cmd, int argc, char **argv)
{
	struct version_opts o = { 0 };
	int n = cli_parse(cmd, &o, argc, argv, 0);

	if (n < 0)
		return CLI_STATUS(n);
	printf("perf version %s\n", PERF_VERSION);
	for (size_t i = 0; (o.build_options || o.verbose) && i < ARRAY_SIZE(features); i++)
		if (features[i].on || features[i].package)
			perf_print_feature(&features[i]);
	return 0;
}

const struct command cmd_version = {
	.name = "version",
	.summary = "Show the version and what was built in",
	.usage = version_usage,
	.options = version_options,
	.run = version_run,
};
