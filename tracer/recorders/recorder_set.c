#include "recorders/recorder_set.h"

#include <stdlib.h>

#include "base/array.h"
#include "recorders/branches.h"
#include "recorders/paths.h"

/* The recorders of one process. NULL: the recorder is not in the plan. */
struct process_recorders {
	int32_t pid;
	struct call_recorder *calls;
	struct path_recorder *paths;
	struct branch_recorder *branches;
	struct cache_recorder *caches;
};

static struct process_recorders *create(const struct recorder_plan *plan, int32_t pid)
{
	struct process_recorders *process = xcalloc(1, sizeof(*process));

	process->pid = pid;
	if (plan->calls)
		process->calls = call_recorder_create(plan->symbolize, plan->memory, plan->context);
	if (plan->paths) {
		process->paths = path_recorder_create();
		process->branches = branch_recorder_create();
	}
	if (plan->caches)
		process->caches = cache_recorder_create_like(plan->caches);
	return process;
}

static void destroy(struct process_recorders *process)
{
	call_recorder_destroy(process->calls);
	path_recorder_destroy(process->paths);
	branch_recorder_destroy(process->branches);
	cache_recorder_destroy(process->caches);
	free(process);
}

/* Searches by process ID, because the engine moves the profile when the process ends. */
static struct process_recorders **find(struct recorder_set *set, const struct profile *profile)
{
	for (size_t i = 0; i < set->n_processes; i++)
		if (set->processes[i]->pid == profile->pid)
			return &set->processes[i];
	*ARRAY_ADD(set, processes) = create(&set->plan, profile->pid);
	return &set->processes[set->n_processes - 1];
}

static void on_batch(void *context, struct profile *profile, const struct stream_batch *batch)
{
	const struct process_recorders *process = *find(context, profile);

	if (process->calls)
		call_recorder_add_batch(process->calls, profile, batch);
	if (process->paths) {
		path_recorder_add_batch(process->paths, profile, batch);
		branch_recorder_add_batch(process->branches, profile, batch);
	}
	if (process->caches)
		cache_recorder_add_batch(process->caches, profile, batch);
}

static void on_syscall(void *context, struct profile *profile, const struct stream_syscall *call)
{
	call_recorder_add_syscall((*find(context, profile))->calls, profile, call);
}

static void on_allocation(void *context, struct profile *profile, const struct stream_allocation *event)
{
	call_recorder_add_allocation((*find(context, profile))->calls, event);
}

static void on_thread_end(void *context, struct profile *profile, uint32_t thread)
{
	const struct process_recorders *process = *find(context, profile);

	if (process->calls)
		call_recorder_end_thread(process->calls, thread);
	if (process->paths) {
		path_recorder_end_thread(process->paths, profile, thread);
		branch_recorder_end_thread(process->branches, thread);
	}
	if (process->caches)
		cache_recorder_end_thread(process->caches, thread);
}

void recorder_set_init(struct recorder_set *set, const struct recorder_plan *plan)
{
	*set = (struct recorder_set){
		.plan = *plan,
		.stream = {.wants_addresses = plan->paths,
			   .on_batch = on_batch,
			   .on_syscall = plan->calls ? on_syscall : NULL,
			   .on_allocation = plan->memory ? on_allocation : NULL,
			   .on_thread_end = on_thread_end,
			   .context = set},
	};
}

void recorder_set_deinit(struct recorder_set *set)
{
	for (size_t i = 0; i < set->n_processes; i++)
		destroy(set->processes[i]);
	free(set->processes);
	*set = (struct recorder_set){0};
}

const struct trace_stream *recorder_set_stream(const struct recorder_set *set)
{
	return set->plan.calls || set->plan.paths ? &set->stream : NULL;
}

void recorder_set_finish(struct recorder_set *set, struct profile *profile)
{
	struct process_recorders **place, *process;

	if (!recorder_set_stream(set))
		return;
	/* A process that executed nothing gets empty call trees. */
	place = find(set, profile);
	process = *place;
	if (process->calls)
		call_recorder_finish(process->calls, profile);
	if (process->paths)
		path_recorder_finish(process->paths, profile);
	*place = set->processes[--set->n_processes];
	destroy(process);
}
