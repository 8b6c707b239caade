#include "engine/step/syscall.h"

#include <signal.h>
#include <sys/syscall.h>

#include "engine/translate/translate.h"

bool syscall_is_int80(const struct code_site *site)
{
	return site->insn.flow == FLOW_INTERRUPT && site->insn.interrupt == 0x80;
}

bool syscall_is_sigreturn(const struct task *task)
{
	return task->site.insn.flow == FLOW_SYSCALL && task->before.rax == SYS_rt_sigreturn;
}

bool syscall_is(const struct code_site *site)
{
	return site->insn.flow == FLOW_SYSCALL || syscall_is_int80(site);
}

/* System calls after which code may be other code. */
static bool changes_mappings(int64_t number)
{
	switch (number) {
	case SYS_mmap:
	case SYS_mprotect:
	case SYS_munmap:
	case SYS_mremap:
	case SYS_remap_file_pages:
	case SYS_shmat:
	case SYS_shmdt:
	case SYS_pkey_mprotect:
		return true;
	default:
		return false;
	}
}

/* A program that writes code through /proc/PID/mem leaves no trace in the memory map. */
static bool writes_to_memory_file(const struct task *task)
{
	switch (task->before.rax) {
	case SYS_write:
	case SYS_writev:
	case SYS_pwrite64:
	case SYS_pwritev:
	case SYS_pwritev2:
		return thread_descriptor_is_memory_file(task->thread, (int)task->before.rdi);
	default:
		return false;
	}
}

/* What the translator has to know of the system call just made. */
static void tell_translator(struct translator *translator, const struct task *task, const struct target_regs *after,
			    bool int80)
{
	const struct target_regs *before = &task->before;
	bool succeeded = (int64_t)after->rax >= 0;
	struct proc_files files;

	if (int80) {
		translate_invalidate(translator, 0, UINT64_MAX, false);
		return;
	}
	translate_after_syscall(translator, task);
	switch (before->rax) {
	case SYS_mmap:
		translate_invalidate(translator, after->rax, after->rax + before->rsi, succeeded);
		break;
	case SYS_munmap:
	case SYS_mprotect:
	case SYS_pkey_mprotect:
		translate_invalidate(translator, before->rdi, before->rdi + before->rsi, succeeded);
		break;
	case SYS_madvise:
		translate_invalidate(translator, before->rdi, before->rdi + before->rsi, false);
		break;
	case SYS_mremap:
		translate_invalidate(translator, before->rdi, before->rdi + before->rsi, succeeded);
		translate_invalidate(translator, after->rax, after->rax + before->rdx, succeeded);
		break;
	case SYS_open:
	case SYS_openat:
	case SYS_openat2:
		files = thread_descriptor_proc_files(task->thread, (int)after->rax);
		if (files.memory)
			translate_no_writes(translator);
		if (files.map)
			translate_watch_map_file(translator);
		break;
	case SYS_process_vm_writev:
		translate_doubt(translator);
		break;
	default:
		if (changes_mappings((int64_t)before->rax) || writes_to_memory_file(task))
			translate_doubt(translator);
		break;
	}
}

int64_t syscall_number(const struct task *task)
{
	return syscall_is_int80(&task->site) ? (int64_t)(uint32_t)task->before.rax : (int64_t)task->before.rax;
}

void syscall_count(struct engine *engine, struct task *task, const struct target_regs *after)
{
	bool int80 = syscall_is_int80(&task->site);
	int64_t number = syscall_number(task);

	for (size_t i = 0; i < task->n_counting; i++)
		profile_count_syscall(engine->profile, task->counting[i], number, int80);
	if (int80 || number == SYS_rt_sigaction)
		engine->handles_sigtrap = thread_handles(task->thread, SIGTRAP);
	if (int80 || changes_mappings(number) || writes_to_memory_file(task))
		code_distrust(&engine->code);
	if (engine->translator)
		tell_translator(engine->translator, task, after, int80);
}
