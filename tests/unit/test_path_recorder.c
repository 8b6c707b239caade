#include "recorders/paths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stream_fixture.h"

/*  0x1000  mov ecx, 3
 *  0x1005  mov [rdi], eax		loop
 *  0x1007  call 0x1020
 *  0x100c  add eax, [rdi]
 *  0x100e  dec ecx
 *  0x1010  jnz 0x1005
 *  0x1012  jmp rax
 *  0x1020  ret
 */
struct code {
	struct profile profile;
	uint32_t region, nested;
	uint32_t start, loop, rest, jump, callee; /* blocks */
};

static void make(struct code *code)
{
	struct profile *profile = &code->profile;
	uint32_t first;

	profile_init(profile);
	code->region = profile_intern_region(profile, "a", PROFILE_NONE);
	code->nested = profile_intern_region(profile, "b", PROFILE_NONE);
	first = add_code(profile, code->region, 0x1000, "b9 03 00 00 00", 0);
	add_code(profile, code->region, 0x1005, "89 07", 0);
	add_code(profile, code->region, 0x1007, "e8 14 00 00 00", 0);
	add_code(profile, code->region, 0x100c, "03 07", 0);
	add_code(profile, code->region, 0x100e, "ff c9", 0);
	add_code(profile, code->region, 0x1010, "75 f3", 0);
	add_code(profile, code->region, 0x1012, "ff e0", 0);
	add_code(profile, code->region, 0x1020, "c3", 0);
	code->start = add_block(profile, first, 3);
	code->loop = add_block(profile, first + 1, 2);
	code->rest = add_block(profile, first + 3, 3);
	code->jump = add_block(profile, first + 6, 1);
	code->callee = add_block(profile, first + 7, 1);
}

/* "0-5 7 3-5": the instructions of a path. */
static const char *path_text(const struct profile *profile, uint32_t index, char *text, size_t n)
{
	const struct profile_path *path = &profile->paths[index];

	text[0] = '\0';
	for (uint32_t i = 0; i < path->n_insns; i++)
		snprintf(text + strlen(text), n - strlen(text), "%s%u", i ? " " : "",
			 profile->path_insns[path->first_insn + i]);
	return text;
}

static uint64_t pair_count(const struct profile_region *region, uint32_t from, uint32_t to)
{
	for (size_t i = 0; i < region->pairs.n_rows; i++)
		if (region->pairs.rows[i].from == from && region->pairs.rows[i].to == to)
			return region->pairs.rows[i].count;
	return 0;
}

/* Three rounds; the jump goes nowhere. With the stack at 0x8000: the first round pushes and pops there, and so on. */
static void a_loop_is_cut_into_its_rounds(void **state)
{
	struct code code;
	struct path_recorder *recorder;
	char text[128];

	(void)state;
	make(&code);
	recorder = path_recorder_create();
	{
		const uint32_t blocks[] = {code.start, code.callee, code.rest,	 code.loop, code.callee,
					   code.rest,  code.loop,   code.callee, code.rest, code.jump};
		const uint64_t words[] = {0x6000, 0x7ff8, 0x7ff8, 0x6000, 0x6000, 0x7ff8,
					  0x7ff8, 0x6000, 0x6000, 0x7ff8, 0x7ff8, 0x6000};
		const struct stream_batch batch = {.regions = &code.region,
						   .n_regions = 1,
						   .blocks = blocks,
						   .n_blocks = 10,
						   .addresses = words,
						   .n_addresses = 12};

		path_recorder_add_batch(recorder, &code.profile, &batch);
	}
	path_recorder_finish(recorder, &code.profile);
	path_recorder_destroy(recorder);
	assert_true(code.profile.has_paths);
	assert_true(code.profile.has_addresses);
	assert_int_equal(code.profile.n_paths, 3);
	assert_string_equal(path_text(&code.profile, 0, text, sizeof(text)), "0 1 2 7 3 4 5");
	assert_string_equal(path_text(&code.profile, 1, text, sizeof(text)), "1 2 7 3 4 5");
	/* Falling out of the loop does not cut. */
	assert_string_equal(path_text(&code.profile, 2, text, sizeof(text)), "1 2 7 3 4 5 6");
	assert_int_equal(code.profile.paths[1].n_addresses, 4);
	assert_int_equal(code.profile.paths[1].n_dependences, 2);
	/* RET takes what CALL pushed, ADD what MOV stored. */
	assert_memory_equal(&code.profile.path_dependences[code.profile.paths[1].first_dependence],
			    ((struct profile_dependence[]){{2, 1, 0, 0}, {3, 0, 0, 0}}),
			    2 * sizeof(struct profile_dependence));
	assert_int_equal(code.profile.regions[code.region].pairs.n_rows, 3);
	assert_int_equal(pair_count(&code.profile.regions[code.region], PROFILE_NONE, 0), 1);
	assert_int_equal(pair_count(&code.profile.regions[code.region], 0, 1), 1);
	assert_int_equal(pair_count(&code.profile.regions[code.region], 1, 2), 1);
	profile_deinit(&code.profile);
}

/* Each round reads what the round before stored, 4 bytes further; then something else. */
static void dependences_tell_paths_apart(void **state)
{
	struct code code;
	struct path_recorder *recorder;
	const struct profile_dependence *dependence;
	uint32_t variant;

	(void)state;
	make(&code);
	recorder = path_recorder_create();
	for (unsigned i = 0; i < 20; i++) {
		const uint32_t blocks[] = {code.loop, code.callee, code.rest};
		/* From the second round on ADD reads 4 bytes into what the one before stored. */
		const uint64_t words[] = {0x6000 + 64 * i, 0x7ff8, 0x7ff8, i < 10 ? 0x6000 + 64 * (i - 1) + 2 : 0x9000};
		const struct stream_batch batch = {.regions = &code.region,
						   .n_regions = 1,
						   .blocks = blocks,
						   .n_blocks = 3,
						   .addresses = words,
						   .n_addresses = 4,
						   .is_continuation = i > 0};

		path_recorder_add_batch(recorder, &code.profile, &batch);
	}
	path_recorder_finish(recorder, &code.profile);
	path_recorder_destroy(recorder);
	/* The first round has nothing before it, which is what rounds 10 to 19 look like. */
	assert_int_equal(code.profile.n_paths, 2);
	variant = code.profile.paths[0].n_dependences == 2 ? 0 : 1;
	dependence = &code.profile.path_dependences[code.profile.paths[variant].first_dependence + 1];
	assert_int_equal(code.profile.paths[variant].n_dependences, 2);
	assert_memory_equal(dependence, (&(struct profile_dependence){3, 0, 1, 2}), sizeof(*dependence));
	assert_int_equal(pair_count(&code.profile.regions[code.region], variant, variant), 8);
	assert_int_equal(pair_count(&code.profile.regions[code.region], 1 - variant, 1 - variant), 9);
	profile_deinit(&code.profile);
}

/* Nested regions, a gap, and addresses that are not known. */
static void visits_cut(void **state)
{
	struct code code;
	struct path_recorder *recorder;
	struct stream_batch batch = {.n_blocks = 1};

	(void)state;
	make(&code);
	recorder = path_recorder_create();
	{
		const uint32_t both[] = {code.region, code.nested};

		batch.blocks = &code.callee;
		batch.regions = both;
		batch.n_regions = 1;
		path_recorder_add_batch(recorder, &code.profile, &batch);
		batch.is_continuation = true;
		path_recorder_add_batch(recorder, &code.profile, &batch);
		batch.n_regions = 2;
		path_recorder_add_batch(recorder, &code.profile, &batch);
		batch.is_continuation = false;
		path_recorder_add_batch(recorder, &code.profile, &batch);
	}
	path_recorder_finish(recorder, &code.profile);
	path_recorder_destroy(recorder);
	assert_false(code.profile.has_addresses);
	assert_int_equal(code.profile.n_paths, 2);
	assert_int_equal(code.profile.paths[0].n_insns, 2);
	assert_int_equal(code.profile.paths[1].n_insns, 1);
	assert_int_equal(pair_count(&code.profile.regions[code.region], PROFILE_NONE, 0), 1);
	assert_int_equal(pair_count(&code.profile.regions[code.region], PROFILE_NONE, 1), 2);
	assert_int_equal(pair_count(&code.profile.regions[code.nested], PROFILE_NONE, 1), 2);
	profile_deinit(&code.profile);
}

/* Stores at ever other distances behind the load: variants are limited, and what is beyond counts as the first. */
static void variants_are_limited(void **state)
{
	struct code code;
	struct path_recorder *recorder;
	uint64_t sum = 0;

	(void)state;
	make(&code);
	recorder = path_recorder_create();
	for (unsigned i = 0; i < 40; i++) {
		const uint32_t blocks[] = {code.loop, code.callee, code.rest};
		const uint64_t words[] = {0x6000, 0x7ff8, 0x7ff8, 0x6000 - 10 + i};
		const struct stream_batch batch = {.regions = &code.region,
						   .n_regions = 1,
						   .blocks = blocks,
						   .n_blocks = 3,
						   .addresses = words,
						   .n_addresses = 4,
						   .is_continuation = i > 0};

		path_recorder_add_batch(recorder, &code.profile, &batch);
	}
	path_recorder_finish(recorder, &code.profile);
	path_recorder_destroy(recorder);
	assert_int_equal(code.profile.n_paths, PATH_VARIANTS);
	for (size_t i = 0; i < code.profile.regions[code.region].pairs.n_rows; i++)
		sum += code.profile.regions[code.region].pairs.rows[i].count;
	assert_int_equal(sum, 40);
	profile_deinit(&code.profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loop_is_cut_into_its_rounds),
		cmocka_unit_test(dependences_tell_paths_apart),
		cmocka_unit_test(visits_cut),
		cmocka_unit_test(variants_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
