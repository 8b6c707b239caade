/* Small loops, each in a function of its own, over data that fit the L1 cache: to be timed, and to be estimated. */
#ifndef ITRACE_TESTS_ACCURACY_KERNELS_H
#define ITRACE_TESTS_ACCURACY_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#define N_BYTES 4096
#define N_WORDS 512
#define N_NODES 256
#define N_MATRIX 16
#define N_SORTED 64

struct node {
	struct node *next, *left, *right;
	uint64_t key;
};

/* 24 KiB. Kernels may write only where kernels_reset() puts things back, or what no kernel reads. */
struct data {
	uint8_t text[N_BYTES]; /* words of letters and digits, some of them not ASCII; ends with 0 */
	uint8_t random[N_BYTES];
	uint8_t out[2 * N_BYTES];
	double a[N_WORDS], b[N_WORDS];
	int32_t ints[N_WORDS];
	uint32_t sorted[N_WORDS];
	uint32_t histogram[256];
	uint32_t crc_table[256];
	struct node nodes[N_NODES]; /* next: a random circle; left and right: a tree, the root is nodes[0] */
};

struct kernel {
	const char *name;
	uint64_t (*run)(struct data *data); /* `kernel_` and the name; its result depends on all it did */
	const char *needs;		    /* a CPU feature for __builtin_cpu_supports, or NULL */
};

extern const struct kernel integer_kernels[], branch_kernels[], memory_kernels[], float_kernels[]; /* end with NULL */

#define KERNEL static __attribute__((noinline))

#endif
