#include "profile/profile.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"
#include "profile/syscall_name.h"

/* Running out of memory ends in xcalloc, never in uthash. */
#define uthash_malloc(n_bytes) xcalloc(1, n_bytes)
#include <uthash.h>

/* The arrays of a profile move as they grow, so keys are copies. */
struct index_entry {
	UT_hash_handle hh;
	uint32_t index;
	char key[];
};

struct profile_index {
	struct index_entry *forms;     /* by text */
	struct index_entry *functions; /* by module, as bytes, and name */
	struct index_entry *files;     /* by path */
	struct index_entry *inlined;   /* by their bytes */
	struct index_entry *locations; /* by their bytes */
};

static uint32_t *index_find(struct index_entry *head, const void *key, size_t key_bytes)
{
	struct index_entry *entry = NULL;

	HASH_FIND(hh, head, key, key_bytes, entry);
	return entry ? &entry->index : NULL;
}

static void index_add(struct index_entry **head, const void *key, size_t key_bytes, uint32_t index)
{
	struct index_entry *entry = xcalloc(1, sizeof(*entry) + key_bytes);

	entry->index = index;
	memcpy(entry->key, key, key_bytes);
	HASH_ADD_KEYPTR(hh, *head, entry->key, key_bytes, entry);
}

static void index_free(struct index_entry *head)
{
	struct index_entry *entry, *next;

	HASH_ITER (hh, head, entry, next) {
		HASH_DELETE(hh, head, entry);
		free(entry);
	}
}

void profile_init(struct profile *profile)
{
	const struct profile_location unknown = {.file = PROFILE_NONE, .inlined = PROFILE_NONE};

	*profile = (struct profile){.index = xcalloc(1, sizeof(*profile->index))};
	profile_intern_location(profile, &unknown);
}

static void region_deinit(struct profile_region *region, size_t n_caches)
{
	for (size_t i = 0; region->misses && i < n_caches * N_PROFILE_MISSES; i++)
		free(region->misses[i].counts);
	free(region->misses);
	for (size_t i = 0; i < region->n_syscalls; i++)
		free(region->syscalls[i].name);
	free(region->syscalls);
	free(region->executions);
	free(region->iterations);
	free(region->edges);
	free(region->edge_slots);
	free(region->pairs);
	free(region->pair_slots);
	free(region->mispredicts.counts);
	free(region->contexts);
	free(region->context_runs);
	free(region->circles);
	free(region->syscall_sites);
	free(region->shares);
	free(region->allocations);
	free(region->name);
}

void profile_deinit(struct profile *profile)
{
	for (char **arg = profile->argv; arg && *arg; arg++)
		free(*arg);
	for (size_t i = 0; i < profile->n_modules; i++)
		free(profile->modules[i].path);
	for (size_t i = 0; i < profile->n_functions; i++)
		free(profile->functions[i].name);
	for (size_t i = 0; i < profile->n_files; i++)
		free(profile->files[i].path);
	for (size_t i = 0; i < profile->n_regions; i++)
		region_deinit(&profile->regions[i], profile->n_caches);
	for (size_t i = 0; i < profile->n_notes; i++)
		free(profile->notes[i]);
	for (size_t i = 0; i < profile->n_threads; i++)
		free(profile->threads[i].name);
	index_free(profile->index->forms);
	index_free(profile->index->functions);
	index_free(profile->index->files);
	index_free(profile->index->inlined);
	index_free(profile->index->locations);
	free(profile->index);
	free(profile->argv);
	free(profile->engine);
	free(profile->modules);
	free(profile->functions);
	free(profile->forms);
	free(profile->files);
	free(profile->inlined);
	free(profile->locations);
	free(profile->insns);
	free(profile->blocks);
	free(profile->block_insns);
	free(profile->block_slots);
	for (size_t i = 0; i < profile->n_caches; i++)
		free(profile->caches[i]);
	free(profile->caches);
	free(profile->paths);
	free(profile->path_insns);
	free(profile->path_aliases);
	free(profile->threads);
	free(profile->regions);
	free(profile->notes);
	*profile = (struct profile){0};
}

static uint32_t intern_form(struct profile *profile, const struct form *form)
{
	uint32_t *found = index_find(profile->index->forms, form->text, strlen(form->text));

	if (found)
		return *found;
	index_add(&profile->index->forms, form->text, strlen(form->text), (uint32_t)profile->n_forms);
	ARRAY_ADD(profile, forms)->form = *form;
	return (uint32_t)profile->n_forms - 1;
}

uint32_t profile_intern_form(struct profile *profile, const uint8_t *bytes, size_t n_bytes)
{
	struct form form;

	form_of_bytes(bytes, n_bytes, &form);
	return intern_form(profile, &form);
}

uint32_t profile_intern_named_form(struct profile *profile, const char *text)
{
	struct form form = {.category = "kernel", .isa_extension = "base"};

	snprintf(form.text, sizeof(form.text), "%s", text);
	snprintf(form.mnemonic, sizeof(form.mnemonic), "%s", text);
	return intern_form(profile, &form);
}

uint32_t profile_intern_function(struct profile *profile, const char *name, uint32_t module)
{
	size_t key_bytes = sizeof(module) + strlen(name);
	char *key = xcalloc(1, key_bytes);
	uint32_t *found;
	uint32_t index;

	memcpy(key, &module, sizeof(module));
	memcpy(key + sizeof(module), name, strlen(name));
	found = index_find(profile->index->functions, key, key_bytes);
	if (found) {
		index = *found;
	} else {
		index = (uint32_t)profile->n_functions;
		*ARRAY_ADD(profile, functions) = (struct profile_function){.name = xstrdup(name), .module = module};
		index_add(&profile->index->functions, key, key_bytes, index);
	}
	free(key);
	return index;
}

uint32_t profile_intern_file(struct profile *profile, const char *path)
{
	uint32_t *found = index_find(profile->index->files, path, strlen(path));

	if (found)
		return *found;
	index_add(&profile->index->files, path, strlen(path), (uint32_t)profile->n_files);
	*ARRAY_ADD(profile, files) = (struct profile_file){.path = xstrdup(path)};
	return (uint32_t)profile->n_files - 1;
}

_Static_assert(sizeof(struct profile_inlined) == 5 * sizeof(uint32_t), "a key has no padding");
_Static_assert(sizeof(struct profile_location) == 4 * sizeof(uint32_t), "a key has no padding");

uint32_t profile_intern_inlined(struct profile *profile, const struct profile_inlined *inlined)
{
	uint32_t *found = index_find(profile->index->inlined, inlined, sizeof(*inlined));

	if (found)
		return *found;
	index_add(&profile->index->inlined, inlined, sizeof(*inlined), (uint32_t)profile->n_inlined);
	*ARRAY_ADD(profile, inlined) = *inlined;
	return (uint32_t)profile->n_inlined - 1;
}

uint32_t profile_intern_location(struct profile *profile, const struct profile_location *location)
{
	uint32_t *found = index_find(profile->index->locations, location, sizeof(*location));

	if (found)
		return *found;
	index_add(&profile->index->locations, location, sizeof(*location), (uint32_t)profile->n_locations);
	*ARRAY_ADD(profile, locations) = *location;
	return (uint32_t)profile->n_locations - 1;
}

uint32_t profile_intern_region(struct profile *profile, const char *name, uint32_t handlers_of)
{
	for (size_t i = 0; i < profile->n_regions; i++)
		if (profile->regions[i].handlers_of == handlers_of && profile->regions[i].part_of == PROFILE_NONE &&
		    strcmp(profile->regions[i].name, name) == 0)
			return (uint32_t)i;
	*ARRAY_ADD(profile, regions) = (struct profile_region){.name = xstrdup(name),
							       .part_of = PROFILE_NONE,
							       .thread = PROFILE_NONE,
							       .handlers_of = handlers_of};
	return (uint32_t)profile->n_regions - 1;
}

/* Instructions become known one by one while they are counted: room is made for many at once. */
static __attribute__((noinline)) void region_grow_counts(struct profile_region *region, size_t n_insns)
{
	size_t capacity = region->counts_capacity;

	region->executions = array_reserve(region->executions, &capacity, n_insns, sizeof(*region->executions));
	region->iterations = array_reserve(region->iterations, &region->counts_capacity, n_insns,
					   sizeof(*region->iterations));
	region->n_counts = n_insns;
}

void profile_count(struct profile *profile, uint32_t region, uint32_t insn, uint64_t executions, uint64_t iterations)
{
	struct profile_region *counted = &profile->regions[region];

	if (__builtin_expect(insn >= counted->n_counts, 0)) {
		assert(insn < profile->n_insns);
		region_grow_counts(counted, profile->n_insns);
	}
	counted->executions[insn] += executions;
	counted->iterations[insn] += iterations;
}

/* The slot of an edge, or the free one where it belongs: open addressing, 0 is free, else index + 1. */
static uint32_t *edge_slot(const struct profile_region *region, uint32_t from, uint32_t to)
{
	/* Fibonacci hashing: Knuth, TAOCP vol. 3, 6.4. */
	uint64_t hash = ((uint64_t)from << 32 | to) * UINT64_C(0x9e3779b97f4a7c15);
	size_t mask = region->n_edge_slots - 1;
	size_t i = (size_t)(hash >> 32) & mask;

	for (; region->edge_slots[i]; i = (i + 1) & mask) {
		const struct profile_edge *edge = &region->edges[region->edge_slots[i] - 1];

		if (edge->from == from && edge->to == to)
			break;
	}
	return &region->edge_slots[i];
}

static void grow_edge_slots(struct profile_region *region)
{
	free(region->edge_slots);
	region->n_edge_slots = region->n_edge_slots ? region->n_edge_slots * 2 : 64;
	region->edge_slots = xcalloc(region->n_edge_slots, sizeof(*region->edge_slots));
	for (size_t i = 0; i < region->n_edges; i++)
		*edge_slot(region, region->edges[i].from, region->edges[i].to) = (uint32_t)i + 1;
}

void profile_count_edge(struct profile *profile, uint32_t region, uint32_t from, uint32_t to, uint64_t count)
{
	struct profile_region *counted = &profile->regions[region];
	uint32_t *slot;

	if (counted->n_edges * 2 >= counted->n_edge_slots)
		grow_edge_slots(counted);
	slot = edge_slot(counted, from, to);
	if (!*slot) {
		*ARRAY_ADD(counted, edges) = (struct profile_edge){.from = from, .to = to};
		*slot = (uint32_t)counted->n_edges;
	}
	counted->edges[*slot - 1].count += count;
}

void profile_forget_edges(struct profile *profile)
{
	profile->has_edges = false;
	for (size_t i = 0; i < profile->n_regions; i++) {
		struct profile_region *region = &profile->regions[i];

		free(region->edges);
		free(region->edge_slots);
		region->edges = NULL;
		region->edge_slots = NULL;
		region->n_edges = region->edges_capacity = region->n_edge_slots = 0;
	}
}

void profile_count_syscall(struct profile *profile, uint32_t region, int64_t number, bool is_int80)
{
	profile_count_syscalls(profile, region, number, is_int80, 1);
}

void profile_count_syscalls(struct profile *profile, uint32_t region, int64_t number, bool is_int80, uint64_t count)
{
	struct profile_region *counted = &profile->regions[region];
	struct profile_syscall *call;
	const char *name;

	for (size_t i = 0; i < counted->n_syscalls; i++) {
		call = &counted->syscalls[i];
		if (call->number == number && call->is_int80 == is_int80) {
			call->count += count;
			return;
		}
	}
	name = syscall_name(number, is_int80);
	call = ARRAY_ADD(counted, syscalls);
	*call = (struct profile_syscall){.number = number, .is_int80 = is_int80, .count = count};
	call->name = name ? xstrdup(name) : xasprintf("syscall_%" PRId64, number);
}

void profile_note(struct profile *profile, const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = xstrdup(format);
	va_end(args);
	*ARRAY_ADD(profile, notes) = text;
}

static void add_run(struct profile_region *region, size_t *first_run, size_t *n_runs, struct profile_context_run run)
{
	struct profile_context_run *last = NULL;

	if (*n_runs)
		last = &region->context_runs[region->n_context_runs - 1];
	else
		*first_run = region->n_context_runs;
	if (last && last->first + last->n_insns == run.first && last->executions == run.executions) {
		last->n_insns += run.n_insns;
		return;
	}
	*ARRAY_ADD(region, context_runs) = run;
	++*n_runs;
}

void profile_add_context_run(struct profile_region *region, struct profile_context *context,
			     struct profile_context_run run)
{
	add_run(region, &context->first_run, &context->n_runs, run);
}

void profile_add_circle_run(struct profile_region *region, struct profile_circle *circle,
			    struct profile_context_run run)
{
	add_run(region, &circle->first_run, &circle->n_runs, run);
}

bool profile_function_is_module(const struct profile *profile, uint32_t function)
{
	uint32_t module = profile->functions[function].module;

	return module != PROFILE_NONE &&
	       strcmp(profile->functions[function].name, path_file_name(profile->modules[module].path)) == 0;
}

static int compare_syscall_sites(const void *left, const void *right)
{
	const struct profile_syscall_site *a = left, *b = right;

	if (a->context != b->context)
		return a->context < b->context ? -1 : 1;
	if (a->insn != b->insn)
		return a->insn < b->insn ? -1 : 1;
	return a->syscall < b->syscall ? -1 : a->syscall > b->syscall;
}

static int compare_allocations(const void *left, const void *right)
{
	const struct profile_allocation *a = left, *b = right;

	if (a->context != b->context)
		return a->context < b->context ? -1 : 1;
	if (a->insn != b->insn)
		return a->insn < b->insn ? -1 : 1;
	return a->allocator < b->allocator ? -1 : a->allocator > b->allocator;
}

void profile_sort_call_sites(struct profile_region *region)
{
	if (region->n_syscall_sites)
		qsort(region->syscall_sites, region->n_syscall_sites, sizeof(*region->syscall_sites),
		      compare_syscall_sites);
	if (region->n_allocations)
		qsort(region->allocations, region->n_allocations, sizeof(*region->allocations), compare_allocations);
}

/* glibc's resolvers are named _dl_runtime_resolve_xsavec and the like (sysdeps/x86_64/dl-trampoline.h). */
bool profile_function_is_stub(const struct profile *profile, uint32_t function)
{
	const char *name = profile->functions[function].name;
	const char *at = strrchr(name, '@');

	return (at && strcmp(at, "@plt") == 0) || strncmp(name, "_dl_runtime_resolve", 19) == 0;
}

const char *profile_allocator_name(enum profile_allocator allocator)
{
	static const char *const names[] = {
		[ALLOCATOR_MALLOC] = "malloc",	 [ALLOCATOR_CALLOC] = "calloc", [ALLOCATOR_REALLOC] = "realloc",
		[ALLOCATOR_ALIGNED] = "aligned", [ALLOCATOR_NEW] = "new",	[ALLOCATOR_FREE] = "free",
		[ALLOCATOR_DELETE] = "delete",	 [ALLOCATOR_MMAP] = "mmap",	[ALLOCATOR_MUNMAP] = "munmap",
		[ALLOCATOR_BRK] = "brk",	 [ALLOCATOR_MREMAP] = "mremap",
	};

	return names[allocator];
}

bool profile_allocator_frees(enum profile_allocator allocator)
{
	return allocator == ALLOCATOR_FREE || allocator == ALLOCATOR_DELETE || allocator == ALLOCATOR_MUNMAP;
}

static uint64_t sum(const uint64_t *counts, size_t n_counts)
{
	uint64_t total = 0;

	for (size_t i = 0; i < n_counts; i++)
		total += counts[i];
	return total;
}

uint64_t profile_region_executions(const struct profile_region *region)
{
	return sum(region->executions, region->n_counts);
}

uint64_t profile_region_iterations(const struct profile_region *region)
{
	return sum(region->iterations, region->n_counts);
}
