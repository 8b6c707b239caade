/* What insn.c, form.c and disassemble.c share of Zydis. Private to decode/. */
#ifndef ITRACE_DECODE_ZYDIS_SHARED_H
#define ITRACE_DECODE_ZYDIS_SHARED_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/insn.h"

#define UNDECODABLE_TEXT "(undecodable)"

/* Decodes one instruction of 64-bit mode, as Intel CPUs do: 0x66 before a near branch does not shorten it. With
 * operands NULL the operands are not decoded, which takes half the time. */
bool zydis_decode(const uint8_t *bytes, size_t n_bytes, ZydisDecodedInstruction *insn,
		  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT]);

/* The same with those operands only that an assembler writes, which takes a sixth of the time less. */
bool zydis_decode_visible(const uint8_t *bytes, size_t n_bytes, ZydisDecodedInstruction *insn,
			  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT]);

/* What insn_decode says of a decoded instruction. */
void zydis_describe(const ZydisDecodedInstruction *insn, const uint8_t *bytes, struct insn *out);

/* MOVS, CMPS, STOS, LODS, SCAS, INS, OUTS: what a REP prefix repeats. */
bool zydis_is_string(const ZydisDecodedInstruction *insn);

/* The repeat prefix that is in force, 0xF2 or 0xF3, or 0. */
uint8_t zydis_repeat_prefix(const ZydisDecodedInstruction *insn);

/* A write mask other than K0, which means none. */
bool zydis_is_masked(const ZydisDecodedInstruction *insn);

/* Both sources are the same register, and some CPUs then do not wait for it. */
bool zydis_is_idiom(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operands);

#endif
