/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PERF_FILES_H
#define PERF_FILES_H

#include "session/session.h"

/* On stderr: what is not alike in the recordings, and which could not be read; true: there are such. */
bool files_say(struct session_files *f, bool quiet);

#endif
