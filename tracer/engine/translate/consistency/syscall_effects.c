#include "engine/translate/consistency/syscall_effects.h"

#include <sys/syscall.h>

#include "engine/syscalls.h"
#include "engine/translate/consistency/native_syscalls.h"
#include "engine/translate/consistency/shared_mapping.h"
#include "engine/translate/consistency/suspend.h"
#include "engine/translate/consistency/write_protect.h"

void syscall_effects_invalidate_all(struct backend *backend)
{
	struct translator *translator = translator_of(backend);

	translator->changes.must_verify = true;
	translator->pages.knows_mappings = false;
}

void syscall_effects_on_open(struct translator *translator, struct proc_files files)
{
	translator->changes.has_memory_file |= files.memory;
	translator->map_files.are_watched |= files.map;
	native_syscalls_choose(translator);
}

/* The range may have got other memory or another protection. is_remapped: it certainly has. */
static void invalidate(struct translator *translator, uint64_t start_va, uint64_t n_bytes, bool is_remapped)
{
	uint64_t end_va = start_va + n_bytes;

	translator->pages.knows_mappings = false;
	if (is_remapped)
		write_protect_forget_range(translator, start_va, end_va);
	suspend_range(translator, start_va, end_va);
	if (is_remapped)
		shared_mapping_on_remap(translator, start_va, end_va);
}

/* Returns false if the call certainly left all code and all shared memory alone. */
static bool may_change_code(const struct pages *pages, const struct target_regs *before,
			    const struct target_regs *after)
{
	return !pages->knows_mappings || pages->is_volatile || !syscalls_change_mappings((int64_t)before->rax) ||
	       syscalls_may_change_code(&pages->mappings, before, after);
}

void syscall_effects_apply(struct backend *backend, struct task *task, const struct target_regs *after)
{
	struct translator *translator = translator_of(backend);
	const struct target_regs *before = &task->before;
	bool succeeded = (int64_t)after->rax >= 0;

	if (task->site.insn.flow != FLOW_SYSCALL) {
		/* int 0x80 may be any call: its numbers differ. */
		translator->pages.knows_mappings = false;
		suspend_range(translator, 0, UINT64_MAX);
		return;
	}
	shared_mapping_after_syscall(translator, task);
	if (!may_change_code(&translator->pages, before, after))
		return;
	switch (before->rax) {
	case SYS_mmap:
		invalidate(translator, after->rax, before->rsi, succeeded);
		break;
	case SYS_munmap:
	case SYS_mprotect:
	case SYS_pkey_mprotect:
		invalidate(translator, before->rdi, before->rsi, succeeded);
		break;
	case SYS_madvise:
		suspend_range(translator, before->rdi, before->rdi + before->rsi);
		break;
	case SYS_mremap:
		invalidate(translator, before->rdi, before->rsi, succeeded);
		invalidate(translator, after->rax, before->rdx, succeeded);
		break;
	case SYS_open:
	case SYS_openat:
	case SYS_openat2:
		syscall_effects_on_open(translator, thread_descriptor_proc_files(task->thread, (int)after->rax));
		break;
	case SYS_process_vm_writev:
		syscall_effects_invalidate_all(backend);
		break;
	default:
		if (syscalls_change_mappings((int64_t)before->rax) || syscalls_write_memory_file(task->thread, before))
			syscall_effects_invalidate_all(backend);
		break;
	}
}
