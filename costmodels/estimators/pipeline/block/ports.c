#include <stdlib.h>
#include <string.h>

#include "costmodels/estimators/pipeline/block/block.h"

/* More than any real block has. If further unions are ignored, the bound is lower but still valid. */
#define MAX_UNIONS 512

struct demand {
	port_set_t ports;
	uint64_t mcyc;
};

/* Adds up the uses of each set of ports. Returns the number of sets. */
static size_t collect(const struct block *block, struct demand *demands)
{
	size_t n = 0;

	for (size_t i = 0; i < block->n_insns; i++)
		for (uint32_t j = 0; j < block->insns[i].n_uses; j++) {
			const struct port_use *use = &block->insns[i].uses[j];
			size_t k = 0;

			if (!use->mcyc)
				continue;
			while (k < n && demands[k].ports != use->ports)
				k++;
			if (k == MAX_UNIONS)
				continue;
			if (k == n)
				demands[n++] = (struct demand){use->ports, 0};
			demands[k].mcyc += use->mcyc;
		}
	return n;
}

/* Finds all unions of the sets of ports. Returns their number. */
static size_t add_unions(const struct demand *demands, size_t n_demands, port_set_t *unions)
{
	size_t n = 0;

	for (size_t i = 0; i < n_demands; i++) {
		size_t n_before = n;

		for (size_t j = 0; j <= n_before; j++) {
			port_set_t set = demands[i].ports | (j < n_before ? unions[j] : 0);
			size_t k = 0;

			while (k < n && unions[k] != set)
				k++;
			if (k == n && n < MAX_UNIONS)
				unions[n++] = set;
		}
	}
	return n;
}

mcyc_t block_bound_ports(const struct block *block, port_set_t *limiting)
{
	struct demand demands[MAX_UNIONS];
	port_set_t unions[MAX_UNIONS];
	size_t n_demands = collect(block, demands), n_unions = add_unions(demands, n_demands, unions);
	uint64_t best = 0;

	*limiting = 0;
	for (size_t i = 0; i < n_unions; i++) {
		unsigned n_ports = (unsigned)__builtin_popcountll(unions[i]);
		uint64_t mcyc = 0;

		for (size_t j = 0; j < n_demands; j++)
			if (!(demands[j].ports & ~unions[i]))
				mcyc += demands[j].mcyc;
		mcyc = (mcyc + n_ports / 2) / n_ports;
		if (mcyc > best) {
			best = mcyc;
			*limiting = unions[i];
		}
	}
	return (mcyc_t)best;
}

/* Distributes the cycles of a use over its ports so that their loads are as even as possible. */
static void spread(uint64_t load[PIPELINE_MAX_PORTS], const struct port_use *use, struct pipeline_insn *insn)
{
	uint32_t left = use->mcyc;

	while (left) {
		uint64_t lowest = UINT64_MAX, next = UINT64_MAX;
		uint32_t n_lowest = 0, each;

		for (unsigned i = 0; i < PIPELINE_MAX_PORTS; i++) {
			if (!(use->ports >> i & 1))
				continue;
			if (load[i] < lowest) {
				next = lowest;
				lowest = load[i];
				n_lowest = 1;
			} else if (load[i] == lowest) {
				n_lowest++;
			} else if (load[i] < next) {
				next = load[i];
			}
		}
		if (!n_lowest)
			return;
		each = (left + n_lowest - 1) / n_lowest;
		if (next != UINT64_MAX && next - lowest < each)
			each = (uint32_t)(next - lowest);
		for (unsigned i = 0; i < PIPELINE_MAX_PORTS && left; i++) {
			uint32_t part = each < left ? each : left;

			if (!(use->ports >> i & 1) || load[i] != lowest)
				continue;
			load[i] += part;
			insn->port_mcyc[i] += part;
			left -= part;
		}
	}
}

void block_spread_ports(const struct block *block, struct pipeline_insn *insns)
{
	uint64_t load[PIPELINE_MAX_PORTS] = {0};

	/* Uses with the fewest ports are distributed first. */
	for (unsigned n_ports = 1; n_ports <= PIPELINE_MAX_PORTS; n_ports++)
		for (size_t i = 0; i < block->n_insns; i++)
			for (uint32_t j = 0; j < block->insns[i].n_uses; j++) {
				const struct port_use *use = &block->insns[i].uses[j];

				if ((unsigned)__builtin_popcountll(use->ports) == n_ports)
					spread(load, use, &insns[i]);
			}
}
