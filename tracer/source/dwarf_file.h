/* The debug information of one ELF file, asked for addresses. What is in it is not trusted: time and memory have limits. */
#ifndef ITRACE_SOURCE_DWARF_FILE_H
#define ITRACE_SOURCE_DWARF_FILE_H

#include "source/source.h"

struct dwarf_file;

/* Reads the debug information of the program or library at `path`: its own, else that of its debug file. NULL: there is
 * none. */
struct dwarf_file *dwarf_file_create(const char *path);
void dwarf_file_destroy(struct dwarf_file *file);

/* As source_find_line. */
bool dwarf_file_find(struct dwarf_file *file, uint64_t file_va, struct source_line *line);

#endif
