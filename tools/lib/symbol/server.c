// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Debug files, and programs themselves, from a debuginfod server: only when the user asked for it, for the question alone
 * tells the server what is profiled here.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/loaded.h"
#include "box/box.h"
#include "config.h"
#include "symbol/symbol-int.h"

#if HAVE_DEBUGINFOD
#include <elfutils/debuginfod.h>

struct client {
	__typeof__(debuginfod_begin) *begin;
	__typeof__(debuginfod_find_debuginfo) *find; /* or _executable, which is alike */
	__typeof__(debuginfod_end) *end;
};

static bool load_client(struct client *c, const char *find)
{
	const char *names[] = { "debuginfod_begin", find, "debuginfod_end" };
	struct err e = { 0 };

	return !loaded_functions(
		&(struct loaded){ "debuginfod needs", "libdebuginfod.so.1", "libdebuginfod1" },
		names, ARRAY_SIZE(names), (void **)c, &e);
}

/* 0 with *@path, or -errno; -ELIBACC: the library does not load. */
static int fetch(const struct build_id *id, const char *find, char **path)
{
	debuginfod_client *client;
	struct client c;
	int fd;

	if (!load_client(&c, find))
		return -ELIBACC;
	client = c.begin();
	if (!client)
		return -ENOMEM;
	fd = c.find(client, id->id, id->size, path);
	c.end(client);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

#define DEBUGINFO  "debuginfod_find_debuginfo"
#define EXECUTABLE "debuginfod_find_executable"

/* What is asked is a byte, which of the two, and a build id; the answer is where the file lies. */
int symbol_serve_server(void *ctx, const char *q, size_t size, struct box_answer *a)
{
	struct build_id id = { .size = (uint8_t)(size - 1) };
	char *path = NULL;
	int ret;

	(void)ctx;
	if (size < 2 || size - 1 > sizeof(id.id))
		return -EINVAL;
	memcpy(id.id, q + 1, size - 1);
	ret = fetch(&id, *q ? EXECUTABLE : DEBUGINFO, &path);
	if (!ret && strlen(path) < sizeof(a->bytes)) {
		a->size = strlen(path);
		memcpy(a->bytes, path, a->size);
	}
	free(path);
	return ret;
}

static int fetch_outside(const struct build_id *id, const char *find, char **path)
{
	struct box_answer a;
	char q[1 + sizeof(id->id)];
	int ret;

	q[0] = !strcmp(find, EXECUTABLE);
	memcpy(q + 1, id->id, id->size);
	ret = box_ask(BOX_SERVER, q, 1u + id->size, &a);
	if (!ret)
		*path = strndup((const char *)a.bytes, a.size);
	return ret ?: *path ? ret : -ENOMEM;
}

static char *ask(struct resolver *res, const struct build_id *id, const char *what,
		 const char *find)
{
	char *path = NULL;
	int fd;

	if (!res->opts.debuginfod || !id->size)
		return NULL;
	log_to(&res->opts.log, LOG_INFO, "asking debuginfod for %s", what);
	fd = box_closed() ? fetch_outside(id, find, &path) : fetch(id, find, &path);
	if (!fd)
		return path;
	if (fd == -ELIBACC) {
		resolver_warn(res,
			      "debuginfod was asked for, but libdebuginfod.so.1 does not load");
		return NULL;
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
#define DEBUGINFO  NULL
#define EXECUTABLE NULL

int symbol_serve_server(void *ctx, const char *q, size_t size, struct box_answer *a)
{
	(void)ctx, (void)q, (void)size, (void)a;
	return -ENOSYS;
}

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
	return ask(res, id, what, DEBUGINFO);
}

char *files_server_code(struct resolver *res, const struct build_id *id, const char *what)
{
	return ask(res, id, what, EXECUTABLE);
}
