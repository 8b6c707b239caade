/* Finds names and source locations for addresses in a file on disk: functions, lines and inlined calls.
 *
 * Addresses are as linked (_file_va), so that one file may be mapped twice, unmapped or replaced by exec. Symbols and
 * debug information are those of the file, of its debug file (by build ID below /usr/lib/debug, or by
 * .gnu_debuglink), of .dwo files and of files shared by dwz. No debuginfod server is asked.
 */
#ifndef ITRACE_SOURCE_SOURCE_H
#define ITRACE_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/location.h"

struct source; /* caches all files that were looked up */

struct source *source_create(void);
void source_destroy(struct source *source); /* may be NULL */

/* Finds the function that holds file_va in the ELF file at `path`: its demangled name, owned by the source, and the
 * distance from its start. A function without a symbol that the unwind table describes is "FILE+0xOFFSET". NULL when
 * the file cannot be read or no function covers the address; the output is then untouched. */
const char *source_find_function(struct source *source, const char *path, uint64_t file_va, uint64_t *offset);

/* Finds the place in the source that the instruction at file_va comes from. Texts are valid until source_forget_lines
 * or source_destroy, calls until the next question. False when that is not known; the output is then untouched. */
bool source_find_line(struct source *source, const char *path, uint64_t file_va, struct source_line *line);

/* Frees the debug information of a file, which may be large. */
void source_forget_lines(struct source *source, const char *path);

/* Finds the address as linked of the byte at this offset of the file. False when the file cannot be read or loads no
 * such byte; the output is then untouched. */
bool source_find_va(struct source *source, const char *path, uint64_t offset_bytes, uint64_t *file_va);

#endif
