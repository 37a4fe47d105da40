// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The first refusal of this process. Whoever comes first fills the text and then shows it by `code`,
 * so that nobody reads half of it; who comes later finds it taken and leaves.
 */
#include <stdatomic.h>

#include "base/lack.h"

static struct {
	atomic_flag taken;
	atomic_int code;
	char text[512];
} first = { .taken = ATOMIC_FLAG_INIT };

bool lack_is_trouble(int code)
{
	switch (code < 0 ? -code : code) {
	case ENOMEM:
	case EIO:
	case EMFILE:
	case ENFILE:
	case EINTR:
	case EAGAIN:
	case ENOBUFS: return true;
	default: return false;
	}
}

static void note(int code, const char *fmt, ...) __printf_fmt(2, 3);
static void note(int code, const char *fmt, ...)
{
	va_list ap;

	if (atomic_flag_test_and_set(&first.taken))
		return;
	va_start(ap, fmt);
	safe_format(first.text, sizeof(first.text), fmt, ap);
	va_end(ap);
	atomic_store(&first.code, code < 0 ? code : -code);
}

void lack_note(int code, const char *what, const char *name)
{
	int saved = errno;

	if (lack_is_trouble(code))
		note(code, "%s %s: %s", what, name, strerror(code < 0 ? -code : code));
	errno = saved;
}

void lack_memory(void)
{
	note(-ENOMEM, "out of memory");
}

void lack_forget(void)
{
	atomic_store(&first.code, 0);
	atomic_flag_clear(&first.taken);
}

int lack_tell(struct err *e)
{
	int code = atomic_load(&first.code);

	return code ? err_set(e, code, "%s", first.text) : 0;
}
