/* What the kernel tells a program: the results of its system calls and the memory that these fill, and what lies on its
 * stack when it starts. Two runs that are told the same execute the same, but for the order of threads, when signals come,
 * and for what instructions tell (RDTSC). */
#ifndef ITRACE_TESTS_TOLD_H
#define ITRACE_TESTS_TOLD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "stream/stream.h"

enum { TOLD_BYTES = 4096, TOLD_PATH_BYTES = 96, RANDOM_BYTES = 16 };

/* A system call. All bytes are set, so that records can be written to a file. */
struct told {
	uint64_t at; /* instructions of its thread before it */
	int64_t number;
	uint64_t arguments[3];
	uint64_t result;
	uint64_t filled_va,
		n_filled; /* what it wrote to the program's memory: n_filled bytes; 0: nothing that is known */
	uint64_t hash;	  /* of all of these */
	uint8_t filled[TOLD_BYTES]; /* the first ones */
	char path[TOLD_PATH_BYTES]; /* what its first argument is a descriptor of; "": none */
};

/* What can be made the same in two runs, to see whether it is the cause. */
enum told_kind {
	TOLD_RANDOM = 1, /* AT_RANDOM, too */
	TOLD_FILES = 2,	 /* inodes and times of files */
	TOLD_TIME = 4,	 /* and what was used of it, and of memory */
	TOLD_PROC = 8,	 /* what is read of /proc and /sys */
	TOLD_IDS = 16,	 /* of processes and threads */
	TOLD_OTHER = 32,
};

/* Takes it from the stopped program. */
void told_take(const struct profile *profile, const struct stream_syscall *call, uint64_t at, struct told *told);

enum told_kind told_kind(const struct told *told);

/* Writes to the program's memory what another run's call filled there, and returns that call's result. If that cannot be,
 * nothing is written and the call's own result is returned. */
uint64_t told_make_same(int32_t pid, const struct told *told, const struct told *other);

bool told_is_same(const struct told *a, const struct told *b);

/* It depends on how far other processes are: the end of one, or what came through a pipe or socket. */
bool told_by_others(const struct told *told);

/* Prints a line for the call and two for what differs. The runs go by their names. */
void told_print(FILE *out, const struct told *a, const struct told *b, const char *a_name, const char *b_name);

/* The 16 random bytes of a process that has not run yet, AT_RANDOM in getauxval(3). */
bool told_read_random(int32_t pid, uint8_t random[RANDOM_BYTES]);
void told_write_random(int32_t pid, const uint8_t random[RANDOM_BYTES]);

/* Takes from a process that has not run yet what leads it to the vDSO: it asks the kernel for the time, then. */
void told_hide_vdso(int32_t pid);

#endif
