/* The data TLBs, by loads from one line of each page. Loads from as many adjacent lines show the time that the caches
 * add. */
#include "timing/machine/machine_private.h"

#include "base/array.h"
#include "timing/machine/chase.h"

#define PAGE_BYTES 4096
#define N_ATTEMPTS 8
#define USABLE_PERMILLE 100
/* Every first-level data TLB since 2013 has from 32 to 128 entries, and every second level at least 1024. */
#define FEWEST_PAGES 16
#define PAGES_STEP 4
#define SECOND_LEVEL_PAGES 320
#define MOST_PAGES 256
#define SIZES_PER_DOUBLING 8
#define FEWEST_SECOND_LEVEL 512
#define N_SIZES (SIZES_PER_DOUBLING * 5) /* from 512 to 15360 pages */

struct tlbs {
	struct machine *machine;
	struct chase chase;
};

static const char unclear[] = "there is no clear step in the time of loads from many pages";

/* Returns the time that a load from one of n pages waits for the TLBs. */
static struct clock_result time_pages(struct tlbs *tlbs, size_t n)
{
	struct clock_result pages, lines;

	chase_link(&tlbs->chase, CHASE_PAGES, n);
	chase_time(&tlbs->chase, tlbs->machine, &pages);
	chase_link(&tlbs->chase, CHASE_LINES, n);
	chase_time(&tlbs->chase, tlbs->machine, &lines);
	pages.mcyc -= lines.mcyc;
	return pages;
}

static void add_first_level(struct tlbs *tlbs, int64_t second_mcyc)
{
	uint32_t n = FEWEST_PAGES;

	while (n <= MOST_PAGES && time_pages(tlbs, n).mcyc < second_mcyc / 2)
		n += PAGES_STEP;
	if (n == FEWEST_PAGES || n > MOST_PAGES)
		machine_add_missing(tlbs->machine, "dtlb_entries", unclear);
	else
		machine_add_size(tlbs->machine, "dtlb_entries", "half of the loads from more pages miss",
				 n - PAGES_STEP, n);
}

static uint32_t n_pages(size_t i)
{
	uint32_t step = FEWEST_SECOND_LEVEL / SIZES_PER_DOUBLING << i / SIZES_PER_DOUBLING;

	return step * (uint32_t)(SIZES_PER_DOUBLING + i % SIZES_PER_DOUBLING);
}

/* The sets of a TLB fill unevenly, so some loads miss before it is full, and some hit after. A third of the loads miss
 * at its size, and nearly all at twice its size. */
static void add_second_level(struct tlbs *tlbs, int64_t second_mcyc)
{
	struct clock_result times[N_SIZES];
	size_t i;

	for (i = 0; i < N_SIZES; i++)
		times[i] = time_pages(tlbs, n_pages(i));
	/* Loads from fewer pages wait no longer: where they did, another program evicted entries. */
	for (i = N_SIZES - 1; i > 0; i--)
		if (times[i - 1].mcyc > times[i].mcyc)
			times[i - 1] = times[i];
	for (i = 0; i + SIZES_PER_DOUBLING < N_SIZES; i++) {
		int64_t walk_mcyc = times[i + SIZES_PER_DOUBLING].mcyc - second_mcyc;

		if (walk_mcyc > second_mcyc && times[i].mcyc > second_mcyc + walk_mcyc / 3)
			break;
	}
	if (i == 0 || i + SIZES_PER_DOUBLING == N_SIZES) {
		machine_add_missing(tlbs->machine, "stlb_entries", unclear);
		machine_add_missing(tlbs->machine, "page_walk_latency", unclear);
		return;
	}
	machine_add_size(tlbs->machine, "stlb_entries", "a third of the loads from more pages miss", n_pages(i - 1),
			 n_pages(i));
	i += SIZES_PER_DOUBLING - 1;
	times[i].mcyc -= second_mcyc;
	if (times[i].spread_permille > USABLE_PERMILLE)
		machine_add_missing(tlbs->machine, "page_walk_latency", unclear);
	else
		machine_add(tlbs->machine, "page_walk_latency",
			    "loads from twice as many pages as the second level holds, minus stlb_latency", &times[i]);
}

static void measure_tlbs(struct tlbs *tlbs)
{
	struct clock_result second = time_pages(tlbs, SECOND_LEVEL_PAGES);

	for (int i = 0; i < N_ATTEMPTS; i++) {
		struct clock_result again = time_pages(tlbs, SECOND_LEVEL_PAGES);

		if (again.spread_permille < second.spread_permille)
			second = again;
	}
	if (second.mcyc < MILLI || second.spread_permille > USABLE_PERMILLE) {
		machine_add_missing(tlbs->machine, "stlb_latency and the sizes of the TLBs", unclear);
		return;
	}
	machine_add(tlbs->machine, "stlb_latency", "loads from 320 pages, minus loads from as many lines", &second);
	add_first_level(tlbs, second.mcyc);
	add_second_level(tlbs, second.mcyc);
}

void machine_measure_tlbs(struct machine *machine)
{
	struct tlbs tlbs = {.machine = machine};

	if (!chase_init(&tlbs.chase, (size_t)n_pages(N_SIZES) * PAGE_BYTES, false)) {
		machine_add_missing(machine, "dtlb_entries", "the system does not give 64 MiB of memory");
		return;
	}
	measure_tlbs(&tlbs);
	chase_deinit(&tlbs.chase);
}
