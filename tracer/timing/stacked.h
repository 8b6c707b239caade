/* Times PUSH and POP. */
#ifndef ITRACE_TIMING_STACKED_H
#define ITRACE_TIMING_STACKED_H

#include "timing/instruction.h"

/* True for PUSH and POP of 64-bit general registers, immediates and memory. */
bool stacked_is_form(const char *form_text);

/* Measures the throughput, in a loop that restores the stack pointer once for many of them. As instruction_measure, of
 * which it takes the place. */
void stacked_measure(struct instruction_timer *timer, const char *form_text, struct instruction_timing *timing);

#endif
