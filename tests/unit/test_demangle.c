#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "source/location.h"

static void test_names(void **state)
{
	static const char *const names[][2] = {
		{"_Z3fooi", "foo(int)"},
		{"_ZN5boxed4areaIdEET_S1_S1_", "double boxed::area<double>(double, double)"},
		{"_ZNK3box5grownEPKc", "box::grown(char const*) const"},
		{"_Z3foov.constprop.0", "foo() [clone .constprop.0]"},
		/* Rust, both schemes; the second from RFC 2603. */
		{"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad"},
		{"_RNvC6_123foo3bar", "123foo::bar"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		char *name = source_demangle(names[i][0]);

		assert_non_null(name);
		assert_string_equal(name, names[i][1]);
		free(name);
	}
}

static void test_plain_names(void **state)
{
	static const char *const names[] = {"",	 "_",	  "_Z",	    "_R",	  "main", "_start", "__libc_start_main",
					    "i", "_Zfoo", "Z3fooi", "_RB_LfvNuL6" /* refers to itself */};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
		assert_null(source_demangle(names[i]));
}

/* A function without parameters whose name has n_letters letters. */
static char *long_name(int n_letters)
{
	char *letters = xcalloc((size_t)n_letters + 1, 1), *symbol;

	memset(letters, 'x', (size_t)n_letters);
	symbol = xasprintf("_Z%d%sv", n_letters, letters);
	free(letters);
	return symbol;
}

static void test_long_names(void **state)
{
	char *symbol = long_name(15000), *name = source_demangle(symbol);

	(void)state;
	assert_non_null(name);
	assert_int_equal(strlen(name), 15000 + strlen("()"));
	free(name);
	free(symbol);

	symbol = long_name(17000);
	assert_null(source_demangle(symbol));
	free(symbol);
}

/* f(A<int, int>, A<S, S>, ...), where each S is the previous parameter, so that each one doubles the length. */
static void test_exploding_name(void **state)
{
	char *symbol = xstrdup("_Z1f1AIiiES_IS0_S0_E");

	(void)state;
	for (unsigned i = 1; i < 35; i++) {
		char digit = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i];
		char *longer = xasprintf("%sS_IS%c_S%c_E", symbol, digit, digit);

		free(symbol);
		symbol = longer;
		if (i == 4) {
			char *name = source_demangle(symbol);

			assert_non_null(name); /* the last valid length */
			free(name);
		}
	}
	assert_null(source_demangle(symbol));
	free(symbol);
}

/* Any bytes after the prefix give a name or NULL. */
static void test_damaged_names(void **state)
{
	static const char *const prefixes[] = {"_Z", "_ZN", "_R", "_RNv"};
	static const char letters[] = "ABCDEFIKLNOPRSTXZ_0123456789abcdefghijlmnopstvwxyz.$u";
	uint32_t random = 1;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		char symbol[64];
		size_t length = (size_t)snprintf(symbol, sizeof(symbol), "%s", prefixes[i % 4]);
		char *name;

		while (length < sizeof(symbol) - 1 && (random >> 8) % 40 != 0) {
			random = random * 1664525 + 1013904223; /* Numerical Recipes */
			symbol[length++] = letters[(random >> 16) % (sizeof(letters) - 1)];
		}
		random += i;
		symbol[length] = '\0';
		name = source_demangle(symbol);
		assert_true(!name || *name);
		free(name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	      cmocka_unit_test(test_plain_names),
		cmocka_unit_test(test_long_names),    cmocka_unit_test(test_exploding_name),
		cmocka_unit_test(test_damaged_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
