// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * limit SECONDS COMMAND...: runs COMMAND and ends it, with all that it started, when it runs for
 * longer; the status is then 124, else the command's. What ran at that moment is told on stdout in
 * lines for TAP, with the state and the place in the kernel of each process: that is where it hung.
 * What a command leaves running is ended and told too. At last a line tells the CPU time of all that was waited for.
 *
 * A process group or a session would miss daemons, and a pipe would stay open as long as one of them
 * has it. Whoever loses its parent below us becomes our child instead (PR_SET_CHILD_SUBREAPER); all
 * of them can be found from here, and there is nobody left when no child is.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct process {
	pid_t pid, parent;
	char state, comm[32];
	bool below;
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* The first bytes of /proc/PID/NAME as one line. */
static const char *first_bytes(pid_t pid, const char *name, char *buf, size_t size)
{
	char path[64];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	f = fopen(path, "re");
	if (f) {
		n = fread(buf, 1, size - 1, f);
		fclose(f);
	}
	while (n && (!buf[n - 1] || buf[n - 1] == '\n'))
		n--;
	buf[n] = 0;
	for (size_t i = 0; i < n; i++)
		if (buf[i] < ' ' || buf[i] > '~')
			buf[i] = ' ';
	return buf;
}

/* All processes of this machine; the caller frees them. */
static struct process *processes(size_t *nr)
{
	size_t n = 0, room = 0;
	struct process *list = NULL;
	DIR *dir = opendir("/proc");
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		struct process p = { .pid = (pid_t)atoi(d->d_name) };
		char stat[256], *end;
		int parent;

		if (p.pid <= 0)
			continue;
		first_bytes(p.pid, "stat", stat, sizeof(stat));
		end = strrchr(stat, ')');
		if (!end || sscanf(end, ") %c %d", &p.state, &parent) != 2)
			continue;
		*end = 0;
		snprintf(p.comm, sizeof(p.comm), "%s", strchr(stat, '(') + 1);
		p.parent = parent;
		if (n == room) {
			room = room ? 2 * room : 256;
			list = realloc(list, room * sizeof(*list));
			if (!list)
				abort();
		}
		list[n++] = p;
	}
	if (dir)
		closedir(dir);
	*nr = n;
	return list;
}

/* Marks those below us; a parent may come behind its child in the list. */
static struct process *descendants(size_t *nr)
{
	struct process *list = processes(nr);
	pid_t self = getpid();

	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < *nr; i++)
			for (size_t k = 0; k < *nr && !list[i].below; k++)
				if (list[i].parent == self ||
				    (list[k].below && list[k].pid == list[i].parent))
					list[i].below = more = true;
	}
	return list;
}

static void tell(const char *what)
{
	struct process *list;
	size_t nr;

	printf("# %s\n", what);
	list = descendants(&nr);
	for (size_t i = 0; i < nr; i++) {
		char cmd[200], place[64];

		if (!list[i].below || list[i].state == 'Z')
			continue;
		first_bytes(list[i].pid, "cmdline", cmd, sizeof(cmd));
		printf("#   %d below %d, %c in %s: %s\n", (int)list[i].pid, (int)list[i].parent,
		       list[i].state, first_bytes(list[i].pid, "wchan", place, sizeof(place)),
		       cmd[0] ? cmd : list[i].comm);
	}
	free(list);
	fflush(stdout);
}

static void signal_all(int sig, pid_t but)
{
	size_t nr;
	struct process *list = descendants(&nr);

	for (size_t i = 0; i < nr; i++)
		if (list[i].below && list[i].pid != but)
			kill(list[i].pid, sig);
	free(list);
}

enum end { ENDED, TOO_LONG, TOLD_TO_END };

/* Takes ended children until COMMAND is among them, UNTIL has come or a signal tells us to end. */
static enum end wait_for_it(pid_t pid, const sigset_t *set, int *status, double until)
{
	for (;;) {
		double left = until - now();
		struct timespec ts = { (time_t)left, (long)((left - (double)(time_t)left) * 1e9) };
		int st, sig;
		pid_t got;

		while ((got = waitpid(-1, &st, WNOHANG)) > 0)
			if (got == pid) {
				*status = st;
				return ENDED;
			}
		if (left <= 0)
			return TOO_LONG;
		sig = sigtimedwait(set, NULL, &ts);
		if (sig > 0 && sig != SIGCHLD)
			return TOLD_TO_END;
	}
}

/* Whether somebody is left. */
static bool reap(void)
{
	pid_t got;

	do {
		got = waitpid(-1, NULL, WNOHANG);
	} while (got > 0);
	return !got;
}

/*
 * Until nobody is left; one that is being born meanwhile is found in the next round. COMMAND has a
 * moment without the others: a shell runs its trap when the command in front has ended, so that its
 * scratch files go. What the trap starts, as rm, has a second until the next round.
 */
static void end_all(pid_t command, double grace)
{
	const struct timespec nap = { 0, 20000000 };
	double begin = now(), round = grace;

	for (double t = 0; reap() && t < grace + 30; t = now() - begin) {
		if (t >= round) {
			signal_all(SIGKILL, t < grace + 3 ? command : 0);
			round = t + 1;
		}
		nanosleep(&nap, NULL);
	}
	if (reap())
		tell("nothing ends these:");
}

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void tell_cpu(void)
{
	struct rusage r;

	if (getrusage(RUSAGE_CHILDREN, &r))
		return;
	printf("# cpu: %.1f s, %.1f s of it in the kernel\n",
	       seconds_of(r.ru_utime) + seconds_of(r.ru_stime), seconds_of(r.ru_stime));
}

static void run(char **argv, const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
	execvp(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

int main(int argc, char **argv)
{
	double seconds = argc > 2 ? atof(argv[1]) : 0;
	pid_t pid, starter = getppid();
	sigset_t set, before;
	int status = 0;
	char text[64];

	if (seconds <= 0) {
		fputs("usage: limit SECONDS COMMAND...\n", stderr);
		return 2;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &before);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) || prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0))
		perror("limit: prctl");
	if (getppid() != starter)
		return 1;
	pid = fork();
	if (pid < 0) {
		perror("limit: fork");
		return 126;
	}
	if (!pid)
		run(argv + 2, &before);
	switch (wait_for_it(pid, &set, &status, now() + seconds)) {
	case TOLD_TO_END:
		signal_all(SIGTERM, 0);
		end_all(pid, 5);
		return 1;
	case TOO_LONG:
		snprintf(text, sizeof(text), "ended after %g s, in the midst of:", seconds);
		tell(text);
		signal_all(SIGTERM, 0);
		end_all(pid, 5);
		return 124;
	case ENDED: break;
	}
	if (reap()) {
		const struct timespec moment = { 1, 0 };

		nanosleep(&moment, NULL); /* for what is on its way out */
		if (reap()) {
			tell("left running:");
			end_all(0, 0);
		}
	}
	tell_cpu();
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
