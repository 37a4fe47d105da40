// SPDX-License-Identifier: GPL-2.0-or-later
/* Which samples make rows: --comms, --dsos, --symbols, --pid, --tid and the like. */
#include "profile-int.h"

#define MAX_PARALLELISM 4096

/* Calls @add for each part of a comma list. */
static int each_part(struct profile *p, const char *list, int (*add)(struct profile *, char *))
{
	while (list && *list) {
		size_t n = strcspn(list, ",");
		char *s = n ? arena_strndup(&p->text, list, n) : NULL;

		if (n && !s)
			return -ENOMEM;
		if (s && add(p, s))
			return -ENOMEM;
		list += n + (list[n] == ',');
	}
	return 0;
}

static int add_comm(struct profile *p, char *s)
{
	return vec_push(&p->f_comms, prof_name_id(p, s));
}

static int add_dso(struct profile *p, char *s)
{
	return vec_push(&p->f_dsos, prof_name_id(p, s));
}

static int add_sym(struct profile *p, char *s)
{
	return vec_push(&p->f_syms, s);
}

static int add_pid(struct profile *p, char *s)
{
	return vec_push(&p->f_pids, strtoll(s, NULL, 10));
}

static int add_tid(struct profile *p, char *s)
{
	return vec_push(&p->f_tids, strtoll(s, NULL, 10));
}

int prof_filter_setup(struct profile *p, struct err *e)
{
	const struct profile_filter *f = &p->o.filter;

	if (each_part(p, f->comms, add_comm) || each_part(p, f->dsos, add_dso) ||
	    each_part(p, f->symbols, add_sym) || each_part(p, f->pids, add_pid) ||
	    each_part(p, f->tids, add_tid))
		return err_set(e, -ENOMEM, "no memory for the filters");
	if (f->parallelism) {
		int ret = bits_parse_list(&p->f_parallelism, f->parallelism, MAX_PARALLELISM);

		if (ret == -ENOMEM)
			return err_set(e, ret, "no memory for the filters");
		if (ret)
			return err_set(e, -EINVAL, "failed to parse parallelism filter list");
		if (bits_test(&p->f_parallelism, 0))
			return err_set(e, -EINVAL, "Requested parallelism level 0 is invalid.");
	}
	p->filtering = p->f_comms.n || p->f_dsos.n || p->f_syms.n || p->f_pids.n || p->f_tids.n ||
		       f->symbol_part;
	return 0;
}

static bool has_id(const uint32_t *v, size_t n, uint32_t id)
{
	for (size_t i = 0; i < n; i++)
		if (v[i] == id)
			return true;
	return false;
}

static bool has_number(const int64_t *v, size_t n, int64_t x)
{
	for (size_t i = 0; i < n; i++)
		if (v[i] == x)
			return true;
	return false;
}

static bool pass_dso(struct profile *p, const struct dso *dso)
{
	if (!dso)
		return false;
	return has_id(p->f_dsos.v, p->f_dsos.n, prof_dso_name(p, dso)) ||
	       has_id(p->f_dsos.v, p->f_dsos.n, prof_name_id(p, dso->name));
}

static bool pass_symbol(const struct profile *p, const struct symbol *sym)
{
	if (!sym)
		return false;
	for (size_t i = 0; i < p->f_syms.n; i++) {
		const char *want = p->f_syms.v[i];

		if (!strcmp(want, sym->name))
			return true;
		if (want[0] == '0' && want[1] == 'x' && strtoull(want, NULL, 16) == sym->start)
			return true;
	}
	return false;
}

bool prof_filter_sample(const struct profile *p, const struct sample *s)
{
	if (p->o.filter.by_socket &&
	    (!p->o.pd || perfdata_cpu_socket(p->o.pd, s->cpu) != p->o.filter.socket))
		return false;
	return !p->o.filter.parallelism || bits_test(&p->f_parallelism, p->parallelism);
}

bool prof_filter_pass(struct profile *p, struct thread *th, uint32_t loc)
{
	const struct loc *l = resolver_loc(p->res, loc);

	if (p->f_comms.n && !has_id(p->f_comms.v, p->f_comms.n, prof_comm_name(p, th->comm)))
		return false;
	if (p->f_pids.n && !has_number(p->f_pids.v, p->f_pids.n, th->pid))
		return false;
	if (p->f_tids.n && !has_number(p->f_tids.v, p->f_tids.n, th->tid))
		return false;
	if (p->f_dsos.n && !pass_dso(p, l->dso))
		return false;
	if (p->f_syms.n && !pass_symbol(p, l->sym))
		return false;
	return !p->o.filter.symbol_part ||
	       (l->sym && strstr(l->sym->name, p->o.filter.symbol_part));
}

void prof_filter_free(struct profile *p)
{
	bits_free(&p->f_parallelism);
	vec_free(&p->f_comms);
	vec_free(&p->f_dsos);
	vec_free(&p->f_syms);
	vec_free(&p->f_pids);
	vec_free(&p->f_tids);
}
