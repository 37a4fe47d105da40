// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The core of the browsers on the terminal it is started on, for tests that need one: a list of ROWS
 * rows, and a key for each pop-up and each end that a process may come to.
 *
 *	tui-demo [ROWS [PROGRESS]]
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "elf/elf.h"
#include "tui/tui-int.h"

struct demo {
	struct tui_list list;
	struct tui_history history;
	uint64_t rows;
	char typed[64];
};

static uint64_t nr_rows(void *ctx)
{
	return ((struct demo *)ctx)->rows;
}

static void paint_row(void *ctx, uint64_t i, struct tui_pen *p, bool selected)
{
	static const char *const names[] = {
		"main",
		"std::map<std::string, std::vector<int>>::operator[](std::string const&)",
		"名前::関数(引数)",
		"evil\033[31m\u202ename\r\n",
		"Ünïcode → mïxed",
	};

	(void)ctx;
	(void)selected;
	tui_putf(p,
		 i < 3	 ? TUI_TOP
		 : i < 6 ? TUI_MEDIUM
			 : TUI_NORMAL,
		 "%6.2f%%", 100.0 / (double)(i + 2));
	tui_putf(p, TUI_ADDR, "  %08llu  ", (unsigned long long)i);
	tui_field(p, TUI_NORMAL, 30, names[i % ARRAY_SIZE(names)]);
	tui_put(p, TUI_DIM, "  end of the row");
}

static void title(struct tui_view *v, struct tui_pen *p)
{
	tui_putf(p, TUI_ROOT, "Demo: %llu rows", (unsigned long long)((struct demo *)v->ctx)->rows);
}

static void footer(struct tui_view *v, struct tui_pen *p)
{
	struct demo *d = v->ctx;

	tui_putf(p, TUI_ROOT, "row %llu typed '%s'", (unsigned long long)d->list.cursor, d->typed);
}

static enum tui_answer key_menu(struct tui *t, struct tui_view *v)
{
	static const char *const items[] = { "first", "second", "third of them" };
	int i = tui_menu(t, "Pick one", items, 3, 0);

	(void)v;
	tui_message(t, "picked %d", i);
	return TUI_STAY;
}

static enum tui_answer key_type(struct tui *t, struct tui_view *v)
{
	struct demo *d = v->ctx;

	if (!tui_input(t, "Type: ", d->typed, sizeof(d->typed), &d->history, NULL, NULL))
		tui_message(t, "not typed");
	return TUI_STAY;
}

static enum tui_answer key_ask(struct tui *t, struct tui_view *v)
{
	(void)v;
	tui_message(t, tui_ask(t, "Really?") ? "yes" : "no");
	return TUI_STAY;
}

static enum tui_answer key_crash(struct tui *t, struct tui_view *v)
{
	/* Not NULL, which a sanitizer would find before the processor does. */
	volatile int *volatile nowhere = (volatile int *)sizeof(int);

	(void)t;
	(void)v;
	*nowhere = 0;
	return TUI_STAY;
}

/* Deeper until there is no stack left. */
static int deeper(int n)
{
	volatile char page[4096];

	page[0] = (char)n;
	return n < 0 ? 0 : deeper(n + 1) + page[0];
}

static enum tui_answer key_overflow(struct tui *t, struct tui_view *v)
{
	(void)v;
	tui_message(t, "%d", deeper(0));
	return TUI_STAY;
}

/* A file that is mapped, cut short and read. */
static enum tui_answer key_shrink(struct tui *t, struct tui_view *v)
{
	char path[] = "/tmp/tui-demo.XXXXXX", copy[128];
	unsigned char buf[16] = "?";
	struct elf_file *f;
	int fd = mkstemp(path);

	(void)v;
	snprintf(copy, sizeof(copy), "cat /proc/%d/exe >%s", (int)getpid(), path);
	if (fd < 0 || system(copy) || elf_open(&f, path, ELF_MAPPED)) {
		tui_message(t, "no file");
		return TUI_STAY;
	}
	if (ftruncate(fd, 4096) || !elf_bytes(f, 8192, buf, sizeof(buf)))
		buf[0] = 1;
	tui_message(t, "%u mended, the byte is %d", elf_guard_hits(), buf[0]);
	elf_close(f);
	close(fd);
	unlink(path);
	return TUI_STAY;
}

static enum tui_answer key_abort(struct tui *t, struct tui_view *v)
{
	(void)t;
	(void)v;
	abort();
}

static enum tui_answer key_exit(struct tui *t, struct tui_view *v)
{
	(void)t;
	(void)v;
	exit(7);
}

static enum tui_answer key_window(struct tui *t, struct tui_view *v)
{
	(void)v;
	return tui_window(t, "Text", "one line\nand another one\nthe last");
}

static enum tui_answer key_enter(struct tui *t, struct tui_view *v)
{
	struct tui_view inner = *v;

	return tui_run(t, &inner);
}

static const struct tui_key keys[] = {
	{ 'm', "m", "a menu", key_menu },
	{ '/', "/", "a line to type", key_type },
	{ 'y', "y", "a question", key_ask },
	{ 'w', "w", "a window", key_window },
	{ 'c', "c", "crash", key_crash },
	{ 'o', "o", "use up the stack", key_overflow },
	{ 'a', "a", "abort", key_abort },
	{ 's', "s", "a file that shrinks", key_shrink },
	{ 'x', "x", "exit", key_exit },
	{ TUI_ENTER, "Enter", "one deeper", key_enter },
	{ 0 },
};

int main(int argc, char **argv)
{
	static const struct tui_list_ops list = { .rows = nr_rows, .paint = paint_row };
	static const struct tui_view_ops ops = {
		.name = "the demo",
		.keys = keys,
		.title = title,
		.footer = footer,
	};
	struct demo d = { .rows = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000 };
	struct tui_view v = { .ops = &ops, .ctx = &d, .list = &d.list };
	uint64_t steps = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
	struct tui *t;
	struct err e = { 0 };
	uint64_t i = 0;

	elf_guard_install();
	if (tui_open(&t, NULL, &e)) {
		fprintf(stderr, "%s\n%s\n", e.text, e.hint);
		return 3;
	}
	d.list = (struct tui_list){ .ops = &list, .ctx = &d };
	for (; i < steps; i++) {
		usleep(1000);
		if (tui_progress(t, "Reading nothing", i, steps))
			break;
	}
	if (i < steps)
		tui_message(t, "stopped");
	tui_run(t, &v);
	tui_close(t);
	tui_history_free(&d.history);
	puts("the end");
	return 0;
}
