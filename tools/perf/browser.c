// SPDX-License-Identifier: GPL-2.0-or-later
/* What commands with a browser share. */
#include "base/obuf.h"
#include "browser.h"

void browser_end(struct tui **t)
{
	const char *line;
	struct obuf told;

	if (!*t)
		return;
	/* The terminal comes first, what was said in it goes with the browser. */
	if (!obuf_init(&told, -1, 0)) {
		for (size_t i = 0; (line = tui_logged(*t, i)); i++)
			obuf_printf(&told, "%s\n", line);
		obuf_char(&told, 0);
	}
	tui_close(*t);
	*t = NULL;
	for (char *at = told.buf, *end; at && !told.code && *at; at = end + 1) {
		end = strchr(at, '\n');
		*end = 0;
		log_warn("%s", at);
	}
	obuf_free(&told);
}

void browser_log(void *tui, enum log_level level, const char *text)
{
	struct tui *const *t = tui;
	struct log_sink to = *t ? tui_log(*t) : LOG_STDERR;

	to.line(to.ctx, level, text);
}
