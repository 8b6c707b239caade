/* Finds the functions that a typed name means: among symbols, PLT entries, functions that only .eh_frame describes, and
 * names that --map gives for the program. */
#ifndef ITRACE_SOURCE_SEARCH_H
#define ITRACE_SOURCE_SEARCH_H

#include "elf/file.h"
#include "source/source.h"

/* Returns a finder of functions by the names that source/function_name.h describes. It borrows the source. */
struct function_finder source_function_finder(struct source *source);

#endif
