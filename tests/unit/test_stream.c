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
	bool follows; /* of the batch; set for its first block */
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
		assert_int_equal(i > 0 || batch->follows, expected->follows);
		assert_int_equal(batch->thread, 0);
		for (size_t k = 0; k < block->n_words && k < ARRAY_LENGTH(expected->words); k++)
			if (expected->words[k] != ANY)
				assert_int_equal(cursor.words[k], expected->words[k]);
		if (block->n_words > ARRAY_LENGTH(expected->words))
			assert_int_equal(cursor.words[8], STACK - 8);
		listener->executions += block->n_insns;
	}
	assert_int_equal(cursor.next_words - batch->words, batch->n_words);
}

static void a_program_streams_as_worked_out(void **state)
{
	const char *argv[] = {HELPERS_DIR "/stream", NULL};
	const struct engine_interrupts interrupts = {0};
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

static void learn(void *context, uint32_t shape)
{
	struct stream_shapes *shapes = context;

	assert_int_equal(shape, 1);
	shapes->shapes[1] = (struct stream_shape){.first_block = 1, .n_blocks = 2, .first_sum = 8, .n_sums = 3};
}

/* Shape 0 is block 1 with two words, logged as they are. Shape 1, learned while reading, is block 1 and then block 0,
 * which has one word. Its words follow from one logged word, except the second one, which is 5: the head plus a
 * constant. */
static void read_records(bool by_avx512)
{
	struct profile_block profile_blocks[] = {{.n_words = 1}, {.n_words = 2}};
	const struct profile profile = {.blocks = profile_blocks, .n_blocks = 2};
	uint32_t blocks[] = {1, 1, 0};
	int64_t sums[2 * STREAM_GROUP_WORDS] = {1, 2, [STREAM_GROUP_WORDS] = -3 * 256 | 1, (5 - (1 << 8 | 1)) * 256,
						100 * 256 | 1};
	struct stream_shape known[] = {{.first_block = 0, .n_blocks = 1, .first_sum = 0, .n_sums = 2}, {0}};
	struct stream_shapes shapes = {.shapes = known,
				       .blocks = blocks,
				       .sums = sums,
				       .have_words = true,
				       .by_avx512 = by_avx512,
				       .learn = learn};
	const uint64_t records[] = {1 << 8 | 1, 10, 0 << 8 | 2, 12, 13, 1 << 8 | 1, 14};
	const uint32_t heads[] = {1 << 8 | 2, 0 << 8 | 1};
	const uint32_t order[] = {1, 0, 1, 1, 0}, words[][2] = {{7, 5}, {110}, {12, 13}, {11, 5}, {114}};
	struct stream_batch batch = {.records = (const uint8_t *)records,
				     .n_bytes = sizeof(records),
				     .shapes = &shapes};
	struct stream_cursor cursor = stream_begin(&profile, &batch);

	shapes.context = &shapes;
	assert_true(stream_has_words(&batch));
	for (size_t i = 0; i < ARRAY_LENGTH(order); i++) {
		assert_true(stream_next(&cursor));
		assert_int_equal(cursor.block, order[i]);
		for (size_t k = 0; k < profile_blocks[order[i]].n_words; k++)
			assert_int_equal(cursor.words[k], words[i][k]);
	}
	assert_false(stream_next(&cursor));
	assert_int_equal(stream_n_blocks(&profile, &batch), 5);
	shapes.have_words = false;
	batch.records = (const uint8_t *)heads;
	batch.n_bytes = sizeof(heads);
	assert_int_equal(stream_n_blocks(&profile, &batch), 3);
	cursor = stream_begin(&profile, &batch);
	for (size_t i = 0; i < 3; i++) {
		assert_true(stream_next(&cursor));
		assert_int_equal(cursor.block, order[i]);
		assert_null(cursor.words);
	}
	assert_false(stream_next(&cursor));
}

static void records_are_read(void **state)
{
	(void)state;
	read_records(false);
	read_records(stream_has_avx512());
}

enum { N_LONG = 21, N_RECORDS = 3 * STREAM_MADE_RECORDS + 1, RECORD_WORDS = 1 + STREAM_LOGGED_MAX };

/* Each record logs as many words as it can hold, and has words that follow from each of these and from the head.
 * Memory after the last record is unreadable. */
static void read_long_records(bool by_avx512)
{
	struct profile_block profile_block = {.n_words = N_LONG};
	const struct profile profile = {.blocks = &profile_block, .n_blocks = 1};
	uint32_t blocks[] = {0};
	int64_t sums[3 * STREAM_GROUP_WORDS] = {0};
	struct stream_shape shape = {.n_blocks = 1, .n_sums = N_LONG};
	struct stream_shapes shapes = {
		.shapes = &shape, .blocks = blocks, .sums = sums, .have_words = true, .by_avx512 = by_avx512};
	uint64_t *records = malloc(sizeof(*records) * N_RECORDS * RECORD_WORDS);
	struct stream_batch batch = {.records = (const uint8_t *)records,
				     .n_bytes = sizeof(*records) * N_RECORDS * RECORD_WORDS,
				     .shapes = &shapes};
	struct stream_cursor cursor = stream_begin(&profile, &batch);

	assert_non_null(records);
	for (uint64_t i = 0; i < N_RECORDS; i++) {
		records[i * RECORD_WORDS] = STREAM_LOGGED_MAX;
		for (uint64_t k = 1; k < RECORD_WORDS; k++)
			records[i * RECORD_WORDS + k] = i << 32 | k << 60;
	}
	for (int64_t k = 0; k < N_LONG; k++)
		sums[k] = (k - 10) * 1000000 * 256 | k % RECORD_WORDS;
	for (uint64_t i = 0; i < N_RECORDS; i++) {
		assert_true(stream_next(&cursor));
		for (uint64_t k = 0; k < N_LONG; k++)
			assert_int_equal(cursor.words[k],
					 records[i * RECORD_WORDS + k % RECORD_WORDS] + (k - 10) * 1000000);
	}
	assert_false(stream_next(&cursor));
	free(records);
}

static void long_records_are_read(void **state)
{
	(void)state;
	read_long_records(false);
	read_long_records(stream_has_avx512());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_streams_as_worked_out),
		cmocka_unit_test(records_are_read),
		cmocka_unit_test(long_records_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
