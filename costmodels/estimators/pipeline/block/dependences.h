/* What one instruction waits for and what it provides, by the places that values are renamed in. Private to
 * costmodels/pipeline. */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_BLOCK_DEPENDENCES_H
#define ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_BLOCK_DEPENDENCES_H

#include <stdbool.h>
#include <stdint.h>

#include "costmodels/estimators/pipeline/block/block.h"

/* What a value can be in. High bytes are renamed apart from the rest of their register. */
enum location {
	LOCATION_GENERAL,
	LOCATION_HIGH_BYTE = LOCATION_GENERAL + INSN_N_GENERAL,
	LOCATION_VECTOR = LOCATION_HIGH_BYTE + 4,
	LOCATION_MMX = LOCATION_VECTOR + 32,
	LOCATION_ST = LOCATION_MMX + 8, /* counted from the top; location_of turns it */
	LOCATION_MASK = LOCATION_ST + 8,
	LOCATION_CARRY = LOCATION_MASK + 8,
	LOCATION_OVERFLOW,
	LOCATION_OTHER_FLAGS, /* zero, sign, parity, adjust */
	N_LOCATIONS,
};

/* Each instruction has three points in time: when its load, its result and its store's data are there. */
enum insn_node { NODE_LOAD, NODE_RESULT, NODE_STORE, N_NODES };

struct dependence {
	uint8_t location, node;
	bool is_base;	      /* the base of the address that is loaded from */
	uint32_t weight_mcyc; /* from the location's value to the node; to NODE_LOAD the load's latency comes on top */
};

#define MAX_DEPENDENCES 24
struct dependences {
	uint32_t n_reads, n_writes;
	struct dependence reads[MAX_DEPENDENCES];
	uint8_t writes[MAX_DEPENDENCES];
	int8_t st_pushes_before, st_pushes_after; /* of the x87 stack: between reads and writes, after them */
};

void dependences_of(const struct block_insn *insn, struct dependences *out);

static inline uint32_t location_of(uint32_t location, uint32_t st_top)
{
	if (location >= LOCATION_ST && location < LOCATION_ST + 8)
		return LOCATION_ST + ((location - LOCATION_ST + st_top) & 7);
	return location;
}

/* The latency of a load from the L1 cache, in cycles. is_chased: its base comes straight from another load. */
uint32_t load_latency_of(const struct machine_parameters *parameters, const struct block_insn *insn, bool is_chased);

/* Whether the load is renamed if it names the store's place in the same way. */
bool load_is_renamed(const struct machine_parameters *parameters, const struct block_insn *insn);

#endif
