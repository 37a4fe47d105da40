// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of sort keys: what every row must have, and that samples hold nothing without a key. */
#include "sample-words.h"
#include "unit.h"

#include "table/table-int.h"

static void every_key_is_whole(void **state)
{
	const struct key *k;

	(void)state;
	for (size_t i = 0; (k = keys_at(i)); i++) {
		if (!k->name || !k->head)
			fail_msg("key %zu has no name or no heading", i);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(k->name, keys_at(j)->name);
		if ((k->at == KEY_SAMPLE && !k->sample) ||
		    ((k->at == KEY_PLACE || k->at == KEY_FROM || k->at == KEY_TO) && !k->place))
			fail_msg("%s: where does its value come from?", k->name);
		if (k->at != KEY_STAT && (!k->cmp || (!k->text && !k->slot_text)))
			fail_msg("%s: no order or no text", k->name);
	}
}

static void every_word_has_a_key(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sample_words); i++) {
		const struct key *k;
		bool found = false;

		for (size_t j = 0; (k = keys_at(j)); j++)
			found |= k->at == KEY_SAMPLE && k->need == sample_words[i].bit;
		if (!found)
			fail_msg("no sort key shows %s", sample_words[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_is_whole),
		cmocka_unit_test(every_word_has_a_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
