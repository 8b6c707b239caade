/* Call trees: contexts, their runs, and their call sites. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"
#include "base/path.h"
#include "profile/profile.h"

void profile_add_context_run(struct profile_region *region, struct profile_context *context,
			     struct profile_context_run run)
{
	struct profile_context_run *last = NULL;

	if (context->n_runs)
		last = &region->context_runs[region->n_context_runs - 1];
	else
		context->first_run = region->n_context_runs;
	if (last && last->first + last->n_insns == run.first && last->executions == run.executions) {
		last->n_insns += run.n_insns;
		return;
	}
	*ARRAY_ADD(region, context_runs) = run;
	context->n_runs++;
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

	return ORDER(a->context, b->context) ?: ORDER(a->insn, b->insn) ?: ORDER(a->syscall, b->syscall);
}

static int compare_allocations(const void *left, const void *right)
{
	const struct profile_allocation *a = left, *b = right;

	return ORDER(a->context, b->context) ?: ORDER(a->insn, b->insn) ?: ORDER(a->allocator, b->allocator);
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
