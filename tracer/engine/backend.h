/* A backend executes the instructions of threads that are in a region, and counts them.
 *
 * Each process has a step backend, and a translate backend if the plan allows it. The dispatch loop offers a stopped
 * thread to a backend by enter(). If the backend accepts the thread, task->backend is that backend and gets all stops
 * of the thread, until it reports BACKEND_OUT or BACKEND_DEAD.
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
	/* The thread is at regs->rip in the program, with the program's registers. *signal is to be delivered; 0:
	 * none. */
	BACKEND_OUT,
	BACKEND_DEAD, /* the thread died meanwhile */
};

/* All backends have the functions up to on_exiting(). The functions after on_exiting() may be NULL. */
struct backend_ops {
	const char *name; /* as in profile->engine */
	void (*destroy)(struct backend *backend);

	/* Delivers `signal` (0: none), then executes the instruction at regs->rip and possibly more. Returns false if
	 * another backend must execute the instruction, or deliver the signal. */
	bool (*enter)(struct backend *backend, struct task *task, const struct target_regs *regs, int signal);

	/* Handle a stop of the thread: on_trap() a SIGTRAP, on_signal() the arrival of *signal, on_interrupt() an
	 * interruption by itrace. *signal is 0 except for on_signal(). If they return BACKEND_OUT, they set *regs and
	 * *signal. */
	enum backend_outcome (*on_trap)(struct backend *backend, struct task *task, struct target_regs *regs,
					int *signal);
	enum backend_outcome (*on_signal)(struct backend *backend, struct task *task, struct target_regs *regs,
					  int *signal);
	enum backend_outcome (*on_interrupt)(struct backend *backend, struct task *task, struct target_regs *regs,
					     int *signal);

	/* The thread is about to die. The instruction that ends it was executed. */
	void (*on_exiting)(struct backend *backend, struct task *task);

	/* The functions below are called for every thread, in this backend or not. */

	/* Returns true if the backend is set up already, so that entering it is fast. */
	bool (*is_set_up)(const struct backend *backend);

	/* Called at each tick of the clock. Returns true if the task must be interrupted, for on_interrupt(). */
	bool (*on_tick)(struct backend *backend, const struct task *task);

	/* Called when the thread is about to receive SIGSEGV. Returns true if the backend caused the fault and
	 * removed the cause. The program must then not see the signal. */
	bool (*on_fault)(struct backend *backend, struct task *task);

	/* The thread is gone, or executes no further instruction. */
	void (*on_gone)(struct backend *backend, struct task *task);

	/* Adds pending counts to the regions that count the task. Called before those regions change. */
	void (*collect_counts)(struct backend *backend, struct task *task);

	/* Any code may have changed. */
	void (*invalidate)(struct backend *backend);

	/* Called before and after the step over the system call at task->before. `after` has the registers after the
	 * call. If before_syscall() returns false, the call waits for other threads, and before_syscall() is called
	 * again. filter_syscall() runs before the program sees the result, and may change the result. */
	bool (*before_syscall)(struct backend *backend, struct task *task);
	void (*filter_syscall)(struct backend *backend, struct task *task, struct target_regs *after);
	void (*after_syscall)(struct backend *backend, struct task *task, const struct target_regs *after);

	/* The process has executed another program. */
	void (*forget_process)(struct backend *backend);

	/* Removes all memory and changes of the backend from the process. All threads are out of the backend. The
	 * task's thread is stopped and about to receive no signal. */
	void (*release_process)(struct backend *backend, struct task *task);
};

/* The first member of each backend's own struct. */
struct backend {
	const struct backend_ops *ops;
	struct engine *engine;
};

/* The step backend executes one instruction at a time by PTRACE_SINGLESTEP. It is slow and can execute every
 * instruction. It is the reference for other backends. The translate backend runs copies of the program's code in
 * which each block counts itself, at nearly native speed (translate/README.md). */
struct backend *step_create(struct engine *engine);
struct backend *translate_create(struct engine *engine);

/* Calls a function of backend_ops in each backend of an engine where it is not NULL. The arguments after `function`
 * follow the backend. */
#define BACKENDS_CALL(of_engine, function, ...)                                                                     \
	do {                                                                                                        \
		for (size_t i_ = 0; i_ < (of_engine)->n_backends; i_++)                                             \
			if ((of_engine)->backends[i_]->ops->function)                                               \
				(of_engine)->backends[i_]->ops->function((of_engine)->backends[i_], ##__VA_ARGS__); \
	} while (0)

static inline bool backends_before_syscall(struct engine *engine, struct task *task)
{
	for (size_t i = 0; i < engine->n_backends; i++)
		if (engine->backends[i]->ops->before_syscall &&
		    !engine->backends[i]->ops->before_syscall(engine->backends[i], task))
			return false;
	return true;
}

static inline bool backends_on_fault(struct engine *engine, struct task *task)
{
	for (size_t i = 0; i < engine->n_backends; i++)
		if (engine->backends[i]->ops->on_fault && engine->backends[i]->ops->on_fault(engine->backends[i], task))
			return true;
	return false;
}

#endif
