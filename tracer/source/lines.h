/* Finds source lines and inlined calls by address in one module. */
#ifndef ITRACE_SOURCE_LINES_H
#define ITRACE_SOURCE_LINES_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

#include "source/location.h"

struct function_pattern;
struct lines;

/* The module must outlive the lines. Returns NULL if it has no debug information. */
struct lines *lines_create(Dwfl_Module *module);
void lines_destroy(struct lines *lines);

/* Returns the size of the file with the debug information. lines may be NULL. */
uint64_t lines_file_bytes(const struct lines *lines);

/* As source_find_line. Paths and names live as long as `lines`, the array of calls until the next lookup. */
bool lines_find(struct lines *lines, uint64_t file_va, struct source_line *line);

/* Finds an inlined call of a function that matches the pattern. Returns false if there is none; *call is then
 * unchanged. Texts live as long as `lines`. */
bool lines_find_inlined(struct lines *lines, const struct function_pattern *pattern, struct source_call *call);

#endif
