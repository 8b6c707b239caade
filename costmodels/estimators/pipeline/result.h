/* The options and the result of the `pipeline` estimator for one block. */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_RESULT_H
#define ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "costmodels/model/cost.h"

enum pipeline_mode {
	PIPELINE_UNROLLED, /* copies of the block follow one another */
	PIPELINE_LOOP,	   /* the block ends with a jump to its begin, or is taken to */
};

/* What is known of the registers before the first iteration. */
enum pipeline_pointers {
	POINTERS_DISTINCT, /* each register points elsewhere, and so does all that is loaded */
	POINTERS_SAME,	   /* all registers, and all memory, hold one address: what harnesses such as BHive's set up */
};

struct pipeline_options {
	enum pipeline_mode mode;
	enum pipeline_pointers pointers;
	uint32_t timeline_iterations; /* for which to make a timeline; 0: none */
};

/* In the order in which an instruction meets them; of equal bounds the later one is named. */
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
	enum cost_match match; /* of the form in the model; a rule of the pipeline's own is exact */
	uint32_t issue_slots;  /* micro-operations as they are issued; 0 if fused with the instruction before */
	bool is_fused;	       /* with the instruction before, into one micro-operation */
	bool is_eliminated;    /* takes a slot, but no port: NOP, zeroing, a move that is only renamed */
	bool is_critical;      /* on the longest cycle of dependencies */
	uint32_t port_mcyc[PIPELINE_MAX_PORTS]; /* cycles on each port, spread evenly over those that could take them */
};

/* The parts of an instruction, in the order in which they are done. */
enum pipeline_part { PART_LOAD, PART_OPERATION, PART_STORE, N_PARTS };

/* When one instruction went through its stages, in cycles from the first that was issued. */
struct pipeline_times {
	uint64_t issued, retired;
	struct {
		uint64_t started,
			done; /* done: the first cycle in which its result can be used; 0: there is no such part */
	} parts[N_PARTS];
};

struct pipeline_result {
	mcyc_t cycles_mcyc; /* per iteration */
	enum pipeline_bound bottleneck;
	mcyc_t simulated_mcyc;	      /* per iteration, by simulation */
	mcyc_t bounds_mcyc[N_BOUNDS]; /* per iteration; -1 where a bound does not apply */
	uint64_t limiting_ports;      /* bit i: port i is one of those that bound BOUND_PORTS */
	uint32_t issue_slots;
	uint32_t
		n_unknown; /* instructions without figures: taken as one micro-operation of one cycle on any ALU port */
	uint32_t n_fallback;	      /* instructions with the figures of a related row */
	struct pipeline_times *times; /* [n_times], by iteration and instruction; the machine is empty at first */
	size_t n_times, times_capacity;
	struct pipeline_insn *insns; /* [n_insns] */
	size_t n_insns, insns_capacity;
};

#endif
