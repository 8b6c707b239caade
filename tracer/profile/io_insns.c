#include <stdlib.h>

#include "base/array.h"
#include "profile/code_guess.h"
#include "profile/columns.h"
#include "profile/format.h"

/* What is known of the functions that instructions were in so far. */
struct functions {
	uint64_t *starts; /* [n] by number, of the latest instruction in each */
	uint32_t n, next; /* functions, and those that occurred */
	uint32_t before;
};

static uint32_t io_module(const struct bytes_io *io, uint32_t module, uint32_t before, size_t n_modules)
{
	static const struct hint hint = {COLUMN_MODULE, 1, {0}};
	uint64_t value = module == before	  ? SAME_AS_BEFORE
			 : module == PROFILE_NONE ? NONE_AT_ALL
						  : (uint64_t)module + FIRST_INDEX;

	value = bytes_io_uint(io, &hint, value);
	return io->reader ? format_reference(io->reader, value, before, n_modules) : module;
}

/* Functions count backwards from the next that has not occurred, so that a new one always reads the same. */
static uint32_t io_function(const struct bytes_io *io, struct functions *functions, const struct code_guess *guess,
			    const struct profile_insn *insn, bool is_behind)
{
	uint32_t function = insn->function;
	uint64_t value = function == functions->before ? SAME_AS_BEFORE
			 : function == PROFILE_NONE    ? NONE_AT_ALL
						       : (uint64_t)functions->next - function + FIRST_INDEX;
	uint64_t place = (uint64_t)is_behind << 1 | guess->is_at_target;
	struct hint hint = {COLUMN_FUNCTION,
			    4,
			    {place, hint_mix(place, guess->opcode), hint_mix(place, insn->va % 16 + 4),
			     hint_mix(hint_mix(place, guess->opcode), insn->va % 16 + 4)}};

	value = bytes_io_uint(io, &hint, value);
	if (value == SAME_AS_BEFORE)
		function = functions->before;
	else if (value == NONE_AT_ALL)
		function = PROFILE_NONE;
	else if (value - FIRST_INDEX <= functions->next)
		function = functions->next - (uint32_t)(value - FIRST_INDEX);
	else
		bytes_fail(io->reader, "a number is out of range");
	if (function != PROFILE_NONE && function >= functions->n) {
		bytes_fail(io->reader, "an instruction is in a function that is not there");
		function = PROFILE_NONE;
	}
	functions->before = function;
	return function;
}

/* The distance from the start of the function, where the instruction before it in the function does not tell. */
static void io_offset(const struct bytes_io *io, struct functions *functions, struct profile_insn *insn)
{
	bool is_new = insn->function == functions->next;
	uint64_t predicted = is_new ? 0 : insn->va - functions->starts[insn->function];
	struct hint hint = {COLUMN_OFFSET, 2, {is_new, hint_mix(is_new, insn->va % 16)}};
	uint64_t offset = predicted + (uint64_t)bytes_io_int(io, &hint, (int64_t)(insn->function_offset - predicted));

	if (offset > UINT32_MAX)
		bytes_fail(io->reader, "an instruction is too far from its function");
	insn->function_offset = (uint32_t)offset;
	functions->starts[insn->function] = insn->va - insn->function_offset;
	functions->next += is_new;
}

void format_io_insns(const struct bytes_io *io, struct profile_insn *insns, size_t n_insns, size_t n_functions,
		     size_t n_modules)
{
	struct functions functions = {.n = (uint32_t)n_functions, .before = PROFILE_NONE};
	struct code_guess guess = {0};
	uint32_t module = PROFILE_NONE;

	functions.starts = xcalloc(n_functions, sizeof(*functions.starts));
	for (size_t i = 0; i < n_insns; i++) {
		uint64_t end_va = guess.end_va;

		if (io->reader && io->reader->problem)
			break;
		code_guess_address(&guess, io, &insns[i]);
		insns[i].module = module = io_module(io, insns[i].module, module, n_modules);
		insns[i].function = io_function(io, &functions, &guess, &insns[i], insns[i].va == end_va);
		if (insns[i].function != PROFILE_NONE)
			io_offset(io, &functions, &insns[i]);
		code_guess_bytes(&guess, io, &insns[i]);
	}
	free(functions.starts);
}
