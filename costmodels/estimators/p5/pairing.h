/* The two in-order integer pipes of the Pentium (P5), U and V, and its floating-point unit.
 *
 * Two adjacent instructions go through U and V together if their classes pair and no rule forbids it. Sources of rules
 * and examples: Intel Architecture Optimization Manual, order number 242816-003, 1997, chapter 3 and appendices A
 * and B; Pentium Processor Family Developer's Manual, vol. 1, "Instruction Pairing Rules". Times exclude cache
 * misses, bank conflicts and mispredicted branches.
 */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_P5_PAIRING_H
#define ITRACE_COSTMODELS_ESTIMATORS_P5_PAIRING_H

#include "costmodels/model/model.h"
#include "decode/insn_operands.h"

/* Words of the flags cell of a model's row. */
enum pairing_class {
	PAIRING_NP,   /* alone in U; the default */
	PAIRING_UV,   /* in either pipe */
	PAIRING_PU,   /* in U; another instruction may go through V beside it */
	PAIRING_PV,   /* in V, or alone in U; direct branches */
	PAIRING_FX,   /* floating point, in U; only FXCH may go through V beside it */
	PAIRING_FXCH, /* FXCH: in V if an FX instruction is in U, else alone in U */
};

/* An instruction as the pipes see it, and the results of its executions. */
struct pairing_insn {
	enum pairing_class class;
	mcyc_t pipe_mcyc;	/* time that it occupies its pipe; 0: unknown instruction */
	mcyc_t prefix_mcyc;	/* time to decode its prefixes */
	uint16_t read, written; /* general registers used as data; without RSP if moves_stack */
	uint16_t address;	/* general registers in addresses; needed a cycle earlier; includes RSP of PUSH */
	uint32_t flags_read, flags_written;
	bool moves_stack, names_stack; /* RSP changes implicitly; an operand names RSP */
	bool reads_memory, writes_memory;
	bool is_branch;
	bool has_displacement_and_immediate, is_long; /* each prevents pairing */
	bool has_prefix;			      /* prevents pairing in V */
	bool is_x87, reads_status, writes_status;
	uint8_t st_read, st_written; /* bit i: st(i) */
	int8_t st_pushes;	     /* negative: pops */
	mcyc_t st_mcyc;		     /* latency of its x87 result */
	mcyc_t unit_mcyc;	     /* time until another x87 instruction may start */

	mcyc_t mcyc;	       /* result: sum over executions */
	uint64_t v_executions; /* result: executions in V */
};

/* Takes figures from `cost`. Bytes that do not decode give an unknown instruction. */
void pairing_insn_init(struct pairing_insn *out, const struct cost *cost, const uint8_t *bytes, uint8_t length);

enum pairing_verdict {
	PAIRING_ALLOWED,
	UNPAIRED_BY_CLASS,
	UNPAIRED_BY_DISPLACEMENT_AND_IMMEDIATE,
	UNPAIRED_BY_PREFIX,
	UNPAIRED_BY_LENGTH,
	UNPAIRED_BY_DEPENDENCE,
};

/* Returns PAIRING_ALLOWED if `second`, the next instruction, may go through V beside `first` in U, else the reason
 * against it. */
enum pairing_verdict pairing_check(const struct pairing_insn *first, const struct pairing_insn *second);

/* Results that are not ready yet. Times count from the current cycle. All zero: every result is ready. */
struct pairing_state {
	uint16_t just_written;	       /* general registers written in the previous cycle */
	mcyc_t st_mcyc[INSN_N_ST];     /* time until st(i) can be stored; other uses start a cycle earlier */
	uint32_t st_from[INSN_N_ST];   /* the instruction that computes it */
	mcyc_t status_mcyc, unit_mcyc; /* time until the status word is ready and the unit is free */
	uint32_t status_from, unit_from;
};

struct pairing_totals {
	mcyc_t mcyc;
	uint64_t v_executions;
	mcyc_t address_mcyc, prefix_mcyc; /* parts of mcyc: lost to address generation, and to decoding prefixes */
};

enum pairing_mode {
	PAIRING_REAL,
	PAIRING_IDEAL, /* only the classes decide which instructions pair */
};

/* A straight-line sequence of instructions. */
struct pairing_sequence {
	const uint32_t *indices; /* [n_insns] of instructions */
	size_t n_insns;
	uint64_t count; /* executions of the whole sequence */
};

/* Simulates one execution from *state and sets *state to the state after it. Adds its cycles, times the count, to
 * *totals and, for PAIRING_REAL, to the results of insns. Overflow is a failed assertion. */
void pairing_run(struct pairing_insn *insns, const struct pairing_sequence *sequence, enum pairing_mode mode,
		 struct pairing_state *state, struct pairing_totals *totals);

#endif
