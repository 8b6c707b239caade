/* The code that repeats a basic block for block.c. */
#ifndef ITRACE_TIMING_BLOCK_CODE_H
#define ITRACE_TIMING_BLOCK_CODE_H

#include "base/error.h"
#include "timing/code.h"

struct block_to_time {
	const uint8_t *bytes; /* [n_bytes] */
	size_t n_bytes;
	bool is_loop;
	/* All registers except RSP and RBP, and all memory, hold one address. Else each register has its own place. */
	bool has_same_pointers;
};

enum { BLOCK_CODE_SETUP_BYTES = 256 };

/* Lies at BLOCK_CONTEXT_ADDRESS, which 32 bits can address, so that the code needs no register for it. */
#define BLOCK_CONTEXT_ADDRESS 0x7fff0000
struct block_context {
	uint64_t saved_rsp, saved_r15;
	uint64_t general[INSN_N_GENERAL]; /* before each run of all copies */
};

/* One run of all copies begins with the registers of the context. It is one iteration of timed_code's loop. */
struct block_code {
	uint8_t *bytes; /* of the body */
	uint8_t before[2][BLOCK_CODE_SETUP_BYTES], after[BLOCK_CODE_SETUP_BYTES];
	struct timed_code_body once, twice;
	uint64_t n_iterations; /* that `twice` has more than `once` */
};

/* Fails if the block cannot be repeated: it has a call, a system call or a jump in its middle. */
bool block_code_init(struct block_code *code, const struct block_to_time *block, struct error *err);
void block_code_deinit(struct block_code *code);

#endif
