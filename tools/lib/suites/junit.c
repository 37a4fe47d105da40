// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file is written at the end: the counts stand in front of what they count. A suite is a
 * <testsuite>, each of its checks a <testcase>; what a failed check explains ("# ..." lines) is the
 * text of its <failure>.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "suites/suites.h"

int suites_junit_open(struct suites_junit *j, const char *path, struct err *e)
{
	*j = (struct suites_junit){ .path = path };
	j->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (j->fd < 0) {
		int code = -errno;

		j->path = NULL;
		return err_set(e, code, "--junit: cannot create %s: %s", path, strerror(-code));
	}
	if (obuf_init(&j->body, -1, 0) || obuf_init(&j->suite, -1, 0))
		return err_set(e, -ENOMEM, "--junit: no memory");
	return 0;
}

/* XML has no way to write most control bytes; what is no ASCII need not be UTF-8. */
static void put_text(struct obuf *o, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		switch (c) {
		case '&': obuf_lit(o, "&amp;"); break;
		case '<': obuf_lit(o, "&lt;"); break;
		case '>': obuf_lit(o, "&gt;"); break;
		case '"': obuf_lit(o, "&quot;"); break;
		default:
			obuf_char(o,
				  (c >= 32 && c < 127) || c == '\n' || c == '\t' ? (char)c : '?');
		}
	}
}

static void end_failure(struct suites_junit *j)
{
	if (j->in_failure)
		obuf_lit(&j->suite, "</failure></testcase>\n");
	j->in_failure = false;
}

static void put_case(struct suites_junit *j, const char *name, size_t n)
{
	obuf_lit(&j->suite, "<testcase name=\"");
	put_text(&j->suite, name, n);
	obuf_lit(&j->suite, "\">");
	j->tests++;
}

/* "ok N - NAME", "ok N - NAME # SKIP REASON", "not ok N - NAME", "# explanation". */
void suites_junit_line(struct suites_junit *j, const char *line)
{
	bool failed = !strncmp(line, "not ok ", 7);
	const char *name, *skip;
	size_t n;

	if (!j->path)
		return;
	if (line[0] == '#' && j->in_failure)
		put_text(&j->suite, line, strlen(line));
	if (!failed && strncmp(line, "ok ", 3) != 0)
		return;
	end_failure(j);
	name = strstr(line, " - ");
	name = name ? name + 3 : line;
	n = strcspn(name, "\n");
	skip = failed ? NULL : strstr(name, " # SKIP ");
	put_case(j, name, skip ? (size_t)(skip - name) : n);
	if (failed) {
		obuf_lit(&j->suite, "<failure>");
		j->failures++;
		j->in_failure = true;
		return;
	}
	if (skip) {
		obuf_lit(&j->suite, "<skipped message=\"");
		put_text(&j->suite, skip + 8, strcspn(skip + 8, "\n"));
		obuf_lit(&j->suite, "\"/>");
		j->skipped++;
	}
	obuf_lit(&j->suite, "</testcase>\n");
}

void suites_junit_end(struct suites_junit *j, const char *name, enum suite_state state,
		      const char *why, double seconds)
{
	if (!j->path)
		return;
	end_failure(j);
	if (state != SUITE_OK && !j->failures && (state == SUITE_FAILED || !j->tests)) {
		const char *tag = state == SUITE_FAILED ? "failure" : "skipped";

		put_case(j, name, strlen(name));
		obuf_printf(&j->suite, "<%s message=\"", tag);
		put_text(&j->suite, why[0] ? why : "it ended without saying why",
			 why[0] ? strlen(why) : 27);
		obuf_lit(&j->suite, "\"/></testcase>\n");
		*(state == SUITE_FAILED ? &j->failures : &j->skipped) += 1;
	}
	obuf_lit(&j->body, "<testsuite name=\"");
	put_text(&j->body, name, strlen(name));
	obuf_printf(&j->body, "\" tests=\"%lu\" failures=\"%lu\" skipped=\"%lu\" time=\"%.3f\">\n",
		    j->tests, j->failures, j->skipped, seconds);
	obuf_mem(&j->body, j->suite.buf, j->suite.len);
	obuf_lit(&j->body, "</testsuite>\n");
	j->all_tests += j->tests;
	j->all_failures += j->failures;
	j->all_skipped += j->skipped;
	j->seconds += seconds;
	j->tests = j->failures = j->skipped = 0;
	j->suite.len = 0;
}

int suites_junit_close(struct suites_junit *j, struct err *e)
{
	char head[256];
	int ret;

	if (!j->path)
		return 0;
	snprintf(head, sizeof(head),
		 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"perf\" "
		 "tests=\"%lu\" failures=\"%lu\" skipped=\"%lu\" time=\"%.3f\">\n",
		 j->all_tests, j->all_failures, j->all_skipped, j->seconds);
	obuf_lit(&j->body, "</testsuites>\n");
	ret = j->body.code ? j->body.code : j->suite.code;
	if (!ret)
		ret = write_all(j->fd, head, strlen(head));
	if (!ret)
		ret = write_all(j->fd, j->body.buf, j->body.len);
	if (close(j->fd) && !ret)
		ret = -errno;
	if (ret)
		err_set(e, ret, "--junit: cannot write %s: %s", j->path, strerror(-ret));
	obuf_free(&j->body);
	obuf_free(&j->suite);
	return ret;
}
