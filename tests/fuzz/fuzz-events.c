// SPDX-License-Identifier: GPL-2.0-or-later
/* Any text as the events of -e, on a machine that has no PMUs but those that every kernel has. */
#include <stdlib.h>

#include "events/events.h"
#include "fuzz.h"

static void run(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct event_list evs = { 0 };
	struct callchain_opts c = { 0 };
	struct pmus *pmus;
	struct err err = { 0 };

	if (!text || pmus_new(&pmus, "/nonexistent", NULL))
		abort();
	events_parse(&evs, pmus, text, &err);
	events_callchain_parse(&c, text, &err);
	event_glob(text, "sched:sched_switch");
	events_free(&evs);
	pmus_free(pmus);
	free(text);
}

const struct fuzz_target fuzz_events = {
	.name = "events",
	.reads = "events and their terms, as -e has them",
	.max_len = 256,
	.run = run,
	.mutate = mutate_text,
};
