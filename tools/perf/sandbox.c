// SPDX-License-Identifier: GPL-2.0-or-later
/* The box around a command: from its options to what the box lets through, and who serves what. */
#include <stdio.h>
#include <stdlib.h>

#include "base/tables.h"
#include "buildid/buildid.h"
#include "builtin.h"
#include "dtpmu/dtpmu.h"
#include "sandbox.h"
#include "symbol/symbol.h"

struct readable {
	VEC(const char *) path;
	char symfs[4096], store[4096];
};

static void add(struct readable *r, const char *path)
{
	/* What memory lacks for cannot be read: that is said where it is opened. */
	if (path)
		(void)!vec_push(&r->path, strcmp(path, "-") ? path : "/dev/stdin");
}

static void add_session(struct readable *r, const struct session_opts *o)
{
	add(r, o->input ? o->input : "perf.data");
	add(r, o->vmlinux);
	add(r, o->kallsyms);
	if (o->symfs && snprintf(r->symfs, sizeof(r->symfs), "%.*s", (int)strcspn(o->symfs, ","),
				 o->symfs) < (int)sizeof(r->symfs))
		add(r, r->symfs);
	if (buildid_cache_dir(r->store, sizeof(r->store)))
		add(r, r->store);
}

/* The library that asks servers reads their names in the environment of whoever asks. */
static bool asks_servers(const struct session_opts *o)
{
	return o && o->debuginfod &&
	       (!o->debuginfod[0] || !setenv("DEBUGINFOD_URLS", o->debuginfod, 1));
}

static void say_state(void)
{
	const struct box_state s = box_state();
	char landlock[32] = "no Landlock";

	if (s.holds & BOX_LANDLOCK)
		snprintf(landlock, sizeof(landlock), "Landlock %d", s.landlock);
	log_info("sandbox: %s, %s", s.holds & BOX_SECCOMP ? "seccomp" : "no seccomp", landlock);
}

void sandbox_enter(const struct sandbox *s)
{
	const char *env = getenv("PERF_SANDBOX");
	struct symcache tables = { .dir = -1 };
	struct dtpmu_compile dt = { .path = s->device_tree };
	struct box_served served[BOX_SERVICES] = {
		[BOX_ROOT] = { buildid_serve_root, NULL },
		[BOX_ROOT_FILE] = { buildid_serve_file, NULL },
		[BOX_SERVER] = { asks_servers(s->session) ? symbol_serve_server : NULL, NULL },
		[BOX_TABLE] = { symbol_serve_table, &tables },
		[BOX_TABLE_KEEP] = { symbol_serve_keep, &tables },
		[BOX_COMPILE] = { dtpmu_serve_compile, &dt },
		[BOX_STORE] = s->store,
	};
	struct readable r = { .symfs = "" };
	struct box_opts o = { .objects = s->objects, .outputs = s->output, .served = served };

	if (s->off || (env && !strcmp(env, "0")))
		return;
	if (s->session)
		add_session(&r, s->session);
	add(&r, s->device_tree);
	for (size_t i = 0; i < ARRAY_SIZE(s->read); i++)
		add(&r, s->read[i]);
	for (size_t i = 0; i < s->nr_more; i++)
		add(&r, s->more[i]);
	o.read = r.path.v;
	o.nr_read = r.path.n;
	for (; o.nr_outputs < ARRAY_SIZE(s->output) && s->output[o.nr_outputs].path;)
		o.nr_outputs++;
	box_enter(&o);
	vec_free(&r.path);
	say_state();
}
