// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recordings as objects: options into attrs, who samples, and whole recordings of small programs with
 * a clock of the kernel, whose files are read again. What is told is kept in place of printed.
 */
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "events-kernel.h"

#include "perfdata/perfdata.h"
#include "recorder/recorder-int.h"
#include "unwind/unwind.h"

#define TOLD_MAX 16384

/* One recording with all that it needs; `told` has a line for each message. */
struct bench {
	struct recorder_opts opts;
	struct event_list events;
	struct capture_target target;
	struct recorder *rec;
	struct recorder_result result;
	char told[TOLD_MAX];
	struct err failure; /* the first that was told */
};

static char dir[] = "/tmp/perf-test-recorder.XXXXXX";
static struct pmus *pmus;
static bool may_record;
static char *argv_of_perf[] = { (char *)"record", (char *)"-F", (char *)"99", NULL };

static void keep(void *ctx, enum log_level level, const char *text)
{
	struct bench *b = ctx;
	size_t n = strlen(b->told);

	if (level <= LOG_INFO)
		snprintf(b->told + n, sizeof(b->told) - n, "%s\n", text);
}

static void keep_failure(void *ctx, const struct err *e)
{
	struct bench *b = ctx;

	if (!b->failure.code)
		b->failure = *e;
}

/* @events NULL: none, the default is taken. */
static void begin(struct bench *b, const char *events)
{
	struct err e = { 0 };

	*b = (struct bench){ .opts = { .pmus = pmus,
				       .events = &b->events,
				       .target = &b->target,
				       .argv = argv_of_perf,
				       .argc = 3,
				       .output = "perf.data",
				       .synth = RECORDER_SYNTH_ALL,
				       .log = { keep, b },
				       .fail = keep_failure,
				       .ctx = b } };
	if (events && events_parse(&b->events, pmus, events, &e))
		fail_msg("%s: %s", events, e.text);
}

static void begin_command(struct bench *b, const char *events, char **command)
{
	begin(b, events);
	b->opts.command = command;
	b->target.workload = true;
}

static void end(struct bench *b)
{
	recorder_free(b->rec);
	vec_free(&b->opts.windows);
	capture_target_free(&b->target);
	events_free(&b->events);
}

static int setup_all(void **state)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = PERF_ATTR_SIZE_VER5,
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_period = 1000000,
					.flags = ATTR_FLAG_DISABLED | ATTR_FLAG_EXCLUDE_KERNEL };
	int fd = event_open_sys(NULL, &attr, 0, -1, -1, 0);

	(void)state;
	may_record = fd >= 0;
	if (fd >= 0)
		close(fd);
	signal(SIGPIPE, SIG_IGN);
	return !mkdtemp(dir) || chdir(dir) || setup(NULL) || pmus_new(&pmus, NULL, NULL);
}

static int teardown_all(void **state)
{
	char cmd[PATH_MAX];

	pmus_free(pmus);
	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", dir);
	return chdir("/") || system(cmd) || teardown(state);
}

/* ---- options into attrs ------------------------------------------------------------------------- */

static int configure(struct bench *b, struct err *e)
{
	memset(e, 0, sizeof(*e));
	return recorder_new(&b->rec, &b->opts, e);
}

static void test_command_starts_its_events(void **state)
{
	char *command[] = { (char *)"true", NULL };
	struct err e;
	struct bench b;

	(void)state;
	begin_command(&b, "cpu-clock", command);
	assert_int_equal(configure(&b, &e), 0);
	assert_int_equal(b.events.n, 1);
	assert_true(b.events.v[0].attr.flags & ATTR_FLAG_DISABLED);
	assert_true(b.events.v[0].attr.flags & ATTR_FLAG_ENABLE_ON_EXEC);
	assert_true(b.events.v[0].attr.flags & ATTR_FLAG_INHERIT);
	end(&b);
}

/* What starts later, or sees only some CPUs, has a dummy beside it that sees all maps. */
static void test_dummy_for_maps(void **state)
{
	char *command[] = { (char *)"true", NULL };
	struct err e;
	struct bench b;

	(void)state;
	begin_command(&b, "cpu-clock", command);
	b.opts.delay = 10;
	assert_int_equal(configure(&b, &e), 0);
	assert_int_equal(b.events.n, 2);
	assert_true(event_is_dummy(&b.events.v[1]));
	assert_false(b.events.v[0].attr.flags & ATTR_FLAG_ENABLE_ON_EXEC);
	assert_true(b.events.v[1].attr.flags & ATTR_FLAG_ENABLE_ON_EXEC);
	end(&b);

	begin(&b, "cpu-clock");
	b.target.system_wide = true;
	assert_int_equal(configure(&b, &e), 0);
	assert_int_equal(b.events.n, 2);
	assert_true(event_is_dummy(&b.events.v[1]));
	end(&b);
}

static void test_group(void **state)
{
	struct err e;
	struct bench b;

	(void)state;
	begin(&b, "cpu-clock,task-clock,page-faults");
	b.target.workload = true;
	b.opts.group = true;
	assert_int_equal(configure(&b, &e), 0);
	assert_int_equal(b.events.v[0].nr_members, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(b.events.v[i].leader, 0);
	end(&b);
}

static void test_frequency_limit(void **state)
{
	uint64_t max = events_max_freq();
	struct err e;
	struct bench b;

	(void)state;
	if (!max)
		skip_because("the kernel has no limit of frequencies");
	begin(&b, "cpu-clock");
	b.target.workload = true;
	b.opts.freq = max + 1;
	assert_int_equal(configure(&b, &e), 0);
	assert_non_null(strstr(b.told, "Maximum frequency rate"));
	assert_int_equal(b.events.v[0].attr.sample_freq, max);
	end(&b);

	begin(&b, "cpu-clock");
	b.opts.freq = max + 1;
	b.opts.strict_freq = true;
	assert_int_equal(configure(&b, &e), -ERANGE);
	assert_null(b.rec);
	assert_non_null(strstr(e.hint, "kernel.perf_event_max_sample_rate"));
	end(&b);
}

static void test_aux_is_refused(void **state)
{
	static const struct pmu pt = { .name = "intel_pt_2" };
	struct err e;
	struct bench b;

	(void)state;
	begin(&b, "cpu-clock");
	b.events.v[0].pmu = (struct pmu *)&pt;
	assert_int_equal(configure(&b, &e), -EOPNOTSUPP);
	assert_non_null(strstr(e.text, "intel_pt_2 traces into an AUX area"));
	b.events.v[0].pmu = NULL;
	end(&b);
}

/* ---- who samples -------------------------------------------------------------------------------- */

#ifdef __x86_64__
static void begin_branches(struct bench *b, const struct event_opener *opener, char **command)
{
	begin_command(b, "cpu-clock", command);
	b->opts.opener = opener;
	b->opts.branch_filter = PERF_SAMPLE_BRANCH_ANY;
}

/* A kernel that has no branch records: auto goes to the tracer, and says why. */
static void test_branches_fall_to_the_tracer(void **state)
{
	struct kernel k = { .precise = -1, .no_sample = PERF_SAMPLE_BRANCH_STACK };
	struct event_opener opener = { .open = fake_open, .ctx = &k };
	char *command[] = { (char *)"true", NULL };
	struct err e;
	struct bench b;

	(void)state;
	begin_branches(&b, &opener, command);
	assert_int_equal(configure(&b, &e), 0);
	assert_true(b.rec->soft.branches);
	assert_non_null(strstr(b.rec->soft.why_branches, "a clock has no branch records"));
	assert_true(event_is_dummy(&b.events.v[b.events.n - 1]));
	end(&b);

	/* a kernel that has them keeps them; so does who asked for the hardware */
	k.no_sample = 0;
	begin_branches(&b, &opener, command);
	assert_int_equal(configure(&b, &e), 0);
	assert_false(b.rec->soft.branches);
	end(&b);
	k.no_sample = PERF_SAMPLE_BRANCH_STACK;
	begin_branches(&b, &opener, command);
	b.opts.branch_source = RECORDER_KERNEL;
	assert_int_equal(configure(&b, &e), 0);
	assert_false(b.rec->soft.branches);
	end(&b);
}

/* What threads that are stopped cannot give is refused, each with its own reason. */
static void test_tracer_refuses(void **state)
{
	static const struct {
		uint64_t filter;
		bool wide, several, newest;
		const char *why;
	} cases[] = {
		{ .filter = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_KERNEL,
		  .why = "leave k and hv out" },
		{ .filter = PERF_SAMPLE_BRANCH_IN_TX, .why = "know the filters any" },
		{ .filter = PERF_SAMPLE_BRANCH_ANY, .wide = true, .why = "not with -a or -C" },
		{ .filter = PERF_SAMPLE_BRANCH_ANY, .several = true, .why = "--switch-output" },
		{ .filter = PERF_SAMPLE_BRANCH_ANY, .newest = true, .why = "--overwrite" },
	};
	struct err e;
	struct bench b;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(&b, "cpu-clock");
		b.opts.branch_filter = cases[i].filter;
		b.opts.branch_source = RECORDER_PTRACE;
		b.opts.sw.on = cases[i].several;
		b.opts.overwrite = cases[i].newest;
		b.target.system_wide = cases[i].wide;
		b.target.workload = !cases[i].wide;
		assert_int_equal(configure(&b, &e), -EINVAL);
		if (!strstr(e.text, cases[i].why))
			fail_msg("case %zu: %s", i, e.text);
		end(&b);
	}
}

/* Who unwinds: the kernel's copies as long as nobody stops the thread for something else. */
static void test_chains(void **state)
{
	static const struct {
		enum callchain_mode mode;
		uint64_t filter;
		bool named, no_fallback, kernel_only, chains, ahead;
	} cases[] = {
		{ .mode = CALLCHAIN_UNWIND, .chains = true },
		{ .mode = CALLCHAIN_DWARF },
		{ .mode = CALLCHAIN_FP },
		{ .mode = CALLCHAIN_LBR, .chains = true, .ahead = true },
		{ .mode = CALLCHAIN_LBR, .no_fallback = true },
		{ .filter = PERF_SAMPLE_BRANCH_ANY },
		{ .mode = CALLCHAIN_DWARF, .filter = 1 << 3, .chains = true, .ahead = true },
		{ .mode = CALLCHAIN_FP, .filter = 1 << 3, .chains = true, .ahead = true },
		{ .mode = CALLCHAIN_FP, .filter = 1 << 3, .named = true },
		{ .mode = CALLCHAIN_DWARF, .filter = 1 << 3, .kernel_only = true },
	};
	struct kernel k = { .precise = -1, .no_sample = PERF_SAMPLE_BRANCH_STACK };
	struct event_opener opener = { .open = fake_open, .ctx = &k };
	char *command[] = { (char *)"true", NULL };
	struct err e;

	(void)state;
	if (!unwind_live_works())
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bench b;

		begin_command(&b, "cpu-clock", command);
		b.opts.opener = &opener;
		b.opts.callchain.mode = cases[i].mode;
		b.opts.callchain.named = cases[i].named;
		b.opts.branch_filter = cases[i].filter;
		b.opts.no_fallback = cases[i].no_fallback;
		b.opts.kernel_callchains = cases[i].kernel_only;
		if (configure(&b, &e))
			fail_msg("case %zu: %s", i, e.text);
		if (b.rec->soft.chains != cases[i].chains || b.rec->soft.ahead != cases[i].ahead)
			fail_msg("case %zu: %d %d", i, b.rec->soft.chains, b.rec->soft.ahead);
		if (cases[i].chains)
			assert_int_equal(b.events.v[0].attr.sample_type & PERF_SAMPLE_STACK_USER,
					 0);
		end(&b);
	}
}

/* The kernel's refusal of registers is the answer where only the kernel was asked. */
static void test_refused_registers(void **state)
{
	char *command[] = { (char *)"true", NULL };
	struct err e;
	struct bench b;

	(void)state;
	for (int source = RECORDER_AUTO; source <= RECORDER_KERNEL; source++) {
		begin_command(&b, "cpu-clock", command);
		if (recorder_regs_parse(&b.opts.regs, pmus, RECORDER_USER, "ax", &e))
			fail_msg("%s", e.text);
		err_set(&b.opts.regs.refused, -ENOTSUP, "no registers here");
		b.opts.reg_source = (enum recorder_source)source;
		if (source == RECORDER_KERNEL) {
			assert_int_equal(configure(&b, &e), -ENOTSUP);
			assert_string_equal(e.text, "no registers here");
		} else {
			assert_int_equal(configure(&b, &e), 0);
			assert_true(b.rec->soft.regs);
			assert_string_equal(b.rec->soft.why_regs, "no registers here");
		}
		end(&b);
	}
}
/* By ptrace each event is sampled by itself, and RAW has its place for the bases of FS and GS. */
static void test_events_of_the_tracer(void **state)
{
	static const struct {
		const char *events, *why;
		bool raw;
		uint64_t depth;
	} cases[] = {
		{ .events = "{cpu-clock,task-clock}", .why = "a group cannot be sampled with" },
		{ .events = "cpu-clock", .raw = true, .why = "its samples carry raw data" },
		{ .events = "cpu-clock", .depth = 65, .why = "--branch-depth is 1 to 64" },
		{ .events = "cpu-clock,task-clock,page-faults,faults,cs,migrations,minor-faults,"
			    "major-faults,emulation-faults",
		  .why = "at most 8 events" },
	};
	struct kernel k = { .precise = -1 };
	struct event_opener opener = { .open = fake_open, .ctx = &k };
	char *command[] = { (char *)"true", NULL };
	struct err e;
	struct bench b;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		begin_command(&b, cases[i].events, command);
		b.opts.opener = &opener;
		b.opts.raw = cases[i].raw;
		b.opts.reg_source = b.opts.branch_source = RECORDER_PTRACE;
		if (recorder_regs_parse(&b.opts.regs, pmus, RECORDER_USER, "fsbase", &e))
			fail_msg("%s", e.text);
		if (cases[i].depth) {
			b.opts.branch_filter = PERF_SAMPLE_BRANCH_ANY;
			b.opts.branch_depth = cases[i].depth;
		}
		if (configure(&b, &e))
			fail_msg("case %zu: %s", i, e.text);
		assert_int_equal(recorder_prepare(b.rec, &e), -EINVAL);
		if (!strstr(e.text, cases[i].why))
			fail_msg("case %zu: %s", i, e.text);
		end(&b);
	}
}

/* Who may watch user space only is not asked for more. */
static void test_user_space_only(void **state)
{
	struct kernel k = { .precise = -1, .kernel_mode = -EACCES };
	struct event_opener opener = { .open = fake_open, .ctx = &k };
	char *command[] = { (char *)"true", NULL };
	struct err e;
	struct bench b;

	(void)state;
	begin_command(&b, "cpu-clock", command);
	b.opts.opener = &opener;
	b.opts.reg_source = RECORDER_PTRACE;
	if (recorder_regs_parse(&b.opts.regs, pmus, RECORDER_USER, "ax", &e) || configure(&b, &e) ||
	    recorder_prepare(b.rec, &e))
		fail_msg("%s", e.text);
	assert_non_null(strstr(b.told, "cpu-clock: user space only"));
	assert_true(b.events.v[0].attr.flags & ATTR_FLAG_EXCLUDE_KERNEL);
	assert_false(recorder_steps(b.rec));
	assert_int_equal(b.rec->soft.nr, 1); /* the dummy behind it is capture's */
	assert_ptr_equal(recorder_kernel_events(b.rec), &b.rec->soft.tracking_list);
	end(&b);
}
#endif

static void test_registers(void **state)
{
	struct recorder_regs r = { 0 };
	struct err e = { 0 };
	struct obuf o;

	(void)state;
	assert_int_equal(obuf_init(&o, -1, 0), 0);
	recorder_regs_list(&r, pmus, RECORDER_INTR, true, &o);
	obuf_char(&o, 0);
	assert_int_equal(strncmp(o.buf, "available registers: ", 21), 0);
	obuf_free(&o);
	assert_false(r.of[RECORDER_INTR].wanted);
	assert_true(r.of[RECORDER_INTR].probed);
	assert_int_equal(recorder_regs_parse(&r, pmus, RECORDER_USER, "no_such", &e), -EINVAL);
	assert_false(r.of[RECORDER_USER].wanted);
	err_clear(&e);
	if (!recorder_regs_parse(&r, pmus, RECORDER_USER, NULL, &e)) {
		assert_true(r.of[RECORDER_USER].wanted);
		recorder_regs_clear(&r, RECORDER_USER);
		assert_false(r.of[RECORDER_USER].wanted);
	}
}

/* ---- whole recordings ---------------------------------------------------------------------------- */

/* Signals are blocked by a recording; the program of the next one would inherit that. */
static void run(struct bench *b)
{
	sigset_t before;
	struct err e;

	sigprocmask(SIG_SETMASK, NULL, &before);
	if (configure(b, &e) || recorder_prepare(b->rec, &e))
		fail_msg("%s", e.text);
	recorder_run(b->rec, &b->result);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void may(void)
{
	if (!may_record)
		skip_because("the kernel opens no clock for us");
}

struct contents {
	size_t samples, comms, maps;
	size_t cmdline, build_ids, source; /* bytes of the features */
};

static void read_back(const char *path, struct contents *c)
{
	struct perfdata *pd;
	struct record r;
	struct err e = { 0 };
	int ret;

	*c = (struct contents){ 0 };
	if (perfdata_open(&pd, path, NULL, &e))
		fail_msg("%s: %s", path, e.text);
	while ((ret = perfdata_next_ordered(pd, &r, &e)) > 0) {
		c->samples += r.type == PERF_RECORD_SAMPLE;
		c->comms += r.type == PERF_RECORD_COMM;
		c->maps += r.type == PERF_RECORD_MMAP2 || r.type == PERF_RECORD_MMAP;
	}
	if (ret)
		fail_msg("%s: %s", path, e.text);
	perfdata_feature_raw(pd, FEAT_CMDLINE, &c->cmdline);
	perfdata_feature_raw(pd, FEAT_BUILD_ID, &c->build_ids);
	perfdata_feature_raw(pd, FEAT_SAMPLE_SOURCE, &c->source);
	perfdata_close(pd);
}

#define BUSY "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; "

static void test_a_recording(void **state)
{
	char *command[] = { (char *)"sh", (char *)"-c", (char *)BUSY "exit 7", NULL };
	struct contents c;
	struct stat st;
	struct bench b;
	char said[64];

	(void)state;
	may();
	begin_command(&b, "cpu-clock:u", command);
	b.opts.freq = 1000;
	run(&b);
	assert_false(b.result.failed);
	assert_true(b.result.ended);
	assert_int_equal(WEXITSTATUS(b.result.status), 7);
	assert_int_equal(b.result.signal, 0);
	read_back("perf.data", &c);
	assert_true(c.samples > 0 && c.comms > 0 && c.maps > 0 && c.cmdline > 0);
	assert_non_null(strstr(b.told, "[ perf record: Woken up "));
	snprintf(said, sizeof(said), "perf.data (%zu samples) ]", c.samples);
	assert_non_null(strstr(b.told, said));
	assert_int_equal(stat("perf.data", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	end(&b);
}

/* Build ids of what was hit; of all that was there; of nothing. */
static void test_build_ids(void **state)
{
	char *command[] = { (char *)"sh", (char *)"-c", (char *)BUSY, NULL };
	struct contents hit, all, none;
	struct bench b;

	(void)state;
	may();
	for (int i = 0; i < 3; i++) {
		begin_command(&b, "cpu-clock:u", command);
		b.opts.freq = 1000;
		b.opts.buildid_all = i == 1;
		b.opts.no_buildid = i == 2;
		run(&b);
		assert_false(b.result.failed);
		read_back("perf.data", i == 0 ? &hit : i == 1 ? &all : &none);
		end(&b);
	}
	assert_true(hit.build_ids > 0);
	assert_true(all.build_ids >= hit.build_ids);
	assert_int_equal(none.build_ids, 0);
}

#ifdef __x86_64__
static void test_recording_by_ptrace(void **state)
{
	char *command[] = { (char *)"sh", (char *)"-c", (char *)BUSY "exit 5", NULL };
	struct contents c;
	struct err e = { 0 };
	struct bench b;

	(void)state;
#ifdef __SANITIZE_THREAD__
	skip_because(
		"ThreadSanitizer gives the child a thread, for whose end its exec waits: for us");
#endif
	may();
	begin_command(&b, "cpu-clock:u", command);
	b.opts.freq = 1000;
	b.opts.reg_source = RECORDER_PTRACE;
	if (recorder_regs_parse(&b.opts.regs, pmus, RECORDER_USER, "ax,ip", &e))
		fail_msg("%s", e.text);
	run(&b);
	if (b.failure.code == -EPERM) {
		end(&b);
		skip_because("nothing may be traced here");
	}
	assert_false(b.result.failed);
	assert_true(b.result.ended);
	assert_int_equal(WEXITSTATUS(b.result.status), 5);
	assert_non_null(strstr(b.told, "threads stood still"));
	assert_true(b.rec->soft.samples > 0);
	read_back("perf.data", &c);
	assert_int_equal(c.samples, b.rec->soft.samples);
	assert_true(c.source > 0 && c.maps > 0);
	end(&b);
}
#endif

/* A command that is not there: no file, and the recording that lay there comes back. */
static void test_no_such_command(void **state)
{
	char *command[] = { (char *)"/no/such/program", NULL };
	FILE *f = fopen("mine.data", "w");
	struct bench b;
	char text[8] = "";

	(void)state;
	may();
	assert_non_null(f);
	fputs("before", f);
	fclose(f);
	begin_command(&b, "cpu-clock:u", command);
	b.opts.output = "mine.data";
	run(&b);
	assert_true(b.result.failed);
	assert_int_equal(b.result.exec_code, -ENOENT);
	assert_non_null(strstr(b.failure.text, "/no/such/program"));
	f = fopen("mine.data", "r");
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	assert_string_equal(text, "before");
	end(&b);
}

static void test_ended_by_a_signal(void **state)
{
	char *command[] = { (char *)"sh", (char *)"-c", (char *)"kill -USR1 $$", NULL };
	struct bench b;

	(void)state;
	may();
	begin_command(&b, "cpu-clock:u", command);
	run(&b);
	assert_false(b.result.failed);
	assert_true(b.result.ended);
	assert_true(WIFSIGNALED(b.result.status));
	assert_int_equal(WTERMSIG(b.result.status), SIGUSR1);
	end(&b);
}

/* The command ends because we do: its status says nothing. */
static void test_we_are_signalled(void **state)
{
	char *command[] = { (char *)"sh", (char *)"-c", (char *)"kill -INT $PPID; sleep 60", NULL };
	struct contents c;
	struct bench b;

	(void)state;
	may();
	begin_command(&b, "cpu-clock:u", command);
	run(&b);
	assert_int_equal(b.result.signal, SIGINT);
	assert_false(b.result.ended);
	assert_false(b.result.failed);
	read_back("perf.data", &c);
	end(&b);
}

static void test_control(void **state)
{
	char *command[] = { (char *)"sleep", (char *)"60", NULL };
	char spec[64], acks[64] = "";
	int ctl[2], ack[2];
	struct bench b;

	(void)state;
	may();
	assert_int_equal(pipe(ctl) | pipe(ack), 0);
	assert_true(write(ctl[1], "evlist\nenable\ndisable\nping\nnonsense\nstop\n", 41) == 41);
	snprintf(spec, sizeof(spec), "fd:%d,%d", ctl[0], ack[1]);
	begin_command(&b, "cpu-clock:u", command);
	b.opts.control = spec;
	b.opts.delay = -1;
	run(&b);
	assert_false(b.result.failed);
	assert_false(b.result.ended);
	assert_non_null(strstr(b.told, "cpu-clock"));
	assert_non_null(strstr(b.told, "Events enabled\nEvents disabled\n"));
	assert_non_null(strstr(b.told, "--control: unknown command 'nonsense'"));
	assert_int_equal(read(ack[0], acks, sizeof(acks) - 1), 25);
	assert_non_null(strstr(acks, "ack\n"));
	for (int i = 0; i < 2; i++) {
		close(ctl[i]);
		close(ack[i]);
	}
	end(&b);
}

/* Several files, each whole; the oldest go. */
static void test_several_files(void **state)
{
	char *command[] = { (char *)"sh", (char *)"-c",
			    (char *)"kill -USR2 $PPID; sleep .3; kill -USR2 $PPID; sleep .3",
			    NULL };
	struct contents c;
	struct bench b;

	(void)state;
	may();
	begin_command(&b, "cpu-clock:u", command);
	b.opts.output = "many.data";
	b.opts.sw = (struct recorder_switch){ .on = true, .stamped = true, .max_files = 2 };
	run(&b);
	assert_false(b.result.failed);
	assert_int_equal(b.rec->files.v.n, 2);
	vec_for_each (name, &b.rec->files.v) {
		read_back(*name, &c);
		assert_true(c.cmdline > 0 && c.comms > 0);
	}
	assert_int_not_equal(access("many.data", F_OK), 0);
	assert_non_null(strstr(b.told, "[ perf record: dump data: Woken up "));
	assert_non_null(strstr(b.told, "many.data.<timestamp>"));
	end(&b);
}

static void test_switch_is_due(void **state)
{
	struct recorder_opts o = { .sw = { .on = true } };
	struct recorder rec = { .opts = &o };

	(void)state;
	assert_false(recorder_switch_due(&rec, false, 0));
	assert_true(recorder_switch_due(&rec, true, 0));
	o.sw.every_ms = 100;
	rec.files.next_ms = 50;
	assert_false(recorder_switch_due(&rec, true, 49)); /* by time: a signal is none */
	assert_true(recorder_switch_due(&rec, false, 50));
	assert_int_equal(rec.files.next_ms, 150);
	o.sw.on = false;
	assert_false(recorder_switch_due(&rec, true, 1000));
}

static void test_size_limit(void **state)
{
	char *command[] = { (char *)"sleep", (char *)"60", NULL };
	struct contents c;
	struct bench b;

	(void)state;
	may();
	begin_command(&b, "cpu-clock:u", command);
	b.opts.max_bytes = 1;
	b.opts.windows = (typeof(b.opts.windows)){ 0 };
	run(&b);
	assert_false(b.result.failed);
	assert_false(b.result.ended);
	assert_non_null(strstr(b.told, "perf size limit reached"));
	read_back("perf.data", &c);
	end(&b);
}

static void test_dry_run(void **state)
{
	char *command[] = { (char *)"true", NULL };
	struct bench b;

	(void)state;
	may();
	begin_command(&b, "cpu-clock:u", command);
	b.opts.output = "dry.data";
	b.opts.dry_run = true;
	run(&b);
	assert_false(b.result.failed || b.result.ended);
	assert_non_null(strstr(b.told, "nothing is recorded (--dry-run)"));
	assert_int_not_equal(access("dry.data", F_OK), 0);
	end(&b);
}

/* Whose parent is gone lets the program go on: nobody waits for it any more. */
static void test_parent_is_gone(void **state)
{
	char *command[] = { (char *)"sh", (char *)"-c", (char *)"sleep .5; echo on >after", NULL };
	struct contents c;
	struct bench b;
	struct err e;

	(void)state;
	may();
	begin_command(&b, "cpu-clock:u", command);
	if (configure(&b, &e))
		fail_msg("%s", e.text);
	recorder_watch_parent(b.rec, getpid()); /* who is not our parent */
	recorder_run(b.rec, &b.result);
	assert_false(b.result.failed || b.result.ended);
	read_back("perf.data", &c);
	for (int i = 0; i < 500 && access("after", F_OK); i++)
		usleep(10000);
	assert_int_equal(access("after", F_OK), 0);
	end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_command_starts_its_events),
		cmocka_unit_test(test_dummy_for_maps),
		cmocka_unit_test(test_group),
		cmocka_unit_test(test_frequency_limit),
		cmocka_unit_test(test_aux_is_refused),
#ifdef __x86_64__
		cmocka_unit_test(test_branches_fall_to_the_tracer),
		cmocka_unit_test(test_tracer_refuses),
		cmocka_unit_test(test_chains),
		cmocka_unit_test(test_refused_registers),
		cmocka_unit_test(test_events_of_the_tracer),
		cmocka_unit_test(test_user_space_only),
		cmocka_unit_test(test_recording_by_ptrace),
#endif
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_a_recording),
		cmocka_unit_test(test_build_ids),
		cmocka_unit_test(test_no_such_command),
		cmocka_unit_test(test_ended_by_a_signal),
		cmocka_unit_test(test_we_are_signalled),
		cmocka_unit_test(test_control),
		cmocka_unit_test(test_several_files),
		cmocka_unit_test(test_switch_is_due),
		cmocka_unit_test(test_size_limit),
		cmocka_unit_test(test_dry_run),
		cmocka_unit_test(test_parent_is_gone),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("recorder", tests, setup_all, teardown_all);
}
