// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --comms, --pid, --tid, --dsos, --symbols: lists that are read once, when the session is opened, so
 * that a word that means nothing is refused before the file is touched. Each list that was given
 * has to be met; as upstream, so that --pid and --tid together leave what is of both.
 */
#include <stdlib.h>

#include "session-int.h"

/* Calls @add for each part of a comma list; parts are the filter's copies. */
static int each_part(struct session_filter *f, const char *list,
		     int (*add)(struct session_filter *f, const char *part, struct err *e),
		     struct err *e)
{
	while (list && *list) {
		size_t n = strcspn(list, ",");
		const char *part = n ? arena_strndup(&f->text, list, n) : NULL;
		int ret = 0;

		if (n)
			ret = part ? add(f, part, e) : -ENOMEM;
		if (ret)
			return ret == -ENOMEM ? err_set(e, ret, "no memory for a filter") : ret;
		list += n + (list[n] == ',');
	}
	return 0;
}

static int add_comm(struct session_filter *f, const char *part, struct err *e)
{
	(void)e;
	return vec_push(&f->lists[SESSION_COMMS].names, part);
}

static int add_dso(struct session_filter *f, const char *part, struct err *e)
{
	(void)e;
	return vec_push(&f->lists[SESSION_DSOS].names, part);
}

/* A name that is a hexadecimal number is an address as well. */
static int add_symbol(struct session_filter *f, const char *part, struct err *e)
{
	char *end;
	uint64_t addr = strtoull(part, &end, 16);

	(void)e;
	if (vec_push(&f->lists[SESSION_SYMBOLS].names, part))
		return -ENOMEM;
	return *end || *part == '-' || *part == '+' ? 0 : vec_push(&f->addrs, addr);
}

/* -1 is what samples have that do not tell. */
static int parse_id(const char *what, const char *part, int32_t *id, struct err *e)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(part, &end, 10);
	if (end == part || *end || errno || v < -1 || v > INT32_MAX)
		return err_set(e, -EINVAL, "Invalid %s '%s'", what, part);
	*id = (int32_t)v;
	return 0;
}

static int add_pid(struct session_filter *f, const char *part, struct err *e)
{
	int32_t id = 0;

	return parse_id("pid", part, &id, e) ?: vec_push(&f->pids, id);
}

static int add_tid(struct session_filter *f, const char *part, struct err *e)
{
	int32_t id = 0;

	return parse_id("tid", part, &id, e) ?: vec_push(&f->tids, id);
}

static int parse(struct session_filter *f, const struct session_opts *o, struct err *e)
{
	int ret = each_part(f, o->comms, add_comm, e);

	ret = ret ?: each_part(f, o->dsos, add_dso, e);
	ret = ret ?: each_part(f, o->symbols, add_symbol, e);
	ret = ret ?: each_part(f, o->pids, add_pid, e);
	ret = ret ?: each_part(f, o->tids, add_tid, e);
	f->range = o->addr_range ? o->addr_range : 1;
	f->by_place = f->lists[SESSION_DSOS].names.n || f->lists[SESSION_SYMBOLS].names.n;
	f->any = f->by_place || f->lists[SESSION_COMMS].names.n || f->pids.n || f->tids.n;
	return ret;
}

int session_filter_new(struct session_filter **f, const struct session_opts *o, struct err *e)
{
	int ret;

	*f = calloc(1, sizeof(**f));
	if (!*f)
		return err_set(e, -ENOMEM, "no memory for a filter");
	ret = parse(*f, o, e);
	if (ret) {
		session_filter_free(*f);
		*f = NULL;
	}
	return ret;
}

void session_filter_free(struct session_filter *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(f->lists); i++)
		vec_free(&f->lists[i].names);
	vec_free(&f->addrs);
	vec_free(&f->pids);
	vec_free(&f->tids);
	arena_free(&f->text);
	free(f);
}

/* ---- asking ---------------------------------------------------------------------------------- */

static bool has_name(const struct name_list *l, const char *name)
{
	vec_for_each (have, &l->names)
		if (!strcmp(*have, name))
			return true;
	return false;
}

static bool has_id(const int32_t *v, size_t n, int32_t id)
{
	for (size_t i = 0; i < n; i++)
		if (v[i] == id)
			return true;
	return false;
}

bool session_filter_any(const struct session_filter *f)
{
	return f->any;
}

size_t session_filter_names(const struct session_filter *f, enum session_filter_list list,
			    const char *const **names)
{
	*names = f ? f->lists[list].names.v : NULL;
	return f ? f->lists[list].names.n : 0;
}

bool session_filter_thread(const struct session_filter *f, const struct thread *th,
			   const char *comm)
{
	if (f->pids.n && !has_id(f->pids.v, f->pids.n, th->pid))
		return false;
	if (f->tids.n && !has_id(f->tids.v, f->tids.n, th->tid))
		return false;
	return !f->lists[SESSION_COMMS].names.n || has_name(&f->lists[SESSION_COMMS], comm);
}

static bool has_symbol(const struct session_filter *f, const struct loc *l, uint64_t ip)
{
	if (l->sym && has_name(&f->lists[SESSION_SYMBOLS], l->sym->name))
		return true;
	for (size_t i = 0; i < f->addrs.n; i++)
		if (ip - f->addrs.v[i] < f->range || (l->sym && l->sym->start == f->addrs.v[i]))
			return true;
	return false;
}

bool session_filter_place(const struct session_filter *f, const struct loc *l, uint64_t ip)
{
	if (f->lists[SESSION_DSOS].names.n &&
	    (!l->dso || (!has_name(&f->lists[SESSION_DSOS], l->dso->short_name) &&
			 !has_name(&f->lists[SESSION_DSOS], l->dso->name))))
		return false;
	return !f->lists[SESSION_SYMBOLS].names.n || has_symbol(f, l, ip);
}
