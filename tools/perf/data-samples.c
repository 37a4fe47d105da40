// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf data convert to a format of samples: opens and closes what is written, says what there is to
 * say; what is made of the samples is the business of the room convert.
 */
#include "data.h"
#include "pieces.h"

#include <unistd.h>

/* A message begins on a line of its own. */
static void say(void *ctx, enum log_level level, const char *text)
{
	struct data_ctx *d = ctx;

	cli_progress_end(&d->progress);
	log_stderr(NULL, level, text);
}

struct whole {
	struct data_ctx *d;
	struct convert_run run;
};

static int read_piece(void *ctx, struct session *s, struct err *err)
{
	struct whole *w = ctx;
	struct convert_run piece;
	struct session_maps *maps = NULL;
	int ret = convert_run_begin(&piece, s, w->run.format, w->run.opts, NULL, err);

	ret = ret ?: convert_run_follow(&piece, &w->run, err);
	ret = ret ?: convert_run_read(&piece, err);
	ret = ret ?: session_maps_new(&maps, session_env(w->d->session), session_env(s), err);
	ret = ret ?: convert_run_merge(&w->run, &piece, maps, err);
	session_maps_free(maps);
	convert_run_end(&piece);
	return ret;
}

/* --pieces: the first was opened. */
static int convert_pieces(struct data_ctx *d, struct convert_opts *opts, struct obuf *out,
			  struct err *err)
{
	struct whole w = { .d = d };
	int ret;

	opts->pieces = true;
	ret = convert_run_begin(&w.run, d->session, d->format, opts, out, err);
	ret = ret ?: convert_run_read(&w.run, err);
	ret = ret ?: pieces_read(d->session, &d->o->session, d->o->pieces, read_piece, &w, err);
	ret = ret ?: convert_run_finish(&w.run, err);
	convert_run_end(&w.run);
	return ret;
}

int data_samples(struct data_ctx *d, struct convert_opts *opts, struct err *err)
{
	struct obuf out;
	int ret = convert_fits(d->session, d->format, opts, err), closed;

	ret = ret ?: data_open_output(d->o->output, &out, err);
	if (ret)
		return ret;
	opts->log = (struct log_sink){ .line = say, .ctx = d };
	ret = d->o->pieces ? convert_pieces(d, opts, &out, err)
			   : convert_samples(d->session, d->format, opts, &out, err);
	cli_progress_end(&d->progress);
	for (const char *const *w = session_warnings(d->session, SESSION_WARN_SYMBOLS); *w; w++)
		log_warn("%s", *w);
	closed = data_close_output(d->o->output, &out, ret ? NULL : err);
	return ret ? ret : closed;
}
