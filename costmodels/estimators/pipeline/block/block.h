/* One basic block as a CPU sees it, and the bounds on it. Private to costmodels/pipeline. */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_BLOCK_BLOCK_H
#define ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_BLOCK_BLOCK_H

#include "costmodels/estimators/pipeline/machine.h"

#define MAX_BLOCK_USES (MAX_PORT_USES + 3)
#define NO_INSN UINT32_MAX

struct block_insn {
	struct insn_operands operands;
	const struct form_facts *facts;
	size_t offset;
	uint8_t length, opcode_offset;
	bool has_lcp;
	bool is_fused;		 /* with the instruction before */
	bool is_paired;		 /* takes the result of an operation of the block, or gives its own */
	bool is_fused_move;	 /* with the instruction after */
	bool is_eliminated;	 /* renamed only: NOP, zeroing, move */
	bool ignores_sources;	 /* zeroing and the like */
	bool uses_rsp;		 /* explicitly */
	bool syncs_stack;	 /* an explicit use of RSP after the stack engine moved it */
	bool has_simple_address; /* base and a displacement from 0 to 2047 */
	bool is_indexed, is_scaled;
	bool is_vector;	       /* the result of a load, or what is stored, is in a vector register */
	uint16_t access_bits;  /* of the memory operand */
	uint32_t decoded_uops; /* micro-fused; 0 if is_fused */
	uint32_t issue_slots;
	uint32_t n_uses;
	struct port_use uses[MAX_BLOCK_USES];
	/* The load takes what this store has written, so many iterations before; NO_INSN: none. */
	uint32_t forwarded_from, forwarded_distance;
	int64_t bytes_apart; /* where the load begins in what was stored */
	uint32_t n_steady;   /* iterations for which it was so */
	uint64_t last_address_id;
	int64_t last_address;
	uint32_t n_entered;    /* iterations in which the load came to another page */
	bool misses_tlb;       /* it does so in each */
	bool forwarding_fails; /* the store has only a part of it */
	bool has_other_name;   /* the store went to another virtual page of the same physical one */
	bool is_renamed;       /* the store names its place in the same way, by a base that was not written since */
};

struct block {
	const uint8_t *bytes;
	size_t n_bytes;
	struct block_insn *insns;
	size_t n_insns, insns_capacity;
	bool ends_with_jump;
};

/* block.c: decodes and lowers; false for bytes that are no whole instructions. */
bool block_read(struct pipeline *pipeline, struct block *block, const uint8_t *bytes, size_t n_bytes,
		struct error *err);
void block_destroy(struct block *block);

/* memory.c: finds forwarded_from by executing some iterations on symbols. */
void block_follow_memory(struct block *block, enum pipeline_pointers pointers);

/* The bounds, in milli-cycles per iteration; -1: does not apply. */
mcyc_t frontend_predecode(const struct machine_parameters *parameters, const struct block *block, bool unrolled);
mcyc_t frontend_decode(const struct machine_parameters *parameters, const struct block *block, bool unrolled);
mcyc_t frontend_op_cache(const struct machine_parameters *parameters, const struct block *block, bool unrolled);
mcyc_t frontend_loop_buffer(const struct machine_parameters *parameters, const struct block *block);
/* Whether the op cache can hold the block where it lies. */
bool frontend_fits_op_cache(const struct machine_parameters *parameters, const struct block *block, uint64_t va);
mcyc_t issue_bound(const struct machine_parameters *parameters, const struct block *block);
mcyc_t ports_bound(const struct block *block, port_set_t *limiting);
/* Marks the instructions of the critical cycle in is_critical[n_insns]. */
mcyc_t latency_bound(const struct machine_parameters *parameters, const struct block *block, bool *is_critical);

/* Spreads each instruction's uses over the ports: pressure[n_insns][PIPELINE_MAX_PORTS]. */
void ports_spread(const struct block *block, struct pipeline_insn *insns);

#endif
