// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers of the threads of a process or a core. An image says which components it has, not where:
 * that is its CPU's. It is known by name, by a note of the core, or because this CPU wrote it; else a
 * CPU whose components and size fit is taken, and what such CPUs keep in different places is left
 * out rather than shown wrong.
 */
#include <stdio.h>

#include "xstate/xstate.h"

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
static int guess_layout(struct layout *l, const struct xstate_view *v, uint64_t xcr0, size_t size,
			struct err *e)
{
	l->cpu = xsave_cpu_guess(v->host, xcr0, size);
	if (!l->cpu) {
		err_set(e, -ENOENT, "no known CPU lays out components 0x%llx in %zu bytes",
			(unsigned long long)xcr0, size);
		err_hint(e, "Name the CPU that the image comes from: --cpu NAME.");
		return -ENOENT;
	}
	l->guessed = l->cpu != v->host;
	l->known_by = l->guessed ? "not known" : "assumed to be this CPU's, whose size fits";
	return 0;
}

/* Whose layout a process' images have: what was asked for, what the core says, what fits. */
static int find_layout(struct layout *l, const struct xstate_view *v,
		       const struct tracer_states *st, struct err *e)
{
	uint64_t xcr0 = 0;
	size_t size = 0;

	if (v->cpu) {
		l->cpu = v->cpu;
		l->known_by = v->asked ? "as asked for" : "this CPU's";
		return 0;
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
		return guess_layout(l, v, xcr0, size, e);
	l->cpu = &l->from_note;
	l->known_by = "by the core's note";
	return xsave_cpu_from_note(&l->from_note, st->layout, st->layout_size, xcr0, e);
}

/* What was stored in places that nothing tells, and how to see it all the same. */
static void note_guessed(struct err *note, const struct layout *l, const char *core, bool by_gdb,
			 uint64_t lost)
{
	char names[256] = "";
	size_t len = 0;

	for (unsigned nr = 0; nr < XSAVE_NR && len < sizeof(names); nr++)
		if (lost & BIT(nr))
			len += snprintf(names + len, sizeof(names) - len, "%s%s", len ? ", " : "",
					xsave_name(nr));
	err_set(note, -ENODATA,
		"%s does not say where its CPU keeps %s, which are left out%s. Their registers as "
		"on %s: --cpu %s",
		core, names,
		by_gdb ? "; gdb wrote it, which before version 15 takes Intel's places for those of "
			 "every CPU and loses what lies elsewhere"
		       : "",
		l->cpu->title, l->cpu->name);
}

int xstate_show_threads(struct emit *e, const struct xstate_view *v, const char *core,
			const struct tracer_states *st, struct err *note, struct err *err)
{
	struct layout l = { 0 };
	uint64_t lost = 0;
	int ret = find_layout(&l, v, st, err);

	if (ret || !l.cpu)
		return ret;
	emit_str(e, "cpu", l.guessed ? NULL : l.cpu->title);
	emit_str(e, "layout", l.known_by);
	emit_array(e, "threads");
	vec_for_each (t, &st->threads) {
		ret = t->xsave ? xstate_show_image(e, l.cpu, v, t, l.guessed ? &lost : NULL, err)
			       : err_set(err, -ENODATA, "no XSAVE state was kept");
		if (ret) {
			err_context(err, "thread %d", t->tid);
			break;
		}
	}
	emit_end(e);
	if (lost)
		note_guessed(note, &l, core, st->by_gdb, lost);
	return ret;
}
