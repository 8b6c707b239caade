/* Tells where in the source the instructions of a profile come from. */
#ifndef ITRACE_COMMANDS_LOCATE_H
#define ITRACE_COMMANDS_LOCATE_H

#include "profile/profile.h"
#include "source/source.h"

/* All instructions; those without debug information keep location 0. */
void locate_all(struct profile *profile, struct source *source);

#endif
