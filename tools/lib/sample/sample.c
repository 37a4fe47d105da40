// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The body of a SAMPLE record: first the heads, one word each (checked once, by counting bits of
 * sample_type, and read by code that is written out, because every sample has them), then the parts
 * and words behind them, by a walk over the rows of ATTR_SAMPLE_FIELDS. The walk ends with the last
 * field that somebody wanted: most samples do not even begin it.
 */
#include "sample/sample.h"

#define HEAD_BIT(bit, listed)		  | PERF_SAMPLE_##bit
#define PART_BIT(bit, listed, name)	  | PERF_SAMPLE_##bit
#define WORD_BIT(bit, listed, name, dump) | PERF_SAMPLE_##bit

#define HEADS ((uint64_t)(0 ATTR_SAMPLE_FIELDS(HEAD_BIT, ATTR_NO_PART, ATTR_NO_WORD)))

/* What may follow a branch stack. */
#define AFTER_BRANCHES                                                            \
	((uint64_t)(0 ATTR_SAMPLE_FIELDS(ATTR_NO_HEAD, PART_BIT, WORD_BIT)) &     \
	 ~(uint64_t)(PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | \
		     PERF_SAMPLE_BRANCH_STACK))

/* Where parsing stands: the rest of one record. */
struct parse {
	struct cursor c;
	const struct record *rec;
	const struct perf_event_attr *attr;
	uint64_t todo; /* fields still wanted; parsing ends when none is left */
	struct err *e;
};

static int __attribute__((cold))
fail(const struct parse *p, const char *field, const char *what, uint64_t value)
{
	return err_set(p->e, -EBADMSG, RECORD_FMT ": %s (byte %zu of %u): %s %llu does not fit",
		       RECORD_ARG(p->rec->offset, p->rec->type), field, cursor_pos(&p->c),
		       p->rec->size, what, (unsigned long long)value);
}

static int __attribute__((cold)) cut(const struct parse *p, const char *field)
{
	return err_set(p->e, -EBADMSG, RECORD_FMT ": its %u bytes end inside %s",
		       RECORD_ARG(p->rec->offset, p->rec->type), p->rec->size, field);
}

/* @nr words as an array; false when the record holds fewer. */
static inline bool take_words(struct cursor *c, uint64_t nr, struct u64s *out)
{
	if (unlikely(nr > cursor_left(c) / 8))
		return false;
	*out = (struct u64s){ .p = c->p, .nr = nr, .swap = c->swap };
	c->p += nr * 8;
	return true;
}

/* ---- parts of variable length ------------------------------------------------------------------ */

static int parse_read(struct parse *p, struct sample *s)
{
	struct sample_read *r = &s->read;
	uint64_t format = p->attr->read_format;
	uint64_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	const unsigned char *value = p->c.p;

	*r = (struct sample_read){ .nr = 1, .group = format & PERF_FORMAT_GROUP };
	r->has_id = format & PERF_FORMAT_ID;
	r->has_lost = format & PERF_FORMAT_LOST;
	r->stride = 1 + r->has_id + r->has_lost;
	r->id_at = r->group ? 1 : 1 + (uint32_t)times;
	/* A group: nr, times, nr values with what belongs to each. Alone: value, times, id, lost. */
	if (r->group)
		r->nr = cursor_u64(&p->c);
	else
		cursor_skip(&p->c, 8);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		r->time_enabled = cursor_u64(&p->c);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		r->time_running = cursor_u64(&p->c);
	if (r->group) {
		if (r->nr > cursor_left(&p->c) / 8 / r->stride)
			return fail(p, "READ", "number of values", r->nr);
		take_words(&p->c, r->nr * r->stride, &r->words);
	} else {
		cursor_skip(&p->c, 8ULL * (r->stride - 1));
		r->words = (struct u64s){ value, r->stride + times, p->c.swap };
	}
	return p->c.bad ? cut(p, "READ") : 0;
}

static inline int parse_callchain(struct parse *p, struct sample *s)
{
	uint64_t nr = cursor_u64(&p->c);

	if (unlikely(p->c.bad))
		return cut(p, "CALLCHAIN");
	if (unlikely(!take_words(&p->c, nr, &s->callchain)))
		return fail(p, "CALLCHAIN", "number of entries", nr);
	return 0;
}

static int parse_raw(struct parse *p, struct sample *s)
{
	uint32_t size = cursor_u32(&p->c);

	s->raw = cursor_bytes(&p->c, size);
	if (!s->raw)
		return fail(p, "RAW", "size", size);
	s->raw_size = size;
	return 0;
}

/* What a block has behind the general registers, where it says so. */
static inline int parse_simd(struct parse *p, const char *field, bool user, bool swap,
			     struct sample_regs *r)
{
	const struct perf_event_attr *a = p->attr;
	const unsigned char *meta = cursor_bytes(&p->c, 32);
	uint64_t nr_vec, vec_qwords, nr_pred, pred_qwords;

	r->vec_mask = user ? a->sample_simd_vec_reg_user : a->sample_simd_vec_reg_intr;
	r->pred_mask = user ? a->sample_simd_pred_reg_user : a->sample_simd_pred_reg_intr;
	if (unlikely(!meta))
		return cut(p, field);
	nr_vec = load_u64(meta, swap);
	vec_qwords = load_u64(meta + 8, swap);
	nr_pred = load_u64(meta + 16, swap);
	pred_qwords = load_u64(meta + 24, swap);
	/* Fewer and narrower than asked for is the kernel's right, more is not. The limits are
	 * small (64 and 65535), so the products below cannot overflow. */
	if (unlikely(nr_vec > (uint64_t)weight_low_u64(r->vec_mask)))
		return fail(p, field, "nr_vectors", nr_vec);
	if (unlikely(vec_qwords > a->sample_simd_vec_reg_qwords))
		return fail(p, field, "vector_qwords", vec_qwords);
	if (unlikely(nr_pred > (uint64_t)weight_low_u64(r->pred_mask)))
		return fail(p, field, "nr_pred", nr_pred);
	if (unlikely(pred_qwords > a->sample_simd_pred_reg_qwords))
		return fail(p, field, "pred_qwords", pred_qwords);
	if (unlikely(!take_words(&p->c, nr_vec * vec_qwords, &r->vec) ||
		     !take_words(&p->c, nr_pred * pred_qwords, &r->pred)))
		return cut(p, field);
	r->nr_vectors = (uint32_t)nr_vec;
	r->vector_qwords = (uint32_t)vec_qwords;
	r->nr_pred = (uint32_t)nr_pred;
	r->pred_qwords = (uint32_t)pred_qwords;
	return 0;
}

static inline int parse_regs(struct parse *p, const char *field, bool user, struct sample_regs *r)
{
	const struct perf_event_attr *a = p->attr;

	r->abi = cursor_u64(&p->c);
	if (unlikely(p->c.bad))
		return cut(p, field);
	/* No registers in this sample, and no block after them either. */
	if (r->abi == PERF_SAMPLE_REGS_ABI_NONE)
		return 0;
	r->simd = r->abi & PERF_SAMPLE_REGS_ABI_SIMD || a->sample_simd_regs_enabled;
	r->mask = user ? a->sample_regs_user : a->sample_regs_intr;
	if (unlikely(!take_words(&p->c, (uint64_t)weight_low_u64(r->mask), &r->gpr)))
		return fail(p, field, "number of registers", (uint64_t)weight_u64(r->mask));
	if (!(r->abi & PERF_SAMPLE_REGS_ABI_SIMD))
		return 0;
	return likely(!p->c.swap) ? parse_simd(p, field, user, false, r)
				  : parse_simd(p, field, user, true, r);
}

/* The user's bases and MXCSR, where the file says that RAW holds them and RAW is what it says. */
static void find_in_raw(struct sample *s)
{
	bool bases = s->event->raw_bases, mxcsr = s->event->raw_mxcsr;
	uint64_t size = !mxcsr ? RAW_BASES_SIZE : bases ? RAW_BOTH_SIZE : RAW_MXCSR_SIZE;

	if (!s->user_regs.abi || s->raw_size != size ||
	    load_u32(s->raw, s->swap) != RAW_BASES_VERSION)
		return;
	if (bases)
		s->user_regs.bases = s->raw + 4;
	if (mxcsr)
		s->user_regs.mxcsr = s->raw + size - 8;
}

static int parse_user_regs(struct parse *p, struct sample *s)
{
	int ret = parse_regs(p, "REGS_USER", true, &s->user_regs);

	if (!ret && unlikely(s->event->raw_bases | s->event->raw_mxcsr))
		find_in_raw(s);
	return ret;
}

static int parse_intr_regs(struct parse *p, struct sample *s)
{
	return parse_regs(p, "REGS_INTR", false, &s->intr_regs);
}

static inline bool has_gap(const struct record *rec)
{
	return rec->gap && rec->gap->from < rec->gap->to;
}

/* Bytes were left out of the record, and all of them lie in its stack of @size bytes here: what stands behind it was read. */
static bool has_gap_in(const struct parse *p, uint64_t size)
{
	const struct record_gap *g = p->rec->gap;
	uint64_t at = cursor_pos(&p->c);

	return has_gap(p->rec) && at <= g->from && size <= p->rec->size - at && at + size >= g->to;
}

static int parse_stack(struct parse *p, struct sample *s)
{
	uint64_t size = cursor_u64(&p->c), used;
	const unsigned char *bytes;

	if (p->c.bad)
		return cut(p, "STACK_USER");
	s->stack = p->c.p;
	if (!size)
		return 0;
	if (unlikely(has_gap_in(p, size))) {
		s->gap = p->rec->gap;
		p->c.end = p->rec->data + p->rec->size;
	}
	bytes = cursor_bytes(&p->c, size);
	if (!bytes)
		return fail(p, "STACK_USER", "size", size);
	used = cursor_u64(&p->c);
	if (p->c.bad)
		return cut(p, "STACK_USER");
	if (used > size)
		return fail(p, "STACK_USER", "dynamic size", used);
	s->stack_size = used;
	return 0;
}

static int parse_aux(struct parse *p, struct sample *s)
{
	uint64_t size = cursor_u64(&p->c);

	s->aux = p->c.bad ? NULL : cursor_bytes(&p->c, size);
	if (!s->aux)
		return fail(p, "AUX", "size", size);
	s->aux_size = size;
	return 0;
}

static int parse_word(struct parse *p, const char *field, uint64_t *out)
{
	*out = cursor_u64(&p->c);
	return p->c.bad ? cut(p, field) : 0;
}

static int parse_weight(struct parse *p, struct sample *s)
{
	return parse_word(p, "WEIGHT", &s->weight);
}

/*
 * weight_struct is a u32 and two u16 in one word, declared in opposite order on big-endian
 * machines: as a number it is the same. It takes the place of the other weight.
 */
static int parse_weight_struct(struct parse *p, struct sample *s)
{
	int ret = p->attr->sample_type & PERF_SAMPLE_WEIGHT ? 0 : parse_weight(p, s);

	s->weight_var1 = (uint32_t)s->weight;
	s->weight_var2 = (uint16_t)(s->weight >> 32);
	s->weight_var3 = (uint16_t)(s->weight >> 48);
	return ret;
}

/* ---- the walk ---------------------------------------------------------------------------------- */

static int parse_branches(struct parse *p, struct sample *s);

#define WORD_FUNCTION(bit, listed, name, dump)                     \
	static int parse_##name(struct parse *p, struct sample *s) \
	{                                                          \
		return parse_word(p, #bit, &s->name);              \
	}

ATTR_SAMPLE_FIELDS(ATTR_NO_HEAD, ATTR_NO_PART, WORD_FUNCTION)

#define PART_INDEX(bit, listed, name)	    PART_##bit,
#define WORD_INDEX(bit, listed, name, dump) PART_##bit,
#define PART_ROW(bit, listed, name)	    { PERF_SAMPLE_##bit, parse_##name },
#define WORD_ROW(bit, listed, name, dump)   { PERF_SAMPLE_##bit, parse_##name },

enum { ATTR_SAMPLE_FIELDS(ATTR_NO_HEAD, PART_INDEX, WORD_INDEX) };

static const struct part {
	uint64_t bit;
	int (*parse)(struct parse *p, struct sample *s);
} parts[] = { ATTR_SAMPLE_FIELDS(ATTR_NO_HEAD, PART_ROW, WORD_ROW) };

/* From row @from on, until nothing more is wanted. */
static int parse_parts(struct parse *p, struct sample *s, size_t from)
{
	uint64_t st = p->attr->sample_type;

	for (size_t i = from; i < ARRAY_SIZE(parts); i++) {
		int ret;

		if (!(st & parts[i].bit))
			continue;
		ret = parts[i].parse(p, s);
		if (ret)
			return ret;
		p->todo &= ~parts[i].bit;
		if (!p->todo)
			return 0;
	}
	return 0;
}

/*
 * A kernel that had no branch stack for a sample writes a lone nr = 0, without the hw_idx word
 * that it otherwise puts there. Nothing says which it did, but only one reading ends where the
 * record ends: first with the word, then without.
 */
static int parse_empty_branches(struct parse *p, struct sample *s)
{
	struct parse with = *p, without = *p;
	struct sample other = *s;
	int ret_with, ret_without;

	p->todo = 0;				    /* what follows is read here, all of it */
	with.todo = without.todo = PERF_SAMPLE_MAX; /* never done: only the end can tell */
	with.e = NULL;
	s->branches.hw_idx = cursor_u64(&with.c);
	s->branches.has_hw_idx = true;
	ret_with = with.c.bad ? -EBADMSG : parse_parts(&with, s, PART_BRANCH_STACK + 1);
	if (!ret_with && with.c.p == with.c.end)
		return 0;
	ret_without = parse_parts(&without, &other, PART_BRANCH_STACK + 1);
	if (ret_with || (!ret_without && without.c.p == without.c.end))
		*s = other;
	return ret_with ? ret_without : 0;
}

static int parse_branches(struct parse *p, struct sample *s)
{
	uint64_t type = p->attr->branch_sample_type, st = p->attr->sample_type;
	struct sample_branches *b = &s->branches;
	uint64_t nr = cursor_u64(&p->c);

	*b = (struct sample_branches){ .hw_idx = UINT64_MAX, .swap = p->c.swap };
	if (p->c.bad)
		return cut(p, "BRANCH_STACK");
	if (!nr && type & PERF_SAMPLE_BRANCH_HW_INDEX) {
		if (st & AFTER_BRANCHES && !(p->todo & AFTER_BRANCHES))
			return 0;
		return parse_empty_branches(p, s);
	}
	if (type & PERF_SAMPLE_BRANCH_HW_INDEX) {
		b->hw_idx = cursor_u64(&p->c);
		b->has_hw_idx = true;
	}
	if (nr > cursor_left(&p->c) / BRANCH_ENTRY_SIZE)
		return fail(p, "BRANCH_STACK", "number of entries", nr);
	b->entries = cursor_bytes(&p->c, nr * BRANCH_ENTRY_SIZE);
	if (!b->entries)
		return cut(p, "BRANCH_STACK");
	b->nr = nr;
	if ((type & PERF_SAMPLE_BRANCH_COUNTERS || p->rec->event->branch_counters) &&
	    !take_words(&p->c, nr, &b->counters))
		return fail(p, "BRANCH_STACK", "number of counters", nr);
	return 0;
}

/* ---- the heads -------------------------------------------------------------------------------------- */

static inline void load_words(const unsigned char *p, uint64_t st, bool swap, struct sample *s)
{
	if (st & PERF_SAMPLE_IDENTIFIER)
		s->id = load_u64(p, swap), p += 8;
	if (st & PERF_SAMPLE_IP)
		s->ip = load_u64(p, swap), p += 8;
	if (st & PERF_SAMPLE_TID) {
		s->pid = load_u32(p, swap);
		s->tid = load_u32(p + 4, swap);
		p += 8;
	}
	if (st & PERF_SAMPLE_TIME)
		s->time = load_u64(p, swap), p += 8;
	if (likely(!(st & (PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
			   PERF_SAMPLE_CPU))))
		goto period;
	if (st & PERF_SAMPLE_ADDR)
		s->addr = load_u64(p, swap), p += 8;
	if (st & PERF_SAMPLE_ID)
		s->id = load_u64(p, swap), p += 8;
	if (st & PERF_SAMPLE_STREAM_ID)
		s->stream_id = load_u64(p, swap), p += 8;
	if (st & PERF_SAMPLE_CPU)
		s->cpu = load_u32(p, swap), p += 8;
period:
	if (st & PERF_SAMPLE_PERIOD)
		s->period = load_u64(p, swap);
}

static int __attribute__((cold)) no_event(const struct record *rec, struct err *e)
{
	return err_set(e, -EINVAL, RECORD_FMT " belongs to no known event",
		       RECORD_ARG(rec->offset, rec->type));
}

/*
 * Half of the time a small sample takes. The size is hidden from the compiler, which would store
 * it with "rep stos" where the library uses wide vectors.
 */
static inline void clear(struct sample *s)
{
	size_t size = sizeof(*s);

	__asm__("" : "+r"(size));
	memset(s, 0, size);
}

static inline int parse_some(const struct record *rec, uint64_t need, struct sample *s,
			     struct err *e)
{
	struct parse p = { .rec = rec, .e = e };
	uint64_t st, words;

	if (unlikely(!rec->event))
		return no_event(rec, e);
	p.attr = &rec->event->attr;
	st = p.attr->sample_type;
	words = 8 * (uint64_t)weight_u64(st & HEADS);

	clear(s);
	s->event = rec->event;
	s->misc = rec->misc;
	s->cpumode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	s->swap = rec->swap;
	s->pid = s->tid = s->cpu = UINT32_MAX;
	s->time = s->id = s->stream_id = UINT64_MAX;
	s->period = p.attr->sample_period;

	p.c = cursor_init(rec->data, has_gap(rec) ? rec->gap->from : rec->size, rec->swap);
	if (unlikely(rec->size < 8 + words))
		return cut(&p, "its fixed fields");
	p.c.p += 8 + words;
	if (likely(!rec->swap))
		load_words(rec->data + 8, st, false, s);
	else
		load_words(rec->data + 8, st, true, s);

	p.todo = need & st & ~HEADS;
	s->present = st & (need | HEADS);
	if (!p.todo)
		return 0;
	if (p.todo == PERF_SAMPLE_CALLCHAIN && !(st & PERF_SAMPLE_READ))
		return parse_callchain(&p, s);
	/* Nothing else stands behind the heads. */
	if ((st & ~HEADS) == PERF_SAMPLE_REGS_INTR)
		return parse_intr_regs(&p, s);
	return parse_parts(&p, s, 0);
}

/*
 * Up to the gap all is there, and so is what stands behind a stack that has the gap in it. What does not come
 * out that way (a call chain of hundreds, a broken sample) is read once more with all its bytes, for the answer or the error.
 */
static int parse_any(const struct record *rec, uint64_t need, struct sample *s, struct err *e)
{
	if (unlikely(has_gap(rec))) {
		if (!parse_some(rec, need, s, NULL))
			return 0;
		perfdata_fill(rec->gap);
	}
	return parse_some(rec, need, s, e);
}

int sample_parse(const struct record *rec, struct sample *s, struct err *e)
{
	return parse_any(rec, UINT64_MAX, s, e);
}

int sample_parse_some(const struct record *rec, uint64_t need, struct sample *s, struct err *e)
{
	return parse_any(rec, need, s, e);
}

/* ---- one after the other ---------------------------------------------------------------------- */

static uint32_t offset_of(const struct record *rec, const struct u64s *a)
{
	return (uint32_t)(a->p - rec->data);
}

/* Whether the sample after this one can be read by it. */
static void note_series(struct sample_series *n, const struct record *rec, uint64_t need)
{
	const struct sample_regs *r = &n->s.intr_regs;

	n->event = NULL;
	n->size = rec->size;
	n->need = need;
	if ((rec->event->attr.sample_type & ~HEADS) != PERF_SAMPLE_REGS_INTR ||
	    !(r->abi & PERF_SAMPLE_REGS_ABI_SIMD) || rec->swap)
		return;
	n->event = rec->event;
	n->gpr = offset_of(rec, &r->gpr);
	n->vec = offset_of(rec, &r->vec);
	n->pred = offset_of(rec, &r->pred);
}

/* Its registers are as many and as wide: then all of it lies where it did in the last one. */
static inline bool is_alike(const struct sample_series *n, const struct record *rec)
{
	const struct sample_regs *r = &n->s.intr_regs;
	const unsigned char *meta = rec->data + n->vec - 32;

	return load_u64(rec->data + n->gpr - 8, false) == r->abi &&
	       load_u64(meta, false) == r->nr_vectors &&
	       load_u64(meta + 8, false) == r->vector_qwords &&
	       load_u64(meta + 16, false) == r->nr_pred &&
	       load_u64(meta + 24, false) == r->pred_qwords;
}

int sample_parse_next(struct sample_series *n, const struct record *rec, uint64_t need,
		      struct err *e)
{
	struct sample *s = &n->s;
	int ret;

	if (likely(rec->event && rec->event == n->event && rec->size == n->size &&
		   need == n->need && !rec->swap && is_alike(n, rec))) {
		s->misc = rec->misc;
		s->cpumode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;
		/* Who read the last one may have scaled it. */
		s->period = rec->event->attr.sample_period;
		load_words(rec->data + 8, rec->event->attr.sample_type, false, s);
		s->intr_regs.gpr.p = rec->data + n->gpr;
		s->intr_regs.vec.p = rec->data + n->vec;
		s->intr_regs.pred.p = rec->data + n->pred;
		return 0;
	}
	n->event = NULL;
	ret = parse_any(rec, need, s, e);
	if (!ret)
		note_series(n, rec, need);
	return ret;
}

/* ---- accessors ---------------------------------------------------------------------------------------- */

void sample_read_value(const struct sample_read *r, uint64_t i, struct sample_value *out)
{
	uint64_t at = i * r->stride;

	*out = (struct sample_value){ .value = u64s_get(&r->words, at), .id = UINT64_MAX };
	at += r->id_at;
	if (r->has_id)
		out->id = u64s_get(&r->words, at++);
	if (r->has_lost)
		out->lost = u64s_get(&r->words, at);
}

const struct sample_regs *sample_legacy_vectors(const struct sample_regs *r, enum regs_arch arch,
						struct sample_regs *tmp)
{
	uint64_t halves = regs_legacy_vectors(arch, r->mask, false);

	if (!r->abi || !halves)
		return r;
	*tmp = *r;
	/* The highest bits of the mask: their words are the last ones, low half first. */
	tmp->vector_qwords = 2;
	tmp->nr_vectors = (uint32_t)weight_u64(halves);
	tmp->vec_mask = halves;
	tmp->vec.nr = 2ULL * tmp->nr_vectors;
	tmp->vec.p = r->gpr.p + 8 * (r->gpr.nr - tmp->vec.nr);
	tmp->vec.swap = r->gpr.swap;
	return tmp;
}

bool sample_reg(const struct sample_regs *r, unsigned reg, uint64_t *value)
{
	uint64_t i;

	if (reg > 63 || !(r->mask & BIT(reg)))
		return false;
	i = (uint64_t)weight_u64(r->mask & (BIT(reg) - 1));
	if (i >= r->gpr.nr)
		return false;
	*value = u64s_get(&r->gpr, i);
	return true;
}
