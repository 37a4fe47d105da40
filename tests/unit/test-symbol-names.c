// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of functions: demangled, and as a terminal has room for them. */
#include "unit.h"

#include "config.h"
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

static void test_demangle(void **state)
{
#if HAVE_LIBIBERTY
	static const struct {
		const char *mangled, *plain, *params;
	} cases[] = {
		{ "_Z3fooi", "foo", "foo(int)" },
		{ "_ZN3foo1BImE3runEiRKSs", "foo::B<unsigned long>::run",
		  "foo::B<unsigned long>::run(int, std::string const&)" },
		{ "_Z3fooi@plt", "foo@plt", "foo(int)@plt" },
		/* Rust, both ways. */
		{ "_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write",
		  "core::fmt::write" },
		{ "_RNvCs15kBYyAo9fc_7mycrate7example", "mycrate::example", "mycrate::example" },
		{ "main", NULL, NULL },
		{ "_start", NULL, NULL },
		{ "_Z", NULL, NULL },
		{ "", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (int params = 0; params < 2; params++) {
			const char *want = params ? cases[i].params : cases[i].plain;
			char *got = symbol_demangle(cases[i].mangled, params);

			if (!want)
				assert_null(got);
			else if (!got || strcmp(got, want))
				fail_msg("%s: got %s, wanted %s", cases[i].mangled,
					 got ? got : "nothing", want);
			free(got);
		}
#else
	(void)state;
	skip_because("built without libiberty");
#endif
}

/* Names whose parts are empty: the demangler hands out no text, at NULL. For UBSan. */
static void test_demangle_empty(void **state)
{
	static const char *const names[] = { "_RIC0stkf", "_RINvNtC0kf", "_RNtC0soE" };

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(names); i++)
		free(symbol_demangle(names[i / 2], i % 2));
}

/* A<int, int>, A<A<int, int>, A<int, int>> ...: twice as long each time. */
static void test_demangle_bomb(void **state)
{
	char name[1024] = "_Z1fI1AIiiE";
	size_t n = strlen(name);
	char *got;

	(void)state;
	for (int i = 0; i < 34; i++) {
		static const char digit[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

		n += (size_t)sprintf(name + n, "S0_IS%c_S%c_E", digit[i + 1], digit[i + 1]);
	}
	strcpy(name + n, "Evv");
	got = symbol_demangle(name, false);
	assert_true(!got || strlen(got) < 100000);
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shorten),
		cmocka_unit_test(test_demangle),
		cmocka_unit_test(test_demangle_empty),
		cmocka_unit_test(test_demangle_bomb),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
