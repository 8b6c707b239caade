/* The step engine: one PTRACE_SINGLESTEP, one wait and one PTRACE_GETREGS for each instruction, and the special cases of
 * single-stepping on x86 (Intel SDM vol. 3, 18.3.1.4, "Single-Step Exception Condition") and in Linux. */
#include <signal.h>
#include <sys/syscall.h>

#include "engine/step/syscall.h"
#include "engine/task.h"
#include "engine/translate/translate.h"

enum { SYSCALL_BYTES = 2 }; /* syscall, sysenter and int 0x80 alike */
enum { XBEGIN_BYTES = 6 };  /* at the end: opcode, ModRM, and the distance to where an abort leads */

/* What a system call returns inside the kernel when a signal interrupted it and it may be begun anew
 * (include/linux/errno.h: ERESTARTSYS, ERESTARTNOINTR, ERESTARTNOHAND, ERESTART_RESTARTBLOCK). */
bool is_interrupted_syscall(const struct target_regs *regs)
{
	int64_t result = (int64_t)regs->rax;

	return (int64_t)regs->orig_rax >= 0 && (result == -512 || result == -513 || result == -514 || result == -516);
}

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

/* MOV SS and an emulated vsyscall let one more instruction run before the trap, and so does XBEGIN, as a trap in a transaction is not
 * reported, but aborts it (Intel SDM vol. 1, "RTM-Enabled Debugger Support"). A breakpoint there keeps it from running. */
static void plan_landing(struct task *task)
{
	struct process *process = task->thread->process;
	const struct code_site *site = &task->site;
	struct error ignored = {0};
	uint64_t va;

	task->landing_va = 0;
	if (site->insn.loads_ss)
		va = site->va + site->insn.length;
	else if (begins_transaction(&site->insn))
		va = site->va + site->insn.length + (uint64_t)site->insn.displacement;
	else if (!site->is_vsyscall || process_read(process, task->before.rsp, &va, sizeof(va)) != sizeof(va))
		return;
	task->owns_landing = !process_find_breakpoint(process, va);
	if (process_add_breakpoint(process, va, &ignored))
		task->landing_va = va;
}

/* Removes the landing breakpoint. Where the step ended on it rather than before it, *after is taken back. */
static void take_back_landing(struct task *task, struct target_regs *after)
{
	if (!task->landing_va)
		return;
	if (after->rip == task->landing_va + 1 && thread_signal_code(task->thread) == TRAP_CODE_KERNEL) {
		after->rip = task->landing_va;
		thread_set_regs(task->thread, after);
	}
	if (task->owns_landing)
		process_remove_breakpoint(task->thread->process, task->landing_va);
	task->landing_va = 0;
}

/* System calls that may end with SIGTRAP blocked: those that wait with other signals blocked end so where a signal interrupts them, until
 * its handler is entered. */
static bool may_block_sigtrap(uint64_t number)
{
	switch (number) {
	case SYS_rt_sigprocmask:
	case SYS_rt_sigsuspend:
	case SYS_pselect6:
	case SYS_ppoll:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
	case SYS_io_pgetevents:
	case SYS_io_uring_enter:
		return true;
	default:
		return false;
	}
}

/* Whether the step makes such a system call, or has the kernel begin it anew, which is what comes of a signal without a handler. */
static bool step_may_block_sigtrap(const struct task *task, int signal)
{
	if (task->may_restart)
		return may_block_sigtrap(task->before.orig_rax) && !(signal && thread_handles(task->thread, signal));
	return !signal && syscall_is(&task->site) && !syscall_is_int80(&task->site) &&
	       may_block_sigtrap(task->before.rax);
}

/* Linux takes a handler for SIGTRAP away when a step ends while the signal is blocked: not by a step what blocks it. */
void step_resume(struct engine *engine, struct task *task, int signal, uint64_t rip)
{
	bool blocks_sigtrap = engine->handles_sigtrap && !task->owns_tf && step_may_block_sigtrap(task, signal);

	thread_resume(engine->target, task->thread, blocks_sigtrap ? RESUME_SYSCALL : RESUME_STEP, signal, rip);
}

void step_begin(struct engine *engine, struct task *task, const struct target_regs *regs, int signal)
{
	task->site = *code_at(&engine->code, task->thread->process, engine->profile, regs->rip);
	task->before = *regs;
	task->is_stepping = true;
	task->must_step = false;
	task->n_stepped++;
	task->is_injecting = signal != 0;
	task->may_restart = is_interrupted_syscall(regs);
	if (task->is_pinned && syscall_sees_affinity(task))
		task_unpin(engine, task);
	plan_landing(task);
	if (engine->translator && !signal && syscall_is(&task->site))
		translate_before_syscall(engine->translator, task);
	/* Whatever blocked it: a system call or the entry of a handler just now, or what ran before the region. */
	if (engine->handles_sigtrap)
		thread_unblock_sigtrap(task->thread);
	step_resume(engine, task, signal, regs->rip);
}

/* SYSCALL leaves RFLAGS in R11, with the TF that single-stepping set. */
static void hide_tf_in_r11(struct task *task, struct target_regs *after)
{
	if (task->site.insn.flow != FLOW_SYSCALL || !(after->r11 & EFLAGS_TF) || task->owns_tf)
		return;
	after->r11 &= ~(uint64_t)EFLAGS_TF;
	thread_set_regs(task->thread, after);
}

/* A handler returns to flags of which Linux would keep a TF for its own. */
static void restore_own_tf(struct task *task, struct target_regs *after)
{
	/* arch/x86/include/uapi/asm/sigcontext.h: uc_flags, uc_link, uc_stack, 17 registers, then eflags. */
	enum { EFLAGS_OFFSET = 8 + 8 + 24 + 17 * 8 };
	uint64_t eflags;

	if (process_read(task->thread->process, task->before.rsp + EFLAGS_OFFSET, &eflags, sizeof(eflags)) !=
	    sizeof(eflags))
		return;
	task->owns_tf = eflags & EFLAGS_TF;
	if (!task->owns_tf)
		return;
	after->eflags |= EFLAGS_TF;
	thread_set_regs(task->thread, after);
}

/* PUSHF pushes the TF that single-stepping set. */
static void hide_tf_on_stack(struct task *task, const struct target_regs *after)
{
	uint8_t second;

	if (task->owns_tf || process_read(task->thread->process, after->rsp + 1, &second, 1) != 1)
		return;
	second &= (uint8_t) ~(EFLAGS_TF >> 8);
	process_write(task->thread->process, after->rsp + 1, &second, 1);
}

/* The step's instruction retired; REP string instructions stop once for each iteration and retire with the last. */
static void count_retired(struct engine *engine, struct task *task, const struct target_regs *after)
{
	const struct code_site *site = &task->site;

	if (site->insn.rep_count_bits) {
		uint64_t iterations = rep_count(site, &task->before) - rep_count(site, after);

		task_count(engine, task, site->index, after->rip != site->va, iterations);
		return;
	}
	if (syscall_is(site)) {
		syscall_count(engine, task, after);
		/* Counted before a sigreturn leaves the handler that it belongs to. */
		task_count(engine, task, site->index, 1, 0);
		stream_syscall(engine, task, syscall_number(task), syscall_is_int80(site), after->rax);
		if (syscall_is_sigreturn(task))
			task_leave_handler(engine, task);
		return;
	}
	task_count(engine, task, site->index, 1, 0);
}

static void finish_retired(struct engine *engine, struct task *task, struct target_regs *after)
{
	if (engine->translator && task->site.insn.flow == FLOW_SYSCALL)
		translate_after_read(engine->translator, task, after);
	count_retired(engine, task, after);
	if (syscall_is(&task->site)) {
		if (syscall_is_sigreturn(task))
			restore_own_tf(task, after);
		else
			hide_tf_in_r11(task, after);
		if (!engine->translator || engine->process->n_threads == 1)
			task_pin(engine, task);
	} else if (task->site.insn.pushes_flags) {
		hide_tf_on_stack(task, after);
	} else if (task->site.insn.pops_flags && thread_settle_flags(engine->target, task->thread) &&
		   thread_get_regs(task->thread, after)) {
		task->owns_tf = after->eflags & EFLAGS_TF;
	}
	if (task->before.rip == task->triggered_va)
		task->triggered_va = 0;
	task_check_stack(engine, task, after);
}

/* A system call that a signal interrupted was begun anew: the step was the SYSCALL before `before`. */
static void rewind_to_syscall(struct engine *engine, struct task *task)
{
	task->before.rip -= SYSCALL_BYTES;
	task->before.rax = task->before.orig_rax;
	task->site = *code_at(&engine->code, task->thread->process, engine->profile, task->before.rip);
}

/* It was to be begun anew, but there is a breakpoint on the SYSCALL: the thread stands before it again. */
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

/* A SIGTRAP that someone sent, alone or in place of the step's own, which Linux drops when one is pending. Asked for where it can
 * be: each question costs a system call. */
static bool is_sent_by_someone(const struct engine *engine, const struct task *task, const struct target_regs *after)
{
	bool moved = after->rip != task->before.rip ||
		     (task->site.insn.rep_count_bits && after->rcx != task->before.rcx);

	if (moved && !syscall_is(&task->site) && !engine->handles_sigtrap)
		return false;
	return thread_signal_code(task->thread) <= SI_USER;
}

enum step_outcome step_finish(struct engine *engine, struct task *task, struct target_regs *after)
{
	bool owned_tf, was_sent, was_int3 = task->site.insn.flow == FLOW_INTERRUPT && !syscall_is_int80(&task->site);

	if (!thread_get_regs(task->thread, after))
		return STEP_DEAD;
	task->is_stepping = false;
	take_back_landing(task, after);
	if (task->is_injecting && thread_signal_code(task->thread) == TRAP_CODE_HANDLER_ENTRY) {
		task_enter_handler(engine, task, task->before.rsp, after->rsp);
		task->owns_tf = false;
		return STEP_HANDLER_ENTERED;
	}
	if (take_back_restart(task, after))
		return STEP_EXECUTED;
	was_sent = is_sent_by_someone(engine, task, after);
	if (was_sent && after->rip == task->before.rip)
		return STEP_SIGNAL;
	if (task->may_restart && after->rip == task->before.rip)
		rewind_to_syscall(engine, task);
	owned_tf = task->owns_tf;
	finish_retired(engine, task, after);
	/* The program's own TF, or its own int3 or int1: the trap is the program's. */
	return owned_tf || was_int3 || was_sent ? STEP_SIGNAL : STEP_EXECUTED;
}

void step_abandon(struct engine *engine, struct task *task, const struct target_regs *after)
{
	struct target_regs landed = *after;

	if (!task->is_stepping)
		return;
	task->is_stepping = false;
	take_back_landing(task, &landed);
	if (after->rip != task->before.rip) {
		count_retired(engine, task, after);
		task_check_stack(engine, task, after);
	} else if (task->site.insn.rep_count_bits) {
		task_count(engine, task, task->site.index, 0,
			   rep_count(&task->site, &task->before) - rep_count(&task->site, after));
	}
}

void step_exiting(struct engine *engine, struct task *task)
{
	bool exits;

	if (!task->is_stepping || !syscall_is(&task->site))
		return;
	/* exit and exit_group: 60 and 231, by int 0x80 1 and 252 (asm/unistd_64.h, asm/unistd_32.h). */
	exits = syscall_is_int80(&task->site) ? (uint32_t)task->before.rax == 1 || (uint32_t)task->before.rax == 252
					      : task->before.rax == SYS_exit || task->before.rax == SYS_exit_group;
	if (exits)
		count_retired(engine, task, &task->before);
}
