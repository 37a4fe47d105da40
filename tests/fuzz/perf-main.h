/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program's main(), called as often as wanted: by targets that run whole commands. What these print goes where
 * libFuzzer and replay.c have put stdout and stderr: nowhere.
 */
#ifndef TESTS_FUZZ_PERF_MAIN_H
#define TESTS_FUZZ_PERF_MAIN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* tools/perf/perf.c, built with another name for it. */
int perf_main(int argc, char **argv);

/* "COMMAND OPTION...", with blanks or newlines between, and "-i FILE" unless that is NULL. */
int fuzz_perf(const char *line, const char *file);

/*
 * Targets whose first byte says which of @lines runs, on the recording that the rest is, and how they are
 * changed.
 */
void fuzz_command_line(const char *const *lines, size_t nr, const uint8_t *data, size_t size);
/*
 * What a target's own line ended with. A line that was never anything but a usage error tests nothing: such lines are
 * printed, and counted.
 */
void fuzz_line_ran(const char *line, int status);
size_t fuzz_lines_refused(FILE *out);
size_t mutate_command(uint8_t *data, size_t size, size_t max, uint32_t seed);

#endif
