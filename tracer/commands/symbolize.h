/* Gives the instructions of a profile their functions' names. */
#ifndef ITRACE_COMMANDS_SYMBOLIZE_H
#define ITRACE_COMMANDS_SYMBOLIZE_H

#include "profile/profile.h"
#include "source/source.h"

/* One instruction; without a symbol its function is named after the module and the offset counts from the module's start.
 * Code outside all modules stays without a function. */
void symbolize_insn(struct profile *profile, struct source *source, uint32_t insn);
void symbolize_all(struct profile *profile, struct source *source);

#endif
