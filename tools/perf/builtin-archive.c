// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf archive: the objects that a recording's samples fell into, in one file, for reading it elsewhere; and
 * what was packed so, into the cache of build ids there.
 */
#include <stdlib.h>
#include <unistd.h>

#include "builtin.h"
#include "pack/pack.h"
#include "sandbox.h"
#include "session/session.h"

struct archive_opts {
	struct session_opts session;
	const char *output;
	bool all, all_objects, no_debug, unpack;
	int verbose;
};

static const struct option archive_options[] = {
	OPT_STRING(
		'o', "output", struct archive_opts, output, "FILE",
		"archive to write, .tar, .tar.gz, .tar.bz2, .tar.xz or .tar.zst; - is stdout (FILE.tar.bz2)"),
	OPT_BOOL(0, "all", struct archive_opts, all, "the recording itself too"),
	OPT_BOOL(0, "all-objects", struct archive_opts, all_objects, "objects without samples too"),
	OPT_BOOL(0, "no-debug", struct archive_opts, no_debug,
		 "no debug files that lie apart from programs"),
	OPT_BOOL(0, "unpack", struct archive_opts, unpack,
		 "put what an archive holds into the cache of build ids"),
	OPT_INCLUDE(struct archive_opts, session, session_input_options),
	OPT_INCLUDE(struct archive_opts, session, session_symbol_options),
	OPT_INC('v', "verbose", struct archive_opts, verbose, "be more verbose"),
	OPT_END(),
};

static const char *const archive_usage[] = { "archive [<options>] [[-i] FILE]",
					     "archive --unpack [ARCHIVE]", NULL };

struct packer {
	const struct archive_opts *o;
	struct session *s;
	struct machine_hits *hits;
	struct pack *pack;
	size_t objects, files, without_id, jitted;
};

/* ---- objects that were hit ------------------------------------------------------------------- */

static uint64_t need(void *ctx, const struct perfdata_event *event)
{
	(void)ctx, (void)event;
	return MACHINE_HITS_NEED | PERF_SAMPLE_BRANCH_STACK;
}

static int hit(struct packer *k, struct thread *th, uint64_t ip, struct err *e)
{
	struct map_hit at;

	if (!machine_find_map(session_env(k->s)->machine, th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, ip,
			      &at))
		return 0;
	return machine_hits_dso(k->hits, at.map->dso) ? err_set(e, -ENOMEM, "no memory for objects")
						      : 0;
}

static int one_sample(void *ctx, const struct session_sample *in, struct err *e)
{
	const struct sample_branches *b = &in->s->branches;
	struct packer *k = ctx;
	int ret = machine_hits_sample(k->hits, in->s, in->thread, e);

	if (!(in->s->present & PERF_SAMPLE_BRANCH_STACK))
		return ret;
	/* Where a branch comes from the one before it led to, but for calls out of what is recorded. */
	for (uint64_t i = 0; !ret && i < b->nr; i++) {
		struct branch_entry br;

		sample_branch(b, i, &br);
		ret = hit(k, in->thread, br.from, e) ?: hit(k, in->thread, br.to, e);
	}
	return ret;
}

static const struct session_consumer consumer = {
	.need = need,
	.sample = one_sample,
	.flags = SESSION_WHOLE,
};

/* ---- packing --------------------------------------------------------------------------------- */

/* An object's own build id, or what the recording lists for its path. */
static struct build_id id_of(struct packer *k, const struct dso *dso)
{
	struct perfdata *pd = session_env(k->s)->pd;
	struct build_id id = { .size = (uint8_t)min_u64(dso->build_id_size, BUILD_ID_MAX) };

	memcpy(id.id, dso->build_id, id.size);
	for (size_t i = 0; !id.size && i < perfdata_nr_build_ids(pd); i++) {
		const struct perfdata_build_id *b = perfdata_build_id(pd, i);

		if (strcmp(b->path, dso->path) != 0)
			continue;
		id.size = (uint8_t)min_u64(b->size, BUILD_ID_MAX);
		memcpy(id.id, b->id, id.size);
	}
	return id;
}

/* @from becomes the object's @name, is freed; NULL = there is no such file. True when it was added. */
static bool add(struct packer *k, const struct dso *dso, const struct build_id *id,
		const char *name, char *from, struct err *e)
{
	const char *path = dso->kind == DSO_KERNEL ? "[kernel.kallsyms]" : dso->path;
	int ret = from ? pack_add(k->pack, id, path, name, from, e) : 0;
	bool added = from && !ret;

	if (added)
		log_info("%s: %s", path, from);
	k->files += added;
	free(from);
	/* One that cannot be read does not keep the others out: the archive says what it is, whole or not. */
	if (ret == -EEXIST || ret == -EINVAL || ret == -ENAMETOOLONG || ret == -EACCES)
		err_clear(e);
	return added;
}

/* The running kernel's symbols, if it is the one that was recorded and root's names are shown. */
static char *kallsyms(const struct build_id *id)
{
	struct dso kernel = { .kind = DSO_KERNEL };
	struct build_id host;

	return buildid_of_dso(&kernel, &host) &&
			       build_id_equal(host.id, host.size, id->id, id->size) && !geteuid()
		       ? strdup("/proc/kallsyms")
		       : NULL;
}

static int pack_dso(struct packer *k, const struct dso *dso, struct err *e)
{
	struct resolver *res = session_env(k->s)->resolver;
	struct build_id id = id_of(k, dso);
	bool added;

	/* Of the vdso every machine has one of its own; what is no file has no symbols either. */
	k->jitted += dso->kind == DSO_JIT;
	if (dso->kind == DSO_VDSO || dso->kind == DSO_JIT ||
	    (dso->kind == DSO_USER && dso->path[0] != '/'))
		return 0;
	if (!id.size) {
		log_info("%s has no build id in the recording", dso->path);
		k->without_id++;
		return 0;
	}
	if (dso->kind == DSO_KERNEL)
		added = add(k, dso, &id, "kallsyms", kallsyms(&id), e);
	else
		added = add(k, dso, &id, "elf", symbol_run_file(res, dso), e);
	if (!e->code && !k->o->no_debug && dso->kind != DSO_KERNEL)
		added |= add(k, dso, &id, "debug", symbol_debug_file(res, dso), e);
	k->objects += added;
	if (!added && !e->code)
		log_warn("%s is not here as it was recorded", dso->path);
	return e->code;
}

static int pack_objects(struct packer *k, struct err *e)
{
	const struct session_env *env = session_env(k->s);
	int ret = 0;

	for (size_t i = 0; !ret && i < machine_nr_dsos(env->machine); i++) {
		const struct dso *dso = machine_dso(env->machine, i);

		if (k->o->all_objects || machine_hits_have(k->hits, dso))
			ret = pack_dso(k, dso, e);
	}
	if (!ret && k->o->all)
		ret = pack_add_recording(k->pack, perfdata_path(env->pd), e);
	return ret;
}

static void say_what_to_do(const struct packer *k, const char *path)
{
	for (const char *const *w = session_warnings(k->s, SESSION_WARN_BAD); *w; w++)
		log_warn("%s", *w);
	if (k->without_id)
		log_warn(
			"%zu objects have no build id in the recording and are not in the archive (-v names "
			"them)",
			k->without_id);
	if (k->jitted)
		log_warn(
			"code that a program compiled while it ran has no build id: perf inject --jit makes "
			"files of what a jitdump holds; then pack the recording that it writes");
	if (!strcmp(path, "-"))
		return;
	fprintf(stderr,
		"%s: %zu files of %zu objects%s. Where the recording is to be read:\n\n"
		"  perf archive --unpack %s\n\nor, with any perf: tar xf %s -C ~/.debug\n",
		path, k->files, k->objects, k->o->all ? " and the recording" : "", path, path);
}

static int pack_all(struct packer *k, const char *path, struct err *e)
{
	int ret = session_start(k->s, e);

	if (!ret && machine_hits_new(&k->hits, session_env(k->s)->machine, NULL, NULL))
		ret = err_set(e, -ENOMEM, "no memory for objects");
	/* With a recording in it, it is kept as that is. */
	ret = ret ?: pack_new(&k->pack, path, !k->o->all, e);
	ret = ret ?: session_read(k->s, &consumer, k, e);
	if (!ret && k->o->all && perfdata_is_pipe(session_env(k->s)->pd))
		ret = err_set(
			e, -EINVAL,
			"--all: a recording that comes through a pipe is gone when it was read");
	ret = ret ?: pack_objects(k, e);
	if (!ret && !k->files && !k->o->all) {
		ret = err_set(e, -ENOENT,
			      "none of the recording's objects is here with the build id it had");
		err_hint(e, "perf buildid-list -H lists them; pack them where they were recorded.");
	}
	ret = ret ?: pack_end(k->pack, e);
	if (!ret)
		say_what_to_do(k, path);
	if (!ret && session_damage(k->s)) {
		*e = *session_damage(k->s);
		ret = e->code;
	}
	return ret;
}

/* Here, by the last part of the recording's name; behind a directory's may stand a slash. To be freed. */
static char *default_name(const char *in)
{
	size_t end = strlen(in), start;
	char *name;

	while (end > 1 && in[end - 1] == '/')
		end--;
	for (start = end; start && in[start - 1] != '/'; start--)
		;
	if (!strcmp(in, "-"))
		return strdup("perf.data.tar.bz2");
	return asprintf(&name, "%.*s.tar.bz2", (int)(end - start), in + start) < 0 ? NULL : name;
}

static int run_pack(const struct archive_opts *o, struct err *e)
{
	struct packer k = { .o = o };
	char *path = o->output ? strdup(o->output) : default_name(o->session.input);
	int ret = 0;

	if (!path)
		return err_set(e, -ENOMEM, "no memory for a name");
	sandbox_enter(&(struct sandbox){
		.off = o->session.no_sandbox,
		.session = &o->session,
		.objects = true,
		.output = { { BOX_FILE, path } },
	});
	ret = session_open(&k.s, &o->session, e);
	ret = ret ?: pack_all(&k, path, e);
	pack_free(k.pack);
	machine_hits_free(k.hits);
	session_close(k.s);
	free(path);
	return ret;
}

static int run_unpack(const struct archive_opts *o, struct err *e)
{
	const struct log_sink log = LOG_STDERR;
	struct pack_taken n;
	int ret = pack_unpack(o->session.input, o->session.no_limits, &log, &n, e);

	if (!ret && !n.added && !n.had && !n.recording && !n.refused)
		ret = err_set(e, -ENOENT,
			      "%s holds no file that is called as an object of a recording",
			      o->session.input);
	if (n.added || n.had || n.recording || !ret)
		fprintf(stderr, "%zu files came into the cache, %zu were there%s\n", n.added, n.had,
			n.recording ? "; perf.data is the recording" : "");
	if (!ret && n.refused)
		ret = err_set(e, -EBADMSG, "%zu files of the archive are not what they are called",
			      n.refused);
	return ret;
}

static int archive_run(const struct command *cmd, int argc, char **argv)
{
	struct archive_opts o = { .session = { .log = LOG_STDERR } };
	int n = cli_parse(cmd, &o, argc, argv, 0), ret;
	struct err err = { 0 };

	if (n < 0)
		return CLI_STATUS(n);
	log_set_level(o.verbose > 1 ? LOG_DEBUG : o.verbose ? LOG_INFO : LOG_WARN);
	if (n > 1 || (n == 1 && o.session.input) || o.session.more.items.n) {
		ret = cli_usage_error(cmd, "more than one file: %s",
				      n ? argv[n - 1] : o.session.more.items.v[0]);
		session_opts_free(&o.session);
		return ret;
	}
	if (o.unpack && (o.output || o.all || o.all_objects))
		return cli_usage_error(cmd, "--unpack writes into the cache of build ids");
	if (!o.session.input)
		o.session.input = n ? argv[0] : o.unpack ? "perf.data.tar.bz2" : "perf.data";
	ret = o.unpack ? run_unpack(&o, &err) : run_pack(&o, &err);
	session_opts_free(&o.session);
	return ret ? cli_print_err(&err) : 0;
}

const struct command cmd_archive = {
	.name = "archive",
	.summary = "Pack the objects of a recording for reading it elsewhere",
	.usage = archive_usage,
	.options = archive_options,
	.run = archive_run,
};
