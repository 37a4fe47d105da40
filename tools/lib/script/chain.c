// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Callchains: a line per frame, more where functions are inlined. The same frames come again and again, so
 * what a frame printed is kept by its address: most often a frame is one look into a small table and one
 * copy. Most of what that table does not have lies in a function that was printed before, at another
 * address or for another process: then its line is put together of texts that are there. Addresses in no object are
 * many where code keeps no frame pointers, and no two of them alike: they are kept nowhere.
 */
#include <stdlib.h>

#include "script-int.h"

#define FRAME_BITS     11
#define RANGE_BITS     11
#define RANGE_STEP     10 /* code of 1 kB is mostly of a few functions ... */
#define RANGE_WAYS     4  /* ... of so many */
#define RANGE_MASK     ((1ULL << 30) - 1)
#define OBJECT_BITS    12
#define FRAME_TEXT_MAX 104
#define LINES_TEXT_MAX 232
#define LOST_TEXT_MAX  32
#define LONGEST_KEPT   512 /* name of a function, or of an object */

/* All lines of a frame; two cache lines. */
struct frame_text {
	_Alignas(64) uint64_t ip;
	uint64_t where; /* space_state() */
	uint16_t mode;
	uint8_t len;  /* 0 = empty */
	uint8_t last; /* the chain ends with this frame */
	char s[FRAME_TEXT_MAX];
};

/* The same for an address of an object. */
struct lines_text {
	_Alignas(64) uint64_t addr;
	uint64_t ip; /* that stands in it */
	uint32_t dso;
	uint16_t len;
	uint16_t last;
	char s[LINES_TEXT_MAX];
};

/* Addresses of an object that have the same function, or none. */
struct range_text {
	_Alignas(32) uint64_t start;
	const char *name; /* what stands between address and offset */
	uint32_t size;	  /* 0 = empty */
	uint32_t from;	  /* so many bytes before @start offsets count from */
	uint32_t dso;
	uint16_t len; /* of @name */
	bool offset;  /* there is one */
	bool last;
};

/* Those of one kB; the newest comes first, and drives the last one out. */
struct range_set {
	_Alignas(64) struct range_text way[RANGE_WAYS];
};

/* What is printed behind an address that lies in no object: the same for all of them. */
struct lost_text {
	uint8_t len; /* 0 = not known yet */
	bool last;
	char s[LOST_TEXT_MAX];
};

/*
 * @space answers without a look at the maps, as long as the address space is as it was. What it does not know is
 * in @range, for all processes; where a frame can have several lines, or its line more than a function's name, in
 * @lines by the exact address of the object.
 */
struct frame_texts {
	struct frame_text space[1 << FRAME_BITS]; /* direct-mapped, as @lines is */
	struct range_set range[1 << RANGE_BITS];
	struct lost_text lost;
	struct texts ends;	  /* by dso->idx: " (object)" and a newline */
	struct texts names;	  /* by symbol->idx */
	struct texts unknown;	  /* one: where there is no symbol */
	struct lines_text *lines; /* NULL = not needed yet */
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
	if (!t)
		return;
	vec_free(&t->ends);
	vec_free(&t->names);
	vec_free(&t->unknown);
	free(t->lines);
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

/* Keeps the @len bytes at @text, if they are not too many. */
static inline void keep_text(struct frame_text *t, const struct script_place *pl, const char *text,
			     size_t len, bool last)
{
	t->len = 0;
	if (!text || len > FRAME_TEXT_MAX)
		return;
	t->ip = pl->ip;
	t->mode = pl->mode;
	t->len = (uint8_t)len;
	t->last = last;
	memcpy(t->s, text, len);
}

/* ---- by exact address ------------------------------------------------------------------------ */

/* Prints a frame and keeps the text, if it is not too long. True when the chain ends with it. */
static bool put_new_lines(const struct chain_ctx *x, struct script_place *pl, struct lines_text *l)
{
	struct obuf *o = x->sc->o;
	const char *text;
	uint64_t mark;
	size_t len;

	l->len = 0;
	if (!obuf_room(o, 4096))
		return true;
	mark = obuf_printed(o);
	l->last = put_frame(x->sc, x->form, pl);
	text = obuf_since(o, mark, &len);
	if (!text || len > LINES_TEXT_MAX)
		return l->last;
	l->addr = pl->addr;
	l->ip = pl->ip;
	l->dso = pl->dso->idx;
	l->len = (uint16_t)len;
	memcpy(l->s, text, len);
	return l->last;
}

/* Lines that were made for a process which had the object at another address. */
static void move_lines(const struct form *f, char *p, const char *end, uint64_t ip)
{
	char digits[16 + PUT_SLACK];

	put_hex16(digits, ip);
	while (f->fields & BIT(SF_IP) && p < end) {
		if (*p == '\t')
			memcpy(p + 1, digits, 16);
		p = (char *)memchr(p, '\n', (size_t)(end - p)) + 1;
	}
}

static struct lines_text *lines_slot(const struct chain_ctx *x, const struct script_place *pl)
{
	uint64_t h = pl->addr ^ (uint64_t)pl->dso->idx << 40;
	struct frame_texts *t = x->form->frames;

	if (unlikely(!t->lines))
		t->lines = slots_resize(NULL, 0, OBJECT_BITS, sizeof(*t->lines), NULL);
	return t->lines ? &t->lines[hash_slot(h, OBJECT_BITS)] : NULL;
}

static bool put_lines(const struct chain_ctx *x, struct script_place *pl, struct frame_text *t)
{
	struct lines_text *l = lines_slot(x, pl);
	struct obuf *o = x->sc->o;
	char *p;

	if (!l) {
		o->code = -ENOMEM;
		return true;
	}
	if (!l->len || l->addr != pl->addr || l->dso != pl->dso->idx) {
		put_new_lines(x, pl, l);
		keep_text(t, pl, l->s, l->len, l->last);
		return l->last;
	}
	p = obuf_room(o, LINES_TEXT_MAX);
	if (!p)
		return true;
	memcpy(p, l->s, l->len);
	if (l->ip != pl->ip)
		move_lines(x->form, p, p + l->len, pl->ip);
	o->len += l->len;
	keep_text(t, pl, p, l->len, l->last);
	return l->last;
}

/* ---- by function ----------------------------------------------------------------------------- */

static inline struct range_set *range_set(const struct chain_ctx *x, const struct script_place *pl)
{
	uint64_t h = pl->addr >> RANGE_STEP ^ (uint64_t)pl->dso->idx << 40;

	return &x->form->frames->range[hash_slot(h, RANGE_BITS)];
}

static inline const struct range_text *range_find(const struct range_set *set,
						  const struct script_place *pl)
{
	for (const struct range_text *r = set->way; r < set->way + RANGE_WAYS; r++)
		if (pl->addr - r->start < r->size && r->dso == pl->dso->idx)
			return r;
	return NULL;
}

/* What stands between the address and the offset of @sym, or "[unknown]". NULL: no memory. */
static const struct script_text *name_text(const struct chain_ctx *x, const struct symbol *sym)
{
	struct frame_texts *t = x->form->frames;
	const uint64_t f = x->form->fields;
	const char *before = f & BIT(SF_IP) ? " " : "";

	if (!(f & BIT(SF_SYM)))
		return script_text_at(x->sc, &t->unknown, 0, "", "", "");
	if (!sym)
		return script_text_at(x->sc, &t->unknown, 0, "[unknown]", before, "");
	return script_text_at(x->sc, &t->names, sym->idx, sym->name, before,
			      f & BIT(SF_SYMOFF) ? "+0x" : "");
}

/* What stands behind the offset. NULL: no memory. */
static const struct script_text *end_text(const struct chain_ctx *x, const struct dso *dso)
{
	struct texts *t = &x->form->frames->ends;

	if (x->form->fields & BIT(SF_DSO))
		return script_text_at(x->sc, t, dso->idx, dso->name, " (", ")\n");
	return script_text_at(x->sc, t, dso->idx, "", "", "\n");
}

/* The range that @pl is of. NULL: that is not all there is to its line, or no memory. */
static const struct range_text *make_range(const struct chain_ctx *x, const struct script_place *pl,
					   struct range_set *set)
{
	struct resolver *res = x->sc->env.resolver;
	const struct script_text *name, *after;
	const struct symbol *sym;
	uint64_t start, end;

	if (put_is_slow(x->form) || (x->form->inlines && symbol_may_inline(res, pl->dso)))
		return NULL;
	sym = symbol_find_span(res, pl->dso, pl->addr, &start, &end);
	name = name_text(x, sym);
	after = end_text(x, pl->dso);
	if (!name || !after || name->len > LONGEST_KEPT || after->len > LONGEST_KEPT)
		return NULL;
	/* Where there are no symbols at all it holds for all addresses that there are. */
	start = max_u64(start, pl->addr & ~RANGE_MASK);
	end = min_u64(end - 1, pl->addr | RANGE_MASK);
	if (sym && start - sym->start > UINT32_MAX)
		return NULL;
	memmove(set->way + 1, set->way, (RANGE_WAYS - 1) * sizeof(*set->way));
	set->way[0] = (struct range_text){
		.start = start,
		.name = name->s,
		.size = (uint32_t)(end - start + 1),
		.from = sym ? (uint32_t)(start - sym->start) : 0,
		.dso = pl->dso->idx,
		.len = (uint16_t)name->len,
		.offset = sym && x->form->fields & BIT(SF_SYM) && x->form->fields & BIT(SF_SYMOFF),
		.last = script_stops_at(x->sc, sym),
	};
	return set->way;
}

static inline char *put_padded(char *p, const char *s, size_t len)
{
	memcpy(p, s, TEXT_STEP);
	if (unlikely(len > TEXT_STEP))
		memcpy(p + TEXT_STEP, s + TEXT_STEP, len - TEXT_STEP);
	return p + len;
}

static bool put_of_range(const struct chain_ctx *x, const struct script_place *pl,
			 const struct range_text *r, struct frame_text *t)
{
	const struct script_text *end = &x->form->frames->ends.v[r->dso];
	struct obuf *o = x->sc->o;
	char *start = obuf_room(o, 2 * LONGEST_KEPT + 2 * TEXT_STEP + 64), *p = start;

	if (unlikely(!p))
		return true;
	if (x->form->fields & BIT(SF_IP)) {
		*p++ = '\t';
		p = put_hex16(p, pl->ip);
	}
	p = put_padded(p, r->name, r->len);
	if (r->offset)
		p = put_hex(p, pl->addr - r->start + r->from);
	p = put_padded(p, end->s, end->len);
	o->len += (size_t)(p - start);
	keep_text(t, pl, start, (size_t)(p - start), r->last);
	return r->last;
}

/* ---- any frame ------------------------------------------------------------------------------- */

/*
 * An address that lies in no object. Walks by frame pointers end in such where code keeps none; they seldom come
 * again, and would drive what does out of the tables.
 */
static bool put_lost_frame(const struct chain_ctx *x, struct script_place *pl)
{
	struct lost_text *t = &x->form->frames->lost;
	const bool ip = x->form->fields & BIT(SF_IP);
	const size_t before = ip ? 1 + 16 : 0;
	struct obuf *o = x->sc->o;
	const char *text;
	uint64_t mark;
	size_t len;
	char *p;

	if (likely(t->len)) {
		p = obuf_room(o, 1 + 16 + LOST_TEXT_MAX);
		if (unlikely(!p))
			return true;
		if (ip) {
			*p++ = '\t';
			p = put_hex16(p, pl->ip);
		}
		memcpy(p, t->s, LOST_TEXT_MAX);
		o->len += before + t->len;
		return t->last;
	}
	if (!obuf_room(o, 4096))
		return true;
	mark = obuf_printed(o);
	t->last = put_frame(x->sc, x->form, pl);
	text = obuf_since(o, mark, &len);
	if (text && len > before && len - before <= LOST_TEXT_MAX) {
		t->len = (uint8_t)(len - before);
		memcpy(t->s, text + before, len - before);
	}
	return t->last;
}

/* A frame that this address space has not printed yet, or so long ago that it was forgotten. */
static bool put_frame_of_object(const struct chain_ctx *x, const struct frame *fr,
				struct frame_text *t)
{
	struct script_place pl = { .ip = fr->ip, .addr = fr->ip, .mode = fr->cpumode };
	const struct range_text *r;
	struct range_set *set;
	bool last;

	put_find_map(x->sc, x->th, &pl);
	if (!pl.dso)
		return put_lost_frame(x, &pl);
	set = range_set(x, &pl);
	r = range_find(set, &pl) ?: make_range(x, &pl, set);
	last = r ? put_of_range(x, &pl, r, t) : put_lines(x, &pl, t);
	t->where = frame_where(x, fr);
	return last;
}

static struct frame_texts *texts_new(struct script *sc)
{
	struct frame_texts *t = aligned_alloc(64, sizeof(*t));

	if (t)
		memset(t, 0, sizeof(*t));
	else
		sc->o->code = -ENOMEM;
	return t;
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

	if (!x.form->frames)
		x.form->frames = texts_new(sc);
	if (!x.form->frames)
		return;
	for (ssize_t i = 0; i < n; i++) {
		const struct frame_text *t = text_slot(&x, &frames[i]);

		__builtin_prefetch(t);
		__builtin_prefetch((const char *)t + 64);
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
