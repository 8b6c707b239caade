#include "engine/translate/log/log_shapes.h"

#include <stdlib.h>

#include "base/array.h"

static void add_profile_block(struct translator *translator, struct fragment_insn *insns, size_t n_insns)
{
	struct profile *profile = translator->engine->profile;
	uint32_t indices[FRAGMENT_INSNS_MAX];

	for (size_t i = 0; i < n_insns; i++)
		indices[i] = translator_insn_index(translator, &insns[i]);
	*ARRAY_ADD(&translator->log.shapes, blocks) = profile_intern_block(profile, indices, n_insns);
}

static bool ends_profile_block(const struct fragment_insn *insn)
{
	return insn->insn.flow != FLOW_NEXT;
}

static size_t count_profile_blocks(const struct translator *translator, uint32_t fragment, size_t n_insns)
{
	const struct fragment_insn *insns = translator_insns(translator, translator_fragment(translator, fragment));
	size_t n_blocks = 1;

	for (size_t i = 0; i + 1 < n_insns; i++)
		n_blocks += ends_profile_block(&insns[i]);
	return n_blocks;
}

/* Makes the log plan of the first n_insns again, as it was when they were emitted. */
static const struct log_plan *replay_plan(struct translator *translator, const struct fragment_insn *insns,
					  size_t n_insns)
{
	struct log_plan *plan = &translator->log.replay;

	plan->stolen = translator->log.plan.stolen;
	log_plan_begin(plan);
	for (size_t i = 0; i < n_insns; i++)
		log_plan_add(plan, i, insns[i].va, &insns[i].insn, true);
	return plan;
}

/* A constant address is the head, whose value is known, plus a constant. */
static size_t add_sums(struct translator *translator, const struct fragment_insn *insns, size_t n_insns, uint32_t head)
{
	const struct log_plan *plan = replay_plan(translator, insns, n_insns);
	struct log_shapes *shapes = &translator->log.shapes;

	for (size_t i = 0; i < plan->n_addresses; i++) {
		const struct log_address *address = &plan->addresses[i];
		bool is_constant = address->logged == LOG_NO_REG;
		uint64_t offset = is_constant ? address->offset - log_shapes_head_value(head) : address->offset;

		*ARRAY_ADD(shapes,
			   sums) = (int64_t)(offset << LOG_FROM_BITS | (is_constant ? 0 : address->logged + 1u));
	}
	for (size_t i = plan->n_addresses; i % LOG_GROUP; i++)
		*ARRAY_ADD(shapes, sums) = 0;
	return plan->n_addresses;
}

static uint32_t head_of(const struct log_shape_source *source, uint32_t shape)
{
	return shape << LOG_SIZE_BITS | source->size;
}

static void resolve(void *context, uint32_t index)
{
	struct translator *translator = context;
	struct log_shapes *shapes = &translator->log.shapes;
	const struct log_shape_source *source = &translator->log.sources[index];
	struct fragment_insn *insns = translator_insns(translator, translator_fragment(translator, source->fragment));
	struct log_shape *shape = &shapes->shapes[index];
	size_t first = 0;

	shape->first_block = (uint32_t)shapes->n_blocks;
	for (size_t i = 0; i < source->n_insns; i++) {
		if (i + 1 < source->n_insns && !ends_profile_block(&insns[i]))
			continue;
		add_profile_block(translator, &insns[first], i + 1 - first);
		first = i + 1;
	}
	shape->n_blocks = (uint32_t)(shapes->n_blocks - shape->first_block);
	if (shapes->source.has_addresses) {
		shape->first_sum = (uint32_t)shapes->n_sums;
		shape->n_sums = (uint32_t)add_sums(translator, insns, source->n_insns, head_of(source, index));
	}
}

void log_shapes_init(struct translator *translator)
{
	const struct trace_plan *plan = translator->engine->plan;
	struct log_shapes *shapes = &translator->log.shapes;

	log_reader_init(shapes);
	shapes->source.has_addresses = plan->stream && plan->stream->wants_addresses;
	shapes->resolve = resolve;
	shapes->context = translator;
}

void log_shapes_clear(struct log *log)
{
	log->shapes.n_shapes = log->shapes.n_blocks = log->shapes.n_sums = 0;
	log->n_sources = 0;
}

void log_shapes_deinit(struct log *log)
{
	free(log->shapes.shapes);
	free(log->shapes.blocks);
	free(log->shapes.sums);
	free(log->sources);
}

uint32_t log_shapes_add(struct translator *translator, uint32_t fragment, size_t n_insns, size_t n_logged)
{
	struct log *log = &translator->log;
	uint32_t shape = (uint32_t)log->n_sources;
	bool has_addresses = log->shapes.source.has_addresses;
	struct log_shape_source source = {
		.fragment = fragment,
		.n_insns = (uint8_t)n_insns,
		.size = (uint8_t)(has_addresses ? n_logged : count_profile_blocks(translator, fragment, n_insns)),
		.next = translator_fragment(translator, fragment)->first_shape,
	};

	/* Leave room for one more fragment with all its exits. */
	if (shape + FRAGMENT_INSNS_MAX * 2 > UINT32_MAX >> LOG_SIZE_BITS)
		translator->is_full = true;
	translator_fragment(translator, fragment)->first_shape = shape;
	*ARRAY_ADD(log, sources) = source;
	*ARRAY_ADD(&log->shapes, shapes) = (struct log_shape){0};
	return head_of(&source, shape);
}

uint32_t log_shapes_partial_head(struct translator *translator, const struct fragment *fragment, size_t n_insns)
{
	const struct log *log = &translator->log;
	size_t n_logged = 0;

	for (uint32_t i = fragment->first_shape; i != LOG_NO_SHAPE; i = log->sources[i].next)
		if (log->sources[i].n_insns == n_insns)
			return head_of(&log->sources[i], i);
	if (log->shapes.source.has_addresses)
		n_logged = replay_plan(translator, translator_insns(translator, fragment), n_insns)->n_logged;
	return log_shapes_add(translator, translator_fragment_index(translator, fragment), n_insns, n_logged);
}
