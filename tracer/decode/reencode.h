/* Encodes instructions of the program again with other operands. Does not include Zydis. */
#ifndef ITRACE_DECODE_REENCODE_H
#define ITRACE_DECODE_REENCODE_H

#include "decode/insn.h"

/* Encodes a MOV that loads the target of an indirect near jump or call into R11. Returns the length. Sets
 * *displacement_offset to the offset of the RIP-relative displacement, which is the last 4 bytes, or to 0 if there is
 * none. */
uint8_t insn_encode_target_load(const struct insn *insn, uint8_t bytes[INSN_MAX_BYTES], uint8_t *displacement_offset);

/* Registers for insn_encode_with_base, by their numbers in encodings. */
enum { INSN_RCX = 1, INSN_R11 = 11 };

/* Encodes the instruction with [RCX] or [R11] in place of its memory operand. That operand is RIP-relative or, if
 * insn_effects.has_gs is true, relative to GS. With INSN_R11, the instruction must not depend on R11. Returns the
 * length. Returns 0 if there is no such encoding, or if `reg` is INSN_RCX and the instruction uses RCX. */
uint8_t insn_encode_with_base(const struct insn *insn, uint8_t reg, uint8_t bytes[INSN_MAX_BYTES]);

#endif
