#include "timing/stacked.h"

#include <string.h>

#include "base/array.h"

enum {
	COPIES = 48, /* a multiple of the registers; twice as many fit into a page of the stack */
	SLOT_BYTES = 8,
	DATA = 0x55,
};

/* POP changes them; the other ones have other uses (chain.h). */
static const uint8_t registers[] = {8, 9, 10, 11};

bool stacked_is_form(const char *form_text)
{
	static const char *const forms[] = {"PUSH r64", "PUSH imm8", "PUSH imm32", "PUSH m64", "POP r64", "POP m64"};

	for (size_t i = 0; i < ARRAY_LENGTH(forms); i++)
		if (strcmp(form_text, forms[i]) == 0)
			return true;
	return false;
}

/* LEA RSP, [RSP + bytes] */
static void write_move(uint8_t move[8], int32_t bytes)
{
	static const uint8_t lea_rsp[] = {0x48, 0x8d, 0xa4, 0x24};

	memcpy(move, lea_rsp, sizeof(lea_rsp));
	memcpy(move + sizeof(lea_rsp), &bytes, sizeof(bytes));
}

static timed_code_function add_copies(struct instruction_timer *timer, const struct sequence *sequence, bool is_push,
				      size_t n_copies)
{
	uint8_t move[8];
	struct timed_code_body body = {
		.bytes = sequence->bytes,
		.n_bytes = sequence->n_bytes,
		.n_copies = n_copies / ARRAY_LENGTH(registers),
	};

	write_move(move, (int32_t)(is_push ? n_copies : -n_copies) * SLOT_BYTES);
	if (is_push) {
		body.after = move;
		body.n_after = sizeof(move);
	} else {
		body.before = move;
		body.n_before = sizeof(move);
	}
	return timed_code_add(&timer->code, &body);
}

void stacked_measure(struct instruction_timer *timer, const char *form_text, struct instruction_timing *timing)
{
	bool is_push = strncmp(form_text, "PUSH", strlen("PUSH")) == 0, has_memory = strstr(form_text, " m");
	struct sequence sequence = {.n_bytes = 0};
	size_t n_used = timer->code.n_used;
	struct timed_code_state state;
	struct clock_kernel kernel = {.state = &state, .n_copies = COPIES};
	struct clock_result result;

	timing->is_encoded = true;
	timing->reads_memory = !is_push || has_memory;
	timing->writes_memory = is_push || has_memory;
	for (size_t i = 0; i < ARRAY_LENGTH(registers); i++) {
		const struct insn_choice choice = {.registers = {has_memory ? CHAIN_BASE : registers[i]},
						   .displacement = has_memory ? (int32_t)(i * SLOT_BYTES) : 0,
						   .immediate = 5};

		if (!sequence_append(&sequence, form_text, &choice))
			return;
	}
	timed_code_state_init(&state, 0, sizeof(uint64_t));
	state.general[CHAIN_BASE] = (uint64_t)(uintptr_t)timer->data;
	memset(timer->data, DATA, ARRAY_LENGTH(registers) * SLOT_BYTES);
	kernel.once = add_copies(timer, &sequence, is_push, COPIES);
	kernel.twice = add_copies(timer, &sequence, is_push, 2 * COPIES);
	if (kernel.once && kernel.twice && clock_measure(&timer->clock, &kernel, &result)) {
		timing->has_throughput = true;
		timing->throughput_mcyc = result.mcyc;
		timing->throughput_spread_permille = result.spread_permille;
	}
	timed_code_forget(&timer->code, n_used);
}
