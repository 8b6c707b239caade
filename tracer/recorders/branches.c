#include "recorders/branches.h"

#include <stdlib.h>

#include "base/array.h"
#include "costmodels/predictors/branch.h"
#include "stream/block_attributes.h"

struct branch_thread {
	struct branch_predictor *predictor;
	uint32_t last;	   /* the last block, with a pending branch at its end, or PROFILE_NONE */
	uint32_t *regions; /* [n_regions] of the last batch, which count the pending branch */
	size_t n_regions, regions_capacity;
};

struct branch_recorder {
	struct block_attributes attributes;
	struct branch_thread *threads; /* [n_threads] by number */
	size_t n_threads, threads_capacity;
};

struct branch_recorder *branch_recorder_create(void)
{
	return xcalloc(1, sizeof(struct branch_recorder));
}

void branch_recorder_end_thread(struct branch_recorder *recorder, uint32_t thread)
{
	if (thread >= recorder->n_threads)
		return;
	branch_predictor_destroy(recorder->threads[thread].predictor);
	free(recorder->threads[thread].regions);
	recorder->threads[thread] = (struct branch_thread){.last = PROFILE_NONE};
}

void branch_recorder_destroy(struct branch_recorder *recorder)
{
	if (!recorder)
		return;
	for (size_t i = 0; i < recorder->n_threads; i++)
		branch_recorder_end_thread(recorder, (uint32_t)i);
	block_attributes_deinit(&recorder->attributes);
	free(recorder->threads);
	free(recorder);
}

static struct branch_thread *find_thread(struct branch_recorder *recorder, uint32_t number)
{
	while (recorder->n_threads <= number)
		ARRAY_ADD(recorder, threads)->last = PROFILE_NONE;
	if (!recorder->threads[number].predictor)
		recorder->threads[number].predictor = branch_predictor_create();
	return &recorder->threads[number];
}

static void end_block(struct profile *profile, struct branch_thread *thread, const struct block_attribute *attribute,
		      uint64_t next_va)
{
	if (!branch_predictor_update(thread->predictor, attribute->flow, attribute->last_va, attribute->end_va,
				     next_va))
		return;
	for (size_t i = 0; i < thread->n_regions; i++)
		profile_tally_add(&profile->regions[thread->regions[i]].mispredicts, attribute->last_insn, 1);
}

static void set_regions(struct branch_thread *thread, const struct stream_batch *batch)
{
	thread->n_regions = 0;
	for (size_t i = 0; i < batch->n_regions; i++)
		*ARRAY_ADD(thread, regions) = batch->regions[i];
}

void branch_recorder_add_batch(struct branch_recorder *recorder, struct profile *profile,
			       const struct stream_batch *batch)
{
	struct branch_thread *thread = find_thread(recorder, batch->thread);
	struct stream_cursor cursor = stream_begin(profile, batch);
	uint32_t last = batch->is_continuation ? thread->last : PROFILE_NONE;
	bool has_regions = false;

	while (stream_next(&cursor)) {
		uint64_t next_va = block_attributes_at(&recorder->attributes, profile, cursor.block)->first_va;

		/* The pending branch of the previous batch counts in the regions of that batch. */
		if (last != PROFILE_NONE)
			end_block(profile, thread, &recorder->attributes.attributes[last], next_va);
		if (!has_regions)
			set_regions(thread, batch);
		has_regions = true;
		last = cursor.block;
	}
	thread->last = last;
}
