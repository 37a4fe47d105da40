// SPDX-License-Identifier: GPL-2.0-or-later
/* The program's main() with words that are its own: it changes their order. */
#include <stdlib.h>

#include "cli/cli.h"
#include "fuzz.h"
#include "perf-main.h"

#define WORDS_MAX    64
#define KALLSYMS_AT  (FUZZ_SLOTS - 1) /* the slot of a small file */
#define SYMBOL_USERS " report script annotate data diff "

struct words {
	char *v[WORDS_MAX + 1];
	int n;
};

static void add(struct words *w, const char *p, size_t len)
{
	if (w->n < WORDS_MAX)
		w->v[w->n++] = strndup(p, len);
}

static void add_all(struct words *w, const char *text, const char *between)
{
	while (text && *text) {
		size_t len = strcspn(text, between);

		add(w, text, len);
		text += len + (text[len] != '\0');
	}
}

/* This machine's own is long: reading it was three quarters of the time of a short command. */
static const char *kallsyms(void)
{
	static const char text[] = "ffffffff81000000 T _text\nffffffff81000000 T _stext\n"
				   "ffffffff81000100 T do_it\nffffffff81800000 T _etext\n"
				   "ffffffffc0000000 t init\t[module]\n";

	if (!fuzz_path(KALLSYMS_AT)[0])
		fuzz_file(KALLSYMS_AT, text, sizeof(text) - 1);
	return fuzz_path(KALLSYMS_AT);
}

int fuzz_perf(const char *line, const char *file)
{
	struct words w = { .n = 0 };
	char *order[WORDS_MAX + 1] = { 0 };
	int ret;

	add(&w, "perf", 4);
	/* A word of many lines may hold blanks. */
	add_all(&w, line, strchr(line, '\n') ? "\n" : " ");
	/* Who merges names nothing. */
	if (w.n > 1 && w.v[1] && strlen(w.v[1]) > 3 && strstr(SYMBOL_USERS, w.v[1]) &&
	    strncmp(line, "data merge", 10) != 0) {
		add_all(&w, "--kallsyms", "");
		add_all(&w, kallsyms(), "");
	}
	if (file) {
		add_all(&w, "-i", "");
		add_all(&w, file, "");
	}
	for (int i = 0; i < w.n; i++) {
		if (!w.v[i])
			abort();
		order[i] = w.v[i];
	}
	ret = perf_main(w.n, order);
	for (int i = 0; i < w.n; i++)
		free(w.v[i]);
	/* What this run asked for holds no longer. */
	log_set_level(LOG_ERROR);
	return ret;
}

size_t mutate_command(uint8_t *data, size_t size, size_t max, uint32_t seed)
{
	size_t n;

	if (size < 2)
		return 0;
	if (fuzz_rand(&seed) % 16 == 0) {
		data[0] = (uint8_t)fuzz_rand(&seed);
		return size;
	}
	n = mutate_perfdata(data + 1, size - 1, max - 1, seed);
	return n ? n + 1 : 0;
}

void fuzz_command_line(const char *const *lines, size_t nr, const uint8_t *data, size_t size)
{
	if (!size)
		return;
	fuzz_file(0, data + 1, size - 1);
	fuzz_line_ran(lines[data[0] % nr], fuzz_perf(lines[data[0] % nr], fuzz_path(0)));
}

/* ---- lines that say nothing -------------------------------------------------------------------- */

#define LINES_MAX 64

static struct {
	const char *line;
	bool accepted;
} ran[LINES_MAX];
static size_t nr_ran;

void fuzz_line_ran(const char *line, int status)
{
	size_t i = 0;

	while (i < nr_ran && ran[i].line != line)
		i++;
	if (i == LINES_MAX)
		abort();
	nr_ran += i == nr_ran;
	ran[i].line = line;
	ran[i].accepted |= status != CLI_USAGE;
}

size_t fuzz_lines_refused(FILE *out)
{
	size_t nr = 0;

	for (size_t i = 0; i < nr_ran; i++) {
		if (!ran[i].accepted)
			fprintf(out, "a usage error for every input: %s\n", ran[i].line);
		nr += !ran[i].accepted;
	}
	return nr;
}
