/* Helpers over Zydis, private to decode/. */
#ifndef ITRACE_DECODE_ZYDIS_SHARED_H
#define ITRACE_DECODE_ZYDIS_SHARED_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/insn.h"

#define UNDECODABLE_TEXT "(undecodable)"

/* Decodes one instruction of 64-bit mode as Intel's CPUs do: 0x66 before a near branch does not shorten the target.
 * If `operands` is NULL, the operands are not decoded, which halves the time. */
bool zydis_decode(const uint8_t *bytes, size_t n_bytes, ZydisDecodedInstruction *insn,
		  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT]);

/* Like zydis_decode, but decodes only the operands that assemblers write, which saves a sixth of the time. */
bool zydis_decode_visible(const uint8_t *bytes, size_t n_bytes, ZydisDecodedInstruction *insn,
			  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT]);

/* Fills in insn_decode's result. */
void zydis_describe(const ZydisDecodedInstruction *insn, const uint8_t *bytes, struct insn *out);

/* Returns true for MOVS, CMPS, STOS, LODS, SCAS, INS and OUTS, which a REP prefix repeats. */
bool zydis_is_string(const ZydisDecodedInstruction *insn);

/* Returns the effective repeat prefix, 0xF2 or 0xF3, or 0 if there is none. */
uint8_t zydis_repeat_prefix(const ZydisDecodedInstruction *insn);

/* Returns true if the instruction has a write mask. K0 means no mask. */
bool zydis_is_masked(const ZydisDecodedInstruction *insn);

/* Returns true for an idiom such as XOR EAX, EAX. Both sources are one register, and some CPUs do not wait for it. */
bool zydis_is_idiom(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operands);

#endif
