/* Computes addresses of the program in registers. */
#ifndef ITRACE_ENGINE_TRANSLATE_EMIT_EMIT_ADDRESS_H
#define ITRACE_ENGINE_TRANSLATE_EMIT_EMIT_ADDRESS_H

#include "decode/reencode.h"
#include "engine/translate/emit/emitter.h"

enum { LEA = 0x8d };

/* Emits the LEA of a general register with the operand [base + index * scale + constant]. There is a base or an
 * index. */
void emit_sum(struct zone *zone, uint8_t to, const struct logged_address *address);

/* As emit_sum for R11; a word of the area takes the place of RCX in *address. */
void emit_sum_with(struct translator *translator, uint32_t offset, const struct logged_address *address, size_t i);

/* Returns the register that holds the address of an operand that cannot be copied. */
static inline uint8_t emit_address_register(const struct insn_effects *effects)
{
	return effects->reads_r11 ? INSN_RCX : INSN_R11;
}

/* If instruction i has an operand relative to GS, or to RIP and out of reach, frees emit_address_register() and loads
 * the operand's address into it. Returns false if it has none. If that register is RCX, the program's RCX is then in
 * the area. */
bool emit_address(struct translator *translator, const struct block_ir *ir, size_t i);

#endif
