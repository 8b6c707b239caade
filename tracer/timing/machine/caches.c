/* Measures the sizes and latencies of the data caches, and the latency of memory.
 *
 * Loads go through memory of a growing size. The time of a load is the latency of one cache while the memory fits
 * into that cache, and then rises to the latency of the next cache. The size of a cache is the size at which the time
 * is midway between the two latencies. Pages are spread over the sets of a cache at random, so some loads miss before
 * the cache is full.
 */
#include "timing/machine/machine_private.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/order.h"
#include "timing/machine/chase.h"

#define LINES_PER_KIB 16
#define SMALLEST_KIB 8
#define MEMORY_KIB (256 * 1024)
/* The sizes of caches have few significant bits: 8, 10, 12, 14, 16, 20, 24, 28, 32 KiB ... */
#define SIZES_PER_DOUBLING 4
#define N_SIZES (SIZES_PER_DOUBLING * 14) /* from 8 KiB to 112 MiB */
#define PAGE_KIB 4
/* Number of passes through the sizes up to REPEATED_KIB, because another hardware thread of the core may use half of
 * its caches. */
#define N_PASSES 3
#define REPEATED_KIB 4096
#define N_MEDIAN 5
#define N_THIRD_LEVEL_PASSES 12
#define WAIT_NS 20000000 /* several passes through the largest cache */
#define USABLE_PERMILLE 60
/* Memory is shared with other programs and machines. */
#define USABLE_MEMORY_PERMILLE 300

static const char in_use[] = "other programs or machines use the cache";
static const char unclear[] = "there is no clear step in the time of loads";

struct curve {
	struct machine *machine;
	struct chase chase;
	struct clock_result time[N_SIZES], memory;
};

static uint32_t size_kib(size_t i)
{
	uint32_t step = SMALLEST_KIB / SIZES_PER_DOUBLING << i / SIZES_PER_DOUBLING;

	return step * (uint32_t)(SIZES_PER_DOUBLING + i % SIZES_PER_DOUBLING);
}

static void keep_faster(struct clock_result *best, const struct clock_result *result)
{
	if (!best->mcyc || result->mcyc < best->mcyc)
		*best = *result;
}

static void time_kib(struct curve *curve, uint32_t kib, struct clock_result *best)
{
	struct clock_result result;

	chase_link(&curve->chase, CHASE_LINES, (size_t)kib * LINES_PER_KIB);
	chase_time(&curve->chase, curve->machine, &result);
	keep_faster(best, &result);
}

static void measure_curve(struct curve *curve)
{
	for (size_t pass = 0; pass < N_PASSES; pass++)
		for (size_t i = 0; i < N_SIZES && (pass == 0 || size_kib(i) <= REPEATED_KIB); i++) {
			if (machine_must_stop(curve->machine))
				return;
			time_kib(curve, size_kib(i), &curve->time[i]);
		}
	time_kib(curve, MEMORY_KIB, &curve->memory);
	/* Loads from less memory cannot take longer. If they did, another program evicted the lines. */
	for (size_t i = N_SIZES - 1; i > 0; i--)
		keep_faster(&curve->time[i - 1], &curve->time[i]);
}

/* Adds memory_ns. The chase goes through the largest memory. */
static void add_memory(struct curve *curve)
{
	struct clock_result picoseconds;

	chase_time_ps(&curve->chase, curve->machine, &picoseconds);
	if (picoseconds.spread_permille > USABLE_MEMORY_PERMILLE)
		machine_add_missing(curve->machine, "memory_ns", "other programs or machines keep the memory busy");
	else
		machine_add(curve->machine, "memory_ns",
			    curve->chase.has_huge_pages ? "loads in random order from 256 MiB, on huge pages"
							: "loads in random order from 256 MiB, on pages of 4 KiB",
			    &picoseconds);
}

static int compare_results(const void *a, const void *b)
{
	const struct clock_result *first = a, *second = b;

	return ORDER(first->mcyc, second->mcyc);
}

/* Adds the latency of the second level: the time where the curve is flattest, above twice the latency of the first
 * level. Returns the latency, or 0. */
static int64_t add_second_level(struct curve *curve)
{
	const int64_t l1 = curve->time[0].mcyc;
	struct clock_result passes[N_MEDIAN];
	double flattest = 1.05;
	size_t best = N_SIZES;

	for (size_t i = 0; i + SIZES_PER_DOUBLING < N_SIZES; i++) {
		double rise = (double)curve->time[i + SIZES_PER_DOUBLING].mcyc / (double)curve->time[i].mcyc;

		if (curve->time[i].mcyc < l1 * 2 || curve->time[i].mcyc > l1 * 6 || rise >= flattest)
			continue;
		flattest = rise;
		best = i;
	}
	if (best == N_SIZES || curve->time[best].spread_permille > USABLE_PERMILLE) {
		machine_add_missing(curve->machine, "l2_latency", unclear);
		return 0;
	}
	for (size_t pass = 0; pass < N_MEDIAN; pass++) {
		passes[pass] = (struct clock_result){0};
		time_kib(curve, size_kib(best), &passes[pass]);
	}
	qsort(passes, N_MEDIAN, sizeof(passes[0]), compare_results);
	machine_add(curve->machine, "l2_latency", "loads in random order", &passes[N_MEDIAN / 2]);
	return passes[N_MEDIAN / 2].mcyc;
}

/* Returns the index of the first size at which a load takes longer, or N_SIZES. */
static size_t find_rise(const struct curve *curve, int64_t mcyc)
{
	size_t i = 0;

	while (i < N_SIZES && curve->time[i].mcyc < mcyc)
		i++;
	return i;
}

/* Adds the latency of the third level: the fastest of many chases through memory of this size. The size exceeds the
 * second level only a little, so that other programs evict few of the lines. Uses small pages, because a hypervisor
 * may map huge pages by small ones, and then the share of misses of the first TLB is unknown. Returns the latency, or
 * 0. */
static int64_t add_third_level(struct curve *curve, uint32_t kib, int64_t tlb_mcyc)
{
	const struct machine_parameter *tlb = machine_find(curve->machine, "dtlb_entries");
	uint32_t n_pages = kib / PAGE_KIB;
	struct clock_result best = {0}, result;
	struct chase chase;

	for (size_t pass = 0; pass < N_THIRD_LEVEL_PASSES; pass++) {
		if (!chase_init(&chase, (size_t)kib * 1024, false))
			break;
		chase_link(&chase, CHASE_LINES, (size_t)kib * LINES_PER_KIB);
		chase_time(&chase, curve->machine, &result);
		keep_faster(&best, &result);
		chase_deinit(&chase);
	}
	if (tlb && tlb->value < n_pages)
		best.mcyc -= tlb_mcyc * (n_pages - tlb->value) / n_pages;
	if (best.mcyc <= 0 || best.mcyc > curve->memory.mcyc / 2 || best.spread_permille > USABLE_PERMILLE) {
		machine_add_missing(curve->machine, "l3_latency", in_use);
		return 0;
	}
	machine_add(curve->machine, "l3_latency",
		    "loads in random order from three times the second level, minus misses of the TLB", &best);
	return best.mcyc;
}

static void add_size(struct curve *curve, const char *key, size_t rise)
{
	if (rise == 0 || rise == N_SIZES)
		machine_add_missing(curve->machine, key, unclear);
	else
		machine_add_size(curve->machine, key, "half of the loads from more memory miss", size_kib(rise - 1),
				 size_kib(rise));
}

/* Returns true if lines in half of this memory do not stay in the third level. */
static bool is_cache_in_use(struct curve *curve, uint32_t kib)
{
	const struct machine_parameter *memory = machine_find(curve->machine, "memory_ns");
	size_t n = (size_t)kib * LINES_PER_KIB / 2;

	chase_link(&curve->chase, CHASE_LINES, n);
	return !memory || chase_time_later_ps(&curve->chase, n, WAIT_NS) > memory->milli / 3;
}

static void add_third_size(struct curve *curve, int64_t l3_mcyc)
{
	size_t rise = find_rise(curve, (l3_mcyc + curve->memory.mcyc) / 2);

	if (rise && is_cache_in_use(curve, size_kib(rise - 1)))
		machine_add_missing(curve->machine, "l3_kib", in_use);
	else
		add_size(curve, "l3_kib", rise);
}

static void measure_caches(struct curve *curve)
{
	const struct machine_parameter *tlb = machine_find(curve->machine, "stlb_latency");
	int64_t tlb_mcyc = tlb ? tlb->milli : 0, l2, l3;

	measure_curve(curve);
	if (machine_must_stop(curve->machine))
		return;
	add_memory(curve);
	l2 = add_second_level(curve);
	if (!l2)
		return;
	add_size(curve, "l1d_kib", find_rise(curve, (curve->time[0].mcyc + l2) / 2));
	l3 = add_third_level(curve, size_kib(find_rise(curve, l2 * 2)) * 3, tlb_mcyc);
	if (!l3)
		return;
	/* A hypervisor may map huge pages by small ones, so the loads may miss the TLB. */
	add_size(curve, "l2_kib", find_rise(curve, (l2 + l3) / 2 + tlb_mcyc));
	add_third_size(curve, l3);
}

void machine_measure_caches(struct machine *machine)
{
	struct curve *curve = xcalloc(1, sizeof(*curve));

	curve->machine = machine;
	if (chase_init(&curve->chase, (size_t)MEMORY_KIB * 1024, true)) {
		measure_caches(curve);
		chase_deinit(&curve->chase);
	} else {
		machine_add_missing(machine, "l2_latency", "the system does not give 256 MiB of memory");
	}
	free(curve);
}
