/* A copy of a profile whose instructions ascend by address, as they do in a file: neighbours are alike then. */
#ifndef ITRACE_SAVEFILE_SORTED_H
#define ITRACE_SAVEFILE_SORTED_H

#include "profile/profile.h"

/* Instructions at one address stay in their order. Edges and pairs of paths ascend, too, and the runs of a call tree
 * lie in the order of its contexts. The copy shares with the profile all that does not depend on the order of
 * instructions, and must not outlive it. */
void sorted_init(struct profile *sorted, const struct profile *profile);
void sorted_deinit(struct profile *sorted);

#endif
