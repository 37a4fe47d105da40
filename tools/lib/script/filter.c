// SPDX-License-Identifier: GPL-2.0-or-later
/* --time, --cpu, --comms, --pid, --tid, --dsos, --symbols. */
#include <math.h>
#include <stdlib.h>

#include "script-int.h"

static int parse_names(struct name_list *l, const char *s, struct err *e)
{
	while (s && *s) {
		size_t n = strcspn(s, ",");
		char *name = n ? strndup(s, n) : NULL;

		if (n && (!name || vec_push(&l->names, name))) {
			free(name);
			return err_set(e, -ENOMEM, "no memory for a filter");
		}
		s += n;
		s += *s == ',';
	}
	return 0;
}

static bool name_in(const struct name_list *l, const char *name)
{
	for (size_t i = 0; i < l->names.n; i++)
		if (!strcmp(l->names.v[i], name))
			return true;
	return false;
}

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

static int add_range(struct filter *f, uint64_t start, uint64_t end, struct err *e)
{
	struct range r = { start, end };

	f->any = true;
	return vec_push(&f->times, r) ? err_set(e, -ENOMEM, "no memory for a filter") : 0;
}

/* "10%/2": the second tenth; "10%-20%": a part; of the time between first and last sample. */
static int parse_percent(struct script *sc, const char *s, size_t n, struct err *e)
{
	const struct perfdata_env *env = perfdata_env(sc->env.pd);
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
	return add_range(&sc->filter, env->first_time + (uint64_t)((double)span * from / 100),
			 env->first_time + (uint64_t)((double)span * to / 100), e);
bad:
	return err_set(e, -EINVAL, "Invalid time string: '%.*s'", (int)n, s);
}

/* One "START,STOP" of @n bytes; either may be missing. */
static int parse_range(struct script *sc, const char *s, size_t n, struct err *e)
{
	const char *comma = memchr(s, ',', n);
	size_t na = comma ? (size_t)(comma - s) : n;
	size_t nb = comma ? n - na - 1 : 0;
	uint64_t start = 0, end = UINT64_MAX;

	if ((na && !parse_seconds(s, na, &start)) || (nb && !parse_seconds(comma + 1, nb, &end)) ||
	    end < start)
		return err_set(e, -EINVAL, "Invalid time string: '%.*s'", (int)n, s);
	return add_range(&sc->filter, start, end, e);
}

static int parse_times(struct script *sc, const char *s, struct err *e)
{
	bool percent = strchr(s, '%');
	const char *seps = percent ? ", " : " ";

	while (*s) {
		size_t n = strcspn(s, seps);
		int ret = 0;

		if (n)
			ret = percent ? parse_percent(sc, s, n, e) : parse_range(sc, s, n, e);
		if (ret)
			return ret;
		s += n;
		s += strspn(s, seps);
	}
	return 0;
}

static int parse_ids(struct script *sc, const char *what, const char *s, bool tids, struct err *e)
{
	while (s && *s) {
		char *end;
		int64_t id = strtoll(s, &end, 10);

		if (end == s || (*end && *end != ','))
			return err_set(e, -EINVAL, "Invalid %s '%s'", what, s);
		if (tids ? vec_push(&sc->filter.tids, id) : vec_push(&sc->filter.pids, id))
			return err_set(e, -ENOMEM, "no memory for a filter");
		s = end;
		s += *s == ',';
	}
	return 0;
}

int filter_init(struct script *sc, struct err *e)
{
	const struct script_opts *o = &sc->opts;
	struct filter *f = &sc->filter;
	int ret = 0;

	if (o->time)
		ret = parse_times(sc, o->time, e);
	if (!ret && o->cpus) {
		f->by_cpu = true;
		ret = bits_parse_list(&f->cpus, o->cpus, 1 << 20);
		if (ret)
			err_set(e, ret, "Invalid CPU list '%s'", o->cpus);
	}
	ret = ret ?: parse_names(&f->comms, o->comms, e);
	ret = ret ?: parse_names(&f->dsos, o->dsos, e);
	ret = ret ?: parse_names(&f->symbols, o->symbols, e);
	ret = ret ?: parse_ids(sc, "pid", o->pids, false, e);
	ret = ret ?: parse_ids(sc, "tid", o->tids, true, e);
	f->any |= f->by_cpu || f->comms.names.n || f->dsos.names.n || f->symbols.names.n ||
		  f->pids.n || f->tids.n;
	return ret;
}

static void names_free(struct name_list *l)
{
	for (size_t i = 0; i < l->names.n; i++)
		free(l->names.v[i]);
	vec_free(&l->names);
}

void filter_free(struct filter *f)
{
	vec_free(&f->times);
	bits_free(&f->cpus);
	names_free(&f->comms);
	names_free(&f->dsos);
	names_free(&f->symbols);
	vec_free(&f->pids);
	vec_free(&f->tids);
}

bool filter_time_cpu(const struct filter *f, uint64_t time, uint32_t cpu)
{
	bool in = !f->times.n;

	if (f->by_cpu && cpu != UINT32_MAX && !bits_test(&f->cpus, cpu))
		return false;
	for (size_t i = 0; i < f->times.n && !in; i++)
		in = time >= f->times.v[i].start && time <= f->times.v[i].end;
	return in;
}

bool filter_thread(struct script *sc, const struct sample *s, const struct thread *th)
{
	const struct filter *f = &sc->filter;
	bool in = !f->pids.n && !f->tids.n;

	for (size_t i = 0; i < f->pids.n && !in; i++)
		in = f->pids.v[i] == (int32_t)s->pid;
	for (size_t i = 0; i < f->tids.n && !in; i++)
		in = f->tids.v[i] == (int32_t)s->tid;
	if (!in)
		return false;
	return !f->comms.names.n || name_in(&f->comms, machine_comm(sc->env.machine, th->comm));
}

/* -S also takes addresses, as hex numbers. */
static bool symbol_in(const struct name_list *list, const struct place *l)
{
	for (size_t i = 0; i < list->names.n; i++) {
		const char *name = list->names.v[i];

		if (l->sym && !strcmp(name, l->sym->name))
			return true;
		if (!strncmp(name, "0x", 2) && l->sym) {
			uint64_t addr = strtoull(name, NULL, 16);

			if (addr >= l->sym->start && addr < l->sym->end)
				return true;
		}
	}
	return false;
}

bool filter_place(struct script *sc, const struct place *l)
{
	const struct filter *f = &sc->filter;

	if (f->dsos.names.n && (!l->dso || (!name_in(&f->dsos, l->dso->short_name) &&
					    !name_in(&f->dsos, l->dso->name))))
		return false;
	return !f->symbols.names.n || symbol_in(&f->symbols, l);
}
