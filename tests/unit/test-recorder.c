// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whole recordings of small programs with a clock of the kernel, whose files are read again. What becomes of options
 * before that is in test-recorder-config.c.
 */
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "perfdata/perfdata.h"
#include "recorder-bench.h"

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

/* nohup: whoever was told to ignore hang-ups does, and so does the command. */
static void test_hangup_is_ignored(void **state)
{
	char *command[] = { (char *)"sh", (char *)"-c", (char *)"kill -HUP $PPID; exit 7", NULL };
	struct bench b;

	(void)state;
	may();
	begin_command(&b, "cpu-clock:u", command);
	signal(SIGHUP, SIG_IGN);
	run(&b);
	signal(SIGHUP, SIG_DFL);
	assert_int_equal(b.result.signal, 0);
	assert_false(b.result.failed);
	assert_true(b.result.ended);
	assert_int_equal(WEXITSTATUS(b.result.status), 7);
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

/* -D says what it does, in the words of --control: from the start off, on, off. */
static void test_windows_are_told(void **state)
{
	char *command[] = { (char *)"sleep", (char *)".3", NULL };
	struct bench b;

	(void)state;
	may();
	for (int64_t on = 0; on <= 50; on += 50) {
		begin_command(&b, "cpu-clock:u", command);
		b.opts.delay = 50;
		assert_int_equal(vec_push(&b.opts.windows, on), 0);
		assert_int_equal(vec_push(&b.opts.windows, 100), 0);
		run(&b);
		assert_false(b.result.failed);
		assert_int_equal(!!strstr(b.told, "Events disabled\nEvents enabled\n"), on > 0);
		assert_non_null(strstr(b.told, "Events disabled\n"));
		end(&b);
	}
}

/* A socket whose other end is gone can be read for ever. */
static void test_control_is_gone(void **state)
{
	char *command[] = { (char *)"sh", (char *)"-c", (char *)"exit 3", NULL };
	char spec[64];
	struct bench b;
	int fd[2];

	(void)state;
	may();
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	assert_int_equal(write(fd[1], "ping\n", 5), 5);
	close(fd[1]);
	snprintf(spec, sizeof(spec), "fd:%d", fd[0]);
	begin_command(&b, "cpu-clock:u", command);
	b.opts.control = spec;
	run(&b);
	assert_false(b.result.failed);
	assert_true(b.result.ended);
	assert_int_equal(WEXITSTATUS(b.result.status), 3);
	assert_false(capture_wait(b.rec->capture, 0, NULL) & CAPTURE_CONTROL);
	close(fd[0]);
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

/* All files stay, of their names the last: a service makes files for months. */
static void test_names_of_many_files(void **state)
{
	struct recorder_opts o = { .sw = { .on = true, .stamped = true } };
	struct recorder rec = { .opts = &o, .path = "named.data", .created = true };
	struct err e = { 0 };
	char *before = NULL;

	(void)state;
	for (int i = 0; i < 3; i++) {
		fclose(fopen(rec.path, "w"));
		if (recorder_stamp_name(&rec, &e))
			fail_msg("%s", e.text);
		assert_int_equal(rec.files.v.n, 1);
		assert_ptr_equal(rec.files.last, rec.files.v.v[0]);
		assert_int_equal(access(rec.files.last, F_OK), 0);
		if (before)
			assert_int_equal(access(before, F_OK), 0);
		free(before);
		before = strdup(rec.files.last);
	}
	free(before);
	recorder_switch_free(&rec);
}

static void signal_once(void *ctx, enum log_level level, const char *text)
{
	struct bench *b = ctx;

	(void)level;
	(void)text;
	if (b->rec && b->rec->program.pid > 0 && !b->told[0]) {
		b->told[0] = '+';
		raise(SIGUSR2);
	}
}

/* SIGUSR2 while events are opened: there is another file as soon as there is one. */
static void test_switch_at_once(void **state)
{
	char *command[] = { (char *)"true", NULL };
	struct bench b;

	(void)state;
	may();
	begin_command(&b, "cpu-clock:u", command);
	b.opts.output = "early.data";
	b.opts.log = (struct log_sink){ signal_once, &b };
	b.opts.sw = (struct recorder_switch){ .on = true, .stamped = true, .max_files = 9 };
	run(&b);
	assert_int_equal(b.told[0], '+');
	assert_false(b.result.failed);
	assert_int_equal(b.rec->files.v.n, 2);
	end(&b);
}

static void take_the_name(void *ctx)
{
	(void)ctx;
	mkdir("taken.data", 0700);
}

/* What cannot be recorded any more is ended with the recording. */
static void test_no_next_file(void **state)
{
	char *command[] = { (char *)"sh", (char *)"-c", (char *)"kill -USR2 $PPID; exec sleep 600",
			    NULL };
	struct contents c;
	struct bench b;

	(void)state;
	may();
	begin_command(&b, "cpu-clock:u", command);
	b.opts.output = "taken.data";
	b.opts.sw = (struct recorder_switch){ .on = true, .stamped = true, .done = take_the_name };
	run(&b);
	assert_true(b.result.failed);
	assert_false(b.result.ended);
	assert_true(b.rec->program.reaped);
	assert_true(WIFSIGNALED(b.rec->program.status));
	assert_int_equal(b.rec->files.v.n, 1);
	read_back(b.rec->files.v.v[0], &c);
	assert_true(c.cmdline > 0);
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

/* What the rings hold is written within a second, whatever else happens all the time. */
static void test_drain_is_due(void **state)
{
	int64_t last = 100;

	(void)state;
	assert_true(recorder_drain_due(CAPTURE_DATA | CAPTURE_CHILD, &last, 200));
	assert_true(recorder_drain_due(CAPTURE_TIMEOUT, &last, 300));
	for (int64_t now = 301; now < 1300; now++)
		assert_false(recorder_drain_due(CAPTURE_CHILD, &last, now));
	assert_true(recorder_drain_due(CAPTURE_CHILD, &last, 1300));
	assert_false(recorder_drain_due(CAPTURE_CHILD, &last, 1301));
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
		cmocka_unit_test(test_a_recording),
		cmocka_unit_test(test_build_ids),
		cmocka_unit_test(test_no_such_command),
		cmocka_unit_test(test_ended_by_a_signal),
		cmocka_unit_test(test_we_are_signalled),
		cmocka_unit_test(test_hangup_is_ignored),
		cmocka_unit_test(test_control),
		cmocka_unit_test(test_windows_are_told),
		cmocka_unit_test(test_control_is_gone),
		cmocka_unit_test(test_several_files),
		cmocka_unit_test(test_names_of_many_files),
		cmocka_unit_test(test_switch_at_once),
		cmocka_unit_test(test_no_next_file),
		cmocka_unit_test(test_switch_is_due),
		cmocka_unit_test(test_drain_is_due),
		cmocka_unit_test(test_size_limit),
		cmocka_unit_test(test_dry_run),
		cmocka_unit_test(test_parent_is_gone),
#ifdef __x86_64__
		cmocka_unit_test(test_recording_by_ptrace),
#endif
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("recorder", tests, setup_all, teardown_all);
}
