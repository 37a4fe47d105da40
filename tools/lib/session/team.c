// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A recording read by several threads. Each member of a team has a session of its own: file, machine,
 * resolver, unwinder. So nothing is shared that changes, nothing is locked while samples are counted, and
 * what a consumer counts is added up at the end by the numbers of one machine and the other, as
 * that of two recordings would be.
 *
 * An index (perfdata_index_new()) cuts the recording into pieces, in the order in which its records are
 * handed out. A member that begins with a piece first learns what is known of those before it: records that
 * change the machine, and the first sample of each thread, since a thread that no record named is made
 * by its first sample. After that its machine is what it would be had it read everything.
 *
 * Members have one stretch each, so that adding up in their order gives what one reading gives. Or, where
 * text is written in order, each takes the next piece that nobody has.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/side.h"
#include "base/turns.h"
#include "host/host.h"
#include "session-int.h"

#define PIECE_MAX    (1u << 20)
#define PIECE_MIN    4096
#define WORTH_A_JOB  (4u << 20) /* bytes of records that are worth a thread */
#define PIECES_A_JOB 8
#define JOBS_MAX     1024

struct team_thread {
	struct session_team *team;
	struct session *s;
	void *ctx;
	struct session_opts opts; /* of member 0's session, silent; not its own */
	struct member member;
	pthread_t thread;
	bool started;
	int ret;
	struct err err;
	double seconds; /* of CPU time */
};

struct session_team {
	struct perfdata_index *x;
	const struct session_consumer *c;
	struct team_thread *v;
	size_t nr;
	struct obuf *(*text)(
		void *ctx); /* of a member, written in order; NULL: each member has a stretch */
	atomic_bool stop;
	atomic_ulong bytes; /* of pieces that were read */
	uint64_t all_bytes;
	struct turns turns; /* where pieces are written in their order */
};

/* ---- what has to be known of earlier pieces -------------------------------------------------- */

struct seen {
	struct session *s;
	struct machine_seen *m;
	bool samples; /* there was one */
	bool kernel;  /* its symbols may be asked for ahead */
};

/* Whether the sample's thread is asked for: what hand_on() and those before it look at. */
static bool makes_thread(struct session *s, const struct event_plan *plan, const struct record *rec)
{
	struct sample sm;

	if (session_passes_over(s, plan, rec) || sample_parse_some(rec, plan->need, &sm, NULL))
		return false;
	if (!plan->chosen)
		return false;
	return session_wants(s, rec->time, sm.cpu);
}

static enum perfdata_keep keep_sample(struct seen *k, const struct record *rec)
{
	const struct event_plan *plan = rec->event ? session_plan(k->s, rec->event) : NULL;
	uint32_t pid, tid;

	if (!plan || !plan->thread || !plan->tid_at || plan->tid_at + 8 > rec->size)
		return PERFDATA_KEEP_NOT;
	pid = load_u32(rec->data + plan->tid_at, rec->swap);
	tid = load_u32(rec->data + plan->tid_at + 4, rec->swap);
	if (likely(machine_seen_recently(k->m, pid, tid)))
		return PERFDATA_KEEP_NO_MORE;
	return makes_thread(k->s, plan, rec) && machine_seen_first(k->m, pid, tid)
		       ? PERFDATA_KEEP
		       : PERFDATA_KEEP_NOT;
}

static bool is_switch(const struct record *rec)
{
	return rec->type == PERF_RECORD_SWITCH || rec->type == PERF_RECORD_SWITCH_CPU_WIDE;
}

/*
 * Symbols of the running kernel take as long to read as the index does, and are asked for almost at once behind it.
 * So they are read beside it. What tells of the kernel stands before all samples and without a time: to learn it now and once
 * more when its turn comes changes nothing. Only where it names the symbol that tells how far the kernel was moved: another
 * record, behind the first sample, could name one yet, and then others would read other symbols.
 */
static void learn_kernel(struct seen *k, const struct record *rec)
{
	bool first = !k->samples && (!rec->time || rec->time == RECORD_NO_TIME);
	uint64_t at;

	if (!first || !k->s->env.resolver || !(k->s->c->flags & SESSION_NAMES) ||
	    (rec->type != PERF_RECORD_MMAP && rec->type != PERF_RECORD_MMAP2) ||
	    (rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_KERNEL)
		return;
	k->kernel = !machine_learn(k->s->env.machine, rec) &&
		    machine_kernel_ref(k->s->env.machine, false, &at);
}

/* Where no sample is the kernel's nobody asks. */
static void kernel_ahead(struct seen *k, const struct record *rec)
{
	const struct event_plan *plan = rec->event ? session_plan(k->s, rec->event) : NULL;

	if ((rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_KERNEL || !plan ||
	    session_passes_over(k->s, plan, rec))
		return;
	log_to(&k->s->o->log, LOG_DEBUG, "the kernel's symbols are read beside the index");
	symbol_load_kernel_ahead(k->s->env.resolver);
	k->kernel = false;
}

static enum perfdata_keep keep(void *ctx, const struct record *rec)
{
	struct seen *k = ctx;

	if (likely(rec->type == PERF_RECORD_SAMPLE)) {
		k->samples = true;
		if (unlikely(k->kernel))
			kernel_ahead(k, rec);
		return keep_sample(k, rec);
	}
	learn_kernel(k, rec);
	if (k->s->c->flags & SESSION_PARALLELISM && is_switch(rec))
		return PERFDATA_KEEP;
	return machine_seen_record(k->m, rec) ? PERFDATA_KEEP : PERFDATA_KEEP_NOT;
}

/* A record of a piece that another member reads; who tells of those that are broken. */
static int learn(void *ctx, const struct record *rec, struct err *e)
{
	struct session *s = ctx;

	session_count_running(s, rec);
	if (is_switch(rec))
		return 0;
	return machine_learn(s->env.machine, rec) ? err_set(e, -ENOMEM, "no memory for threads")
						  : 0;
}

static int learn_up_to(struct session *s, size_t piece, struct err *e)
{
	struct member *m = s->member;
	int ret = 0;

	if (m->known < piece)
		ret = perfdata_known_records(s->env.pd, m->team->x, m->known, piece, learn, s, e);
	m->known = piece;
	return ret;
}

/* ---- a member's records ---------------------------------------------------------------------- */

/* The next piece for this member. */
static size_t next_piece(struct member *m)
{
	struct session_team *t = m->team;

	if (atomic_load(&t->stop))
		return TURNS_NONE;
	if (t->text)
		return turns_take(&t->turns);
	return m->next < m->end ? m->next++ : TURNS_NONE;
}

/* @last: reading ends with this one, for whatever reason. 1: nobody reads it any more. */
static int write_piece(struct session *s, bool last)
{
	struct session_team *t = s->member->team;

	return turns_write(&t->turns, s->member->piece, t->text(s->ctx), last);
}

static void tell_progress(struct session_team *t, const struct session *s, size_t piece)
{
	uint64_t bytes = perfdata_piece_bytes(t->x, piece), done;

	done = atomic_fetch_add(&t->bytes, bytes) + bytes;
	if (s->o->progress && s->o->progress(s->o->progress_ctx, done, t->all_bytes))
		atomic_store(&t->stop, true);
}

static int end_piece(struct session *s)
{
	struct member *m = s->member;
	int ret = 0;

	tell_progress(m->team, s, m->piece);
	if (m->team->text)
		ret = write_piece(s, false);
	m->reading = m->taken = false;
	m->known = m->piece + 1;
	return ret;
}

int session_member_next(struct session *s, struct record *rec, struct err *e)
{
	struct member *m = s->member;
	int ret = 0;

	for (;;) {
		if (likely(m->reading)) {
			ret = perfdata_next_ordered(s->env.pd, rec, e);
			if (likely(ret > 0))
				return ret;
			ret = ret ?: end_piece(s);
		}
		m->piece = ret ? m->piece : next_piece(m);
		if (ret || m->piece == TURNS_NONE)
			return ret < 0 ? ret : 0;
		m->taken = true;
		ret = learn_up_to(s, m->piece, e);
		ret = ret ?: perfdata_read_pieces(s->env.pd, m->team->x, m->piece, m->piece + 1, e);
		if (ret)
			return ret;
		m->reading = true;
	}
}

/* ---- a thread -------------------------------------------------------------------------------- */

static void *read_share(void *arg)
{
	struct team_thread *th = arg;
	struct session_team *t = th->team;
	struct session *s = th->s;
	double start = side_seconds();
	int ret = session_read_records(s, t->c, th->ctx, &th->err);

	/* The file could not be read again, or what was made of it not be written. */
	if (ret >= 0 && s->damage.code) {
		th->err = s->damage;
		ret = s->damage.code;
		err_clear(&s->damage);
	}
	if (ret && t->text && s->member->taken)
		(void)write_piece(s, true);
	if (!ret && !t->text)
		ret = learn_up_to(s, perfdata_nr_pieces(t->x), &th->err);
	if (ret)
		atomic_store(&t->stop, true);
	th->ret = ret < 0 ? ret : 0;
	th->seconds = side_seconds() - start;
	return NULL;
}

/* Each member gets about as many bytes as the others. */
static void share_pieces(struct session_team *t)
{
	size_t nr = perfdata_nr_pieces(t->x), piece = 0;
	uint64_t bytes = 0;

	for (size_t i = 0; i < t->nr; i++) {
		struct member *m = &t->v[i].member;
		uint64_t until = i + 1 < t->nr ? t->all_bytes / t->nr * (i + 1) : UINT64_MAX;

		m->next = piece;
		while (piece < nr && bytes < until)
			bytes += perfdata_piece_bytes(t->x, piece++);
		m->end = i + 1 < t->nr ? piece : nr;
	}
}

/* Those that could not be started are read by this one, after its own. */
static void run_threads(struct session_team *t)
{
	for (size_t i = 1; i < t->nr; i++)
		t->v[i].started = !pthread_create(&t->v[i].thread, NULL, read_share, &t->v[i]);
	read_share(&t->v[0]);
	for (size_t i = 1; i < t->nr; i++)
		if (t->v[i].started)
			pthread_join(t->v[i].thread, NULL);
		else
			read_share(&t->v[i]);
}

int session_team_read(struct session_team *t, void *const *ctx, struct err *e)
{
	struct session *s = t->v[0].s;
	int ret = 0;

	share_pieces(t);
	for (size_t i = 0; i < t->nr; i++)
		t->v[i].ctx = ctx[i];
	run_threads(t);
	for (size_t i = 0; i < t->nr; i++) {
		if (i)
			session_add_counts(s, t->v[i].s);
		if (!ret && t->v[i].ret) {
			ret = t->v[i].ret;
			*e = t->v[i].err;
		}
		log_to(&s->o->log, LOG_DEBUG, "job %zu of %zu: %.3f s of CPU time", i + 1, t->nr,
		       t->v[i].seconds);
	}
	if (s->env.resolver && symbol_ahead_seconds(s->env.resolver) > 0)
		log_to(&s->o->log, LOG_DEBUG,
		       "kernel's symbols: %.3f s of CPU time in a thread of their own",
		       symbol_ahead_seconds(s->env.resolver));
	if (!ret && perfdata_index_damage(t->x))
		s->damage = *perfdata_index_damage(t->x);
	return ret;
}

/* ---- adding up ------------------------------------------------------------------------------- */

struct merge {
	session_merge_fn *fn;
	void *to, *from;
	struct err err;
	int ret;
	double seconds; /* of CPU time */
};

static void merge_two(void *arg, size_t i)
{
	struct merge *m = (struct merge *)arg + i;
	double start = side_seconds();

	m->ret = m->fn(m->to, m->from, &m->err);
	m->seconds = side_seconds() - start;
}

int session_team_merge(struct session_team *t, void *const *ctx, session_merge_fn *fn,
		       struct err *e)
{
	struct merge *v = calloc(t->nr, sizeof(*v));
	int ret = v ? 0 : err_set(e, -ENOMEM, "no memory to add up what was counted");
	double all = 0, longest = 0;

	/* Neighbours, then neighbours of what came out. */
	for (size_t step = 1; !ret && step < t->nr; step *= 2) {
		double most = 0;
		size_t nr = 0;

		for (size_t i = 0; i + step < t->nr; i += 2 * step)
			v[nr++] = (struct merge){ .fn = fn, .to = ctx[i], .from = ctx[i + step] };
		side_by_side((unsigned)nr, nr, merge_two, v);
		for (size_t i = 0; i < nr; i++) {
			if (!ret && v[i].ret)
				*e = v[i].err;
			ret = ret ?: v[i].ret;
			all += v[i].seconds;
			most = v[i].seconds > most ? v[i].seconds : most;
		}
		longest += most;
	}
	free(v);
	log_to(&t->v[0].s->o->log, LOG_DEBUG,
	       "adding up: %.3f s of CPU time, %.3f s of it one after the other", all, longest);
	return ret;
}

/* ---- a team ---------------------------------------------------------------------------------- */

/* What follows each other in ways that a cut would break. */
static bool is_one(struct session *s)
{
	const struct perfdata *pd = s->env.pd;

	if (perfdata_is_pipe(pd) || s->switches || s->o->first_sample || s->o->nr_samples ||
	    s->c->flags & SESSION_ALONE)
		return true;
	for (size_t i = 0; i < perfdata_nr_events(pd); i++) {
		const struct event_plan *p = session_plan(s, perfdata_event(pd, i));

		if (!p || p->parts || p->defers || p->stitches)
			return true;
	}
	return false;
}

static uint64_t file_bytes(const struct session *s)
{
	struct perfdata_layout l;

	perfdata_layout(s->env.pd, &l);
	return l.file_size;
}

unsigned session_jobs(const struct session *s)
{
	uint64_t worth = file_bytes(s) / WORTH_A_JOB, asked = s->jobs ? s->jobs : s->o->jobs;

	if (asked)
		return (unsigned)min_u64(asked, JOBS_MAX);
	/* Which CPUs can be used is a dozen files: not for what one reads at once. */
	if (worth <= 1)
		return 1;
	return (unsigned)max_u64(1,
				 min_u64(min_u64(host_cpus_usable(), SESSION_JOBS_UNASKED), worth));
}

unsigned session_jobs_worth(const struct session *s, unsigned most)
{
	if (perfdata_is_pipe(s->env.pd))
		return most;
	return (unsigned)max_u64(1, min_u64(most, file_bytes(s) / WORTH_A_JOB));
}

int session_open_again(struct session **s, const struct session *like, struct session_opts *opts,
		       struct err *e)
{
	int ret;

	*opts = *like->o;
	opts->progress = NULL;
	opts->log = (struct log_sink){ 0 };
	ret = session_open(s, opts, e);
	ret = ret ?: perfdata_same_file(like->env.pd, (*s)->env.pd, e);
	if (!ret && like->env.resolver)
		(*s)->store = resolver_store(like->env.resolver);
	return ret ?: session_start(*s, e);
}

static int make_index(struct session_team *t, struct session *s, unsigned jobs, struct err *e)
{
	struct seen seen = { .s = s, .m = machine_seen_new() };
	double start = side_seconds(), mapped = 0;
	unsigned threads = 0;
	const struct perfdata_index_opts o = {
		.piece =
			max_u64(PIECE_MIN, min_u64(PIECE_MAX, file_bytes(s) / jobs / PIECES_A_JOB)),
		.threads = jobs,
		.keep = keep,
		.ctx = &seen,
		.gaps = true,
	};
	int ret;

	if (!seen.m)
		return err_set(e, -ENOMEM, "no memory to read a recording");
	ret = perfdata_index_new(&t->x, s->env.pd, &o, e);
	machine_seen_free(seen.m);
	log_to(&s->o->log, LOG_DEBUG, "index: %.3f s of CPU time", side_seconds() - start);
	if (!ret)
		mapped = perfdata_index_map_seconds(t->x, &threads);
	if (threads)
		log_to(&s->o->log, LOG_DEBUG,
		       "pages mapped beside it: %.3f s of CPU time, %u threads", mapped, threads);
	return ret;
}

/* So many that half of the files that may be open are left for objects. */
static size_t most_members(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return 1;
	return files.rlim_cur == RLIM_INFINITY ? JOBS_MAX : max_u64(1, files.rlim_cur / 2);
}

/* Those for whom there are no files or no memory any more are done without. */
static int open_members(struct session_team *t, struct session *s, size_t nr, struct err *e)
{
	int ret = 0;

	t->v = calloc(nr, sizeof(*t->v));
	if (!t->v)
		return err_set(e, -ENOMEM, "no memory for %zu jobs", nr);
	t->v[0].s = s;
	for (t->nr = 0; !ret && t->nr < nr; t->nr++) {
		struct team_thread *th = &t->v[t->nr];

		th->team = th->member.team = t;
		if (t->nr)
			ret = session_open_again(&th->s, s, &th->opts, e);
		if (ret)
			break;
		th->s->member = &th->member;
	}
	if (!ret)
		return 0;
	session_close(t->v[t->nr].s);
	if (ret == -ESTALE)
		return ret;
	log_to(&s->o->log, LOG_INFO, "%zu jobs instead of %zu: %s", t->nr, nr, e->text);
	err_clear(e);
	return 0;
}

int session_team_new(struct session_team **out, struct session *s, const struct session_consumer *c,
		     void *ctx, struct err *e)
{
	unsigned jobs = session_jobs(s);
	struct session_team *t;
	int ret;

	*out = NULL;
	s->c = c;
	s->ctx = ctx;
	if (jobs < 2 || is_one(s))
		return 0;
	t = calloc(1, sizeof(*t));
	if (!t)
		return err_set(e, -ENOMEM, "no memory for %u jobs", jobs);
	t->c = c;
	ret = make_index(t, s, jobs, e);
	turns_init(&t->turns, ret ? 0 : perfdata_nr_pieces(t->x));
	for (size_t i = 0; i < t->turns.end; i++)
		t->all_bytes += perfdata_piece_bytes(t->x, i);
	ret = ret ?: open_members(t, s, min_u64(min_u64(jobs, most_members()), t->turns.end), e);
	if (ret) {
		session_team_free(t);
		if (ret != -ENOTSUP)
			return ret;
		err_clear(e);
		return 0;
	}
	*out = t;
	return 0;
}

size_t session_team_size(const struct session_team *t)
{
	return t->nr;
}

struct session *session_team_member(const struct session_team *t, size_t i)
{
	return t->v[i].s;
}

void session_team_in_order(struct session_team *t, struct obuf *(*text)(void *ctx), struct obuf *to)
{
	t->text = text;
	turns_write_to(&t->turns, to, t->nr);
}

void session_team_free(struct session_team *t)
{
	if (!t)
		return;
	for (size_t i = 1; i < t->nr; i++) {
		/* What could not be taken over for want of memory is a message less. */
		if (t->v[i].s)
			(void)session_take_notes(t->v[0].s, t->v[i].s);
		session_close(t->v[i].s);
	}
	if (t->nr)
		t->v[0].s->member = NULL;
	free(t->v);
	perfdata_index_free(t->x);
	turns_free(&t->turns);
	free(t);
}
