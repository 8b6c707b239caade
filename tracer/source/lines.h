/* Lines of source and inlined calls by address, of one module. */
#ifndef ITRACE_SOURCE_LINES_H
#define ITRACE_SOURCE_LINES_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

#include "source/location.h"

struct lines;

/* The module must outlive the lines. NULL: it has no debug information. */
struct lines *lines_create(Dwfl_Module *module);
void lines_destroy(struct lines *lines);

/* As source_find_line. Paths and names live as long as the lines, calls until the next question. */
bool lines_find(struct lines *lines, uint64_t file_va, struct source_line *line);

#endif
