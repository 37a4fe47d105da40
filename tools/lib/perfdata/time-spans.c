// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --time: spans in seconds, or as parts of the time between the first and the last sample. Seconds
 * become nanoseconds without floating point: a time that is printed has to name the same sample
 * when it comes back as an option.
 */
#include <stdlib.h>

#include "perfdata/perfdata.h"

/* "12.3456": seconds to ns, without floating point. False when it is no such number. */
static bool parse_seconds(const char *s, size_t n, uint64_t *ns)
{
	uint64_t sec = 0, frac = 0, scale = 100000000;
	size_t i = 0;

	for (; i < n && s[i] >= '0' && s[i] <= '9'; i++) {
		if (sec > UINT64_MAX / 20000000000ULL)
			return false;
		sec = sec * 10 + (uint64_t)(s[i] - '0');
	}
	if (i < n && s[i] == '.')
		for (i++; i < n && s[i] >= '0' && s[i] <= '9'; i++, scale /= 10)
			frac += (uint64_t)(s[i] - '0') * scale;
	*ns = sec * 1000000000 + frac;
	return n && i == n;
}

static int add_span(struct time_spans *t, uint64_t start, uint64_t end, struct err *e)
{
	struct time_span s = { start, end };

	return vec_push(&t->v, s) ? err_set(e, -ENOMEM, "no memory for time spans") : 0;
}

/* "10%/2": the second tenth; "10%-20%": a part; of the time between first and last sample. */
static int parse_percent(struct time_spans *t, const struct perfdata *pd, const char *s, size_t n,
			 struct err *e)
{
	const struct perfdata_env *env = perfdata_env(pd);
	uint64_t span = env->last_time - env->first_time;
	char word[64], *end;
	double a, b, from, to;

	if (n >= sizeof(word))
		goto bad;
	memcpy(word, s, n);
	word[n] = 0;
	a = strtod(word, &end);
	if (*end++ != '%' || !(a >= 0 && a <= 100))
		goto bad;
	if (*end == '/' || !*end) {
		b = *end ? strtod(end + 1, &end) : 1;
		from = a * (b - 1);
		to = a * b;
	} else if (*end == '-') {
		b = strtod(end + 1, &end);
		if (*end++ != '%')
			goto bad;
		from = a;
		to = b;
	} else {
		goto bad;
	}
	if (*end || !(from >= 0 && to <= 100.0001 && from <= to))
		goto bad;
	if (!env->last_time) {
		err_set(e, -EINVAL,
			"--time with percent needs the times of the first and last "
			"sample, which this file does not hold");
		err_hint(e, "give --time START,STOP in seconds");
		return -EINVAL;
	}
	return add_span(t, env->first_time + (uint64_t)((double)span * from / 100),
			env->first_time + (uint64_t)((double)span * to / 100), e);
bad:
	return err_set(e, -EINVAL, "Invalid time string: '%.*s'", (int)n, s);
}

/* One "START,STOP" of @n bytes; either may be missing. */
static int parse_span(struct time_spans *t, const char *s, size_t n, struct err *e)
{
	const char *comma = memchr(s, ',', n);
	size_t na = comma ? (size_t)(comma - s) : n;
	size_t nb = comma ? n - na - 1 : 0;
	uint64_t start = 0, end = UINT64_MAX;

	if ((na && !parse_seconds(s, na, &start)) || (nb && !parse_seconds(comma + 1, nb, &end)) ||
	    end < start)
		return err_set(e, -EINVAL, "Invalid time string: '%.*s'", (int)n, s);
	return add_span(t, start, end, e);
}

int time_spans_parse(struct time_spans *t, const struct perfdata *pd, const char *s, struct err *e)
{
	bool percent = strchr(s, '%');
	const char *seps = percent ? ", " : " ";

	while (*s) {
		size_t n = strcspn(s, seps);
		int ret = 0;

		if (n)
			ret = percent ? parse_percent(t, pd, s, n, e) : parse_span(t, s, n, e);
		if (ret)
			return ret;
		s += n;
		s += strspn(s, seps);
	}
	return 0;
}

bool time_spans_have(const struct time_spans *t, uint64_t time)
{
	for (size_t i = 0; i < t->v.n; i++)
		if (time >= t->v.v[i].start && time <= t->v.v[i].end)
			return true;
	return !t->v.n;
}

void time_spans_free(struct time_spans *t)
{
	vec_free(&t->v);
}
