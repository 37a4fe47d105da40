/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting for threads that we trace. */
#ifndef PERF_TRACER_WAIT_INT_H
#define PERF_TRACER_WAIT_INT_H

#include "base/base.h"

/*
 * What came of it, told by its kind and never by the status: that of a program which ended well is
 * 0, and who took 0 for "nothing" would wait for it for ever.
 */
enum waited_kind {
	WAITED_NOTHING, /* it runs on, or stands where no signal reaches it */
	WAITED_STOP,
	WAITED_END,  /* exited or killed; nothing will be heard of it again */
	WAITED_GONE, /* there is nobody by this number: an exec took it, or another wait its end */
};

struct waited {
	enum waited_kind kind;
	int status; /* as waitpid() gives it; of a stop and of an end */
};

uint64_t tracer_now(void);
struct waited wait_returned(int status);
/*
 * For the next stop of @tid or its end, at most @ms and up to two seconds more for which a busy
 * machine gives it no CPU.
 */
struct waited tracer_wait(pid_t tid, int ms);
/* Stops a thread that did not come by itself: at most a second, and for a CPU as above. */
struct waited tracer_fetch(pid_t tid);
/*
 * Of a thread that has something to tell, in *@tid; without waiting. Of thread @first, if that is one;
 * else, and with 0, the kernel chooses: our own children, then who was attached last.
 */
struct waited tracer_wait_any(pid_t first, pid_t *tid);
/* Whether a status of @tid can come: it is traced by us and was not waited for to its end. */
bool tracer_is_ours(pid_t tid);
/* It stands in a stop, or has come to an end, that is still to be told. */
bool tracer_has_come(pid_t tid);
/* It stands in a stop that was told already: nobody but us lets it go on. */
bool tracer_is_standing(pid_t tid);
/* It runs, or would if it had a CPU. */
bool tracer_is_runnable(pid_t tid);
/* It waits in the kernel for what others do, and stands in no stop. */
bool tracer_is_asleep(pid_t tid);
/* Sleeps until a thread may have something to tell, or for so long. */
void tracer_doze(long ns);

#endif
