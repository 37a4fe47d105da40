// SPDX-License-Identifier: GPL-2.0-or-later
/* --time, --cpu, --comms, --pid, --tid, --dsos, --symbols, --addr-range, --stop-bt. */
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

/* Names among --symbols that are hexadecimal numbers are addresses as well. */
static int parse_addrs(struct filter *f, struct err *e)
{
	for (size_t i = 0; i < f->symbols.names.n; i++) {
		const char *s = f->symbols.names.v[i];
		char *end;
		uint64_t addr = strtoull(s, &end, 16);

		if (*end || *s == '-' || *s == '+')
			continue;
		if (vec_push(&f->addrs, addr))
			return err_set(e, -ENOMEM, "no memory for a filter");
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
		ret = time_spans_parse(&f->times, sc->env.pd, o->time, e);
	if (!ret && o->cpus) {
		f->by_cpu = true;
		ret = bits_parse_list(&f->cpus, o->cpus, 1 << 20);
		if (ret)
			err_set(e, ret, "Invalid CPU list '%s'", o->cpus);
	}
	ret = ret ?: parse_names(&f->comms, o->comms, e);
	ret = ret ?: parse_names(&f->dsos, o->dsos, e);
	ret = ret ?: parse_names(&f->symbols, o->symbols, e);
	ret = ret ?: parse_names(&f->stops, o->stop_bt, e);
	ret = ret ?: parse_addrs(f, e);
	f->range = o->addr_range ? o->addr_range : 1;
	ret = ret ?: parse_ids(sc, "pid", o->pids, false, e);
	ret = ret ?: parse_ids(sc, "tid", o->tids, true, e);
	f->any |= f->times.v.n || f->by_cpu || f->comms.names.n || f->dsos.names.n ||
		  f->symbols.names.n || f->pids.n || f->tids.n;
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
	time_spans_free(&f->times);
	bits_free(&f->cpus);
	names_free(&f->comms);
	names_free(&f->dsos);
	names_free(&f->symbols);
	names_free(&f->stops);
	vec_free(&f->addrs);
	vec_free(&f->pids);
	vec_free(&f->tids);
}

bool filter_time_cpu(const struct filter *f, uint64_t time, uint32_t cpu)
{
	if (f->by_cpu && cpu != UINT32_MAX && !bits_test(&f->cpus, cpu))
		return false;
	return time_spans_have(&f->times, time);
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

static bool symbol_in(const struct filter *f, const struct place *l)
{
	if (l->sym && name_in(&f->symbols, l->sym->name))
		return true;
	for (size_t i = 0; i < f->addrs.n; i++)
		if (l->ip - f->addrs.v[i] < f->range)
			return true;
	return false;
}

bool filter_stops(const struct filter *f, const struct symbol *sym)
{
	return unlikely(f->stops.names.n) && sym && name_in(&f->stops, sym->name);
}

bool filter_by_place(const struct filter *f)
{
	return f->dsos.names.n || f->symbols.names.n;
}

bool filter_place(struct script *sc, const struct place *l)
{
	const struct filter *f = &sc->filter;

	if (f->dsos.names.n && (!l->dso || (!name_in(&f->dsos, l->dso->short_name) &&
					    !name_in(&f->dsos, l->dso->name))))
		return false;
	return !f->symbols.names.n || symbol_in(f, l);
}
