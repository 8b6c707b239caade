#include "engine/translate/contexts/dispatch.h"

#include "engine/translate/build/layout.h"
#include "engine/translate/consistency/native_syscalls.h"
#include "engine/translate/consistency/stop_addresses.h"
#include "engine/translate/consistency/suspend.h"
#include "engine/translate/consistency/syscall_effects.h"
#include "engine/translate/consistency/write_protect.h"
#include "engine/translate/contexts/collect.h"
#include "engine/translate/emit/emit_indirect.h"
#include "engine/translate/link/ibl.h"
#include "engine/translate/link/links.h"
#include "engine/translate/log/log.h"

bool dispatch_has_other_threads(const struct translator *translator, const struct task *task)
{
	const struct target *target = translator->engine->target;

	for (size_t i = 0; i < target->n_threads; i++)
		if (target->threads[i]->task != task && dispatch_is_inside(translator, target->threads[i]->task))
			return true;
	return false;
}

void dispatch_for_each_area(struct translator *translator,
			    void (*act)(struct translator *translator, struct task *task))
{
	const struct target *target = translator->engine->target;

	for (size_t i = 0; i < target->n_threads; i++) {
		struct task *task = target->threads[i]->task;

		if (task && (task->area || task->idle.area) &&
		    target->threads[i]->process == translator->engine->process)
			act(translator, task);
	}
}

/* Collects edges before code changes. An edge counter names its target by address, so it must be read before other
 * code can be at that address. Counters of running threads cannot be collected; if code changes under them, their
 * edges lead to the new code. */
static void collect_all_edges(struct translator *translator, const struct task *task)
{
	const struct target *target = translator->engine->target;

	for (size_t i = 0; translator->wants_edges && i < target->n_threads; i++) {
		struct task *other = target->threads[i]->task;

		if (other && target->threads[i]->process == translator->engine->process &&
		    (other == task || !dispatch_is_inside(translator, other)))
			collect_counters(translator, other);
	}
}

void dispatch_clear(struct translator *translator)
{
	ibl_clear(&translator->ibl);
	fragments_clear(&translator->fragments);
	addresses_clear(&translator->addresses);
	links_clear(&translator->links);
	translator->traces.n_flushes++;
	va_map_clear(&translator->recorded_edges);
	for (size_t i = 0; i < translator->pages.n_pages; i++)
		suspend_forget_fragments(translator, &translator->pages.pages[i]);
	log_clear(&translator->log);
	translator->is_full = translator->is_recalling = translator->is_outdated = false;
}

void dispatch_flush(struct translator *translator)
{
	dispatch_for_each_area(translator, collect_counters);
	dispatch_clear(translator);
	for (size_t i = 0; i < translator->cache.n_zones; i++)
		translator->cache.zones[i].n_used = 0;
	translator->emitter.zone = &translator->cache.zones[0];
	emit_ibl_misses(translator);
}

/* A thread that was interrupted before is interrupted again, because a thread that another one holds loses its
 * interruption. A thread with a deferred signal is on its way out. */
bool dispatch_recall_others(struct translator *translator, const struct task *task)
{
	const struct target *target = translator->engine->target;

	if (!dispatch_has_other_threads(translator, task))
		return false;
	for (size_t i = 0; i < target->n_threads; i++) {
		const struct task *other = target->threads[i]->task;

		if (other != task && dispatch_is_inside(translator, other) && !other->deferred_signal)
			thread_interrupt(target->threads[i]);
	}
	translator->is_recalling = true;
	return true;
}

/* Returns true if the code at va may have changed. Other suspended pages wait until their code is reached: a compiler
 * may write much before it runs anything. */
static bool is_suspended(struct translator *translator, uint64_t va)
{
	const struct address *address = addresses_find(&translator->addresses, va);
	const struct code_page *page = pages_find(&translator->pages, va);
	const struct code_page *next = pages_find(&translator->pages, va + INSN_MAX_BYTES);

	return (page && page->is_suspended) || (next && next->is_suspended) ||
	       (address && address->fragment != VA_MAP_NONE &&
		translator_fragment(translator, address->fragment)->n_suspended);
}

/* Returns true if code at va, or code that continues in the next page, may have changed unnoticed. */
static bool is_checked(struct translator *translator, uint64_t va)
{
	const struct code_page *page = pages_find(&translator->pages, va);
	const struct code_page *next = pages_find(&translator->pages, va + CODE_PAGE_BYTES);

	return (page && page->is_checked) || (next && next->is_checked);
}

/* Notes that a process reached va, for other processes of the run. */
static void note_reached(struct translator *translator, uint64_t va, uint32_t site)
{
	const struct code_page *page = pages_find(&translator->pages, va);
	unsigned way = site == SITE_NONE ? N_SITE_KINDS : ibl_site_kind(&translator->ibl, site);

	if (page && page->reached_key)
		reached_code_add(&translator->engine->run->reached_code, page->reached_key,
				 (struct reached_start){.offset = va % REACHED_PAGE_BYTES,
							.way = (uint16_t)(way & 15)});
}

const struct fragment *dispatch_fragment(struct translator *translator, struct task *task, uint64_t va, uint32_t site)
{
	bool is_reached = site != SITE_NONE || !translator_find_fragment(translator, va);
	struct thread *thread = task->thread;
	const struct fragment *fragment;

	if (translator->is_outdated && !dispatch_has_other_threads(translator, task))
		dispatch_flush(translator);
	stop_addresses_retire_sections(translator);
	/* Code that replaces other code is likely to be reached in the same way. */
	if (site == SITE_NONE && !translator->wants_edges)
		site = ibl_newest_site(translator, va);
	if (is_suspended(translator, va)) {
		collect_all_edges(translator, task);
		suspend_check_pages(translator);
	}
	write_protect_code(translator, thread, va);
	if (is_checked(translator, va)) {
		collect_all_edges(translator, task);
		suspend_refresh_checked(translator, va);
	}
	if (stop_addresses_has(translator, va))
		return NULL;
	do {
		fragment = layout_translate(translator, thread, va, site);
		if (translator->is_full && dispatch_recall_others(translator, task))
			return NULL;
		if (translator->is_full) {
			dispatch_flush(translator);
			fragment = layout_translate(translator, thread, va, site);
		}
		/* The translation may have shown that the fragment is part of a restartable sequence. */
		stop_addresses_retire_sections(translator);
	} while (fragment && fragment->is_retired);
	if (fragment && is_reached)
		note_reached(translator, va, site);
	if (translator->pages.has_changing && !translator->changes.steps_madvise) {
		translator->changes.steps_madvise = true;
		native_syscalls_choose(translator);
	}
	return fragment;
}

void dispatch_verify_all(struct translator *translator, const struct task *task)
{
	translator->changes.must_verify = false;
	collect_all_edges(translator, task);
	suspend_verify_pages(translator);
	syscall_effects_on_open(translator, thread_proc_files(task->thread));
}

void dispatch_count_recorded_edges(struct translator *translator, const struct task *task)
{
	size_t n_records;
	const struct edge_record *record = collect_edge_records(task, &n_records);

	for (; n_records-- > 0; record++) {
		/* A collision of keys has no other effect than an early ibl_target. */
		uint64_t key = record->target_va + (record->from << 40);

		if (va_map_get(&translator->recorded_edges, key) != VA_MAP_NONE)
			layout_add_ibl_target(translator, record->target_va, (uint32_t)record->from,
					      translator_counter(translator, (uint32_t)record->from)->site);
		va_map_set(&translator->recorded_edges, key, 0);
	}
	collect_edges(translator, task);
}
