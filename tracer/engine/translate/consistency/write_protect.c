#include "engine/translate/consistency/write_protect.h"

#include <signal.h>
#include <string.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "engine/translate/consistency/shared_mapping.h"

/* Times that a page may change between written to and executed before it counts as one that both happens to all the time, and how often
 * it is executed then, by steps, before that is tried again. */
enum { FAULTS_MAX = 100, REFUSALS_MAX = 20000 };

/* Less than this lies behind a pointer that a system call writes through, unless a length says otherwise. */
#define REACH_BYTES UINT64_C(0x10000)

static bool protect(struct translator *translator, struct thread *thread, const struct code_page *page, int protection)
{
	const uint64_t arguments[6] = {page->va, CODE_PAGE_BYTES, (uint64_t)protection};
	int64_t result;

	return thread_call(translator->engine->target, thread, translator->cache.syscall_va, SYS_mprotect, arguments,
			   &result) &&
	       result == 0;
}

/* Whether a page changes too often to be guarded now. */
static bool is_restless(struct code_page *page)
{
	if (page->n_faults < FAULTS_MAX)
		return false;
	if (++page->n_refusals < REFUSALS_MAX)
		return true;
	page->n_faults = page->n_refusals = 0;
	return false;
}

bool guard_begin(struct translator *translator, struct thread *thread, struct code_page *page, int protection)
{
	if (page->is_guarded)
		return true;
	if (is_restless(page) || !protect(translator, thread, page, protection & ~PROT_WRITE))
		return false;
	page->protection = protection;
	page->is_writable = page->is_guarded = page->is_changing = true;
	translator->has_guards = true;
	step_writing_syscalls(translator);
	return true;
}

/* Whether the program may both write to the page and execute it, and nobody else can write to it. */
static bool is_writable_code(struct translator *translator, struct thread *thread, const struct code_page *page)
{
	const struct mapping *mapping = pages_mapping(&translator->pages, thread->process, page->va);
	struct target_regs regs;

	return mapping && mapping->executable && (mapping->writable || page->is_writable) && mapping->readable &&
	       !mapping->shared &&
	       /* A stack is written to all the time. */
	       thread_get_regs(thread, &regs) && regs.rsp - mapping->start_va >= mapping->end_va - mapping->start_va;
}

static void guard_page(struct translator *translator, struct thread *thread, uint64_t va)
{
	struct code_page *page = pages_look_at(&translator->pages, thread->process, va);

	if (page->is_translatable && !page->is_suspect)
		return;
	if (alias_watch(translator, thread, va)) {
		check_page(translator, thread->process, pages_find(&translator->pages, va));
		return;
	}
	page = pages_find(&translator->pages, va);
	if (page->is_guarded || !is_writable_code(translator, thread, page))
		return;
	if (!guard_begin(translator, thread, page, PROT_READ | PROT_WRITE | PROT_EXEC))
		return;
	check_page(translator, thread->process, page);
}

void guard_code(struct translator *translator, struct thread *thread, uint64_t va)
{
	guard_page(translator, thread, va);
	/* An instruction may end in the next page. */
	if (va % CODE_PAGE_BYTES > CODE_PAGE_BYTES - INSN_MAX_BYTES)
		guard_page(translator, thread, va + INSN_MAX_BYTES);
}

static void lift(struct translator *translator, struct thread *thread, struct code_page *page)
{
	protect(translator, thread, page, page->protection);
	page->is_guarded = false;
	suspend_page(translator, page);
	alias_suspend(translator, page->inode, page->offset_bytes);
	/* The step engine may have taken it for code that nothing can change. */
	code_distrust(&translator->engine->code);
}

bool guard_lift(struct translator *translator, struct thread *thread)
{
	uint8_t bytes[THREAD_SIGINFO_BYTES];
	const struct mapping *mapping;
	struct code_page *page;
	siginfo_t info;

	if (!translator->has_guards || !thread_get_siginfo(thread, bytes))
		return false;
	memcpy(&info, bytes, sizeof(info));
	if (info.si_signo != SIGSEGV || info.si_code != SEGV_ACCERR)
		return false;
	page = pages_find(&translator->pages, (uint64_t)(uintptr_t)info.si_addr);
	if (!page)
		return false;
	if (!page->is_guarded) {
		/* Another thread's fault, or system call, was faster. */
		translator->pages.knows_mappings = false;
		mapping = pages_mapping(&translator->pages, thread->process, page->va);
		return mapping && mapping->writable;
	}
	page->n_faults++;
	lift(translator, thread, page);
	return true;
}

void guard_lift_all(struct translator *translator, struct thread *thread)
{
	for (size_t i = 0; translator->has_guards && i < translator->pages.n_pages; i++)
		if (translator->pages.pages[i].is_guarded)
			lift(translator, thread, &translator->pages.pages[i]);
	translator->has_guards = false;
}

/* Writes through pointers that are in memory themselves. */
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

/* Afterwards no guard could be lifted: system calls of ours would kill the program. */
static bool confines_itself(const struct target_regs *regs)
{
	return regs->rax == SYS_seccomp || (regs->rax == SYS_prctl && regs->rdi == PR_SET_SECCOMP);
}

/* A child with memory of its own has the same protections, but nobody who would lift them. */
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

static bool may_reach(const struct target_regs *regs, const struct code_page *page)
{
	const uint64_t arguments[] = {regs->rdi, regs->rsi, regs->rdx, regs->r10, regs->r8, regs->r9};
	uint64_t reach = REACH_BYTES;

	if (regs->rdx > reach && regs->rdx < UINT32_MAX)
		reach = regs->rdx;
	for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++)
		if (arguments[i] < page->va + CODE_PAGE_BYTES && page->va < arguments[i] + reach)
			return true;
	return false;
}

void guard_before_syscall(struct translator *translator, struct thread *thread, const struct target_regs *regs)
{
	bool copies = copies_memory(thread, regs);

	if (copies)
		alias_forget_all(translator);
	if (!translator->has_guards)
		return;
	if (writes_through_vectors(regs->rax) || copies || confines_itself(regs)) {
		guard_lift_all(translator, thread);
		return;
	}
	for (size_t i = 0; i < translator->pages.n_pages; i++)
		if (translator->pages.pages[i].is_guarded && may_reach(regs, &translator->pages.pages[i]))
			lift(translator, thread, &translator->pages.pages[i]);
}

void guard_forget_range(struct translator *translator, uint64_t start_va, uint64_t end_va)
{
	for (size_t i = 0; translator->has_guards && i < translator->pages.n_pages; i++) {
		struct code_page *page = &translator->pages.pages[i];

		if (page->va >= end_va || start_va >= page->va + CODE_PAGE_BYTES)
			continue;
		page->is_writable = page->is_guarded = false;
		alias_suspend(translator, page->inode, page->offset_bytes);
	}
}
