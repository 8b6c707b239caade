/* Times a repeated string instruction: its fixed time, and that of each iteration. */
#ifndef ITRACE_TIMING_REPEATED_H
#define ITRACE_TIMING_REPEATED_H

#include "timing/instruction.h"

/* Returns true for a repeated string instruction, such as REP MOVSB m8, m8. */
bool repeated_is_form(const char *form_text);

/* Sets the throughput and iteration_mcyc of *timing. The rules of instruction_measure apply. */
void repeated_measure(struct instruction_timer *timer, const char *form_text, struct instruction_timing *timing);

#endif
