/* Plans the log of a fragment: the smallest set of addresses from which all operand addresses (decode/insn_address.h)
 * of its instructions follow.
 *
 * Constant addresses are not logged. Addresses at a constant distance from an earlier logged address of the fragment
 * are not logged either: they use the same registers, or registers computed from them (decode/insn_value.h).
 */
#ifndef ITRACE_ENGINE_TRANSLATE_LOG_LOG_PLAN_H
#define ITRACE_ENGINE_TRANSLATE_LOG_LOG_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/insn_address.h"
#include "engine/translate/fragments.h"
#include "engine/translate/log/log_reader.h"

#define LOG_NO_REG UINT8_MAX

/* The sum base + index * scale + constant, plus the base of a segment. */
struct logged_address {
	uint8_t insn;	     /* index of the instruction before which the address is logged */
	uint8_t base, index; /* numbers of general registers, or LOG_NO_REG */
	uint8_t scale;
	bool is_32_bit;	       /* the sum is truncated to 32 bits before the segment's base is added */
	uint16_t segment_base; /* offset of the base in the area: AREA_FS or AREA_GS; 0: there is none */
	/* The logged value is the number of bytes that a REP string instruction processed, logged after it: base (RDI
	 * or RSI) minus the address logged just before. The constant is 0. */
	bool is_length;
	uint64_t constant; /* sign-extended from 32 bits if there is a base or an index */
};

/* The address of an operand: a logged address plus an offset. */
struct log_address {
	uint8_t logged; /* index in `logged`; LOG_NO_REG: the address is the offset alone */
	uint64_t offset;
};

enum { LOG_INSN_ADDRESSES_MAX = INSN_MAX_OPERANDS + 1 };

/* The content of a register, by value numbering: the difference of two values with equal numbers is that of their
 * offsets. */
struct log_value {
	uint16_t number; /* 0: the value is the offset alone */
	uint64_t offset;
};

/* A logged address in terms of log_value: base + index * scale + constant. */
struct log_sum {
	uint16_t base, index; /* numbers of values */
	uint8_t scale;
	uint16_t segment_base;
	bool is_single; /* no other address follows from it */
	uint64_t constant;
};

struct log_plan {
	struct logged_address logged[LOG_LOGGED_MAX + LOG_INSN_ADDRESSES_MAX]; /* in the order of logging */
	struct log_sum sums[LOG_LOGGED_MAX + LOG_INSN_ADDRESSES_MAX];	       /* [n_logged] as sums of values */
	size_t n_logged;
	struct log_address addresses[LOG_ADDRESSES_MAX]; /* in order of instructions and operands */
	size_t n_addresses;
	bool uses_stolen[FRAGMENT_INSNS_MAX]; /* by instruction: true if it uses the stolen register */
	uint8_t stolen;

	struct log_value values[INSN_N_GENERAL]; /* values of the registers after the latest instruction added */
	uint16_t n_values;
};

/* Begins the plan of a fragment; `stolen` is kept. */
void log_plan_begin(struct log_plan *plan);

/* Adds instruction i of the fragment, at va. Returns false, with nothing added, if its addresses are wanted but too
 * many or impossible to log. */
bool log_plan_add(struct log_plan *plan, size_t i, uint64_t va, const struct insn *insn, bool wants_addresses);

#endif
