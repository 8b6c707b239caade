/* Finds names and source locations for addresses in a file on disk: functions, lines and inlined calls.
 *
 * Addresses are as linked (_file_va), so that one file may be mapped twice, unmapped or replaced by exec. Symbols and
 * debug information come from the file, its debug file (by build ID below /usr/lib/debug, or by .gnu_debuglink), .dwo
 * files and files shared by dwz. No debuginfod server is asked.
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

/* Finds the function that holds file_va in the ELF file at `path`: its demangled name (cut to fit) and its offset from
 * the start. A function that has no symbol but an entry in the unwind table is "FILE+0xOFFSET". Returns false if the
 * file cannot be read or no function covers the address; the outputs are then untouched. */
bool source_find_function(struct source *source, const char *path, uint64_t file_va, char *name, size_t name_bytes,
			  uint64_t *offset);

/* Finds the source location of the instruction at file_va. Texts are valid until source_forget_lines or
 * source_destroy, the array of calls until the next lookup. Returns false if the location is unknown; the output is
 * then untouched. */
bool source_find_line(struct source *source, const char *path, uint64_t file_va, struct source_line *line);

/* Frees the debug information of a file, which may be large. */
void source_forget_lines(struct source *source, const char *path);

/* Sets *file_va to the address as linked of the byte at offset_bytes of the file. Returns false if the file cannot be
 * read or does not load that byte; the output is then untouched. */
bool source_find_va(struct source *source, const char *path, uint64_t offset_bytes, uint64_t *file_va);

#endif
