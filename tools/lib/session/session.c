// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opening a recording, in the order in which things can go wrong: words of options that mean
 * nothing, before the file is touched; the file; files of symbols that are not what they are named
 * for; at last what the options ask of this recording. A pipe describes itself in records, so these
 * are read before anything is made that depends on them: machine and unwinder depend on the
 * architecture, --event on the events.
 */
#include <stdio.h>
#include <stdlib.h>

#include "session-int.h"

#define MAX_CPUS 65536

/* "DIR[,hierarchy|flat]" */
static int read_symfs(struct session *s, struct err *e)
{
	const char *comma = s->o->symfs ? strrchr(s->o->symfs, ',') : NULL;

	s->symfs = s->o->symfs;
	if (!comma)
		return 0;
	s->symfs_flat = !strcmp(comma + 1, "flat");
	if (!s->symfs_flat && strcmp(comma + 1, "hierarchy"))
		return err_set(e, -EINVAL, "Invalid layout: '%s', use 'hierarchy' or 'flat'",
			       comma + 1);
	s->symfs = arena_strndup(&s->text, s->o->symfs, (size_t)(comma - s->o->symfs));
	return s->symfs ? 0 : err_set(e, -ENOMEM, "no memory for --symfs");
}

static int read_cpus(struct session *s, struct err *e)
{
	int ret;

	if (!s->o->cpus)
		return 0;
	s->by_cpu = true;
	ret = bits_parse_list(&s->cpus, s->o->cpus, MAX_CPUS);
	if (ret == -ENOMEM)
		return err_set(e, ret, "no memory for -C");
	return ret ? err_set(e, -EINVAL, "-C: `%s' is no CPU list such as 0-3,7", s->o->cpus) : 0;
}

static int read_options(struct session *s, struct err *e)
{
	int ret = read_symfs(s, e);

	ret = ret ?: read_cpus(s, e);
	ret = ret ?: session_filter_new(&s->filter, s->o, e);
	s->filtering = !ret && session_filter_any(s->filter);
	s->misused = ret == -EINVAL;
	return ret;
}

int session_open(struct session **sp, const struct session_opts *o, struct err *e)
{
	struct session *s = calloc(1, sizeof(*s));
	struct perfdata_opts po = { .force = o->force,
				    .no_limits = o->no_limits,
				    .no_order = o->no_order,
				    .progress = o->progress,
				    .ctx = o->progress_ctx,
				    .log = o->log };
	int ret;

	*sp = s;
	if (!s)
		return err_set(e, -ENOMEM, "no memory to read a recording");
	s->o = o;
	s->running = 1;
	s->slice_end = o->nr_samples ? o->first_sample + o->nr_samples : UINT64_MAX;
	ret = read_options(s, e);
	ret = ret ?: perfdata_open(&s->env.pd, o->input ? o->input : "perf.data", &po, e);
	if (!ret && o->time) {
		ret = time_spans_parse(&s->times, s->env.pd, o->time, e);
		s->misused = ret == -EINVAL;
	}
	return ret;
}

/*
 * Reads the records in which a stream describes itself, up to the first of another kind, which is
 * kept in s->first.
 */
static int read_description(struct session *s, struct err *e)
{
	int ret;

	while ((ret = perfdata_next_ordered(s->env.pd, &s->first, e)) > 0)
		if (s->first.type < PERF_RECORD_HEADER_ATTR ||
		    (s->first.type > PERF_RECORD_HEADER_BUILD_ID &&
		     s->first.type != PERF_RECORD_EVENT_UPDATE &&
		     s->first.type != PERF_RECORD_HEADER_FEATURE))
			break;
	s->have_first = ret > 0;
	return ret < 0 ? ret : 0;
}

/* The servers go where the library that asks them looks. */
static bool wants_debuginfod(struct session *s)
{
	const char *urls = s->o->debuginfod, *why = NULL;

	if (urls && *urls && setenv("DEBUGINFOD_URLS", urls, 1))
		why = "--debuginfod: no memory for the servers' names";
	else if (urls && !getenv("DEBUGINFOD_URLS"))
		why = "--debuginfod: $DEBUGINFOD_URLS names no server";
	if (why)
		(void)!vec_push(&s->warnings, why);
	return urls != NULL;
}

static int make_symbols(struct session *s, struct err *e)
{
	const struct perfdata_env *env = perfdata_env(s->env.pd);
	const struct session_opts *o = s->o;
	struct symbol_opts so = {
		.symfs = s->symfs,
		.symfs_flat = s->symfs_flat,
		.kallsyms = o->kallsyms,
		.vmlinux = o->vmlinux,
		.ignore_vmlinux = o->ignore_vmlinux,
		.full_paths = o->full_paths,
		.debuginfod = wants_debuginfod(s),
		.no_limits = o->no_limits,
		.store = s->store,
		.cache = !o->no_symbol_cache,
		.no_demangle = o->no_demangle,
		.demangle_kernel = o->demangle_kernel,
		.demangle_params = o->demangle_params,
		.log = o->log,
	};
	struct unwind_opts uo = {
		.by = o->unwinder,
		.arch = env->arch,
		.max_stack = (uint32_t)min_u64(o->max_stack, UINT32_MAX),
		.inlines = !o->no_inline,
		.ips_only = o->ips_only,
		.stitch_lbr = o->stitch_lbr,
		.max_branches = env->max_branches,
		.log = o->log,
	};
	int ret = symbol_check_kernel(&so, e);

	ret = ret ?: resolver_new(&s->env.resolver, s->env.machine, &so, e);
	return ret ?: unwind_new(&s->env.unwind, s->env.machine, s->env.resolver, &uo, e);
}

static int check_cpus(struct session *s, struct err *e)
{
	size_t n = perfdata_nr_events(s->env.pd);

	for (size_t i = 0; i < n; i++)
		if (perfdata_event(s->env.pd, i)->attr.sample_type & PERF_SAMPLE_CPU)
			return 0;
	if (!s->by_cpu || !n)
		return 0;
	s->misused = true;
	return err_set(e, -EINVAL,
		       "File does not contain CPU events. Remove -C option to proceed.");
}

int session_start(struct session *s, struct err *e)
{
	struct perfdata *pd = s->env.pd;
	int ret = perfdata_is_pipe(pd) ? read_description(s, e) : 0;

	ret = ret ?: session_find_events(s, e);
	ret = ret ?: machine_new(&s->env.machine, perfdata_env(pd)->arch, e);
	ret = ret ?: machine_add_build_ids(s->env.machine, pd, e);
	if (!ret && !s->o->no_symbols)
		ret = make_symbols(s, e);
	return ret ?: check_cpus(s, e);
}

int session_open_beside(struct session **s, const struct session *first,
			const struct session_opts *opts, struct err *e)
{
	int ret = session_open(s, opts, e);

	if (!ret && first->env.resolver)
		(*s)->store = resolver_store(first->env.resolver);
	return ret ?: session_start(*s, e);
}

void session_close(struct session *s)
{
	if (!s)
		return;
	perfdata_ahead_stop(s->ahead);
	session_deferred_free(&s->deferred);
	sample_totals_free(&s->totals);
	unwind_free(s->env.unwind);
	resolver_free(s->env.resolver);
	machine_free(s->env.machine);
	time_spans_free(&s->times);
	bits_free(&s->cpus);
	bits_free(&s->events);
	session_filter_free(s->filter);
	vec_free(&s->plans);
	vec_free(&s->warnings);
	arena_free(&s->text);
	perfdata_close(s->env.pd);
	free(s);
}

/* ---- asking ---------------------------------------------------------------------------------- */

bool session_misused(const struct session *s)
{
	return s && s->misused;
}

enum regs_arch session_arch(const struct session *s)
{
	const struct perfdata_env *env = perfdata_env(s->env.pd);
	enum regs_arch arch = regs_arch_from_uname(env->arch);

	if (arch != REGS_ARCH_NONE)
		return arch;
	return env->e_machine ? regs_arch_from_elf(env->e_machine) : regs_arch_host();
}

const struct session_env *session_env(const struct session *s)
{
	return &s->env;
}

bool session_symfs_path(const struct session *s, const char *path, char *buf, size_t size)
{
	const char *last = strrchr(path, '/');
	int n;

	if (!s->symfs || !*s->symfs || !last)
		return false;
	n = snprintf(buf, size, "%s%s", s->symfs, s->symfs_flat ? last : path);
	return n > 0 && (size_t)n < size;
}

const struct session_filter *session_filter(const struct session *s)
{
	return s->filter;
}

const struct session_counts *session_counts(const struct session *s)
{
	return &s->counts;
}

void session_add_counts(struct session *to, const struct session *from)
{
	struct session_counts *a = &to->counts;
	const struct session_counts *b = &from->counts;

	if (!a->bad && b->bad)
		a->first_bad = b->first_bad;
	a->samples += b->samples;
	a->left_out += b->left_out;
	a->lost_samples += b->lost_samples;
	a->lost_events += b->lost_events;
	a->lost_chunks += b->lost_chunks;
	a->bad += b->bad;
	a->bad_samples += b->bad_samples;
}

const struct err *session_damage(const struct session *s)
{
	return s->damage.code ? &s->damage : NULL;
}

bool session_lacked_memory(const struct session *s)
{
	return s && s->env.resolver && resolver_lacked_memory(s->env.resolver);
}

/* ---- what there is to say at the end --------------------------------------------------------- */

/* Out of memory: it is not said. */
static void warn(struct session *s, const char *text)
{
	text = text ? arena_strdup(&s->text, text) : NULL;
	if (text)
		(void)!vec_push(&s->warnings, text);
}

static void warn_symbols(struct session *s)
{
	const char *w;

	while ((w = resolver_next_warning(s->env.resolver)))
		warn(s, w);
}

static void warn_stacks(struct session *s)
{
	char note[512];

	for (unsigned i = 0; unwind_note(s->env.unwind, i, note, sizeof(note)); i++)
		warn(s, note);
}

static void warn_lost(struct session *s)
{
	const struct session_counts *c = &s->counts;

	if (c->lost_chunks)
		warn(s, arena_printf(&s->text,
				     "Processed %llu samples and lost %llu events in %llu chunks! "
				     "Check IO/CPU overload!",
				     (unsigned long long)c->samples,
				     (unsigned long long)c->lost_events,
				     (unsigned long long)c->lost_chunks));
}

static void warn_bad(struct session *s)
{
	if (s->counts.bad)
		warn(s, arena_printf(&s->text, "%llu records could not be used; the first: %s",
				     (unsigned long long)s->counts.bad, s->counts.first_bad.text));
}

int session_take_notes(struct session *to, const struct session *from)
{
	const struct session_env *a = &to->env, *b = &from->env;
	struct dso **objects;
	int ret;

	if (!a->resolver || !b->resolver)
		return 0;
	unwind_take_notes(a->unwind, b->unwind);
	objects = calloc(machine_nr_dsos(b->machine) + 1, sizeof(*objects));
	if (!objects)
		return -ENOMEM;
	ret = machine_match_dsos(a->machine, b->machine, objects);
	ret = ret ?: resolver_take_notes(a->resolver, b->resolver, objects);
	free(objects);
	return ret;
}

const char *const *session_warnings(struct session *s, unsigned what)
{
	static const char *const none[] = { NULL };

	if (s->told) /* the list before */
		s->warnings.n = 0;
	s->told = true;
	if (what & SESSION_WARN_MISSING && s->env.resolver)
		resolver_note_missing(s->env.resolver);
	if (what & SESSION_WARN_SYMBOLS && s->env.resolver)
		warn_symbols(s);
	if (what & SESSION_WARN_STACKS && s->env.unwind)
		warn_stacks(s);
	if (what & SESSION_WARN_LOST)
		warn_lost(s);
	if (what & SESSION_WARN_BAD)
		warn_bad(s);
	if (vec_push(&s->warnings, (const char *)NULL))
		return none;
	return s->warnings.v;
}
