#include "saved_fixture.h"

/* Mutants of the content. */
#define N_MUTANTS 20000

static uint8_t *write_content(const struct profile *profile, size_t *n_bytes)
{
	const char *problem = NULL;
	uint8_t *content = content_write(profile, n_bytes, &problem);

	assert_null(problem);
	assert_non_null(content);
	return content;
}

static void read_content(const uint8_t *content, size_t n_bytes, struct profile *profile)
{
	const char *problem = NULL;

	profile_init(profile);
	assert_true(content_read(content, n_bytes, profile, &problem));
	assert_null(problem);
}

static void saved_fields_are_loaded(void **state)
{
	struct profile saved, loaded;
	size_t n_bytes, n_again;
	uint8_t *content, *again;

	(void)state;
	make_saved_profile(&saved);
	content = write_content(&saved, &n_bytes);
	read_content(content, n_bytes, &loaded);
	check_same_profile(&saved, &loaded);
	/* Sorted by address; instructions at one address keep their order. */
	for (size_t i = 1; i < loaded.n_insns; i++)
		assert_true(loaded.insns[i - 1].va <= loaded.insns[i].va);
	assert_int_equal(loaded.insns[2].bytes[2], 0xc9);
	assert_int_equal(loaded.insns[3].bytes[2], 0xc1);
	again = write_content(&loaded, &n_again);
	assert_int_equal(n_again, n_bytes);
	assert_memory_equal(again, content, n_bytes);
	profile_deinit(&saved);
	profile_deinit(&loaded);
	free(content);
	free(again);
}

/* A loaded profile has no hash tables yet. The first lookup makes them. */
static void a_loaded_profile_can_grow(void **state)
{
	const struct profile_location unknown = {.file = PROFILE_NONE, .inlined = PROFILE_NONE};
	struct profile saved, loaded;
	size_t n_bytes;
	uint8_t *content;

	(void)state;
	make_saved_profile(&saved);
	for (uint32_t i = 0; i < 1000; i++)
		profile_count_edge(&saved, 0, 0, i % 7, 1), make_location(&saved, "many.c", i, 0, PROFILE_NONE);
	content = write_content(&saved, &n_bytes);
	read_content(content, n_bytes, &loaded);
	profile_count_edge(&loaded, 0, 0, 1, 5);
	profile_count_pair(&loaded, 0, 0, 1, 5);
	assert_int_equal(loaded.regions[0].pairs.n_rows, saved.regions[0].pairs.n_rows);
	assert_int_equal(profile_intern_location(&loaded, &unknown), 0);
	assert_int_equal(make_location(&loaded, "many.c", 999, 0, PROFILE_NONE), saved.n_locations - 1);
	assert_string_equal(loaded.functions[profile_intern_function(&loaded, "main", 0)].name, "main");
	assert_int_equal(loaded.n_functions, saved.n_functions);
	assert_int_equal(loaded.n_files, saved.n_files);
	profile_intern_form(&loaded, loaded.insns[0].bytes, loaded.insns[0].length);
	assert_int_equal(loaded.n_forms, saved.n_forms);
	profile_deinit(&saved);
	profile_deinit(&loaded);
	free(content);
}

static void an_empty_profile(void **state)
{
	struct profile saved, loaded;
	size_t n_bytes;
	uint8_t *content;

	(void)state;
	profile_init(&saved);
	content = write_content(&saved, &n_bytes);
	read_content(content, n_bytes, &loaded);
	assert_int_equal(loaded.n_insns + loaded.n_regions + loaded.n_modules + loaded.n_notes, 0);
	assert_null(loaded.argv[0]);
	profile_deinit(&saved);
	profile_deinit(&loaded);
	free(content);
}

static void check_sound_calls(const struct profile *profile, const struct profile_region *region)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < region->n_contexts; i++) {
		const struct profile_context *context = &region->contexts[i];

		assert_true(context->parent == PROFILE_NONE ? context->site == PROFILE_NONE : context->parent < i);
		assert_true(context->site == PROFILE_NONE || context->site < profile->n_insns);
		assert_true(context->entry < profile->n_insns);
		assert_true(context->recursion_of == PROFILE_NONE || context->recursion_of < i);
		assert_true(context->first_run + context->n_runs <= region->n_context_runs);
		for (size_t k = 0; k < context->n_runs; k++) {
			const struct profile_context_run *run = &region->context_runs[context->first_run + k];

			assert_true((uint64_t)run->first + run->n_insns <= region->n_counts);
			sum += run->n_insns * run->executions;
		}
	}
	assert_true(!region->n_contexts || sum == profile_region_executions(region));
}

/* Checks every index and every sum that readers of a profile rely on. */
static void check_sound(const struct profile *profile)
{
	for (size_t i = 0; i < profile->n_functions; i++)
		assert_true(profile->functions[i].module == PROFILE_NONE ||
			    profile->functions[i].module < profile->n_modules);
	for (size_t i = 0; i < profile->n_insns; i++) {
		const struct profile_insn *insn = &profile->insns[i];

		assert_true(insn->form < profile->n_forms);
		assert_true(insn->length <= INSN_MAX_BYTES);
		assert_true(insn->module == PROFILE_NONE || insn->module < profile->n_modules);
		assert_true(insn->function == PROFILE_NONE || insn->function < profile->n_functions);
	}
	for (size_t i = 0; i < profile->n_regions; i++) {
		const struct profile_region *region = &profile->regions[i];

		assert_true(region->handlers_of == PROFILE_NONE || region->handlers_of < i);
		assert_true(region->all_threads_region == PROFILE_NONE || region->all_threads_region < i);
		assert_true(region->all_threads_region == PROFILE_NONE || region->thread < profile->n_threads);
		for (size_t k = 0; k < region->n_thread_totals; k++) {
			assert_true(region->thread_totals[k].thread < profile->n_threads);
			assert_true(k == 0 || region->thread_totals[k - 1].thread < region->thread_totals[k].thread);
		}
		assert_true(region->n_counts <= profile->n_insns);
		assert_true(profile_region_executions(region) <= INT64_MAX);
		assert_true(profile_region_iterations(region) <= INT64_MAX);
		for (size_t k = 0; k < region->edges.n_rows; k++) {
			assert_true(region->edges.rows[k].from < profile->n_insns);
			assert_true(region->edges.rows[k].to < profile->n_insns);
		}
		check_sound_calls(profile, region);
		for (size_t k = 0; k < region->n_syscall_sites; k++) {
			assert_true(region->syscall_sites[k].context < region->n_contexts);
			assert_true(region->syscall_sites[k].insn < profile->n_insns);
			assert_true(region->syscall_sites[k].syscall < region->n_syscalls);
		}
		for (size_t k = 0; k < region->n_allocations; k++) {
			assert_true(region->allocations[k].context < region->n_contexts);
			assert_true(region->allocations[k].insn < profile->n_insns);
			assert_true(region->allocations[k].allocator < N_ALLOCATORS);
			assert_true(k == 0 || region->allocations[k - 1].context < region->allocations[k].context ||
				    (region->allocations[k - 1].context == region->allocations[k].context &&
				     region->allocations[k - 1].insn <= region->allocations[k].insn));
		}
	}
}

static void check_sound_lines(const struct profile *profile)
{
	assert_int_equal(profile->locations[0].file, PROFILE_NONE);
	for (size_t i = 0; i < profile->n_insns; i++)
		assert_true(profile->insns[i].location < profile->n_locations);
	for (size_t i = 0; i < profile->n_locations; i++) {
		assert_true(profile->locations[i].file == PROFILE_NONE ||
			    profile->locations[i].file < profile->n_files);
		assert_true(profile->locations[i].inlined == PROFILE_NONE ||
			    profile->locations[i].inlined < profile->n_inlined);
	}
	for (size_t i = 0; i < profile->n_inlined; i++) {
		assert_true(profile->inlined[i].function < profile->n_functions);
		assert_true(profile->inlined[i].caller == PROFILE_NONE || profile->inlined[i].caller < i);
		assert_true(profile->inlined[i].file == PROFILE_NONE || profile->inlined[i].file < profile->n_files);
	}
}

static bool loads(const uint8_t *content, size_t n_bytes)
{
	/* An exact copy lets a sanitizer detect every read past the end. */
	uint8_t *copy = malloc(n_bytes ? n_bytes : 1);
	struct profile profile;
	const char *problem = NULL;
	bool is_good;

	assert_non_null(copy);
	memcpy(copy, content, n_bytes);
	profile_init(&profile);
	is_good = content_read(copy, n_bytes, &profile, &problem);
	if (is_good)
		check_sound(&profile), check_sound_lines(&profile);
	assert_int_equal(is_good, problem == NULL);
	profile_deinit(&profile);
	free(copy);
	return is_good;
}

static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407; /* Knuth's MMIX */
	return (uint32_t)(*seed >> 33);
}

static void damaged_content_is_refused_or_sound(void **state)
{
	struct profile saved;
	uint64_t seed = 1;
	size_t n_good = 0, n_bytes;
	uint8_t *content, *mutant;

	(void)state;
	make_saved_profile(&saved);
	content = write_content(&saved, &n_bytes);
	mutant = malloc(n_bytes + 1);
	assert_non_null(mutant);
	for (size_t n = 0; n < n_bytes; n++)
		assert_false(loads(content, n));
	memcpy(mutant, content, n_bytes);
	mutant[n_bytes] = 0;
	assert_false(loads(mutant, n_bytes + 1));
	for (int i = 0; i < N_MUTANTS; i++) {
		memcpy(mutant, content, n_bytes);
		for (uint32_t flips = 1 + next_random(&seed) % 4; flips > 0; flips--)
			mutant[next_random(&seed) % n_bytes] ^= (uint8_t)(1u << next_random(&seed) % 8);
		n_good += loads(mutant, n_bytes);
	}
	/* Both outcomes occurred. Many mutations of numbers and letters are still valid. */
	assert_in_range(n_good, N_MUTANTS / 100, N_MUTANTS * 99 / 100);
	profile_deinit(&saved);
	free(content);
	free(mutant);
}

struct text {
	const char *bytes;
	size_t n_bytes;
};

#define TEXT(bytes)                      \
	{                                \
		bytes, sizeof(bytes) - 1 \
	}

/* FORMAT.md by example: two instructions, one inlined call, one region with a call tree of three contexts. Signed
 * numbers are doubled. */
static const struct text example[N_COLUMNS] = {
	/* No arguments; exited with 0, no signal; no engine; 0 ns; memory, calls, edges, paths, no addresses;
	 * version. */
	[COLUMN_PROGRAM] = TEXT("\0\1\0\0\0\0\1\1\1\1\0v\0"),
	[COLUMN_NOTES] = TEXT("\0"),
	[COLUMN_MODULES] = TEXT("\0"),
	[COLUMN_FUNCTION_NAME] = TEXT("f\0"),
	[COLUMN_FUNCTION_MODULE] = TEXT("\1\0"),
	/* a.h without a hash; b.c with the hash 0x92, modified since. */
	[COLUMN_FILES] = TEXT("\2a.h\0\0\0b.c\0\x92\1\1"),
	/* f, inlined at line 10 of b.c. */
	[COLUMN_INLINED_FUNCTION] = TEXT("\1\2"),
	[COLUMN_INLINED_CALLER] = TEXT("\1"),
	[COLUMN_INLINED_FILE] = TEXT("\4"),
	[COLUMN_INLINED_LINE] = TEXT("\x14"),
	[COLUMN_INLINED_COLUMN] = TEXT("\0"),
	/* Unknown; a.h:3 in the inlined call; b.c:11, column 5. */
	[COLUMN_LOCATION_FILE] = TEXT("\3\0\2\2"),
	[COLUMN_LOCATION_LINE] = TEXT("\0\6\x10"),
	[COLUMN_LOCATION_COLUMN] = TEXT("\0\0\5"),
	[COLUMN_LOCATION_INLINED] = TEXT("\0\2\1"),
	/* NOPs at 0x10 and 0x11, f+5 and f+6. */
	[COLUMN_INSN_VA] = TEXT("\2\x20\0"),
	[COLUMN_INSN_LENGTH] = TEXT("\1\1"),
	[COLUMN_INSN_BYTES] = TEXT("\x90\x90"),
	[COLUMN_INSN_FORM] = TEXT("\0\0"),
	[COLUMN_INSN_MODULE] = TEXT("\0\0"),
	[COLUMN_INSN_FUNCTION] = TEXT("\2\0"),
	[COLUMN_INSN_OFFSET] = TEXT("\x0a\0"),
	[COLUMN_INSN_LOCATION] = TEXT("\2\2"),
	/* One path, of both. */
	[COLUMN_PATHS] = TEXT("\1\2\0\2\0"),
	[COLUMN_PATH_INSN] = TEXT("\0\0"),
	[COLUMN_CACHES] = TEXT("\1"
			       "1/1\0"),
	[COLUMN_THREADS] = TEXT("\2a\0\1\0\7"),
	/* One region: no name; no handlers, no part, no thread; no marker, 1 visit, 4 zeros; 1 system call; 2 shares;
	 * counts of 2 instructions; 1 edge; 3 contexts; 2 runs; 1 system call in a context; 1 allocation; 1 pair of
	 * paths; misses. */
	[COLUMN_REGIONS] = TEXT("\1\0\0\0\0\0\1\0\0\0\0\1\2\2\1\3\2\1\1\1\1"),
	[COLUMN_SYSCALLS] = TEXT("\2\0write\0\4"),
	[COLUMN_THREAD_TOTALS] = TEXT("\0\3\x0e\0\0\6"),
	[COLUMN_EXECUTIONS] = TEXT("\x14\0"),
	[COLUMN_ITERATIONS] = TEXT("\0\7"),
	[COLUMN_EDGE_FROM] = TEXT("\2"),
	[COLUMN_EDGE_TO] = TEXT("\1"),
	[COLUMN_EDGE_COUNT] = TEXT("\x09"),
	/* The root begins at the first instruction. The second instruction calls a context that begins there, which
	 * calls itself. */
	[COLUMN_CONTEXT_PARENT] = TEXT("\0\2\2"),
	[COLUMN_CONTEXT_SITE] = TEXT("\2\0"),
	[COLUMN_CONTEXT_ENTRY] = TEXT("\0\2\2"),
	[COLUMN_CONTEXT_RECURSION] = TEXT("\0\0\1"),
	[COLUMN_CONTEXT_CALLS] = TEXT("\1\4\5"),
	[COLUMN_CONTEXT_RUNS] = TEXT("\1\1\0"),
	[COLUMN_RUN_FIRST] = TEXT("\0\0"),
	[COLUMN_RUN_LENGTH] = TEXT("\1\1"),
	[COLUMN_RUN_EXECUTIONS] = TEXT("\x0a\x0a"),
	[COLUMN_SYSCALL_SITES] = TEXT("\2\2\0\4"),
	[COLUMN_ALLOCATIONS] = TEXT("\0\2\0\3\x64\1\x0a"),
	[COLUMN_PAIR_FROM] = TEXT("\0"),
	[COLUMN_PAIR_TO] = TEXT("\0"),
	[COLUMN_PAIR_COUNT] = TEXT("\x0a"),
	[COLUMN_MISPREDICTS] = TEXT("\2\0\3"),
	[COLUMN_MISSES] = TEXT("\1\x08\0\0\0\0"),
};

/* Makes the example with another text in one column. */
static uint8_t *join_example(size_t changed, struct text text, size_t *n_bytes)
{
	struct io io;

	io_begin_writing(&io);
	for (size_t i = 0; i < N_COLUMNS; i++) {
		const struct text *from = i == changed ? &text : &example[i];

		io_bytes(&io, (enum column)i, (void *)from->bytes, from->n_bytes);
	}
	return io_end_writing(&io, n_bytes);
}

static void check_example_code(const struct profile *profile)
{
	const struct profile_location *first = &profile->locations[profile->insns[0].location];
	const struct profile_location *second = &profile->locations[profile->insns[1].location];

	assert_int_equal(profile->n_insns, 2);
	assert_int_equal(profile->insns[0].va, 0x10);
	assert_int_equal(profile->insns[1].va, 0x11);
	assert_int_equal(profile->insns[1].function, 0);
	assert_int_equal(profile->insns[1].function_offset, 6);
	assert_string_equal(profile->forms[profile->insns[1].form].form.text, "NOP");
	assert_string_equal(profile->files[1].path, "b.c");
	assert_int_equal(profile->files[0].text_hash, 0);
	assert_int_equal(profile->files[1].text_hash, 0x92);
	assert_true(profile->files[1].is_newer);
	assert_int_equal(profile->inlined[0].caller, PROFILE_NONE);
	assert_int_equal(profile->inlined[0].file, 1);
	assert_int_equal(profile->inlined[0].line, 10);
	assert_int_equal(first->file, 0);
	assert_int_equal(first->line, 3);
	assert_int_equal(first->inlined, 0);
	assert_int_equal(second->file, 1);
	assert_int_equal(second->line, 11);
	assert_int_equal(second->column, 5);
	assert_int_equal(second->inlined, PROFILE_NONE);
}

static void check_example_calls(const struct profile_region *region)
{
	assert_int_equal(region->n_contexts, 3);
	assert_int_equal(region->contexts[0].parent, PROFILE_NONE);
	assert_int_equal(region->contexts[0].site, PROFILE_NONE);
	assert_int_equal(region->contexts[1].parent, 0);
	assert_int_equal(region->contexts[1].site, 1);
	assert_int_equal(region->contexts[1].entry, 1);
	assert_int_equal(region->contexts[1].calls, 4);
	assert_int_equal(region->contexts[2].recursion_of, 1);
	assert_int_equal(executed_in(region, &region->contexts[1], 1), 10);
	assert_int_equal(region->syscall_sites[0].context, 1);
	assert_int_equal(region->syscall_sites[0].count, 4);
	assert_int_equal(region->allocations[0].bytes, 100);
	assert_int_equal(region->allocations[0].kept_bytes, 10);
}

static void the_format_is_as_documented(void **state)
{
	struct profile profile;
	const struct profile_region *region;
	size_t n_bytes;
	uint8_t *content = join_example(N_COLUMNS, (struct text){0}, &n_bytes);

	(void)state;
	read_content(content, n_bytes, &profile);
	check_example_code(&profile);
	assert_true(profile.exited && profile.has_memory && profile.has_calls && profile.has_edges &&
		    profile.has_paths);
	assert_int_equal(profile.threads[1].n_threads, 7);
	region = &profile.regions[0];
	assert_int_equal(region->visits, 1);
	assert_string_equal(region->syscalls[0].name, "write");
	assert_int_equal(region->thread_totals[0].executions, 14);
	assert_int_equal(region->thread_totals[1].thread, 1);
	assert_int_equal(region->executions[0], 10);
	assert_int_equal(region->executions[1], 10);
	assert_int_equal(region->iterations[1], 7);
	assert_int_equal(edge_count(region, 1, 0), 9 + 1);
	check_example_calls(region);
	assert_int_equal(profile.paths[0].n_insns, 2);
	assert_int_equal(pair_count(region, PROFILE_NONE, 0), 10 + 1);
	assert_int_equal(profile_tally_get(&region->mispredicts, 1), 3);
	assert_int_equal(profile_get_misses(region, 0, MISS_SERVED_BY_L2, 0), 8);
	profile_deinit(&profile);
	free(content);
}

/* Texts for one column of the example that make it wrong. */
static const struct {
	enum column column;
	struct text text;
	const char *problem; /* NULL: valid */
} wrong[] = {
	{COLUMN_PROGRAM, TEXT("\x7f"), "a column ends too early"},
	{COLUMN_PROGRAM, TEXT("\0\2\0\0\0\0\1\1\1\1\0v\0"), "a number is out of range"}, /* a flag of 2 */
	{COLUMN_PROGRAM, TEXT("\0\1\0\0\0\0\1\1\1\1\0v"), "a column ends too early"},	 /* a text without end */
	{COLUMN_NOTES, TEXT("\0\0"), "bytes are left over"},
	{COLUMN_NOTES, TEXT("\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"), "a number is out of range"},
	{COLUMN_NOTES, TEXT("\xff\xff\xff\xff\xff\xff\xff\xff\xff\2"), "a number has more than 64 bits"},
	{COLUMN_MODULES, TEXT("\1m\0\2\1\0\0\0"), "a module ends before it begins"},
	{COLUMN_MODULES, TEXT("\1m\0\2\0\0\x41\0"), "a number is out of range"}, /* a build ID of 65 bytes */
	{COLUMN_FUNCTION_MODULE, TEXT("\1\2"), "a number is out of range"},	 /* a missing module */
	{COLUMN_INLINED_FUNCTION, TEXT("\1\0"), "an index is missing"},
	{COLUMN_INLINED_CALLER, TEXT("\0"), "a number is out of range"}, /* itself */
	{COLUMN_INLINED_LINE, TEXT("\1"), "a number is out of range"},	 /* line -1 */
	{COLUMN_LOCATION_LINE, TEXT("\2\6\x10"), "the first location is not the unknown one"},
	{COLUMN_LOCATION_FILE, TEXT("\0"), "the first location is not the unknown one"},
	{COLUMN_INSN_VA, TEXT("\2\x20\3"), "instructions are not in order"},
	{COLUMN_INSN_LENGTH, TEXT("\1\x10"), "a number is out of range"},
	{COLUMN_INSN_BYTES, TEXT("\x90"), "a column ends too early"},
	{COLUMN_INSN_FUNCTION, TEXT("\4\0"), "a number is out of range"},
	{COLUMN_INSN_OFFSET, TEXT("\1\0"), "a number is out of range"},
	{COLUMN_INSN_LOCATION, TEXT("\2\x06"), "a number is out of range"},
	{COLUMN_PATHS, TEXT("\1\2\0\0\0"), "a path has no instructions"},
	{COLUMN_PATHS, TEXT("\1\2\0\1\0"), "an instruction belongs to no path"},
	{COLUMN_PATHS, TEXT("\1\2\0\3\0"), "a number is out of range"},
	{COLUMN_PATHS, TEXT("\1\2\1\2\1"), "a column ends too early"}, /* a memory dependence */
	{COLUMN_PATH_INSN, TEXT("\0\2"), "a number is out of range"},
	{COLUMN_REGIONS, TEXT("\1\0\0\2"), "a number is out of range"}, /* part of itself */
	{COLUMN_REGIONS, TEXT("\1\0\0\0\2"), "a per-thread region names no thread"},
	{COLUMN_THREAD_TOTALS, TEXT("\0\3\x0e\1\0\6"), "threads are not in order"},
	{COLUMN_THREAD_TOTALS, TEXT("\0\3\x0e\2\0\6"), "a number is out of range"},
	{COLUMN_EXECUTIONS, TEXT("\1\0"), "its counts are too large"}, /* -1 */
	{COLUMN_ITERATIONS, TEXT("\0\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), "its counts are too large"},
	{COLUMN_EDGE_FROM, TEXT("\4"), "a number is out of range"},
	{COLUMN_EDGE_TO, TEXT("\3"), "an index is missing"},
	{COLUMN_CONTEXT_PARENT, TEXT("\0\2\4"), "a number is out of range"},
	{COLUMN_CONTEXT_SITE, TEXT("\4\0"), "a number is out of range"},
	{COLUMN_CONTEXT_ENTRY, TEXT("\0\2\4"), "a number is out of range"},
	{COLUMN_CONTEXT_RECURSION, TEXT("\0\0\3"), "a number is out of range"}, /* the level above the root */
	{COLUMN_CONTEXT_RECURSION, TEXT("\0\1\0"), "a recursive context executes something"},
	{COLUMN_CONTEXT_RUNS, TEXT("\1\0\0"), "a run belongs to no context"},
	{COLUMN_CONTEXT_RUNS, TEXT("\1\2\0"), "a number is out of range"},
	{COLUMN_RUN_LENGTH, TEXT("\0\1"), "a run executes nothing"},
	{COLUMN_RUN_LENGTH, TEXT("\3\1"), "a number is out of range"},
	{COLUMN_RUN_EXECUTIONS, TEXT("\x0b\x0a"), "a call tree executes more than its region"},
	{COLUMN_RUN_EXECUTIONS, TEXT("\x09\x0a"), "a call tree executes less than its region"},
	{COLUMN_SYSCALL_SITES, TEXT("\6\2\0\4"), "a number is out of range"},
	{COLUMN_SYSCALL_SITES, TEXT("\2\2\2\4"), "a number is out of range"},
	{COLUMN_ALLOCATIONS, TEXT("\0\2\x0b\3\x64\1\x0a"), "a number is out of range"},
	{COLUMN_ALLOCATIONS, TEXT("\0\2\0\3\xff\xff\xff\xff\xff\xff\xff\xff\x7f\1\x0a"),
	 "its allocations are too large"},
	{COLUMN_PAIR_FROM, TEXT("\2"), NULL},
	{COLUMN_PAIR_FROM, TEXT("\4"), "a number is out of range"},
	{COLUMN_PAIR_TO, TEXT("\2"), "a number is out of range"},
	{COLUMN_PAIR_COUNT, TEXT("\x09"), "paths execute less than their region"},
	{COLUMN_PAIR_COUNT, TEXT("\x0b"), "paths execute more than their region"},
	{COLUMN_MISPREDICTS, TEXT("\2\0\x0b"), "a branch is mispredicted more often than executed"},
	{COLUMN_MISPREDICTS, TEXT("\3\0\0\0"), "a number is out of range"},
	{COLUMN_MISSES, TEXT("\1\4\0\0\0\0\0"), "bytes are left over"},
};

static void wrong_values_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++) {
		size_t n_bytes;
		uint8_t *content = join_example(wrong[i].column, wrong[i].text, &n_bytes);
		struct profile profile;
		const char *problem = NULL;

		profile_init(&profile);
		content_read(content, n_bytes, &profile, &problem);
		if (problem != wrong[i].problem &&
		    (!problem || !wrong[i].problem || strcmp(problem, wrong[i].problem) != 0))
			fail_msg("row %zu, column %d: %s", i, wrong[i].column, problem ? problem : "it is read");
		profile_deinit(&profile);
		free(content);
	}
}

/* A contradictory profile is not written, because no reader would accept it. */
static void contradictions_are_not_written(void **state)
{
	struct profile saved;
	const char *problem = NULL;
	size_t n_bytes;

	(void)state;
	make_saved_profile(&saved);
	saved.regions[0].pairs.rows[0].count++;
	assert_null(content_write(&saved, &n_bytes, &problem));
	assert_string_equal(problem, "paths execute more than their region");
	profile_deinit(&saved);
}

static void announced_rows_take_no_memory(void **state)
{
	static const char text[] = "\xff\xff\xff\xff\7"; /* 2^31 - 1 notes */
	size_t n_bytes;
	uint8_t *content = join_example(COLUMN_NOTES, (struct text){text, sizeof(text) - 1}, &n_bytes);
	struct profile profile;
	const char *problem = NULL;

	(void)state;
	profile_init(&profile);
	assert_false(content_read(content, n_bytes, &profile, &problem));
	assert_int_equal(profile.n_notes, 0);
	assert_int_equal(profile.notes_capacity, 0);
	profile_deinit(&profile);
	free(content);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(saved_fields_are_loaded),
		cmocka_unit_test(a_loaded_profile_can_grow),
		cmocka_unit_test(an_empty_profile),
		cmocka_unit_test(damaged_content_is_refused_or_sound),
		cmocka_unit_test(the_format_is_as_documented),
		cmocka_unit_test(wrong_values_are_refused),
		cmocka_unit_test(contradictions_are_not_written),
		cmocka_unit_test(announced_rows_take_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
