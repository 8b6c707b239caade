/* The Pentium's (P5's) two in-order integer pipes, U and V, and its floating-point unit: how long straight-line code takes.
 *
 * Two neighbours go through U and V at once if their kinds pair and no rule forbids it. Rules and examples: Intel
 * Architecture Optimization Manual, order number 242816-003, 1997, chapter 3 and appendices A and B; Pentium Processor
 * Family Developer's Manual, vol. 1, "Instruction Pairing Rules". Time is what code in the cache takes: no cache misses,
 * no bank conflicts, no mispredicted branches.
 */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_P5_PAIRING_H
#define ITRACE_COSTMODELS_ESTIMATORS_P5_PAIRING_H

#include "costmodels/model/model.h"
#include "decode/insn_operands.h"

/* Words of the flags cell of a model's row. */
enum pairing_class {
	PAIRING_NP,   /* alone in U; also what has no word */
	PAIRING_UV,   /* in either pipe */
	PAIRING_PU,   /* in U, may have a partner in V */
	PAIRING_PV,   /* in V, or alone in U: direct branches */
	PAIRING_FX,   /* floating point, in U, with no other partner than FXCH */
	PAIRING_FXCH, /* FXCH, in V behind FX */
};

/* An instruction as the pipes see it, and what its executions added to the time. */
struct pairing_insn {
	enum pairing_class class;
	mcyc_t pipe_mcyc;	/* how long it keeps its pipe; 0 for an unknown one */
	mcyc_t prefix_mcyc;	/* decoding prefixes, before */
	uint16_t read, written; /* general registers as data; without RSP where moves_stack */
	uint16_t address;	/* that must be ready a cycle earlier, RSP of PUSH too */
	uint32_t flags_read, flags_written;
	bool moves_stack, names_stack; /* RSP changes by the way; is named by an operand */
	bool reads_memory, writes_memory;
	bool is_branch;
	bool has_prefix, has_displacement_and_immediate, is_long; /* what keeps it from pairing */
	bool is_x87, reads_status, writes_status;
	uint8_t st_read, st_written;
	int8_t st_pushes;
	mcyc_t st_mcyc;	  /* until an x87 result is there */
	mcyc_t unit_mcyc; /* until another x87 instruction may begin */

	mcyc_t mcyc;	       /* result: sum over executions */
	uint64_t v_executions; /* result: those in V */
};

/* The figures are those of `cost`; bytes that do not decode are an unknown instruction. */
void pairing_insn_init(struct pairing_insn *out, const struct cost *cost, const uint8_t *bytes, uint8_t length);

enum pairing_verdict {
	PAIRING_PAIRS,
	PAIRING_BY_KIND, /* the kinds do not pair: one of them never in that pipe */
	PAIRING_BY_DISPLACEMENT,
	PAIRING_BY_PREFIX,
	PAIRING_BY_LENGTH,
	PAIRING_BY_DEPENDENCE,
};

/* Whether `second`, the next instruction, may go through V while `first` goes through U. */
enum pairing_verdict pairing_check(const struct pairing_insn *first, const struct pairing_insn *second);

/* What an instruction leaves for those behind it, counted from now. All zero: nothing under way. */
struct pairing_state {
	uint16_t late;		       /* general registers written in the cycle just past */
	mcyc_t st_mcyc[INSN_N_ST];     /* until st(i) can be stored; it is there a cycle earlier */
	uint32_t st_from[INSN_N_ST];   /* which instruction computes it */
	mcyc_t status_mcyc, unit_mcyc; /* until the status word is there, until the unit is free */
	uint32_t status_from, unit_from;
};

struct pairing_totals {
	mcyc_t mcyc;
	uint64_t v_executions;
	mcyc_t address_mcyc, prefix_mcyc; /* lost to address generation, to decoding prefixes; parts of mcyc */
};

enum pairing_mode {
	PAIRING_REAL,
	PAIRING_IDEAL, /* as if all neighbours whose kinds pair did */
};

/* Runs insns[path[0]] ... insns[path[n - 1]] `count` times from *state, and leaves there what is under way after one.
 * PAIRING_REAL adds to the results of insns. Overflow is a failed assertion. */
void pairing_run(struct pairing_insn *insns, const uint32_t *path, size_t n, uint64_t count, enum pairing_mode mode,
		 struct pairing_state *state, struct pairing_totals *totals);

#endif
