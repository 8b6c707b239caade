#include "engine/step/stepped_syscall.h"

#include <signal.h>
#include <sys/syscall.h>

#include "engine/backend.h"
#include "engine/inner_tracers.h"

bool stepped_syscall_is_int80(const struct code_site *site)
{
	return site->insn.flow == FLOW_INTERRUPT && site->insn.interrupt == 0x80;
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
