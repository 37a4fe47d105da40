// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Values and how often each came. They are logged as they come, and the log is sorted when it is full: most rows of a
 * report have few samples, and nothing is looked for in these. What came more than once goes to a list with counts; the
 * rest stays in the log, half as large. Short values, of one byte, are all kept: there are no more than 256 of them, and sizes,
 * counts and truth values are among them. Of long ones up to TALLY_EXACT different ones are kept. Where nothing
 * comes twice it is these that take memory, in each row; more of them would be kept for nothing. With more
 * there is no room for all of them, but one may still be most of what came; so they become a sketch.
 *
 * A sketch has buckets, and a value is scrambled into a word whose first bits choose one. A bucket counts what
 * came to it, and for each bit of the word how often it was set. Where one value is most of its bucket
 * each bit's majority is that of its word, and scrambling can be undone: there it is. Any other value differs from it in half
 * of the bits or so, since they are scrambled: so the sum of the minorities tells how many others there were.
 *
 * All of this is adding. What sketches of parts give is what one of the whole would, whatever came first, and long values
 * can become a sketch at any time. Sketches that find by leaving out what came rarely (Misra-Gries, space-saving) are
 * smaller, but what they find depends on the order, and reports would differ with the number of threads. So would
 * they if it were for values that repeat to stay exact: those that came once here may come again in another part.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/tables.h"
#include "tally-int.h"

#define BUCKET_BITS 3
#define BUCKETS	    (1U << BUCKET_BITS)
#define WORD_BITS   (64 - BUCKET_BITS) /* that a bucket does not tell */
#define WORTH	    32		       /* of what a sketch finds: at least one in so many */

/*
 * Counters lie across: bit i of a word of plane p is bit p of the counter of bit i, and a plane has a word for each bucket, so
 * that a cache line makes all counters twice as wide, and there are as many as the largest one needs. The bits that the bucket
 * tells need no counter; in place of the first of them each word has one that is always set: how many words came.
 */
#define ALWAYS WORD_BITS

#define MIX_1	0x9e3779b97f4a7c15ULL
#define UNMIX_1 0xf1de83e19937733dULL /* MIX_1 * UNMIX_1 == 1 */
#define MIX_2	0xd6e8feb86659fd93ULL
#define UNMIX_2 0xcfee444d8b59a89bULL

static uint64_t scramble(uint64_t v)
{
	v = (v ^ v >> 32) * MIX_1;
	v = (v ^ v >> 32) * MIX_2;
	return v ^ v >> 32;
}

static uint64_t unscramble(uint64_t v)
{
	v = (v ^ v >> 32) * UNMIX_2;
	v = (v ^ v >> 32) * UNMIX_1;
	return v ^ v >> 32;
}

/* ---- the sketch ------------------------------------------------------------------------------ */

static uint64_t times_set(const uint64_t *plane, unsigned nr_planes, unsigned bucket, unsigned bit)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < nr_planes; i++)
		n |= (plane[i * BUCKETS + bucket] >> bit & 1) << i;
	return n;
}

/* So that counters can be as large as @n. */
static int set_planes(struct tally *t, uint64_t n)
{
	unsigned nr = n ? 64 - (unsigned)__builtin_clzll(n) : 1;
	uint64_t *plane;

	if (nr <= t->nr_planes)
		return 0;
	plane = realloc(t->plane, nr * BUCKETS * sizeof(*plane));
	if (!plane)
		return -ENOMEM;
	memset(plane + t->nr_planes * BUCKETS, 0, (nr - t->nr_planes) * BUCKETS * sizeof(*plane));
	t->plane = plane;
	t->nr_planes = nr;
	return 0;
}

/*
 * @word to the counters of one bucket, whose first plane is at @plane: as many times as that one stands for. What there is no
 * plane for.
 */
static inline uint64_t add_word(uint64_t *plane, unsigned nr_planes, uint64_t word)
{
	const uint64_t *end = plane + nr_planes * BUCKETS;

	for (; plane != end; plane += BUCKETS) {
		uint64_t was = *plane;

		*plane = was ^ word;
		word &= was;
	}
	return word;
}

static unsigned bucket_of(uint64_t *word)
{
	unsigned bucket = (unsigned)(*word >> WORD_BITS);

	*word = (*word & (BIT(WORD_BITS) - 1)) | BIT(ALWAYS);
	return bucket;
}

static int sketch_add(struct tally *t, uint64_t value)
{
	uint64_t word = scramble(value);
	unsigned bucket = bucket_of(&word);

	word = add_word(t->plane + bucket, t->nr_planes, word);
	if (likely(!word))
		return 0;
	if (set_planes(t, BIT(t->nr_planes)) || !t->plane)
		return -ENOMEM;
	t->plane[(t->nr_planes - 1) * BUCKETS + bucket] = word;
	return 0;
}

static int sketch_add_times(struct tally *t, uint64_t value, uint64_t nr)
{
	uint64_t word = scramble(value);
	unsigned bucket = bucket_of(&word);

	if (set_planes(t, times_set(t->plane, t->nr_planes, bucket, ALWAYS) + nr))
		return -ENOMEM;
	for (unsigned i = 0; i < t->nr_planes; i++)
		if (nr >> i & 1)
			add_word(t->plane + i * BUCKETS + bucket, t->nr_planes - i, word);
	return 0;
}

static int sketch_merge(struct tally *t, const struct tally *from)
{
	uint64_t most = 0, carry[BUCKETS] = { 0 };

	for (unsigned i = 0; i < BUCKETS; i++) {
		uint64_t n = times_set(t->plane, t->nr_planes, i, ALWAYS) +
			     times_set(from->plane, from->nr_planes, i, ALWAYS);

		most = n > most ? n : most;
	}
	if (set_planes(t, most))
		return -ENOMEM;
	for (unsigned i = 0; i < t->nr_planes * BUCKETS; i++) {
		uint64_t a = t->plane[i], b = i < from->nr_planes * BUCKETS ? from->plane[i] : 0;
		uint64_t *c = &carry[i % BUCKETS];

		t->plane[i] = a ^ b ^ *c;
		*c = (a & b) | (*c & (a ^ b));
	}
	return 0;
}

/* Bits whose counters are above @n: the first plane from above in which one differs from @n tells. */
static uint64_t set_more_than(const struct tally *t, unsigned bucket, uint64_t n)
{
	uint64_t more = 0, equal = UINT64_MAX;

	for (unsigned i = t->nr_planes; i-- > 0;) {
		uint64_t is = t->plane[i * BUCKETS + bucket], wanted = -(n >> i & 1);

		more |= equal & is & ~wanted;
		equal &= ~(is ^ wanted);
	}
	return more;
}

/* The value that most of bucket @nr is. False: there is none. */
static bool bucket_value(const struct tally *t, unsigned nr, struct counted *out)
{
	uint64_t all = times_set(t->plane, t->nr_planes, nr, ALWAYS), told = BIT(WORD_BITS) - 1;
	uint64_t word = set_more_than(t, nr, all / 2) & told, others;

	/* The minorities: what is not set of those that most often are, and what is of the rest. */
	others = all * (unsigned)weight_u64(word);
	for (unsigned i = 0; i < t->nr_planes; i++) {
		uint64_t is = t->plane[i * BUCKETS + nr] & told;

		others += (uint64_t)weight_u64(is & ~word) << i;
		others -= (uint64_t)weight_u64(is & word) << i;
	}
	/* Each of them differs in half of the bits that the bucket does not tell. */
	others = (others + WORD_BITS / 4) / (WORD_BITS / 2);
	out->value = unscramble(word | (uint64_t)nr << WORD_BITS);
	out->nr = all - min_u64(all, others);
	return out->nr * 2 > all;
}

/* ---- the list -------------------------------------------------------------------------------- */

/*
 * The log grows to LOG_SHORT, and by LOG_STEP from then on, sorted each time: what is in it came once, and what comes to it is
 * new or comes for the second time, so there is an end of that.
 */
#define LOG_FIRST 8
#define LOG_STEP  8
#define LOG_SHORT 32
#define KEPT_MAX  (TALLY_SHORT + TALLY_EXACT)
#define LOG_MAX	  (KEPT_MAX + LOG_SHORT)
#define LOG_POWER 512 /* the power of two from there on */

/* Room for two lists with their logs. */
struct sorted {
	struct counted v[2 * (KEPT_MAX + LOG_MAX)];
	uint32_t n;
};

static void put_sorted(struct sorted *out, uint64_t value, uint64_t nr)
{
	if (!out->n || out->v[out->n - 1].value != value)
		out->v[out->n++] = (struct counted){ value, 0 };
	out->v[out->n - 1].nr += nr;
}

/*
 * Two runs of @len ascending words become one, from both ends at once: neither run can be over before all are taken. Most
 * values are as good as random, so nothing here is a branch that could be guessed wrong.
 */
static inline void merge_runs(const uint64_t *in, uint32_t len, uint64_t *out)
{
	const uint64_t *a = in, *b = in + len, *a_end = b - 1, *b_end = b + len - 1;

	for (uint32_t i = 0; i < len; i++) {
		uint64_t low = *a, other_low = *b, high = *a_end, other_high = *b_end;
		size_t second = other_low < low, first = other_high < high;

		out[i] = second ? other_low : low;
		out[2 * len - 1 - i] = first ? high : other_high;
		b += second;
		a += 1 - second;
		a_end -= first;
		b_end -= 1 - first;
	}
}

/* @nr words at @v ascend; there is room for the next power of two, up to LOG_POWER. */
static void sort_words(uint64_t *v, uint32_t nr)
{
	uint64_t other[LOG_POWER], *from = v, *to = other, *swap;
	uint32_t all = 1;

	while (all < nr)
		all *= 2;
	memset(v + nr, 0xff, (all - nr) * sizeof(*v));
	for (uint32_t len = 1; len < all; len *= 2) {
		for (uint32_t i = 0; i < all; i += 2 * len)
			merge_runs(from + i, len, to + i);
		swap = from;
		from = to;
		to = swap;
	}
	if (from != v)
		memcpy(v, from, nr * sizeof(*v));
}

/* @n values, the first @sorted of them ascending: all of them. */
static void sort_log(uint64_t *log, uint32_t sorted, uint32_t n)
{
	uint64_t fresh[LOG_POWER];
	uint32_t nr = n - sorted;

	if (!nr)
		return;
	memcpy(fresh, log + sorted, nr * sizeof(*fresh));
	sort_words(fresh, nr);
	while (nr && sorted) {
		bool old = log[sorted - 1] > fresh[nr - 1];

		log[--n] = old ? log[sorted - 1] : fresh[nr - 1];
		sorted -= old;
		nr -= !old;
	}
	memcpy(log, fresh, nr * sizeof(*fresh));
}

static bool all_different(const uint64_t *v, uint32_t n)
{
	bool same = false;

	for (uint32_t i = 1; i < n; i++)
		same |= v[i] == v[i - 1];
	return !same;
}

/* List and log of @t. */
static void sort(const struct tally *t, struct sorted *out)
{
	uint64_t log[LOG_MAX];
	uint32_t i = 0, k = 0;

	out->n = 0;
	if (t->nr_log) {
		memcpy(log, t->log, t->nr_log * sizeof(*log));
		sort_log(log, t->nr_once, t->nr_log);
	}
	while (i < t->nr_list || k < t->nr_log) {
		if (k == t->nr_log || (i < t->nr_list && t->list[i].value <= log[k])) {
			put_sorted(out, t->list[i].value, t->list[i].nr);
			i++;
		} else {
			put_sorted(out, log[k++], 1);
		}
	}
}

static void join(const struct sorted *a, const struct sorted *b, struct sorted *out)
{
	uint32_t i = 0, k = 0;

	out->n = 0;
	while (i < a->n || k < b->n) {
		bool first = k == b->n || (i < a->n && a->v[i].value <= b->v[k].value);
		const struct counted *c = first ? &a->v[i++] : &b->v[k++];

		put_sorted(out, c->value, c->nr);
	}
}

static int set_log(struct tally *t, uint32_t cap)
{
	uint64_t *log = realloc(t->log, cap * sizeof(*log));

	if (!log)
		return -ENOMEM;
	t->log = log;
	t->log_cap = cap;
	return 0;
}

/* Room for @once values in the log and for @more in the list. */
static int room_for(struct tally *t, uint32_t once, uint32_t more)
{
	struct counted *list;

	if (once > t->log_cap && set_log(t, once))
		return -ENOMEM;
	if (more <= t->nr_list)
		return 0;
	list = realloc(t->list, more * sizeof(*list));
	if (!list)
		return -ENOMEM;
	t->list = list;
	return 0;
}

static uint32_t nr_short(const struct sorted *s)
{
	uint32_t n = 0;

	while (n < s->n && s->v[n].value < TALLY_SHORT)
		n++;
	return n;
}

/* The long values of @s, those from @first on, go to the sketch. */
static int put_long(struct tally *t, struct sorted *s, uint32_t first)
{
	/* Nobody needs room for them any more. */
	free(t->log);
	free(t->list);
	t->log = NULL;
	t->list = NULL;
	t->nr_log = t->nr_once = t->log_cap = t->nr_list = t->last = 0;
	/* As many as most sketches need, at once. */
	if (set_planes(t, TALLY_EXACT / 2 - 1))
		return -ENOMEM;
	for (uint32_t i = first; i < s->n; i++)
		if (s->v[i].nr == 1 ? sketch_add(t, s->v[i].value)
				    : sketch_add_times(t, s->v[i].value, s->v[i].nr))
			return -ENOMEM;
	s->n = first;
	return 0;
}

/* @t's values are @s from now on, and what is in its sketch. */
static int set_values(struct tally *t, struct sorted *s)
{
	uint32_t once = 0, first = nr_short(s);

	if (s->n > first && (t->nr_planes || s->n - first > TALLY_EXACT) && put_long(t, s, first))
		return -ENOMEM;
	for (uint32_t i = 0; i < s->n; i++)
		once += s->v[i].nr == 1;
	if (room_for(t, once, s->n - once))
		return -ENOMEM;
	t->nr_log = t->nr_list = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		if (s->v[i].nr == 1)
			t->log[t->nr_log++] = s->v[i].value;
		else
			t->list[t->nr_list++] = s->v[i];
	}
	t->nr_once = t->nr_log;
	return 0;
}

/* What is in the log and the list gets its place there. */
static int settle(struct tally *t)
{
	struct sorted s;

	if (!t->nr_list && t->nr_log <= TALLY_EXACT) {
		sort_log(t->log, t->nr_once, t->nr_log);
		if (all_different(t->log, t->nr_log)) {
			t->nr_once = t->nr_log;
			return 0;
		}
	}
	sort(t, &s);
	return set_values(t, &s);
}

/* The log is full. Where what was in it became a sketch there is none from then on. */
static int make_room(struct tally *t)
{
	if (t->log_cap < LOG_SHORT)
		return set_log(t, t->log_cap ? t->log_cap * 2 : LOG_FIRST);
	if (settle(t))
		return -ENOMEM;
	if (!t->log_cap || t->log_cap - t->nr_log >= LOG_STEP)
		return 0;
	return set_log(t, t->nr_log + LOG_STEP);
}

/* Where values are listed most often the same comes again, or one of few. */
static bool is_listed(struct tally *t, uint64_t value)
{
	uint32_t lo = 0, hi = t->nr_list;

	if (t->last < hi && t->list[t->last].value == value)
		return true;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (t->list[mid].value < value)
			lo = mid + 1;
		else
			hi = mid;
	}
	t->last = lo;
	return lo < t->nr_list && t->list[lo].value == value;
}

/* ---- both ------------------------------------------------------------------------------------ */

static int add(struct tally *t, uint64_t value)
{
	if (t->nr_planes && value >= TALLY_SHORT)
		return sketch_add(t, value);
	if (t->nr_list && is_listed(t, value)) {
		t->list[t->last].nr++;
		return 0;
	}
	while (t->nr_log == t->log_cap) {
		if (make_room(t))
			return -ENOMEM;
		if (t->nr_planes && value >= TALLY_SHORT)
			return sketch_add(t, value);
	}
	t->log[t->nr_log++] = value;
	return 0;
}

int keys_tally_add(struct tally *t, uint64_t value)
{
	if (add(t, value))
		return -ENOMEM;
	t->nr++;
	return 0;
}

void keys_tally_soon(const struct tally *t)
{
	/* Any of the buckets, or the end of the log. */
	for (unsigned i = 0; i < t->nr_planes; i++)
		__builtin_prefetch(t->plane + i * BUCKETS, 1);
	if (t->log)
		__builtin_prefetch(&t->log[t->nr_log], 1);
}

int keys_tally_merge(struct tally *t, const struct tally *from)
{
	struct sorted a, b, both;

	t->nr += from->nr;
	if (from->nr_planes && sketch_merge(t, from))
		return -ENOMEM;
	sort(t, &a);
	sort(from, &b);
	join(&a, &b, &both);
	return set_values(t, &both);
}

void keys_tally_free(struct tally *t)
{
	free(t->log);
	free(t->list);
	free(t->plane);
	*t = (struct tally){ 0 };
}

/* ---- what came most -------------------------------------------------------------------------- */

static bool is_before(const struct counted *a, const struct counted *b)
{
	return a->nr != b->nr ? a->nr > b->nr : a->value < b->value;
}

static void put_top(struct tally_top *top, unsigned max, const struct counted *c)
{
	unsigned i;

	if (top->nr == max && !is_before(c, &top->v[max - 1]))
		return;
	if (top->nr < max)
		top->nr++;
	for (i = top->nr - 1; i && is_before(c, &top->v[i - 1]); i--)
		top->v[i] = top->v[i - 1];
	top->v[i] = *c;
}

/* Nothing came since it was sorted: of what came once the least values stand first. */
static void top_of_sorted(const struct tally *t, struct tally_top *top, unsigned max)
{
	top->nr = 0;
	top->distinct = t->nr_list + t->nr_log;
	for (uint32_t i = 0; i < t->nr_list; i++)
		put_top(top, max, &t->list[i]);
	for (uint32_t i = 0; i < t->nr_log && top->nr < max; i++)
		top->v[top->nr++] = (struct counted){ t->log[i], 1 };
}

/* Of those in @s that are much of the whole, and of what the sketch finds. */
static void top_of_sketch(const struct tally *t, const struct sorted *s, struct tally_top *top,
			  unsigned max)
{
	struct counted c;

	for (uint32_t i = 0; i < s->n; i++)
		if (s->v[i].nr * WORTH >= t->nr)
			put_top(top, max, &s->v[i]);
	for (unsigned i = 0; i < BUCKETS; i++)
		if (bucket_value(t, i, &c) && c.nr * WORTH >= t->nr)
			put_top(top, max, &c);
}

unsigned keys_tally_distinct(const struct tally *t)
{
	struct tally_top top;

	if (t->nr_planes)
		return 0;
	keys_tally_top(t, &top, 1);
	return top.distinct;
}

void keys_tally_top(const struct tally *t, struct tally_top *top, unsigned max)
{
	struct tally few = { .nr = t->nr };
	struct sorted s;
	uint32_t first;

	max = (unsigned)min_u64(max ?: 1, TALLY_TOPS);
	if (!t->nr_planes && t->nr_once == t->nr_log) {
		top_of_sorted(t, top, max);
		return;
	}
	top->nr = top->distinct = 0;
	sort(t, &s);
	first = nr_short(&s);
	if (t->nr_planes) {
		top_of_sketch(t, &s, top, max);
	} else if (s.n - first > TALLY_EXACT) {
		/* List and log have too many together, and no sketch was made of them yet. */
		if (!put_long(&few, &s, first))
			top_of_sketch(&few, &s, top, max);
		keys_tally_free(&few);
	} else {
		top->distinct = s.n;
		for (uint32_t i = 0; i < s.n; i++)
			put_top(top, max, &s.v[i]);
	}
}
