/* Numbers as people read them. Counts are exact; functions that round say so.
 *
 * Each function returns its text by value, so `printf("%s", units_count(n).text)` needs no buffer. Rounding is half
 * up.
 */
#ifndef ITRACE_BASE_UNITS_H
#define ITRACE_BASE_UNITS_H

#include <stdint.h>

struct units_text {
	char text[40]; /* the longest text of all functions fits */
};

/* Exact, with a comma between thousands: "1,204,331". */
struct units_text units_count(uint64_t n);

/* Thousandths of a cycle, rounded to whole cycles: "106,002". A value between 0 and a half reads "<1". */
struct units_text units_cycles(int64_t mcyc);

/* Thousandths of a cycle as an exact decimal without commas or trailing zeros: "106002.125", "7". */
struct units_text units_cycles_exact(int64_t mcyc);

/* Cycles per execution, rounded to two decimals: "0.33". n is not 0. */
struct units_text units_cycles_each(int64_t mcyc, uint64_t n);

/* A share of a whole, rounded to a tenth of a percent: "17.1%". A part above 0 reads at least "<0.1%", and a part
 * below `whole` at most ">99.9%". "-" if `whole` is 0. */
struct units_text units_share(uint64_t part, uint64_t whole);

/* a / b, rounded to three digits: "0.861x", "17.2x", "1,204x". "-" if b is 0. */
struct units_text units_ratio(uint64_t a, uint64_t b);

/* A duration, rounded to four digits: "850 ns", "154.6 us", "1.500 ms", "23.00 s", "4,000 s". */
struct units_text units_duration(uint64_t ns);

/* Events a second, rounded to three digits: "52,100". "-" if ns is 0. */
struct units_text units_rate(uint64_t n, uint64_t ns);

/* The frequency of a clock with this period: "4.0 GHz", "22.2 MHz", "133 MHz". It has no more digits than a period in
 * whole picoseconds can give. "-" if cycle_ps is 0. */
struct units_text units_clock(uint64_t cycle_ps);

#endif
