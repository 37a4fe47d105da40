// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Settings files in git's format, as ~/.perfconfig is:
 *
 *	[section]
 *		key = value		# or ; a comment
 *		flag			; alone: true
 *
 * Blanks around values go, those in "quotes" stay, a backslash at the end of a line goes on with the
 * next. Names of sections and keys are told as "section.key".
 */
#include <ctype.h>
#include <stdio.h>

#include "cli/cli.h"

struct reader {
	FILE *f;
	int line;
};

static int get(struct reader *r)
{
	int c = getc(r->f);

	if (c == '\r')
		c = getc(r->f);
	r->line += c == '\n';
	return c;
}

static int skip_line(struct reader *r, int c)
{
	while (c != '\n' && c != EOF)
		c = get(r);
	return c;
}

static bool append(char *buf, size_t size, size_t *n, int c)
{
	if (*n + 1 >= size)
		return false;
	buf[(*n)++] = (char)c;
	buf[*n] = 0;
	return true;
}

/* Behind "[": up to "]". */
static bool read_section(struct reader *r, char *buf, size_t size)
{
	size_t n = 0;
	int c;

	buf[0] = 0;
	while ((c = get(r)) != ']') {
		if (c == EOF || c == '\n')
			return false;
		if (c == ' ' || c == '\t' || c == '"') /* [pager "report"]: pager.report */
			c = n && buf[n - 1] != '.' && c != '"' ? '.' : 0;
		if (c && !append(buf, size, &n, tolower(c)))
			return false;
	}
	return n > 0;
}

/* Behind "=": to the end of the line. */
static bool read_value(struct reader *r, char *buf, size_t size)
{
	bool quoted = false, comment = false;
	size_t n = 0, keep = 0; /* blanks at the end do not count, but for quoted ones */

	buf[0] = 0;
	for (;;) {
		int c = get(r);

		if (c == '\n' || c == EOF)
			break;
		if (comment || (!n && !quoted && isspace(c)))
			continue;
		if (!quoted && (c == '#' || c == ';')) {
			comment = true;
		} else if (c == '"') {
			quoted = !quoted;
			keep = n;
		} else {
			if (c == '\\') {
				c = get(r);
				if (c == '\n')
					continue;
				c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
				if (c == EOF)
					return false;
			}
			if (!append(buf, size, &n, c))
				return false;
			if (quoted || !isspace(c))
				keep = n;
		}
	}
	buf[keep] = 0;
	return !quoted;
}

static int one_key(struct reader *r, int c, const char *section, cli_config_fn *fn, void *ctx)
{
	char key[200], value[1024] = "true";
	size_t n = (size_t)snprintf(key, sizeof(key), "%s.", section);

	for (; isalnum(c) || c == '-' || c == '_' || c == '.'; c = get(r))
		if (!append(key, sizeof(key), &n, tolower(c)))
			return -EINVAL;
	while (c == ' ' || c == '\t')
		c = get(r);
	if (c == '=') {
		if (!read_value(r, value, sizeof(value)))
			return -EINVAL;
	} else if (c == '#' || c == ';') {
		skip_line(r, c);
	} else if (c != '\n' && c != EOF) {
		return -EINVAL;
	}
	return fn(ctx, key, value);
}

int cli_config_read(FILE *f, const char *path, cli_config_fn *fn, void *ctx, struct err *e)
{
	struct reader r = { .f = f, .line = 1 };
	char section[100] = "";
	int c, line, ret = 0;

	while (!ret && (c = get(&r)) != EOF) {
		line = r.line;
		if (isspace(c))
			continue;
		if (c == '#' || c == ';')
			skip_line(&r, c);
		else if (c == '[')
			ret = read_section(&r, section, sizeof(section)) ? 0 : -EINVAL;
		else if (isalpha(c) && section[0])
			ret = one_key(&r, c, section, fn, ctx);
		else
			ret = -EINVAL;
		if (ret == -EINVAL)
			err_set(e, ret, "%s:%d: neither [section] nor key = value", path, line);
	}
	return ret;
}
