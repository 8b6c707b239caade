/* The registers and memory that an instruction under test uses. Private to timing/. */
#ifndef ITRACE_TIMING_INSTRUCTION_OPERANDS_H
#define ITRACE_TIMING_INSTRUCTION_OPERANDS_H

#include "costmodels/model/form_text.h"
#include "decode/encode.h"
#include "decode/insn_operands.h"
#include "timing/chain.h"

#define MAX_PLACES 16

/* A place that the instruction reads, writes, or both. */
struct used_place {
	struct place place;
	char name[8]; /* in `latencies`: "1", "2a", "rax", "flags", "k" */
	int operand;  /* index in the form; -1: the form does not show it */
	bool is_read, is_written;
};

struct form_layout {
	const char *form_text;
	struct form_parts parts;
	struct insn_choice choice;	      /* distinct registers: destinations from the pool, sources constants */
	uint8_t general_pool[INSN_N_GENERAL]; /* general registers that copies may use as destinations */
	size_t n_general_pool;
	struct insn_operands operands; /* of the instruction with that choice */
	struct used_place places[MAX_PLACES];
	size_t n_places;
	enum timed_code_vectors vectors;
	bool has_high_bytes, has_gather;
	bool reads_memory, writes_memory;
	uint16_t memory_bits;
};

/* Returns false if the form is not timed: jumps, strings, changes of the stack or of the system's state. */
bool form_layout_init(struct form_layout *layout, const char *form_text);

/* Chooses the registers of copy number `copy`, with destinations of its own, and its place in memory if it stores. */
void form_layout_choose_copy(const struct form_layout *layout, size_t copy, struct insn_choice *out);

/* Returns the number of copies with distinct destinations. */
size_t form_layout_n_copies(const struct form_layout *layout);

/* Sets registers and memory to values that suit the instruction: numbers near 1 of the form's kind. */
void form_layout_fill(const struct form_layout *layout, uint8_t *data, size_t n_bytes, struct timed_code_state *out);

#endif
