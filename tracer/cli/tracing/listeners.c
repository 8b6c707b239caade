#include "cli/tracing/listeners.h"

#include <stdlib.h>

#include "base/array.h"
#include "cli/tracing/caches.h"
#include "commands/symbolize.h"
#include "recorders/branches.h"
#include "recorders/calls.h"
#include "recorders/paths.h"

struct listener {
	int32_t pid;
	struct call_recorder *calls; /* or NULL */
	struct path_recorder *paths; /* or NULL, as the next */
	struct branch_recorder *branches;
	struct cache_recorder *caches; /* or NULL */
};

static void on_call(void *context, struct profile *profile, uint32_t insn)
{
	const struct listeners *listeners = context;

	symbolize_insn(profile, listeners->source, insn);
}

static struct listener *create(struct listeners *listeners, int32_t pid)
{
	const struct options *options = listeners->options;
	struct listener *listener = xcalloc(1, sizeof(*listener));

	listener->pid = pid;
	if (options->calls)
		listener->calls = call_recorder_create(on_call, options->memory, listeners);
	if (options->pipeline) {
		listener->paths = path_recorder_create();
		listener->branches = branch_recorder_create();
	}
	if (listeners->caches)
		listener->caches = cache_recorder_create_like(listeners->caches);
	return listener;
}

static void destroy(struct listener *listener)
{
	call_recorder_destroy(listener->calls);
	path_recorder_destroy(listener->paths);
	branch_recorder_destroy(listener->branches);
	cache_recorder_destroy(listener->caches);
	free(listener);
}

/* Of the process of a profile, by its ID: the profile itself moves at its end. */
static struct listener **find(struct listeners *listeners, const struct profile *profile)
{
	for (size_t i = 0; i < listeners->n_processes; i++)
		if (listeners->processes[i]->pid == profile->pid)
			return &listeners->processes[i];
	*ARRAY_ADD(listeners, processes) = create(listeners, profile->pid);
	return &listeners->processes[listeners->n_processes - 1];
}

static void on_batch(void *context, struct profile *profile, const struct stream_batch *batch)
{
	const struct listener *listener = *find(context, profile);

	if (listener->calls)
		call_recorder_add(listener->calls, profile, batch);
	if (listener->paths) {
		path_recorder_add(listener->paths, profile, batch);
		branch_recorder_add(listener->branches, profile, batch);
	}
	if (listener->caches)
		cache_recorder_add(listener->caches, profile, batch);
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
	const struct listener *listener = *find(context, profile);

	if (listener->calls)
		call_recorder_end_thread(listener->calls, thread);
	if (listener->paths) {
		path_recorder_end_thread(listener->paths, profile, thread);
		branch_recorder_end_thread(listener->branches, thread);
	}
	if (listener->caches)
		cache_recorder_end_thread(listener->caches, thread);
}

bool listeners_init(struct listeners *listeners, const struct options *options, struct source *source,
		    struct error *err)
{
	struct cache_recorder *caches = NULL;

	if (options->caches && !(caches = caches_create(options, err)))
		return false;
	*listeners = (struct listeners){
		.options = options,
		.source = source,
		.caches = caches,
		.stream = {.wants_addresses = options->pipeline,
			   .on_batch = on_batch,
			   .on_syscall = options->calls ? on_syscall : NULL,
			   .on_allocation = options->memory ? on_allocation : NULL,
			   .on_thread_end = on_thread_end,
			   .context = listeners},
	};
	return true;
}

void listeners_deinit(struct listeners *listeners)
{
	for (size_t i = 0; i < listeners->n_processes; i++)
		destroy(listeners->processes[i]);
	free(listeners->processes);
	cache_recorder_destroy(listeners->caches);
	*listeners = (struct listeners){0};
}

const struct trace_stream *listeners_stream(const struct listeners *listeners)
{
	return listeners->options->calls || listeners->options->pipeline ? &listeners->stream : NULL;
}

void listeners_finish(struct listeners *listeners, struct profile *profile)
{
	struct listener **place, *listener;

	if (!listeners_stream(listeners))
		return;
	/* One that executed nothing has empty trees. */
	place = find(listeners, profile);
	listener = *place;
	if (listener->calls)
		call_recorder_finish(listener->calls, profile);
	if (listener->paths)
		path_recorder_finish(listener->paths, profile);
	*place = listeners->processes[--listeners->n_processes];
	destroy(listener);
}
