/* kernels            times each kernel: a line on the compiler, then NAME,CYCLES,SPREAD, in core cycles of one call
 * kernels NAME N     calls it N times, for tracing
 *
 * Core cycles are told by a chain of dependent additions, one a cycle on every x86 CPU that can be met, timed just
 * before and
 * after: the time stamp counter ticks at a rate of its own. A measurement beside which that rate changed by more than 1
 * % is done
 * again. Of the rest the median counts; the spread is what lies between the quartiles, in percent of it. */
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#ifdef __clang__
#define COMPILER "clang"
#else
#define COMPILER "gcc"
#endif

#define N_MEASURED 25
#define MAX_TRIES 400
#define LEAST_TICKS 100000 /* of one measurement: a counter may advance in steps of some 30 */
#define MOST_DRIFT 0.01

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static void make_text(uint8_t *text, uint32_t *state)
{
	size_t n = 0;

	while (n + 4 < N_BYTES) {
		uint32_t random = next_random(state) % 64;

		if (random == 0) {
			memcpy(&text[n], "\xe2\x82\xac", 3);
			n += 3;
		} else if (random < 3) {
			memcpy(&text[n], "\xc3\xa4", 2);
			n += 2;
		} else {
			text[n++] = (uint8_t)(random < 12 ? ' ' : 'a' + random % 26);
		}
	}
	memset(&text[n], '.', N_BYTES - 1 - n);
	text[N_BYTES - 1] = 0;
}

static void insert(struct node *root, struct node *node)
{
	while (root) {
		struct node **child = node->key < root->key ? &root->left : &root->right;

		if (!*child) {
			*child = node;
			return;
		}
		root = *child;
	}
}

static void make_nodes(struct node *nodes, uint32_t *state)
{
	uint16_t order[N_NODES];

	for (size_t i = 0; i < N_NODES; i++)
		order[i] = (uint16_t)i;
	for (size_t i = N_NODES - 1; i; i--) {
		size_t other = next_random(state) % (i + 1);
		uint16_t swapped = order[i];

		order[i] = order[other];
		order[other] = swapped;
	}
	for (size_t i = 0; i < N_NODES; i++) {
		nodes[order[i]].next = &nodes[order[(i + 1) % N_NODES]];
		nodes[i].key = next_random(state);
		if (i)
			insert(&nodes[0], &nodes[i]);
	}
}

static struct data *make_data(void)
{
	struct data *data = aligned_alloc(4096, (sizeof(*data) + 4095) / 4096 * 4096);
	uint32_t state = 1;

	if (!data)
		abort();
	memset(data, 0, sizeof(*data));
	make_text(data->text, &state);
	for (size_t i = 0; i < N_BYTES; i++)
		data->random[i] = (uint8_t)next_random(&state);
	for (size_t i = 0; i < N_WORDS; i++) {
		data->a[i] = 1 + next_random(&state) % 1000 * 0.001;
		data->b[i] = 1 + next_random(&state) % 1000 * 0.001;
		data->ints[i] = (int32_t)(next_random(&state) % 100000) - 50000;
		data->sorted[i] = (uint32_t)i * 7 + next_random(&state) % 7;
	}
	for (uint32_t i = 0; i < 256; i++) {
		data->crc_table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			data->crc_table[i] = data->crc_table[i] >> 1 ^ (data->crc_table[i] & 1 ? 0xedb88320 : 0);
	}
	make_nodes(data->nodes, &state);
	return data;
}

static uint64_t ticks(void)
{
	uint64_t now;

	_mm_lfence();
	now = __rdtsc();
	_mm_lfence();
	return now;
}

/* 100 additions in the loop, so that nothing else of it counts. */
static uint64_t time_chain(uint64_t n)
{
	uint64_t begin = ticks(), x = n;

	for (uint64_t i = 0; i < n; i++)
		__asm__ volatile(".rept 100\n\tadd %0, %0\n\t.endr" : "+r"(x));
	return ticks() - begin;
}

/* Of one cycle. What it takes to begin and to end cancels. */
static double time_cycle(void)
{
	uint64_t first = time_chain(200), second = time_chain(600);

	return (double)(second - first) / (400 * 100);
}

static volatile uint64_t sink;

static uint64_t time_calls(const struct kernel *kernel, struct data *data, uint64_t n)
{
	uint64_t begin = ticks();

	for (uint64_t i = 0; i < n; i++)
		sink += kernel->run(data);
	return ticks() - begin;
}

static int compare(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void time_kernel(const struct kernel *kernel, struct data *data)
{
	double cycles[N_MEASURED];
	uint64_t n = 1;
	size_t n_measured = 0;

	while (time_calls(kernel, data, n) < LEAST_TICKS)
		n *= 2;
	for (int i = 0; n_measured < N_MEASURED && i < MAX_TRIES; i++) {
		double before = time_cycle(), ticks_of_one = (double)time_calls(kernel, data, n) / (double)n,
		       after = time_cycle();

		if (before / after > 1 - MOST_DRIFT && before / after < 1 + MOST_DRIFT)
			cycles[n_measured++] = ticks_of_one / ((before + after) / 2);
	}
	if (n_measured < N_MEASURED) {
		fprintf(stderr, "%s: the clock changes too much to time it\n", kernel->name);
		return;
	}
	qsort(cycles, n_measured, sizeof(*cycles), compare);
	printf("%s,%.1f,%.1f\n", kernel->name, cycles[N_MEASURED / 2],
	       100 * (cycles[N_MEASURED * 3 / 4] - cycles[N_MEASURED / 4]) / cycles[N_MEASURED / 2]);
	fflush(stdout);
}

/* __builtin_cpu_supports wants a literal. */
static int is_supported(const struct kernel *kernel)
{
	const char *needs = kernel->needs;

	return !needs || (strcmp(needs, "avx2") == 0 && __builtin_cpu_supports("avx2")) ||
	       (strcmp(needs, "fma") == 0 && __builtin_cpu_supports("fma")) ||
	       (strcmp(needs, "sse4.2") == 0 && __builtin_cpu_supports("sse4.2")) ||
	       (strcmp(needs, "ssse3") == 0 && __builtin_cpu_supports("ssse3")) ||
	       (strcmp(needs, "popcnt") == 0 && __builtin_cpu_supports("popcnt"));
}

int main(int argc, char **argv)
{
	const struct kernel *const lists[] = {integer_kernels, branch_kernels, memory_kernels, float_kernels};
	struct data *data = make_data();
	int found = argc == 1;

	if (argc == 1)
		printf("# " COMPILER " " __VERSION__ "\n");
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (const struct kernel *kernel = lists[i]; kernel->name; kernel++) {
			if (!is_supported(kernel))
				continue;
			if (argc == 1)
				time_kernel(kernel, data);
			if (argc == 3 && strcmp(argv[1], kernel->name) == 0) {
				for (long n = strtol(argv[2], NULL, 10); n > 0; n--)
					sink += kernel->run(data);
				found = 1;
			}
		}
	free(data);
	if (!found)
		fprintf(stderr, "usage: kernels [NAME TIMES]; this CPU has no kernel '%s'\n", argc > 1 ? argv[1] : "");
	return found ? 0 : 2;
}
