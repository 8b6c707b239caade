/* A decoded basic block and its throughput bounds. Private to costmodels/estimators/pipeline. */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_BLOCK_BLOCK_H
#define ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_BLOCK_BLOCK_H

#include "costmodels/estimators/pipeline/machine.h"

#define MAX_BLOCK_USES (MAX_PORT_USES + 3)
#define NO_INSN UINT32_MAX

struct block_insn {
	struct insn_operands operands;
	const struct form_attributes *form;
	size_t offset;
	uint8_t length, opcode_offset;
	bool has_lcp;		 /* has a length-changing prefix */
	bool is_fused;		 /* the second instruction of a macro-fused pair */
	bool is_paired;		 /* an ALU operation that depends on another of the block, or that another depends on */
	bool is_fused_move;	 /* a register move that issues with the next instruction */
	bool is_eliminated;	 /* needs no port: NOP, zeroing, eliminated move */
	bool ignores_sources;	 /* no result depends on a source register: zeroing idioms, SBB of one register */
	bool uses_rsp;		 /* names RSP as an operand or in an address; always false without stack_sync */
	bool syncs_stack;	 /* depends on RSP after the stack engine changed it, which costs a micro-operation */
	bool has_simple_address; /* a base, no index, and a displacement from 0 to 2047 */
	bool is_indexed, is_scaled;
	bool is_vector;	       /* names a vector or MMX register */
	uint16_t access_bits;  /* of the memory operand */
	uint32_t decoded_uops; /* in the fused domain; 0 if is_fused or is_fused_move */
	uint32_t issue_slots;
	uint32_t n_uses;
	struct port_use uses[MAX_BLOCK_USES];
	uint32_t forwarded_from;     /* index of the instruction with the store that forwards to the load, or NO_INSN */
	uint32_t forwarded_distance; /* number of iterations between the store and the load */
	int64_t bytes_apart;	     /* offset of the load within the stored bytes */
	uint32_t n_steady;	     /* number of consecutive iterations with that store, distance and offset */
	uint64_t last_address_id;    /* symbolic address of the load in the previous iteration: an unknown value ... */
	int64_t last_address;	     /* ... plus this offset */
	uint32_t n_page_changes;     /* number of consecutive iterations in which the load changed its page */
	bool misses_tlb;	     /* changes its page in each iteration */
	bool forwarding_fails;	     /* the store covers only a part of the load */
	bool is_page_alias;	     /* the store writes through another virtual page of the same physical page */
	/* The address of the store has the same registers, unchanged since, and the same displacement. */
	bool is_renamed;
};

struct block {
	const uint8_t *bytes;
	size_t n_bytes;
	struct block_insn *insns;
	size_t n_insns, insns_capacity;
	bool ends_with_branch;
};

/* block.c: decodes the bytes and finds each instruction's figures. Returns false if the bytes are not whole
 * instructions. The block borrows the bytes. */
bool block_read(struct pipeline *pipeline, struct block *block, const uint8_t *bytes, size_t n_bytes,
		struct error *err);
void block_destroy(struct block *block);

/* store_forwarding.c: finds the store that forwards to each load, by symbolic execution of some iterations. */
void block_find_forwarding(struct block *block, enum pipeline_pointers pointers);

/* Bounds, in milli-cycles per iteration; -1: the bound does not apply. */
mcyc_t block_bound_predecode(const struct machine_parameters *parameters, const struct block *block, bool unrolled);
mcyc_t block_bound_decode(const struct machine_parameters *parameters, const struct block *block, bool unrolled);
mcyc_t block_bound_op_cache(const struct machine_parameters *parameters, const struct block *block, bool unrolled);
/* Returns how many iterations the loop buffer replays as one; 0: it cannot hold the block. */
uint32_t block_loop_buffer_copies(const struct machine_parameters *parameters, const struct block *block);
mcyc_t block_bound_loop_buffer(const struct machine_parameters *parameters, const struct block *block);
/* Returns whether the op cache can hold the block at va. */
bool block_fits_op_cache(const struct machine_parameters *parameters, const struct block *block, uint64_t va);
mcyc_t block_bound_issue(const struct machine_parameters *parameters, const struct block *block);
/* Sets *limiting to the ports that determine the bound. */
mcyc_t block_bound_ports(const struct block *block, port_set_t *limiting);
/* Sets is_critical[n_insns] for the instructions on the critical cycle. */
mcyc_t block_bound_latency(const struct machine_parameters *parameters, const struct block *block, bool *is_critical);

/* Spreads each instruction's port uses evenly into insns[n_insns].port_mcyc. */
void block_spread_ports(const struct block *block, struct pipeline_insn *insns);

#endif
