#include "saved_fixture.h"

/* Mutants of each kind. */
#define N_MUTANTS 20000

static void check_save_and_load(bool is_coded)
{
	struct profile saved, loaded;
	struct byte_writer body = {0}, again = {0};
	const char *problem;

	make_saved_profile(&saved);
	assert_true(format_encode(&saved, is_coded, &body));
	profile_init(&loaded);
	assert_true(format_decode(body.bytes, body.n_bytes, is_coded, &loaded, &problem));
	check_same_profile(&saved, &loaded);
	/* By address, and at one address in the order in which they were met. */
	for (size_t i = 1; i < loaded.n_insns; i++)
		assert_true(loaded.insns[i - 1].va <= loaded.insns[i].va);
	assert_int_equal(loaded.insns[2].bytes[2], 0xc9);
	assert_int_equal(loaded.insns[3].bytes[2], 0xc1);
	assert_true(format_encode(&loaded, is_coded, &again));
	assert_int_equal(again.n_bytes, body.n_bytes);
	assert_memory_equal(again.bytes, body.bytes, body.n_bytes);
	/* It may grow on. */
	profile_count_edge(&loaded, 0, 0, 1, 5);
	assert_int_equal(edge_count(&loaded.regions[0], 0, 1), 1 + 5 + 1);
	assert_int_equal(profile_intern_function(&loaded, "main", 0), profile_intern_function(&loaded, "main", 0));
	assert_int_equal(loaded.n_functions, saved.n_functions);
	profile_deinit(&saved);
	profile_deinit(&loaded);
	free(body.bytes);
	free(again.bytes);
}

static void what_was_saved_is_loaded(void **state)
{
	(void)state;
	check_save_and_load(false);
	check_save_and_load(true);
}

static void an_empty_profile(void **state)
{
	(void)state;
	for (int is_coded = 0; is_coded < 2; is_coded++) {
		struct profile saved, loaded;
		struct byte_writer body = {0};
		const char *problem;

		profile_init(&saved);
		assert_true(format_encode(&saved, is_coded, &body));
		profile_init(&loaded);
		assert_true(format_decode(body.bytes, body.n_bytes, is_coded, &loaded, &problem));
		assert_int_equal(loaded.n_insns + loaded.n_regions + loaded.n_modules + loaded.n_notes, 0);
		assert_null(loaded.argv[0]);
		profile_deinit(&saved);
		profile_deinit(&loaded);
		free(body.bytes);
	}
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

/* Every index in range and every sum in bounds, which whoever reads a profile takes for granted. */
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
		assert_true(region->part_of == PROFILE_NONE || region->part_of < i);
		assert_true(region->part_of == PROFILE_NONE || region->thread < profile->n_threads);
		for (size_t k = 0; k < region->n_shares; k++) {
			assert_true(region->shares[k].thread < profile->n_threads);
			assert_true(k == 0 || region->shares[k - 1].thread < region->shares[k].thread);
		}
		assert_true(region->n_counts <= profile->n_insns);
		assert_true(profile_region_executions(region) <= INT64_MAX);
		assert_true(profile_region_iterations(region) <= INT64_MAX);
		for (size_t k = 0; k < region->n_edges; k++) {
			assert_true(region->edges[k].from < profile->n_insns);
			assert_true(region->edges[k].to < profile->n_insns);
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

/* How much follows is not known of what is coded. */
static void what_is_announced_and_missing_takes_no_time(void **state)
{
	struct byte_writer payload = {.coder = coder_create(CODER_MIN_SLOT_BITS, NULL, 0)}, body = {0};
	struct profile profile;
	const uint8_t *bytes;
	const char *problem;
	size_t n_bytes;

	(void)state;
	bytes_put_uint(&payload, 10000000);
	bytes = coder_finish(payload.coder, &n_bytes);
	bytes_put_raw(&body, TAG_NOTES, FORMAT_TAG_BYTES);
	bytes_put_uint(&body, n_bytes + 1);
	bytes_put_raw(&body, &(uint8_t){CODER_MIN_SLOT_BITS}, 1);
	bytes_put_raw(&body, bytes, n_bytes);
	profile_init(&profile);
	assert_false(format_decode(body.bytes, body.n_bytes, true, &profile, &problem));
	assert_string_equal(problem, "a number is cut or too large");
	assert_in_range(profile.n_notes, 0, 100);
	profile_deinit(&profile);
	coder_destroy(payload.coder);
	free(body.bytes);
}

static bool decodes(const uint8_t *body, size_t n_bytes, bool is_coded)
{
	/* Of its own size, so that a sanitizer sees each byte too far. */
	uint8_t *copy = malloc(n_bytes ? n_bytes : 1);
	struct profile profile;
	const char *problem = NULL;
	bool is_good;

	assert_non_null(copy);
	memcpy(copy, body, n_bytes);
	profile_init(&profile);
	is_good = format_decode(copy, n_bytes, is_coded, &profile, &problem);
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

/* Returns how many of the mutants load. */
static size_t check_mutants(bool is_coded, int n_mutants)
{
	struct byte_writer body = {0};
	struct profile saved;
	uint64_t seed = 1;
	size_t n_good = 0;

	make_saved_profile(&saved);
	format_encode(&saved, is_coded, &body);
	for (size_t n = 0; n < body.n_bytes; n++)
		assert_false(decodes(body.bytes, n, is_coded));
	for (int i = 0; i < n_mutants; i++) {
		uint8_t *mutant = malloc(body.n_bytes);

		assert_non_null(mutant);
		memcpy(mutant, body.bytes, body.n_bytes);
		for (uint32_t flips = 1 + next_random(&seed) % 4; flips > 0; flips--)
			mutant[next_random(&seed) % body.n_bytes] ^= (uint8_t)(1u << next_random(&seed) % 8);
		n_good += decodes(mutant, body.n_bytes, is_coded);
		free(mutant);
	}
	profile_deinit(&saved);
	free(body.bytes);
	return n_good;
}

static void damaged_bodies_are_refused_or_sound(void **state)
{
	(void)state;
	/* Both ends were met: much of what counts may say is a number like another. */
	assert_in_range(check_mutants(false, N_MUTANTS), N_MUTANTS / 100, N_MUTANTS * 99 / 100);
	/* What is coded means something else behind each change. */
	assert_in_range(check_mutants(true, N_MUTANTS / 20), 1, N_MUTANTS / 20);
}

static void put(struct byte_writer *body, const char *tag, const char *payload, size_t n_bytes)
{
	bytes_put_raw(body, tag, FORMAT_TAG_BYTES);
	bytes_put_uint(body, n_bytes);
	bytes_put_raw(body, payload, n_bytes);
}

#define PUT(body, tag, payload) put(body, tag, payload, sizeof(payload) - 1)

/* Sections of an empty profile up to the instructions, of which there are two: 0x10 NOP, once 16 bytes behind 0; 0x11 NOP. */
static void put_start(struct byte_writer *body)
{
	PUT(body, TAG_PROGRAM, "\0\1\0\0\0\0\0");
	PUT(body, TAG_MODULES, "\0");
	PUT(body, TAG_FUNCTIONS, "\0");
	PUT(body, TAG_INSNS,
	    "\2"
	    "\1\1\0\0\1\x90"
	    "\0\0\0\1\x90");
	PUT(body, TAG_FORMS, "\0");
}

/* Behind FACTS: the first instruction is executed ten times. */
#define TEN_AND_NONE "\1\0\1\x14\0\0"

static void check_body(struct byte_writer *body, const char *expected)
{
	struct profile profile;
	const char *problem = NULL;

	PUT(body, TAG_END, "");
	profile_init(&profile);
	assert_int_equal(format_decode(body->bytes, body->n_bytes, false, &profile, &problem), expected == NULL);
	if (expected)
		assert_string_equal(problem, expected);
	profile_deinit(&profile);
	free(body->bytes);
	*body = (struct byte_writer){0};
}

/* Facts of a region without a name: 9 numbers, the last one says that there are no system calls. */
#define FACTS "\0\0\0\1\0\0\0\0\0"

static void the_format_is_as_documented(void **state)
{
	/* A run from the first instruction of two; 10 executions where none is expected, then as many as expected; no edge from the
	 * first, one from the second to the only one that wants executions, the one before: 9, not all ten that it wants. */
	static const char region[] = FACTS "\1\0\2"
					   "\x14\0"
					   "\0"
					   "\1\1\1\3\x09"
					   "\1\1\7";
	struct byte_writer body = {0};
	struct profile profile;
	const char *problem;

	(void)state;
	put_start(&body);
	put(&body, TAG_REGION, region, sizeof(region) - 1);
	/* A root, entered once, that executes its first instruction ten times, nine more than that, and not the next; from elsewhere, the
	 * second one, four calls of what executes itself ten times, and so calls itself. */
	PUT(&body, TAG_CALLS,
	    "\1\0\2"
	    "\0\0\3\x12\2"
	    "\1\2\2\0\x08\0"
	    "\0\0\3\x0c"
	    "\1\0\2\0\x0a\1"
	    "\0\0");
	PUT(&body, "xyz ", "\xff\xff\xff");
	PUT(&body, TAG_END, "");
	profile_init(&profile);
	assert_true(format_decode(body.bytes, body.n_bytes, false, &profile, &problem));
	assert_int_equal(profile.n_insns, 2);
	assert_int_equal(profile.insns[0].va, 0x10);
	assert_int_equal(profile.insns[1].va, 0x11);
	assert_string_equal(profile.forms[profile.insns[1].form].form.text, "NOP");
	assert_true(profile.exited);
	assert_int_equal(profile.n_regions, 1);
	assert_int_equal(profile.regions[0].visits, 1);
	assert_int_equal(profile.regions[0].executions[0], 10);
	assert_int_equal(profile.regions[0].executions[1], 10);
	assert_int_equal(profile.regions[0].iterations[1], 7);
	assert_int_equal(profile.regions[0].n_edges, 1);
	assert_int_equal(edge_count(&profile.regions[0], 1, 0), 9 + 1);
	assert_true(profile.has_calls);
	assert_int_equal(profile.regions[0].n_contexts, 3);
	assert_int_equal(profile.regions[0].contexts[0].parent, PROFILE_NONE);
	assert_int_equal(profile.regions[0].contexts[0].site, PROFILE_NONE);
	assert_int_equal(profile.regions[0].contexts[1].parent, 0);
	assert_int_equal(profile.regions[0].contexts[1].site, 1);
	assert_int_equal(profile.regions[0].contexts[1].entry, 1);
	assert_int_equal(profile.regions[0].contexts[1].calls, 4);
	assert_int_equal(profile.regions[0].contexts[2].recursion_of, 1);
	assert_int_equal(executed_in(&profile.regions[0], &profile.regions[0].contexts[1], 1), 10);
	profile_deinit(&profile);
	free(body.bytes);
}

/* Two files; f, inlined at line 10 of the second; two instructions: the first one there, at a.h:3, the second one beside, at
 * b.c:11 in column 5. */
static void lines_are_as_documented(void **state)
{
	static const char lines[] = "\2\3a.h\3b.c"
				    "\0\1"
				    "\0\1"
				    "01234567\0\0\0\0\0\0\0\0"
				    "\1"
				    "\0\2\0"
				    "\0\0\0\0\0\3\x14\0"
				    "\2\6\0"
				    "\0\1\3\x10\5";
	struct byte_writer body = {0};
	struct profile profile;
	const struct profile_location *first, *second;
	const char *problem;

	(void)state;
	PUT(&body, TAG_PROGRAM, "\0\1\0\0\0\0\0");
	PUT(&body, TAG_MODULES, "\0");
	PUT(&body, TAG_FUNCTIONS, "\1\0\1f");
	PUT(&body, TAG_INSNS,
	    "\2"
	    "\1\1\0\0\1\x90"
	    "\0\0\0\1\x90");
	PUT(&body, TAG_FORMS, "\0");
	put(&body, TAG_LINES, lines, sizeof(lines) - 1);
	PUT(&body, TAG_END, "");
	profile_init(&profile);
	assert_true(format_decode(body.bytes, body.n_bytes, false, &profile, &problem));
	assert_int_equal(profile.n_files, 2);
	assert_string_equal(profile.files[1].path, "b.c");
	assert_int_equal(profile.files[0].text_hash, 0);
	assert_memory_equal(&profile.files[1].text_hash, "01234567", 8);
	assert_true(profile.files[1].is_newer);
	assert_int_equal(profile.n_inlined, 1);
	assert_int_equal(profile.inlined[0].caller, PROFILE_NONE);
	assert_int_equal(profile.inlined[0].file, 1);
	assert_int_equal(profile.inlined[0].line, 10);
	first = &profile.locations[profile.insns[0].location];
	second = &profile.locations[profile.insns[1].location];
	assert_int_equal(first->file, 0);
	assert_int_equal(first->line, 3);
	assert_int_equal(first->inlined, 0);
	assert_int_equal(second->file, 1);
	assert_int_equal(second->line, 11);
	assert_int_equal(second->column, 5);
	assert_int_equal(second->inlined, PROFILE_NONE);
	profile_deinit(&profile);
	free(body.bytes);
}

/* A region that executes both instructions 10 times, and paths of it: both (instructions 0 and 1), or what is said. */
static void put_paths(struct byte_writer *body, const char *paths, size_t n_paths, const char *pairs, size_t n_pairs)
{
	static const char region[] = FACTS "\1\0\2"
					   "\x14\0"
					   "\0"
					   "\1\1\1\3\x09"
					   "\0";

	put_start(body);
	put(body, TAG_PATHS, paths, n_paths);
	put(body, TAG_REGION, region, sizeof(region) - 1);
	put(body, TAG_PAIRS, pairs, n_pairs);
}

#define PUT_PATHS(body, paths, pairs) put_paths(body, paths, sizeof(paths) - 1, pairs, sizeof(pairs) - 1)
#define BOTH "\0\1\1\0\2\0"

static void wrong_paths_are_refused(void **state)
{
	struct byte_writer body = {0};

	(void)state;
	PUT_PATHS(&body, BOTH, "\1\0\0\x0a\0");
	check_body(&body, NULL);
	PUT_PATHS(&body, BOTH, "\2\0\0\3\1\0\7\1\1\x0a");
	check_body(&body, NULL);
	PUT_PATHS(&body, BOTH, "\1\0\0\x0a\1\1\x0b");
	check_body(&body, "a branch is mispredicted more often than executed");
	PUT_PATHS(&body, BOTH, "\1\0\0\x09\0");
	check_body(&body, "its paths are less than its instructions");
	PUT_PATHS(&body, BOTH, "\1\0\0\x0b\0");
	check_body(&body, "its paths are more than its instructions");
	PUT_PATHS(&body, BOTH, "\2\0\0\5\0\0\5\0");
	check_body(&body, "its paths are not in order");
	PUT_PATHS(&body, BOTH, "\1\2\0\x0a\0");
	check_body(&body, "a number is out of range");
	PUT_PATHS(&body, BOTH, "\1\0\0\x0a\1\2\1");
	check_body(&body, "a number is out of range");
	PUT_PATHS(&body, "\0\1\1\4\1\0", "");
	check_body(&body, "a path has an instruction that is not there");
	PUT_PATHS(&body, "\0\1\0\0\0\0", "");
	check_body(&body, "a path has no instructions");
	PUT_PATHS(&body, "\1\1\1\0\2\1\0\0\0\0", "");
	check_body(&body, "a path takes a value that is not there");
	put_start(&body);
	PUT(&body, TAG_REGION, FACTS "\0\0");
	PUT(&body, TAG_PAIRS, "\0\0");
	check_body(&body, "its sections are not in order");
}

/* Thread a, and seven others; a has 3 visits and 4 instructions of the region, of which the next one is the others' part. */
static void threads_are_as_documented(void **state)
{
	struct byte_writer body = {0};
	struct profile profile;
	const char *problem;

	(void)state;
	put_start(&body);
	PUT(&body, TAG_THREADS, "\2\1a\1\0\7");
	PUT(&body, TAG_REGION, FACTS TEN_AND_NONE);
	PUT(&body, TAG_SHARES, "\0\2\0\3\4\0\0\6");
	PUT(&body, TAG_REGION, FACTS TEN_AND_NONE);
	PUT(&body, TAG_SHARES, "\1\1\0");
	PUT(&body, TAG_END, "");
	profile_init(&profile);
	assert_true(format_decode(body.bytes, body.n_bytes, false, &profile, &problem));
	assert_int_equal(profile.n_threads, 2);
	assert_string_equal(profile.threads[0].name, "a");
	assert_int_equal(profile.threads[1].n_threads, 7);
	assert_int_equal(profile.regions[0].part_of, PROFILE_NONE);
	assert_int_equal(profile.regions[0].n_shares, 2);
	assert_int_equal(profile.regions[0].shares[0].visits, 3);
	assert_int_equal(profile.regions[0].shares[0].executions, 4);
	assert_int_equal(profile.regions[0].shares[1].thread, 1);
	assert_int_equal(profile.regions[0].shares[1].executions, 6);
	assert_int_equal(profile.regions[1].part_of, 0);
	assert_int_equal(profile.regions[1].thread, 1);
	assert_true(profile_has_parts(&profile));
	profile_deinit(&profile);
	free(body.bytes);
}

static void put_shares(struct byte_writer *body, const char *shares, size_t n_bytes)
{
	put_start(body);
	PUT(body, TAG_THREADS, "\1\1a\1");
	PUT(body, TAG_REGION, FACTS TEN_AND_NONE);
	put(body, TAG_SHARES, shares, n_bytes);
}

static void wrong_threads_are_refused(void **state)
{
	struct byte_writer body = {0};

	(void)state;
	put_shares(&body, "\0\1\0\1\1", 5);
	check_body(&body, NULL);
	put_shares(&body, "\0\1\1\1\1", 5);
	check_body(&body, "a thread is not there");
	put_shares(&body, "\0\2\0\1\1\0\1\1", 8);
	check_body(&body, "a thread is not there");
	put_shares(&body, "\1\0\0", 3);
	check_body(&body, "a number is out of range");
	put_shares(&body, "\0\1\0\1\1", 5);
	PUT(&body, TAG_SHARES, "\0\0");
	check_body(&body, "a region has two lists of threads");
	put_shares(&body, "\0\0", 2);
	PUT(&body, TAG_REGION, FACTS TEN_AND_NONE);
	PUT(&body, TAG_SHARES, "\1\0\0");
	PUT(&body, TAG_REGION, FACTS TEN_AND_NONE);
	PUT(&body, TAG_SHARES, "\2\0\0");
	check_body(&body, "a part of a region has a part");
	put_start(&body);
	PUT(&body, TAG_REGION, FACTS TEN_AND_NONE);
	PUT(&body, TAG_SHARES, "\0\0");
	check_body(&body, "its sections are not in order");
	put_start(&body);
	PUT(&body, TAG_REGION, FACTS TEN_AND_NONE);
	PUT(&body, TAG_THREADS, "\0");
	check_body(&body, "its sections are not in order");
}

static void wrong_sections_are_refused(void **state)
{
	struct byte_writer body = {0};

	(void)state;
	check_body(&body, "a section is missing");
	put_start(&body);
	check_body(&body, NULL);
	put_start(&body);
	PUT(&body, TAG_FORMS, "\0");
	check_body(&body, "its sections are not in order");
	PUT(&body, TAG_FUNCTIONS, "\0");
	check_body(&body, "its sections are not in order");
	PUT(&body, TAG_REGION, FACTS "\0\0");
	check_body(&body, "its sections are not in order");
	put_start(&body);
	PUT(&body, TAG_END, "");
	check_body(&body, "something follows its end");
	put_start(&body);
	PUT(&body, TAG_REGION,
	    FACTS "\1\0\2"
		  "\x14\0"
		  "\1\0\4\1");
	check_body(&body, "an edge leads nowhere");
	put_start(&body);
	PUT(&body, TAG_REGION,
	    FACTS "\1\0\2"
		  "\x14\0"
		  "\1\1\2\1");
	check_body(&body, "an edge leads nowhere");
	put_start(&body);
	PUT(&body, TAG_REGION, FACTS "\1\0\3\0\0\0\0\0\0\0");
	check_body(&body, "a number is out of range");
	put_start(&body);
	PUT(&body, TAG_REGION, FACTS "\1\0\1\1\0\0");
	check_body(&body, "its counts are too large"); /* -1 */
	put_start(&body);
	PUT(&body, TAG_LINES, "\0\0\0\2\0");
	check_body(&body, "an instruction is of an inlined call that is not there");
	put_start(&body);
	PUT(&body, TAG_LINES, "\0\0\0\0\0\1"); /* line -1 */
	check_body(&body, "a line is out of range");
	put_start(&body);
	PUT(&body, TAG_LINES, "\0\1\0\2\0\0\0\0\0\0");
	check_body(&body, "a call is of no function");
	put_start(&body);
	PUT(&body, TAG_LINES,
	    "\2\1a\1a"
	    "\0\0\0\0");
	check_body(&body, "a source file occurs twice");
	put_start(&body);
	PUT(&body, TAG_CALLS, "\0");
	check_body(&body, "its sections are not in order");
	put_start(&body);
	PUT(&body, TAG_REGION, FACTS TEN_AND_NONE);
	PUT(&body, TAG_CALLS, "\1\0\2\0\0\3\x12\0\0\0");
	PUT(&body, TAG_CALLS, "\1\0\2\0\0\3\x12\0\0\0");
	check_body(&body, "a region has two call trees");
	put_start(&body);
	PUT(&body, TAG_REGION, FACTS TEN_AND_NONE);
	PUT(&body, TAG_REGION, FACTS TEN_AND_NONE);
	PUT(&body, TAG_CALLS, "\1\0\2\0\0\3\x12\0\0\0");
	check_body(&body, "a region has no call tree, but others do");
	put_start(&body);
	PUT(&body, TAG_REGION, FACTS TEN_AND_NONE);
	PUT(&body, TAG_CALLS, "\1\0\2\0\0\3\x10\0\0\0"); /* one less */
	check_body(&body, "its call tree does not add up to what was executed");
	put_start(&body);
	PUT(&body, TAG_REGION, FACTS TEN_AND_NONE);
	PUT(&body, TAG_CALLS, "\1\0\2\0\0\3\x14\0\0\0"); /* one more */
	check_body(&body, "its call tree does not add up to what was executed");
	put_start(&body);
	PUT(&body, TAG_REGION, FACTS TEN_AND_NONE);
	PUT(&body, TAG_CALLS, "\1\4\2");
	check_body(&body, "its call tree has an instruction that is not there");
	put_start(&body);
	PUT(&body, TAG_REGION, FACTS TEN_AND_NONE);
	PUT(&body, TAG_CALLS, "\1\0\2\0\0\3\x12\1\0\1\0\2\2\0\0\0\0"); /* of the level above the root */
	check_body(&body, "a number is out of range");
	PUT(&body, TAG_PROGRAM, "\0\1\0\0\0\0\0");
	PUT(&body, TAG_MODULES, "\0");
	PUT(&body, TAG_FUNCTIONS,
	    "\2"
	    "\0\1f"
	    "\0\1f");
	check_body(&body, "a function occurs twice");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_saved_is_loaded),
		cmocka_unit_test(an_empty_profile),
		cmocka_unit_test(what_is_announced_and_missing_takes_no_time),
		cmocka_unit_test(damaged_bodies_are_refused_or_sound),
		cmocka_unit_test(the_format_is_as_documented),
		cmocka_unit_test(lines_are_as_documented),
		cmocka_unit_test(wrong_paths_are_refused),
		cmocka_unit_test(threads_are_as_documented),
		cmocka_unit_test(wrong_threads_are_refused),
		cmocka_unit_test(wrong_sections_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
