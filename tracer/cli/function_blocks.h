/* The basic blocks of one function of a program, a library or an object file. */
#ifndef ITRACE_CLI_FUNCTION_BLOCKS_H
#define ITRACE_CLI_FUNCTION_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct function_block {
	size_t offset, n_bytes; /* in the function */
};

struct function_blocks {
	uint64_t va;	/* of the function, as linked; 0 in an object file */
	uint8_t *bytes; /* [n_bytes] of the function */
	size_t n_bytes;
	struct function_block *blocks; /* in the order of their addresses */
	size_t n_blocks, blocks_capacity;
};

/* A block begins at the function's start, at the target of a jump within it, and after an instruction that may
 * transfer control. `function` is a name as source/function_name.h describes them. Errors: the file cannot be read,
 * has no such function or several, or the function's bytes are not instructions. After an error there is nothing to
 * deinit. */
bool function_blocks_init(struct function_blocks *out, const char *path, const char *function, struct error *err);
void function_blocks_deinit(struct function_blocks *blocks);

#endif
