// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which samples make rows. Those that the filters leave out come here too, because they count in
 * totals: shares are of everything unless --percentage says otherwise. What the options of threads
 * and places mean is the session's; --symbol-filter, --parallelism and --socket-filter are ours.
 */
#include "table-int.h"

#define MAX_PARALLELISM 4096

int table_filter_setup(struct table *t, struct err *e)
{
	const struct keys_filter *f = &t->keys.o.filter;
	const char *const *names;

	if (f->parallelism) {
		int ret = bits_parse_list(&t->feed->f_parallelism, f->parallelism, MAX_PARALLELISM);

		if (ret == -ENOMEM)
			return err_set(e, ret, "no memory for the filters");
		if (ret)
			return err_set(e, -EINVAL, "failed to parse parallelism filter list");
		if (bits_test(&t->feed->f_parallelism, 0))
			return err_set(e, -EINVAL, "Requested parallelism level 0 is invalid.");
	}
	t->keys.dsos_given = session_filter_names(f->session, SESSION_DSOS, &names);
	t->feed->filtering = (f->session && session_filter_any(f->session)) || f->symbol_part;
	return 0;
}

bool table_filter_sample(const struct table *t, const struct sample *s)
{
	if (t->keys.o.filter.by_socket &&
	    (!t->keys.o.pd || perfdata_cpu_socket(t->keys.o.pd, s->cpu) != t->keys.o.filter.socket))
		return false;
	return !t->keys.o.filter.parallelism ||
	       bits_test(&t->feed->f_parallelism, t->feed->keys.parallelism);
}

bool table_filter_pass(struct table *t, struct thread *th, uint32_t loc, uint64_t ip)
{
	const struct session_filter *f = t->keys.o.filter.session;
	const struct loc *l = resolver_loc(t->keys.res, loc);

	if (f && (!session_filter_thread(f, th, machine_comm(t->keys.m, th->comm)) ||
		  !session_filter_place(f, l, ip)))
		return false;
	return !t->keys.o.filter.symbol_part ||
	       (l->sym && strstr(l->sym->name, t->keys.o.filter.symbol_part));
}

void table_filter_free(struct table *t)
{
	bits_free(&t->feed->f_parallelism);
}
