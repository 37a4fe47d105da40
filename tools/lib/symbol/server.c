// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Debug files, and programs themselves, from a debuginfod server: only when the user asked for it, for the question alone
 * tells the server what is profiled here.
 */
#include <stdlib.h>
#include <unistd.h>

#include "config.h"
#include "symbol/symbol-int.h"

#if HAVE_DEBUGINFOD
#include <dlfcn.h>
#include <elfutils/debuginfod.h>

/*
 * Loaded only when it is asked for: linked, it would bring a whole HTTP client with it into
 * every run, which costs more than many a report.
 */
struct client {
	void *lib;
	__typeof__(debuginfod_begin) *begin;
	__typeof__(debuginfod_find_debuginfo) *find; /* or _executable, which is alike */
	__typeof__(debuginfod_end) *end;
};

static bool load_client(struct client *c, const char *find)
{
	c->lib = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!c->lib)
		return false;
	c->begin = (__typeof__(c->begin))dlsym(c->lib, "debuginfod_begin");
	c->find = (__typeof__(c->find))dlsym(c->lib, find);
	c->end = (__typeof__(c->end))dlsym(c->lib, "debuginfod_end");
	return c->begin && c->find && c->end;
}

static char *ask(struct resolver *res, const struct build_id *id, const char *what,
		 const char *find)
{
	debuginfod_client *client;
	struct client c;
	char *path = NULL;
	int fd;

	if (!res->opts.debuginfod || !id->size)
		return NULL;
	if (!load_client(&c, find)) {
		resolver_warn(res,
			      "debuginfod was asked for, but libdebuginfod.so.1 does not load");
		return NULL;
	}
	/* The library stays loaded: it keeps threads and state of its own. */
	client = c.begin();
	if (!client)
		return NULL;
	log_to(&res->opts.log, LOG_INFO, "asking debuginfod for %s", what);
	fd = c.find(client, id->id, id->size, &path);
	c.end(client);
	if (fd >= 0) {
		close(fd);
		return path;
	}
	/* That it has no such file is said where the file is missed. */
	if (!getenv("DEBUGINFOD_URLS"))
		resolver_warn(res, "debuginfod was asked for, but DEBUGINFOD_URLS names no server");
	else if (fd != -ENOENT)
		resolver_warn(res, "no debuginfod server answers (%s): %s",
			      getenv("DEBUGINFOD_URLS"), strerror(-fd));
	return NULL;
}
#else
static char *ask(struct resolver *res, const struct build_id *id, const char *what,
		 const char *find)
{
	(void)id, (void)what, (void)find;
	if (res->opts.debuginfod)
		resolver_warn(res, "debuginfod was asked for, but this perf was built without it");
	return NULL;
}
#endif

char *files_server_debug(struct resolver *res, const struct build_id *id, const char *what)
{
	return ask(res, id, what, "debuginfod_find_debuginfo");
}

char *files_server_code(struct resolver *res, const struct build_id *id, const char *what)
{
	return ask(res, id, what, "debuginfod_find_executable");
}
