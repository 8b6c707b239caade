/* Adds functions, source lines and inlined calls to the instructions of a profile. */
#ifndef ITRACE_SOURCE_SYMBOLIZE_H
#define ITRACE_SOURCE_SYMBOLIZE_H

#include "profile/profile.h"
#include "source/source.h"

/* Sets the function of one instruction. Code of a module without a symbol gets a function with the name of the module,
 * and function_offset counts from the module's start. Code outside all modules gets a function only if --map names
 * it. */
void symbolize_insn(struct profile *profile, struct source *source, uint32_t insn);

/* Sets the functions of all instructions that have none, generated code included. To be called after the run. */
void symbolize_functions(struct profile *profile, struct source *source);

/* Sets the locations of all instructions. Those without debug information keep location 0. */
void symbolize_lines(struct profile *profile, struct source *source);

#endif
