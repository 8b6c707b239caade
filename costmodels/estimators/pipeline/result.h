/* The options and the result of the `pipeline` estimator for one block. */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_RESULT_H
#define ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "costmodels/model/cost.h"

enum pipeline_mode {
	PIPELINE_UNROLLED, /* copies of the block follow one another */
	PIPELINE_LOOP,	   /* the block ends, or is assumed to end, with a jump to its start */
};

/* The registers and the memory that the first iteration is assumed to find. */
enum pipeline_pointers {
	POINTERS_DISTINCT, /* no two registers or loaded pointers hold the same address */
	POINTERS_SAME,	   /* all registers and all memory hold one address, as in BHive */
};

struct pipeline_options {
	enum pipeline_mode mode;
	enum pipeline_pointers pointers;
	uint32_t timeline_iterations; /* 0: no timeline */
};

/* In the order of the pipeline's stages. */
enum pipeline_bound {
	BOUND_PREDECODE,
	BOUND_DECODE,
	BOUND_OP_CACHE,
	BOUND_LOOP_BUFFER,
	BOUND_ISSUE,
	BOUND_PORTS,
	BOUND_LATENCY,
	N_BOUNDS,
};

#define PIPELINE_MAX_PORTS 64

struct pipeline_insn {
	size_t offset; /* in the block's bytes */
	uint8_t length;
	const char *form;      /* borrowed from the pipeline */
	enum cost_match match; /* of the form; COST_EXACT if a pipeline rule states the figures */
	uint32_t issue_slots;  /* issued micro-operations; 0 if is_fused */
	bool is_fused;	       /* the second instruction of a macro-fused pair */
	bool is_eliminated;    /* needs an issue slot but no port: NOP, zeroing idiom, eliminated move */
	bool is_critical;      /* on the longest cycle of dependencies */
	uint32_t port_mcyc[PIPELINE_MAX_PORTS]; /* cycles on each port, spread evenly over the possible ports */
};

/* The parts of an instruction, in order of execution. A part is done when the loaded value, the result or the stored
 * data are ready. */
enum pipeline_part { PART_LOAD, PART_OPERATION, PART_STORE, N_PARTS };

struct pipeline_part_times {
	uint64_t started,
		done; /* done: first cycle in which the result is usable; 0: the instruction does not have the part */
};

/* Times of one instruction, in cycles since the first issue. */
struct pipeline_times {
	uint64_t issued, retired;
	struct pipeline_part_times parts[N_PARTS];
};

struct pipeline_result {
	mcyc_t cycles_mcyc;		/* per iteration */
	enum pipeline_bound bottleneck; /* the largest bound; of equal bounds the last */
	uint32_t bottlenecks;  /* bit i: bound i equals cycles_mcyc to two decimals of a cycle; 0: no bound equals it */
	mcyc_t simulated_mcyc; /* per iteration, by simulation */
	mcyc_t bounds_mcyc[N_BOUNDS]; /* per iteration; -1: the bound does not apply */
	uint64_t limiting_ports;      /* bit i: port i limits BOUND_PORTS */
	uint32_t issue_slots;
	uint32_t n_unknown;		/* instructions without figures: one micro-operation of one cycle is assumed */
	uint32_t n_fallback;		/* instructions with the figures of a related row */
	struct pipeline_times *times;	/* [timeline_iterations][n_insns], from an empty machine */
	size_t n_times, times_capacity; /* n_times: timeline_iterations * n_insns */
	struct pipeline_insn *insns;	/* [n_insns] */
	size_t n_insns, insns_capacity;
};

#endif
