// SPDX-License-Identifier: GPL-2.0-or-later
/* perf data merge: several recordings as one. */
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "builtin.h"
#include "data.h"
#include "fleet/fleet.h"
#include "sandbox.h"
#include "target.h"

#define WINDOWS	   (64u << 20) /* of all inputs together: as much as one takes alone */
#define WINDOW_MIN (1u << 20)

const struct option data_merge_options[] = {
	OPT_STRING(0, "pids", struct merge_opts, pids, "same|apart",
		   "pids of all files are of one machine's processes, or of none (told by host "
		   "name and kernel)"),
	OPT_BOOL(0, "no-kernel", struct merge_opts, no_kernel,
		 "of files of another kernel than the first: leave out what ran in it"),
	OPT_STRING_DEF('z', "compression-level", struct merge_opts, compress, "N", "1",
		       "compress with zstd, level 1 to 22 (1 when none is given)"),
	OPT_END(),
};

static int read_options(const struct command *cmd, const struct data_opts *o,
			struct fleet_merge_opts *fo)
{
	const char *pids = o->merge.pids, *level = o->merge.compress;
	uint64_t n = 0;

	if (pids && strcmp(pids, "same") && strcmp(pids, "apart"))
		return cli_usage_error(cmd, "--pids is 'same' or 'apart', not '%s'", pids);
	if (level && (cli_parse_u64(level + (*level == '='), &n) || n < 1 || n > 22))
		return cli_usage_error(cmd, "-z takes a level from 1 to 22, not '%s'", level);
	fo->compress_level = (int)n;
	fo->no_kernel = o->merge.no_kernel;
	fo->pids = !pids ? FLEET_PIDS_AUTO : *pids == 's' ? FLEET_PIDS_SAME : FLEET_PIDS_APART;
	return 0;
}

/* All inputs are open at once. */
static void allow_files(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) || l.rlim_cur == l.rlim_max)
		return;
	l.rlim_cur = l.rlim_max;
	setrlimit(RLIMIT_NOFILE, &l);
}

static int open_inputs(const struct data_opts *o, struct perfdata **in, char **names, size_t nr,
		       struct err *e)
{
	struct perfdata_opts po = {
		.force = o->session.force,
		.no_limits = o->session.no_limits,
		.max_mem = (size_t)max_u64(WINDOWS / nr, WINDOW_MIN),
		.log = LOG_STDERR,
	};
	int ret = 0;

	for (size_t i = 0; !ret && i < nr; i++) {
		ret = perfdata_open(&in[i], names[i], &po, e);
		if (ret == -EMFILE)
			err_hint(e,
				 "All inputs are open at once: ulimit -n, or merge in two steps.");
	}
	return ret;
}

static void tell(const struct fleet_merge_stats *st, size_t nr, const char *path)
{
	log_info("%llu records of %zu files in %s, %llu of them samples, of %u machine%s",
		 (unsigned long long)st->records, nr, path, (unsigned long long)st->samples,
		 st->machines, st->machines == 1 ? "" : "s");
	if (st->machines > 1)
		log_info(
			"processes whose number another machine had before have one from 4194304 on");
	if (st->kernel_samples)
		log_warn("%llu samples of other kernels were left out",
			 (unsigned long long)st->kernel_samples);
	if (st->left_out)
		log_warn(
			"%llu records were left out: their event is not known, or an id would make "
			"them too long",
			(unsigned long long)st->left_out);
}

/* @damaged: inputs of which only a part could be taken. */
static int merge(const struct data_opts *o, struct fleet_merge_opts *fo, const char *path,
		 char **names, size_t nr, uint32_t *damaged, struct err *e)
{
	struct perfdata **in = calloc(nr, sizeof(*in));
	struct target t = { .out.fd = -1, .file.fd = -1 };
	struct fleet_merge_stats st;
	int ret = in ? open_inputs(o, in, names, nr, e)
		     : err_set(e, -ENOMEM, "out of memory for %zu files", nr);

	ret = ret ?: target_open(&t, path, e);
	if (!ret) {
		fo->pipe = t.out.pipe;
		fo->log = LOG_STDERR;
		ret = fleet_merge(in, nr, t.out.fd, fo, &st, e);
		ret = target_close(&t, ret, e);
	}
	if (!ret) {
		tell(&st, nr, path);
		*damaged = st.damaged;
	}
	for (size_t i = 0; in && i < nr; i++)
		perfdata_close(in[i]);
	free(in);
	return ret;
}

int data_merge(const struct command *cmd, const struct data_opts *o, int argc, char **argv)
{
	struct fleet_merge_opts fo = { 0 };
	const char *path = o->output;
	struct err e = { 0 };
	uint32_t damaged = 0;
	struct stat st;
	int ret = read_options(cmd, o, &fo);

	if (ret)
		return ret;
	if (!path && argc > 1) {
		path = *argv++;
		argc--;
		/* Who forgets OUT names a recording there. */
		if (!stat(path, &st) && S_ISREG(st.st_mode) && st.st_size && !o->session.force)
			return cli_usage_error(cmd,
					       "%s is there already, and would be what is "
					       "written: -o %s or -f overwrites it",
					       path, path);
	}
	if (!path || argc < 1)
		return cli_usage_error(cmd, "merge takes a name for the output and the recordings: "
					    "perf data merge OUT FILE...");
	log_set_level(o->verbose > 1 ? LOG_DEBUG : o->verbose ? LOG_INFO : LOG_WARN);
	allow_files();
	sandbox_enter(&(struct sandbox){
		.off = o->session.no_sandbox,
		.more = (const char *const *)argv,
		.nr_more = (size_t)argc,
		.output = { { BOX_FILE, path } },
	});
	if (merge(o, &fo, path, argv, (size_t)argc, &damaged, &e))
		return cli_print_err(&e);
	return damaged ? 1 : 0;
}
