// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Errors as values. The text is made where something failed, because only there is known what was
 * tried; who passes it up may put a context in front, and only tools/perf prints it. Every
 * function takes a NULL @e: then nobody wants to know why. Text goes through safe_format(), for it
 * often quotes names out of a file.
 */
#include <stdio.h>

#include "base/base.h"

int(err_set)(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return code;
	e->code = code;
	e->hint[0] = 0;
	va_start(ap, fmt);
	safe_format(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	return code;
}

int err_context(struct err *e, const char *fmt, ...)
{
	char old[sizeof(e->text)], ctx[256];
	va_list ap;

	if (!e)
		return -EINVAL;
	va_start(ap, fmt);
	safe_format(ctx, sizeof(ctx), fmt, ap);
	va_end(ap);
	memcpy(old, e->text, sizeof(old));
	snprintf(e->text, sizeof(e->text), "%s: %.*s", ctx, (int)sizeof(old) - 260, old);
	return e->code;
}

void err_hint(struct err *e, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return;
	va_start(ap, fmt);
	safe_format(e->hint, sizeof(e->hint), fmt, ap);
	va_end(ap);
}

void err_clear(struct err *e)
{
	if (!e)
		return;
	e->code = 0;
	e->text[0] = 0;
	e->hint[0] = 0;
}
