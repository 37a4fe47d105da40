// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of functions as a terminal has room for them. */
#include "unit.h"

#include "symbol/symbol.h"

static void test_shorten(void **state)
{
	static const char map[] = "std::map<std::string, std::vector<int, A<int> >, "
				  "std::less<std::string> >::find(std::string const&)";
	static const struct {
		const char *name;
		size_t max;
		const char *want;
	} table[] = {
		{ "main", 16, "main" },
		{ "std::vector<int, std::allocator<int> >::push_back", 0,
		  "std::vector<int, std::allocator<int> >::push_back" },
		{ "std::vector<int, std::allocator<int> >::push_back", 49,
		  "std::vector<int, std::allocator<int> >::push_back" },
		{ "std::vector<int, std::allocator<int> >::push_back", 48,
		  "std::vector<...>::push_back" },
		{ map, 98,
		  "std::map<std::string, std::vector<...>, std::less<...> >"
		  "::find(std::string const&)" },
		{ map, 50, "std::map<...>::find(std::string const&)" },
		{ map, 30, "std::map<...>::find(...)" },
		{ map, 20, "std::m...::find(...)" },
		{ "bool operator< <A<int, long, char> >(A<int> const&)", 40,
		  "bool operator< <A<...> >(A<int> const&)" },
		{ "X::operator->() const [with T = some::very::long::name]", 30,
		  "X::operat...:very::long::name]" },
		{ "<alloc::vec::Vec<T> as core::iter::FromIterator<T>>::from_iter", 30,
		  "<...>::from_iter" },
		{ "a_very_long_name_of_a_function_in_c", 20, "a_very...nction_in_c" },
		{ ">>>>>>>><<<<<<<<<<<<<<<<<<<<<", 16, ">>>>>>>><<<<<..." },
	};
	char buf[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const char *got = symbol_shorten(table[i].name, table[i].max, buf, sizeof(buf));

		assert_string_equal(got, table[i].want);
		assert_true(!table[i].max || strlen(got) <= table[i].max);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_shorten) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
