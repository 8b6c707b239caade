/* Helpers over Zydis, private to decode/. */
#ifndef ITRACE_DECODE_ZYDIS_SHARED_H
#define ITRACE_DECODE_ZYDIS_SHARED_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/insn.h"

#define UNDECODABLE_TEXT "(undecodable)"

/* Decodes one instruction of 64-bit mode like Intel's CPUs: 0x66 before a near branch does not shorten the target. With
 * `operands` NULL, the operands are not decoded, which halves the time. */
bool zydis_decode(const uint8_t *bytes, size_t n_bytes, ZydisDecodedInstruction *insn,
		  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT]);

/* Like zydis_decode, but only with the operands that assemblers write, which saves a sixth of the time. */
bool zydis_decode_visible(const uint8_t *bytes, size_t n_bytes, ZydisDecodedInstruction *insn,
			  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT]);

/* Fills in insn_decode's result. */
void zydis_describe(const ZydisDecodedInstruction *insn, const uint8_t *bytes, struct insn *out);

/* MOVS, CMPS, STOS, LODS, SCAS, INS, OUTS, which a REP prefix repeats. */
bool zydis_is_string(const ZydisDecodedInstruction *insn);

/* The effective repeat prefix, 0xF2 or 0xF3; 0 if there is none. */
uint8_t zydis_repeat_prefix(const ZydisDecodedInstruction *insn);

/* True for a write mask other than K0, which means no mask. */
bool zydis_is_masked(const ZydisDecodedInstruction *insn);

/* True for an idiom such as XOR EAX, EAX: both sources are the same register, and some CPUs do not wait for it. */
bool zydis_is_idiom(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operands);

#endif
