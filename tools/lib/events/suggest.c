// SPDX-License-Identifier: GPL-2.0-or-later
/* The known names that a mistyped one is closest to. */
#include <ctype.h>
#include <stdio.h>
#include <strings.h>

#include "events/private.h"

#define WORD 64 /* longer words are compared by their beginning */

/* Edits (insert, delete, replace, swap of neighbours) between two words, case ignored. */
static unsigned edit_distance(const char *a, const char *b)
{
	size_t na = strnlen(a, WORD), nb = strnlen(b, WORD);
	unsigned before[WORD + 1], last[WORD + 1], now[WORD + 1];

	for (size_t j = 0; j <= nb; j++)
		last[j] = (unsigned)j;
	memcpy(before, last, sizeof(before));
	for (size_t i = 1; i <= na; i++) {
		now[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			int ca = tolower((unsigned char)a[i - 1]);
			int cb = tolower((unsigned char)b[j - 1]);
			unsigned best = last[j - 1] + (ca != cb);

			if (last[j] + 1 < best)
				best = last[j] + 1;
			if (now[j - 1] + 1 < best)
				best = now[j - 1] + 1;
			if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
			    cb == tolower((unsigned char)a[i - 2]) && before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			now[j] = best;
		}
		memcpy(before, last, sizeof(before));
		memcpy(last, now, sizeof(last));
	}
	return last[nb];
}

void suggest_init(struct suggest *s, const char *word)
{
	*s = (struct suggest){ .word = word };
}

void suggest_offer(struct suggest *s, const char *name)
{
	size_t len = strlen(s->word);
	unsigned limit = 1 + (unsigned)(len / 3), d = edit_distance(s->word, name), i;

	/* What begins with the word is near, however long it goes on. */
	if (len >= 3 && !strncasecmp(name, s->word, len) && d > limit)
		d = limit;
	if (d > limit)
		return;
	for (i = 0; i < s->n; i++)
		if (!strcmp(s->best[i].name, name))
			return;
	for (i = s->n; i > 0 && s->best[i - 1].distance > d; i--)
		if (i < ARRAY_SIZE(s->best))
			s->best[i] = s->best[i - 1];
	if (i >= ARRAY_SIZE(s->best))
		return;
	snprintf(s->best[i].name, sizeof(s->best[i].name), "%s", name);
	s->best[i].distance = d;
	if (s->n < ARRAY_SIZE(s->best))
		s->n++;
}

void suggest_text(const struct suggest *s, char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < s->n && len < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s%s",
					i == 0		? ""
					: i + 1 == s->n ? " or "
							: ", ",
					s->best[i].name);
}
