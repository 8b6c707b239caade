#include "timing/machine/chase.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/array.h"
#include "base/monotonic.h"
#include "base/order.h"
#include "timing/machine/machine_private.h"

#define PAGE_BYTES 4096
#define LINE_BYTES 64
#define HUGE_BYTES (2 << 20)
/* The offset of the state in page 0, whose first line is for the chase. */
#define STATE_OFFSET 2048
#define COPIES 32
/* A run for chase_time_ps: some hundred microseconds in memory. */
#define RUN_ITERATIONS 100
#define N_RUNS 31
#define MAX_ATTEMPTS 5
#define GOOD_PERMILLE 5
#define NEVER_MCYC 1000000000000
/* Loads that bring the largest cache to its steady state. */
#define MAX_WARMING_LOADS (1 << 20)

static const uint8_t load_next[] = {0x48, 0x8b, 0x00};	/* mov rax, [rax] */
static const uint8_t keep_state[] = {0x48, 0x89, 0x03}; /* mov [rbx], rax */
static const struct timed_code_body body = {.bytes = load_next,
					    .n_bytes = sizeof(load_next),
					    .n_copies = COPIES,
					    .after = keep_state,
					    .n_after = sizeof(keep_state)};

/* Returns true if at least n_bytes of this process are on huge pages. */
static bool are_on_huge_pages(size_t n_bytes)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "re");
	unsigned long kib = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "AnonHugePages: %lu kB", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib >= n_bytes / 1024;
}

/* Returns a random number below n, by Marsaglia's xorshift. */
static size_t random_below(size_t n)
{
	static uint64_t x = 88172645463325252;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (size_t)((x >> 32) * n >> 32);
}

static void shuffle(uint32_t *order, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t other = random_below(i + 1);

		order[i] = order[other];
		order[other] = (uint32_t)i;
	}
}

/* Touches all pages in random order: some TLBs keep four neighbours in one entry if their physical pages are
 * neighbours, too. */
static void touch(struct chase *chase)
{
	size_t page_bytes = chase->has_huge_pages ? HUGE_BYTES : PAGE_BYTES, n = chase->n_bytes / page_bytes;
	uint32_t *order = xcalloc(n, sizeof(*order));

	shuffle(order, n);
	for (size_t i = 0; i < n; i++)
		*(volatile uint8_t *)&chase->memory[order[i] * page_bytes] = 1;
	free(order);
}

bool chase_init(struct chase *chase, size_t n_bytes, bool wants_huge_pages)
{
	uint8_t *memory;

	/* One more huge page for the state, and in the mapping another one for alignment. */
	n_bytes = (n_bytes + 2 * HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
	memory = mmap(NULL, n_bytes + HUGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	*chase = (struct chase){.memory = memory + (HUGE_BYTES - (uintptr_t)memory % HUGE_BYTES) % HUGE_BYTES,
				.n_bytes = n_bytes,
				.has_huge_pages = wants_huge_pages};
	munmap(memory, (size_t)(chase->memory - memory));
	munmap(chase->memory + n_bytes, HUGE_BYTES - (size_t)(chase->memory - memory));
	madvise(chase->memory, n_bytes, wants_huge_pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	touch(chase);
	chase->has_huge_pages = wants_huge_pages && are_on_huge_pages(n_bytes);
	chase->state = (struct timed_code_state *)(void *)(chase->memory + STATE_OFFSET);
	timed_code_state_init(chase->state, 0, sizeof(uint64_t));
	chase->state->general[GENERAL_RBX] = (uintptr_t)&chase->state->general[GENERAL_RAX];
	return true;
}

void chase_deinit(struct chase *chase)
{
	munmap(chase->memory, chase->n_bytes);
}

size_t chase_capacity(const struct chase *chase, enum chase_layout layout)
{
	return layout == CHASE_LINES ? (chase->n_bytes - PAGE_BYTES) / LINE_BYTES : chase->n_bytes / PAGE_BYTES;
}

static void **address_of(const struct chase *chase, enum chase_layout layout, size_t i)
{
	size_t offset = i * PAGE_BYTES;

	if (layout == CHASE_LINES)
		offset = PAGE_BYTES + i * LINE_BYTES;
	else
		offset += i % (PAGE_BYTES / LINE_BYTES) * LINE_BYTES;
	return (void **)(void *)(chase->memory + offset);
}

static void **run(void **at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		at = *(void *volatile *)at;
	return at;
}

void chase_link(struct chase *chase, enum chase_layout layout, size_t n)
{
	uint32_t *order = xcalloc(n, sizeof(*order));
	void **at = address_of(chase, layout, 0);

	shuffle(order, n);
	for (size_t i = 0; i < n; i++)
		*address_of(chase, layout, order[i]) = address_of(chase, layout, order[(i + 1) % n]);
	free(order);
	at = run(at, 2 * n < MAX_WARMING_LOADS ? 2 * n : MAX_WARMING_LOADS);
	chase->state->general[GENERAL_RAX] = (uintptr_t)at;
}

void chase_time(struct chase *chase, struct machine *machine, struct clock_result *out)
{
	struct clock_result result;

	*out = (struct clock_result){.mcyc = NEVER_MCYC, .spread_permille = UINT32_MAX};
	for (int i = 0; i < MAX_ATTEMPTS && out->spread_permille > GOOD_PERMILLE && !machine_must_stop(machine); i++)
		if (clock_measure_body(machine->clock, machine->code, &body, chase->state, &result) &&
		    result.mcyc < out->mcyc)
			*out = result;
}

void chase_time_ps(struct chase *chase, struct machine *machine, struct clock_result *out)
{
	size_t n_used = machine->code->n_used;
	timed_code_function function = timed_code_add(machine->code, &body);
	int64_t samples[N_RUNS];

	for (size_t i = 0; i < N_RUNS; i++) {
		int64_t begin = (int64_t)monotonic_now_ns();

		function(chase->state, RUN_ITERATIONS);
		samples[i] = ((int64_t)monotonic_now_ns() - begin) * 1000 / (RUN_ITERATIONS * COPIES);
	}
	timed_code_forget(machine->code, n_used);
	qsort(samples, N_RUNS, sizeof(samples[0]), order_int64);
	/* Other programs only add time, so the lower quartile is the time of memory. */
	out->mcyc = samples[N_RUNS / 4];
	out->spread_permille = (uint32_t)((samples[N_RUNS / 2] - samples[0]) * 1000 / out->mcyc);
}

int64_t chase_time_later_ps(struct chase *chase, size_t n, int64_t wait_ns)
{
	void **at = run((void **)chase->state->general[GENERAL_RAX], n);
	int64_t begin = (int64_t)monotonic_now_ns();

	while ((int64_t)monotonic_now_ns() < begin + wait_ns)
		;
	begin = (int64_t)monotonic_now_ns();
	chase->state->general[GENERAL_RAX] = (uintptr_t)run(at, n);
	return ((int64_t)monotonic_now_ns() - begin) * 1000 / (int64_t)n;
}
