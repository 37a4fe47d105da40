// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Callchains: a line per frame, more where functions are inlined. The same frames come again and
 * again, so what a frame printed is kept by its address: most often a frame is one look into a
 * small table and one copy. What that table does not have is known from other processes, mostly.
 */
#include <stdlib.h>

#include "script-int.h"

#define FRAME_BITS     11
#define OBJECT_BITS    13
#define FRAME_TEXT_MAX 104

/* All lines of a frame; two cache lines. */
struct frame_text {
	_Alignas(64) uint64_t ip;
	uint64_t where; /* space_state(); of @object: the address inside it */
	uint32_t dso;	/* of @object: its number */
	uint16_t mode;
	uint8_t len;  /* 0 = empty */
	uint8_t last; /* the chain ends with this frame */
	char s[FRAME_TEXT_MAX];
};

/*
 * Direct-mapped. @space answers without a look at the maps, as long as the address space is as it was.
 * Most processes of a recording run the programs and libraries of others: what it does not know is
 * in @object by object and address, for all of them.
 */
struct frame_texts {
	struct frame_text space[1 << FRAME_BITS];
	struct frame_text object[1 << OBJECT_BITS];
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

	return &x->form->frames->space[hash_slot(h, FRAME_BITS)];
}

static struct frame_text *object_slot(const struct chain_ctx *x, const struct script_place *pl)
{
	uint64_t h = pl->ip ^ (uint64_t)pl->dso->idx << 40;

	return &x->form->frames->object[hash_slot(h, OBJECT_BITS)];
}

/* Prints a frame and keeps the text, if it is not too long. True when the chain ends with it. */
static bool put_new_frame(const struct chain_ctx *x, struct script_place *pl, struct frame_text *t)
{
	struct obuf *o = x->sc->o;
	const char *text;
	uint64_t mark;
	size_t len;
	bool last;

	t->len = 0;
	if (!obuf_room(o, 4096))
		return true;
	mark = obuf_printed(o);
	last = put_frame(x->sc, x->form, pl);
	text = obuf_since(o, mark, &len);
	if (!text || len > FRAME_TEXT_MAX)
		return last;
	t->ip = pl->ip;
	t->mode = pl->mode;
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

/* A frame that this address space has not printed yet, or so long ago that it was forgotten. */
static bool put_frame_of_object(const struct chain_ctx *x, const struct frame *fr,
				struct frame_text *t)
{
	struct script_place pl = { .ip = fr->ip, .addr = fr->ip, .mode = fr->cpumode };
	struct frame_text *o;
	bool last;

	put_find_map(x->sc, x->th, &pl);
	if (!pl.dso) {
		last = put_new_frame(x, &pl, t);
		t->where = frame_where(x, fr);
		return last;
	}
	o = object_slot(x, &pl);
	if (o->len && o->ip == pl.ip && o->where == pl.addr && o->dso == pl.dso->idx &&
	    o->mode == pl.mode) {
		put_kept_frame(x->sc->o, o);
		last = o->last;
	} else {
		last = put_new_frame(x, &pl, o);
		o->where = pl.addr;
		o->dso = pl.dso->idx;
	}
	*t = *o;
	t->where = frame_where(x, fr);
	return last;
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
			last = put_frame_of_object(&x, &frames[i], t);
		}
	}
}
