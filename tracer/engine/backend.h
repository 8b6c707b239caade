/* A backend executes the instructions of threads that are in a region, and counts them. step/ executes one
 * instruction at a time; translate/ runs copies of the code that count themselves.
 *
 * Each process has one of each kind that the plan asks for. The dispatch loop lets a backend enter() with a thread
 * that stands at an instruction; task->backend is that backend until the thread is out again, and it gets all stops
 * of the thread meanwhile.
 */
#ifndef ITRACE_ENGINE_BACKEND_H
#define ITRACE_ENGINE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/run.h"

struct target_regs;
struct task;

enum backend_outcome {
	BACKEND_RUNS, /* the backend has resumed the thread */
	/* the thread stands at regs->rip in the program, all registers its own; *signal is to be delivered (0: none) */
	BACKEND_OUT,
	BACKEND_DEAD, /* the thread died meanwhile */
};

/* Functions that may be NULL say so: there is nothing to do then. */
struct backend_ops {
	const char *name; /* as in profile->engine */
	void (*destroy)(struct backend *backend);

	/* Executes the instruction at regs->rip, and more, after delivering `signal` unless that is 0. False: this
	 * instruction, or the signal, is left to another backend. */
	bool (*enter)(struct backend *backend, struct task *task, const struct target_regs *regs, int signal);

	/* The thread stopped: with a SIGTRAP; about to receive *signal; or for no reason of its own. *signal is 0
	 * but for on_signal. *regs and *signal are set for BACKEND_OUT. */
	enum backend_outcome (*on_trap)(struct backend *backend, struct task *task, struct target_regs *regs,
					int *signal);
	enum backend_outcome (*on_signal)(struct backend *backend, struct task *task, struct target_regs *regs,
					  int *signal);
	enum backend_outcome (*on_interrupt)(struct backend *backend, struct task *task, struct target_regs *regs,
					     int *signal);

	/* The thread dies: the instruction that ends it was executed. */
	void (*on_exiting)(struct backend *backend, struct task *task);

	/* The following concern all threads, whatever backend they are in. */

	/* Entering costs little now. May be NULL. */
	bool (*is_set_up)(const struct backend *backend);

	/* A tick of the clock: true when the task is to be interrupted for on_interrupt(). May be NULL. */
	bool (*on_tick)(struct backend *backend, const struct task *task);

	/* The thread is about to receive SIGSEGV. True: the backend caused the fault and removed the cause; the
	 * program must not see it. May be NULL. */
	bool (*on_fault)(struct backend *backend, struct task *task);

	/* The thread is gone. May be NULL. */
	void (*on_gone)(struct backend *backend, struct task *task);

	/* Adds what was counted but not yet added to the regions that the task counts into; called before those
	 * change. May be NULL. */
	void (*collect_counts)(struct backend *backend, struct task *task);

	/* Any code may have changed. */
	void (*invalidate)(struct backend *backend);

	/* A thread is about to be stepped over the system call at task->before, or was, with these registers
	 * afterwards. filter_syscall() comes before the program sees the result, and may change it. May be NULL. */
	void (*before_syscall)(struct backend *backend, struct task *task);
	void (*filter_syscall)(struct backend *backend, struct task *task, struct target_regs *after);
	void (*after_syscall)(struct backend *backend, struct task *task, const struct target_regs *after);

	/* The process executes another program. */
	void (*forget_process)(struct backend *backend);

	/* Removes from the process what the backend mapped or changed. All threads are out; this one is stopped and
	 * about to receive no signal. May be NULL. */
	void (*release_process)(struct backend *backend, struct task *task);
};

/* The first member of each backend's own struct. */
struct backend {
	const struct backend_ops *ops;
};

/* These call all backends of a process. */

static inline void backends_collect_counts(struct engine *engine, struct task *task)
{
	for (size_t i = 0; i < engine->n_backends; i++)
		if (engine->backends[i]->ops->collect_counts)
			engine->backends[i]->ops->collect_counts(engine->backends[i], task);
}

static inline void backends_invalidate(struct engine *engine)
{
	for (size_t i = 0; i < engine->n_backends; i++)
		engine->backends[i]->ops->invalidate(engine->backends[i]);
}

static inline void backends_before_syscall(struct engine *engine, struct task *task)
{
	for (size_t i = 0; i < engine->n_backends; i++)
		if (engine->backends[i]->ops->before_syscall)
			engine->backends[i]->ops->before_syscall(engine->backends[i], task);
}

static inline void backends_filter_syscall(struct engine *engine, struct task *task, struct target_regs *after)
{
	for (size_t i = 0; i < engine->n_backends; i++)
		if (engine->backends[i]->ops->filter_syscall)
			engine->backends[i]->ops->filter_syscall(engine->backends[i], task, after);
}

static inline void backends_after_syscall(struct engine *engine, struct task *task, const struct target_regs *after)
{
	for (size_t i = 0; i < engine->n_backends; i++)
		if (engine->backends[i]->ops->after_syscall)
			engine->backends[i]->ops->after_syscall(engine->backends[i], task, after);
}

static inline bool backends_on_fault(struct engine *engine, struct task *task)
{
	for (size_t i = 0; i < engine->n_backends; i++)
		if (engine->backends[i]->ops->on_fault && engine->backends[i]->ops->on_fault(engine->backends[i], task))
			return true;
	return false;
}

static inline void backends_on_gone(struct engine *engine, struct task *task)
{
	for (size_t i = 0; i < engine->n_backends; i++)
		if (engine->backends[i]->ops->on_gone)
			engine->backends[i]->ops->on_gone(engine->backends[i], task);
}

static inline void backends_forget_process(struct engine *engine)
{
	for (size_t i = 0; i < engine->n_backends; i++)
		engine->backends[i]->ops->forget_process(engine->backends[i]);
}

static inline void backends_release_process(struct engine *engine, struct task *task)
{
	for (size_t i = 0; i < engine->n_backends; i++)
		if (engine->backends[i]->ops->release_process)
			engine->backends[i]->ops->release_process(engine->backends[i], task);
}

#endif
