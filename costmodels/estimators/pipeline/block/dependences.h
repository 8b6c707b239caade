/* Sources and results of one instruction, by renamed location. Private to costmodels/estimators/pipeline. */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_BLOCK_DEPENDENCES_H
#define ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_BLOCK_DEPENDENCES_H

#include <stdbool.h>
#include <stdint.h>

#include "costmodels/estimators/pipeline/block/block.h"

/* Renamed locations of values. High bytes are renamed separately from the rest of their register. */
enum location {
	LOCATION_GENERAL,
	LOCATION_HIGH_BYTE = LOCATION_GENERAL + INSN_N_GENERAL,
	LOCATION_VECTOR = LOCATION_HIGH_BYTE + 4,
	LOCATION_MMX = LOCATION_VECTOR + 32,
	LOCATION_ST = LOCATION_MMX + 8, /* relative to the top of the stack; see location_resolve */
	LOCATION_MASK = LOCATION_ST + 8,
	LOCATION_CARRY = LOCATION_MASK + 8,
	LOCATION_OVERFLOW,
	LOCATION_OTHER_FLAGS, /* zero, sign, parity, adjust */
	N_LOCATIONS,
};

struct dependence {
	uint8_t location, part;
	bool is_base;	      /* base register of a load's address */
	uint32_t weight_mcyc; /* latency until the part is done; PART_LOAD: plus the load's latency */
};

#define MAX_DEPENDENCES 24 /* asserted; no instruction has so many */
struct dependences {
	uint32_t n_reads, n_writes;
	struct dependence reads[MAX_DEPENDENCES];
	uint8_t writes[MAX_DEPENDENCES];
	int8_t st_pushes_before, st_pushes_after; /* x87 stack pushes before the writes, and after them */
};

void dependences_read(const struct block_insn *insn, struct dependences *out);

static inline uint32_t location_resolve(uint32_t location, uint32_t st_top)
{
	if (location >= LOCATION_ST && location < LOCATION_ST + 8)
		return LOCATION_ST + ((location - LOCATION_ST + st_top) & 7);
	return location;
}

/* Returns the latency of a load from the L1 cache, in cycles. is_chased: its base was loaded by another load. */
uint32_t block_insn_load_latency(const struct machine_parameters *parameters, const struct block_insn *insn,
				 bool is_chased);

/* Returns whether the CPU renames the load if an earlier store has the same base, index and displacement. */
bool block_insn_is_renamed_load(const struct machine_parameters *parameters, const struct block_insn *insn);

#endif
