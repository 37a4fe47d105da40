// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Callchains: a line per frame, more where functions are inlined. The same frames come again and
 * again, so what a frame printed is kept by its address: most often a frame is one look into a
 * small table and one copy.
 */
#include <stdlib.h>

#include "script-int.h"

#define FRAME_BITS     11
#define FRAME_TEXT_MAX 108

/* All lines of a frame; two cache lines. */
struct frame_text {
	_Alignas(64) uint64_t ip;
	uint64_t where; /* space_state() */
	uint16_t mode;
	uint8_t len;  /* 0 = empty */
	uint8_t last; /* the chain ends with this frame */
	char s[FRAME_TEXT_MAX];
};

struct frame_texts {
	struct frame_text slot[1 << FRAME_BITS]; /* direct-mapped */
};

/* What the frames of one chain share. */
struct chain_ctx {
	struct script *sc;
	struct thread *th;
	struct form *form;
	uint64_t kernel, user; /* where kernel addresses are looked up, and others */
};

void print_chain_free(struct frame_texts *t)
{
	free(t);
}

static inline uint64_t frame_where(const struct chain_ctx *x, const struct frame *fr)
{
	return fr->cpumode == PERF_RECORD_MISC_KERNEL ? x->kernel : x->user;
}

static inline struct frame_text *text_slot(const struct chain_ctx *x, const struct frame *fr)
{
	uint64_t h = fr->ip ^ frame_where(x, fr) << 32;

	return &x->form->frames->slot[hash_slot(h, FRAME_BITS)];
}

/* Prints a frame and keeps the text, if it is not too long. True when the chain ends with it. */
static bool put_new_frame(const struct chain_ctx *x, const struct frame *fr, struct frame_text *t)
{
	struct obuf *o = x->sc->o;
	const char *text;
	uint64_t mark;
	size_t len;
	bool last;

	if (!obuf_room(o, 4096))
		return true;
	mark = obuf_printed(o);
	last = put_frame(x->sc, x->form, x->th, fr->cpumode, fr->ip);
	text = obuf_since(o, mark, &len);
	if (!text || len > FRAME_TEXT_MAX)
		return last;
	t->ip = fr->ip;
	t->where = frame_where(x, fr);
	t->mode = fr->cpumode;
	t->len = (uint8_t)len;
	t->last = last;
	memcpy(t->s, text, len);
	return last;
}

static inline void put_kept_frame(struct obuf *o, const struct frame_text *t)
{
	char *p = obuf_room(o, FRAME_TEXT_MAX);

	if (unlikely(!p))
		return;
	memcpy(p, t->s, 2 * TEXT_STEP);
	if (unlikely(t->len > 2 * TEXT_STEP))
		memcpy(p + 2 * TEXT_STEP, t->s + 2 * TEXT_STEP, FRAME_TEXT_MAX - 2 * TEXT_STEP);
	o->len += t->len;
}

void print_chain(struct script *sc, const struct ctx *c)
{
	const struct frame *frames;
	struct chain_ctx x = {
		.sc = sc,
		.th = c->th,
		.form = c->ev->chain_form,
		.kernel = space_state(sc, 0),
		.user = space_state(sc, c->th->space),
	};
	ssize_t n = unwind_chain(sc->env.unwind, c->th, c->s, &frames);
	bool last = false;

	if (!x.form->frames) {
		x.form->frames = aligned_alloc(64, sizeof(*x.form->frames));
		if (!x.form->frames) {
			sc->o->code = -ENOMEM;
			return;
		}
		memset(x.form->frames, 0, sizeof(*x.form->frames));
	}
	for (ssize_t i = 0; i < n && !last; i++) {
		struct frame_text *t = text_slot(&x, &frames[i]);

		if (likely(t->ip == frames[i].ip && t->where == frame_where(&x, &frames[i]) &&
			   t->mode == frames[i].cpumode && t->len)) {
			put_kept_frame(sc->o, t);
			last = t->last;
		} else {
			last = put_new_frame(&x, &frames[i], t);
		}
	}
}
