/* Which blocks are translated together, and in what order they are laid out.
 *
 * Each time that the program stops for code that is not there yet, the blocks that it can reach from there are translated, too: a stop costs as
 * much as some ten instructions' translation. What is reached by falling through or jumping comes right behind.
 */
#include <stdlib.h>

#include "base/array.h"
#include "engine/translate/contexts/edges.h"
#include "engine/translate/emit/encode.h"
#include "engine/translate/emit/emit_block.h"

enum { BATCH_BLOCKS = 64 };

/* Blocks that are to be translated on this occasion. */
struct batch {
	struct wanted {
		uint64_t va;
		uint32_t site; /* of the landing before it, or SITE_NONE */
	} * wanted;
	size_t n_wanted, wanted_capacity;
	size_t n_blocks; /* done */
	struct draft draft;
};

static void want(struct batch *batch, uint64_t va, uint32_t site)
{
	*ARRAY_ADD(batch, wanted) = (struct wanted){.va = va, .site = site};
}

/* In the table, for the sites of one more block. */
static bool has_places(const struct translator *translator)
{
	for (enum site_kind kind = 0; kind < SITE_RECORDED; kind++)
		if (translator->wants_edges &&
		    translator->sites[kind].n_sites + BLOCK_INSNS_MAX > translator->sites[kind].n_places)
			return false;
	return true;
}

static bool has_room(struct translator *translator)
{
	if (translator->zone->n_used + BLOCK_BYTES_MAX > ZONE_BYTES ||
	    translator->n_counters + BLOCK_COUNTERS_MAX > COUNTERS_MAX || !has_places(translator))
		translator->is_full = true;
	return !translator->is_full;
}

/* The block at va waits here; or a stop, until there is one. */
static void end_branch(struct translator *translator, struct chain_branch *branch)
{
	const struct block *block;
	uint64_t exit_va;

	edges_emit_taken(translator, branch);
	add_link(translator, branch->patch_va, branch->va);
	block = find_block(translator, branch->va);
	if (block) {
		link_branch(translator, branch->patch_va, block->entry_va);
		return;
	}
	exit_va = emit_va(translator->zone);
	EMIT(translator->zone, 0xcc);
	add_exit(translator, exit_va,
		 (struct exit){.kind = EXIT_LINK,
			       .va = branch->va,
			       .r11_is_away = !r11_is_home_at(translator, branch->va, false)});
	link_branch(translator, branch->patch_va, exit_va);
}

static void end_chain(struct translator *translator, struct chain *chain, size_t first_block)
{
	struct zone *zone = translator->zone;
	size_t n_blocks = translator->n_blocks;

	for (size_t i = 0; i < chain->n_literals; i++) {
		uint64_t literal_va = emit_va(zone);

		emit_64(zone, chain->literals[i].value);
		link_branch(translator, chain->literals[i].patch_va, literal_va);
	}
	for (size_t i = 0; i < chain->n_misses; i++)
		emit_miss(translator, &chain->misses[i]);
	for (size_t i = 0; i < chain->n_branches; i++)
		end_branch(translator, &chain->branches[i]);
	for (size_t i = first_block; i < n_blocks; i++)
		if (translator->blocks[i].n_insns)
			link_block(translator, translator->blocks[i].va, translator->blocks[i].entry_va);
	free(chain->branches);
	free(chain->misses);
	free(chain->literals);
}

/* Whether the draft goes on to where the call returns to. */
static bool returns(const struct draft *draft, size_t call)
{
	size_t depth = 0;

	for (size_t i = call + 1; i < draft->n_insns; i++) {
		enum insn_flow flow = draft->insns[i].insn.flow;

		if (flow == FLOW_RETURN && depth-- == 0)
			return i + 1 < draft->n_insns;
		depth += flow == FLOW_CALL || flow == FLOW_CALL_INDIRECT;
	}
	return false;
}

/* For those of which nothing is known yet. */
static uint32_t site_of_returns(const struct translator *translator)
{
	return translator->sites[translator->wants_edges ? SITE_RECORDED : SITE_ANY].first;
}

/* Functions that return flags, as assembly has them, are known by what follows on a call. Where one returns to, another landing may be the first
 * in line. */
static void heed_returned_flags(struct translator *translator, uint64_t return_va)
{
	if (translator->returns_flags || !flags_live_at(translator, return_va) ||
	    !flags_are_read_at(translator, return_va))
		return;
	translator->returns_flags = true;
	translator->is_full = true;
}

static void want_successors(struct translator *translator, struct batch *batch)
{
	const struct draft *draft = &batch->draft;
	const struct insn *last = &draft->insns[draft->n_insns - 1].insn;

	for (size_t i = 0; i + 1 < draft->n_insns; i++) {
		const struct block_insn *insn = &draft->insns[i];
		bool is_call = insn->insn.flow == FLOW_CALL || insn->insn.flow == FLOW_CALL_INDIRECT;

		if (is_call)
			heed_returned_flags(translator, insn->va + insn->insn.length);
		if (is_call && !returns(draft, i))
			want(batch, insn->va + insn->insn.length, site_of_returns(translator));
		if (insn->insn.flow == FLOW_BRANCH && traces_want_side(translator, draft_side(draft, i)))
			want(batch, draft_side(draft, i), SITE_NONE);
	}
	if (last->flow == FLOW_BRANCH && traces_want_side(translator, draft->end_va + (uint64_t)last->displacement))
		want(batch, draft->end_va + (uint64_t)last->displacement, SITE_NONE);
	if (last->flow == FLOW_CALL || last->flow == FLOW_CALL_INDIRECT) {
		heed_returned_flags(translator, draft->end_va);
		want(batch, draft->end_va, site_of_returns(translator));
	}
}

/* Whether a landing must not touch flags: what is at va, or behind another landing in line, may look at them. */
static bool keeps_flags_at(struct translator *translator, uint64_t va, uint32_t site)
{
	enum site_kind kind = site_kind(translator, site);

	return kind == SITE_FLAGS || kind == SITE_RECORDED || translator->returns_flags ||
	       flags_live_at(translator, va);
}

/* Translates the block at va and those that are to follow right behind. False when there is nothing to translate. */
static bool translate_chain(struct translator *translator, struct batch *batch, uint64_t va, uint32_t site)
{
	size_t first_block = translator->n_blocks;
	bool keeps_flags = false;
	uint64_t landing_va = 0, patch_va = 0, landing_for = va;
	struct chain chain = {0};

	translator->zone = cache_zone_near(&translator->cache, translator->engine->target, translator->thread, va);
	if (!translator->zone || !has_room(translator) || !draft_read(translator, va, &batch->draft))
		return false;
	if (site != SITE_NONE) {
		landing_va = emit_va(translator->zone);
		keeps_flags = keeps_flags_at(translator, va, site);
		patch_va = emit_landing(translator, va, site, keeps_flags);
		place_r11(translator, va);
	}
	translator->r11_was_used = false;
	for (;;) {
		va = emit_block(translator, &chain, &batch->draft);
		batch->n_blocks++;
		want_successors(translator, batch);
		if (!va)
			break;
		if (find_block(translator, va) || batch->n_blocks >= BATCH_BLOCKS || !has_room(translator) ||
		    !cache_serves(translator->zone, va) || !draft_read(translator, va, &batch->draft)) {
			emit_sequel(translator, &chain, va);
			break;
		}
		translator->blocks[translator->n_blocks - 1].falls_on = true;
	}
	end_chain(translator, &chain, first_block);
	if (site != SITE_NONE)
		register_landing(translator, site,
				 (struct landing){.va = landing_for,
						  .landing_va = landing_va,
						  .patch_va = patch_va,
						  .keeps_flags = keeps_flags});
	return true;
}

/* A landing for a block that is there already, and, where they are counted, for those who left a block that way. */
static void add_landing(struct translator *translator, const struct block *block, uint32_t from, uint32_t site)
{
	uint32_t to = (uint32_t)(block - translator->blocks);
	uint64_t va = block->va, entry_va = block->entry_va, jump_va;
	struct landing landing = {.va = va, .counter = COUNTER_NONE};
	const struct landing *former;

	translator->zone = cache_find_zone(&translator->cache, entry_va);
	former = find_landing(translator, va, site);
	if (!has_room(translator) || (former && !former->is_unregistered))
		return;
	landing.landing_va = emit_va(translator->zone);
	landing.keeps_flags = keeps_flags_at(translator, va, site);
	landing.patch_va = emit_landing(translator, va, site, landing.keeps_flags);
	add_point(translator, (struct point){.kind = POINT_FORWARD});
	if (from != COUNTER_NONE)
		landing.counter = edges_emit_landed(translator, from, to);
	place_r11(translator, va);
	EMIT(translator->zone, 0xe9);
	jump_va = emit_va(translator->zone);
	emit_32(translator->zone, 0);
	link_branch(translator, jump_va, entry_va);
	register_landing(translator, site, landing);
}

struct block *translate_block(struct translator *translator, struct thread *thread, uint64_t va, uint32_t site)
{
	struct block *block = find_block(translator, va);
	struct batch batch = {0};

	translator->thread = thread;
	if (block)
		return block;
	want(&batch, va, site);
	for (size_t i = 0; i < batch.n_wanted && batch.n_blocks < BATCH_BLOCKS && !translator->is_full; i++) {
		struct wanted wanted = batch.wanted[i];

		block = find_block(translator, wanted.va);
		if (!block)
			translate_chain(translator, &batch, wanted.va, wanted.site);
		else if (wanted.site != SITE_NONE)
			add_landing(translator, block, COUNTER_NONE, wanted.site);
	}
	free(batch.wanted);
	return find_block(translator, va);
}

void translate_landing(struct translator *translator, struct thread *thread, uint64_t va, uint32_t site)
{
	const struct block *block = translate_block(translator, thread, va, SITE_NONE);

	if (block)
		add_landing(translator, block, COUNTER_NONE, site);
}

void translate_counted_landing(struct translator *translator, uint64_t va, uint32_t from)
{
	const struct block *block = find_block(translator, va);

	if (block)
		add_landing(translator, block, from, translator->counters[from].site);
}
