#include "engine/translate/build/layout.h"

#include <stdlib.h>

#include "base/array.h"
#include "engine/translate/build/liveness.h"
#include "engine/translate/emit/emit_edges.h"
#include "engine/translate/emit/emit_fragment.h"
#include "engine/translate/emit/emit_indirect.h"
#include "engine/translate/emit/encode.h"
#include "engine/translate/link/ibl.h"
#include "engine/translate/link/links.h"
#include "engine/translate/traces/exec_counts.h"

enum { QUEUE_BLOCKS_MAX = 64 };

/* The blocks to translate during this stop. */
struct layout_queue {
	struct queued_block {
		uint64_t va;
		uint32_t site; /* of the ibl_target in front of the block, or SITE_NONE */
	} * blocks;
	size_t n_blocks, blocks_capacity;
	size_t n_done;
	struct block_ir ir; /* of the current block */
};

static void enqueue(struct layout_queue *queue, uint64_t va, uint32_t site)
{
	*ARRAY_ADD(queue, blocks) = (struct queued_block){.va = va, .site = site};
}

static struct zone *zone_for(struct translator *translator, uint64_t va)
{
	return cache_zone_near(&translator->cache, translator->engine->target, translator->emitter.thread, va);
}

/* Returns false if one more fragment may not fit, so that all must be flushed. */
static bool has_room(struct translator *translator)
{
	if (translator->emitter.zone->n_used + FRAGMENT_BYTES_MAX > ZONE_BYTES ||
	    translator->fragments.n_counters + FRAGMENT_COUNTERS_MAX > COUNTERS_MAX ||
	    !ibl_has_room(translator, FRAGMENT_INSNS_MAX))
		translator->is_full = true;
	return !translator->is_full;
}

/* Makes a branch lead to its fragment, or to an exit stub if there is none. */
static void finish_branch(struct translator *translator, struct branch_fixup *branch)
{
	const struct fragment *fragment;
	struct exit_stub stub = {.kind = EXIT_LINK, .va = branch->va};

	emit_edges_taken(translator, branch);
	links_add(translator, branch->patch_va, branch->va);
	fragment = translator_newest_fragment(translator, branch->va);
	if (fragment) {
		links_patch(translator, branch->patch_va, fragment->entry_va);
		return;
	}
	stub.r11_in_area = !liveness_r11_in_register_at(translator, branch->va, false);
	links_patch(translator, branch->patch_va, emit_exit_stub(translator, stub));
}

/* Completes consecutive fragments: emits the code and data that follow them, and links them. Frees the fixups. */
static void finish(struct translator *translator, struct fixups *fixups, uint32_t first_fragment)
{
	struct zone *zone = translator->emitter.zone;
	uint32_t n_fragments = (uint32_t)translator->fragments.n_fragments;

	for (size_t i = 0; i < fixups->n_literals; i++) {
		uint64_t literal_va = emit_va(zone);

		emit_absolute(translator, zone, ABSOLUTE_PROGRAM_VA, fixups->literals[i].value);
		links_patch(translator, fixups->literals[i].patch_va, literal_va);
	}
	for (size_t i = 0; i < fixups->n_mispredictions; i++)
		emit_misprediction(translator, &fixups->mispredictions[i]);
	for (size_t i = 0; i < fixups->n_branches; i++)
		finish_branch(translator, &fixups->branches[i]);
	for (uint32_t i = first_fragment; i < n_fragments; i++) {
		const struct fragment *fragment = translator_fragment(translator, i);

		if (fragment->n_insns)
			links_resolve(translator, fragment->va, fragment->entry_va);
	}
	free(fixups->branches);
	free(fixups->mispredictions);
	free(fixups->literals);
}

/* Returns true if the IR includes the return from this call. */
static bool includes_return(const struct block_ir *ir, size_t call)
{
	size_t depth = 0;

	for (size_t i = call + 1; i < ir->n_insns; i++) {
		enum insn_flow flow = ir->insns[i].insn.flow;

		if (flow == FLOW_RETURN && depth-- == 0)
			return i + 1 < ir->n_insns;
		depth += flow_is_call(flow);
	}
	return false;
}

/* Assembly functions may return a result in flags; the code after a call shows it. Then no ibl_target may change
 * flags, because the ibl_target for this address may follow others in its slot. */
static void check_returned_flags(struct translator *translator, uint64_t return_va)
{
	if (translator->ibl.returns_flags || !liveness_flags_at(translator, return_va) ||
	    !liveness_flags_are_read_at(translator, return_va))
		return;
	translator->ibl.returns_flags = true;
	translator->is_full = true;
}

static void enqueue_successors(struct translator *translator, struct layout_queue *queue)
{
	/* For returns from functions that are not translated yet. */
	uint32_t return_site = translator->ibl.sites[translator->wants_edges ? SITE_RECORDED : SITE_ANY].first;
	const struct block_ir *ir = &queue->ir;

	for (size_t i = 0; i < ir->n_insns; i++) {
		const struct fragment_insn *insn = &ir->insns[i];
		uint64_t next_va = fragment_insn_next_va(insn), side_va = fragment_insn_target_va(insn);
		bool is_last = i + 1 == ir->n_insns;

		if (flow_is_call(insn->insn.flow)) {
			check_returned_flags(translator, next_va);
			if (is_last || !includes_return(ir, i))
				enqueue(queue, next_va, return_site);
		}
		if (insn->insn.flow == FLOW_BRANCH) {
			if (!is_last)
				side_va = block_ir_side_va(ir, i);
			if (exec_counts_may_execute(translator, side_va))
				enqueue(queue, side_va, SITE_NONE);
		}
	}
}

/* Begins an ibl_target. The code for va must be emitted directly after it. */
static struct ibl_target begin_ibl_target(struct translator *translator, uint64_t va, uint32_t site)
{
	struct ibl_target target = {.va = va, .code_va = emit_va(translator->emitter.zone), .counter = COUNTER_NONE};
	enum site_kind kind = ibl_site_kind(&translator->ibl, site);

	/* The code at va, or after another ibl_target of the slot, may read flags. */
	target.keeps_flags = kind == SITE_FLAGS || kind == SITE_RECORDED || translator->ibl.returns_flags ||
			     liveness_flags_at(translator, va);
	target.patch_va = emit_ibl_target(translator, va, site, target.keeps_flags);
	return target;
}

/* Translates the block in queue->ir and the blocks that follow directly after it. */
static void lay_out_blocks(struct translator *translator, struct layout_queue *queue, struct fixups *fixups)
{
	translator->emitter.r11_was_used = false;
	for (;;) {
		uint64_t va = emit_fragment(translator, &queue->ir, fixups);

		queue->n_done++;
		enqueue_successors(translator, queue);
		if (!va)
			return;
		if (translator_find_fragment(translator, va) || queue->n_done >= QUEUE_BLOCKS_MAX ||
		    !has_room(translator) || zone_for(translator, va) != translator->emitter.zone ||
		    !block_builder_read(translator, va, &queue->ir)) {
			emit_jump_to_next(translator, fixups, va);
			return;
		}
		translator->fragments.fragments[translator->fragments.n_fragments - 1].falls_through = true;
	}
}

static void lay_out(struct translator *translator, struct layout_queue *queue, struct queued_block block)
{
	uint32_t first_fragment = (uint32_t)translator->fragments.n_fragments;
	struct emitter *emitter = &translator->emitter;
	struct ibl_target target = {0};
	struct fixups fixups = {0};

	emitter->zone = zone_for(translator, block.va);
	if (!emitter->zone || !has_room(translator) || !block_builder_read(translator, block.va, &queue->ir))
		return;
	if (block.site != SITE_NONE) {
		target = begin_ibl_target(translator, block.va, block.site);
		emit_place_r11(translator, block.va);
	}
	lay_out_blocks(translator, queue, &fixups);
	finish(translator, &fixups, first_fragment);
	if (block.site != SITE_NONE)
		ibl_add_target(translator, block.site, target);
}

void layout_add_ibl_target(struct translator *translator, uint64_t va, uint32_t from, uint32_t site)
{
	const struct fragment *fragment = translator_find_fragment(translator, va);
	const struct ibl_target *known = ibl_find_target(translator, va, site);
	struct ibl_target target;
	uint64_t entry_va;
	struct zone *zone;
	uint32_t to;

	if (!fragment)
		return;
	to = translator_fragment_index(translator, fragment);
	entry_va = fragment->entry_va;
	translator->emitter.zone = zone = cache_find_zone(&translator->cache, entry_va);
	if (!has_room(translator) || (known && !known->is_removed))
		return;
	/* This adds a fragment, so *fragment may move. */
	target = begin_ibl_target(translator, va, site);
	emit_plain_state(translator);
	if (from != COUNTER_NONE)
		target.counter = emit_edges_indirect(translator, from, to);
	emit_place_r11(translator, va);
	EMIT(zone, 0xe9);
	links_patch(translator, emit_rel32(zone), entry_va);
	ibl_add_target(translator, site, target);
}

/* Adds the addresses in the page of va that other processes have reached. Returns their number. */
static size_t enqueue_reached(struct translator *translator, struct layout_queue *queue, uint64_t va)
{
	const struct reached_code *reached = &translator->engine->run->reached_code;
	struct code_page *page = pages_get(&translator->pages, va);
	const struct reached_page *known = NULL;

	if (page->reached_key && !page->has_hints)
		known = reached_code_find(reached, page->reached_key);
	page->has_hints = true;
	for (size_t i = 0; known && i < known->n_starts; i++) {
		unsigned way = known->starts[i].way;

		enqueue(queue, page->va + known->starts[i].offset,
			way < N_SITE_KINDS ? translator->ibl.sites[way].first : SITE_NONE);
	}
	return known ? known->n_starts : 0;
}

struct fragment *layout_translate(struct translator *translator, struct thread *thread, uint64_t va, uint32_t site)
{
	struct fragment *fragment = translator_find_fragment(translator, va);
	struct layout_queue queue = {0};
	size_t n_max = QUEUE_BLOCKS_MAX;

	translator->emitter.thread = thread;
	if (fragment)
		return fragment;
	enqueue(&queue, va, site);
	n_max += enqueue_reached(translator, &queue, va);
	for (size_t i = 0; i < queue.n_blocks && queue.n_done < n_max && !translator->is_full; i++) {
		struct queued_block block = queue.blocks[i];

		fragment = translator_find_fragment(translator, block.va);
		if (!fragment)
			lay_out(translator, &queue, block);
		else if (block.site != SITE_NONE)
			layout_add_ibl_target(translator, block.va, COUNTER_NONE, block.site);
	}
	free(queue.blocks);
	return translator_find_fragment(translator, va);
}
