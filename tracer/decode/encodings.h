/* All encodings of the instruction set of 64-bit mode: every opcode of every map, with the prefixes, ModRM and SIB
 * bytes that change the meaning or the operands. */
#ifndef ITRACE_DECODE_ENCODINGS_H
#define ITRACE_DECODE_ENCODINGS_H

#include <stdint.h>

#include "decode/insn.h"

typedef void encodings_visit(void *context, const uint8_t bytes[INSN_MAX_BYTES]);

/* Calls `visit` some thirty million times, with instructions of every form and with bytes that are no instruction.
 * Most forms have several instructions. */
void encodings_for_each(encodings_visit *visit, void *context);

#endif
