// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Room box: what somebody would try who has taken over a process that reads a recording, tried in a child that is boxed;
 * what reading needs goes on; the attendant gives what the options name and nothing else.
 */
#include <errno.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>

#include "box/box.h"
#include "buildid/buildid.h"
#include "machine/machine.h"
#include "symbol/symbol.h"
#include "unit.h"

static char dir[256];

static const char *at(const char *name)
{
	static char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static int make_dir(void **state)
{
	const char *tmp = getenv("TMP");

	(void)state;
	snprintf(dir, sizeof(dir), "%s/box.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		return -1;
	unit_put(dir, "home/.ssh/id", "key", 0600);
	unit_put(dir, "home/.tokens", "key", 0600);
	unit_put(dir, "home/a.out", "prog", 0644);
	unit_put(dir, "home/.cache/prog", "prog", 0644);
	unit_put(dir, "home/work/prog", "prog", 0644);
	unit_put(dir, "recording", "bytes", 0644);
	unit_put(dir, "report.txt", "old", 0644);
	unit_put(dir, "other.txt", "old", 0644);
	setenv("HOME", at("home"), 1);
	return chdir(dir);
}

static int drop_dir(void **state)
{
	char cmd[PATH_MAX + 16];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", dir);
	return chdir("/") || system(cmd);
}

/*
 * A crash ends the child: cmocka's handlers would go on with the next test in it. So does what never comes back, whose
 * parent would wait for it.
 */
static void be_mortal(void)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGSYS };

	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		signal(crashes[i], SIG_DFL);
	alarm(60);
}

/* What @act returns in a box: 0, -errno of a refusal; -200 a crash. */
static int boxed(const struct box_opts *o, int (*act)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		be_mortal();
		box_enter(o);
		_exit(-act() & 0xff);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -200;
}

static const struct box_opts objects = { .objects = true };

static void need(unsigned what)
{
	const struct box_state s = box_try();

	assert_int_not_equal(s.seccomp, -EAGAIN); /* not tried: a child, boxed itself? */
	if ((s.holds & what) == what)
		return;
	if (what & ~s.holds & BOX_SECCOMP)
		skip_because("no filter of system calls here, or a build with sanitizers");
	skip_because("no Landlock here, or a build with sanitizers");
}

/* ---- what is refused ------------------------------------------------------------------------- */

static int of(long ret)
{
	return ret < 0 ? -errno : 0;
}

static int try_exec(void)
{
	char *argv[] = { (char *)"true", NULL };

	return of(execv("/bin/true", argv));
}

static int try_fork(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	return of(pid);
}

static int try_clone(void)
{
	return of(syscall(SYS_clone, CLONE_VM | SIGCHLD, 0, 0, 0, 0)); /* no thread: a process */
}

static int try_socket(void)
{
	return of(socket(AF_INET, SOCK_STREAM, 0));
}

static int try_unix(void)
{
	return of(socket(AF_UNIX, SOCK_STREAM, 0));
}

/* With a socket that was there before. */
static int old_socket;

static int try_connect(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(9),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	return of(connect(old_socket, (struct sockaddr *)&to, sizeof(to)));
}

static int try_send(void)
{
	return of(send(old_socket, "x", 1, 0));
}

static int try_write_open(void)
{
	return of(open("other.txt", O_WRONLY));
}

static int try_create(void)
{
	return of(open("new", O_WRONLY | O_CREAT, 0600));
}

static int try_truncate(void)
{
	return of(open("other.txt", O_RDONLY | O_TRUNC));
}

static int try_temp(void)
{
	return of(open(".", O_TMPFILE | O_RDWR, 0600));
}

static int try_unlink(void)
{
	return of(unlink("other.txt"));
}

static int try_rename(void)
{
	return of(rename("other.txt", "new"));
}

static int try_mkdir(void)
{
	return of(mkdir("new", 0700));
}

static int try_link(void)
{
	return of(symlink("other.txt", "new"));
}

static int try_chmod(void)
{
	return of(chmod("other.txt", 04755));
}

static int try_ptrace(void)
{
	return of(ptrace(PTRACE_ATTACH, getppid(), 0, 0));
}

static int try_kill(void)
{
	return of(kill(getppid(), SIGTERM));
}

static int try_kill_group(void)
{
	return of(kill(0, SIGTERM));
}

static int try_tgkill(void)
{
	return of(syscall(SYS_tgkill, getppid(), getppid(), SIGTERM));
}

static int try_owner(void)
{
	return of(fcntl(old_socket, F_SETOWN, getppid()));
}

static int try_typing(void)
{
	return of(ioctl(0, TIOCSTI, "x"));
}

static int try_code(void)
{
	void *p = mmap(NULL, 4096, PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? -errno : 0;
}

static int try_more_code(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return of(mprotect(p, 4096, PROT_READ | PROT_EXEC));
}

static int try_limit(void)
{
	return of(syscall(SYS_prlimit64, getppid(), 7, NULL, NULL));
}

static void refused(void **state)
{
	static const struct {
		const char *name;
		int (*act)(void);
	} all[] = {
		{ "exec", try_exec },		{ "fork", try_fork },
		{ "clone", try_clone },		{ "socket", try_socket },
		{ "unix", try_unix },		{ "connect", try_connect },
		{ "send", try_send },		{ "open to write", try_write_open },
		{ "create", try_create },	{ "truncate", try_truncate },
		{ "temporary", try_temp },	{ "unlink", try_unlink },
		{ "rename", try_rename },	{ "mkdir", try_mkdir },
		{ "symlink", try_link },	{ "chmod", try_chmod },
		{ "ptrace", try_ptrace },	{ "kill", try_kill },
		{ "kill all", try_kill_group }, { "tgkill", try_tgkill },
		{ "SIGIO", try_owner },		{ "type", try_typing },
		{ "code", try_code },		{ "more code", try_more_code },
		{ "limits", try_limit },
	};

	(void)state;
	need(BOX_SECCOMP);
	old_socket = socket(AF_INET, SOCK_DGRAM, 0);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		int ret = boxed(&objects, all[i].act);

		if (ret != -EPERM)
			fail_msg("%s: %s", all[i].name, strerror(-ret));
	}
	close(old_socket);
	assert_int_equal(access("other.txt", F_OK), 0);
	assert_int_equal(access("new", F_OK), -1);
}

static int try_new_call(void)
{
	return of(syscall(SYS_io_uring_setup, 1, NULL));
}

#ifdef __x86_64__
/* exit() of i386 has the number of write(); unlink() of x32. */
static int try_i386(void)
{
	long ret = 20; /* getpid() */

	__asm__ volatile("int $0x80" : "+a"(ret) : : "memory", "r8", "r9", "r10", "r11");
	return ret > 0 ? 0 : (int)ret;
}

static int try_x32(void)
{
	return of(syscall(0x40000000 + SYS_getpid));
}
#endif

static void unknown(void **state)
{
	(void)state;
	need(BOX_SECCOMP);
	assert_int_equal(boxed(&objects, try_new_call), -ENOSYS);
#ifdef __x86_64__
	assert_int_equal(boxed(&objects, try_x32), -ENOSYS);
	if (boxed(&(struct box_opts){ 0 }, try_i386) != -200)
		assert_int_equal(boxed(&objects, try_i386), -ENOSYS);
#endif
}

/* ---- what can be read ------------------------------------------------------------------------ */

static const char *to_read;

static int try_read(void)
{
	int fd = open(to_read, O_RDONLY);

	return of(fd);
}

static int reads(const struct box_opts *o, const char *path)
{
	to_read = path;
	return boxed(o, try_read);
}

static void read_some(void **state)
{
	const char *const named[] = { "recording", NULL };
	const struct box_opts plain = { .read = named, .nr_read = 2 };
	int self = open("/proc/self/exe", O_RDONLY);

	(void)state;
	close(self);
	need(BOX_LANDLOCK);
	assert_int_equal(reads(&objects, "home/work/prog"), 0);
	assert_int_equal(reads(&objects, "recording"), 0);
	assert_int_equal(reads(&objects, "/proc/self/maps"), 0);
	assert_int_equal(reads(&objects, "home/.ssh"), 0); /* its names */
	assert_int_equal(reads(&objects, "home/.ssh/id"), -EACCES);
	assert_int_equal(reads(&objects, "home/.tokens"), -EACCES);
	assert_int_equal(reads(&objects, "home/a.out"), 0);
	assert_int_equal(reads(&objects, "home/.cache/prog"), 0);
	assert_int_equal(reads(&objects, "/etc/passwd"), -EACCES);
	assert_int_equal(reads(&plain, "recording"), 0);
	assert_int_equal(reads(&plain, "other.txt"), -EACCES);
	assert_int_equal(reads(&plain, "home/work/prog"), -EACCES);
}

/* ---- what goes on ---------------------------------------------------------------------------- */

static void *thread(void *arg)
{
	void *p = malloc(1 << 20);

	memset(p, 1, 1 << 20);
	free(p);
	return arg;
}

static int try_work(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	int fds[2], n = 0;
	pthread_t t;
	void *got;

	if (pthread_create(&t, NULL, thread, &n) || pthread_join(t, &got) || got != &n)
		return -1;
	sigaction(SIGUSR1, &ignore, NULL);
	if (raise(SIGUSR1) || kill(getpid(), SIGUSR1))
		return -2;
	if (pipe(fds) || write(fds[1], "x", 1) != 1 || ioctl(fds[0], FIONREAD, &n) || n != 1)
		return -3;
	return fcntl(fds[0], F_DUPFD_CLOEXEC, 3) < 0 ? -4 : 0;
}

static int try_twice(void)
{
	box_enter(&objects);
	return try_work();
}

static void goes_on(void **state)
{
	(void)state;
	assert_int_equal(boxed(&objects, try_work), 0);
	assert_int_equal(boxed(&objects, try_twice), 0);
	assert_int_equal(try_work(), 0);
}

/* ---- the attendant --------------------------------------------------------------------------- */

static const char *to_open;
static enum output_kind kind;

static int try_output(void)
{
	struct err e = { 0 };
	struct output out;
	int ret = box_output_open(&out, to_open, kind, NULL, &e);

	if (ret)
		return e.text[0] && out.fd == -1 ? ret : -201;
	return write(out.fd, "new", 3) == 3 && !close(out.fd) ? 0 : -202;
}

static int opens(const struct box_opts *o, const char *path)
{
	to_open = path;
	return boxed(o, try_output);
}

static struct box_opts writes(enum box_where where, const char *path)
{
	static struct box_output out;

	out = (struct box_output){ where, path };
	return (struct box_opts){ .objects = true, .outputs = &out, .nr_outputs = 1 };
}

static bool holds(const char *path, const char *text)
{
	char buf[16] = "";
	FILE *f = fopen(path, "r");
	bool same = f && fgets(buf, sizeof(buf), f) && !strcmp(buf, text);

	if (f)
		fclose(f);
	return same;
}

static void outputs(void **state)
{
	struct box_opts o = writes(BOX_FILE, "out");

	(void)state;
	need(0);
	if (!box_try().holds)
		skip_because("neither a filter nor Landlock here: outputs are opened as ever");
	assert_int_equal(opens(&o, "out"), 0);
	assert_true(holds("out", "new"));
	assert_int_equal(opens(&o, "other.txt"), -EPERM);
	assert_int_equal(opens(&o, "./out"), -EPERM);
	assert_int_equal(opens(&objects, "out"), -EPERM);
	o = writes(BOX_FILE, "home"); /* an error of output_open() comes as it is */
	assert_int_equal(opens(&o, "home"), -EISDIR);
	o = writes(BOX_BELOW, "made");
	assert_int_equal(opens(&o, "made/one"), 0);
	assert_true(holds("made/one", "new"));
	assert_int_equal(opens(&o, "made/.hidden"), -EPERM);
	assert_int_equal(opens(&o, "made/../other.txt"), -EPERM);
	assert_int_equal(opens(&o, "madeup"), -EPERM);
	o = writes(BOX_BELOW, "made/");
	assert_int_equal(opens(&o, "made/two"), 0);
	o = writes(BOX_BEGINS, "perf.data");
	assert_int_equal(opens(&o, "perf.data.cycles.dump"), 0);
	assert_int_equal(opens(&o, "perf.data.x/../y.dump"), -EPERM);
	assert_int_equal(opens(&o, "perf.data.cycles"), -EPERM);
	assert_true(holds("other.txt", "old"));
}

static int try_replace(void)
{
	struct box_replacement r, other;
	int ret = box_replace_open(&r, to_open, false);

	if (ret)
		return ret;
	if (box_replace_open(&other, to_open, true) || write(other.fd, "lost", 4) != 4 ||
	    box_replace_close(&other, false))
		return -201;
	return write(r.fd, "whole", 5) == 5 ? box_replace_close(&r, true) : -202;
}

static int try_left(void)
{
	struct box_replacement r;

	return box_replace_open(&r, to_open, false);
}

static void replaced(void **state)
{
	struct box_opts o = writes(BOX_FILE, "other.txt");

	(void)state;
	to_open = "other.txt";
	assert_int_equal(boxed(&o, try_replace), 0);
	assert_true(holds("other.txt", "whole"));
	unit_put(dir, "other.txt", "old", 0644);
	o = writes(BOX_JITTED, "");
	to_open = "home/jitted-42.so";
	assert_int_equal(boxed(&o, try_replace), 0);
	if (!box_try().holds)
		return;
	for (const char *const *bad =
		     (const char *const[]){ "other.txt", "jitted-.so", "jitted-4.so.x",
					    "jitted-4/../other.txt", NULL };
	     *bad; bad++) {
		to_open = *bad;
		assert_int_equal(boxed(&o, try_left), -EPERM);
	}
}

static int try_save(void)
{
	int fd = box_save_open(to_open, false);

	return fd < 0 ? fd : 0;
}

static int try_save_over(void)
{
	int fd = box_save_open(to_open, true);

	return fd < 0 ? fd : 0;
}

static int saves(const char *path, bool over)
{
	struct box_opts o = writes(BOX_SAVED, ".");

	to_open = path;
	return boxed(&o, over ? try_save_over : try_save);
}

static void saved(void **state)
{
	(void)state;
	assert_int_equal(saves("hot.csv", false), 0);
	assert_int_equal(saves("report.txt", false), -EEXIST);
	assert_int_equal(saves("report.txt", true), 0);
	assert_int_equal(saves("perf.hist.0", false), 0);
	if (!box_try().holds)
		return;
	assert_int_equal(saves("other.txt", true), -EPERM);
	assert_int_equal(saves(".profile.txt", false), -EPERM);
	assert_int_equal(saves("home/a.txt", false), -EPERM);
	assert_int_equal(saves("prog", false), -EPERM);
}

static int try_temp_file(void)
{
	int fd = box_temp_file();

	return write(fd, "x", 1) == 1 && lseek(fd, 0, SEEK_SET) == 0 ? 0 : -1;
}

static void temporary(void **state)
{
	(void)state;
	assert_int_equal(boxed(&objects, try_temp_file), 0);
}

/* Questions that nobody of ours asks. */
static int try_nonsense(void)
{
	struct box_answer a;
	uint64_t seed = 42;
	char q[512];

	if (!box_closed())
		return 0;
	for (int i = 0; i < 20000; i++) {
		size_t n = unit_random(&seed) % sizeof(q);

		for (size_t k = 0; k < n; k++)
			q[k] = (char)unit_random(&seed);
		if (n && i % 2)
			q[0] = (char)(i / 2 % 8);
		if (!box_ask((enum box_service)(i % (BOX_SERVICES + 3)), q, n, &a) && a.fd >= 0)
			close(a.fd);
	}
	return box_ask(BOX_TEMP, "", 0, &a) || a.fd < 0;
}

static void nonsense(void **state)
{
	struct symcache tables = { .dir = -1 };
	const struct box_served served[BOX_SERVICES] = {
		[BOX_ROOT] = { buildid_serve_root, NULL },
		[BOX_ROOT_FILE] = { buildid_serve_file, NULL },
		[BOX_TABLE] = { symbol_serve_table, &tables },
		[BOX_TABLE_KEEP] = { symbol_serve_keep, &tables },
	};
	const struct box_opts o = { .objects = true, .served = served };

	(void)state;
	assert_int_equal(boxed(&o, try_nonsense), 0);
}

/* A root that is ours is not served: what lies there is Landlock's to grant. */
static int try_root(void)
{
	int fd = box_open_in_root(getppid(), "/etc/passwd", 0);

	return fd < 0 ? fd : 0;
}

static void roots(void **state)
{
	const struct box_served served[BOX_SERVICES] = {
		[BOX_ROOT_FILE] = { buildid_serve_file, NULL },
	};
	const struct box_opts o = { .objects = true, .served = served };

	(void)state;
	if (!box_try().holds)
		skip_because("neither a filter nor Landlock here: nobody is asked");
	assert_int_equal(boxed(&o, try_root), -ENOENT);
	assert_int_equal(boxed(&objects, try_root), -EPERM);
}

/* How many questions the attendant, which is another process, was asked. */
static int *asked;

static int count_questions(void *ctx, const char *q, size_t size, struct box_answer *a)
{
	(*asked)++;
	return buildid_serve_root(ctx, q, size, a);
}

#define PROCESSES 6000

/* Of many processes, some of which have ended, with two that live and have our root. */
static int try_many_roots(void)
{
	struct buildid_roots *r = NULL;
	struct machine *m = NULL;
	bool ok;

	ok = !machine_new(&m, "x86_64", NULL) && !buildid_roots_new(&r) &&
	     machine_thread(m, getpid(), getpid()) && machine_thread(m, getppid(), getppid());
	for (int32_t i = 0; ok && i < PROCESSES; i++) {
		struct thread *th = machine_thread(m, 0x3fffffff - i, 0x3fffffff - i);

		ok = th != NULL;
		if (th)
			th->exited = i % 2;
	}
	if (ok)
		buildid_roots_add_all(r, m);
	ok = ok && !buildid_roots_nr(r);
	buildid_roots_free(r);
	machine_free(m);
	return ok ? 0 : -1;
}

static void many_roots(void **state)
{
	const struct box_served served[BOX_SERVICES] = { [BOX_ROOT] = { count_questions, NULL } };
	const struct box_opts o = { .objects = true, .served = served };

	(void)state;
	if (!box_try().holds)
		skip_because("neither a filter nor Landlock here: nobody is asked");
	asked = mmap(NULL, sizeof(*asked), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	assert_ptr_not_equal(asked, MAP_FAILED);
	assert_int_equal(boxed(&o, try_many_roots), 0);
	/* 3,002 numbers of 4 bytes each. */
	assert_int_equal(*asked, (PROCESSES / 2 + 2) * 4 / BOX_BYTES + 1);
	munmap(asked, sizeof(*asked));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused),    cmocka_unit_test(unknown),
		cmocka_unit_test(read_some),  cmocka_unit_test(goes_on),
		cmocka_unit_test(outputs),    cmocka_unit_test(replaced),
		cmocka_unit_test(saved),      cmocka_unit_test(temporary),
		cmocka_unit_test(nonsense),   cmocka_unit_test(roots),
		cmocka_unit_test(many_roots),
	};

	return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
