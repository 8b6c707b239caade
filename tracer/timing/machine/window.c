/* Measures the size of the reorder buffer. Two loads that miss all caches overlap if the buffer has room for both and
 * all instructions between them. The time of a loop with two such loads doubles when the NOPs between them exceed the
 * buffer. NOPs need no register and no scheduler entry, which have other limits. */
#include "timing/machine/machine_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"
#include "timing/machine/chase.h"

#define MEMORY_BYTES (UINT64_C(128) << 20)
#define MIN_NOPS 16
#define MAX_NOPS 1600 /* more than any buffer holds: 576 entries in 2025, or 448 entries of two NOPs */
#define N_SEARCHES 15
#define GOOD_PERMILLE 10
#define N_VOTES 3
#define USABLE_PERMILLE 100

static const uint8_t nop[] = {0x0f, 0x1f, 0x40, 0x00}; /* nop [rax+0] */
static const uint8_t loads[2][3] = {
	{0x48, 0x8b, 0x00}, /* mov rax, [rax] */
	{0x48, 0x8b, 0x09}, /* mov rcx, [rcx] */
};

struct window {
	struct machine *machine;
	struct chase chase;
	int64_t limit_mcyc; /* a loop that takes longer has no overlap */
};

static bool time_loop(struct window *window, size_t n_nops, int64_t *mcyc)
{
	static const uint8_t keep_state[] = {0x48, 0x89, 0x03,	      /* mov [rbx], rax */
					     0x48, 0x89, 0x4b, 0x08}; /* mov [rbx+8], rcx */
	static uint8_t bytes[ARRAY_LENGTH(loads) * (sizeof(loads[0]) + MAX_NOPS * sizeof(nop))];
	struct timed_code_body body = {.bytes = bytes,
				       .n_copies = 1,
				       .after = keep_state,
				       .n_after = sizeof(keep_state)};
	struct clock_result result;

	for (size_t i = 0; i < ARRAY_LENGTH(loads); i++) {
		memcpy(&bytes[body.n_bytes], loads[i], sizeof(loads[i]));
		body.n_bytes += sizeof(loads[i]);
		for (size_t k = 0; k < n_nops; k++, body.n_bytes += sizeof(nop))
			memcpy(&bytes[body.n_bytes], nop, sizeof(nop));
	}
	if (!clock_measure_body(window->machine->clock, window->machine->code, &body, window->chase.state, &result))
		return false;
	*mcyc = result.mcyc;
	return true;
}

/* Returns true if most of the measurements exceed the limit. */
static bool is_too_long(struct window *window, size_t n_nops)
{
	int votes = 0;

	for (int i = 0; i < N_VOTES && !machine_must_stop(window->machine); i++) {
		int64_t mcyc;

		if (time_loop(window, n_nops, &mcyc))
			votes += mcyc > window->limit_mcyc ? 1 : -1;
	}
	return votes > 0;
}

/* Returns the largest number of NOPs with which the loads overlap. */
static size_t find_step(struct window *window)
{
	return MIN_NOPS - 1 + ARRAY_SEARCH(MAX_NOPS - MIN_NOPS, i, !is_too_long(window, MIN_NOPS + i));
}

static int compare_sizes(const void *a, const void *b)
{
	size_t first = *(const size_t *)a, second = *(const size_t *)b;

	return ORDER(first, second);
}

/* Some CPUs keep two NOPs in an entry. They also issue two in a slot. */
static size_t count_nops_per_entry(struct machine *machine)
{
	const struct machine_parameter *width = machine_find(machine, "issue_width");
	const struct timed_code_body body = {.bytes = nop, .n_bytes = sizeof(nop), .n_copies = 240};
	struct timed_code_state state;
	struct clock_result result;

	timed_code_state_init(&state, 0, sizeof(uint64_t));
	if (!width || !machine_time(machine, &body, &state, &result))
		return 0;
	return result.mcyc * width->milli < MILLI * MILLI * 3 / 4 ? 2 : 1;
}

static void measure_buffer(struct window *window)
{
	size_t steps[N_SEARCHES], n_per_entry = count_nops_per_entry(window->machine);
	struct clock_result result = {.spread_permille = UINT32_MAX};
	int64_t few, many;

	if (!n_per_entry || !time_loop(window, MIN_NOPS, &few) || !time_loop(window, MAX_NOPS, &many) ||
	    many < few * 3 / 2) {
		machine_add_missing(window->machine, "rob", "loads that miss the caches do not overlap clearly");
		return;
	}
	window->limit_mcyc = few * 3 / 2;
	/* Another hardware thread of the core takes half of the buffer while it runs, so the largest sizes that agree
	 * count. */
	for (size_t n = 0; n < N_SEARCHES && result.spread_permille > GOOD_PERMILLE; n++) {
		/* The buffer holds the loads, too. */
		steps[n] = (find_step(window) + n_per_entry - 1) / n_per_entry + ARRAY_LENGTH(loads);
		qsort(steps, n + 1, sizeof(steps[0]), compare_sizes);
		if (n < 2)
			continue;
		result.mcyc = (int64_t)steps[n - 1] * MILLI;
		result.spread_permille = (uint32_t)((steps[n] - steps[n - 2]) * 1000 / steps[n - 1]);
	}
	if (result.spread_permille > USABLE_PERMILLE)
		machine_add_missing(window->machine, "rob", "the step in the time of two overlapping loads moves");
	else
		machine_add(window->machine, "rob", "NOPs between two overlapping loads from memory", &result);
}

void machine_measure_window(struct machine *machine)
{
	struct window window = {.machine = machine};
	const void *at;

	if (!chase_init(&window.chase, MEMORY_BYTES, true)) {
		machine_add_missing(machine, "rob", "the system does not give 128 MiB of memory");
		return;
	}
	chase_link(&window.chase, CHASE_LINES, chase_capacity(&window.chase, CHASE_LINES));
	at = (const void *)window.chase.state->general[GENERAL_RAX];
	/* The second chain runs ahead of the first one by more loads than all searches do. */
	for (size_t i = 0; i < chase_capacity(&window.chase, CHASE_LINES) / 2; i++)
		at = *(const void *const *)at;
	window.chase.state->general[GENERAL_RCX] = (uintptr_t)at;
	measure_buffer(&window);
	chase_deinit(&window.chase);
}
