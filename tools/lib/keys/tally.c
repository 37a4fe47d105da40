// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Values and how often each came. They are logged as they come, and the log is sorted when it is full: most rows of a
 * report have few samples, and nothing is looked for in these. What came more than once goes to a list with counts; the
 * rest stays in the log, half as large. Up to TALLY_EXACT different values are kept. With more there is no room for all of
 * them, but one may still be most of what came; so list and log become a sketch, whose size is fixed.
 *
 * A sketch has buckets, and a value is scrambled into a word whose first bits choose one. A bucket counts what
 * came to it, and for each bit of the word how often it was set. Where one value is most of its bucket
 * each bit's majority is that of its word, and scrambling can be undone: there it is. Any other value differs from it in half
 * of the bits or so, since they are scrambled: so the sum of the minorities tells how many others there were.
 *
 * All of this is adding. What sketches of parts give is what one of the whole would, whatever came first, and a list
 * can become a sketch at any time. Sketches that find by leaving out what came rarely (Misra-Gries, space-saving) are
 * smaller, but what they find depends on the order, and reports would differ with the number of threads.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "tally-int.h"

#define BUCKET_BITS 3
#define BUCKETS	    (1U << BUCKET_BITS)
#define WORD_BITS   (64 - BUCKET_BITS) /* that a bucket does not tell */
#define WORTH	    32		       /* of what a sketch finds: at least one in so many */

/*
 * How often bit i was set is set[i] and what byte i / 8 of late[i % 8] says: one value comes after the other, and so is
 * added to eight counters at a time, which are one cache line. The bits that the bucket tells need no counter; in
 * place of the first of them each word has one that is always set: how many words came.
 */
struct bucket {
	_Alignas(64) uint64_t late[8];
	uint32_t set[WORD_BITS + 1];
};

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

/* Counters have 32 bits. When more has come nothing is found. */
static bool is_full(const struct tally *t)
{
	return t->nr > UINT32_MAX;
}

static uint32_t late_of(const struct bucket *b, unsigned bit)
{
	return (uint32_t)(b->late[bit % 8] >> bit / 8 * 8 & 255);
}

static uint32_t times_set(const struct bucket *b, unsigned bit)
{
	return b->set[bit] + late_of(b, bit);
}

static void end_late(struct bucket *b)
{
	for (unsigned i = 0; i <= ALWAYS; i++)
		b->set[i] = times_set(b, i);
	memset(b->late, 0, sizeof(b->late));
}

static struct bucket *sketch_new(void)
{
	struct bucket *b = aligned_alloc(_Alignof(struct bucket), BUCKETS * sizeof(*b));

	return b ? memset(b, 0, BUCKETS * sizeof(*b)) : NULL;
}

static void sketch_add(struct bucket *sketch, uint64_t value, uint64_t nr)
{
	uint64_t word = scramble(value);
	struct bucket *b = &sketch[word >> WORD_BITS];

	word = (word & (BIT(WORD_BITS) - 1)) | BIT(ALWAYS);
	if (nr == 1) {
		for (unsigned i = 0; i < 8; i++)
			b->late[i] += word >> i & 0x0101010101010101ULL;
		if (late_of(b, ALWAYS) == 255)
			end_late(b);
		return;
	}
	for (unsigned i = 0; i <= ALWAYS; i++)
		b->set[i] += (uint32_t)nr & -(uint32_t)(word >> i & 1);
}

static void bucket_merge(struct bucket *b, const struct bucket *from)
{
	for (unsigned i = 0; i <= ALWAYS; i++)
		b->set[i] += times_set(from, i);
}

/* The value that most of bucket @nr is. False: there is none. */
static bool bucket_value(const struct bucket *sketch, unsigned nr, struct counted *out)
{
	const struct bucket *b = &sketch[nr];
	uint64_t word = (uint64_t)nr << WORD_BITS, all = times_set(b, ALWAYS), others = 0;

	for (unsigned i = 0; i < WORD_BITS; i++) {
		uint64_t set = times_set(b, i);

		if (set > all - set)
			word |= BIT(i);
		others += min_u64(set, all - set);
	}
	/* Each of them differs in half of the bits that the bucket does not tell. */
	others = (others + WORD_BITS / 4) / (WORD_BITS / 2);
	out->value = unscramble(word);
	out->nr = all - min_u64(all, others);
	return out->nr * 2 > all;
}

/* ---- the list -------------------------------------------------------------------------------- */

/*
 * It grows to LOG_SHORT, and by so much from then on. It is sorted when there are at least as many new ones as came
 * once before, or it is full.
 */
#define LOG_FIRST 4
#define LOG_SHORT 32
#define LOG_MAX	  (TALLY_EXACT + LOG_SHORT)
#define LOG_POWER 512 /* the power of two from there on */

/* Room for two lists with their logs. */
struct sorted {
	struct counted v[2 * (TALLY_EXACT + LOG_MAX)];
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

static void forget_values(struct tally *t)
{
	free(t->log);
	free(t->list);
	t->log = NULL;
	t->list = NULL;
	t->nr_log = t->nr_once = t->log_cap = t->nr_list = t->last = 0;
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

/* Room for @once values in the log and for the others of @s in the list. */
static int room_for(struct tally *t, uint32_t once, const struct sorted *s)
{
	struct counted *list;

	if (once > t->log_cap && set_log(t, once))
		return -ENOMEM;
	if (s->n - once <= t->nr_list)
		return 0;
	list = realloc(t->list, (s->n - once) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	t->list = list;
	return 0;
}

/* @t's values are @s from now on. */
static int set_values(struct tally *t, const struct sorted *s)
{
	uint32_t once = 0;

	if (s->n > TALLY_EXACT) {
		t->sketch = sketch_new();
		for (uint32_t i = 0; t->sketch && i < s->n; i++)
			sketch_add(t->sketch, s->v[i].value, s->v[i].nr);
		forget_values(t);
		return t->sketch ? 0 : -ENOMEM;
	}
	for (uint32_t i = 0; i < s->n; i++)
		once += s->v[i].nr == 1;
	if (room_for(t, once, s))
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

/* The log is full. */
static int make_room(struct tally *t)
{
	uint32_t fresh = t->nr_log - t->nr_once;

	if (t->log_cap < LOG_SHORT)
		return set_log(t, t->log_cap ? t->log_cap * 2 : LOG_FIRST);
	if ((fresh >= t->nr_once || t->nr_log == LOG_MAX) && settle(t))
		return -ENOMEM;
	if (t->sketch || t->log_cap - t->nr_log >= LOG_SHORT)
		return 0;
	return set_log(t, (uint32_t)min_u64(t->nr_log + LOG_SHORT, LOG_MAX));
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

int keys_tally_add(struct tally *t, uint64_t value)
{
	t->nr++;
	if (t->nr_list && is_listed(t, value)) {
		t->list[t->last].nr++;
		return 0;
	}
	if (!t->sketch && t->nr_log == t->log_cap && make_room(t)) {
		t->nr--;
		return -ENOMEM;
	}
	if (t->sketch)
		sketch_add(t->sketch, value, 1);
	else
		t->log[t->nr_log++] = value;
	return 0;
}

void keys_tally_soon(const struct tally *t)
{
	/* Any of the buckets, or the end of the log. */
	for (unsigned i = 0; t->sketch && i < BUCKETS; i++)
		__builtin_prefetch(t->sketch[i].late, 1);
	if (t->log)
		__builtin_prefetch(&t->log[t->nr_log], 1);
}

int keys_tally_merge(struct tally *t, const struct tally *from)
{
	struct sorted a, b, both;

	t->nr += from->nr;
	if (t->sketch || from->sketch) {
		sort(t->sketch ? from : t, &a);
		if (!t->sketch)
			t->sketch = sketch_new();
		if (!t->sketch)
			return -ENOMEM;
		forget_values(t);
		for (uint32_t i = 0; i < a.n; i++)
			sketch_add(t->sketch, a.v[i].value, a.v[i].nr);
		for (unsigned i = 0; from->sketch && i < BUCKETS; i++)
			bucket_merge(&t->sketch[i], &from->sketch[i]);
		return 0;
	}
	sort(t, &a);
	sort(from, &b);
	join(&a, &b, &both);
	return set_values(t, &both);
}

void keys_tally_free(struct tally *t)
{
	forget_values(t);
	free(t->sketch);
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

void keys_tally_top(const struct tally *t, struct tally_top *top, unsigned max)
{
	struct bucket few[BUCKETS], *sketch = t->sketch;
	struct counted c;
	struct sorted s;

	max = (unsigned)min_u64(max ?: 1, TALLY_TOPS);
	if (!sketch && t->nr_once == t->nr_log) {
		top_of_sorted(t, top, max);
		return;
	}
	sort(t, &s);
	/* List and log may have too many together, where no sum was made of them yet. */
	if (s.n > TALLY_EXACT) {
		memset(few, 0, sizeof(few));
		sketch = few;
	}
	for (uint32_t i = 0; sketch == few && i < s.n; i++)
		sketch_add(few, s.v[i].value, s.v[i].nr);
	top->nr = 0;
	top->distinct = sketch ? 0 : s.n;
	for (uint32_t i = 0; !sketch && i < s.n; i++)
		put_top(top, max, &s.v[i]);
	for (unsigned i = 0; sketch && i < BUCKETS && !is_full(t); i++)
		if (bucket_value(sketch, i, &c) && c.nr * WORTH >= t->nr)
			put_top(top, max, &c);
}
