// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf buildid-list: the build ids that a recording stores. With --with-hits, or where it stores
 * none, its records are read, to see which objects samples fell into.
 */
#include <unistd.h>

#include "buildid/buildid.h"
#include "builtin.h"
#include "capture/capture.h"
#include "jobs.h"
#include "pieces.h"
#include "sandbox.h"

struct buildid_opts {
	struct session_opts session;
	bool kernel, kernel_maps, with_hits;
	uint64_t pieces; /* samples in each; 0 = all in one reading */
	int verbose;
};

static const struct option buildid_options[] = {
	OPT_INCLUDE(struct buildid_opts, session, session_input_options),
	OPT_INCLUDE(struct buildid_opts, session, session_jobs_options),
	OPT_BOOL('H', "with-hits", struct buildid_opts, with_hits,
		 "show only objects that samples hit"),
	OPT_BOOL('k', "kernel", struct buildid_opts, kernel, "show the running kernel's build id"),
	OPT_BOOL('m', "kernel-maps", struct buildid_opts, kernel_maps,
		 "show the running kernel and its modules, with build ids and addresses"),
	{ .type = OPTION_UINT,
	  .name = "pieces",
	  .arg = "N",
	  .help = "read every N samples in a session of their own, then add up",
	  .offset = offsetof(struct buildid_opts, pieces),
	  .flags = OPTION_HIDDEN },
	OPT_INC('v', "verbose", struct buildid_opts, verbose, "be more verbose"),
	OPT_END(),
};

static const char *const buildid_usage[] = { "buildid-list [<options>] [[-i] FILE]", NULL };

/* ---- objects that samples hit ---------------------------------------------------------------------- */

struct counter {
	struct session *s;
	struct machine_hits *hits;
};

static uint64_t need(void *ctx, const struct perfdata_event *event)
{
	(void)ctx, (void)event;
	return MACHINE_HITS_NEED;
}

static int one_sample(void *ctx, const struct session_sample *in, struct err *e)
{
	return machine_hits_sample(((struct counter *)ctx)->hits, in->s, in->thread, e);
}

static const struct session_consumer consumer = {
	.need = need,
	.sample = one_sample,
	.flags = SESSION_WHOLE,
};

static int start_counting(void *ctx, void *first, struct session *s, struct err *e)
{
	struct counter *k = ctx;
	int ret = machine_hits_new(&k->hits, session_env(s)->machine, NULL, NULL);

	(void)first;
	k->s = s;
	return ret ? err_set(e, ret, "out of memory for objects") : 0;
}

static int add_hits(void *to, void *from, struct err *e)
{
	struct counter *k = to, *other = from;
	struct session_maps *maps;
	int ret = session_maps_new(&maps, session_env(k->s), session_env(other->s), e);

	if (!ret && machine_hits_merge(k->hits, other->hits, maps->objects))
		ret = err_set(e, -ENOMEM, "out of memory for objects");
	session_maps_free(maps);
	return ret;
}

static void free_hits(void *ctx)
{
	machine_hits_free(((struct counter *)ctx)->hits);
}

static const struct jobs counting = {
	.consumer = &consumer,
	.size = sizeof(struct counter),
	.start = start_counting,
	.add = add_hits,
	.free = free_hits,
};

static int print_hits(const struct buildid_opts *o, struct session *s, struct obuf *out,
		      struct err *e)
{
	struct perfdata *pd = session_env(s)->pd;
	struct counter k = { 0 };
	struct machine *m;
	int ret = session_start(s, e);

	m = session_env(s)->machine;
	ret = ret ?: start_counting(&k, NULL, s, e);
	ret = ret ?: jobs_read(&counting, s, &k, e);
	if (!ret && o->pieces)
		ret = pieces_read(s, &o->session, o->pieces, &counting, &k, NULL, e);
	if (!ret && !o->with_hits && perfdata_nr_build_ids(pd))
		buildid_print_recorded(pd, out);
	else
		for (size_t i = 0; !ret && i < machine_nr_dsos(m); i++)
			if (machine_hits_have(k.hits, machine_dso(m, i)))
				buildid_print_dso(pd, machine_dso(m, i), out);
	free_hits(&k);
	for (const char *const *w = session_warnings(s, SESSION_WARN_BAD); !ret && *w; w++)
		log_warn("%s", *w);
	if (!ret && session_damage(s)) {
		*e = *session_damage(s);
		ret = e->code;
	}
	return ret;
}

static int list_file(const struct buildid_opts *o, struct obuf *out, struct err *e)
{
	uint8_t id[CAPTURE_BUILD_ID_MAX];
	size_t size = capture_file_build_id(o->session.input, id);
	struct session *s = NULL;
	int ret;

	if (size) { /* not a recording but a program */
		buildid_print(out, id, size);
		obuf_char(out, '\n');
		return 0;
	}
	ret = session_open(&s, &o->session, e);
	/* A file without a list, or a pipe, whose list comes last: the records have to be read. */
	if (!ret && (o->with_hits || !perfdata_has_feature(session_env(s)->pd, FEAT_BUILD_ID)))
		ret = print_hits(o, s, out, e);
	else if (!ret)
		buildid_print_recorded(session_env(s)->pd, out);
	session_close(s);
	return ret;
}

static int buildid_run(const struct command *cmd, int argc, char **argv)
{
	struct buildid_opts o = { .session = { .no_symbols = true, .log = LOG_STDERR } };
	struct err err = { 0 };
	struct obuf out;
	int n = cli_parse(cmd, &o, argc, argv, 0), ret, status = 0;

	if (n < 0)
		return CLI_STATUS(n);
	log_set_level(o.verbose > 1 ? LOG_DEBUG : o.verbose ? LOG_INFO : LOG_WARN);
	if (n > 1 || (n == 1 && o.session.input) || o.session.more.items.n) {
		status = cli_usage_error(cmd, "more than one file: %s",
					 n ? argv[n - 1] : o.session.more.items.v[0]);
		session_opts_free(&o.session);
		return status;
	}
	if (!o.session.input)
		o.session.input = n ? argv[0] : "perf.data";
	o.session.nr_samples = o.pieces;
	if (obuf_init(&out, STDOUT_FILENO, 0))
		return 1;
	/* The kernel's and its modules' lie in /sys and /lib. */
	sandbox_enter(&(struct sandbox){
		.off = o.session.no_sandbox,
		.session = &o.session,
		.objects = true,
	});
	if (o.kernel_maps)
		ret = buildid_print_kernel_maps(&out, &err);
	else
		ret = o.kernel ? buildid_print_kernel(&out, &err) : list_file(&o, &out, &err);
	if (cli_end_output(&out))
		status = 1;
	return ret ? cli_print_err(&err) : status;
}

const struct command cmd_buildid_list = {
	.name = "buildid-list",
	.summary = "List the build ids in a perf.data file",
	.usage = buildid_usage,
	.options = buildid_options,
	.run = buildid_run,
};
