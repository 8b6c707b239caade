#include "engine/visits/batches.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "engine/engine.h"

#define DATA 0x600000
#define STACK (DATA + 8192)
#define ANY UINT64_MAX /* a word that the kernel determines */

struct block {
	const char *regions;
	unsigned handlers;
	bool is_continuation; /* of the batch; set for its first block */
	const char *mnemonics;
	uint64_t words[8];
};

/* tests/unit/helpers/stream.S, worked out by hand. The kernel places the signal's frame. The NOPs are inner's
 * markers: both BEGIN and END count for the outer region. */
static const struct block answer[] = {
	/* push, call; callee; twice */
	{"stream", 0, false, "MOV PUSH CALL", {STACK - 8, STACK - 16}},
	{"stream", 0, true, "MOV RET", {STACK - 8, STACK - 16}},
	{"stream", 0, true, "POP DEC JNZ", {STACK - 8}},
	{"stream", 0, true, "PUSH CALL", {STACK - 8, STACK - 16}},
	{"stream", 0, true, "MOV RET", {STACK - 8, STACK - 16}},
	{"stream", 0, true, "POP DEC JNZ", {STACK - 8}},
	/* REP MOVSB: destination, source, iterations. FS points to data. NOP and LEA access nothing. ESI is 5 higher,
	 * ECX is 0. PUSH m: the operand, then the push. POP [rsp + 8]: 8 above the RSP after it, then the pop. */
	{"stream",
	 0,
	 true,
	 "MOV LEA MOV MOVSB MOV NOP MOV PUSH POP MOV MOV MOV SYSCALL",
	 {DATA + 256, DATA, 5, DATA + 8, DATA + 5 + 16, DATA, STACK - 8, STACK + 8}},
	{"(handlers) stream", 1, false, "MOV RET", {ANY, ANY}},
	{"(handlers) stream", 1, true, "MOV SYSCALL", {0}},
	{"stream", 0, false, "XOR NOP", {0}},
	{"stream inner", 0, true, "INC", {0}},
	{"stream", 0, true, "NOP", {0}},
};

struct listener {
	size_t n_blocks;
	uint64_t executions;
};

static void regions_text(const struct profile *profile, const struct stream_batch *batch, char *text, size_t n)
{
	text[0] = '\0';
	for (size_t i = 0; i < batch->n_regions; i++) {
		const struct profile_region *region = &profile->regions[batch->regions[i]];

		snprintf(text + strlen(text), n - strlen(text), "%s%s%s", i ? " " : "",
			 region->handlers_of == PROFILE_NONE ? "" : "(handlers) ", region->name);
	}
}

static void mnemonics_text(const struct profile *profile, const struct profile_block *block, char *text, size_t n)
{
	text[0] = '\0';
	for (size_t i = 0; i < block->n_insns; i++) {
		const struct profile_insn *insn = &profile->insns[profile->block_insns[block->first + i]];

		snprintf(text + strlen(text), n - strlen(text), "%s%s", i ? " " : "",
			 profile->forms[insn->form].form.mnemonic);
	}
}

/* The last words of the long block: the reads of POP. */
static void check_batch(void *context, struct profile *profile, const struct stream_batch *batch)
{
	struct listener *listener = context;
	struct stream_cursor cursor = stream_begin(profile, batch);
	char text[256];

	for (size_t i = 0; stream_next(&cursor); i++) {
		const struct profile_block *block = &profile->blocks[cursor.block];
		const struct block *expected = &answer[listener->n_blocks++];

		assert_in_range(listener->n_blocks, 1, ARRAY_LENGTH(answer));
		mnemonics_text(profile, block, text, sizeof(text));
		assert_string_equal(text, expected->mnemonics);
		regions_text(profile, batch, text, sizeof(text));
		assert_string_equal(text, expected->regions);
		assert_int_equal(batch->handlers, expected->handlers);
		assert_int_equal(i > 0 || batch->is_continuation, expected->is_continuation);
		assert_int_equal(batch->thread, 0);
		for (size_t k = 0; k < block->n_addresses && k < ARRAY_LENGTH(expected->words); k++)
			if (expected->words[k] != ANY)
				assert_int_equal(cursor.addresses[k], expected->words[k]);
		if (block->n_addresses > ARRAY_LENGTH(expected->words))
			assert_int_equal(cursor.addresses[8], STACK - 8);
		listener->executions += block->n_insns;
	}
	assert_int_equal(cursor.next_addresses - batch->addresses, batch->n_addresses);
}

static void a_program_streams_as_worked_out(void **state)
{
	const char *argv[] = {HELPERS_DIR "/stream", NULL};
	struct interrupts interrupts = {0};
	struct listener listener = {0};
	const struct trace_stream stream = {.wants_addresses = true, .on_batch = check_batch, .context = &listener};
	const struct trace_plan plan = {.argv = argv, .engine = ENGINE_STEP, .stream = &stream};
	struct profile profile;
	struct error err;

	(void)state;
	assert_true(engine_run(&plan, &interrupts, &profile, &err));
	assert_int_equal(profile.exit_status, 0);
	assert_int_equal(listener.n_blocks, ARRAY_LENGTH(answer));
	/* Outside handlers: 3 + 2 + 3 + 2 + 2 + 3 + 13 + 2 + 1 + 1; in handlers: 4. */
	assert_int_equal(profile_region_executions(&profile.regions[0]), 32);
	assert_int_equal(listener.executions, 32 + 4);
	profile_deinit(&profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_streams_as_worked_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
