/* A copy of a profile with its instructions sorted by address, as in a file. Sorted neighbours are alike, which
 * compresses well. */
#ifndef ITRACE_SAVEFILE_SORTED_H
#define ITRACE_SAVEFILE_SORTED_H

#include "profile/profile.h"

/* Instructions at one address keep their order. Edges and pairs of paths are sorted as well, and the runs of a call
 * tree follow the order of its contexts. The copy shares all data that does not depend on the order of instructions
 * with the profile, and must not outlive it. */
void sorted_init(struct profile *sorted, const struct profile *profile);
void sorted_deinit(struct profile *sorted);

#endif
