// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers and branch entries out of one image. A component that was never touched is in its initial
 * state: its registers are shown only when all are asked for, since zeros that nobody wrote say
 * nothing about a program.
 */
#include <stdio.h>

#include "xstate/xstate.h"

static void print_components(struct emit *e, const struct xsave_image *im, uint64_t unknown)
{
	emit_object(e, "components");
	for (unsigned nr = 0; nr < XSAVE_NR; nr++)
		if (im->layout.set & BIT(nr))
			emit_str(e, xsave_name(nr), im->xstate_bv & BIT(nr) ? "stored" : "initial");
		else if (unknown & BIT(nr))
			emit_str(e, xsave_name(nr), "stored, place not known");
	emit_end(e);
}

static void print_vector(struct emit *e, const char *name, const uint64_t *q, unsigned qwords,
			 enum regs_lane lane)
{
	struct obuf text;

	if (obuf_init(&text, -1, 0))
		return;
	regs_print_lanes(q, qwords, lane, &text);
	obuf_char(&text, 0);
	emit_str(e, name, text.code ? NULL : text.buf);
	obuf_free(&text);
}

/* The widest class of which something is stored; with --all the widest the image has room for. */
static unsigned vector_width(const struct xsave_image *im, unsigned n, bool all)
{
	uint64_t q[8];
	uint8_t live;

	for (unsigned w = 8; w >= 2; w /= 2) {
		enum xsave_state s = xsave_vector(im, n, w, q, &live);

		if (s == XSAVE_ABSENT)
			continue;
		if (all || (s == XSAVE_VALUE && (n >= 16 || live >> w / 2 || w == 2)))
			return w;
	}
	return 0;
}

static void print_vectors(struct emit *e, const struct xsave_image *im, const struct xstate_view *v)
{
	for (unsigned n = 0; n < 32; n++) {
		unsigned w = vector_width(im, n, v->all);
		uint64_t q[8];
		char name[16];

		if (!w)
			continue;
		xsave_vector(im, n, w, q, NULL);
		snprintf(name, sizeof(name), "%s%u", regs_vector_class(REGS_ARCH_X86, w), n);
		print_vector(e, name, q, w, v->lane);
	}
}

static void print_value(struct emit *e, const char *prefix, int n, enum xsave_state s, uint64_t v,
			bool all)
{
	char name[16];

	if (s == XSAVE_ABSENT || (s == XSAVE_INIT && !all))
		return;
	if (n < 0)
		snprintf(name, sizeof(name), "%s", prefix);
	else
		snprintf(name, sizeof(name), "%s%d", prefix, n);
	emit_hex(e, name, v);
}

static void print_registers(struct emit *e, const struct xsave_image *im,
			    const struct xstate_view *view, const struct tracer_state *t)
{
	enum xsave_state s;
	uint64_t v;
	uint32_t w;

	emit_object(e, "registers");
	s = xsave_mxcsr(im, &w);
	print_value(e, "MXCSR", -1, s, w, true);
	print_vectors(e, im, view);
	for (int i = 0; i < 8; i++) {
		s = xsave_opmask(im, i, &v);
		print_value(e, "K", i, s, v, view->all);
	}
	for (int i = 16; i < 32; i++) {
		s = xsave_egpr(im, i, &v);
		print_value(e, "R", i, s, v, view->all);
	}
	s = xsave_ssp(im, &v);
	if (s == XSAVE_VALUE || t->has_ssp)
		emit_hex(e, "SSP", t->has_ssp ? t->ssp : v);
	s = xsave_pkru(im, &w);
	print_value(e, "PKRU", -1, s, w, view->all);
	emit_end(e);
}

static const struct emit_column lbr_columns[] = {
	{ "from", NULL, false },  { "to", NULL, false },    { "type", NULL, false },
	{ "flags", NULL, false }, { "cycles", NULL, true },
};

static int print_lbr(struct emit *e, const struct xsave_image *im, struct err *err)
{
	struct emit_table *t;
	struct xsave_lbr lbr;
	enum xsave_state s;
	int ret = xsave_lbr(im, &lbr, &s, err);

	if (ret || s != XSAVE_VALUE)
		return ret;
	t = emit_table_new(lbr_columns, ARRAY_SIZE(lbr_columns));
	if (!t)
		return err_set(err, -ENOMEM, "no memory for the branch table");
	emit_object(e, "lbr");
	emit_hex(e, "ctl", lbr.ctl);
	emit_u64(e, "depth", lbr.depth);
	emit_bool(e, "call stack mode", lbr.call_stack);
	for (unsigned i = 0; i < lbr.nr; i++) {
		const struct xsave_lbr_entry *b = &lbr.entry[i];

		emit_table_cell(t, "0x%llx", (unsigned long long)b->from);
		emit_table_cell(t, "0x%llx", (unsigned long long)b->to);
		emit_table_cell(t, "%s", xsave_lbr_type_name(b->type));
		emit_table_cell(t, "%s%s%s", b->mispred ? "mispred" : "predicted",
				b->in_tx ? ",in_tx" : "", b->abort ? ",abort" : "");
		if (b->cycles_valid)
			emit_table_cell(t, "%u", b->cycles);
		else
			emit_table_cell(t, "-");
	}
	emit_table_print(t, e, "entries");
	emit_table_free(t);
	emit_end(e);
	return 0;
}

int xstate_show_image(struct emit *e, const struct xsave_cpu *cpu, const struct xstate_view *v,
		      const struct tracer_state *t, uint64_t *lost, struct err *err)
{
	struct xsave_image im;
	uint64_t unknown;
	int ret = xsave_image_open(&im, cpu, t->xsave, t->xsave_size, err);

	if (ret)
		return ret;
	/* inside the array of threads an object of its own; a lone image lies in the document */
	if (t->tid) {
		emit_object(e, NULL);
		emit_u64(e, "tid", t->tid);
		emit_hex(e, "ip", t->ip);
	}
	emit_str(e, "form", im.layout.format == XSAVE_FORMAT_COMPACTED ? "compacted" : "standard");
	emit_hex(e, "xstate_bv", im.xstate_bv);
	unknown = lost ? xsave_image_keep_certain(&im) : 0;
	if (lost)
		*lost |= unknown;
	print_components(e, &im, unknown);
	print_registers(e, &im, v, t);
	ret = print_lbr(e, &im, err);
	if (t->tid)
		emit_end(e);
	return ret;
}
