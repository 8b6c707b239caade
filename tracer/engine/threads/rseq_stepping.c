#include "engine/threads/rseq.h"

#include <linux/rseq.h>
#include <stddef.h>

#include "engine/run.h"

static void leave(struct engine *engine, struct task *task)
{
	if (!task->section_abort_va)
		return;
	task->section_abort_va = 0;
	thread_release_others(engine->target, task->thread);
}

void rseq_stepping_abort(struct engine *engine, struct task *task, struct target_regs *regs)
{
	if (!task->section_abort_va)
		return;
	regs->rip = task->section_abort_va;
	thread_set_regs(task->thread, regs);
	leave(engine, task);
}

void rseq_stepping_enter(struct engine *engine, struct task *task, const struct target_regs *regs)
{
	const struct rseq_section *section = rseq_sections_find(&engine->sections, regs->rip);
	struct process *process = task->thread->process;
	const uint64_t none = 0;
	uint64_t rseq_va, active_va = 0;

	if (!section) {
		leave(engine, task);
		return;
	}
	if (task->section_abort_va || !thread_find_rseq(task->thread, &rseq_va))
		return;
	rseq_va += offsetof(struct rseq, rseq_cs);
	process_read(process, rseq_va, &active_va, sizeof(active_va));
	/* The kernel clears rseq_cs when it finds the thread outside the section. So rseq_cs may be 0 at a section's
	 * start. */
	if ((active_va != section->descriptor_va && regs->rip != section->start_va) ||
	    !thread_hold_others(engine->target, task->thread))
		return;
	process_write(process, rseq_va, &none, sizeof(none));
	task->section_abort_va = section->abort_va;
}
