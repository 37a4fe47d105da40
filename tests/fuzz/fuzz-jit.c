// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a jitdump file; all that can be asked of it. */
#include <fcntl.h>
#include <stdlib.h>

#include "fuzz.h"
#include "jit/jit.h"

static int row(void *ctx, const struct jit_line *l)
{
	*(size_t *)ctx += strlen(l->file);
	return 0;
}

static void ask(struct jitdump *d, const struct jit_code *c)
{
	struct jit_line line;
	char buf[32];
	size_t sum = strlen(c->name);

	if (jitdump_find(d, c->at) != c || jitdump_read(d, c->at, buf, sizeof(buf)) <= 0)
		abort();
	jitdump_line(d, c->at + c->size - 1, &line);
	jitdump_lines(d, c, row, &sum);
}

static void run(const uint8_t *data, size_t size)
{
	int fd = fcntl(fuzz_file(0, data, size), F_DUPFD_CLOEXEC, 0);
	const struct jit_event *ev;
	const struct jit_code *c;
	struct jitdump *d;
	struct err e;

	if (fd < 0 || jitdump_open(&d, fd, &e))
		return;
	for (size_t i = 0; (c = jitdump_code(d, i)); i++)
		ask(d, c);
	for (size_t i = 0; (ev = jitdump_event(d, i)); i++)
		if (!jitdump_code(d, ev->code))
			abort();
	jitdump_close(d);
}

const struct fuzz_target fuzz_jit = {
	.name = "jit",
	.reads = "jitdump files",
	.max_len = 4096,
	.run = run,
};
