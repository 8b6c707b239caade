/* Generated functions that repeat an instruction sequence in a counted loop, with known register contents.
 *
 * A body may change all registers except RSP and R15, which counts the iterations. The loop's end changes all
 * arithmetic flags but CF. Before the first iteration the direction flag is clear, MXCSR flushes denormals, and the x87
 * stack holds eight times 1.0.
 */
#ifndef ITRACE_TIMING_CODE_H
#define ITRACE_TIMING_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "decode/insn_operands.h"

#define TIMED_CODE_VECTOR_BYTES 64
#define TIMED_CODE_ZERO_VECTOR 15 /* the vector register that holds zeros */

/* Register contents before the first iteration. The functions do not change this struct. */
struct timed_code_state {
	uint64_t general[INSN_N_GENERAL];	 /* by enum insn_general; those of RSP and R15 are ignored */
	uint8_t vector[TIMED_CODE_VECTOR_BYTES]; /* of the vector registers 0 to 14 */
	uint8_t zero[TIMED_CODE_VECTOR_BYTES];	 /* all 0 */
	uint64_t mask;				 /* of K1 to K7 */
	uint32_t mxcsr;
};

typedef void (*timed_code_function)(const struct timed_code_state *state, uint64_t iterations);

/* The widest vectors that the body uses. Older CPUs slow SSE instructions down while upper halves are in use. */
enum timed_code_vectors { TIMED_CODE_XMM, TIMED_CODE_YMM, TIMED_CODE_ZMM };

struct timed_code_body {
	const uint8_t *bytes; /* [n_bytes], repeated n_copies times in each iteration */
	size_t n_bytes, n_copies;
	const uint8_t *before, *after; /* [n_before], [n_after], once in each iteration; may be NULL */
	size_t n_before, n_after;
	enum timed_code_vectors vectors;
};

struct timed_code {
	uint8_t *memory; /* [n_capacity], executable except while a function is added */
	size_t n_used, n_capacity;
};

bool timed_code_init(struct timed_code *code, struct error *err);
void timed_code_deinit(struct timed_code *code);

/* Returns the widest vectors of this CPU. */
enum timed_code_vectors timed_code_widest_vectors(void);

/* Sets all integers to 1, MXCSR to masked exceptions and flushed denormals, the mask to all ones, and each element of
 * the vectors to the low element_bytes (1 to 8) of `element`. */
void timed_code_state_init(struct timed_code_state *state, uint64_t element, size_t element_bytes);

/* Adds a function. Returns NULL if the memory is full. */
timed_code_function timed_code_add(struct timed_code *code, const struct timed_code_body *body);

/* Removes the functions that were added when code->n_used had this value or a higher one. */
void timed_code_forget(struct timed_code *code, size_t n_used);

#endif
