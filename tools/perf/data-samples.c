// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf data convert to a format of samples: opens and closes what is written, says what there is to
 * say; what is made of the samples is the business of the room convert.
 */
#include "data.h"

#include <unistd.h>

/* A message begins on a line of its own. */
static void say(void *ctx, enum log_level level, const char *text)
{
	struct data_ctx *d = ctx;

	cli_progress_end(&d->progress);
	log_stderr(NULL, level, text);
}

int data_samples(struct data_ctx *d, struct convert_opts *opts, struct err *err)
{
	struct obuf out;
	int ret = convert_fits(d->session, d->format, opts, err), closed;

	ret = ret ?: data_open_output(d->o->output, &out, err);
	if (ret)
		return ret;
	opts->log = (struct log_sink){ .line = say, .ctx = d };
	ret = convert_samples(d->session, d->format, opts, &out, err);
	cli_progress_end(&d->progress);
	for (const char *const *w = session_warnings(d->session, SESSION_WARN_SYMBOLS); *w; w++)
		log_warn("%s", *w);
	closed = data_close_output(d->o->output, &out, ret ? NULL : err);
	return ret ? ret : closed;
}
