/* Finds the cause of a difference between two runs. */
#ifndef ITRACE_TESTS_CAUSE_H
#define ITRACE_TESTS_CAUSE_H

#include "runs.h"

/* Prints where a run left the reference and what differed before. Then repeats the run while it replays more and more
 * of the reference's kernel results, until the runs are equal, and prints which results that took. */
void cause_explain(const struct settings *settings, const struct other *other, struct reference *reference,
		   const struct flow_comparison *comparison, const struct outcome *outcome);

#endif
