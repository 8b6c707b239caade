#include "engine/backend.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "base/array.h"
#include "engine/step/stepped_syscall.h"
#include "engine/syscalls.h"
#include "engine/visits/batches.h"
#include "engine/visits/counting.h"
#include "engine/visits/task_visits.h"

/* One step is one PTRACE_SINGLESTEP, one wait and one PTRACE_GETREGS. The rest of this file handles the special cases
 * of single-stepping on x86 (Intel SDM vol. 3, 18.3.1.4, "Single-Step Exception Condition") and in Linux. */

enum { SYSCALL_BYTES = 2 }; /* of syscall, sysenter and int 0x80 */
enum { XBEGIN_BYTES = 6 };  /* opcode, ModRM and a 32-bit displacement, after any prefixes */

static uint64_t rep_count(const struct code_site *site, const struct target_regs *regs)
{
	switch (site->insn.rep_count_bits) {
	case 64:
		return regs->rcx;
	case 32:
		return regs->rcx & UINT32_MAX;
	default:
		return regs->rcx & UINT16_MAX;
	}
}

static bool begins_transaction(const struct insn *insn)
{
	return insn->flow == FLOW_BRANCH && insn->length >= XBEGIN_BYTES &&
	       insn->bytes[insn->length - XBEGIN_BYTES] == 0xc7 && insn->bytes[insn->length - XBEGIN_BYTES + 1] == 0xf8;
}

/* After MOV SS and after an emulated vsyscall one more instruction runs before the trap. In a transaction a trap
 * aborts the transaction and is not reported (Intel SDM vol. 1, "RTM-Enabled Debugger Support"). In these cases a
 * breakpoint on the next instruction ends the step. */
static void plan_step_breakpoint(struct task *task)
{
	struct process *process = task->thread->process;
	const struct code_site *site = &task->site;
	struct error ignored = {0};
	uint64_t va;

	task->step_breakpoint_va = 0;
	if (site->insn.delays_debug_trap)
		va = site->va + site->insn.length;
	else if (begins_transaction(&site->insn))
		va = site->va + site->insn.length + (uint64_t)site->insn.displacement;
	else if (!site->is_vsyscall || process_read(process, task->before.rsp, &va, sizeof(va)) != sizeof(va))
		return;
	task->owns_step_breakpoint = !process_find_breakpoint(process, va);
	if (process_add_breakpoint(process, va, &ignored))
		task->step_breakpoint_va = va;
}

/* Removes the breakpoint. If the step ended after its INT3, moves *after back to the INT3's address. */
static void remove_step_breakpoint(struct task *task, struct target_regs *after)
{
	if (!task->step_breakpoint_va)
		return;
	if (after->rip == task->step_breakpoint_va + 1 && thread_signal_code(task->thread) == TRAP_CODE_KERNEL) {
		after->rip = task->step_breakpoint_va;
		thread_set_regs(task->thread, after);
	}
	if (task->owns_step_breakpoint)
		process_remove_breakpoint(task->thread->process, task->step_breakpoint_va);
	task->step_breakpoint_va = 0;
}

/* Returns true if the step makes a system call that may block SIGTRAP, or if the kernel restarts one, as it does
 * after a signal without a handler. */
static bool step_may_block_sigtrap(const struct task *task, int signal)
{
	if (task->may_restart)
		return stepped_syscall_may_block_sigtrap(task->before.orig_rax) &&
		       !(signal && thread_handles(task->thread, signal));
	return !signal && stepped_syscall_is(&task->site) && !stepped_syscall_is_int80(&task->site) &&
	       stepped_syscall_may_block_sigtrap(task->before.rax);
}

/* Linux resets the program's handler of SIGTRAP if a step ends while SIGTRAP is blocked. So a call that blocks it
 * runs to its end without stepping. */
static void resume(struct engine *engine, struct task *task, int signal, uint64_t rip)
{
	bool blocks_sigtrap = engine->handles_sigtrap && !task->program_tf && step_may_block_sigtrap(task, signal);
	bool postpones = task->thread->postpones_signals && !signal && stepped_syscall_is(&task->site);

	thread_resume(engine->target, task->thread, blocks_sigtrap || postpones ? RESUME_SYSCALL : RESUME_STEP, signal,
		      rip);
}

/* The thread stops again at once, after the stops of the other threads, and before it executes anything. */
static void wait_for_others(struct engine *engine, struct task *task)
{
	task->backend = NULL;
	task->must_step = true;
	thread_interrupt(task->thread);
	thread_resume(engine->target, task->thread, RESUME_RUN, 0, 0);
}

static bool enter(struct backend *backend, struct task *task, const struct target_regs *regs, int signal)
{
	struct engine *engine = backend->engine;

	task->site = *code_at(&engine->code, regs->rip);
	task->before = *regs;
	task->backend = backend;
	task->must_step = false;
	task->n_stepped++;
	task->n_handler_steps++;
	task->is_injecting = signal != 0;
	task->may_restart = syscalls_is_interrupted(regs);
	if (!stepped_syscall_sees_affinity(task))
		task_pin_for_steps(engine, task);
	else
		task_unpin(engine, task);
	if (!signal && stepped_syscall_is(&task->site) && !stepped_syscall_prepare(engine, task)) {
		wait_for_others(engine, task);
		return true;
	}
	plan_step_breakpoint(task);
	if (signal)
		stepped_syscall_note_signal(task, signal);
	/* SIGTRAP may be blocked by a system call, the entry of a handler, or code that ran before the region. */
	if (engine->handles_sigtrap)
		thread_unblock_sigtrap(task->thread);
	resume(engine, task, signal, regs->rip);
	return true;
}

/* SYSCALL copies RFLAGS to R11, with the TF that single-stepping set. */
static void hide_tf_in_r11(struct task *task, struct target_regs *after)
{
	if (task->site.insn.flow != FLOW_SYSCALL || !(after->r11 & EFLAGS_TF) || task->program_tf)
		return;
	after->r11 &= ~(uint64_t)EFLAGS_TF;
	thread_set_regs(task->thread, after);
}

/* Linux clears TF in the flags to which a handler returns, because it takes the program's TF for that of the step. */
static void restore_program_tf(struct task *task, struct target_regs *after)
{
	/* arch/x86/include/uapi/asm/sigcontext.h: uc_flags, uc_link, uc_stack, 17 registers, then eflags. */
	enum { EFLAGS_OFFSET = 8 + 8 + 24 + 17 * 8 };
	uint64_t eflags;

	if (process_read(task->thread->process, task->before.rsp + EFLAGS_OFFSET, &eflags, sizeof(eflags)) !=
	    sizeof(eflags))
		return;
	task->program_tf = eflags & EFLAGS_TF;
	if (!task->program_tf)
		return;
	after->eflags |= EFLAGS_TF;
	thread_set_regs(task->thread, after);
}

/* PUSHF pushes the TF that single-stepping set. */
static void hide_tf_on_stack(struct task *task, const struct target_regs *after)
{
	uint8_t second;

	if (task->program_tf || process_read(task->thread->process, after->rsp + 1, &second, 1) != 1)
		return;
	second &= (uint8_t) ~(EFLAGS_TF >> 8);
	process_write(task->thread->process, after->rsp + 1, &second, 1);
}

/* Counts the instruction of a completed step. A REP string instruction stops after each iteration and retires with
 * the last. */
static void count_retired(struct engine *engine, struct task *task, const struct target_regs *after)
{
	const struct code_site *site = &task->site;

	if (site->insn.rep_count_bits) {
		uint64_t iterations = rep_count(site, &task->before) - rep_count(site, after);

		task_count(engine, task, site->index, after->rip != site->va, iterations);
		return;
	}
	if (stepped_syscall_is(site)) {
		stepped_syscall_count(engine, task, after);
		/* A sigreturn still counts into the handler that it leaves. */
		task_count(engine, task, site->index, 1, 0);
		batches_add_syscall(engine, task, stepped_syscall_number(task), stepped_syscall_is_int80(site),
				    after->rax);
		if (stepped_syscall_is_sigreturn(task))
			task_leave_handler(engine, task);
		return;
	}
	task_count(engine, task, site->index, 1, 0);
}

static void finish_retired(struct engine *engine, struct task *task, struct target_regs *after)
{
	if (task->site.insn.flow == FLOW_SYSCALL)
		BACKENDS_CALL(engine, filter_syscall, task, after);
	count_retired(engine, task, after);
	if (stepped_syscall_is(&task->site)) {
		if (stepped_syscall_is_sigreturn(task))
			restore_program_tf(task, after);
		else
			hide_tf_in_r11(task, after);
	} else if (task->site.insn.pushes_flags) {
		hide_tf_on_stack(task, after);
	} else if (task->site.insn.pops_flags && thread_settle_flags(engine->target, task->thread) &&
		   thread_get_regs(task->thread, after)) {
		task->program_tf = after->eflags & EFLAGS_TF;
	}
	if (task->before.rip == task->triggered_va)
		task->triggered_va = 0;
	task_check_stack(engine, task, after);
}

/* The kernel restarted a system call: the step executed the SYSCALL that ends at `before`. */
static void rewind_to_syscall(struct engine *engine, struct task *task)
{
	task->before.rip -= SYSCALL_BYTES;
	task->before.rax = task->before.orig_rax;
	task->site = *code_at(&engine->code, task->before.rip);
}

/* The kernel restarted a system call, but a breakpoint is on its SYSCALL: moves back to the SYSCALL's address. */
static bool take_back_restart(const struct task *task, struct target_regs *after)
{
	uint64_t va = task->before.rip - SYSCALL_BYTES;

	if (!task->may_restart || after->rip != va + 1 || !process_find_breakpoint(task->thread->process, va) ||
	    thread_signal_code(task->thread) != TRAP_CODE_KERNEL)
		return false;
	after->rip = va;
	thread_set_regs(task->thread, after);
	return true;
}

/* Returns true if a process sent the SIGTRAP, in addition to the step's own or in place of it: Linux drops the step's
 * SIGTRAP while another one is pending. The check costs a system call, so it is made only if a process may
 * have sent a SIGTRAP. */
static bool was_sent(const struct engine *engine, const struct task *task, const struct target_regs *after)
{
	bool moved = after->rip != task->before.rip ||
		     (task->site.insn.rep_count_bits && after->rcx != task->before.rcx);

	if (moved && !stepped_syscall_is(&task->site) && !engine->handles_sigtrap)
		return false;
	return thread_signal_code(task->thread) <= SI_USER;
}

static enum backend_outcome on_trap(struct backend *backend, struct task *task, struct target_regs *after, int *signal)
{
	bool was_int3 = task->site.insn.flow == FLOW_INTERRUPT && !stepped_syscall_is_int80(&task->site);
	bool had_tf = task->program_tf, is_sent;
	struct engine *engine = backend->engine;

	if (!thread_get_regs(task->thread, after))
		return BACKEND_DEAD;
	task->backend = NULL;
	remove_step_breakpoint(task, after);
	if (stepped_syscall_is_sigreturn(task))
		stepped_syscall_end_sigreturn(task, after, true);
	if (task->is_injecting && thread_signal_code(task->thread) == TRAP_CODE_HANDLER_ENTRY) {
		task_enter_handler(engine, task, task->before.rsp, after->rsp);
		task->program_tf = false;
		return BACKEND_OUT;
	}
	if (take_back_restart(task, after))
		return BACKEND_OUT;
	is_sent = was_sent(engine, task, after);
	/* A trap by the program's own TF, INT3 or INT1 belongs to the program. */
	*signal = had_tf || was_int3 || is_sent ? SIGTRAP : 0;
	if (is_sent && after->rip == task->before.rip)
		return BACKEND_OUT;
	if (task->may_restart && after->rip == task->before.rip)
		rewind_to_syscall(engine, task);
	finish_retired(engine, task, after);
	return BACKEND_OUT;
}

/* The step stopped for a reason other than its trap: counts the part that was executed. */
static void abandon(struct engine *engine, struct task *task, const struct target_regs *after)
{
	struct target_regs moved = *after;

	task->backend = NULL;
	remove_step_breakpoint(task, &moved);
	if (stepped_syscall_is_sigreturn(task))
		stepped_syscall_end_sigreturn(task, after, false);
	if (after->rip != task->before.rip) {
		count_retired(engine, task, after);
		task_check_stack(engine, task, after);
	} else if (task->site.insn.rep_count_bits) {
		task_count(engine, task, task->site.index, 0,
			   rep_count(&task->site, &task->before) - rep_count(&task->site, after));
	}
}

static enum backend_outcome on_signal(struct backend *backend, struct task *task, struct target_regs *after,
				      int *signal)
{
	(void)signal;
	if (!thread_get_regs(task->thread, after))
		return BACKEND_DEAD;
	abandon(backend->engine, task, after);
	return BACKEND_OUT;
}

static enum backend_outcome on_interrupt(struct backend *backend, struct task *task, struct target_regs *regs,
					 int *signal)
{
	struct engine *engine = backend->engine;

	if (engine->run->is_leaving)
		return on_signal(backend, task, regs, signal);
	if (!thread_get_regs(task->thread, regs))
		return BACKEND_DEAD;
	resume(engine, task, 0, regs->rip);
	return BACKEND_RUNS;
}

/* exit and exit_group never return but were executed. */
static void on_exiting(struct backend *backend, struct task *task)
{
	bool exits;

	if (!stepped_syscall_is(&task->site))
		return;
	/* exit and exit_group: 60 and 231; by int 0x80 1 and 252 (asm/unistd_64.h, asm/unistd_32.h) */
	exits = stepped_syscall_is_int80(&task->site)
			? (uint32_t)task->before.rax == 1 || (uint32_t)task->before.rax == 252
			: task->before.rax == SYS_exit || task->before.rax == SYS_exit_group;
	if (exits)
		count_retired(backend->engine, task, &task->before);
}

static void invalidate(struct backend *backend)
{
	code_invalidate(&backend->engine->code);
}

static void after_syscall(struct backend *backend, struct task *task, const struct target_regs *after)
{
	struct code *code = &backend->engine->code;
	const struct target_regs *before = &task->before;
	bool is_syscall = task->site.insn.flow == FLOW_SYSCALL;

	if (!stepped_syscall_is_int80(&task->site) && !code_may_change(code, before, after) &&
	    !syscalls_write_memory_file(task->thread, before))
		return;
	if (is_syscall && (before->rax == SYS_mprotect || before->rax == SYS_munmap))
		code_invalidate_range(code, before->rdi, before->rdi + before->rsi);
	else if (is_syscall && before->rax == SYS_mmap)
		code_invalidate_range(code, after->rax, after->rax + before->rsi);
	else
		invalidate(backend);
}

static void forget_process(struct backend *backend)
{
	code_forget(&backend->engine->code);
}

static void destroy(struct backend *backend)
{
	free(backend);
}

struct backend *step_create(struct engine *engine)
{
	static const struct backend_ops ops = {
		.name = "step",
		.destroy = destroy,
		.enter = enter,
		.on_trap = on_trap,
		.on_signal = on_signal,
		.on_interrupt = on_interrupt,
		.on_exiting = on_exiting,
		.invalidate = invalidate,
		.after_syscall = after_syscall,
		.forget_process = forget_process,
	};
	struct backend *backend = xcalloc(1, sizeof(*backend));

	*backend = (struct backend){.ops = &ops, .engine = engine};
	return backend;
}
