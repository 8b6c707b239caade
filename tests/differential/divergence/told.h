/* The kernel's inputs to a program: the results of its system calls, the memory that these fill, and its initial
 * stack. Two runs with equal inputs execute equal instructions, except for the order of threads, the time of signals,
 * and the results of instructions such as RDTSC. */
#ifndef ITRACE_TESTS_TOLD_H
#define ITRACE_TESTS_TOLD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "stream/stream.h"

enum { TOLD_BYTES = 4096, TOLD_PATH_BYTES = 96, RANDOM_BYTES = 16 };

/* A system call. Padding is zeroed, so that records can be written to a file. */
struct told {
	uint64_t at; /* number of its thread's instructions before it */
	int64_t number;
	uint64_t arguments[3];
	uint64_t result;
	uint64_t filled_va, n_filled; /* bytes that it wrote to the program's memory; 0: none known */
	uint64_t hash;		      /* of all these bytes */
	uint8_t filled[TOLD_BYTES];   /* the first of these bytes */
	char path[TOLD_PATH_BYTES];   /* of the file that its first argument refers to; "": none */
};

/* Kinds of inputs that can be replayed to see if they are the cause. */
enum told_kind {
	TOLD_RANDOM = 1, /* also AT_RANDOM */
	TOLD_FILES = 2,	 /* inodes and times of files */
	TOLD_TIME = 4,	 /* also its use, and the use of memory */
	TOLD_PROC = 8,	 /* reads of /proc and /sys */
	TOLD_IDS = 16,	 /* of processes and threads */
	TOLD_OTHER = 32,
};

/* Reads the call's results from the stopped program. */
void told_take(const struct profile *profile, const struct stream_syscall *call, uint64_t at, struct told *told);

enum told_kind told_kind(const struct told *told);

/* Writes the bytes of another run's call to the program's memory, and returns that call's result. On failure, writes
 * nothing and returns the call's own result. */
uint64_t told_make_same(int32_t pid, const struct told *told, const struct told *other);

bool told_is_same(const struct told *a, const struct told *b);

/* Returns true if the result depends on the progress of other processes: the end of one, or data from a pipe or
 * socket. */
bool told_by_others(const struct told *told);

/* Prints a line for the call and two for the differences. Uses the runs' names. */
void told_print(FILE *out, const struct told *a, const struct told *b, const char *a_name, const char *b_name);

/* Reads the 16 random bytes, AT_RANDOM in getauxval(3), of a process that has not run yet. */
bool told_read_random(int32_t pid, uint8_t random[RANDOM_BYTES]);
void told_write_random(int32_t pid, const uint8_t random[RANDOM_BYTES]);

/* Hides the vDSO from a process that has not run yet, which then asks the kernel for the time. */
void told_hide_vdso(int32_t pid);

#endif
