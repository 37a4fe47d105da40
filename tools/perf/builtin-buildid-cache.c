// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf buildid-cache: objects that are kept by build id, for recordings that outlive them. Names
 * of a list are independent: what fails is said, the rest is still done, and the exit status
 * tells.
 */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "buildid/buildid.h"
#include "builtin.h"
#include "capture/capture.h"
#include "sandbox.h"
#include "symbol/symbol.h"
#include "emit/emit.h"
#include "perfdata/perfdata.h"

struct cache_opts {
	struct cli_list add, remove, purge, update;
	const char *missing;
	bool list, purge_all, force, no_limits, no_sandbox;
	int64_t target_ns;
	int verbose;
};

static const struct option cache_options[] = {
	OPT_LIST('a', "add", struct cache_opts, add, "FILE[,FILE...]", "file(s) to add"),
	OPT_LIST('r', "remove", struct cache_opts, remove, "FILE[,FILE...]", "file(s) to remove"),
	OPT_LIST('p', "purge", struct cache_opts, purge, "FILE[,FILE...]",
		 "file(s) to remove, with all that they ever were"),
	OPT_BOOL('P', "purge-all", struct cache_opts, purge_all, "purge all cached files"),
	OPT_LIST('u', "update", struct cache_opts, update, "FILE[,FILE...]", "file(s) to update"),
	OPT_BOOL('l', "list", struct cache_opts, list, "list all cached files"),
	OPT_STRING('M', "missing", struct cache_opts, missing, "FILE",
		   "list objects of this recording that the cache lacks"),
	OPT_INT(0, "target-ns", struct cache_opts, target_ns, "PID",
		"files are meant as process PID sees them, in its container"),
	OPT_BOOL(0, "no-limits", struct cache_opts, no_limits,
		 "read recordings that unpack to much more than they are"),
	OPT_BOOL(0, "no-sandbox", struct cache_opts, no_sandbox,
		 "read with all the rights of this process"),
	OPT_BOOL('f', "force", struct cache_opts, force, "don't complain, do it"),
	OPT_INC('v', "verbose", struct cache_opts, verbose, "be more verbose"),
	OPT_END(),
};

static const char *const cache_usage[] = { "buildid-cache [<options>]", NULL };

/* ---- files ------------------------------------------------------------------------------------- */

struct target {
	const char *path;	  /* what the object is called */
	char file[PATH_MAX + 32]; /* where it lies */
	char real[PATH_MAX];
};

static void name_target(struct target *t, const struct cache_opts *o, const char *name)
{
	t->path = !o->target_ns && realpath(name, t->real) ? t->real : name;
	if (o->target_ns)
		snprintf(t->file, sizeof(t->file), "/proc/%lld/root%s", (long long)o->target_ns,
			 name);
	else
		snprintf(t->file, sizeof(t->file), "%s", t->path);
}

/* -ENOENT and the like for what is no ELF file with a build id. */
static int read_id(struct build_id *id, const struct cache_opts *o, const char *name, struct err *e)
{
	struct target t;

	name_target(&t, o, name);
	id->size = (uint8_t)capture_file_build_id(t.file, id->id);
	/* Modules of the kernel have no program headers to tell it, and are packed. */
	if (id->size || symbol_file_build_id(t.file, id))
		return 0;
	if (access(t.file, R_OK))
		return err_set(e, -errno, "cannot read %s: %s", t.file, strerror(errno));
	return err_set(e, -EINVAL, "%s is no ELF file with a build id", t.file);
}

/* ---- what changes the cache -------------------------------------------------------------------- */

enum verb { ADD, REMOVE, PURGE, CLEAR };

/* Followed by a name, of those that the options have. */
struct change {
	int32_t verb;
	struct build_id id;
};

static int change(const struct cache_opts *o, const struct change *c, const char *name,
		  struct err *e)
{
	struct target t;
	size_t nr;
	int ret;

	name_target(&t, o, name);
	switch ((enum verb)c->verb) {
	case ADD: return buildid_cache_add(&c->id, t.file, t.path, "elf", e);
	case REMOVE:
		ret = buildid_cache_remove(&c->id, e);
		return ret == -ENOENT ? err_set(e, ret, "%s wasn't in the cache", name) : ret;
	/* A file that is gone from here goes by the name that was given. */
	case PURGE: return buildid_cache_purge(t.path, &nr, e);
	case CLEAR: return o->purge_all ? buildid_cache_clear(e) : -EPERM;
	}
	return -EINVAL;
}

static bool has_name(const struct cli_list *l, const char *name)
{
	size_t n = strlen(name);

	vec_for_each (item, &l->items)
		for (const char *at = *item; at; at = strchr(at, ','), at = at ? at + 1 : NULL)
			if (strcspn(at, ",") == n && !strncmp(at, name, n))
				return true;
	return false;
}

/* In the attendant of the box: what the options ask for, of an id that was read in there. */
static int serve_change(void *ctx, const char *q, size_t size, struct box_answer *a)
{
	const struct cache_opts *o = ctx;
	const char *name = q + sizeof(struct change);
	struct err e = { 0 };
	struct change c;
	int ret;

	if (size < sizeof(c))
		return -EINVAL;
	memcpy(&c, q, sizeof(c));
	if (c.id.size > BUILD_ID_MAX ||
	    !(c.verb == CLEAR || (c.verb == ADD && has_name(&o->add, name)) ||
	      (c.verb == REMOVE && has_name(&o->remove, name)) ||
	      (c.verb == PURGE && has_name(&o->purge, name)) || has_name(&o->update, name)))
		return -EPERM;
	ret = change(o, &c, name, &e);
	memcpy(a->bytes, &e, sizeof(e));
	a->size = sizeof(e);
	return ret;
}

static int make_change(const struct cache_opts *o, const struct change *c, const char *name,
		       struct err *e)
{
	char q[sizeof(*c) + PATH_MAX];
	struct box_answer a;
	int ret;

	if (!box_closed())
		return change(o, c, name, e);
	memcpy(q, c, sizeof(*c));
	if (snprintf(q + sizeof(*c), PATH_MAX, "%s", name) >= PATH_MAX)
		return err_set(e, -ENAMETOOLONG, "the name is too long");
	ret = box_ask(BOX_STORE, q, sizeof(*c) + strlen(name), &a);
	if (a.size == sizeof(*e))
		memcpy(e, a.bytes, sizeof(*e));
	else if (ret)
		err_set(e, ret, "%s", strerror(-ret));
	return ret;
}

static int add_file(const struct cache_opts *o, char *name, struct err *e)
{
	struct change c = { .verb = ADD };
	int ret = read_id(&c.id, o, name, e);

	ret = ret ?: make_change(o, &c, name, e);
	if (ret == -EEXIST) {
		log_info("%s", e->text);
		return 0;
	}
	return ret;
}

static int remove_file(const struct cache_opts *o, char *name, struct err *e)
{
	struct change c = { .verb = REMOVE };
	int ret = read_id(&c.id, o, name, e);

	return ret ?: make_change(o, &c, name, e);
}

static int purge_file(const struct cache_opts *o, char *name, struct err *e)
{
	const struct change c = { .verb = PURGE };

	return make_change(o, &c, name, e);
}

static int update_file(const struct cache_opts *o, char *name, struct err *e)
{
	struct err none;

	remove_file(o, name, &none);
	return add_file(o, name, e);
}

/* Every name of the lists; what fails is said, and the rest still done. */
static int each_name(const struct cache_opts *o, const struct cli_list *l, const char *verb,
		     int (*act)(const struct cache_opts *o, char *name, struct err *e))
{
	int status = 0;

	vec_for_each (item, &l->items) {
		char *names = strdup(*item), *save = NULL;

		for (char *n = names ? strtok_r(names, ",", &save) : NULL; n;
		     n = strtok_r(NULL, ",", &save)) {
			struct err e = { 0 };
			int ret = act(o, n, &e);

			if (ret)
				log_error("Couldn't %s %s: %s", verb, n, e.text);
			else
				log_info("%s %s: Ok", verb, n);
			status |= ret != 0;
		}
		free(names);
	}
	return status;
}

/* ---- the whole cache --------------------------------------------------------------------------- */

static int list_entry(void *out, const struct build_id *id, const char *path)
{
	char hex[2 * BUILD_ID_MAX + 1];

	buildid_hex(id, hex);
	obuf_str(out, hex);
	obuf_char(out, ' ');
	emit_safe(out, path);
	obuf_char(out, '\n');
	return 0;
}

static int list_missing(const struct cache_opts *o, struct obuf *out, struct err *e)
{
	struct perfdata_opts po = {
		.force = o->force, .no_limits = o->no_limits, .no_order = true, .log = LOG_STDERR
	};
	struct perfdata *pd;
	int ret = perfdata_open(&pd, o->missing, &po, e), listed;

	if (ret)
		return ret;
	ret = perfdata_read_pipe(pd, e);
	listed = buildid_cache_missing(pd, list_entry, out);
	/* Ids of MMAP2 records alone are no list of what samples hit. */
	if (!ret && !listed && !perfdata_nr_build_ids(pd)) {
		ret = err_set(e, -ENODATA, "%s has no list of build ids", o->missing);
		err_hint(e, "perf inject -b writes the recording again with one.");
	}
	perfdata_close(pd);
	return ret ?: listed;
}

static int run_actions(const struct cache_opts *o, struct obuf *out, struct err *e)
{
	int status = each_name(o, &o->add, "add", add_file) |
		     each_name(o, &o->remove, "remove", remove_file) |
		     each_name(o, &o->purge, "remove", purge_file);
	int ret = 0;

	if (o->purge_all)
		ret = make_change(o, &(struct change){ .verb = CLEAR }, "", e);
	if (!ret && o->missing)
		ret = list_missing(o, out, e);
	status |= each_name(o, &o->update, "update", update_file);
	if (!ret && o->list)
		ret = buildid_cache_list(list_entry, out, e);
	return ret ? cli_print_err(e) : status;
}

static bool nothing_to_do(const struct cache_opts *o)
{
	return !o->add.items.n && !o->remove.items.n && !o->purge.items.n && !o->update.items.n &&
	       !o->missing && !o->list && !o->purge_all;
}

static void enter_sandbox(struct cache_opts *o)
{
	char dir[PATH_MAX];

	sandbox_enter(&(struct sandbox){
		.off = o->no_sandbox ||
		       o->target_ns, /* files of containers are nobody's to grant */
		.objects = true,
		.read = { o->missing, buildid_cache_dir(dir, sizeof(dir)) ? dir : NULL },
		.store = { serve_change, o },
	});
}

static int cache_run(const struct command *cmd, int argc, char **argv)
{
	struct cache_opts o = { 0 };
	int n = cli_parse(cmd, &o, argc, argv, 0), status = 1;
	struct err err = { 0 };
	struct obuf out;

	if (n < 0)
		return CLI_STATUS(n);
	log_set_level(o.verbose > 1 ? LOG_DEBUG : o.verbose ? LOG_INFO : LOG_WARN);
	if (n > 0) {
		status = cli_usage_error(cmd, "unexpected argument: %s", argv[0]);
	} else if (nothing_to_do(&o)) {
		status = cli_usage_error(cmd, "nothing to do: -l lists the cache");
	} else if (!obuf_init(&out, STDOUT_FILENO, 0)) {
		enter_sandbox(&o);
		status = run_actions(&o, &out, &err);
		if (cli_end_output(&out))
			status = 1;
	}
	vec_free(&o.add.items);
	vec_free(&o.remove.items);
	vec_free(&o.purge.items);
	vec_free(&o.update.items);
	return status;
}

const struct command cmd_buildid_cache = {
	.name = "buildid-cache",
	.summary = "Keep copies of objects by build id",
	.usage = cache_usage,
	.options = cache_options,
	.run = cache_run,
};
