#include "sampler/stops.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"

/* The sampler's state of a thread, in thread->task. */
struct sampled_thread {
	uint64_t asked_ns;		       /* time at which an interrupt was sent; 0: none */
	bool is_due[STOPS_SERIES_MAX];	       /* take a sample at the next stop */
	uint64_t counted_ns[STOPS_SERIES_MAX]; /* CPU time at the last counted sample */
};

static struct sampled_thread *sampled(struct thread *thread)
{
	if (!thread->task)
		thread->task = xcalloc(1, sizeof(struct sampled_thread));
	return thread->task;
}

void stops_init(struct stops *stops, struct target *target, struct sampling *sampling, struct memory_map *map,
		uint64_t begin_ns)
{
	assert(sampling->n_series <= STOPS_SERIES_MAX);
	*stops = (struct stops){.target = target, .sampling = sampling, .map = map, .begin_ns = begin_ns};
	for (size_t i = 0; i < sampling->n_series; i++)
		stops->due_ns[i] = begin_ns + sampling->series[i].period_ns;
}

uint64_t stops_tick(struct stops *stops, uint64_t now_ns)
{
	bool is_due[STOPS_SERIES_MAX] = {false}, any = false;
	uint64_t next_ns = UINT64_MAX;

	for (size_t i = 0; i < stops->sampling->n_series; i++) {
		uint64_t period_ns = stops->sampling->series[i].period_ns;

		if (stops->due_ns[i] <= now_ns) {
			is_due[i] = any = true;
			stops->due_ns[i] += ((now_ns - stops->due_ns[i]) / period_ns + 1) * period_ns;
		}
		if (stops->due_ns[i] < next_ns)
			next_ns = stops->due_ns[i];
	}
	for (size_t t = 0; any && t < stops->target->n_threads; t++) {
		struct thread *thread = stops->target->threads[t];
		struct sampled_thread *state = sampled(thread);

		/* A sleeping thread uses no CPU time, and an interrupt could end its system call early (signal(7),
		 * "Interruption of system calls ... by stop signals"). */
		if (thread->is_guest || thread->stopped || !thread_is_running(thread))
			continue;
		for (size_t i = 0; i < stops->sampling->n_series; i++)
			state->is_due[i] |= is_due[i];
		if (!state->asked_ns)
			thread_interrupt(thread);
		state->asked_ns = state->asked_ns ? state->asked_ns : now_ns;
	}
	return next_ns;
}

void stops_read_map(struct sampling *sampling, struct memory_map *map, const struct process *process)
{
	struct mapping_list list;
	struct error ignored = {0};

	if (!process_read_mappings(process, &list, &ignored))
		return;
	memory_map_clear(map);
	for (size_t i = 0; i < list.n_mappings; i++)
		if (list.mappings[i].executable)
			memory_map_add(map, &list.mappings[i], sampling);
	mapping_list_deinit(&list);
}

static void add_sample(struct stops *stops, struct sampling_series *series, const struct thread *thread,
		       const struct target_regs *regs, uint64_t now_ns)
{
	struct sample *sample = ARRAY_ADD(series, samples);

	sample->time_ns = now_ns - stops->begin_ns;
	sample->tid = thread->tid;
	sample->module = SAMPLING_NONE;
	/* A thread always stops on its way out of the kernel. orig_rax is negative unless it comes from a system
	 * call. */
	sample->in_kernel = (int64_t)regs->orig_rax >= 0;
	if (sample->in_kernel)
		return;
	sample->va = regs->rip;
	if (memory_map_locate(stops->map, sample))
		return;
	stops_read_map(stops->sampling, stops->map, thread->process);
	memory_map_locate(stops->map, sample);
}

uint64_t stops_on_stop(struct stops *stops, struct thread *thread, uint64_t now_ns)
{
	struct sampled_thread *state = sampled(thread);
	uint64_t used_ns = 0, asked_ns = state->asked_ns;
	struct target_regs regs;

	if (!asked_ns || thread->is_guest)
		return 0;
	state->asked_ns = 0;
	if (stops->is_over || !thread_get_regs(thread, &regs))
		return 0;
	thread_cpu_time(thread, &used_ns);
	for (size_t i = 0; i < stops->sampling->n_series; i++) {
		struct sampling_series *series = &stops->sampling->series[i];

		if (!state->is_due[i])
			continue;
		state->is_due[i] = false;
		/* The thread was ready to run, but waited for a processor. */
		if (used_ns && used_ns - state->counted_ns[i] < series->period_ns / 2)
			continue;
		state->counted_ns[i] = used_ns;
		add_sample(stops, series, thread, &regs, now_ns);
	}
	return asked_ns;
}

void stops_on_gone(struct thread *thread)
{
	free(thread->task);
	thread->task = NULL;
}
