/* Finds functions by the names that users type: by symbols, the unwind table, linkage tables and maps of names. */
#ifndef ITRACE_SOURCE_SEARCH_H
#define ITRACE_SOURCE_SEARCH_H

#include "elf/file.h"
#include "source/source.h"

/* The finder borrows the source. It takes names as source/function_name.h describes them. */
struct function_finder source_function_finder(struct source *source);

#endif
