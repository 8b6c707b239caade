#include "engine/translate/consistency/give_way.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "engine/translate/cache_room.h"
#include "engine/translate/consistency/write_protect.h"
#include "engine/translate/contexts/collect.h"
#include "engine/translate/contexts/dispatch.h"

#define PAGE_BYTES UINT64_C(0x1000)

/* A segment of unknown size is assumed to be smaller than this. */
#define SEGMENT_BYTES (UINT64_C(1) << 32)

/* Linux lets a stack grow by accesses to the pages below it, but not up to this distance from another mapping
 * (mm/mmap.c, stack_guard_gap). */
#define STACK_GAP_BYTES UINT64_C(0x100000)

static void drop_area(struct translator *translator, struct task *task)
{
	collect_counters(translator, task);
	task->area = task->idle.area = NULL;
}

/* No thread is in translated code. */
static void remove_cache(struct translator *translator, struct task *task)
{
	struct cache *cache = &translator->cache;

	write_protect_lift_all(translator, task->thread);
	dispatch_for_each_area(translator, drop_area);
	dispatch_clear(translator);
	cache_unmap(cache, translator->engine->target, task->thread);
	cache_close(cache);
	pages_forget_mappings(&translator->pages);
}

/* Returns false if threads must leave translated code first. They were interrupted for this. Until the task has made
 * its system call or access, the others are stepped: they would map the cache to the same place again. */
static bool try_to_remove(struct translator *translator, struct task *task)
{
	translator->evicting = task;
	if (dispatch_recall_others(translator, task)) {
		translator->is_full = true;
		return false;
	}
	remove_cache(translator, task);
	return true;
}

static bool is_hit(const struct cache *cache, uint64_t start_va, uint64_t n_bytes)
{
	uint64_t end_va = start_va + n_bytes < start_va ? UINT64_MAX : start_va + n_bytes;

	return n_bytes && cache_overlaps(cache, start_va & ~(PAGE_BYTES - 1), end_va);
}

/* Returns true if the heap cannot grow as far as brk(2) asks. */
static bool heap_hits(const struct translator *translator, struct task *task, uint64_t end_va)
{
	const struct cache *cache = &translator->cache;
	int64_t now;

	/* The heap's lower end costs a system call, so it is the last condition. */
	return cache->has_low_heap && end_va && cache_overlaps(cache, 0, end_va + PAGE_BYTES) &&
	       thread_call(translator->engine->target, task->thread, cache->syscall_va, SYS_brk, (uint64_t[6]){0},
			   &now) &&
	       end_va > (uint64_t)now && is_hit(cache, (uint64_t)now, end_va + PAGE_BYTES - (uint64_t)now);
}

static bool has_zone_in_32bit(const struct cache *cache)
{
	return cache_overlaps_zones(cache, UINT64_C(0x40000000), UINT64_C(0x80000000));
}

/* Returns true if the call would have another effect without the cache. */
static bool call_hits(struct translator *translator, struct task *task)
{
	const struct target_regs *regs = &task->before;
	struct cache *cache = &translator->cache;

	switch (regs->rax) {
	case SYS_mmap:
		if (!regs->rdi && (regs->r10 & MAP_32BIT) && has_zone_in_32bit(cache))
			return cache->leaves_32bit = true;
		/* Without MAP_FIXED the address is a hint, which Linux follows if it is free. */
		return regs->rdi && is_hit(cache, regs->rdi, regs->rsi);
	case SYS_munmap:
	case SYS_mprotect:
	case SYS_pkey_mprotect:
	case SYS_madvise:
	case SYS_mincore:
	case SYS_msync:
	case SYS_mlock:
	case SYS_mlock2:
	case SYS_munlock:
	case SYS_mbind:
	case SYS_remap_file_pages:
		return is_hit(cache, regs->rdi, regs->rsi);
	case SYS_mremap:
		return is_hit(cache, regs->rdi, regs->rsi > regs->rdx ? regs->rsi : regs->rdx) ||
		       ((regs->r10 & MREMAP_FIXED) && is_hit(cache, regs->r8, regs->rdx));
	case SYS_shmat:
		return regs->rsi && is_hit(cache, regs->rsi, SEGMENT_BYTES);
	case SYS_brk:
		return heap_hits(translator, task, regs->rdi);
	default:
		return false;
	}
}

bool give_way_before_syscall(struct backend *backend, struct task *task)
{
	struct translator *translator = translator_of(backend);

	if (task->site.insn.flow == FLOW_SYSCALL && translator->cache.n_areas && call_hits(translator, task) &&
	    !try_to_remove(translator, task))
		return false;
	write_protect_before_syscall(translator, task);
	return true;
}

void give_way_is_done(struct translator *translator, const struct task *task)
{
	if (translator->evicting == task)
		translator->evicting = NULL;
}

bool give_way_on_fault(struct translator *translator, struct task *task)
{
	uint8_t bytes[THREAD_SIGINFO_BYTES];
	siginfo_t info;
	uint64_t va;

	if (!translator->cache.n_areas || !thread_get_siginfo(task->thread, bytes))
		return false;
	memcpy(&info, bytes, sizeof(info));
	va = (uint64_t)(uintptr_t)info.si_addr;
	if (info.si_code != SEGV_MAPERR || va < STACK_GAP_BYTES || !cache_room_is_for_stack(task->thread->process) ||
	    !cache_overlaps_zones(&translator->cache, va - STACK_GAP_BYTES - PAGE_BYTES, va + PAGE_BYTES))
		return false;
	if (!dispatch_is_inside(translator, task)) {
		try_to_remove(translator, task);
		return true;
	}
	task->must_step = true;
	translator->evicting = task;
	return true;
}

void give_way_if_lost(struct translator *translator, struct task *task)
{
	struct pages *pages = &translator->pages;

	pages_forget_mappings(pages);
	pages_read_mappings(pages);
	if (translator->cache.n_areas && pages->knows_mappings &&
	    !cache_is_mapped(&translator->cache, &pages->mappings))
		remove_cache(translator, task);
}

bool give_way_forbids_entry(struct translator *translator, const struct task *task)
{
	give_way_is_done(translator, task);
	return translator->evicting != NULL;
}
