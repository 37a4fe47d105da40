// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf xstate: the XSAVE components of a CPU, what they cost, and registers out of images. First
 * it is clear which CPU is meant, the one that runs this, one of the described, or the one that a
 * core file tells of; all else depends on that.
 */
#include "base/file.h"
#include "builtin.h"
#include "sandbox.h"
#include "xstate/xstate.h"

#include <stdlib.h>
#include <unistd.h>

#define IMAGE_MAX (1 << 20)
#define NO_PID	  UINT64_MAX /* none is asked for; 0 is one that there never is */

struct xstate_opts {
	const char *cpu, *set, *core, *image, *simulate, *lane_name;
	uint64_t pid;
	bool json, all, no_sandbox;
};

static const struct option xstate_options[] = {
	OPT_STRING(0, "cpu", struct xstate_opts, cpu, "NAME",
		   "a described CPU instead of this one: skx, icx, spr, dmr, zen4"),
	OPT_STRING(0, "set", struct xstate_opts, set, "LIST",
		   "layout and sample bytes of these components (zmm,opmask,lbr)"),
	OPT_STRING(0, "core", struct xstate_opts, core, "FILE",
		   "registers of a core file's threads"),
	OPT_UINT('p', "pid", struct xstate_opts, pid, "PID",
		 "registers of a live process' threads"),
	OPT_STRING(0, "image", struct xstate_opts, image, "FILE", "registers of a raw XSAVE image"),
	OPT_STRING(0, "lane", struct xstate_opts, lane_name, "TYPE",
		   "vectors as lanes: " REGS_LANE_NAMES),
	OPT_BOOL('a', "all", struct xstate_opts, all, "also registers in their initial state"),
	OPT_STRING(0, "simulate", struct xstate_opts, simulate, "SCHEDULE",
		   "on-demand LBR state against always-on: made[:...], a text or perf.data file"),
	OPT_BOOL(0, "no-sandbox", struct xstate_opts, no_sandbox,
		 "read with all the rights of this process"),
	OPT_BOOL('j', "json", struct xstate_opts, json, "print JSON"),
	OPT_END(),
};

static const char *const xstate_usage[] = {
	"xstate [--cpu NAME] [--set LIST] [--json]",
	"xstate {--core FILE | --pid PID | --image FILE} [--cpu NAME] [--lane TYPE] [--all] [--json]",
	"xstate --simulate {made[:KEY=N,...] | FILE} [--cpu NAME] [--json]",
	NULL,
};

static int choose_cpu(const struct xstate_opts *o, const struct xstate_view *v,
		      const struct xsave_cpu **cpu, struct err *e)
{
	if (o->cpu && strcmp(o->cpu, "host"))
		return xstate_find_cpu(o->cpu, cpu, e);
	*cpu = v->host;
	return *cpu ? 0 : e->code ?: -EOPNOTSUPP;
}

static int show_process(struct emit *e, const struct xstate_opts *o, const struct xstate_view *v,
			struct err *err)
{
	struct tracer_states st = { 0 };
	struct err note = { 0 };
	int ret;

	if (!o->core && (!o->pid || o->pid > INT32_MAX))
		return err_set(err, -ESRCH, "there is no process %llu", (unsigned long long)o->pid);
	ret = o->core ? tracer_states_core(&st, o->core, err)
		      : tracer_states_live(&st, (pid_t)o->pid, err);
	if (!ret)
		ret = xstate_show_threads(e, v, o->core, &st, &note, err);
	if (note.code)
		log_warn("%s", note.text);
	tracer_states_free(&st);
	return ret;
}

static int show_raw_image(struct emit *e, const struct xstate_opts *o, const struct xstate_view *v,
			  struct err *err)
{
	struct tracer_state t = { 0 };
	char *bytes = file_read_all(o->image, IMAGE_MAX, &t.xsave_size, err);
	int ret;

	if (!bytes)
		return err->code;
	t.xsave = (unsigned char *)bytes;
	emit_str(e, "cpu", v->cpu->title);
	ret = xstate_show_image(e, v->cpu, v, &t, NULL, err);
	if (ret && !o->cpu)
		err_hint(err, "Was it saved on another CPU? --cpu NAME says which.");
	free(bytes);
	return ret;
}

static int show(struct emit *e, const struct xstate_opts *o, struct xstate_view *v, struct err *err)
{
	uint64_t set = 0;

	/* A core may say itself whose layout it has. */
	if ((o->cpu || o->image || !o->core) && choose_cpu(o, v, &v->cpu, err))
		return err->code;
	if (o->core || o->pid != NO_PID)
		return show_process(e, o, v, err);
	if (o->image)
		return show_raw_image(e, o, v, err);
	if (o->simulate)
		return xstate_simulate(e, v->cpu, o->simulate, &LOG_STDERR, err);
	if (o->set && xsave_set_parse(v->cpu, o->set, &set, err))
		return err->code;
	return xstate_show_table(e, v->cpu, set, err);
}

static int xstate_run(const struct command *cmd, int argc, char **argv)
{
	struct xstate_opts o = { .pid = NO_PID };
	struct xstate_view v = { 0 };
	struct err err = { 0 }, no_host = { 0 };
	struct xsave_cpu host;
	struct obuf out;
	struct emit e;
	int n = cli_parse(cmd, &o, argc, argv, 0), ret, closed;

	if (n < 0)
		return CLI_STATUS(n);
	if (n > 0)
		return cli_usage_error(cmd, "unexpected argument '%s'", argv[0]);
	if (!!o.core + (o.pid != NO_PID) + !!o.image + !!o.simulate + !!o.set > 1)
		return cli_usage_error(cmd,
				       "choose one of --set, --core, --pid, --image, --simulate");
	if (o.lane_name && regs_lane_parse(o.lane_name, &v.lane))
		return cli_usage_error(cmd, "unknown lane type '%s'", o.lane_name);
	v.asked = o.cpu;
	v.all = o.all;
	if (!xsave_cpu_host(&host, &no_host))
		v.host = &host;
	else
		err = no_host;
	/* A live process is traced, and what a process says of itself is no file. */
	if (o.pid == NO_PID)
		sandbox_enter(&(struct sandbox){
			.off = o.no_sandbox,
			.read = { o.core, o.image, o.simulate },
		});
	if (obuf_init(&out, -1, 0))
		return cli_print_err(&(struct err){ .code = -ENOMEM, .text = "no memory" });
	emit_init(&e, &out, o.json ? EMIT_JSON : EMIT_TEXT);
	emit_object(&e, NULL);
	ret = show(&e, &o, &v, &err);
	emit_end(&e);
	emit_finish(&e);
	/* a document that an error cut is no JSON; text up to there is worth showing */
	if (ret && o.json)
		out.len = 0;
	out.fd = STDOUT_FILENO;
	closed = cli_end_output(&out);
	return ret ? (err.code ? cli_print_err(&err) : 1) : closed;
}

const struct command cmd_xstate = {
	.name = "xstate",
	.summary = "Show XSAVE state components, their cost, and registers out of images",
	.usage = xstate_usage,
	.options = xstate_options,
	.run = xstate_run,
};
