#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "source/function_name.h"

enum { DIFFERS, IS_NAME, FITS };

static int match(const char *typed, const char *name)
{
	struct function_pattern pattern;
	int found;

	function_pattern_init(&pattern, typed);
	found = function_pattern_is_name(&pattern, name)     ? IS_NAME
		: function_pattern_fits_name(&pattern, name) ? FITS
							     : DIFFERS;
	function_pattern_deinit(&pattern);
	return found;
}

struct row {
	const char *typed, *name;
	int expected;
};

static void assert_rows(const struct row *rows, size_t n_rows)
{
	for (size_t i = 0; i < n_rows; i++)
		if (match(rows[i].typed, rows[i].name) != rows[i].expected)
			fail_msg("'%s' and '%s': %d, expected %d", rows[i].typed, rows[i].name,
				 match(rows[i].typed, rows[i].name), rows[i].expected);
}

#define ASSERT_ROWS(rows) assert_rows(rows, sizeof(rows) / sizeof(rows[0]))

static void parts_may_be_left_out(void **state)
{
	static const char name[] = "int n::S::g<int>(int)";
	static const struct row rows[] = {
		{"int n::S::g<int>(int)", name, IS_NAME},
		{"n::S::g<int>(int)", name, IS_NAME},
		{"n::S::g<int>", name, IS_NAME},
		{"n::S::g(int)", name, IS_NAME},
		{"int n::S::g", name, IS_NAME},
		{"n::S::g", name, IS_NAME},
		{"_ZN1n1S1gIiEET_S2_", name, IS_NAME},
		{"S::g", name, DIFFERS},
		{"g", name, DIFFERS},
		{"n::S", name, DIFFERS},
		{"n::S::g<long>", name, DIFFERS},
		{"n::S::g(long)", name, DIFFERS},
		{"n::S::ga", name, DIFFERS},
		{"n::S::g", "n::S<a, b<c> >::g(int) const", IS_NAME},
		{"n::S::g", "n::S::g(int) &&", IS_NAME},
		{"n::S<a,b<c>>::g", "n::S<a, b<c> >::g(int) const", IS_NAME},
		{"n::f", "n::f(int)::{lambda(int)#1}::operator()(int) const", DIFFERS},
		{"f", "(anonymous namespace)::f(int)", IS_NAME},
		{"n::f", "n::(anonymous namespace)::f(int)", IS_NAME},
		{"(anonymous namespace)::f", "(anonymous namespace)::f(int)", IS_NAME},
		{"s::f", "s::f[abi:cxx11](int)", IS_NAME},
		{"n::S::f", "non-virtual thunk to n::S::f()", DIFFERS},
		{"is", "isconst", DIFFERS},
		{"n::S::operator()", "n::S::operator()(int) const", IS_NAME},
		{"n::S::operator", "n::S::operator()(int) const", DIFFERS},
		{"n::S::operator<", "n::S::operator<(int) const", IS_NAME},
		{"n::S::operator<", "n::S::operator<<(int) const", DIFFERS},
		{"n::S::operator*", "n::S::operator*(int) const", IS_NAME},
		{"n::S::operator*", "n::S::operator*=(int)", DIFFERS},
		{"n::S::operator[]", "n::S::operator[](unsigned long)", IS_NAME},
		{"n::S::operator unsigned int", "n::S::operator unsigned int() const", IS_NAME},
		{"main.(*T).Method", "main.(*T).Method", IS_NAME},
		{"main", "main.(*T).Method", DIFFERS},
		{"main", "main.main", DIFFERS},
		{"main.Map", "main.Map[go.shape.int]", IS_NAME},
		{"<T as words::Mix>::mix", "<T as words::Mix>::mix", IS_NAME},
		{"gzip+0x4710", "gzip+0x4710", IS_NAME},
		{"gzip+0x471", "gzip+0x4710", DIFFERS},
	};

	(void)state;
	ASSERT_ROWS(rows);
}

static void clones_belong_to_their_function(void **state)
{
	static const struct row rows[] = {
		{"f", "f.isra.0", IS_NAME},
		{"f", "f.part.0", IS_NAME},
		{"f", "f.constprop.0.isra.0", IS_NAME},
		{"f", "f.llvm.123456", IS_NAME},
		{"f", "f.0", IS_NAME}, /* GCC's nested function */
		{"n::f", "n::f(int) [clone .isra.0]", IS_NAME},
		{"n::f", "int n::f<int>(int) [clone .part.0] [clone .constprop.1]", IS_NAME},
		{"f.part.0", "f.part.0", IS_NAME},
		{"f.part", "f.part.0", IS_NAME},
		{"f.part", "f.isra.0", DIFFERS},
		{"f.part", "f", DIFFERS},
		{"n::f.isra", "n::f(int) [clone .isra.0]", IS_NAME},
		{"n::f(int) [clone .isra.0]", "n::f(int) [clone .isra.0]", IS_NAME},
		{"f", "f.cold", DIFFERS},
		{"f", "f.part.0.cold", DIFFERS},
		{"f.part.0", "f.part.0.cold", DIFFERS},
		{"n::f", "n::f(int) [clone .cold]", DIFFERS},
		{"f.cold", "f.cold", IS_NAME},
		{"f.cold", "f.cold.1", IS_NAME},
		{"f.cold", "f", DIFFERS},
		{"n::f.cold", "n::f(int) [clone .cold]", IS_NAME},
		{"f", "f.other", DIFFERS},
		{"main.main.func1", "main.main.func1.2", DIFFERS}, /* a closure of Go, in another one */
	};

	(void)state;
	ASSERT_ROWS(rows);
}

static void linkage_tables_are_named_apart(void **state)
{
	static const struct row rows[] = {
		{"malloc@plt", "malloc@plt", IS_NAME}, {"malloc", "malloc@plt", DIFFERS},
		{"malloc@plt", "malloc", DIFFERS},     {"n::f@plt", "n::f(int)@plt", IS_NAME},
		{"mal*", "malloc@plt", DIFFERS},       {"mal*@plt", "malloc@plt", FITS},
	};

	(void)state;
	ASSERT_ROWS(rows);
}

static void wildcards_stand_for_any_text(void **state)
{
	static const struct row rows[] = {
		{"n::S::*", "int n::S::g<int>(int)", FITS},
		{"n::*::g", "int n::S::g(int)", FITS},
		{"n::*", "n::S g<int>(int)", DIFFERS}, /* the type that it returns */
		{"*g*", "n::S::g(int)", FITS},
		{"n::?::f", "n::S::f", FITS},
		{"n::?::f", "n::SS::f", DIFFERS},
		{"f*", "f.part.0", FITS},
		{"f*", "f.cold", DIFFERS},
		{"f*cold", "f.cold", FITS},
		{"f(char*)", "f(char*)", IS_NAME},
		{"n::S::operator[]*", "n::S::operator[](int)", FITS},
		{"n::S::operator*", "n::S::operator->(int)", DIFFERS},
		{"*", "gzip+0x4710", FITS},
		{"f*", "(anonymous namespace)::f(int)", FITS},
	};

	(void)state;
	ASSERT_ROWS(rows);
}

static void a_module_may_come_first(void **state)
{
	static const struct {
		const char *typed, *name, *path;
		bool fits;
	} rows[] = {
		{"libc.so.6:malloc", "malloc", "/lib/libc.so.6", true},
		{"libc:malloc", "malloc", "/lib/libc.so.6", true},
		{"libc*:malloc", "malloc", "/lib/libc.so.6", true},
		{"/lib/libc.so.6:malloc", "malloc", "/lib/libc.so.6", true},
		{"lib:malloc", "malloc", "/lib/libc.so.6", false},
		{"prog:n::S::g", "n::S::g(int)", "/home/prog", true},
		{"n::S::g", "n::S::g(int)", "/home/prog", true},
		{"[vdso]:__vdso_time", "__vdso_time", "[vdso]", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct function_pattern pattern;

		function_pattern_init(&pattern, rows[i].typed);
		assert_int_equal(function_pattern_fits_module(&pattern, rows[i].path), rows[i].fits);
		assert_true(function_pattern_is_name(&pattern, rows[i].name));
		function_pattern_deinit(&pattern);
	}
}

static void the_base_is_the_last_part(void **state)
{
	static const char *const rows[][2] = {
		{"int n::S<long>::g<int>(int)", "g"},
		{"f.part.0", "f"},
		{"malloc@plt", "malloc"},
		{"main.mix", "main.mix"},
		{"n::(anonymous namespace)::f(int)", "f"},
		{"n::S::~S()", "~S"},
		{"main", "main"},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *base = function_name_base(rows[i][0]);

		assert_string_equal(base, rows[i][1]);
		free(base);
	}
}

/* Names come from files that are not trusted. */
static void no_name_is_too_strange(void **state)
{
	static const char *const names[] = {"",	  "(",	  ")", "<",   ">",	  "f(",	       "f(()",
					    "f<", "f<<>", "[", "f[",  "operator", "operator<", "::",
					    ":",  "a:",	  ".", "..",  "f.",	  "f..0",      "@plt",
					    "*",  "?",	  " ", "f )", "f>(",	  "{{{",       "const"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++)
			match(names[i], names[j]);
		assert_int_equal(match(names[i], names[i]) != DIFFERS || names[i][0] == ' ', true);
		free(function_name_base(names[i]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_may_be_left_out),	  cmocka_unit_test(clones_belong_to_their_function),
		cmocka_unit_test(linkage_tables_are_named_apart), cmocka_unit_test(wildcards_stand_for_any_text),
		cmocka_unit_test(a_module_may_come_first),	  cmocka_unit_test(the_base_is_the_last_part),
		cmocka_unit_test(no_name_is_too_strange),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
