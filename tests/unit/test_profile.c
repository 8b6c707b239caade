#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/array.h"
#include "profile/profile.h"

static const uint8_t add_rax_rbx[] = {0x48, 0x01, 0xd8};
static const uint8_t add_rcx_rdx[] = {0x48, 0x01, 0xd1};
static const uint8_t nop[] = {0x90};

static int make_profile(void **state)
{
	struct profile *profile = xcalloc(1, sizeof(*profile));

	profile_init(profile);
	*state = profile;
	return 0;
}

static int free_profile(void **state)
{
	profile_deinit(*state);
	free(*state);
	return 0;
}

static void instructions_of_one_form_share_it(void **state)
{
	struct profile *profile = *state;
	uint32_t form = profile_intern_form(profile, add_rax_rbx, sizeof(add_rax_rbx));

	assert_int_equal(form, 0);
	assert_int_equal(profile_intern_form(profile, nop, sizeof(nop)), 1);
	assert_int_equal(profile_intern_form(profile, add_rcx_rdx, sizeof(add_rcx_rdx)), form);
	assert_int_equal(profile->n_forms, 2);
	assert_string_equal(profile->forms[0].form.text, "ADD r64, r64");
	assert_string_equal(profile->forms[0].form.mnemonic, "ADD");
	assert_string_equal(profile->forms[1].form.text, "NOP");
}

static void a_form_without_bytes_is_found_by_its_text(void **state)
{
	struct profile *profile = *state;
	uint32_t form = profile_intern_named_form(profile, "(vsyscall)");

	assert_int_equal(profile_intern_named_form(profile, "(vsyscall)"), form);
	assert_int_not_equal(profile_intern_form(profile, nop, sizeof(nop)), form);
	assert_string_equal(profile->forms[form].form.text, "(vsyscall)");
	assert_string_equal(profile->forms[form].form.mnemonic, "(vsyscall)");
}

static void functions_are_told_apart_by_name_and_module(void **state)
{
	struct profile *profile = *state;
	char name[] = "sort";

	assert_int_equal(profile_intern_function(profile, name, 0), 0);
	assert_int_equal(profile_intern_function(profile, "sort", 1), 1);
	assert_int_equal(profile_intern_function(profile, "sort", PROFILE_NONE), 2);
	assert_int_equal(profile_intern_function(profile, "", 0), 3);
	name[0] = 'p'; /* the name was copied */
	assert_int_equal(profile_intern_function(profile, "sort", 0), 0);
	assert_int_equal(profile_intern_function(profile, "port", 0), 4);
	assert_string_equal(profile->functions[0].name, "sort");
	assert_int_equal(profile->functions[1].module, 1);
}

static void many_functions_keep_their_indices(void **state)
{
	struct profile *profile = *state;
	char name[32];

	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 5000; i++) {
			snprintf(name, sizeof(name), "function%u", i);
			assert_int_equal(profile_intern_function(profile, name, 7), i);
		}
	assert_int_equal(profile->n_functions, 5000);
}

static void places_in_the_source_are_interned(void **state)
{
	struct profile *profile = *state;
	uint32_t file = profile_intern_file(profile, "a.c"), other = profile_intern_file(profile, "b.c");
	struct profile_inlined call = {.function = 0, .caller = PROFILE_NONE, .file = file, .line = 7, .column = 2};
	struct profile_location location = {.file = other, .line = 3, .inlined = PROFILE_NONE};
	uint32_t first, inlined;

	assert_int_equal(profile_intern_file(profile, "a.c"), file);
	assert_int_not_equal(file, other);
	assert_string_equal(profile->files[other].path, "b.c");
	first = profile_intern_location(profile, &location);
	inlined = location.inlined = profile_intern_inlined(profile, &call);
	assert_int_not_equal(profile_intern_location(profile, &location), first);
	call.line = 8;
	assert_int_not_equal(profile_intern_inlined(profile, &call), inlined);
	call.line = 7;
	assert_int_equal(profile_intern_inlined(profile, &call), inlined);
	location.inlined = PROFILE_NONE;
	assert_int_equal(profile_intern_location(profile, &location), first);
}

/* An instruction without a location has location 0. */
static void the_first_location_is_unknown(void **state)
{
	const struct profile *profile = *state;

	assert_int_equal(profile->n_locations, 1);
	assert_int_equal(profile->locations[0].file, PROFILE_NONE);
	assert_int_equal(profile->locations[0].line, 0);
	assert_int_equal(profile->locations[0].inlined, PROFILE_NONE);
}

static void the_handlers_of_a_region_are_another_region(void **state)
{
	struct profile *profile = *state;
	uint32_t sort = profile_intern_region(profile, "sort", PROFILE_NONE);
	uint32_t handlers = profile_intern_region(profile, "sort", sort);

	assert_int_not_equal(sort, handlers);
	assert_int_equal(profile_intern_region(profile, "sort", PROFILE_NONE), sort);
	assert_int_equal(profile_intern_region(profile, "sort", sort), handlers);
	assert_int_equal(profile->regions[handlers].handlers_of, sort);
	assert_int_equal(profile->regions[sort].handlers_of, PROFILE_NONE);
	assert_int_equal(profile->regions[sort].visits, 0);
}

static void a_part_is_a_region_of_its_own(void **state)
{
	struct profile *profile = *state;
	uint32_t sort = profile_intern_region(profile, "sort", PROFILE_NONE);
	uint32_t handlers = profile_intern_region(profile, "sort", sort), part, handlers_part;

	assert_false(profile_has_thread_regions(profile));
	handlers_part = profile_intern_thread_region(profile, handlers, 7);
	part = profile_intern_thread_region(profile, sort, 7);
	assert_true(profile_has_thread_regions(profile));
	assert_int_equal(profile_intern_thread_region(profile, sort, 7), part);
	assert_int_not_equal(profile_intern_thread_region(profile, sort, 8), part);
	assert_int_equal(profile->regions[part].all_threads_region, sort);
	assert_int_equal(profile->regions[part].thread, 7);
	assert_int_equal(profile->regions[part].handlers_of, PROFILE_NONE);
	assert_int_equal(profile->regions[handlers_part].all_threads_region, handlers);
	assert_int_equal(profile->regions[handlers_part].handlers_of, part);
	assert_int_equal(profile_intern_region(profile, "sort", PROFILE_NONE), sort);
	assert_int_equal(profile_intern_region(profile, "sort", sort), handlers);
}

static void shares_ascend_by_thread(void **state)
{
	struct profile *profile = *state;
	uint32_t region = profile_intern_region(profile, "sort", PROFILE_NONE);
	static const struct profile_thread_totals expected[] = {{1, 1, 0}, {3, 0, 5}, {4, 1, 9}};

	profile_add_thread_totals(profile, region, 4, 1, 0);
	profile_add_thread_totals(profile, region, 1, 1, 0);
	profile_add_thread_totals(profile, region, 3, 0, 5);
	profile_add_thread_totals(profile, region, 4, 0, 9);
	assert_int_equal(profile->regions[region].n_thread_totals, ARRAY_LENGTH(expected));
	for (size_t i = 0; i < ARRAY_LENGTH(expected); i++)
		assert_memory_equal(&profile->regions[region].thread_totals[i], &expected[i], sizeof(expected[i]));
}

static void counts_grow_with_the_instructions(void **state)
{
	struct profile *profile = *state;
	uint32_t region = profile_intern_region(profile, "sort", PROFILE_NONE);
	uint32_t other = profile_intern_region(profile, "other", PROFILE_NONE);

	for (uint32_t i = 0; i < 1000; i++) {
		ARRAY_ADD(profile, insns);
		profile_count(profile, region, i, i, 2 * i);
		profile_count(profile, region, 0, 1, 0);
		assert_true(profile->regions[region].n_counts <= profile->n_insns);
	}
	profile_count(profile, other, 500, 3, 9);

	assert_int_equal(profile->regions[region].n_counts, 1000);
	assert_int_equal(profile->regions[region].executions[0], 1000);
	assert_int_equal(profile->regions[region].executions[999], 999);
	assert_int_equal(profile->regions[region].iterations[999], 1998);
	assert_int_equal(profile_region_executions(&profile->regions[region]), 1000 + 999 * 1000 / 2);
	assert_int_equal(profile_region_iterations(&profile->regions[region]), 999 * 1000);
	assert_int_equal(profile_region_executions(&profile->regions[other]), 3);
	assert_int_equal(profile_region_iterations(&profile->regions[other]), 9);
	assert_int_equal(profile->regions[other].executions[499], 0);
}

static void a_region_that_counted_nothing_sums_to_nothing(void **state)
{
	struct profile *profile = *state;
	uint32_t region = profile_intern_region(profile, "", PROFILE_NONE);

	assert_int_equal(profile_region_executions(&profile->regions[region]), 0);
	assert_int_equal(profile_region_iterations(&profile->regions[region]), 0);
}

static void system_calls_have_names(void **state)
{
	static const struct {
		int64_t number;
		bool is_int80;
		const char *name;
		uint64_t count;
	} rows[] = {
		{0, false, "read", 1},
		{1, false, "write", 2},
		{231, false, "exit_group", 1},
		{4, true, "write", 1}, /* of the 32-bit table; 4 of the 64-bit table is stat */
		{4, false, "stat", 1},
		{9999, false, "syscall_9999", 1},
		{-1, false, "syscall_-1", 1},
		{-1, true, "syscall_-1", 1},
		{INT64_MAX, false, "syscall_9223372036854775807", 1},
	};
	struct profile *profile = *state;
	uint32_t region = profile_intern_region(profile, "sort", PROFILE_NONE);
	const struct profile_region *counted;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		for (uint64_t k = 0; k < rows[i].count; k++)
			profile_count_syscall(profile, region, rows[i].number, rows[i].is_int80, 1);
	counted = &profile->regions[region];
	assert_int_equal(counted->n_syscalls, ARRAY_LENGTH(rows));
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		assert_int_equal(counted->syscalls[i].number, rows[i].number);
		assert_int_equal(counted->syscalls[i].is_int80, rows[i].is_int80);
		assert_string_equal(counted->syscalls[i].name, rows[i].name);
		assert_int_equal(counted->syscalls[i].count, rows[i].count);
	}
}

static void notes_are_formatted(void **state)
{
	struct profile *profile = *state;

	profile_note(profile, "vfork child %d was not traced", 123);
	profile_note(profile, "second");
	assert_int_equal(profile->n_notes, 2);
	assert_string_equal(profile->notes[0], "vfork child 123 was not traced");
	assert_string_equal(profile->notes[1], "second");
}

/* More edges than the table has room for at first, each counted twice. Direction matters. */
static void edges_add_up(void **state)
{
	enum { N_EDGES = 1000 };
	struct profile *profile = *state;
	uint32_t region = profile_intern_region(profile, "r", PROFILE_NONE);
	const struct profile_region *counted;

	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i < N_EDGES; i++)
			profile_count_edge(profile, region, i, i + 1, 3 + round);
	profile_count_edge(profile, region, 1, 0, 5);
	counted = &profile->regions[region];
	assert_int_equal(counted->edges.n_rows, N_EDGES + 1);
	for (uint32_t i = 0; i < N_EDGES; i++) {
		assert_int_equal(counted->edges.rows[i].from, i);
		assert_int_equal(counted->edges.rows[i].to, i + 1);
		assert_int_equal(counted->edges.rows[i].count, 7);
	}
	assert_int_equal(counted->edges.rows[N_EDGES].count, 5);
}

#define WITH_PROFILE(test) cmocka_unit_test_setup_teardown(test, make_profile, free_profile)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PROFILE(instructions_of_one_form_share_it),
		WITH_PROFILE(a_form_without_bytes_is_found_by_its_text),
		WITH_PROFILE(functions_are_told_apart_by_name_and_module),
		WITH_PROFILE(many_functions_keep_their_indices),
		WITH_PROFILE(places_in_the_source_are_interned),
		WITH_PROFILE(the_first_location_is_unknown),
		WITH_PROFILE(the_handlers_of_a_region_are_another_region),
		WITH_PROFILE(a_part_is_a_region_of_its_own),
		WITH_PROFILE(shares_ascend_by_thread),
		WITH_PROFILE(counts_grow_with_the_instructions),
		WITH_PROFILE(a_region_that_counted_nothing_sums_to_nothing),
		WITH_PROFILE(system_calls_have_names),
		WITH_PROFILE(notes_are_formatted),
		WITH_PROFILE(edges_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
