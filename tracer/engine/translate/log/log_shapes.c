/* What the records of the log stand for: each block has a shape for itself as a whole, one for each side by which it can be left, and more for
 * where it was left otherwise. */
#include <stdlib.h>

#include "base/array.h"
#include "engine/translate/log/log.h"

/* The part of a block from one transfer to the next. */
static void add_straight(struct translator *translator, struct block_insn *insns, size_t n_insns)
{
	uint32_t indices[BLOCK_INSNS_MAX];

	for (size_t i = 0; i < n_insns; i++)
		indices[i] = block_insn_index(translator, &insns[i]);
	*ARRAY_ADD(&translator->log.shapes, blocks) = profile_intern_block(translator->engine->profile, indices,
									   n_insns);
}

static bool ends_straight(const struct block_insn *insn)
{
	return insn->insn.flow != FLOW_NEXT;
}

static size_t count_straight(const struct translator *translator, uint32_t block, size_t n_insns)
{
	const struct block_insn *insns = &translator->insns[translator->blocks[block].first_insn];
	size_t n_straight = 1;

	for (size_t i = 0; i + 1 < n_insns; i++)
		n_straight += ends_straight(&insns[i]);
	return n_straight;
}

/* The first instructions of a block, planned again as they were when it was emitted. */
static const struct log_plan *plan_again(struct translator *translator, const struct block_insn *insns, size_t n_insns)
{
	struct log_plan *plan = &translator->log.again;

	plan->stolen = translator->log.plan.stolen;
	log_plan_begin(plan);
	for (size_t i = 0; i < n_insns; i++)
		log_plan_add(plan, i, insns[i].va, &insns[i].insn, true);
	return plan;
}

/* The head's value stands for 0. */
static size_t add_sums(struct translator *translator, const struct block_insn *insns, size_t n_insns, uint32_t head)
{
	const struct log_plan *plan = plan_again(translator, insns, n_insns);
	struct stream_shapes *shapes = &translator->log.shapes;

	for (size_t i = 0; i < plan->n_addresses; i++) {
		const struct log_address *address = &plan->addresses[i];
		bool is_constant = address->word == LOG_NONE;
		uint64_t more = is_constant ? address->more - log_head_value(head) : address->more;

		*ARRAY_ADD(shapes, sums) = (int64_t)(more << STREAM_FROM_BITS | (is_constant ? 0 : address->word + 1u));
	}
	for (size_t i = plan->n_addresses; i % STREAM_GROUP_WORDS; i++)
		*ARRAY_ADD(shapes, sums) = 0;
	return plan->n_addresses;
}

static uint32_t head_of(const struct log_origin *origin, uint32_t shape)
{
	return shape << STREAM_SIZE_BITS | origin->size;
}

static void learn(void *context, uint32_t index)
{
	struct translator *translator = context;
	struct stream_shapes *shapes = &translator->log.shapes;
	const struct log_origin *origin = &translator->log.origins[index];
	struct block_insn *insns = &translator->insns[translator->blocks[origin->block].first_insn];
	size_t first = 0;

	shapes->shapes[index].first_block = (uint32_t)shapes->n_blocks;
	for (size_t i = 0; i < origin->n_insns; i++) {
		if (i + 1 < origin->n_insns && !ends_straight(&insns[i]))
			continue;
		add_straight(translator, &insns[first], i + 1 - first);
		first = i + 1;
	}
	shapes->shapes[index].n_blocks = (uint32_t)(shapes->n_blocks - shapes->shapes[index].first_block);
	if (shapes->have_words) {
		shapes->shapes[index].first_sum = (uint32_t)shapes->n_sums;
		shapes->shapes[index].n_sums = (uint32_t)add_sums(translator, insns, origin->n_insns,
								  head_of(origin, index));
	}
}

void log_init(struct translator *translator)
{
	const struct trace_plan *plan = translator->engine->plan;
	struct log *log = &translator->log;

	log->is_wanted = plan->stream || plan->on_instruction;
	log->plan.stolen = log->better = LOG_STOLEN_FIRST;
	log->shapes.have_words = plan->stream && plan->stream->wants_addresses;
	log->shapes.by_avx512 = stream_has_avx512();
	log->shapes.learn = learn;
	log->shapes.context = translator;
}

void log_clear(struct translator *translator)
{
	translator->log.shapes.n_shapes = translator->log.shapes.n_blocks = translator->log.shapes.n_sums = 0;
	translator->log.n_origins = 0;
	translator->log.plan.stolen = translator->log.better;
}

void log_deinit(struct translator *translator)
{
	free(translator->log.shapes.shapes);
	free(translator->log.shapes.blocks);
	free(translator->log.shapes.sums);
	free(translator->log.origins);
}

uint32_t log_add_shape(struct translator *translator, uint32_t block, size_t n_insns, size_t n_words)
{
	struct log *log = &translator->log;
	uint32_t shape = (uint32_t)log->n_origins;
	struct log_origin origin = {
		.block = block,
		.n_insns = (uint8_t)n_insns,
		.size = (uint8_t)(log->shapes.have_words ? n_words : count_straight(translator, block, n_insns)),
		.next = translator->blocks[block].first_shape,
	};

	/* Those of one more block, with all ways to leave it, find room. */
	if (shape + BLOCK_INSNS_MAX * 2 > UINT32_MAX >> STREAM_SIZE_BITS)
		translator->is_full = true;
	translator->blocks[block].first_shape = shape;
	*ARRAY_ADD(log, origins) = origin;
	*ARRAY_ADD(&log->shapes, shapes) = (struct stream_shape){0};
	return head_of(&origin, shape);
}

uint32_t log_part_head(struct translator *translator, const struct block *block, size_t n_insns)
{
	const struct block_insn *insns = &translator->insns[block->first_insn];
	size_t n_words = 0;

	for (uint32_t i = block->first_shape; i != LOG_NO_SHAPE; i = translator->log.origins[i].next)
		if (translator->log.origins[i].n_insns == n_insns)
			return head_of(&translator->log.origins[i], i);
	if (translator->log.shapes.have_words)
		n_words = plan_again(translator, insns, n_insns)->n_words;
	return log_add_shape(translator, (uint32_t)(block - translator->blocks), n_insns, n_words);
}
