#include "base/units.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"

/* A count times a power of ten does not always fit 64 bits. */
typedef unsigned __int128 wide_t;

static wide_t divide_rounded(wide_t n, wide_t by)
{
	return (n + by / 2) / by;
}

struct units_text units_count(uint64_t n)
{
	struct units_text result;
	char digits[24];
	char *to = result.text;
	int n_digits = snprintf(digits, sizeof(digits), "%" PRIu64, n);

	for (int i = 0; i < n_digits; i++) {
		if (i > 0 && (n_digits - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return result;
}

/* `scaled` is the value times 10^decimals. */
static struct units_text format_decimal(uint64_t scaled, int decimals, const char *suffix)
{
	static const uint64_t powers[] = {1, 10, 100, 1000, 10000};
	struct units_text result = units_count(scaled / powers[decimals]);
	size_t used = strlen(result.text);

	if (decimals > 0)
		used += (size_t)snprintf(result.text + used, sizeof(result.text) - used, ".%0*" PRIu64, decimals,
					 scaled % powers[decimals]);
	snprintf(result.text + used, sizeof(result.text) - used, "%s", suffix);
	return result;
}

/* n / by with at most max_decimals decimals and `digits` digits. All digits before the point are shown. */
static struct units_text format_significant(wide_t n, wide_t by, int digits, int max_decimals, const char *suffix)
{
	uint64_t limit = 1;
	wide_t scaled = 0;
	int decimals;

	for (int i = 0; i < digits; i++)
		limit *= 10;
	for (decimals = max_decimals; decimals >= 0; decimals--) {
		wide_t power = 1;

		for (int i = 0; i < decimals; i++)
			power *= 10;
		scaled = divide_rounded(n * power, by);
		if (scaled < limit || decimals == 0)
			break;
	}
	return format_decimal((uint64_t)scaled, decimals, suffix);
}

static void prepend_sign(struct units_text *unit, bool negative)
{
	if (negative) {
		memmove(unit->text + 1, unit->text, strlen(unit->text) + 1);
		unit->text[0] = '-';
	}
}

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

struct units_text units_cycles(int64_t mcyc)
{
	struct units_text result = units_count((uint64_t)divide_rounded(magnitude(mcyc), 1000));

	if (mcyc > 0 && mcyc < 500)
		return (struct units_text){"<1"};
	prepend_sign(&result, mcyc < 0);
	return result;
}

struct units_text units_cycles_exact(int64_t mcyc)
{
	struct units_text result;
	uint64_t thousandths = magnitude(mcyc) % 1000;
	int used = snprintf(result.text, sizeof(result.text), "%s%" PRIu64, mcyc < 0 ? "-" : "",
			    magnitude(mcyc) / 1000);

	if (thousandths) {
		used += snprintf(result.text + used, sizeof(result.text) - (size_t)used, ".%03" PRIu64, thousandths);
		while (result.text[used - 1] == '0')
			result.text[--used] = '\0';
	}
	return result;
}

struct units_text units_cycles_each(int64_t mcyc, uint64_t n)
{
	struct units_text result;

	assert(n > 0);
	result = format_decimal((uint64_t)divide_rounded(magnitude(mcyc), (wide_t)n * 10), 2, "");
	prepend_sign(&result, mcyc < 0);
	return result;
}

struct units_text units_share(uint64_t part, uint64_t whole)
{
	uint64_t permille;

	if (whole == 0)
		return (struct units_text){"-"};
	permille = (uint64_t)divide_rounded((wide_t)part * 1000, whole);
	if (permille == 0 && part > 0)
		return (struct units_text){"<0.1%"};
	if (permille == 1000 && part < whole)
		return (struct units_text){">99.9%"};
	return format_decimal(permille, 1, "%");
}

struct units_text units_ratio(uint64_t a, uint64_t b)
{
	if (b == 0)
		return (struct units_text){"-"};
	return format_significant(a, b, 3, 4, "x");
}

struct units_text units_duration(uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *suffix;
	} units[] = {{1000, " us"}, {1000000, " ms"}, {1000000000, " s"}};
	size_t i = 0;

	if (ns < 1000)
		return format_decimal(ns, 0, " ns");
	/* 999,950 ns would read 1000.0 us: it belongs to the next unit. */
	while (i + 1 < ARRAY_LENGTH(units) && divide_rounded((wide_t)ns * 10, units[i].ns) >= 10000)
		i++;
	return format_significant(ns, units[i].ns, 4, 3, units[i].suffix);
}

struct units_text units_rate(uint64_t n, uint64_t ns)
{
	uint64_t rate, step = 1;

	if (ns == 0)
		return (struct units_text){"-"};
	rate = (uint64_t)divide_rounded((wide_t)n * 1000000000, ns);
	while (rate / step >= 1000)
		step *= 10;
	return units_count((uint64_t)divide_rounded(rate, step) * step);
}

struct units_text units_clock(uint64_t cycle_ps)
{
	if (cycle_ps == 0)
		return (struct units_text){"-"};
	if (cycle_ps <= 1000)
		return format_decimal((uint64_t)divide_rounded(10000, cycle_ps), 1, " GHz");
	return format_significant(1000000, cycle_ps, 3, 1, " MHz");
}
