#include "engine/step/stepped_syscall.h"

#include <signal.h>
#include <sys/syscall.h>

#include "engine/backend.h"
#include "engine/inner_tracers.h"

/* signals that report what an instruction did */
#define FAULT_SIGNALS                                                                               \
	(UINT64_C(1) << (SIGSEGV - 1) | UINT64_C(1) << (SIGBUS - 1) | UINT64_C(1) << (SIGFPE - 1) | \
	 UINT64_C(1) << (SIGILL - 1) | UINT64_C(1) << (SIGTRAP - 1) | UINT64_C(1) << (SIGSYS - 1))

bool stepped_syscall_is_int80(const struct code_site *site)
{
	return site->insn.flow == FLOW_INTERRUPT && site->insn.interrupt_vector == 0x80;
}

bool stepped_syscall_is(const struct code_site *site)
{
	return site->insn.flow == FLOW_SYSCALL || stepped_syscall_is_int80(site);
}

bool stepped_syscall_is_sigreturn(const struct task *task)
{
	return task->site.insn.flow == FLOW_SYSCALL && task->before.rax == SYS_rt_sigreturn;
}

int64_t stepped_syscall_number(const struct task *task)
{
	return stepped_syscall_is_int80(&task->site) ? (int64_t)(uint32_t)task->before.rax : (int64_t)task->before.rax;
}

/* Signals may come faster than itrace handles them: then the next one is pending when a handler returns. Blocks all of
 * them, because their order must not change, in the handler's frame, from which sigreturn takes the mask. */
static void postpone_signals(struct task *task)
{
	/* arch/x86/include/uapi/asm/ucontext.h: uc_flags, uc_link, uc_stack, and a struct sigcontext of 256 bytes. */
	enum { MASK_OFFSET = 8 + 8 + 24 + 256 };
	uint64_t va = task->before.rsp + MASK_OFFSET, blocked;

	if (process_read(task->thread->process, va, &task->frame_mask, sizeof(blocked)) != sizeof(blocked))
		return;
	blocked = task->frame_mask | ~FAULT_SIGNALS;
	if (process_write(task->thread->process, va, &blocked, sizeof(blocked)))
		task->frame_mask_va = va;
}

static uint64_t postponed_ns(const struct task *task)
{
	enum { MIN_NS = 100000, MAX_NS = 1000000 };
	uint64_t ns = task->handled_ns;

	return ns < MIN_NS ? MIN_NS : ns > MAX_NS ? MAX_NS : ns;
}

/* The steps are bounded for the sake of those who wait for a signal to be handled. */
static uint64_t postponed_steps(const struct task *task)
{
	enum { MIN_STEPS = 20, MAX_STEPS = 5000 };
	uint64_t n = task->n_handler_steps;

	return n < MIN_STEPS ? MIN_STEPS : n > MAX_STEPS ? MAX_STEPS : n;
}

void stepped_syscall_end_sigreturn(struct task *task, const struct target_regs *after, bool is_trap)
{
	uint64_t va = task->frame_mask_va;

	task->frame_mask_va = 0;
	/* A handler may return to the SYSCALL of another one's sigreturn. */
	if (after->rip == task->before.rip && after->rsp == task->before.rsp) {
		if (va)
			process_write(task->thread->process, va, &task->frame_mask, sizeof(task->frame_mask));
		return;
	}
	task->returned_ns = monotonic_now_ns();
	task->handled_ns = task->returned_ns - task->signalled_ns;
	if (!va)
		return;
	task->n_dense_signals = 0;
	if (is_trap)
		thread_postpone_signals(task->thread, task->frame_mask, postponed_ns(task), postponed_steps(task));
	else
		thread_set_signal_mask(task->thread, task->frame_mask);
	task->n_handler_steps = 0;
}

bool stepped_syscall_prepare(struct engine *engine, struct task *task)
{
	if (!backends_before_syscall(engine, task))
		return false;
	if (stepped_syscall_is_sigreturn(task) && task->is_signal_dense)
		postpone_signals(task);
	return true;
}

void stepped_syscall_note_signal(struct task *task, int signal)
{
	/* A program sees that signals which it sent to itself arrive all at once. */
	enum { BURST = 32 };
	int code = thread_signal_code(task->thread);

	if (UINT64_C(1) << (signal - 1) & FAULT_SIGNALS)
		return;
	if (task->signalled_ns - task->returned_ns >= task->handled_ns)
		task->n_dense_signals = task->n_handler_steps = 0;
	else
		/* setitimer's signals come from the kernel. */
		task->n_dense_signals += code == SI_TIMER || code == SI_KERNEL ? BURST : 1;
	task->is_signal_dense = task->n_dense_signals >= BURST;
}

bool stepped_syscall_sees_affinity(const struct task *task)
{
	if (task->site.insn.flow != FLOW_SYSCALL)
		return stepped_syscall_is_int80(&task->site);
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

bool stepped_syscall_may_block_sigtrap(uint64_t number)
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

void stepped_syscall_count(struct engine *engine, struct task *task, const struct target_regs *after)
{
	bool int80 = stepped_syscall_is_int80(&task->site);
	int64_t number = stepped_syscall_number(task);

	for (size_t i = 0; i < task->n_counting; i++)
		profile_count_syscall(engine->profile, task->counting[i], number, int80, 1);
	if (int80 || number == SYS_rt_sigaction)
		engine->handles_sigtrap = thread_handles(task->thread, SIGTRAP);
	if (!int80)
		inner_tracers_note_syscall(engine, task, after);
	BACKENDS_CALL(engine, after_syscall, task, after);
}
