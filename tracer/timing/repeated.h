/* Times a repeated string instruction: what it takes at all, and for each iteration. */
#ifndef ITRACE_TIMING_REPEATED_H
#define ITRACE_TIMING_REPEATED_H

#include "timing/instruction.h"

/* Returns whether the form is one: REP MOVSB m8, m8. */
bool repeated_is_form(const char *form_text);

/* Sets the throughput and iteration_mcyc of *timing. Called as instruction_measure is. */
void repeated_measure(struct instruction_timer *timer, const char *form_text, struct instruction_timing *timing);

#endif
