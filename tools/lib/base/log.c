// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages. Programs print theirs on stderr, above one level for the whole process. Libraries do not
 * know whether there is somebody to read: they hand a line to the sink that their caller gave them,
 * and the caller decides. A command's sink is log_stderr(), so that its user sees every line at the
 * moment when it was made, in the order of all others.
 */
#include <stdio.h>

#include "base/base.h"

static enum log_level threshold = LOG_WARN;

void log_set_level(enum log_level level)
{
	threshold = level;
}

static void log_v(enum log_level level, const char *fmt, va_list ap)
{
	char line[2048];
	size_t n;

	if (level > threshold)
		return;
	/* One write per message, so that messages of several threads do not mix. */
	n = safe_format(line, sizeof(line) - 1, fmt, ap);
	line[n++] = '\n';
	fwrite(line, 1, n, stderr);
}

#define LOG_FUNC(name, level)           \
	void name(const char *fmt, ...) \
	{                               \
		va_list ap;             \
                                        \
		va_start(ap, fmt);      \
		log_v(level, fmt, ap);  \
		va_end(ap);             \
	}

LOG_FUNC(log_error, LOG_ERROR)
LOG_FUNC(log_warn, LOG_WARN)
LOG_FUNC(log_info, LOG_INFO)
LOG_FUNC(log_debug, LOG_DEBUG)

void log_to(const struct log_sink *to, enum log_level level, const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	if (!to || !to->line)
		return;
	va_start(ap, fmt);
	safe_format(text, sizeof(text), fmt, ap);
	va_end(ap);
	to->line(to->ctx, level, text);
}

static void log_text(enum log_level level, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_v(level, fmt, ap);
	va_end(ap);
}

void log_stderr(void *ctx, enum log_level level, const char *text)
{
	(void)ctx;
	log_text(level, "%s", text);
}
