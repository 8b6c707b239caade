#include "recorders/branches.h"

#include <stdlib.h>

#include "base/array.h"
#include "costmodels/predictors/branch.h"
#include "stream/block_attributes.h"

struct tally_thread {
	struct branch_predictor *predictor;
	uint32_t last;	   /* block whose end is still to be seen, or PROFILE_NONE */
	uint32_t *regions; /* [n_regions] that it counts into */
	size_t n_regions, regions_capacity;
};

struct branch_tally {
	struct block_attributes attributes;
	struct tally_thread *threads; /* by number */
	size_t n_threads, threads_capacity;
};

struct branch_tally *branch_tally_create(void)
{
	return xcalloc(1, sizeof(struct branch_tally));
}

void branch_tally_end_thread(struct branch_tally *tally, uint32_t thread)
{
	if (thread >= tally->n_threads)
		return;
	branch_predictor_destroy(tally->threads[thread].predictor);
	free(tally->threads[thread].regions);
	tally->threads[thread] = (struct tally_thread){.last = PROFILE_NONE};
}

void branch_tally_destroy(struct branch_tally *tally)
{
	if (!tally)
		return;
	for (size_t i = 0; i < tally->n_threads; i++)
		branch_tally_end_thread(tally, (uint32_t)i);
	block_attributes_deinit(&tally->attributes);
	free(tally->threads);
	free(tally);
}

static struct tally_thread *find_thread(struct branch_tally *tally, uint32_t number)
{
	while (tally->n_threads <= number)
		ARRAY_ADD(tally, threads)->last = PROFILE_NONE;
	if (!tally->threads[number].predictor)
		tally->threads[number].predictor = branch_predictor_create();
	return &tally->threads[number];
}

static void end_block(struct profile *profile, struct tally_thread *thread, const struct block_attribute *attribute,
		      uint64_t next_va)
{
	if (!branch_predictor_meet(thread->predictor, attribute->flow, attribute->last_va, attribute->end_va, next_va))
		return;
	for (size_t i = 0; i < thread->n_regions; i++)
		profile_tally(&profile->regions[thread->regions[i]].mispredicts, attribute->last_insn, 1);
}

static void set_regions(struct tally_thread *thread, const struct stream_batch *batch)
{
	thread->n_regions = 0;
	for (size_t i = 0; i < batch->n_regions; i++)
		*ARRAY_ADD(thread, regions) = batch->regions[i];
}

void branch_tally_add(struct branch_tally *tally, struct profile *profile, const struct stream_batch *batch)
{
	struct tally_thread *thread = find_thread(tally, batch->thread);
	struct stream_cursor cursor = stream_begin(profile, batch);
	uint32_t last = batch->follows ? thread->last : PROFILE_NONE;
	bool has_regions = false;

	while (stream_next(&cursor)) {
		uint64_t next_va = block_attributes_at(&tally->attributes, profile, cursor.block)->first_va;

		/* What came before this batch counts into its regions. */
		if (last != PROFILE_NONE)
			end_block(profile, thread, &tally->attributes.attributes[last], next_va);
		if (!has_regions)
			set_regions(thread, batch);
		has_regions = true;
		last = cursor.block;
	}
	thread->last = last;
}
