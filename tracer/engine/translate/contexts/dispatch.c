#include "engine/translate/contexts/dispatch.h"

#include "engine/translate/build/layout.h"
#include "engine/translate/consistency/stop_addresses.h"
#include "engine/translate/consistency/suspend.h"
#include "engine/translate/consistency/syscall_effects.h"
#include "engine/translate/consistency/write_protect.h"
#include "engine/translate/contexts/collect.h"
#include "engine/translate/emit/emit_indirect.h"
#include "engine/translate/link/ibl.h"
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
	translator->links.n_links = 0;
	translator->traces.n_flushes++;
	va_map_clear(&translator->recorded_edges);
	for (size_t i = 0; i < translator->pages.n_pages; i++)
		translator->pages.pages[i].n_fragments = 0;
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

/* Interrupts all other threads in translated code. Returns false if there are none. */
static bool recall_others(struct translator *translator, const struct task *task)
{
	const struct target *target = translator->engine->target;

	if (!dispatch_has_other_threads(translator, task))
		return false;
	for (size_t i = 0; i < target->n_threads && !translator->is_recalling; i++)
		if (target->threads[i]->task != task && dispatch_is_inside(translator, target->threads[i]->task))
			thread_interrupt(target->threads[i]);
	translator->is_recalling = true;
	return true;
}

const struct fragment *dispatch_fragment(struct translator *translator, struct task *task, uint64_t va, uint32_t site)
{
	struct thread *thread = task->thread;
	const struct fragment *fragment;

	if (translator->is_outdated && !dispatch_has_other_threads(translator, task))
		dispatch_flush(translator);
	if (translator->changes.has_suspended)
		collect_all_edges(translator, task);
	stop_addresses_retire_sections(translator);
	suspend_check_pages(translator);
	write_protect_code(translator, thread, va);
	if (stop_addresses_has(translator, va))
		return NULL;
	do {
		fragment = layout_translate(translator, thread, va, site);
		if (translator->is_full && recall_others(translator, task))
			return NULL;
		if (translator->is_full) {
			dispatch_flush(translator);
			fragment = layout_translate(translator, thread, va, site);
		}
		/* By its own code the fragment may have turned out to be part of a restartable sequence. */
		stop_addresses_retire_sections(translator);
	} while (fragment && fragment->is_retired);
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
