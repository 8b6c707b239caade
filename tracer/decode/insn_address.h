/* Effective addresses: the memory that one instruction accesses, computed from the registers before it.
 *
 * The operand addresses of an instruction are the addresses of the first bytes of its memory operands that are read
 * or written, in the order of insn_operands.operands. An execution has one address entry for each of them. A REP
 * string instruction has a further address entry: the number of bytes that its iterations covered, negative if
 * addresses descend.
 *
 * The address of an operand is the sum of displacement, base, index times scale, and the base of FS or GS. With an
 * address-size prefix, the sum is cut to 32 bits before the segment base is added, except for the stack. The address
 * of a pushed value is RSP minus its width. The address of a popped value is RSP. POP to memory adds its width to an
 * address based on RSP. The addresses of a REP instruction are those of its first iteration, or of the first
 * iteration after a signal.
 *
 * The address excludes the bit offset of BT, BTC, BTR and BTS, AL of XLAT, and the indices of gathers and scatters,
 * which have one address for all their elements.
 */
#ifndef ITRACE_DECODE_INSN_ADDRESS_H
#define ITRACE_DECODE_INSN_ADDRESS_H

#include "decode/insn_operands.h"

struct insn_registers {
	uint64_t general[INSN_N_GENERAL]; /* by enum insn_general */
	uint64_t next_va;		  /* of the next instruction */
	uint64_t fs_base, gs_base;
};

/* Returns true if the operand is memory that is read or written. */
bool insn_operand_is_access(const struct insn_operand *operand);

/* Returns the number of bytes that one iteration of a REP string instruction covers. */
uint32_t insn_iteration_bytes(const struct insn_operands *operands);

/* Returns the number of address entries of an execution. */
size_t insn_count_address_entries(const struct insn_operands *operands);

/* Returns the address of an operand for which insn_operand_is_access is true. */
uint64_t insn_operand_va(const struct insn_operands *operands, const struct insn_operand *operand,
			 const struct insn_registers *registers);

/* Finds the operand addresses, without the further entry of a REP string instruction. Returns the number of
 * addresses. */
size_t insn_find_addresses(const struct insn_operands *operands, const struct insn_registers *registers,
			   uint64_t addresses[INSN_MAX_OPERANDS]);

#endif
