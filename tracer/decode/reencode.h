/* Encodes instructions of the program anew, with other operands. Free of Zydis. */
#ifndef ITRACE_DECODE_REENCODE_H
#define ITRACE_DECODE_REENCODE_H

#include "decode/insn.h"

/* Encodes, for an indirect near jump or call, the MOV that loads its target into R11. Returns the length.
 * *displacement_offset is the offset of its RIP-relative displacement, which is the last 4 bytes; 0: it has none. */
uint8_t insn_encode_target_load(const struct insn *insn, uint8_t bytes[INSN_MAX_BYTES], uint8_t *displacement_offset);

/* Registers for insn_encode_with_base, by their numbers in encodings. */
enum { INSN_RCX = 1, INSN_R11 = 11 };

/* Encodes the instruction with [RCX] or [R11] in place of its memory operand, which is RIP-relative or, with struct
 * insn_effects' has_gs, relative to GS. With INSN_R11, the instruction must not depend on R11. Returns the length; 0 if
 * there is no such encoding, or with INSN_RCX if the instruction uses RCX. */
uint8_t insn_encode_with_base(const struct insn *insn, uint8_t reg, uint8_t bytes[INSN_MAX_BYTES]);

#endif
