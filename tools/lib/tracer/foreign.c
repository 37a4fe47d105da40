// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sampling by ptrace where nobody has taught it the registers: every architecture but x86-64 and AArch64. The
 * same interface, whose probe says that nothing can be had; so callers need no #ifdef.
 */
#if !defined(__x86_64__) && !defined(__aarch64__)

#include "tracer.h"

const char *tracer_cut_name(enum tracer_cut cut)
{
	(void)cut;
	return "unknown";
}

const struct tracer_machine *tracer_machine(void)
{
	static const struct tracer_machine none = { .name = "this architecture" };

	return &none;
}

void tracer_probe(struct tracer_probe *p)
{
	*p = (struct tracer_probe){ 0 };
}

int tracer_strategy_parse(const char *name, enum tracer_strategy *s, struct err *e)
{
	(void)name, (void)s;
	return err_set(e, -ENOTSUP, "branches in software are there for x86-64 and AArch64 only");
}

const char *tracer_how(const struct tracer *t)
{
	(void)t;
	return "";
}

const struct tracer_probe *tracer_probed(const struct tracer *t)
{
	(void)t;
	return NULL;
}

void tracer_kernel_attr(const struct tracer_opts *o, const struct perf_event_attr *file,
			struct perf_event_attr *kernel)
{
	(void)o;
	*kernel = *file;
}

int tracer_new(struct tracer **t, const struct tracer_opts *opts, struct err *e)
{
	(void)opts;
	*t = NULL;
	err_set(e, -ENOTSUP, "sampling by ptrace is there for x86-64 and AArch64 only");
	err_hint(e, "Take what the kernel gives: --reg-source=kernel, --branch-source=hardware.");
	return -ENOTSUP;
}

/* Nobody has a struct tracer here. */
int tracer_attach(struct tracer *t, pid_t tid, bool process, struct err *e)
{
	(void)t, (void)tid, (void)process;
	return err_set(e, -ENOTSUP, "sampling by ptrace is there for x86-64 and AArch64 only");
}

int tracer_service(struct tracer *t, struct err *e)
{
	return tracer_attach(t, 0, false, e);
}

int tracer_timeout_ms(const struct tracer *t)
{
	(void)t;
	return -1;
}

void tracer_enable(struct tracer *t, bool on)
{
	(void)t, (void)on;
}

void tracer_watch_end(struct tracer *t, pid_t pid)
{
	(void)t, (void)pid;
}

bool tracer_ended(const struct tracer *t, int *status)
{
	(void)t, (void)status;
	return false;
}

bool tracer_steps(const struct tracer *t)
{
	(void)t;
	return false;
}

bool tracer_has_traced(const struct tracer *t)
{
	(void)t;
	return false;
}

bool tracer_ends_round(struct tracer *t)
{
	(void)t;
	return true;
}

size_t tracer_left(const struct tracer *t)
{
	(void)t;
	return 0;
}

int tracer_detach(struct tracer *t, struct err *e)
{
	(void)t, (void)e;
	return 0;
}

void tracer_serve_left(struct tracer *t)
{
	(void)t;
}

const struct tracer_stats *tracer_stats(struct tracer *t)
{
	static const struct tracer_stats none;

	(void)t;
	return &none;
}

void tracer_free(struct tracer *t)
{
	(void)t;
}

#endif
