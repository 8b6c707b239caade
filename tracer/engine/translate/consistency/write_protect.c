#include "engine/translate/consistency/write_protect.h"

#include <signal.h>
#include <string.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "base/array.h"
#include "engine/translate/consistency/native_syscalls.h"
#include "engine/translate/consistency/shared_mapping.h"
#include "engine/translate/consistency/suspend.h"

/* After this many writes to a protected page, its code checks itself. A write costs as much as some thousand
 * executions of a check. */
enum { FAULTS_MAX = 32 };

/* A system call is assumed to write at most this many bytes from each pointer on, or as many as its third argument
 * says if that is more. */
#define REACH_BYTES UINT64_C(0x10000)

static bool protect(struct translator *translator, struct thread *thread, const struct code_page *page, int protection)
{
	const uint64_t arguments[6] = {page->va, CODE_PAGE_BYTES, (uint64_t)protection};
	int64_t result;

	return thread_call(translator->engine->target, thread, translator->cache.syscall_va, SYS_mprotect, arguments,
			   &result) &&
	       result == 0;
}

/* Returns true if the call may write to the page through one of its arguments. */
static bool may_write_to(const struct target_regs *regs, const struct code_page *page)
{
	const uint64_t arguments[] = {regs->rdi, regs->rsi, regs->rdx, regs->r10, regs->r8, regs->r9};
	uint64_t reach = REACH_BYTES;

	if (regs->rdx > reach && regs->rdx < UINT32_MAX)
		reach = regs->rdx;
	for (size_t i = 0; i < ARRAY_LENGTH(arguments); i++)
		if (arguments[i] < page->va + CODE_PAGE_BYTES && page->va < arguments[i] + reach)
			return true;
	return false;
}

/* Returns true if a write of the kernel to the page could fail if the page were protected: another thread is inside a
 * system call that may write to the page. After this function was called for the first time, such system calls are
 * stepped. */
static bool is_written_by_syscall(struct translator *translator, const struct thread *thread,
				  const struct code_page *page)
{
	const struct engine *engine = translator->engine;
	bool is_first = !translator->changes.steps_writes, is_written = false;

	translator->changes.steps_writes = true;
	if (is_first)
		native_syscalls_choose(translator);
	for (size_t i = 0; engine->process->n_threads > 1 && i < engine->target->n_threads; i++) {
		const struct task *task = engine->target->threads[i]->task;

		if (!task || task->thread == thread || task->thread->process != engine->process)
			continue;
		/* A flush makes all threads leave translated code. */
		if (is_first && task->backend == &translator->backend)
			translator->is_full = true;
		is_written |= task->backend == engine->backends[0] && task->site.insn.flow == FLOW_SYSCALL &&
			      may_write_to(&task->before, page);
	}
	return is_written || translator->is_full;
}

/* Protects a page to which the program gave this protection. Returns false if that fails, or if the program writes to
 * the page often. Leaves pages.mappings valid. */
static bool make_read_only(struct translator *translator, struct thread *thread, struct code_page *page, int protection)
{
	if (page->is_protected)
		return true;
	if (page->n_faults >= FAULTS_MAX || is_written_by_syscall(translator, thread, page) ||
	    !protect(translator, thread, page, protection & ~PROT_WRITE))
		return false;
	page->protection = protection;
	page->is_writable = page->is_protected = page->is_changing = true;
	translator->pages.has_changing = true;
	translator->changes.has_protected = true;
	return true;
}

/* Protects all writable mappings of a page of shared memory. */
static bool protect_mappings(struct translator *translator, struct thread *thread, uint64_t inode, uint64_t offset)
{
	struct pages *pages = &translator->pages;

	for (size_t i = 0; i < pages->mappings.n_mappings; i++) {
		const struct mapping *mapping = &pages->mappings.mappings[i];
		int protection = PROT_READ | PROT_WRITE | (mapping->executable ? PROT_EXEC : 0);
		struct code_page *page;

		if (!mapping_can_write(mapping, inode, offset))
			continue;
		page = pages_get(pages, mapping->start_va + (offset - mapping->offset_bytes));
		if (!make_read_only(translator, thread, page, protection))
			return false;
		page->inode = inode;
		page->offset_bytes = offset;
	}
	return true;
}

/* Returns false if the page is not in shared memory, or if the program or another process could write to it
 * unnoticed, or writes to it often. */
static bool watch_shared(struct translator *translator, struct thread *thread, uint64_t page_va)
{
	struct pages *pages = &translator->pages;
	const struct mapping *mapping = pages_mapping(pages, page_va);
	uint64_t inode, offset;
	struct code_page *page;

	if (!mapping || !mapping->shared || !mapping->executable || !shared_mapping_is_private(translator, mapping))
		return false;
	inode = mapping->inode;
	offset = mapping->offset_bytes + (page_va - mapping->start_va);
	if (!protect_mappings(translator, thread, inode, offset))
		return false;
	page = pages_get(pages, page_va);
	page->inode = inode;
	page->offset_bytes = offset;
	page->is_watched = page->is_changing = true;
	translator->changes.has_shared_code = true;
	native_syscalls_choose(translator);
	return true;
}

/* Returns true if the program, and nobody else, can write to the page, and can execute it. */
static bool is_writable_code(struct translator *translator, struct thread *thread, const struct code_page *page)
{
	const struct mapping *mapping = pages_mapping(&translator->pages, page->va);
	struct target_regs regs;

	return mapping && mapping->executable && (mapping->writable || page->is_writable) && mapping->readable &&
	       !mapping->shared &&
	       /* A stack is written to all the time. */
	       thread_get_regs(thread, &regs) && regs.rsp - mapping->start_va >= mapping->end_va - mapping->start_va;
}

/* From now on the page's fragments compare its bytes. Those without a comparison are retired. */
static void begin_checks(struct translator *translator, struct code_page *page)
{
	retire_page(translator, page);
	page->is_checked = page->is_changing = true;
}

static void protect_page(struct translator *translator, struct thread *thread, uint64_t va)
{
	struct code_page *page = pages_get(&translator->pages, va);
	const struct mapping *mapping;

	if (page->is_translatable && !page->is_suspended)
		return;
	mapping = page->is_checked ? NULL : pages_mapping(&translator->pages, page->va);
	if (mapping && mapping->shared && mapping->executable && mapping->readable) {
		bool is_watched = watch_shared(translator, thread, page->va);

		page = pages_find(&translator->pages, va);
		if (!is_watched && !translator->is_full)
			begin_checks(translator, page);
	} else if (mapping && !page->is_protected && is_writable_code(translator, thread, page) &&
		   !make_read_only(translator, thread, page, PROT_READ | PROT_WRITE | PROT_EXEC) &&
		   !translator->is_full) {
		begin_checks(translator, page);
	}
	suspend_check_page(translator, page);
}

void write_protect_code(struct translator *translator, struct thread *thread, uint64_t va)
{
	protect_page(translator, thread, va);
	/* An instruction may end in the next page. */
	if (va % CODE_PAGE_BYTES > CODE_PAGE_BYTES - INSN_MAX_BYTES)
		protect_page(translator, thread, va + INSN_MAX_BYTES);
}

static void unprotect(struct translator *translator, struct thread *thread, struct code_page *page)
{
	/* Other threads can write to the page as soon as it is unprotected. */
	suspend_page(translator, page);
	shared_mapping_suspend(translator, page->inode, page->offset_bytes);
	protect(translator, thread, page, page->protection);
	page->is_protected = false;
	/* The step backend may have taken the page for read-only. */
	code_invalidate(&translator->engine->code);
}

bool write_protect_on_fault(struct translator *translator, struct thread *thread)
{
	uint8_t bytes[THREAD_SIGINFO_BYTES];
	const struct mapping *mapping;
	struct code_page *page;
	siginfo_t info;

	/* After a fault by this thread, a system call of another one may have unprotected all pages. */
	if (!translator->changes.steps_writes || !thread_get_siginfo(thread, bytes))
		return false;
	memcpy(&info, bytes, sizeof(info));
	if (info.si_signo != SIGSEGV || info.si_code != SEGV_ACCERR)
		return false;
	page = pages_find(&translator->pages, (uint64_t)(uintptr_t)info.si_addr);
	if (!page || !page->is_writable)
		return false;
	if (!page->is_protected) {
		/* Another thread's fault or system call may have unprotected the page earlier. */
		pages_forget_mappings(&translator->pages);
		mapping = pages_mapping(&translator->pages, page->va);
		return mapping && mapping->writable;
	}
	page->n_faults++;
	unprotect(translator, thread, page);
	return true;
}

void write_protect_lift_all(struct translator *translator, struct thread *thread)
{
	for (size_t i = 0; translator->changes.has_protected && i < translator->pages.n_pages; i++)
		if (translator->pages.pages[i].is_protected)
			unprotect(translator, thread, &translator->pages.pages[i]);
	translator->changes.has_protected = false;
}

/* Returns true for calls that write through pointers in memory. */
static bool writes_through_vectors(uint64_t number)
{
	switch (number) {
	case SYS_readv:
	case SYS_preadv:
	case SYS_preadv2:
	case SYS_recvmsg:
	case SYS_recvmmsg:
	case SYS_process_vm_readv:
	case SYS_ioctl:
		return true;
	default:
		return false;
	}
}

/* Returns true if the call may install a filter that kills the program at a later system call of itrace. */
static bool installs_seccomp_filter(const struct target_regs *regs)
{
	return regs->rax == SYS_seccomp || (regs->rax == SYS_prctl && regs->rdi == PR_SET_SECCOMP);
}

/* Returns true if a child gets a copy of the memory, in which pages would stay protected. */
static bool copies_memory(const struct thread *thread, const struct target_regs *regs)
{
	uint64_t flags;

	switch (regs->rax) {
	case SYS_fork:
		return true;
	case SYS_clone:
		return !(regs->rdi & CLONE_VM);
	case SYS_clone3:
		return process_read(thread->process, regs->rdi, &flags, sizeof(flags)) != sizeof(flags) ||
		       !(flags & CLONE_VM);
	default:
		return false;
	}
}

void write_protect_before_syscall(struct translator *translator, const struct task *task)
{
	const struct target_regs *regs = &task->before;
	struct thread *thread = task->thread;
	bool copies = copies_memory(thread, regs);

	if (copies)
		shared_mapping_on_fork(translator);
	if (!translator->changes.has_protected)
		return;
	if (writes_through_vectors(regs->rax) || copies || installs_seccomp_filter(regs)) {
		write_protect_lift_all(translator, thread);
		return;
	}
	for (size_t i = 0; i < translator->pages.n_pages; i++) {
		struct code_page *page = &translator->pages.pages[i];

		if (page->is_protected && may_write_to(regs, page))
			unprotect(translator, thread, page);
	}
}

void write_protect_forget_range(struct translator *translator, uint64_t start_va, uint64_t end_va)
{
	for (size_t i = 0; translator->changes.has_protected && i < translator->pages.n_pages; i++) {
		struct code_page *page = &translator->pages.pages[i];

		if (!pages_overlaps(page, start_va, end_va))
			continue;
		page->is_writable = page->is_protected = false;
		shared_mapping_suspend(translator, page->inode, page->offset_bytes);
	}
}
