/* Finds the functions that a typed name means: among symbols, PLT entries, functions that only .eh_frame describes, and
 * names that --map gives for the program. */
#ifndef ITRACE_SOURCE_SEARCH_H
#define ITRACE_SOURCE_SEARCH_H

#include "elf/file.h"
#include "source/source.h"

/* The finder borrows the source. It takes names as source/function_name.h describes them. */
struct function_finder source_function_finder(struct source *source);

#endif
