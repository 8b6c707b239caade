/* All encodings of the instruction set of 64-bit mode: every opcode of every map, with the prefixes, ModRM and SIB
 * bytes that change the meaning or the operands. */
#ifndef ITRACE_DECODE_ENCODINGS_H
#define ITRACE_DECODE_ENCODINGS_H

#include <stdint.h>

#include "decode/insn.h"

typedef void encodings_visit(void *context, const uint8_t bytes[INSN_MAX_BYTES]);

/* Calls visit with the bytes of some instructions of every form, of which most forms have several, and with others
 * that are no instruction: some thirty million times. */
void encodings_for_each(encodings_visit *visit, void *context);

#endif
