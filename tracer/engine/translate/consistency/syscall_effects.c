#include "engine/translate/consistency/syscall_effects.h"

#include <sys/mman.h>
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
	pages_forget_mappings(&translator->pages);
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

	pages_forget_mappings(&translator->pages);
	if (is_remapped)
		write_protect_forget_range(translator, start_va, end_va);
	suspend_range(translator, start_va, end_va);
	if (is_remapped)
		shared_mapping_on_remap(translator, start_va, end_va);
}

static bool has_protected_page(const struct translator *translator, uint64_t start_va, uint64_t end_va)
{
	const struct pages *pages = &translator->pages;

	for (size_t i = 0; translator->changes.has_protected && i < pages->n_pages; i++)
		if (pages->pages[i].is_protected && pages_overlaps(&pages->pages[i], start_va, end_va))
			return true;
	return false;
}

/* Returns true for a call that changes nothing but the mappings of a range that its arguments tell. */
static bool names_range(const struct target_regs *regs)
{
	return regs->rax == SYS_mprotect || regs->rax == SYS_munmap ||
	       (regs->rax == SYS_mmap && regs->rdi && regs->r10 & MAP_FIXED);
}

bool syscall_effects_apply_early(struct translator *translator, const struct target_regs *regs)
{
	struct engine *engine = translator->engine;
	uint64_t start_va = regs->rdi & ~(uint64_t)(CODE_PAGE_BYTES - 1), end_va = regs->rdi + regs->rsi;

	/* Another thread could reach the code, and resume it, before the call. */
	if (engine->process->n_threads > 1 || translator->wants_edges || engine->plan->stream ||
	    engine->plan->max_instructions || translator->changes.has_shared_code)
		return false;
	if (!names_range(regs) || end_va <= start_va || cache_overlaps(&translator->cache, start_va, end_va) ||
	    has_protected_page(translator, start_va, end_va))
		return false;
	code_invalidate_range(&engine->code, start_va, end_va);
	pages_forget_mappings(&translator->pages);
	write_protect_forget_range(translator, start_va, end_va);
	/* A suspended page may become executable. */
	translator->changes.has_suspended = true;
	suspend_range(translator, start_va, end_va);
	return true;
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
		pages_forget_mappings(&translator->pages);
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
