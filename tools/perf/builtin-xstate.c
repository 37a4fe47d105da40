// SPDX-License-Identifier: GPL-2.0-or-later
/* perf xstate: the XSAVE components of a CPU, what they cost, and registers out of images. */
#include "builtin.h"
#include "xstate/xstate.h"

#include <stdlib.h>

#define IMAGE_MAX (1 << 20)

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
		   "vectors as hex, f32, f64, i8, i16, i32 or i64 lanes"),
	OPT_BOOL('a', "all", struct xstate_opts, all, "also registers in their initial state"),
	OPT_STRING(0, "simulate", struct xstate_opts, simulate, "SCHEDULE",
		   "on-demand LBR state against always-on: made[:...], a text or perf.data file"),
	OPT_BOOL('j', "json", struct xstate_opts, json, "print JSON"),
	OPT_END(),
};

static const char *const xstate_usage[] = {
	"xstate [--cpu NAME] [--set LIST] [--json]",
	"xstate {--core FILE | --pid PID | --image FILE} [--cpu NAME] [--lane TYPE] [--all] [--json]",
	"xstate --simulate {made[:KEY=N,...] | FILE} [--cpu NAME] [--json]",
	NULL,
};

static int choose_cpu(const struct xstate_opts *o, const struct xsave_cpu **cpu, struct err *e)
{
	char names[256];
	size_t len = 0;

	if (!o->cpu || !strcmp(o->cpu, "host")) {
		*cpu = o->host;
		return *cpu ? 0 : e->code;
	}
	*cpu = xsave_cpu_find(o->cpu);
	if (*cpu)
		return 0;
	for (size_t i = 0; xsave_cpu_described(i) && len < sizeof(names); i++)
		len += snprintf(names + len, sizeof(names) - len, "%s%s", i ? ", " : "",
				xsave_cpu_described(i)->name);
	err_set(e, -EINVAL, "no CPU '%s' is described", o->cpu);
	err_hint(e, "Known: %s; host is this machine.", names);
	return -EINVAL;
}

struct layout {
	const struct xsave_cpu *cpu;
	struct xsave_cpu from_note;
	const char *known_by;
	bool guessed; /* where AVX-512 and what is behind it lie depends on the CPU: not known */
};

/* The kernel keeps the same components, in as many bytes, for each thread of a process. */
static int check_alike(const struct tracer_states *st, struct err *e)
{
	const struct tracer_state *first = NULL;
	uint64_t xcr0, want = 0;

	vec_for_each (t, &st->threads) {
		if (!t->xsave)
			continue;
		xcr0 = xsave_image_xcr0(t->xsave, t->xsave_size);
		if (!first) {
			first = t;
			want = xcr0;
		}
		if (t->xsave_size == first->xsave_size && xcr0 == want)
			continue;
		return err_set(e, -EINVAL,
			       "damaged: thread %d has %zu bytes of state for components 0x%llx, "
			       "thread %d %zu for 0x%llx",
			       first->tid, first->xsave_size, (unsigned long long)want, t->tid,
			       t->xsave_size, (unsigned long long)xcr0);
	}
	return 0;
}

/* By components and size alone: more than one CPU may fit, and none need be the one. */
static int guess_layout(struct layout *l, const struct xstate_opts *o, uint64_t xcr0, size_t size,
			struct err *e)
{
	l->cpu = xsave_cpu_guess(o->host, xcr0, size);
	if (!l->cpu) {
		err_set(e, -ENOENT, "no known CPU lays out components 0x%llx in %zu bytes",
			(unsigned long long)xcr0, size);
		err_hint(e, "Name the CPU that the image comes from: --cpu NAME.");
		return -ENOENT;
	}
	l->guessed = l->cpu != o->host;
	l->known_by = l->guessed ? "not known" : "assumed to be this CPU's, whose size fits";
	return 0;
}

/* Whose layout a process' images have: what was asked for, what the core says, what fits. */
static int find_layout(struct layout *l, const struct xstate_opts *o,
		       const struct tracer_states *st, struct err *e)
{
	uint64_t xcr0 = 0;
	size_t size = 0;

	if (o->cpu || !o->core) {
		l->known_by = o->cpu ? "as asked for" : "this CPU's";
		return choose_cpu(o, &l->cpu, e);
	}
	if (check_alike(st, e))
		return e->code;
	vec_for_each (t, &st->threads) {
		if (t->xsave) {
			size = t->xsave_size;
			xcr0 = xsave_image_xcr0(t->xsave, size);
			break;
		}
	}
	if (!st->layout)
		return guess_layout(l, o, xcr0, size, e);
	l->cpu = &l->from_note;
	l->known_by = "by the core's note";
	return xsave_cpu_from_note(&l->from_note, st->layout, st->layout_size, xcr0, e);
}

/* What was stored in places that nothing tells, and how to see it all the same. */
static void warn_guessed(const struct xstate_opts *o, const struct layout *l, bool by_gdb,
			 uint64_t lost)
{
	char names[256] = "";
	size_t len = 0;

	for (unsigned nr = 0; nr < XSAVE_NR && len < sizeof(names); nr++)
		if (lost & BIT(nr))
			len += snprintf(names + len, sizeof(names) - len, "%s%s", len ? ", " : "",
					xsave_name(nr));
	log_warn(
		"%s does not say where its CPU keeps %s, which are left out%s. Their registers as "
		"on %s: --cpu %s",
		o->core, names,
		by_gdb ? "; gdb wrote it, which before version 15 takes Intel's places for those of "
			 "every CPU and loses what lies elsewhere"
		       : "",
		l->cpu->title, l->cpu->name);
}

static int show_states(struct emit *e, const struct xstate_opts *o, struct tracer_states *st,
		       struct err *err)
{
	struct layout l = { 0 };
	uint64_t lost = 0;
	int ret = find_layout(&l, o, st, err);

	if (ret || !l.cpu)
		return ret;
	emit_str(e, "cpu", l.guessed ? NULL : l.cpu->title);
	emit_str(e, "layout", l.known_by);
	emit_array(e, "threads");
	vec_for_each (t, &st->threads) {
		ret = t->xsave ? xstate_show_image(e, l.cpu, o, t, l.guessed ? &lost : NULL, err)
			       : err_set(err, -ENODATA, "no XSAVE state was kept");
		if (ret) {
			err_context(err, "thread %d", t->tid);
			break;
		}
	}
	emit_end(e);
	if (lost)
		warn_guessed(o, &l, st->by_gdb, lost);
	return ret;
}

static int show_process(struct emit *e, const struct xstate_opts *o, struct err *err)
{
	struct tracer_states st = { 0 };
	int ret;

	if (!o->core && o->pid > INT32_MAX)
		return err_set(err, -ESRCH, "there is no process %llu", (unsigned long long)o->pid);
	ret = o->core ? tracer_states_core(&st, o->core, err)
		      : tracer_states_live(&st, (pid_t)o->pid, err);
	if (!ret)
		ret = show_states(e, o, &st, err);
	tracer_states_free(&st);
	return ret;
}

static int show_raw_image(struct emit *e, const struct xsave_cpu *cpu, const struct xstate_opts *o,
			  struct err *err)
{
	struct tracer_state t = { 0 };
	char *bytes = file_read_all(o->image, IMAGE_MAX, &t.xsave_size, err);
	int ret;

	if (!bytes)
		return err->code;
	t.xsave = (unsigned char *)bytes;
	emit_str(e, "cpu", cpu->title);
	ret = xstate_show_image(e, cpu, o, &t, NULL, err);
	if (ret && !o->cpu)
		err_hint(err, "Was it saved on another CPU? --cpu NAME says which.");
	free(bytes);
	return ret;
}

static int show(struct emit *e, const struct xstate_opts *o, struct err *err)
{
	const struct xsave_cpu *cpu;
	uint64_t set = 0;
	int ret;

	if (o->core || o->pid)
		return show_process(e, o, err);
	ret = choose_cpu(o, &cpu, err);
	if (ret)
		return ret;
	if (o->image)
		return show_raw_image(e, cpu, o, err);
	if (o->simulate)
		return xstate_simulate(e, cpu, o->simulate, err);
	if (o->set && xsave_set_parse(cpu, o->set, &set, err))
		return err->code;
	return xstate_show_table(e, cpu, set, err);
}

static int xstate_run(const struct command *cmd, int argc, char **argv)
{
	struct xstate_opts o = { 0 };
	struct err err = { 0 }, no_host = { 0 };
	struct xsave_cpu host;
	struct obuf out;
	struct emit e;
	int n = cli_parse(cmd, &o, argc, argv, 0), ret;

	if (n < 0)
		return CLI_STATUS(n);
	if (n > 0)
		return cli_usage_error(cmd, "unexpected argument '%s'", argv[0]);
	if (!!o.core + !!o.pid + !!o.image + !!o.simulate + !!o.set > 1)
		return cli_usage_error(cmd,
				       "choose one of --set, --core, --pid, --image, --simulate");
	if (o.lane_name && regs_lane_parse(o.lane_name, &o.lane))
		return cli_usage_error(cmd, "unknown lane type '%s'", o.lane_name);
	if (!xsave_cpu_host(&host, &no_host))
		o.host = &host;
	else
		err = no_host;
	if (obuf_init(&out, -1, 0))
		return cli_print_err(&(struct err){ .code = -ENOMEM, .text = "no memory" });
	emit_init(&e, &out, o.json ? EMIT_JSON : EMIT_TEXT);
	emit_object(&e, NULL);
	ret = show(&e, &o, &err);
	emit_end(&e);
	emit_finish(&e);
	/* a document that an error cut is no JSON; text up to there is worth showing */
	if (!ret || !o.json)
		ret = write_all(1, out.buf, out.len) ? 1 : ret;
	out.len = 0;
	obuf_free(&out);
	return ret ? (err.code ? cli_print_err(&err) : 1) : 0;
}

const struct command cmd_xstate = {
	.name = "xstate",
	.summary = "Show XSAVE state components, their cost, and registers out of images",
	.usage = xstate_usage,
	.options = xstate_options,
	.run = xstate_run,
};
