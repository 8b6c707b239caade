/* The registers and flags that an instruction reads and writes, as renamed locations. Private to
 * costmodels/estimators/pipeline. */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_BLOCK_DEPENDENCES_H
#define ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_BLOCK_DEPENDENCES_H

#include <stdbool.h>
#include <stdint.h>

#include "costmodels/estimators/pipeline/block/block.h"

/* Registers and flags that are renamed separately. The high byte of a register is separate from the rest. */
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
	bool is_base; /* base register of a load's address */
	/* Latency from the location to the end of the part. PART_LOAD: without the load's latency. */
	uint32_t weight_mcyc;
};

#define MAX_DEPENDENCES 24 /* asserted; no instruction has so many */
struct dependences {
	uint32_t n_reads, n_writes;
	struct dependence reads[MAX_DEPENDENCES];
	uint8_t writes[MAX_DEPENDENCES];
	uint8_t st_pushes, st_pops; /* x87 stack: pushes before the writes, pops after them */
};

void dependences_read(const struct block_insn *insn, struct dependences *out);

static inline uint32_t location_resolve(uint32_t location, uint32_t st_top)
{
	if (location >= LOCATION_ST && location < LOCATION_ST + 8)
		return LOCATION_ST + ((location - LOCATION_ST + st_top) & 7);
	return location;
}

/* Returns the latency in cycles of a load that hits the L1 cache. is_chased: another load loaded the base. */
uint32_t block_insn_load_latency(const struct machine_parameters *parameters, const struct block_insn *insn,
				 bool is_chased);

/* Returns whether the CPU renames the load if an earlier store has the same base, index and displacement. */
bool block_insn_is_renamed_load(const struct machine_parameters *parameters, const struct block_insn *insn);

#endif
