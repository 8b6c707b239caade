#include "engine/task.h"

#include <sched.h>

#include "engine/run.h"

/* Four changes of affinity, by which threads may move to another processor, cost as much as some 30 steps gain. */
enum { STEPS_BEFORE_PIN = 32 };

/* Returns itrace's current processor if the thread may use it, else the first that the thread may use. */
static int choose_cpu(const cpu_set_t *allowed)
{
	int current = sched_getcpu();

	if (current >= 0 && CPU_ISSET(current, allowed))
		return current;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, allowed))
			return cpu;
	return 0;
}

void task_pin_for_steps(struct engine *engine, struct task *task)
{
	cpu_set_t one;

	/* Threads that another backend runs need all processors. */
	if (task->is_pinned || ++task->n_steps_in_row < STEPS_BEFORE_PIN ||
	    (engine->n_backends > 1 && engine->process->n_threads > 1) ||
	    !thread_get_affinity(task->thread, &task->saved_cpus))
		return;
	if (!engine->run->n_pinned &&
	    sched_getaffinity(0, sizeof(engine->run->saved_cpus), &engine->run->saved_cpus) < 0)
		return;
	task->is_pinned = true;
	engine->run->n_pinned++;
	CPU_ZERO(&one);
	CPU_SET(choose_cpu(&task->saved_cpus), &one);
	if (engine->run->n_pinned == 1)
		sched_setaffinity(0, sizeof(one), &one);
	thread_set_affinity(task->thread, &one);
}

void task_unpin(struct engine *engine, struct task *task)
{
	task->n_steps_in_row = 0;
	if (!task->is_pinned)
		return;
	task->is_pinned = false;
	engine->run->n_pinned--;
	thread_set_affinity(task->thread, &task->saved_cpus);
	if (!engine->run->n_pinned)
		sched_setaffinity(0, sizeof(engine->run->saved_cpus), &engine->run->saved_cpus);
}
