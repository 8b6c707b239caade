/* Call trees from streams made by hand. Functions are 0x100 bytes apart. Each holds one-byte NOPs and the given
 * instructions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "recorders/calls.h"

#define CODE 0x400000

static const char *const names[] = {"main", "f", "g", "h@plt", "h", "handler", "f.cold", "_dl_runtime_resolve_x",
				    "prog"};
enum { MAIN, F, G, STUB, H, HANDLER, COLD, RESOLVER, NO_SYMBOL };

struct fixture {
	struct profile profile;
	struct call_recorder *recorder;
	uint32_t region;
};

/* Sets the function of an instruction by its address. */
static void symbolize(void *context, struct profile *profile, uint32_t insn)
{
	uint64_t function = (profile->insns[insn].va - CODE) / 0x100;

	(void)context;
	profile->insns[insn].function = profile_intern_function(profile, names[function], 0);
	profile->insns[insn].function_offset = (uint32_t)(profile->insns[insn].va % 0x100);
}

static uint32_t insn_at(struct profile *profile, uint64_t va, const char *bytes, uint8_t length)
{
	struct profile_insn *insn;

	for (uint32_t i = 0; i < profile->n_insns; i++)
		if (profile->insns[i].va == va)
			return i;
	insn = ARRAY_ADD(profile, insns);
	*insn = (struct profile_insn){.va = va, .length = length, .function = PROFILE_NONE};
	memcpy(insn->bytes, bytes, length);
	return (uint32_t)profile->n_insns - 1;
}

/* A block of a function at `offset`: n NOPs and its last instruction, if any. */
struct piece {
	int function, offset, n_nops;
	const char *end; /* NULL: none */
	uint8_t end_bytes;
};
#define CALL "\xe8\0\0\0\0", 5
#define RET "\xc3", 1
#define JUMP "\xe9\0\0\0\0", 5
#define INDIRECT "\xff\xe0", 2
#define PLAIN NULL, 0

static uint32_t block(struct profile *profile, const struct piece *piece)
{
	uint64_t va = CODE + (uint64_t)piece->function * 0x100 + (uint64_t)piece->offset;
	uint32_t insns[16];
	size_t n = 0;

	for (int i = 0; i < piece->n_nops; i++)
		insns[n++] = insn_at(profile, va++, "\x90", 1);
	if (piece->end)
		insns[n++] = insn_at(profile, va, piece->end, piece->end_bytes);
	return profile_intern_block(profile, insns, n);
}

struct how {
	uint32_t thread, handlers;
	bool is_continuation;
};

static void feed(struct fixture *fixture, struct how how, uint32_t region, const struct piece *pieces, size_t n_pieces)
{
	uint32_t *blocks = xcalloc(n_pieces, sizeof(*blocks));

	for (size_t i = 0; i < n_pieces; i++) {
		const struct profile_block *added;

		blocks[i] = block(&fixture->profile, &pieces[i]);
		added = &fixture->profile.blocks[blocks[i]];
		for (size_t k = 0; k < added->n_insns; k++)
			profile_count(&fixture->profile, region, fixture->profile.block_insns[added->first + k], 1, 0);
	}
	call_recorder_add_batch(fixture->recorder, &fixture->profile,
				&(struct stream_batch){.thread = how.thread,
						       .handlers = how.handlers,
						       .regions = &region,
						       .n_regions = 1,
						       .blocks = blocks,
						       .n_blocks = n_pieces,
						       .is_continuation = how.is_continuation});
	free(blocks);
}
#define FEED(fixture, how, ...)                                                    \
	feed(fixture, how, (fixture)->region, (const struct piece[]){__VA_ARGS__}, \
	     ARRAY_LENGTH(((const struct piece[]){__VA_ARGS__})))
#define FIRST ((struct how){0})
#define NEXT ((struct how){.is_continuation = true})

static int setup(void **state)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));

	profile_init(&fixture->profile);
	*ARRAY_ADD(&fixture->profile, modules) = (struct profile_module){.path = xstrdup("/bin/prog")};
	fixture->recorder = call_recorder_create(symbolize, true, NULL);
	fixture->region = profile_intern_region(&fixture->profile, "r", PROFILE_NONE);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	call_recorder_destroy(fixture->recorder);
	profile_deinit(&fixture->profile);
	free(fixture);
	return 0;
}

static uint64_t executed_in(const struct profile_region *region, const struct profile_context *context)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < context->n_runs; i++)
		sum += region->context_runs[context->first_run + i].n_insns *
		       region->context_runs[context->first_run + i].executions;
	return sum;
}

static void print_path(const struct fixture *fixture, const struct profile_region *region, uint32_t index, FILE *out)
{
	const struct profile_context *context = &region->contexts[index];
	const struct profile_insn *entry = &fixture->profile.insns[context->entry];

	if (context->parent != PROFILE_NONE) {
		print_path(fixture, region, context->parent, out);
		fprintf(out, " %02x>", (unsigned)fixture->profile.insns[context->site].va & 0xff);
	}
	fputs(fixture->profile.functions[entry->function].name, out);
	if (entry->function_offset)
		fprintf(out, "+%x", (unsigned)entry->function_offset);
}

/* Checks the tree. Each line of the text is a context: its path with the offsets of the calls, calls, executions; "="
 * marks recursion. */
static void check_tree(struct fixture *fixture, uint32_t region_index, const char *expected)
{
	const struct profile_region *region = &fixture->profile.regions[region_index];
	size_t n_bytes;
	char *text;
	FILE *out = open_memstream(&text, &n_bytes);
	uint64_t sum = 0;

	if (!fixture->profile.has_calls)
		call_recorder_finish(fixture->recorder, &fixture->profile);
	for (uint32_t i = 0; i < region->n_contexts; i++) {
		const struct profile_context *context = &region->contexts[i];

		print_path(fixture, region, i, out);
		fprintf(out, " %d", (int)context->calls);
		if (context->recursion_of == PROFILE_NONE)
			fprintf(out, " %d\n", (int)executed_in(region, context));
		else
			fprintf(out, " =%d\n", (int)context->recursion_of);
		sum += executed_in(region, context);
	}
	fclose(out);
	assert_string_equal(text, expected);
	assert_int_equal(sum, profile_region_executions(region));
	free(text);
}

static void test_calls_return(void **state)
{
	struct fixture *fixture = *state;

	FEED(fixture, FIRST, {MAIN, 0, 2, CALL}, {F, 0, 1, CALL}, {G, 0, 3, RET}, {F, 6, 0, RET}, {MAIN, 7, 1, CALL});
	FEED(fixture, NEXT, {F, 0, 1, CALL}, {G, 0, 3, RET}, {F, 6, 0, RET}, {MAIN, 13, 1, PLAIN});
	check_tree(fixture, fixture->region,
		   "main 1 6\n"
		   "main 02>f 1 3\n"
		   "main 02>f 01>g 1 4\n"
		   "main 08>f 1 3\n"
		   "main 08>f 01>g 1 4\n");
}

static void test_recursion_counts_above(void **state)
{
	struct fixture *fixture = *state;

	/* main, f, g, f, f; then back through all of them. */
	FEED(fixture, FIRST, {MAIN, 0, 0, CALL}, {F, 0, 0, CALL}, {G, 0, 0, CALL}, {F, 0, 0, CALL}, {F, 10, 1, CALL},
	     {F, 20, 1, RET}, {F, 16, 0, RET}, {G, 5, 0, RET}, {F, 5, 0, RET}, {MAIN, 5, 1, PLAIN});
	check_tree(fixture, fixture->region,
		   "main 1 2\n"
		   "main 00>f 1 8\n"
		   "main 00>f 00>g 1 2\n"
		   "main 00>f 00>g 00>f 1 =1\n"
		   "main 00>f 00>f+a 1 =1\n"
		   "main 00>f 0b>f+14 1 =1\n");
}

static void test_tail_call_returns_with_its_caller(void **state)
{
	struct fixture *fixture = *state;

	/* f jumps to g; g returns to main, which then calls f again. */
	FEED(fixture, FIRST, {MAIN, 0, 0, CALL}, {F, 0, 1, JUMP}, {G, 0, 1, RET}, {MAIN, 5, 0, CALL}, {F, 0, 1, JUMP},
	     {G, 0, 1, RET}, {MAIN, 10, 1, PLAIN});
	check_tree(fixture, fixture->region,
		   "main 1 3\n"
		   "main 00>f 1 2\n"
		   "main 00>f 01>g 1 2\n"
		   "main 05>f 1 2\n"
		   "main 05>f 01>g 1 2\n");
}

static void test_jumps_between_functions_do_not_nest(void **state)
{
	struct fixture *fixture = *state;

	FEED(fixture, FIRST, {MAIN, 0, 0, CALL}, {F, 0, 0, JUMP}, {COLD, 0, 0, JUMP}, {F, 10, 0, JUMP},
	     {COLD, 0, 0, JUMP}, {F, 20, 0, RET}, {MAIN, 5, 1, PLAIN});
	check_tree(fixture, fixture->region,
		   "main 1 2\n"
		   "main 00>f 1 3\n"
		   "main 00>f 00>f.cold 1 1\n"
		   "main 00>f 0a>f.cold 1 1\n");
}

/* main, f, f.cold, g, f, f.cold, and back; the inner f does not leave for the outer call's f.cold. */
static void test_recursion_through_cold_code(void **state)
{
	struct fixture *fixture = *state;

	FEED(fixture, FIRST, {MAIN, 0, 0, CALL}, {F, 0, 0, JUMP}, {COLD, 0, 0, CALL}, {G, 0, 0, CALL}, {F, 0, 0, JUMP},
	     {COLD, 10, 0, JUMP}, {F, 20, 1, RET}, {G, 5, 0, RET}, {COLD, 5, 0, JUMP}, {F, 30, 1, RET},
	     {MAIN, 5, 1, PLAIN});
	check_tree(fixture, fixture->region,
		   "main 1 2\n"
		   "main 00>f 1 6\n"
		   "main 00>f 00>f.cold 2 3\n"
		   "main 00>f 00>f.cold 00>g 1 2\n"
		   "main 00>f 00>f.cold 00>g 00>f 1 =1\n");
}

static void test_stub_stands_beside(void **state)
{
	struct fixture *fixture = *state;

	/* The first call goes through the head of the table, which has no symbol, and the resolver. */
	FEED(fixture, FIRST, {MAIN, 0, 0, CALL}, {STUB, 0, 1, JUMP}, {NO_SYMBOL, 0, 1, INDIRECT},
	     {RESOLVER, 0, 0, CALL}, {G, 0, 0, RET}, {RESOLVER, 5, 0, INDIRECT}, {H, 0, 1, RET}, {MAIN, 5, 1, PLAIN});
	FEED(fixture, NEXT, {MAIN, 0, 0, CALL}, {STUB, 0, 1, INDIRECT}, {H, 0, 1, RET}, {MAIN, 5, 1, PLAIN});
	check_tree(fixture, fixture->region,
		   "main 1 4\n"
		   "main 00>h@plt 2 6\n"
		   "main 00>_dl_runtime_resolve_x 1 2\n"
		   "main 00>_dl_runtime_resolve_x 00>g 1 1\n"
		   "main 00>h 2 4\n");
}

static void test_longjmp_unwinds(void **state)
{
	struct fixture *fixture = *state;

	FEED(fixture, FIRST, {MAIN, 0, 0, CALL}, {F, 0, 0, CALL}, {G, 0, 0, CALL}, {H, 0, 0, INDIRECT},
	     {MAIN, 8, 0, CALL}, {G, 0, 0, CALL}, {H, 5, 0, RET}, {MAIN, 20, 1, PLAIN}, {MAIN, 21, 0, CALL},
	     {F, 0, 0, CALL});
	check_tree(fixture, fixture->region,
		   "main 1 4\n"
		   "main 00>f 1 1\n"
		   "main 00>f 00>g 1 1\n"
		   "main 00>f 00>g 00>h 1 1\n"
		   "main 08>g 1 1\n"
		   "main 08>g 00>h+5 1 1\n"
		   "main 15>f 1 1\n");
}

static void test_return_to_unknown_caller_is_a_root(void **state)
{
	struct fixture *fixture = *state;

	/* The visit began in f; main calls g afterwards. A longjmp in g goes to f, from before the visit. */
	FEED(fixture, FIRST, {F, 4, 1, RET}, {MAIN, 5, 0, CALL}, {G, 0, 1, INDIRECT}, {F, 9, 1, RET});
	check_tree(fixture, fixture->region,
		   "f+4 2 4\n"
		   "main+5 1 1\n"
		   "main+5 05>g 1 2\n");
}

static void test_return_by_jump(void **state)
{
	struct fixture *fixture = *state;

	FEED(fixture, FIRST, {MAIN, 0, 0, CALL}, {F, 0, 1, INDIRECT}, {MAIN, 5, 0, CALL}, {MAIN, 10, 1, PLAIN});
	check_tree(fixture, fixture->region,
		   "main 1 3\n"
		   "main 00>f 1 2\n");
}

static void test_return_used_as_a_jump(void **state)
{
	struct fixture *fixture = *state;

	FEED(fixture, FIRST, {MAIN, 0, 0, CALL}, {F, 0, 1, RET}, {G, 0, 1, RET}, {MAIN, 5, 1, PLAIN});
	check_tree(fixture, fixture->region,
		   "main 1 2\n"
		   "main 00>f 1 2\n"
		   "main 00>f 01>g 1 2\n");
}

static void test_handler_has_its_own_stack(void **state)
{
	struct fixture *fixture = *state;
	uint32_t region = fixture->region;
	uint32_t handlers = profile_intern_region(&fixture->profile, "r", region);

	FEED(fixture, FIRST, {MAIN, 0, 0, CALL}, {F, 0, 1, PLAIN});
	fixture->region = handlers;
	FEED(fixture, ((struct how){.handlers = 1}), {HANDLER, 0, 0, CALL}, {F, 0, 0, RET}, {HANDLER, 5, 1, RET});
	fixture->region = region;
	FEED(fixture, ((struct how){0}), {F, 1, 0, RET}, {MAIN, 5, 1, PLAIN});
	fixture->region = handlers;
	FEED(fixture, ((struct how){.handlers = 1}), {HANDLER, 0, 0, CALL});
	check_tree(fixture, region,
		   "main 1 2\n"
		   "main 00>f 1 2\n");
	check_tree(fixture, handlers,
		   "handler 2 4\n"
		   "handler 00>f 1 1\n");
}

static void test_each_thread_has_its_own_stack(void **state)
{
	struct fixture *fixture = *state;

	FEED(fixture, ((struct how){.thread = 1}), {MAIN, 0, 0, CALL}, {F, 0, 1, PLAIN});
	FEED(fixture, ((struct how){.thread = 0}), {G, 0, 1, CALL}, {H, 0, 0, "\x90", 1});
	FEED(fixture, ((struct how){.thread = 1, .is_continuation = true}), {F, 1, 0, RET}, {MAIN, 5, 1, PLAIN});
	FEED(fixture, ((struct how){.thread = 0, .is_continuation = true}), {H, 1, 0, RET}, {G, 6, 1, PLAIN});
	check_tree(fixture, fixture->region,
		   "main 1 2\n"
		   "main 00>f 1 2\n"
		   "g 1 3\n"
		   "g 01>h 1 2\n");
}

static void test_visits_begin_anew(void **state)
{
	struct fixture *fixture = *state;

	/* The visit ends in h, below main. The next one begins there as well. */
	FEED(fixture, FIRST, {MAIN, 0, 0, CALL}, {H, 0, 1, PLAIN});
	FEED(fixture, FIRST, {MAIN, 0, 0, CALL}, {F, 0, 1, RET});
	FEED(fixture, FIRST, {MAIN, 0, 1, PLAIN});
	check_tree(fixture, fixture->region,
		   "main 3 3\n"
		   "main 00>h 1 1\n"
		   "main 00>f 1 2\n");
}

static void test_inner_region_begins_where_it_does(void **state)
{
	struct fixture *fixture = *state;
	uint32_t outer = fixture->region, inner = profile_intern_region(&fixture->profile, "inner", PROFILE_NONE);

	/* The second visit of the inner region continues the outer region's stream, not its own first visit. */
	fixture->region = inner;
	FEED(fixture, FIRST, {F, 4, 0, CALL}, {G, 0, 1, RET});
	fixture->region = outer;
	FEED(fixture, NEXT, {F, 9, 0, RET});
	fixture->region = inner;
	FEED(fixture, NEXT, {F, 4, 0, CALL});
	check_tree(fixture, inner,
		   "f+4 2 2\n"
		   "f+4 04>g 1 2\n");
}

static void test_deep_recursion_is_followed_back(void **state)
{
	enum { DEPTH = (1 << 20) + 50 };
	struct fixture *fixture = *state;

	FEED(fixture, FIRST, {MAIN, 0, 0, CALL});
	for (int i = 0; i < DEPTH; i++)
		FEED(fixture, NEXT, {F, 0, 0, CALL});
	FEED(fixture, NEXT, {F, 0x20, 0, RET});
	for (int i = 0; i < DEPTH; i++)
		FEED(fixture, NEXT, {F, 5, 0, RET});
	FEED(fixture, NEXT, {MAIN, 5, 1, PLAIN});
	check_tree(fixture, fixture->region,
		   "main 1 2\n"
		   "main 00>f 1 2097253\n"
		   "main 00>f 00>f 1048574 =1\n");
}

static void test_system_calls_have_contexts(void **state)
{
	struct fixture *fixture = *state;
	struct profile *profile = &fixture->profile;
	struct stream_syscall call = {.regions = &fixture->region, .n_regions = 1, .number = 1};
	const struct profile_syscall_site *sites;

	FEED(fixture, FIRST, {MAIN, 0, 0, CALL}, {F, 0, 1, "\x0f\x05", 2});
	for (int i = 0; i < 3; i++) {
		call.number = i == 1 ? 39 : 1;
		profile_count_syscall(profile, fixture->region, call.number, false, 1);
		call_recorder_add_syscall(fixture->recorder, profile, &call);
	}
	FEED(fixture, NEXT, {F, 3, 0, RET}, {MAIN, 5, 0, "\x0f\x05", 2});
	profile_count_syscall(profile, fixture->region, 1, false, 1);
	call_recorder_add_syscall(fixture->recorder, profile, &call);
	call_recorder_finish(fixture->recorder, profile);
	assert_int_equal(profile->regions[0].n_syscall_sites, 3);
	sites = profile->regions[0].syscall_sites;
	assert_int_equal(sites[0].context, 0);
	assert_int_equal(profile->insns[sites[0].insn].va, CODE + 5);
	assert_int_equal(sites[0].count, 1);
	assert_int_equal(sites[1].context, 1);
	assert_int_equal(profile->insns[sites[1].insn].va, CODE + 0x101);
	assert_int_equal(profile->regions[0].syscalls[sites[1].syscall].number, 1);
	assert_int_equal(sites[1].count, 2);
	assert_int_equal(profile->regions[0].syscalls[sites[2].syscall].number, 39);
	assert_int_equal(sites[2].count, 1);
}

static void begin(struct fixture *fixture, enum profile_allocator allocator, uint64_t bytes, uint64_t freed_va)
{
	call_recorder_add_allocation(fixture->recorder, &(struct stream_allocation){.regions = &fixture->region,
										    .n_regions = 1,
										    .allocator = allocator,
										    .bytes = bytes,
										    .freed_va = freed_va});
}

static void end(struct fixture *fixture, enum profile_allocator allocator, uint64_t result_va)
{
	call_recorder_add_allocation(fixture->recorder, &(struct stream_allocation){.allocator = allocator,
										    .has_returned = true,
										    .result_va = result_va});
}

static void check_allocation(const struct fixture *fixture, size_t index, uint64_t insn_va,
			     const struct profile_allocation *expected)
{
	const struct profile_allocation *found = &fixture->profile.regions[0].allocations[index];

	assert_int_equal(found->context, expected->context);
	assert_int_equal(fixture->profile.insns[found->insn].va, insn_va);
	assert_int_equal(found->allocator, expected->allocator);
	assert_int_equal(found->calls, expected->calls);
	assert_int_equal(found->bytes, expected->bytes);
	assert_int_equal(found->kept_calls, expected->kept_calls);
	assert_int_equal(found->kept_bytes, expected->kept_bytes);
}

static void test_memory_has_contexts(void **state)
{
	struct fixture *fixture = *state;

	/* Through a stub; returned in g. */
	FEED(fixture, FIRST, {MAIN, 0, 0, CALL}, {STUB, 0, 0, INDIRECT});
	begin(fixture, ALLOCATOR_MALLOC, 100, 0);
	FEED(fixture, NEXT, {G, 0, 1, RET});
	end(fixture, ALLOCATOR_MALLOC, 0x1000);
	/* From f: one call fails, one replaces the first block, one fails, and one is freed. */
	FEED(fixture, NEXT, {MAIN, 5, 0, CALL}, {F, 0, 0, CALL});
	begin(fixture, ALLOCATOR_MALLOC, UINT64_MAX, 0);
	end(fixture, ALLOCATOR_MALLOC, 0);
	begin(fixture, ALLOCATOR_REALLOC, 200, 0x1000);
	end(fixture, ALLOCATOR_REALLOC, 0x2000);
	begin(fixture, ALLOCATOR_REALLOC, UINT64_MAX, 0x2000);
	end(fixture, ALLOCATOR_REALLOC, 0);
	begin(fixture, ALLOCATOR_NEW, 30, 0);
	end(fixture, ALLOCATOR_NEW, 0x3000);
	begin(fixture, ALLOCATOR_FREE, 0, 0x3000);
	end(fixture, ALLOCATOR_FREE, 0);
	begin(fixture, ALLOCATOR_FREE, 0, 0x9000);
	end(fixture, ALLOCATOR_FREE, 0);
	begin(fixture, ALLOCATOR_CALLOC, 7, 0);
	end(fixture, ALLOCATOR_CALLOC, 0x4000);
	/* Given back outside all regions. */
	call_recorder_add_allocation(fixture->recorder,
				     &(struct stream_allocation){.allocator = ALLOCATOR_FREE, .freed_va = 0x4000});
	call_recorder_finish(fixture->recorder, &fixture->profile);

	assert_true(fixture->profile.has_memory);
	assert_int_equal(fixture->profile.regions[0].n_allocations, 6);
	check_allocation(fixture, 0, CODE, &(struct profile_allocation){0, 0, ALLOCATOR_MALLOC, 1, 100, 0, 0});
	check_allocation(fixture, 1, CODE + 0x100, &(struct profile_allocation){3, 0, ALLOCATOR_MALLOC, 1, 0, 0, 0});
	check_allocation(fixture, 2, CODE + 0x100, &(struct profile_allocation){3, 0, ALLOCATOR_CALLOC, 1, 7, 0, 0});
	check_allocation(fixture, 3, CODE + 0x100,
			 &(struct profile_allocation){3, 0, ALLOCATOR_REALLOC, 2, 200, 1, 200});
	check_allocation(fixture, 4, CODE + 0x100, &(struct profile_allocation){3, 0, ALLOCATOR_NEW, 1, 30, 0, 0});
	check_allocation(fixture, 5, CODE + 0x100, &(struct profile_allocation){3, 0, ALLOCATOR_FREE, 2, 30, 0, 0});
}

static void kernel_call(struct fixture *fixture, int64_t number, uint64_t first, uint64_t second, uint64_t third,
			uint64_t result)
{
	call_recorder_add_syscall(fixture->recorder, &fixture->profile,
				  &(struct stream_syscall){.regions = &fixture->region,
							   .n_regions = 1,
							   .number = number,
							   .arguments = {first, second, third},
							   .result = result});
}

/* Numbers of asm/unistd_64.h: mmap 9, munmap 11, brk 12, mremap 25. */
static void test_the_kernel_gives_and_takes_pages(void **state)
{
	struct fixture *fixture = *state;

	FEED(fixture, FIRST, {MAIN, 0, 0, CALL}, {F, 0, 0, "\x0f\x05", 2});
	/* 5,000 bytes are two pages. The first one is unmapped; then a call fails. */
	kernel_call(fixture, 9, 0, 5000, 0, 0x10000);
	kernel_call(fixture, 9, 0, 5000, 0, (uint64_t)-12);
	kernel_call(fixture, 11, 0x10000, 1, 0, 0);
	/* 3 pages that move and become 5. The first of them is mapped again. */
	kernel_call(fixture, 9, 0, 0x3000, 0, 0x20000);
	kernel_call(fixture, 25, 0x20000, 0x3000, 0x5000, 0x30000);
	kernel_call(fixture, 9, 0x30000, 0x1000, 0, 0x30000);
	/* brk: the current end, up by 8 pages, down by 3. */
	kernel_call(fixture, 12, 0, 0, 0, 0x80000);
	kernel_call(fixture, 12, 0x88000, 0, 0, 0x88000);
	kernel_call(fixture, 12, 0x85000, 0, 0, 0x85000);
	call_recorder_finish(fixture->recorder, &fixture->profile);

	assert_int_equal(fixture->profile.regions[0].n_allocations, 4);
	check_allocation(fixture, 0, CODE + 0x100,
			 &(struct profile_allocation){1, 0, ALLOCATOR_MMAP, 3, 5000 + 0x3000 + 0x1000, 2,
						      5000 - 0x1000 + 0x1000});
	check_allocation(fixture, 1, CODE + 0x100,
			 &(struct profile_allocation){1, 0, ALLOCATOR_MUNMAP, 1, 0x1000, 0, 0});
	check_allocation(fixture, 2, CODE + 0x100,
			 &(struct profile_allocation){1, 0, ALLOCATOR_BRK, 3, 0x8000, 1, 0x5000});
	check_allocation(fixture, 3, CODE + 0x100,
			 &(struct profile_allocation){1, 0, ALLOCATOR_MREMAP, 1, 0x5000, 1, 0x4000});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_calls_return, setup, teardown),
		cmocka_unit_test_setup_teardown(test_recursion_counts_above, setup, teardown),
		cmocka_unit_test_setup_teardown(test_tail_call_returns_with_its_caller, setup, teardown),
		cmocka_unit_test_setup_teardown(test_jumps_between_functions_do_not_nest, setup, teardown),
		cmocka_unit_test_setup_teardown(test_recursion_through_cold_code, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stub_stands_beside, setup, teardown),
		cmocka_unit_test_setup_teardown(test_longjmp_unwinds, setup, teardown),
		cmocka_unit_test_setup_teardown(test_return_to_unknown_caller_is_a_root, setup, teardown),
		cmocka_unit_test_setup_teardown(test_return_by_jump, setup, teardown),
		cmocka_unit_test_setup_teardown(test_return_used_as_a_jump, setup, teardown),
		cmocka_unit_test_setup_teardown(test_handler_has_its_own_stack, setup, teardown),
		cmocka_unit_test_setup_teardown(test_each_thread_has_its_own_stack, setup, teardown),
		cmocka_unit_test_setup_teardown(test_visits_begin_anew, setup, teardown),
		cmocka_unit_test_setup_teardown(test_inner_region_begins_where_it_does, setup, teardown),
		cmocka_unit_test_setup_teardown(test_deep_recursion_is_followed_back, setup, teardown),
		cmocka_unit_test_setup_teardown(test_system_calls_have_contexts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_memory_has_contexts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_kernel_gives_and_takes_pages, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
