/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PERF_BROWSER_H
#define PERF_BROWSER_H

#include "tui/tui.h"

/* Gives the terminal back; then what was said in the browser is said on stderr. *@t may be NULL, and is then. */
void browser_end(struct tui **t);

/* A sink's line(), @tui is the struct tui **: to the browser while there is one, else to stderr. */
void browser_log(void *tui, enum log_level level, const char *text);

#endif
