#include "recorders/branches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "stream_fixture.h"

/* dec ecx; jnz: 0x1000, 0x1002; nop; jmp back: 0x1004, 0x1005. */
struct code {
	struct profile profile;
	uint32_t region, nested;
	uint32_t dec, jnz, nop, jmp;
	uint32_t loop, back; /* blocks */
};

static void make(struct code *code)
{
	profile_init(&code->profile);
	code->region = profile_intern_region(&code->profile, "a", PROFILE_NONE);
	code->nested = profile_intern_region(&code->profile, "b", PROFILE_NONE);
	code->dec = add_code(&code->profile, code->region, 0x1000, "ff c9", 0);
	code->jnz = add_code(&code->profile, code->region, 0x1002, "75 fc", 0);
	code->nop = add_code(&code->profile, code->region, 0x1004, "90", 0);
	code->jmp = add_code(&code->profile, code->region, 0x1005, "eb f9", 0);
	code->loop = add_block(&code->profile, code->dec, 2);
	code->back = add_block(&code->profile, code->nop, 2);
}

static uint64_t mispredicts(const struct code *code, uint32_t region, uint32_t insn)
{
	return profile_tally_get(&code->profile.regions[region].mispredicts, insn);
}

/* Nine rounds of a loop of three: taken, taken, not taken. The predictor learns them. The next batch tells the last
 * outcome of a batch. */
static void batches_go_on(void **state)
{
	struct branch_recorder *recorder;
	struct code code;
	uint64_t before;

	(void)state;
	make(&code);
	recorder = branch_recorder_create();
	for (unsigned i = 0; i < 1000; i++) {
		const uint32_t blocks[] = {code.loop, code.loop, code.loop, code.back};
		const struct stream_batch batch = {.regions = &code.region,
						   .n_regions = 1,
						   .blocks = blocks,
						   .n_blocks = 4,
						   .is_continuation = i > 0};

		branch_recorder_add_batch(recorder, &code.profile, &batch);
		if (i == 500)
			before = mispredicts(&code, code.region, code.jnz);
	}
	assert_in_range(before, 1, 30);
	assert_int_equal(mispredicts(&code, code.region, code.jnz), before);
	assert_int_equal(mispredicts(&code, code.region, code.jmp), 0);
	branch_recorder_destroy(recorder);
	profile_deinit(&code.profile);
}

/* Taken 100 times, one round in each batch. The next batch, which belongs to another region, tells that the last
 * branch was not taken. The branch counts for the region that executed it. After a gap, the outcome of the last
 * branch is unknown. */
static void a_branch_counts_where_it_was_executed(void **state)
{
	struct branch_recorder *recorder;
	struct code code;
	struct stream_batch batch = {.n_regions = 1, .n_blocks = 1};

	(void)state;
	make(&code);
	recorder = branch_recorder_create();
	batch.blocks = &code.loop;
	batch.regions = &code.region;
	for (unsigned i = 0; i < 100; i++) {
		batch.is_continuation = i > 0;
		branch_recorder_add_batch(recorder, &code.profile, &batch);
	}
	assert_in_range(mispredicts(&code, code.region, code.jnz), 1, 3);
	code.profile.regions[code.region].mispredicts.counts[code.jnz] = 0;
	batch.blocks = &code.back;
	batch.regions = &code.nested;
	batch.is_continuation = false;
	branch_recorder_add_batch(recorder, &code.profile, &batch);
	assert_int_equal(mispredicts(&code, code.region, code.jnz), 0);

	batch.blocks = &code.loop;
	batch.regions = &code.region;
	batch.is_continuation = true;
	branch_recorder_add_batch(recorder, &code.profile, &batch);
	batch.blocks = &code.back;
	batch.regions = &code.nested;
	branch_recorder_add_batch(recorder, &code.profile, &batch);
	assert_int_equal(mispredicts(&code, code.region, code.jnz), 1);
	assert_int_equal(mispredicts(&code, code.nested, code.jnz), 0);
	branch_recorder_destroy(recorder);
	profile_deinit(&code.profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batches_go_on),
		cmocka_unit_test(a_branch_counts_where_it_was_executed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
