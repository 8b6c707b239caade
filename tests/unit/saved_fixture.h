/* A profile with every kind of content of a file, and its comparison. */
#ifndef ITRACE_TESTS_UNIT_SAVED_FIXTURE_H
#define ITRACE_TESTS_UNIT_SAVED_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "profile/profile.h"
#include "savefile/content.h"

static inline uint32_t add_insn(struct profile *profile, uint64_t va, const char *bytes, uint8_t length)
{
	struct profile_insn *insn = ARRAY_ADD(profile, insns);

	insn->va = va;
	insn->length = length;
	memcpy(insn->bytes, bytes, length);
	insn->form = length ? profile_intern_form(profile, insn->bytes, length)
			    : profile_intern_named_form(profile, "(vsyscall)");
	insn->module = insn->function = PROFILE_NONE;
	return (uint32_t)profile->n_insns - 1;
}

static inline void place_insn(struct profile *profile, uint32_t insn, uint32_t module, uint32_t function,
			      uint32_t offset)
{
	profile->insns[insn].module = module;
	profile->insns[insn].function = function;
	profile->insns[insn].function_offset = offset;
}

static inline uint32_t make_location(struct profile *profile, const char *file, uint32_t line, uint32_t column,
				     uint32_t inlined)
{
	struct profile_location location = {.file = PROFILE_NONE, .line = line, .column = column, .inlined = inlined};

	if (file)
		location.file = profile_intern_file(profile, file);
	return profile_intern_location(profile, &location);
}

/* Nested inlined calls; locations inside and outside them, some twice; a file and a call without instructions. */
static inline void make_saved_lines(struct profile *profile, uint32_t jump, uint32_t head, uint32_t middle,
				    uint32_t back, uint32_t rep)
{
	uint32_t unused = profile_intern_file(profile, "never.c"), file = profile_intern_file(profile, "/src/a\xff"
												       ".c");
	uint32_t function = profile_intern_function(profile, "inlined only", 0);
	uint32_t outer, inner;

	profile->files[unused].is_newer = true;
	profile->files[file].text_hash = UINT64_C(0xa5a6a7a8a9aaabac);
	outer = profile_intern_inlined(profile, &(struct profile_inlined){.function = function,
									  .caller = PROFILE_NONE,
									  .file = file,
									  .line = 40,
									  .column = 9});
	profile_intern_inlined(profile,
			       &(struct profile_inlined){.function = 0, .caller = outer, .file = PROFILE_NONE});
	inner = profile_intern_inlined(profile, &(struct profile_inlined){.function = function,
									  .caller = outer,
									  .file = unused,
									  .line = UINT32_MAX,
									  .column = UINT32_MAX});
	profile->insns[jump].location = make_location(profile,
						      "/src/a\xff"
						      ".c",
						      41, 0, PROFILE_NONE);
	profile->insns[head].location = make_location(profile, "inner.h", 3, 7, inner);
	profile->insns[middle].location = make_location(profile, "inner.h", 3, 7, outer);
	profile->insns[back].location = make_location(profile, NULL, 0, 0, inner);
	profile->insns[rep].location = make_location(profile,
						     "/src/a\xff"
						     ".c",
						     41, 0, PROFILE_NONE);
	profile->files[profile_intern_file(profile, "inner.h")].text_hash = 1;
}

struct call_insns {
	uint32_t jump, head, middle, back, rep, changed, vsyscall;
};

/* The counts of make_saved_profile as call trees: the loop is a function that calls itself, and that is also called
 * in another way. */
static inline void add_call_trees(struct profile *profile, struct profile_region *loop, struct profile_region *handlers,
				  struct call_insns insns)
{
	struct profile_context *context;

	profile->has_calls = true;
	*ARRAY_ADD(loop, contexts) = (struct profile_context){.parent = PROFILE_NONE,
							      .site = PROFILE_NONE,
							      .entry = insns.jump,
							      .recursion_of = PROFILE_NONE,
							      .calls = 1};
	*ARRAY_ADD(loop, contexts) = (struct profile_context){
		.parent = 0, .site = insns.jump, .entry = insns.head, .recursion_of = PROFILE_NONE, .calls = 30};
	*ARRAY_ADD(loop, contexts) = (struct profile_context){
		.parent = 1, .site = insns.back, .entry = insns.head, .recursion_of = 1, .calls = 69};
	*ARRAY_ADD(loop, contexts) = (struct profile_context){
		.parent = 0, .site = insns.rep, .entry = insns.head, .recursion_of = PROFILE_NONE, .calls = 1};
	context = &loop->contexts[0];
	profile_add_context_run(loop, context, (struct profile_context_run){insns.jump, 1, 1});
	profile_add_context_run(loop, context, (struct profile_context_run){insns.rep, 1, 1});
	context = &loop->contexts[1];
	profile_add_context_run(loop, context, (struct profile_context_run){insns.back, 1, 99});
	profile_add_context_run(loop, context, (struct profile_context_run){insns.head, 1, 99});
	profile_add_context_run(loop, context, (struct profile_context_run){insns.middle, 1, 60});
	profile_add_context_run(loop, context, (struct profile_context_run){insns.changed, 1, 39});
	context = &loop->contexts[3];
	profile_add_context_run(loop, context, (struct profile_context_run){insns.back, 1, 1});
	profile_add_context_run(loop, context, (struct profile_context_run){insns.head, 1, 1});
	profile_add_context_run(loop, context, (struct profile_context_run){insns.changed, 1, 1});
	*ARRAY_ADD(handlers, contexts) = (struct profile_context){.parent = PROFILE_NONE,
								  .site = PROFILE_NONE,
								  .entry = insns.vsyscall,
								  .recursion_of = PROFILE_NONE,
								  .calls = 2};
	*ARRAY_ADD(loop, syscall_sites) =
		(struct profile_syscall_site){.context = 1, .insn = insns.back, .syscall = 2, .count = 1};
	profile->has_memory = true;
	*ARRAY_ADD(loop, allocations) = (struct profile_allocation){0, insns.jump, ALLOCATOR_BRK, 1, 4096, 1, 4096};
	*ARRAY_ADD(loop, allocations) = (struct profile_allocation){3, insns.rep, ALLOCATOR_MALLOC, 9, 300, 2, 100};
	*ARRAY_ADD(loop, allocations) = (struct profile_allocation){3, insns.changed, ALLOCATOR_FREE, 1, 3, 0, 0};
	*ARRAY_ADD(loop, syscall_sites) =
		(struct profile_syscall_site){.context = 3, .insn = insns.jump, .syscall = 0, .count = 2};
	profile_add_context_run(handlers, &handlers->contexts[0],
				(struct profile_context_run){insns.vsyscall, 1, INT64_MAX});
}

static inline uint32_t add_path(struct profile *profile, const uint32_t *insns, uint32_t n_insns, uint32_t n_addresses)
{
	*ARRAY_ADD(profile, paths) = (struct profile_path){.first_insn = profile->n_path_insns,
							   .first_dependence = profile->n_path_dependences,
							   .n_insns = n_insns,
							   .n_addresses = n_addresses};
	for (uint32_t i = 0; i < n_insns; i++)
		*ARRAY_ADD(profile, path_insns) = insns[i];
	return (uint32_t)profile->n_paths - 1;
}

static inline void add_dependence(struct profile *profile, uint32_t path, struct profile_dependence dependence)
{
	*ARRAY_ADD(profile, path_dependences) = dependence;
	profile->paths[path].n_dependences++;
}

/* A loop at 0x401000 of 100 rounds, entered from 0x400ff0, whose instruction has index 0; changed code, REP, a
 * vsyscall. */
static inline void make_saved_profile(struct profile *profile)
{
	uint32_t jump, head, middle, back, rep, vsyscall, changed, region, handlers, main_function, other;

	profile_init(profile);
	profile->argv = xcalloc(3, sizeof(*profile->argv));
	profile->argv[0] = xstrdup("./prog");
	profile->argv[1] = xstrdup("--input=\xff");
	profile->engine = xstrdup("step");
	profile->exited = true;
	profile->exit_status = 3;
	profile->wall_ns = 123456789;
	profile->has_edges = true;
	*ARRAY_ADD(profile, modules) = (struct profile_module){.path = xstrdup("/usr/bin/prog"),
							       .start_va = 0x400000,
							       .end_va = 0x402000,
							       .is_program = true,
							       .n_build_id = 3,
							       .build_id = {0xab, 0, 0xcd}};
	*ARRAY_ADD(profile, modules) = (struct profile_module){.path = xstrdup("[vdso]"),
							       .start_va = 0x7ffff7fc0000,
							       .end_va = 0x7ffff7fc1000,
							       .bias = 0x7ffff7fc0000};
	other = profile_intern_function(profile, "other", 1);
	main_function = profile_intern_function(profile, "main", 0);
	profile_intern_function(profile, "never executed", PROFILE_NONE);

	back = add_insn(profile, 0x401006, "\x75\xf8", 2); /* jnz 0x401000 */
	jump = add_insn(profile, 0x400ff0, "\xeb\x0e", 2); /* jmp 0x401000 */
	head = add_insn(profile, 0x401000, "\x48\x01\xd8", 3);
	middle = add_insn(profile, 0x401003, "\x48\xff\xc9", 3);
	rep = add_insn(profile, 0x401008, "\xf3\xa4", 2);
	vsyscall = add_insn(profile, 0xffffffffff600400, "", 0);
	changed = add_insn(profile, 0x401003, "\x48\xff\xc1", 3);
	place_insn(profile, jump, 0, main_function, 16);
	place_insn(profile, head, 0, main_function, 32);
	place_insn(profile, middle, 0, main_function, 35);
	place_insn(profile, back, 1, other, 7);
	place_insn(profile, rep, 0, main_function, 40);
	place_insn(profile, changed, 0, PROFILE_NONE, 0);

	make_saved_lines(profile, jump, head, middle, back, rep);
	region = profile_intern_region(profile, "loop", PROFILE_NONE);
	handlers = profile_intern_region(profile, "loop", region);
	profile_intern_region(profile, "", PROFILE_NONE);
	profile->regions[region].visits = 1;
	profile->regions[region].n_markers = 2;
	profile->regions[region].visits_cut = 4;
	profile->regions[region].visits_left = 5;
	profile->regions[region].unmatched_ends = 6;
	profile->regions[region].tracing_ns = 777;
	profile_count(profile, region, back, 100, 0);
	profile_count(profile, region, jump, 1, 0);
	profile_count(profile, region, head, 100, 0);
	profile_count(profile, region, middle, 60, 0);
	profile_count(profile, region, changed, 40, 0);
	profile_count(profile, region, rep, 1, 4096);
	profile_count_edge(profile, region, back, head, 99);
	profile_count_edge(profile, region, jump, head, 1);
	profile_count_edge(profile, region, back, back, 0);
	profile_count_syscall(profile, region, 1, false, 1);
	profile_count_syscall(profile, region, 1, true, 1);
	profile_count_syscall(profile, region, 9999, false, 1);
	profile_count_syscall(profile, region, 1, false, 1);
	profile->has_paths = profile->has_addresses = true;
	{
		uint32_t enter = add_path(profile, (uint32_t[]){jump, head, middle, back}, 4, 0);
		uint32_t round = add_path(profile, (uint32_t[]){head, middle, back}, 3, 0);
		uint32_t other_round = add_path(profile, (uint32_t[]){head, changed, back}, 3, 0);
		uint32_t copy = add_path(profile, (uint32_t[]){rep}, 1, 3), call;

		add_dependence(profile, copy,
			       (struct profile_dependence){.load = 1, .store = 7, .paths_back = 2, .offset = -3});
		add_dependence(profile, copy, (struct profile_dependence){.load = 1, .store = 0});
		call = add_path(profile, &vsyscall, 1, 0);
		profile_count_pair(profile, region, PROFILE_NONE, enter, 1);
		profile_count_pair(profile, region, round, round, 57);
		profile_count_pair(profile, region, round, other_round, 40);
		profile_count_pair(profile, region, enter, round, 1);
		profile_count_pair(profile, region, other_round, round, 1);
		profile_count_pair(profile, region, other_round, copy, 1);
		profile_count_pair(profile, handlers, PROFILE_NONE, call, INT64_MAX);
		profile_tally_add(&profile->regions[region].mispredicts, back, 7);
		profile_tally_add(&profile->regions[region].mispredicts, rep, 1);
		*ARRAY_ADD(profile, caches) = xstrdup("512/8 4096/4 131072/16 64/4 1536/12");
		*ARRAY_ADD(profile, caches) = xstrdup("1/1");
		profile_count_miss(profile, region, 0, MISS_SERVED_BY_L2, rep, 64);
		profile_count_miss(profile, region, 1, MISS_SERVED_BY_PAGE_TABLES, head, 1);
	}
	*ARRAY_ADD(profile, threads) = (struct profile_thread){xstrdup("main"), 1};
	*ARRAY_ADD(profile, threads) = (struct profile_thread){xstrdup("work\xff"), 1};
	*ARRAY_ADD(profile, threads) = (struct profile_thread){xstrdup(""), 936};
	profile_add_thread_totals(profile, region, 2, 0, 2);
	profile_add_thread_totals(profile, region, 0, 1, 300);
	profile_add_thread_totals(profile, handlers, 1, 2, INT64_MAX);
	profile_intern_thread_region(profile, 2, 1);
	profile->regions[handlers].visits = 2;
	profile_count(profile, handlers, vsyscall, INT64_MAX, 0);
	add_call_trees(profile, &profile->regions[region], &profile->regions[handlers],
		       (struct call_insns){jump, head, middle, back, rep, changed, vsyscall});
	profile_note(profile, "a %s", "note");
}

static inline void check_texts(const char *a, const char *b)
{
	assert_string_equal(a, b);
}

/* Returns the count plus 1, or 0 if there is no such edge. */
static inline uint64_t edge_count(const struct profile_region *region, uint32_t from, uint32_t to)
{
	for (size_t i = 0; i < region->edges.n_rows; i++)
		if (region->edges.rows[i].from == from && region->edges.rows[i].to == to)
			return region->edges.rows[i].count + 1;
	return 0;
}

/* Returns the index in `loaded` of an instruction of `saved`. */
static inline uint32_t find_insn(const struct profile *loaded, const struct profile_insn *insn)
{
	for (uint32_t i = 0; i < loaded->n_insns; i++)
		if (loaded->insns[i].va == insn->va && loaded->insns[i].length == insn->length &&
		    memcmp(loaded->insns[i].bytes, insn->bytes, sizeof(insn->bytes)) == 0)
			return i;
	fail_msg("no instruction at 0x%llx", (unsigned long long)insn->va);
	return 0;
}

static inline void check_function(const struct profile *saved, uint32_t a, const struct profile *loaded, uint32_t b)
{
	assert_int_equal(a == PROFILE_NONE, b == PROFILE_NONE);
	if (a == PROFILE_NONE)
		return;
	check_texts(loaded->functions[b].name, saved->functions[a].name);
	assert_int_equal(loaded->functions[b].module, saved->functions[a].module);
}

static inline void check_file(const struct profile *saved, uint32_t a, const struct profile *loaded, uint32_t b)
{
	assert_int_equal(a == PROFILE_NONE, b == PROFILE_NONE);
	if (a == PROFILE_NONE)
		return;
	check_texts(loaded->files[b].path, saved->files[a].path);
	assert_int_equal(loaded->files[b].is_newer, saved->files[a].is_newer);
	assert_int_equal(loaded->files[b].text_hash, saved->files[a].text_hash);
}

static inline void check_inlined(const struct profile *saved, uint32_t a, const struct profile *loaded, uint32_t b)
{
	const struct profile_inlined *call = &saved->inlined[a], *other = &loaded->inlined[b];

	assert_int_equal(a == PROFILE_NONE, b == PROFILE_NONE);
	if (a == PROFILE_NONE)
		return;
	check_function(saved, call->function, loaded, other->function);
	check_file(saved, call->file, loaded, other->file);
	assert_int_equal(other->line, call->line);
	assert_int_equal(other->column, call->column);
	check_inlined(saved, call->caller, loaded, other->caller);
}

static inline void check_location(const struct profile *saved, uint32_t a, const struct profile *loaded, uint32_t b)
{
	const struct profile_location *location = &saved->locations[a], *other = &loaded->locations[b];

	check_file(saved, location->file, loaded, other->file);
	assert_int_equal(other->line, location->line);
	assert_int_equal(other->column, location->column);
	check_inlined(saved, location->inlined, loaded, other->inlined);
}

/* Returns how often one context executed an instruction. */
static inline uint64_t executed_in(const struct profile_region *region, const struct profile_context *context,
				   uint32_t insn)
{
	for (size_t i = 0; i < context->n_runs; i++) {
		const struct profile_context_run *run = &region->context_runs[context->first_run + i];

		if (insn >= run->first && insn - run->first < run->n_insns)
			return run->executions;
	}
	return 0;
}

static inline bool is_same_insn(const struct profile *saved, uint32_t a, const struct profile *loaded, uint32_t b)
{
	if (a == PROFILE_NONE || b == PROFILE_NONE)
		return a == b;
	return find_insn(loaded, &saved->insns[a]) == b;
}

/* Returns the index in the loaded profile of a context of the saved one. */
static inline uint32_t find_context(const struct profile *saved, const struct profile *loaded, size_t region,
				    uint32_t index)
{
	const struct profile_region *a = &saved->regions[region], *b = &loaded->regions[region];
	uint32_t parent;

	if (index == PROFILE_NONE)
		return PROFILE_NONE;
	parent = find_context(saved, loaded, region, a->contexts[index].parent);
	for (uint32_t i = 0; i < b->n_contexts; i++)
		if (b->contexts[i].parent == parent &&
		    is_same_insn(saved, a->contexts[index].site, loaded, b->contexts[i].site) &&
		    is_same_insn(saved, a->contexts[index].entry, loaded, b->contexts[i].entry))
			return i;
	fail_msg("no context %u", index);
	return PROFILE_NONE;
}

/* Allocations are sorted by instruction, and the instructions' order changes. */
static inline void check_allocation_is_there(const struct profile *saved, const struct profile_allocation *allocation,
					     const struct profile *loaded, size_t index)
{
	const struct profile_region *region = &loaded->regions[index];
	uint32_t context = find_context(saved, loaded, index, allocation->context);
	size_t i = 0;

	while (i < region->n_allocations &&
	       (region->allocations[i].context != context ||
		region->allocations[i].insn != find_insn(loaded, &saved->insns[allocation->insn])))
		i++;
	assert_true(i < region->n_allocations);
	assert_int_equal(region->allocations[i].allocator, allocation->allocator);
	assert_int_equal(region->allocations[i].calls, allocation->calls);
	assert_int_equal(region->allocations[i].bytes, allocation->bytes);
	assert_int_equal(region->allocations[i].kept_calls, allocation->kept_calls);
	assert_int_equal(region->allocations[i].kept_bytes, allocation->kept_bytes);
}

static inline void check_same_calls(const struct profile *saved, const struct profile *loaded, size_t index)
{
	const struct profile_region *a = &saved->regions[index], *b = &loaded->regions[index];

	assert_int_equal(b->n_contexts, a->n_contexts);
	assert_int_equal(loaded->has_memory, saved->has_memory);
	assert_int_equal(b->n_allocations, a->n_allocations);
	for (size_t i = 0; i < a->n_allocations; i++)
		check_allocation_is_there(saved, &a->allocations[i], loaded, index);
	assert_int_equal(b->n_syscall_sites, a->n_syscall_sites);
	for (size_t i = 0; i < a->n_syscall_sites; i++) {
		assert_int_equal(b->syscall_sites[i].context,
				 find_context(saved, loaded, index, a->syscall_sites[i].context));
		assert_int_equal(b->syscall_sites[i].insn, find_insn(loaded, &saved->insns[a->syscall_sites[i].insn]));
		assert_int_equal(b->syscall_sites[i].syscall, a->syscall_sites[i].syscall);
		assert_int_equal(b->syscall_sites[i].count, a->syscall_sites[i].count);
	}
	for (uint32_t i = 0; i < a->n_contexts; i++) {
		const struct profile_context *other = &b->contexts[find_context(saved, loaded, index, i)];

		assert_int_equal(other->recursion_of, find_context(saved, loaded, index, a->contexts[i].recursion_of));
		assert_int_equal(other->calls, a->contexts[i].calls);
		for (uint32_t k = 0; k < saved->n_insns; k++)
			assert_int_equal(executed_in(b, other, find_insn(loaded, &saved->insns[k])),
					 executed_in(a, &a->contexts[i], k));
	}
}

static inline void check_same_region(const struct profile *saved, const struct profile *loaded, size_t index)
{
	const struct profile_region *a = &saved->regions[index], *b = &loaded->regions[index];

	check_texts(b->name, a->name);
	assert_int_equal(b->handlers_of, a->handlers_of);
	assert_int_equal(b->all_threads_region, a->all_threads_region);
	assert_int_equal(b->thread, a->thread);
	assert_int_equal(b->n_thread_totals, a->n_thread_totals);
	for (size_t i = 0; i < a->n_thread_totals; i++)
		assert_memory_equal(&b->thread_totals[i], &a->thread_totals[i], sizeof(a->thread_totals[i]));
	assert_int_equal(b->n_markers, a->n_markers);
	assert_int_equal(b->visits, a->visits);
	assert_int_equal(b->visits_cut, a->visits_cut);
	assert_int_equal(b->visits_left, a->visits_left);
	assert_int_equal(b->unmatched_ends, a->unmatched_ends);
	assert_int_equal(b->tracing_ns, a->tracing_ns);
	assert_int_equal(b->n_syscalls, a->n_syscalls);
	for (size_t i = 0; i < a->n_syscalls; i++) {
		check_texts(b->syscalls[i].name, a->syscalls[i].name);
		assert_int_equal(b->syscalls[i].number, a->syscalls[i].number);
		assert_int_equal(b->syscalls[i].is_int80, a->syscalls[i].is_int80);
		assert_int_equal(b->syscalls[i].count, a->syscalls[i].count);
	}
	assert_int_equal(profile_region_executions(b), profile_region_executions(a));
	for (size_t i = 0; i < a->n_counts; i++) {
		uint32_t insn = find_insn(loaded, &saved->insns[i]);

		assert_int_equal(insn < b->n_counts ? b->executions[insn] : 0, a->executions[i]);
		assert_int_equal(insn < b->n_counts ? b->iterations[insn] : 0, a->iterations[i]);
	}
	check_same_calls(saved, loaded, index);
	assert_int_equal(b->edges.n_rows, a->edges.n_rows);
	for (size_t i = 0; i < a->edges.n_rows; i++)
		assert_int_equal(edge_count(b, find_insn(loaded, &saved->insns[a->edges.rows[i].from]),
					    find_insn(loaded, &saved->insns[a->edges.rows[i].to])),
				 a->edges.rows[i].count + 1);
}

/* Returns the count plus 1, or 0 if there is no such pair. */
static inline uint64_t pair_count(const struct profile_region *region, uint32_t from, uint32_t to)
{
	for (size_t i = 0; i < region->pairs.n_rows; i++)
		if (region->pairs.rows[i].from == from && region->pairs.rows[i].to == to)
			return region->pairs.rows[i].count + 1;
	return 0;
}

static inline void check_same_pairs(const struct profile *saved, const struct profile *loaded, size_t index)
{
	const struct profile_region *a = &saved->regions[index], *b = &loaded->regions[index];

	assert_int_equal(b->pairs.n_rows, a->pairs.n_rows);
	for (size_t i = 0; i < a->pairs.n_rows; i++)
		assert_int_equal(pair_count(b, a->pairs.rows[i].from, a->pairs.rows[i].to), a->pairs.rows[i].count + 1);
	for (size_t i = 0; i < a->mispredicts.n_counts; i++)
		assert_int_equal(profile_tally_get(&b->mispredicts, find_insn(loaded, &saved->insns[i])),
				 a->mispredicts.counts[i]);
}

static inline void check_same_misses(const struct profile *saved, const struct profile *loaded, size_t index)
{
	for (size_t cache = 0; cache < saved->n_caches; cache++)
		for (int miss = 0; miss < N_PROFILE_MISSES; miss++)
			for (uint32_t i = 0; i < saved->n_insns; i++)
				assert_int_equal(profile_get_misses(&loaded->regions[index], cache,
								    (enum profile_miss)miss,
								    find_insn(loaded, &saved->insns[i])),
						 profile_get_misses(&saved->regions[index], cache,
								    (enum profile_miss)miss, i));
}

/* Paths keep their order. */
static inline void check_same_paths(const struct profile *saved, const struct profile *loaded)
{
	assert_int_equal(loaded->has_paths, saved->has_paths);
	assert_int_equal(loaded->has_addresses, saved->has_addresses);
	assert_int_equal(loaded->n_paths, saved->n_paths);
	for (size_t i = 0; i < saved->n_paths; i++) {
		const struct profile_path *a = &saved->paths[i], *b = &loaded->paths[i];

		assert_int_equal(b->n_insns, a->n_insns);
		assert_int_equal(b->n_addresses, a->n_addresses);
		for (uint32_t k = 0; k < a->n_insns; k++) {
			const struct profile_insn *insn = &saved->insns[saved->path_insns[a->first_insn + k]];

			assert_int_equal(loaded->path_insns[b->first_insn + k], find_insn(loaded, insn));
		}
		assert_int_equal(b->n_dependences, a->n_dependences);
		if (a->n_dependences)
			assert_memory_equal(&loaded->path_dependences[b->first_dependence],
					    &saved->path_dependences[a->first_dependence],
					    a->n_dependences * sizeof(*saved->path_dependences));
	}
}

/* Checks that all counts are equal. The order of instructions, forms, functions and edges may differ. */
static inline void check_same_profile(const struct profile *saved, const struct profile *loaded)
{
	size_t n_args = 0;

	for (; saved->argv && saved->argv[n_args]; n_args++)
		check_texts(loaded->argv[n_args], saved->argv[n_args]);
	assert_null(loaded->argv[n_args]);
	assert_int_equal(loaded->exited, saved->exited);
	assert_int_equal(loaded->exit_status, saved->exit_status);
	assert_int_equal(loaded->signal, saved->signal);
	assert_int_equal(loaded->wall_ns, saved->wall_ns);
	assert_int_equal(loaded->has_memory, saved->has_memory);
	assert_int_equal(loaded->has_calls, saved->has_calls);
	assert_int_equal(loaded->has_edges, saved->has_edges);
	assert_int_equal(loaded->has_paths, saved->has_paths);
	assert_int_equal(loaded->has_addresses, saved->has_addresses);
	check_texts(loaded->engine, saved->engine);
	assert_int_equal(loaded->n_modules, saved->n_modules);
	for (size_t i = 0; i < saved->n_modules; i++) {
		const struct profile_module *a = &saved->modules[i], *b = &loaded->modules[i];

		check_texts(b->path, a->path);
		assert_int_equal(b->start_va, a->start_va);
		assert_int_equal(b->end_va, a->end_va);
		assert_int_equal(b->bias, a->bias);
		assert_int_equal(b->is_program, a->is_program);
		assert_int_equal(b->n_build_id, a->n_build_id);
		assert_memory_equal(b->build_id, a->build_id, sizeof(a->build_id));
	}
	assert_int_equal(loaded->n_functions, saved->n_functions);
	assert_int_equal(loaded->n_forms, saved->n_forms);
	assert_int_equal(loaded->n_files, saved->n_files);
	assert_int_equal(loaded->n_inlined, saved->n_inlined);
	assert_int_equal(loaded->n_locations, saved->n_locations);
	assert_int_equal(loaded->n_insns, saved->n_insns);
	for (size_t i = 0; i < saved->n_insns; i++) {
		const struct profile_insn *a = &saved->insns[i], *b = &loaded->insns[find_insn(loaded, a)];

		check_texts(loaded->forms[b->form].form.text, saved->forms[a->form].form.text);
		check_texts(loaded->forms[b->form].form.category, saved->forms[a->form].form.category);
		assert_int_equal(b->module, a->module);
		check_function(saved, a->function, loaded, b->function);
		assert_int_equal(b->function_offset, a->function_offset);
		check_location(saved, a->location, loaded, b->location);
	}
	assert_int_equal(loaded->n_regions, saved->n_regions);
	for (size_t i = 0; i < saved->n_regions; i++)
		check_same_region(saved, loaded, i);
	for (size_t i = 0; i < saved->n_regions; i++)
		check_same_pairs(saved, loaded, i);
	assert_int_equal(loaded->n_caches, saved->n_caches);
	for (size_t i = 0; i < saved->n_caches; i++)
		check_texts(loaded->caches[i], saved->caches[i]);
	for (size_t i = 0; i < saved->n_regions; i++)
		check_same_misses(saved, loaded, i);
	check_same_paths(saved, loaded);
	assert_int_equal(loaded->n_notes, saved->n_notes);
	for (size_t i = 0; i < saved->n_notes; i++)
		check_texts(loaded->notes[i], saved->notes[i]);
	assert_int_equal(loaded->n_threads, saved->n_threads);
	for (size_t i = 0; i < saved->n_threads; i++) {
		check_texts(loaded->threads[i].name, saved->threads[i].name);
		assert_int_equal(loaded->threads[i].n_threads, saved->threads[i].n_threads);
	}
}

#endif
