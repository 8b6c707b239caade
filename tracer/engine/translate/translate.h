/* The translate engine: the program runs copies of its own code in which each block counts itself, at nearly its own speed.
 *
 * It works for tasks that are in a region; the step engine does the rest, and what cannot be translated. README.md tells how.
 */
#ifndef ITRACE_ENGINE_TRANSLATE_TRANSLATE_H
#define ITRACE_ENGINE_TRANSLATE_TRANSLATE_H

#include "engine/task.h"

struct translator *translator_create(struct engine *engine);
void translator_destroy(struct translator *translator);

/* Memory is mapped into the program: what costs time once is done. */
bool translate_is_set_up(const struct translator *translator);

/* Lets a task that stands at regs->rip, about to receive no signal, go on in translated code. False: it must be stepped. */
bool translate_begin(struct translator *translator, struct task *task, const struct target_regs *regs);

enum translate_outcome {
	TRANSLATE_GOES_ON, /* in translated code; it has been resumed */
	TRANSLATE_LEFT,	   /* it stands at regs->rip in its own code */
	TRANSLATE_SIGNAL,  /* the same, and *signal is to be delivered */
	TRANSLATE_DEAD,	   /* the thread died meanwhile */
};

/* A task in translated code stopped with a SIGTRAP, or is about to receive a signal, or none (*signal is 0) but is to come out. */
enum translate_outcome translate_on_trap(struct translator *translator, struct task *task, struct target_regs *regs,
					 int *signal);
enum translate_outcome translate_on_signal(struct translator *translator, struct task *task, struct target_regs *regs,
					   int *signal);

/* Whether it is time that the task comes out of translated code once, for better code to be made. */
bool translate_wants_out(struct translator *translator, const struct task *task);

/* All threads are to come out of translated code. */
bool translate_calls_out(const struct translator *translator);

/* The task dies in translated code. */
void translate_exiting(struct translator *translator, struct task *task);

/* The task is no more: its part of the memory can serve another thread. */
void translate_gone(struct translator *translator, struct task *task);

/* Adds what was counted since the last time to the regions that the task counts into. To be called before those change, and at the
 * end. */
void translate_harvest(struct translator *translator, struct task *task);

/* Code in this range may be other code from now on; is_protected_anew: a system call gave it another protection, or other memory. */
void translate_invalidate(struct translator *translator, uint64_t start_va, uint64_t end_va, bool is_protected_anew);

/* The task is about to make the system call at task->before by a step. */
void translate_before_syscall(struct translator *translator, struct task *task);

/* ... and has made it. */
void translate_after_syscall(struct translator *translator, const struct task *task);

/* ... and has made it, but nobody has seen the result: what it read of its own memory map is put right. */
void translate_after_read(struct translator *translator, struct task *task, struct target_regs *after);

/* The program has opened a file that tells its memory map. */
void translate_watch_map_file(struct translator *translator);

/* A thread of the process, wherever it is, is about to receive SIGSEGV. True: that is our doing, and it shall go on as if nothing had
 * happened; by a step if it is in translated code. */
bool translate_on_fault(struct translator *translator, struct task *task);

/* Any code may be other code from now on, but probably is not: it is compared before it is used again. */
void translate_doubt(struct translator *translator);

/* The program can write to its code through a file: from now on all its writes are stepped. */
void translate_no_writes(struct translator *translator);

/* Unmaps from the program what was mapped into it. No thread is in translated code; this one is stopped and about to receive no
 * signal. What cannot be unmapped stays. */
void translate_unmap(struct translator *translator, struct task *task);

/* The process executes another program. */
void translate_forget(struct translator *translator);

#endif
