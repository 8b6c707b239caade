#include "costmodels/estimators/pipeline/region/region_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Limit of scaled cycles, because counts of a damaged file may be arbitrarily high. */
#define MCYC_LIMIT (INT64_MAX / 8)

mcyc_t region_scale_mcyc(mcyc_t mcyc, uint64_t count, uint64_t divisor)
{
	__int128 scaled = (__int128)mcyc * (__int128)count / (__int128)divisor;

	return scaled > MCYC_LIMIT ? MCYC_LIMIT : (mcyc_t)scaled;
}

mcyc_t region_charge_insn(struct region_simulation *simulation, uint32_t insn, enum stall_cause stall, mcyc_t mcyc)
{
	mcyc_t left = MCYC_LIMIT - simulation->total_mcyc;

	if (mcyc > left)
		mcyc = left;
	if (insn >= simulation->cycles->n_insns)
		return 0;
	simulation->total_mcyc += mcyc;
	simulation->cycles->stalls_mcyc[stall] += mcyc;
	simulation->cycles->insn_mcyc[insn] += mcyc;
	return mcyc;
}

mcyc_t region_sum_stalls(const mcyc_t stalls_mcyc[N_STALLS])
{
	mcyc_t sum = 0;

	for (int i = 0; i < N_STALLS; i++)
		sum += stalls_mcyc[i];
	return sum;
}

static void snapshot_path(struct region_simulation *simulation, uint32_t path)
{
	struct snapshot *snapshot = &simulation->snapshot;
	uint32_t n_blocks;
	const uint32_t *blocks = replay_blocks(&simulation->replay, path, &n_blocks);

	for (uint32_t i = 0; i < n_blocks; i++) {
		const struct replay_block *block = &simulation->replay.blocks[blocks[i]];

		while (snapshot->n_stamps <= blocks[i])
			ARRAY_ADD(snapshot, stamps);
		if (snapshot->stamps[blocks[i]] == snapshot->stamp || block->number == REPLAY_NO_BLOCK)
			continue;
		snapshot->stamps[blocks[i]] = snapshot->stamp;
		*ARRAY_ADD(snapshot, blocks) = blocks[i];
		for (uint32_t k = 0; k < block->n_insns; k++)
			memcpy(*ARRAY_ADD(snapshot, stalls_mcyc),
			       simulator_charges(simulation->replay.simulator, block->number)[k].stalls_mcyc,
			       sizeof(*snapshot->stalls_mcyc));
	}
}

void region_take_snapshot(struct region_simulation *simulation, size_t n_context, uint32_t to)
{
	struct snapshot *snapshot = &simulation->snapshot;

	snapshot->stamp++;
	snapshot->n_blocks = snapshot->n_stalls_mcyc = 0;
	for (size_t i = 0; i < n_context; i++)
		snapshot_path(simulation, simulation->context[i]);
	snapshot_path(simulation, to);
}

void region_charge(struct region_simulation *simulation, uint64_t count, uint64_t iterations,
		   mcyc_t sums_mcyc[N_STALLS])
{
	const struct snapshot *snapshot = &simulation->snapshot;
	size_t at = 0;

	for (size_t i = 0; i < snapshot->n_blocks; i++) {
		const struct replay_block *block = &simulation->replay.blocks[snapshot->blocks[i]];
		const struct simulator_charge *charges = simulator_charges(simulation->replay.simulator, block->number);

		for (uint32_t k = 0; k < block->n_insns; k++, at++) {
			uint32_t insn = simulation->replay.insns[block->first_insn + k];

			for (int stall = 0; stall < N_STALLS; stall++) {
				mcyc_t added = charges[k].stalls_mcyc[stall] - snapshot->stalls_mcyc[at][stall];

				if (!added)
					continue;
				added = region_scale_mcyc(added, count, iterations);
				sums_mcyc[stall] += region_charge_insn(simulation, insn, (enum stall_cause)stall,
								       added);
			}
		}
	}
}
