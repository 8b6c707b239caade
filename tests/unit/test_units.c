#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"

static void counts_have_thousands_separators(void **state)
{
	(void)state;
	assert_string_equal(units_count(0).text, "0");
	assert_string_equal(units_count(999).text, "999");
	assert_string_equal(units_count(1000).text, "1,000");
	assert_string_equal(units_count(12345).text, "12,345");
	assert_string_equal(units_count(123456).text, "123,456");
	assert_string_equal(units_count(1204331).text, "1,204,331");
	assert_string_equal(units_count(UINT64_MAX).text, "18,446,744,073,709,551,615");
}

static void cycles_round_half_up(void **state)
{
	(void)state;
	assert_string_equal(units_cycles(0).text, "0");
	assert_string_equal(units_cycles(1).text, "<1");
	assert_string_equal(units_cycles(499).text, "<1");
	assert_string_equal(units_cycles(500).text, "1");
	assert_string_equal(units_cycles(1499).text, "1");
	assert_string_equal(units_cycles(106002000).text, "106,002");
	assert_string_equal(units_cycles(-1500).text, "-2");
	assert_string_equal(units_cycles(INT64_MAX).text, "9,223,372,036,854,776");
	assert_string_equal(units_cycles(INT64_MIN).text, "-9,223,372,036,854,776");
}

static void exact_cycles_lose_nothing(void **state)
{
	(void)state;
	assert_string_equal(units_cycles_exact(0).text, "0");
	assert_string_equal(units_cycles_exact(7000).text, "7");
	assert_string_equal(units_cycles_exact(7100).text, "7.1");
	assert_string_equal(units_cycles_exact(7010).text, "7.01");
	assert_string_equal(units_cycles_exact(1).text, "0.001");
	assert_string_equal(units_cycles_exact(-1250).text, "-1.25");
	assert_string_equal(units_cycles_exact(INT64_MAX).text, "9223372036854775.807");
}

static void cycles_each_have_two_decimals(void **state)
{
	(void)state;
	assert_string_equal(units_cycles_each(0, 5).text, "0.00");
	assert_string_equal(units_cycles_each(1000, 3).text, "0.33");
	assert_string_equal(units_cycles_each(2000, 3).text, "0.67");
	assert_string_equal(units_cycles_each(10, 2).text, "0.01"); /* 0.005 */
	assert_string_equal(units_cycles_each(1234567000, 1).text, "1,234,567.00");
	assert_string_equal(units_cycles_each(INT64_MAX, UINT64_MAX).text, "0.00");
}

static void shares_never_hide_a_part(void **state)
{
	(void)state;
	assert_string_equal(units_share(0, 7).text, "0.0%");
	assert_string_equal(units_share(7, 7).text, "100.0%");
	assert_string_equal(units_share(1, 3).text, "33.3%");
	assert_string_equal(units_share(2, 3).text, "66.7%");
	assert_string_equal(units_share(1, 2000).text, "0.1%");
	assert_string_equal(units_share(1, 2001).text, "<0.1%");
	assert_string_equal(units_share(1999, 2000).text, ">99.9%");
	assert_string_equal(units_share(9994, 10000).text, "99.9%");
	assert_string_equal(units_share(UINT64_MAX - 1, UINT64_MAX).text, ">99.9%");
	assert_string_equal(units_share(0, 0).text, "-");
}

static void ratios_have_three_digits(void **state)
{
	(void)state;
	assert_string_equal(units_ratio(5, 5).text, "1.00x");
	assert_string_equal(units_ratio(861, 1000).text, "0.861x");
	assert_string_equal(units_ratio(1, 100).text, "0.0100x");
	assert_string_equal(units_ratio(9996, 1000).text, "10.0x");
	assert_string_equal(units_ratio(172, 10).text, "17.2x");
	assert_string_equal(units_ratio(1234567, 1).text, "1,234,567x");
	assert_string_equal(units_ratio(UINT64_MAX, 1).text, "18,446,744,073,709,551,615x");
	assert_string_equal(units_ratio(1, 0).text, "-");
}

static void durations_have_four_digits(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} rows[] = {
		{0, "0 ns"},
		{850, "850 ns"},
		{999, "999 ns"},
		{1000, "1.000 us"},
		{154600, "154.6 us"},
		{9999, "9.999 us"},
		{99994, "99.99 us"},
		{99995, "100.0 us"},
		{999949, "999.9 us"},
		{999950, "1.000 ms"},
		{1500000, "1.500 ms"},
		{478600000, "478.6 ms"},
		{999950000, "1.000 s"},
		{23000000000, "23.00 s"},
		{999950000000, "1,000 s"},
		{4000499999999, "4,000 s"},
		{UINT64_MAX, "18,446,744,074 s"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(units_duration(rows[i].ns).text, rows[i].text);
}

static void rates_have_three_digits(void **state)
{
	(void)state;
	assert_string_equal(units_rate(0, 1000000000).text, "0");
	assert_string_equal(units_rate(999, 1000000000).text, "999");
	assert_string_equal(units_rate(52149, 1000000000).text, "52,100");
	assert_string_equal(units_rate(52150, 1000000000).text, "52,200");
	assert_string_equal(units_rate(99950, 1000000000).text, "100,000");
	assert_string_equal(units_rate(1, 2000000000).text, "1"); /* 0.5 */
	assert_string_equal(units_rate(1204331, 23000000000).text, "52,400");
	assert_string_equal(units_rate(5, 0).text, "-");
}

static void clocks(void **state)
{
	(void)state;
	assert_string_equal(units_clock(250).text, "4.0 GHz");
	assert_string_equal(units_clock(175).text, "5.7 GHz"); /* 5.7 GHz are 175.4 ps */
	assert_string_equal(units_clock(1000).text, "1.0 GHz");
	assert_string_equal(units_clock(7519).text, "133 MHz");
	assert_string_equal(units_clock(15000).text, "66.7 MHz");
	assert_string_equal(units_clock(45000).text, "22.2 MHz"); /* the VAX 8800's 45 ns */
	assert_string_equal(units_clock(200000).text, "5.0 MHz");
	assert_string_equal(units_clock(0).text, "-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_have_thousands_separators),
		cmocka_unit_test(cycles_round_half_up),
		cmocka_unit_test(exact_cycles_lose_nothing),
		cmocka_unit_test(cycles_each_have_two_decimals),
		cmocka_unit_test(shares_never_hide_a_part),
		cmocka_unit_test(ratios_have_three_digits),
		cmocka_unit_test(durations_have_four_digits),
		cmocka_unit_test(rates_have_three_digits),
		cmocka_unit_test(clocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
