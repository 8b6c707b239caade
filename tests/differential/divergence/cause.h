/* Why two runs are not alike. */
#ifndef ITRACE_TESTS_CAUSE_H
#define ITRACE_TESTS_CAUSE_H

#include "runs.h"

/* Prints where a run left the reference and what was different before; then makes more runs, in which more and more of what
 * the kernel tells is made the same as in the reference, until they are like it, and prints what that took. */
void cause_explain(const struct settings *settings, const struct other *other, struct reference *reference,
		   const struct flow_comparison *comparison, const struct outcome *outcome);

#endif
