/* Runs a program from its entry point and checks the contract of stream.h: the stream's executions add up to those of
 * the regions, and so do the executions of the paths built from it; blocks have consecutive addresses; the numbers of
 * words are those of the blocks.
 *
 *     streams --engine step|translate|auto PROGRAM [ARGUMENT ...]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "decode/insn_address.h"
#include "engine/engine.h"
#include "engine/translate/log/log_reader.h"
#include "recorders/paths.h"

struct sums {
	struct path_recorder *paths;
	struct profile profile; /* counts only: regions by index, instructions by index */
	uint64_t n_blocks, n_addresses;
	size_t n_checked; /* number of blocks */
	int n_problems;
};

static void problem(struct sums *sums, const char *text, uint64_t value)
{
	if (sums->n_problems++ < 10)
		printf("%s: %" PRIu64 "\n", text, value);
}

static void check_new_blocks(struct sums *sums, const struct profile *profile)
{
	for (; sums->n_checked < profile->n_blocks; sums->n_checked++) {
		const struct profile_block *block = &profile->blocks[sums->n_checked];
		const uint32_t *insns = &profile->block_insns[block->first];
		size_t n_addresses = 0;

		for (size_t i = 0; i < block->n_insns; i++) {
			const struct profile_insn *insn = &profile->insns[insns[i]];
			struct insn_operands operands;
			struct insn decoded;

			if (!insn_decode(insn->bytes, insn->length, &decoded) ||
			    !insn_operands_decode(insn->bytes, insn->length, &operands))
				continue;
			n_addresses += insn_count_address_entries(&operands);
			if (i + 1 < block->n_insns && decoded.flow != FLOW_NEXT)
				problem(sums, "a transfer within block", sums->n_checked);
			if (i + 1 < block->n_insns && insn->va + insn->length != profile->insns[insns[i + 1]].va)
				problem(sums, "a gap within block", sums->n_checked);
		}
		if (n_addresses != block->n_addresses)
			problem(sums, "wrong number of words of block", sums->n_checked);
	}
}

static void add_batch(void *context, struct profile *profile, const struct stream_batch *batch)
{
	struct sums *sums = context;
	struct stream_cursor cursor = stream_begin(profile, batch);
	size_t n_addresses = 0;

	path_recorder_add_batch(sums->paths, profile, batch);
	check_new_blocks(sums, profile);
	sums->profile.n_insns = profile->n_insns;
	while (sums->profile.n_regions < profile->n_regions)
		ARRAY_ADD(&sums->profile, regions);
	while (stream_next(&cursor)) {
		const struct profile_block *block = &profile->blocks[cursor.block];

		for (size_t k = 0; k < block->n_insns; k++)
			for (size_t r = 0; r < batch->n_regions; r++)
				profile_count(&sums->profile, batch->regions[r], profile->block_insns[block->first + k],
					      1, 0);
		n_addresses += block->n_addresses;
		sums->n_blocks++;
		if (batch->source && !cursor.n_blocks && !cursor.n_runs) {
			const struct log_shapes *shapes = log_reader_shapes(batch->source);

			if (cursor.next_addresses != shapes->chunk_addresses + shapes->n_chunk_addresses)
				problem(sums, "wrong number of addresses of records that end with block", cursor.block);
		}
	}
	if (!stream_has_addresses(batch) || (!batch->source && n_addresses != batch->n_addresses))
		problem(sums, "wrong number of words of a batch", n_addresses);
	sums->n_addresses += n_addresses;
}

static void add_paths(struct sums *paths, const struct profile *profile)
{
	paths->profile.n_insns = profile->n_insns;
	for (uint32_t r = 0; r < profile->n_regions; r++) {
		const struct profile_region *region = &profile->regions[r];

		ARRAY_ADD(&paths->profile, regions);
		for (size_t i = 0; i < region->pairs.n_rows; i++) {
			const struct profile_path *path = &profile->paths[region->pairs.rows[i].to];

			for (uint32_t k = 0; k < path->n_insns; k++)
				profile_count(&paths->profile, r, profile->path_insns[path->first_insn + k],
					      region->pairs.rows[i].count, 0);
		}
	}
}

static void compare(struct sums *sums, const struct profile *profile)
{
	for (size_t r = 0; r < profile->n_regions; r++) {
		const struct profile_region *counted = &profile->regions[r];
		const struct profile_region *summed = &sums->profile.regions[r];

		for (size_t i = 0; i < counted->n_counts; i++)
			if (counted->executions[i] != (i < summed->n_counts ? summed->executions[i] : 0))
				problem(sums, "other executions in the stream than counted at", profile->insns[i].va);
	}
}

int main(int argc, char **argv)
{
	struct interrupts interrupts = {0};
	struct sums sums = {.paths = path_recorder_create()}, paths = {0};
	const struct trace_stream stream = {.wants_addresses = true, .on_batch = add_batch, .context = &sums};
	struct trace_plan plan = {.disable_aslr = true, .whole_program = true, .stream = &stream};
	struct profile profile;
	struct error err;

	if (argc < 4 || strcmp(argv[1], "--engine") != 0)
		return 2;
	plan.engine = strcmp(argv[2], "step") == 0	  ? ENGINE_STEP
		      : strcmp(argv[2], "translate") == 0 ? ENGINE_TRANSLATE
							  : ENGINE_AUTO;
	plan.argv = (const char *const *)argv + 3;
	if (!engine_run(&plan, &interrupts, &profile, &err)) {
		printf("%s\n", err.text);
		return 1;
	}
	compare(&sums, &profile);
	path_recorder_finish(sums.paths, &profile);
	add_paths(&paths, &profile);
	compare(&paths, &profile);
	printf("%" PRIu64 " blocks, %" PRIu64 " words; %zu blocks differ\n", sums.n_blocks, sums.n_addresses,
	       profile.n_blocks);
	return sums.n_problems || paths.n_problems || !sums.n_blocks;
}
