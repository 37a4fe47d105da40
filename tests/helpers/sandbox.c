// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sandbox ERRNO COMMAND...: runs COMMAND where perf_event_open fails with ERRNO, as in containers.
 * sandbox -w ERRNO COMMAND...: where writing data to files (pwritev) does, as on a broken disk.
 * sandbox -l, -s ERRNO COMMAND...: a kernel without Landlock, one without seccomp; several of these one in the other.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static const struct {
		const char *option;
		unsigned nr;
	} calls[] = { { "-w", SYS_pwritev }, { "-l", 444 }, { "-s", SYS_seccomp } };
	unsigned nr = SYS_perf_event_open, code;
	bool option = false;

	for (size_t i = 0; argc > 1 && i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!strcmp(argv[1], calls[i].option)) {
			nr = calls[i].nr;
			option = true;
		}
	code = argc > 2 + option ? (unsigned)atoi(argv[1 + option]) : 0;
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | code),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(filter) / sizeof(filter[0]), filter };

	if (!code)
		return 2;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog)) {
		perror("sandbox");
		return 77;
	}
	argv += 2 + option;
	execvp(argv[0], argv);
	perror(argv[0]);
	return 127;
}
