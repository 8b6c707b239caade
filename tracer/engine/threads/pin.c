#include <sched.h>
#include <sys/syscall.h>

#include "engine/run.h"

/* A processor that both the thread and itrace may use: itrace's current one, if it can be. */
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

void task_pin(struct engine *engine, struct task *task)
{
	cpu_set_t one;

	if (task->is_pinned || !thread_get_affinity(task->thread, &task->own_cpus))
		return;
	if (!engine->run->n_pinned && sched_getaffinity(0, sizeof(engine->run->own_cpus), &engine->run->own_cpus) < 0)
		return;
	task->is_pinned = true;
	engine->run->n_pinned++;
	CPU_ZERO(&one);
	CPU_SET(choose_cpu(&task->own_cpus), &one);
	if (engine->run->n_pinned == 1)
		sched_setaffinity(0, sizeof(one), &one);
	thread_set_affinity(task->thread, &one);
}

void task_unpin(struct engine *engine, struct task *task)
{
	if (!task->is_pinned)
		return;
	task->is_pinned = false;
	engine->run->n_pinned--;
	thread_set_affinity(task->thread, &task->own_cpus);
	if (!engine->run->n_pinned)
		sched_setaffinity(0, sizeof(engine->run->own_cpus), &engine->run->own_cpus);
}

bool syscall_sees_affinity(const struct task *task)
{
	if (task->site.insn.flow == FLOW_INTERRUPT)
		return task->site.insn.interrupt == 0x80;
	if (task->site.insn.flow != FLOW_SYSCALL)
		return false;
	switch (task->before.rax) {
	case SYS_sched_setaffinity:
	case SYS_sched_getaffinity:
	case SYS_clone:
	case SYS_clone3:
	case SYS_fork:
	case SYS_vfork:
	case SYS_execve:
	case SYS_execveat:
		return true;
	default:
		return false;
	}
}
