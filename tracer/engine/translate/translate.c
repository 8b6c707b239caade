#include <stdlib.h>

#include "base/array.h"
#include "engine/translate/consistency/give_way.h"
#include "engine/translate/consistency/map_files.h"
#include "engine/translate/consistency/native_syscalls.h"
#include "engine/translate/consistency/stop_addresses.h"
#include "engine/translate/consistency/syscall_effects.h"
#include "engine/translate/consistency/write_protect.h"
#include "engine/translate/contexts/cache_exits.h"
#include "engine/translate/contexts/collect.h"
#include "engine/translate/contexts/dispatch.h"
#include "engine/translate/contexts/edge_state.h"
#include "engine/translate/link/ibl.h"
#include "engine/translate/link/links.h"
#include "engine/translate/log/log.h"
#include "engine/translate/log/log_shapes.h"
#include "engine/translate/traces/traces.h"
#include "engine/translate/warm_start.h"

#define NO_LIMIT ((uint64_t)INT64_MAX)

/* The selector of 64-bit code (arch/x86/include/asm/segment.h, __USER_CS). A far jump to another one enters 32-bit
 * code, which is stepped. */
enum { CODE_64_BIT = 0x33 };

static void destroy(struct backend *backend)
{
	struct translator *translator = translator_of(backend);

	if (translator->engine->plan->n_translated)
		*translator->engine->plan->n_translated += translator->pages.n_translated;
	warm_start_keep(translator);
	free(translator->program);
	addresses_deinit(&translator->addresses);
	fragments_deinit(&translator->fragments);
	ibl_deinit(&translator->ibl);
	links_deinit(&translator->links);
	pages_deinit(&translator->pages);
	traces_deinit(&translator->traces);
	stop_addresses_deinit(&translator->stops);
	log_shapes_deinit(&translator->log);
	va_map_deinit(&translator->recorded_edges);
	map_files_forget(translator);
	cache_close(&translator->cache);
	free(translator);
}

static void drop_area(struct translator *translator, struct task *task)
{
	(void)translator;
	task->area = task->idle.area = NULL;
	task->backend = NULL;
}

static void forget_process(struct backend *backend)
{
	struct translator *translator = translator_of(backend);

	dispatch_for_each_area(translator, collect_counters);
	dispatch_for_each_area(translator, drop_area);
	warm_start_keep(translator);
	dispatch_clear(translator);
	pages_clear(&translator->pages);
	traces_reset(&translator->traces);
	stop_addresses_clear(&translator->stops);
	translator->changes.has_suspended = translator->changes.has_protected = false;
	translator->changes.has_shared_code = translator->changes.has_forked = false;
	translator->changes.steps_writes = translator->changes.steps_sigmask = false;
	translator->changes.steps_madvise = false;
	map_files_forget(translator);
	translator->ibl.returns_flags = false;
	translator->is_refused = false;
	translator->evicting = NULL;
	cache_close(&translator->cache);
}

static void release_process(struct backend *backend, struct task *task)
{
	struct translator *translator = translator_of(backend);

	write_protect_lift_all(translator, task->thread);
	cache_unmap(&translator->cache, translator->engine->target, task->thread);
	forget_process(backend);
}

static bool is_set_up(const struct backend *backend)
{
	return translator_of((struct backend *)backend)->cache.n_areas != 0;
}

/* Opens a cache without code. */
static bool open_cold(struct translator *translator, struct thread *thread, uint64_t va)
{
	struct engine *engine = translator->engine;
	struct cache *cache = &translator->cache;

	if (!cache_open(cache, engine->target, thread) || !cache_zone_near(cache, engine->target, thread, va)) {
		cache_unmap(cache, engine->target, thread);
		cache_close(cache);
		translator->is_refused = true;
		profile_note(
			engine->profile,
			"the program lets no memory be mapped into it (a sandbox, or a limit such as ulimit -v), or "
			"has a shadow stack: it was stepped, which is slow");
		return false;
	}
	dispatch_flush(translator);
	return true;
}

static bool open_cache(struct translator *translator, struct task *task, uint64_t va)
{
	if (translator->cache.n_areas)
		return true;
	if (translator->is_refused)
		return false;
	warm_start_begin(translator);
	if (!warm_start_take(translator, task->thread) && !open_cold(translator, task->thread, va))
		return false;
	syscall_effects_on_open(translator, thread_proc_files(task->thread));
	return true;
}
/* Returns the lowest stack pointer at which a visit or a handler ends; 0: no single limit can express it. */
static uint64_t find_limit(const struct task *task)
{
	uint64_t limit = NO_LIMIT;

	for (size_t i = 0; i < task->n_handlers; i++) {
		if (task->handlers[i].stack_high)
			return 0;
		if (task->handlers[i].interrupted_rsp < limit)
			limit = task->handlers[i].interrupted_rsp;
	}
	for (size_t i = 0; i < task->visits.n_visits; i++) {
		const struct visit *visit = &task->visits.visits[i];

		if (visit->end == VISIT_ENDS_AT_RETURN && visit->begin.rsp < limit)
			limit = visit->begin.rsp + 1;
	}
	return limit;
}

/* Returns true if threads run natively: they change the memory map unseen by itrace. Threads without a task ran before
 * itrace attached, and have not stopped since. */
static bool has_native_threads(const struct engine *engine)
{
	return engine->n_native_tasks || engine->n_tasks < engine->process->n_threads;
}

/* The task gets no translated code. Tells the user once if memory is the reason. */
static bool give_up(struct translator *translator)
{
	if (cache_is_exhausted(&translator->cache) && !translator->is_exhausted) {
		translator->is_exhausted = true;
		profile_note(translator->engine->profile,
			     "no more memory can be mapped into the program: a part of it was stepped, which is slow");
	}
	return false;
}

/* Gives the task an area, and applies the changes since the last time. */
static bool prepare(struct translator *translator, struct task *task)
{
	translator->pages.is_volatile = has_native_threads(translator->engine);
	if (translator->changes.must_verify)
		dispatch_verify_all(translator, task);
	stop_addresses_retire_breakpoints(translator);
	/* Threads and processes that run by themselves need all processors. */
	task_unpin(translator->engine, task);
	if (!task->area)
		task->area = cache_take_area(&translator->cache, translator->engine->target, task->thread);
	if (task->area)
		stop_addresses_add_returns(translator, task);
	return task->area != NULL;
}

static bool enter(struct backend *backend, struct task *task, const struct target_regs *regs, int signal)
{
	struct translator *translator = translator_of(backend);
	struct engine *engine = translator->engine;
	struct target_regs changed = *regs;
	const struct fragment *fragment;
	uint64_t limit;

	if (signal || regs->cs != CODE_64_BIT || give_way_forbids_entry(translator, task))
		return false;
	if (translator->changes.must_verify)
		give_way_if_lost(translator, task);
	if (!open_cache(translator, task, regs->rip))
		return false;
	if (!prepare(translator, task))
		return give_up(translator);
	fragment = dispatch_fragment(translator, task, regs->rip, SITE_NONE);
	if (!fragment)
		return give_up(translator);
	limit = find_limit(task);
	*area_word(task->area, AREA_LIMIT) = limit;
	*area_word(task->area, AREA_WATCH) = limit != NO_LIMIT;
	task->program_gs_base = regs->gs_base;
	changed.gs_base = task->area->va;
	*area_word(task->area, AREA_GS) = regs->gs_base;
	*area_word(task->area, AREA_R11) = regs->r11;
	changed.rip = fragment->entry_va;
	log_swap_in(translator, task, &changed);
	if (!thread_set_regs(task->thread, &changed))
		return false;
	if (engine->handles_sigtrap) {
		thread_unblock_sigtrap(task->thread);
		translator->changes.steps_sigmask = true;
		native_syscalls_choose(translator);
	}
	edge_state_enter(translator, task, fragment);
	task->backend = backend;
	thread_resume(engine->target, task->thread, RESUME_RUN, 0, changed.rip);
	return true;
}

static bool on_fault(struct backend *backend, struct task *task)
{
	struct translator *translator = translator_of(backend);

	if (!write_protect_on_fault(translator, task->thread))
		return give_way_on_fault(translator, task);
	/* The instruction may write to the fragment that it is in. */
	task->must_step = dispatch_is_inside(translator, task);
	return true;
}

static void on_gone(struct backend *backend, struct task *task)
{
	struct translator *translator = translator_of(backend);
	struct area *areas[] = {task->area, task->idle.area};

	give_way_is_done(translator, task);
	collect_counters(translator, task);
	for (size_t i = 0; i < ARRAY_LENGTH(areas); i++)
		if (areas[i])
			areas[i]->is_taken = false;
	task->area = task->idle.area = NULL;
}

static void after_syscall(struct backend *backend, struct task *task, const struct target_regs *after)
{
	give_way_is_done(translator_of(backend), task);
	syscall_effects_apply(backend, task, after);
}

static void collect_counts(struct backend *backend, struct task *task)
{
	collect_counters(translator_of(backend), task);
}

struct backend *translate_create(struct engine *engine)
{
	static const struct backend_ops ops = {
		.name = "translate",
		.destroy = destroy,
		.enter = enter,
		.on_trap = cache_exits_on_trap,
		.on_signal = cache_exits_on_signal,
		.on_interrupt = cache_exits_on_interrupt,
		.on_exiting = cache_exits_on_exiting,
		.is_set_up = is_set_up,
		.on_tick = cache_exits_on_tick,
		.on_fault = on_fault,
		.on_gone = on_gone,
		.collect_counts = collect_counts,
		.invalidate = syscall_effects_invalidate_all,
		.before_syscall = give_way_before_syscall,
		.filter_syscall = map_files_filter_read,
		.after_syscall = after_syscall,
		.forget_process = forget_process,
		.release_process = release_process,
	};
	struct translator *translator = xcalloc(1, sizeof(*translator));

	translator->backend = (struct backend){.ops = &ops, .engine = engine};
	translator->engine = engine;
	translator->wants_edges = engine->plan->want_edges;
	translator->pages.process = engine->process;
	translator->pages.memo = &engine->run->memo;
	log_init(translator);
	ibl_init(&translator->ibl, translator->wants_edges);
	return &translator->backend;
}
