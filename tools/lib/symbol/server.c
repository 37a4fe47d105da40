// SPDX-License-Identifier: GPL-2.0-or-later
/* Debug files from a debuginfod server: only when the user asked for it. */
#include <stdlib.h>
#include <unistd.h>

#include "config.h"
#include "symbol/internal.h"

#if HAVE_DEBUGINFOD
#include <elfutils/debuginfod.h>

char *server_find_debug(struct resolver *res, const struct build_id *id, const char *what)
{
	debuginfod_client *client;
	char *path = NULL;
	int fd;

	if (!res->opts.debuginfod || !id->size)
		return NULL;
	client = debuginfod_begin();
	if (!client)
		return NULL;
	log_info("asking debuginfod for %s", what);
	fd = debuginfod_find_debuginfo(client, id->id, id->size, &path);
	debuginfod_end(client);
	if (fd >= 0) {
		close(fd);
		return path;
	}
	if (!getenv("DEBUGINFOD_URLS"))
		resolver_warn(res, "debuginfod was asked for, but DEBUGINFOD_URLS names no server");
	return NULL;
}
#else
char *server_find_debug(struct resolver *res, const struct build_id *id, const char *what)
{
	(void)id;
	(void)what;
	if (res->opts.debuginfod)
		resolver_warn(res, "debuginfod was asked for, but this perf was built without it");
	return NULL;
}
#endif
