#include "engine/translate/translate.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "engine/translate/consistency/shared_mapping.h"
#include "engine/translate/contexts/edges.h"
#include "engine/translate/consistency/write_protect.h"
#include "engine/translate/translator.h"
#include "engine/translate/log/log.h"

#define NO_LIMIT ((uint64_t)INT64_MAX)

/* The parts of the table, one behind the other. */
static void plan_table(struct translator *translator)
{
	static const uint32_t n_places[N_SITE_KINDS] = {1 << 17, 1 << 14, 1 << 14, 1};

	for (enum site_kind kind = 0; kind < N_SITE_KINDS; kind++) {
		struct site_part *part = &translator->sites[kind];

		part->first = (uint32_t)translator->n_table_entries;
		part->n_places = translator->wants_edges ? n_places[kind] : 1;
		if (kind != SITE_RECORDED || translator->wants_edges)
			translator->n_table_entries += TABLE_ENTRIES + part->n_places - 1;
	}
	assert(translator->n_table_entries <= TABLE_SLOTS_MAX);
}

struct translator *translator_create(struct engine *engine)
{
	struct translator *translator = xcalloc(1, sizeof(*translator));

	translator->engine = engine;
	translator->wants_edges = engine->plan->want_edges;
	log_init(translator);
	plan_table(translator);
	translator->first_landing = xcalloc(translator->n_table_entries, sizeof(*translator->first_landing));
	return translator;
}

static void clear(struct translator *translator)
{
	if (translator->n_landings)
		memset(translator->first_landing, 0, translator->n_table_entries * sizeof(*translator->first_landing));
	translator->n_blocks = translator->n_insns = translator->n_points = 0;
	translator->n_counters = translator->n_targets = translator->n_exits = translator->n_landings =
		translator->n_links = 0;
	for (enum site_kind kind = 0; kind < N_SITE_KINDS; kind++)
		translator->sites[kind].n_sites = 0;
	translator->n_clears++;
	addresses_clear(&translator->addresses);
	va_map_clear(&translator->exit_at);
	va_map_clear(&translator->recorded);
	memset(translator->n_zone_blocks, 0, sizeof(translator->n_zone_blocks));
	pages_drop_blocks(&translator->pages);
	log_clear(translator);
	translator->is_full = translator->calls_out = translator->is_outdated = false;
}

void translator_destroy(struct translator *translator)
{
	if (!translator)
		return;
	if (translator->engine->plan->n_translated)
		*translator->engine->plan->n_translated += translator->pages.n_translated;
	addresses_deinit(&translator->addresses);
	va_map_deinit(&translator->exit_at);
	va_map_deinit(&translator->recorded);
	pages_deinit(&translator->pages);
	va_map_deinit(&translator->stops);
	va_map_deinit(&translator->heats);
	va_map_deinit(&translator->branch_heats);
	va_map_deinit(&translator->guess_at);
	free(translator->guesses);
	cache_close(&translator->cache);
	for (size_t i = 0; i < ZONES_MAX; i++)
		free(translator->zone_blocks[i]);
	free(translator->blocks);
	free(translator->insns);
	free(translator->points);
	free(translator->counters);
	free(translator->targets);
	free(translator->exits);
	free(translator->landings);
	free(translator->links);
	free(translator->first_landing);
	free(translator->breakpoints);
	log_deinit(translator);
	free(translator);
}

bool has_others(const struct translator *translator, const struct task *task)
{
	const struct target *target = translator->engine->target;

	for (size_t i = 0; i < target->n_threads; i++) {
		const struct task *other = target->threads[i]->task;

		if (other && other != task && other->is_translated &&
		    target->threads[i]->process == translator->engine->process)
			return true;
	}
	return false;
}

/* All threads of the process that have been in translated code. */
static void for_each_area(struct translator *translator, void (*act)(struct translator *translator, struct task *task))
{
	const struct target *target = translator->engine->target;

	for (size_t i = 0; i < target->n_threads; i++) {
		struct task *task = target->threads[i]->task;

		if (task && task->area && target->threads[i]->process == translator->engine->process)
			act(translator, task);
	}
}

/* Before other code may be found where transfers counted until now went: it is by address that they tell where. What other threads
 * count at this moment cannot be taken from them; where code changes under them, their transfers go to what is there later. */
static void harvest_edges(struct translator *translator, const struct task *task)
{
	const struct target *target = translator->engine->target;

	for (size_t i = 0; translator->wants_edges && i < target->n_threads; i++) {
		struct task *other = target->threads[i]->task;

		if (other && (other == task || !other->is_translated) &&
		    target->threads[i]->process == translator->engine->process)
			translate_harvest(translator, other);
	}
}

/* Forgets all translated code. Nobody runs it. */
static void flush(struct translator *translator)
{
	for_each_area(translator, translate_harvest);
	clear(translator);
	for (size_t i = 0; i < translator->cache.n_zones; i++)
		translator->cache.zones[i].n_used = 0;
	translator->zone = &translator->cache.zones[0];
	make_miss(translator);
}

static void drop_area(struct translator *translator, struct task *task)
{
	(void)translator;
	task->area = NULL;
	task->is_translated = false;
}

void translate_forget(struct translator *translator)
{
	for_each_area(translator, translate_harvest);
	for_each_area(translator, drop_area);
	clear(translator);
	pages_clear(&translator->pages);
	translator->has_suspects = translator->has_guards = false;
	translator->has_shared_code = translator->has_forked = translator->returns_flags = false;
	translator->steps_writing = false;
	map_files_forget(translator);
	translator->n_sections = 0;
	translator->n_ticks_wanted = 0;
	translator->does_news = false;
	translator->n_harvested = 0;
	va_map_deinit(&translator->stops);
	va_map_deinit(&translator->heats);
	va_map_deinit(&translator->branch_heats);
	va_map_deinit(&translator->guess_at);
	translator->n_guesses = 0;
	cache_close(&translator->cache);
	translator->is_refused = false;
}

void translate_unmap(struct translator *translator, struct task *task)
{
	guard_lift_all(translator, task->thread);
	cache_unmap(&translator->cache, translator->engine->target, task->thread);
	translate_forget(translator);
}

bool translate_wants_out(struct translator *translator, const struct task *task)
{
	if (task->is_translated) {
		traces_sample(translator, task);
		traces_look_for_news(translator, task);
	}
	return task->is_translated && traces_are_due(translator) && !has_others(translator, task);
}

void translate_invalidate(struct translator *translator, uint64_t start_va, uint64_t end_va, bool is_protected_anew)
{
	if (is_protected_anew)
		guard_forget_range(translator, start_va, end_va);
	suspend_range(translator, start_va, end_va);
	if (is_protected_anew)
		alias_heed_mappings(translator, start_va, end_va);
}

void translate_before_syscall(struct translator *translator, struct task *task)
{
	guard_before_syscall(translator, task->thread, &task->before);
}

void translate_after_syscall(struct translator *translator, const struct task *task)
{
	alias_after_syscall(translator, task);
}

bool translate_on_fault(struct translator *translator, struct task *task)
{
	if (!guard_lift(translator, task->thread))
		return false;
	/* What it writes may be in the block that it is in. */
	task->must_step = task->is_translated;
	return true;
}

bool translate_is_set_up(const struct translator *translator)
{
	return translator->cache.n_areas != 0;
}

void translate_doubt(struct translator *translator)
{
	translator->is_doubtful = true;
	translator->pages.knows_mappings = false;
}

/* Maps the shared memory. */
static bool open_cache(struct translator *translator, struct task *task, uint64_t va)
{
	struct engine *engine = translator->engine;
	struct cache *cache = &translator->cache;

	if (cache->n_areas)
		return true;
	if (translator->is_refused)
		return false;
	if (!cache_open(cache, engine->target, task->thread) ||
	    !cache_zone_near(cache, engine->target, task->thread, va)) {
		cache_unmap(cache, engine->target, task->thread);
		cache_close(cache);
		translator->is_refused = true;
		profile_note(
			engine->profile,
			"the program lets no memory be mapped into it (a sandbox, or a limit such as ulimit -v), or has a shadow stack: "
			"it was stepped, which is slow");
		return false;
	}
	translator->has_map_file = thread_proc_files(task->thread).map;
	choose_syscalls(translator);
	flush(translator);
	return true;
}

static void stop_at(struct translator *translator, uint64_t va)
{
	if (va_map_get(&translator->stops, va) != VA_MAP_NONE)
		return;
	va_map_set(&translator->stops, va, 0);
	retire_at(translator, va);
}

/* Where a --function visit may end, or an allocator returns, the program must stop. */
static void stop_at_returns(struct translator *translator, const struct task *task)
{
	if (task->allocation.is_pending)
		stop_at(translator, task->allocation.return_va);
	for (size_t i = 0; i < task->visits.n_visits; i++) {
		const struct visit *visit = &task->visits.visits[i];
		uint64_t va;

		if (visit->end == VISIT_ENDS_AT_RETURN &&
		    process_read(task->thread->process, visit->begin_rsp, &va, sizeof(va)) == sizeof(va))
			stop_at(translator, va);
	}
}

/* The lowest stack pointer with which a visit or a handler would end; 0: it cannot be told so simply. */
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

		if (visit->end == VISIT_ENDS_AT_RETURN && visit->begin_rsp < limit)
			limit = visit->begin_rsp + 1;
	}
	return limit;
}

/* Makes all other threads come out of translated code. False when they are. */
static bool call_out(struct translator *translator, const struct task *task)
{
	const struct target *target = translator->engine->target;

	if (!has_others(translator, task))
		return false;
	for (size_t i = 0; i < target->n_threads && !translator->calls_out; i++) {
		const struct task *other = target->threads[i]->task;

		if (other && other != task && other->is_translated &&
		    target->threads[i]->process == translator->engine->process)
			thread_interrupt(target->threads[i]);
	}
	translator->calls_out = true;
	return true;
}

bool translate_calls_out(const struct translator *translator)
{
	return translator->calls_out;
}

const struct block *get_block(struct translator *translator, struct task *task, uint64_t va, uint32_t site)
{
	const struct block *block;

	if (translator->is_outdated && !has_others(translator, task))
		flush(translator);
	if (translator->has_suspects)
		harvest_edges(translator, task);
	retire_sections(translator);
	check_pages(translator, task->thread->process);
	guard_code(translator, task->thread, va);
	if (va_map_get(&translator->stops, va) != VA_MAP_NONE)
		return NULL;
	do {
		block = translate_block(translator, task->thread, va, site);
		if (translator->is_full && call_out(translator, task))
			return NULL;
		if (translator->is_full) {
			flush(translator);
			block = translate_block(translator, task->thread, va, site);
		}
		/* It may be in a section that it names. */
		retire_sections(translator);
	} while (block && block->is_retired);
	return block;
}

static void check_doubts(struct translator *translator, const struct task *task)
{
	struct proc_files files = thread_proc_files(task->thread);

	translator->is_doubtful = false;
	harvest_edges(translator, task);
	verify_pages(translator, task->thread->process);
	if (!translator->has_memory_file && files.memory)
		translate_no_writes(translator);
	if (!translator->has_map_file && files.map)
		step_reads(translator, true);
}

/* An instruction under a new breakpoint is not to be executed in translated code. */
static void heed_breakpoints(struct translator *translator, const struct process *process)
{
	size_t known = 0, n_known = translator->n_breakpoints;

	for (size_t i = 0; i < process->n_breakpoints; i++) {
		uint64_t va = process->breakpoints[i].va;

		while (known < n_known && translator->breakpoints[known] < va)
			known++;
		if (known == n_known || translator->breakpoints[known] != va)
			retire_at(translator, va);
	}
	translator->n_breakpoints = 0;
	for (size_t i = 0; i < process->n_breakpoints; i++)
		*ARRAY_ADD(translator, breakpoints) = process->breakpoints[i].va;
	translator->breakpoints_version = process->breakpoints_version;
}

/* Threads outside of all regions change the memory map unseen. */
static bool has_native_threads(const struct translator *translator)
{
	const struct target *target = translator->engine->target;

	for (size_t i = 0; i < target->n_threads; i++) {
		const struct task *task = target->threads[i]->task;

		if (target->threads[i]->process == translator->engine->process && (!task || !task->visits.n_visits))
			return true;
	}
	return false;
}

/* The instructions to come are stepped. */
static bool give_up(struct translator *translator)
{
	if (cache_is_exhausted(&translator->cache) && !translator->is_exhausted) {
		translator->is_exhausted = true;
		profile_note(translator->engine->profile,
			     "no more memory can be mapped into the program: a part of it was stepped, which is slow");
	}
	return false;
}

bool translate_begin(struct translator *translator, struct task *task, const struct target_regs *regs)
{
	const struct process *process = task->thread->process;
	struct target_regs changed = *regs;
	const struct block *block;
	uint64_t limit;

	if (!open_cache(translator, task, regs->rip))
		return false;
	translator->pages.never_trust = has_native_threads(translator);
	if (translator->is_doubtful)
		check_doubts(translator, task);
	if (translator->breakpoints_version != process->breakpoints_version)
		heed_breakpoints(translator, process);
	/* Threads that run by themselves have all processors. */
	if (process->n_threads > 1)
		task_unpin(translator->engine, task);
	if (!task->area)
		task->area = cache_take_area(&translator->cache, translator->engine->target, task->thread);
	if (!task->area)
		return give_up(translator);
	stop_at_returns(translator, task);
	block = get_block(translator, task, regs->rip, SITE_NONE);
	if (!block)
		return give_up(translator);
	limit = find_limit(task);
	*area_word(task->area, AREA_LIMIT) = limit;
	*area_word(task->area, AREA_WATCH) = limit != NO_LIMIT;
	task->own_gs_base = regs->gs_base;
	changed.gs_base = task->area->va;
	*area_word(task->area, AREA_R11) = regs->r11;
	changed.rip = block->entry_va;
	log_resume(translator, task, &changed);
	if (!thread_set_regs(task->thread, &changed))
		return false;
	if (translator->engine->handles_sigtrap) {
		thread_unblock_sigtrap(task->thread);
		step_mask_syscalls(translator);
	}
	edges_enter(translator, task, block);
	task->is_translated = true;
	translator->engine->has_translated = true;
	thread_resume(translator->engine->target, task->thread, RESUME_RUN, 0, changed.rip);
	return true;
}
