// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a file of settings. */
#include <stdio.h>

#include "cli/cli.h"
#include "fuzz.h"

static int setting(void *ctx, const char *key, const char *value)
{
	(void)ctx;
	fuzz_touch(key);
	fuzz_touch(value);
	return 0;
}

static void run(const uint8_t *data, size_t size)
{
	FILE *f = size ? fmemopen((void *)data, size, "r") : NULL;
	struct err err = { 0 };

	if (!f)
		return;
	cli_config_read(f, "config", setting, NULL, &err);
	fclose(f);
}

const struct fuzz_target fuzz_config = {
	.name = "config",
	.reads = "files of settings",
	.max_len = 1024,
	.run = run,
	.mutate = mutate_text,
};
