// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The terminal of the process, by S-Lang. S-Lang has globals, signal handlers have no argument, and
 * there is one terminal: so here is the room's one static, and nowhere else is S-Lang called. It gets
 * whole screens and sends what differs; bytes that are typed we read ourselves, because its own reader
 * waits where it must not (after ESC, and while the window is resized).
 *
 * Invariant: from enter() to leave() `the.active` is set, and whatever ends the process then gives the
 * terminal back by two calls that signal handlers may make: write() of bytes that were put together
 * before, and tcsetattr(). Signals that end us do just that, wherever they strike, and go on to what
 * they would have done, so that the exit status tells. TSTP, CONT and WINCH only wake the loop.
 */
#include "config.h"

#include "box/box.h"
#include "elf/elf.h"
#include "tui/tui-int.h"

#if HAVE_LIBSLANG
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#define ENABLE_SLFUTURE_CONST 1
#include <slang.h>

#define MOUSE_ON     "\033[?1000h\033[?1006h"
#define MOUSE_OFF    "\033[?1006l\033[?1000l"
#define PASTE_ON     "\033[?2004h"
#define PASTE_OFF    "\033[?2004l"
#define WHOLE_REGION "\033[r"
/* CAN: whatever sequence was cut off in the middle is none. */
#define CUT_OFF "\030"

static const int ends[] = { SIGHUP, SIGINT,  SIGQUIT, SIGTERM, SIGSEGV,
			    SIGBUS, SIGABRT, SIGFPE,  SIGILL };
static const int wakes[] = { SIGTSTP, SIGCONT, SIGWINCH };

static struct terminal {
	volatile sig_atomic_t active; /* raw, and the screen is ours */
	volatile sig_atomic_t stop, cont, resized;
	int fd, wake[2];
	struct termios saved, raw;
	char restore[512];
	size_t nr_restore;
	struct sigaction old_end[ARRAY_SIZE(ends)], old_wake[ARRAY_SIZE(wakes)];
	void *stack; /* for handlers: the stack itself may be what ran out */
	bool open, utf8, mouse, interrupt, at_exit, cursor;
	int rows, cols;
} the;

/* ---- signals ---------------------------------------------------------------------------------- */

/* What may be called anywhere. */
static void restore(void)
{
	size_t done = 0;

	if (!the.active)
		return;
	the.active = 0;
	while (done < the.nr_restore) {
		ssize_t n = write(STDOUT_FILENO, the.restore + done, the.nr_restore - done);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	tcsetattr(the.fd, TCSANOW, &the.saved);
}

static const struct sigaction *former(int sig)
{
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (ends[i] == sig)
			return &the.old_end[i];
	return NULL;
}

static void on_end(int sig, siginfo_t *si, void *ctx)
{
	int saved = errno;

	/* A file that shrank under its map: read on. */
	if (sig == SIGBUS && si->si_code > 0 && elf_guard_mend(si)) {
		errno = saved;
		return;
	}
	(void)ctx;
	sigaction(sig, former(sig), NULL);
	restore();
	/* A fault happens again when we return; what somebody sent does not. */
	if (si->si_code <= 0 || si->si_code == SI_KERNEL)
		raise(sig);
	errno = saved;
}

static void on_wake(int sig)
{
	int saved = errno;
	ssize_t n;

	if (sig == SIGWINCH)
		the.resized = 1;
	else if (sig == SIGTSTP)
		the.stop = 1;
	else
		the.cont = 1;
	n = write(the.wake[1], "", 1); /* full is as good */
	(void)n;
	errno = saved;
}

static void catch_wakes(void)
{
	struct sigaction sa = { .sa_handler = on_wake, .sa_flags = SA_RESTART };

	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(wakes); i++)
		sigaction(wakes[i], &sa, NULL);
}

static void catch_signals(void)
{
	struct sigaction sa = {
		.sa_sigaction = on_end,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER,
	};
	stack_t now, stack = { .ss_size = 65536 };

	sigemptyset(&sa.sa_mask);
	if (!sigaltstack(NULL, &now) && now.ss_flags & SS_DISABLE) {
		stack.ss_sp = the.stack = malloc(stack.ss_size);
		if (the.stack)
			sigaltstack(&stack, NULL);
	}
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		sigaction(ends[i], NULL, &the.old_end[i]);
		/* nohup */
		if (the.old_end[i].sa_flags & SA_SIGINFO || the.old_end[i].sa_handler != SIG_IGN)
			sigaction(ends[i], &sa, NULL);
	}
	for (size_t i = 0; i < ARRAY_SIZE(wakes); i++)
		sigaction(wakes[i], NULL, &the.old_wake[i]);
	catch_wakes();
}

static void drop_signals(void)
{
	stack_t none = { .ss_flags = SS_DISABLE };

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct sigaction now;

		/* Somebody may have come after us, and has us for what was before: on_end() knows. */
		if (!sigaction(ends[i], NULL, &now) && now.sa_flags & SA_SIGINFO &&
		    now.sa_sigaction == on_end)
			sigaction(ends[i], &the.old_end[i], NULL);
	}
	for (size_t i = 0; i < ARRAY_SIZE(wakes); i++)
		sigaction(wakes[i], &the.old_wake[i], NULL);
	if (the.stack) {
		sigaltstack(&none, NULL);
		free(the.stack);
		the.stack = NULL;
	}
}

/* ---- in and out ------------------------------------------------------------------------------- */

static void say(const char *sequence)
{
	SLtt_write_string(sequence);
}

/*
 * All lines scroll again: S-Lang set as many as there were when it last looked, which a window that is being resized has
 * no more. The cursor goes home with it, so only where the other screen's end brings it back.
 */
static bool region_wanted(void)
{
	const char *cs = SLtt_tgetstr("cs"), *te = SLtt_tgetstr("te");

	return te && *te && cs && !strncmp(cs, WHOLE_REGION, 2);
}

static void show_cursor(bool on)
{
	the.cursor = on;
	SLtt_set_cursor_visibility(on);
}

/* The terminal as it was; @end is what S-Lang wants of its screen. */
static void give_back(int (*end)(void))
{
	say(MOUSE_OFF PASTE_OFF);
	if (region_wanted())
		say(WHOLE_REGION);
	show_cursor(true);
	end();
	SLtt_flush_output();
	the.active = 0;
	tcsetattr(the.fd, TCSADRAIN, &the.saved);
}

static int end_screen(void)
{
	SLsmg_reset_smg();
	return 0;
}

static void leave(void *term, bool stop)
{
	(void)term;
	if (!the.active)
		return;
	give_back(SLsmg_suspend_smg);
	if (!stop)
		return;
	/* As the terminal itself does: everybody in the foreground stops, and so do we, here. */
	signal(SIGTSTP, SIG_DFL);
	kill(0, SIGTSTP);
}

/* The screen's size as S-Lang and the terminal see it. */
static void measure(void)
{
	the.resized = 0;
	SLtt_get_screen_size();
	the.rows = SLtt_Screen_Rows;
	the.cols = SLtt_Screen_Cols;
}

static void back(void *term)
{
	(void)term;
	catch_wakes();
	/* In the background this stops us until we are in front again. */
	tcsetattr(the.fd, TCSADRAIN, &the.raw);
	the.active = 1;
	the.stop = the.cont = 0;
	measure();
	SLsmg_resume_smg();
	SLsmg_reinit_smg();
	say(PASTE_ON);
	if (the.mouse)
		say(MOUSE_ON);
	show_cursor(false);
	SLtt_flush_output();
}

static void set_interrupt(void *term, bool signal)
{
	(void)term;
	the.interrupt = signal;
	if (signal)
		the.raw.c_lflag |= ISIG;
	else
		the.raw.c_lflag &= ~(tcflag_t)ISIG;
	tcsetattr(the.fd, TCSADRAIN, &the.raw);
}

static void set_mouse(void *term, bool on)
{
	(void)term;
	the.mouse = on;
	say(on ? MOUSE_ON : MOUSE_OFF);
	SLtt_flush_output();
}

static void size(void *term, int *rows, int *cols)
{
	(void)term;
	*rows = the.rows;
	*cols = the.cols;
}

/* What signals asked for; true = something did. */
static bool woken(void)
{
	bool any = the.stop || the.cont || the.resized;

	if (the.stop || the.cont) {
		/* After SIGSTOP and SIGCONT the shell may have changed anything. */
		leave(NULL, the.stop);
		back(NULL);
	} else if (the.resized) {
		measure();
		SLsmg_reinit_smg();
	}
	return any;
}

/*
 * The kernel wakes who reads from a terminal that goes before it sends SIGHUP, and sends it to the session's
 * leader only: we end as if it had come, whichever is first. Under nohup we just end.
 */
static int hung_up(void)
{
	raise(SIGHUP);
	return -EIO;
}

static int read_bytes(void *term, unsigned char *buf, size_t n, int ms)
{
	struct pollfd fds[2] = {
		{ .fd = the.fd, .events = POLLIN },
		{ .fd = the.wake[0], .events = POLLIN },
	};
	unsigned char drain[64];
	ssize_t got;

	(void)term;
	if (woken())
		return -EINTR;
	if (poll(fds, 2, ms) < 0 && errno != EINTR)
		return hung_up();
	if (fds[1].revents & POLLIN)
		while (read(the.wake[0], drain, sizeof(drain)) == (ssize_t)sizeof(drain))
			;
	if (woken())
		return -EINTR;
	if (!(fds[0].revents & POLLIN))
		return fds[0].revents & (POLLHUP | POLLERR | POLLNVAL) ? hung_up() : 0;
	got = read(the.fd, buf, n);
	if (got > 0)
		return (int)got;
	return got < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : hung_up();
}

/* ---- a screen --------------------------------------------------------------------------------- */

static size_t encode(char *to, uint32_t cp)
{
	if (cp < 0x80) {
		to[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		to[0] = (char)(0xc0 | cp >> 6);
		to[1] = (char)(0x80 | (cp & 63));
		return 2;
	}
	if (cp < 0x10000) {
		to[0] = (char)(0xe0 | cp >> 12);
		to[1] = (char)(0x80 | (cp >> 6 & 63));
		to[2] = (char)(0x80 | (cp & 63));
		return 3;
	}
	to[0] = (char)(0xf0 | cp >> 18);
	to[1] = (char)(0x80 | (cp >> 12 & 63));
	to[2] = (char)(0x80 | (cp >> 6 & 63));
	to[3] = (char)(0x80 | (cp & 63));
	return 4;
}

/* One character that is not ASCII: where S-Lang knows another width for it, it would shift the line. */
static void show_wide(const struct tui_cell *c, int row, int col)
{
	char text[8];
	size_t n = encode(text, c->ch);
	SLuchar_Type *u = (SLuchar_Type *)text;

	if (SLsmg_strwidth(u, u + n) != c->width) {
		SLsmg_gotorc(row, col);
		SLsmg_write_nchars("??", c->width);
		return;
	}
	if (c->mark)
		n += encode(text + n, c->mark);
	SLsmg_gotorc(row, col);
	SLsmg_write_chars(u, u + n);
}

static void show_row(const struct tui_screen *s, int row)
{
	const struct tui_cell *c = s->cells + (size_t)row * (size_t)s->cols;
	char run[256];
	int col = 0;

	while (col < s->cols) {
		uint8_t role = c[col].role;
		unsigned n = 0;

		SLsmg_set_color(role);
		if (!c[col].width) {
			col++;
			continue;
		}
		if (c[col].ch > 0x7e || c[col].mark) {
			show_wide(c + col, row, col);
			col++;
			continue;
		}
		while (col + (int)n < s->cols && n < sizeof(run) && c[col + n].role == role &&
		       c[col + n].width && c[col + n].ch <= 0x7e && !c[col + n].mark) {
			run[n] = (char)c[col + n].ch;
			n++;
		}
		SLsmg_gotorc(row, col);
		SLsmg_write_nchars(run, n);
		col += (int)n;
	}
}

static void show(void *term, const struct tui_screen *s, bool all)
{
	(void)term;
	if (all)
		SLsmg_touch_screen();
	for (int row = 0; row < s->rows; row++)
		show_row(s, row);
	if (s->cursor_row >= 0)
		SLsmg_gotorc(s->cursor_row, s->cursor_col);
	/* Not each time: while a reader waits, its screen is shown ten times a second. */
	if (all || the.cursor != (s->cursor_row >= 0))
		show_cursor(s->cursor_row >= 0);
	SLsmg_refresh();
}

static void bell(void *term)
{
	(void)term;
	SLtt_beep();
	SLtt_flush_output();
}

/* ---- opening ---------------------------------------------------------------------------------- */

static void close_terminal(void *term)
{
	(void)term;
	if (the.active)
		give_back(end_screen);
	drop_signals();
	close(the.fd);
	close(the.wake[0]);
	close(the.wake[1]);
	the.open = false;
}

static const struct tui_term terminal = {
	.read = read_bytes,
	.size = size,
	.show = show,
	.bell = bell,
	.leave = leave,
	.back = back,
	.interrupt = set_interrupt,
	.mouse = set_mouse,
	.close = close_terminal,
};

/* What the terminal says a capability is, without the pauses of old ones. */
static void add_cap(const char *name)
{
	const char *s = SLtt_tgetstr(name);

	for (; s && *s && the.nr_restore < sizeof(the.restore); s++) {
		if (s[0] == '$' && s[1] == '<' && strchr(s, '>'))
			s = strchr(s, '>');
		else
			the.restore[the.nr_restore++] = *s;
	}
}

static void prepare_restore(void)
{
	static const char off[] = CUT_OFF MOUSE_OFF PASTE_OFF, region[] = WHOLE_REGION;

	memcpy(the.restore, off, sizeof(off) - 1);
	the.nr_restore = sizeof(off) - 1;
	if (region_wanted()) {
		memcpy(the.restore + the.nr_restore, region, sizeof(region) - 1);
		the.nr_restore += sizeof(region) - 1;
	}
	add_cap("me"); /* attributes off */
	add_cap("ke"); /* keypad as it was */
	add_cap("te"); /* the other screen */
	add_cap("ve"); /* the cursor */
	if (the.nr_restore < sizeof(the.restore))
		the.restore[the.nr_restore++] = '\r';
}

static bool locale_is_utf8(void)
{
	locale_t loc = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool utf8 = loc && !strcmp(nl_langinfo_l(CODESET, loc), "UTF-8");

	if (loc)
		freelocale(loc);
	return utf8;
}

static int colors(void)
{
	const char *direct = getenv("COLORTERM");
	int n = SLtt_tgetnum("Co");

	if (direct && (!strcmp(direct, "truecolor") || !strcmp(direct, "24bit")))
		return 1 << 24;
	return n > 0 ? n : 8;
}

/* Whether a terminal of @nr colours has this one; else S-Lang would take any. */
static bool has_color(const char *name, int nr)
{
	if (*name == '#')
		return nr == 1 << 24;
	if (!strncmp(name, "color", 5))
		return atoi(name + 5) < nr;
	return true;
}

static void set_colors(const struct tui_opts *o)
{
	static const struct {
		enum tui_role role;
		SLtt_Char_Type mask;
	} mono[] = {
		{ TUI_SELECTED, SLTT_REV_MASK }, { TUI_ROOT, SLTT_REV_MASK },
		{ TUI_MENU, SLTT_REV_MASK },	 { TUI_WARN, SLTT_REV_MASK | SLTT_BOLD_MASK },
		{ TUI_TOP, SLTT_BOLD_MASK },	 { TUI_MATCH, SLTT_ULINE_MASK },
		{ TUI_HEAD, SLTT_BOLD_MASK },
	};
	const char *no = getenv("NO_COLOR");
	int nr = colors();

	if ((o && o->no_color) || (no && *no))
		SLtt_Use_Ansi_Colors = 0;
	for (int r = 0; r < TUI_ROLES; r++) {
		const char *fg = tui_role_color(o, (enum tui_role)r, false);
		const char *bg = tui_role_color(o, (enum tui_role)r, true);

		if (!has_color(fg, nr) || !has_color(bg, nr)) {
			fg = tui_role_color(NULL, (enum tui_role)r, false);
			bg = tui_role_color(NULL, (enum tui_role)r, true);
		}
		/* With 8 colours gray is black that is bold: on many screens nothing at all. */
		if (nr < 16 && !strcmp(fg, "gray"))
			fg = "default";
		SLtt_set_color(r, NULL, fg, bg);
	}
	SLtt_add_color_attribute(TUI_HEAD, SLTT_BOLD_MASK);
	SLtt_set_mono(TUI_NORMAL, NULL, 0);
	for (int r = 1; r < TUI_ROLES; r++)
		SLtt_set_mono(r, NULL, 0);
	for (size_t i = 0; i < ARRAY_SIZE(mono); i++)
		SLtt_set_mono(mono[i].role, NULL, mono[i].mask);
}

/* The terminal's descriptor, and how it was. */
static int open_tty(struct err *e)
{
	if (!isatty(STDOUT_FILENO))
		return err_set(e, -ENOTTY, "cannot open a browser: the output is not a terminal");
	the.fd = box_terminal();
	if (the.fd < 0)
		the.fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (the.fd < 0 || tcgetattr(the.fd, &the.saved))
		return err_set(e, -ENOTTY,
			       "cannot open a browser: no terminal to read keys from (%s)",
			       strerror(errno));
	if (pipe2(the.wake, O_CLOEXEC | O_NONBLOCK))
		return err_set(e, -errno, "cannot make a pipe: %s", strerror(errno));
	the.raw = the.saved;
	the.raw.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP);
	the.raw.c_oflag &= ~(tcflag_t)OPOST;
	the.raw.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | IEXTEN);
	the.raw.c_lflag |= ISIG; /* while reading Ctrl-C is a signal */
	the.raw.c_cc[VINTR] = 3;
	the.raw.c_cc[VQUIT] = the.raw.c_cc[VSUSP] = _POSIX_VDISABLE;
	the.raw.c_cc[VMIN] = 1;
	the.raw.c_cc[VTIME] = 0;
	return 0;
}

static int open_slang(const struct tui_opts *o, struct err *e)
{
	const char *name = getenv("TERM");
	int ret;

	if (!name || !*name)
		return err_set(e, -ENODEV, "cannot open a browser: TERM is not set");
	ret = SLtt_initialize(NULL);
	if (ret)
		return err_set(
			e, -ENODEV,
			ret == -1 ? "cannot open a browser: TERM is '%s', which is unknown here"
				  : "cannot open a browser: TERM is '%s', which cannot move its "
				    "cursor",
			name);
	the.utf8 = locale_is_utf8() && !(o && o->ascii);
	SLutf8_enable(the.utf8);
	prepare_restore();
	set_colors(o);
	measure();
	return 0;
}

static void at_exit(void)
{
	restore();
}

int tui_open(struct tui **t, const struct tui_opts *o, struct err *e)
{
	int ret;

	*t = NULL;
	if (the.open)
		return err_set(e, -EBUSY, "the terminal has a browser already");
	the = (struct terminal){ .fd = -1, .wake = { -1, -1 }, .at_exit = the.at_exit };
	ret = open_tty(e);
	if (!ret)
		ret = open_slang(o, e);
	if (!ret && !(*t = tui_new(&terminal, &the, !the.utf8)))
		ret = err_set(e, -ENOMEM, "out of memory");
	if (ret) {
		if (the.fd >= 0)
			close(the.fd);
		if (the.wake[0] >= 0) {
			close(the.wake[0]);
			close(the.wake[1]);
		}
		err_hint(e, "--stdio prints text");
		return ret;
	}
	the.open = true;
	if (!the.at_exit)
		the.at_exit = !atexit(at_exit);
	fflush(stdout);
	catch_signals();
	tcsetattr(the.fd, TCSADRAIN, &the.raw);
	the.active = 1;
	SLsmg_init_smg();
	say(PASTE_ON);
	show_cursor(false);
	SLtt_flush_output();
	if (o && o->mouse)
		tui_set_mouse(*t, true);
	return 0;
}

#else

int tui_open(struct tui **t, const struct tui_opts *o, struct err *e)
{
	(void)o;
	*t = NULL;
	err_set(e, -ENOSYS, "cannot open a browser: this perf was built without S-Lang");
	err_hint(e, "install libslang2-dev and build again; --stdio prints text");
	return -ENOSYS;
}

#endif
