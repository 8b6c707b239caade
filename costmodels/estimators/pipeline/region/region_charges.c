#include "costmodels/estimators/pipeline/region/region_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Cycles are multiplied by counts of executions, which a file may claim to be anything; what would add up to more is cut. */
#define MCYC_LIMIT (INT64_MAX / 8)

mcyc_t region_times(mcyc_t mcyc, uint64_t count)
{
	__int128 product = (__int128)mcyc * (__int128)count;

	return product > MCYC_LIMIT ? MCYC_LIMIT : (mcyc_t)product;
}

mcyc_t region_charge_insn(struct simulation *simulation, uint32_t insn, enum simulator_wait wait, mcyc_t mcyc)
{
	mcyc_t left = MCYC_LIMIT - simulation->total_mcyc;

	if (mcyc > left)
		mcyc = left;
	if (insn >= simulation->cycles->n_insns)
		return 0;
	simulation->total_mcyc += mcyc;
	simulation->cycles->waits_mcyc[wait] += mcyc;
	simulation->cycles->insn_mcyc[insn] += mcyc;
	return mcyc;
}

mcyc_t region_sum_waits(const mcyc_t waits_mcyc[N_WAITS])
{
	mcyc_t sum = 0;

	for (int i = 0; i < N_WAITS; i++)
		sum += waits_mcyc[i];
	return sum;
}

static void snapshot_path(struct simulation *simulation, uint32_t path)
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
			memcpy(*ARRAY_ADD(snapshot, waits_mcyc),
			       simulator_charges(simulation->replay.simulator, block->number)[k].waits_mcyc,
			       sizeof(*snapshot->waits_mcyc));
	}
}

void region_take_snapshot(struct simulation *simulation, size_t n_context, uint32_t to)
{
	struct snapshot *snapshot = &simulation->snapshot;

	snapshot->stamp++;
	snapshot->n_blocks = snapshot->n_waits_mcyc = 0;
	for (size_t i = 0; i < n_context; i++)
		snapshot_path(simulation, simulation->context[i]);
	snapshot_path(simulation, to);
}

static mcyc_t share(mcyc_t mcyc, uint64_t count, uint64_t rounds)
{
	__int128 product = (__int128)mcyc * (__int128)count / (__int128)rounds;

	return product > MCYC_LIMIT ? MCYC_LIMIT : (mcyc_t)product;
}

void region_charge(struct simulation *simulation, uint64_t count, uint64_t rounds, mcyc_t sums_mcyc[N_WAITS])
{
	const struct snapshot *snapshot = &simulation->snapshot;
	size_t at = 0;

	for (size_t i = 0; i < snapshot->n_blocks; i++) {
		const struct replay_block *block = &simulation->replay.blocks[snapshot->blocks[i]];
		const struct simulator_charge *charges = simulator_charges(simulation->replay.simulator, block->number);

		for (uint32_t k = 0; k < block->n_insns; k++, at++) {
			uint32_t insn = simulation->replay.insns[block->first_insn + k];

			for (int wait = 0; wait < N_WAITS; wait++) {
				mcyc_t added = charges[k].waits_mcyc[wait] - snapshot->waits_mcyc[at][wait];

				if (!added)
					continue;
				added = share(added, count, rounds);
				sums_mcyc[wait] += region_charge_insn(simulation, insn, (enum simulator_wait)wait,
								      added);
			}
		}
	}
}
