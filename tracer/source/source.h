/* Finds names and source locations for addresses in a file on disk: functions, lines and inlined calls.
 *
 * Addresses are as linked (_file_va), so that one file may be mapped twice, unmapped or replaced by exec. Symbols and
 * debug information are those of the file, of its debug file (by build ID below /usr/lib/debug, or by
 * .gnu_debuglink), of .dwo files and of files shared by dwz. debuginfod servers are not used.
 */
#ifndef ITRACE_SOURCE_SOURCE_H
#define ITRACE_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "source/location.h"

struct lines;
struct symbol_table;
struct source; /* caches all files that were looked up */

struct source *source_create(void);
void source_destroy(struct source *source); /* may be NULL */

/* Finds the function that contains file_va in the ELF file at `path`. Returns its demangled name, which the source
 * owns, and sets *offset to the distance from its start. A function that only the unwind table describes is
 * "FILE+0xOFFSET". Returns NULL if the file cannot be read or no function contains the address; *offset is then
 * unchanged. */
const char *source_find_function(struct source *source, const char *path, uint64_t file_va, uint64_t *offset);

/* An address in a running program. */
struct source_address {
	const char *path; /* path of the file that is mapped there; NULL: none */
	uint64_t file_va; /* the address as linked, if there is a path */
	uint64_t va;	  /* at run time */
	bool is_program;  /* the file is the program's executable */
};

/* Reads a file of names (source/name_map.h), which take precedence over symbols. A map of run-time addresses names
 * code anywhere. A map of addresses as linked names code of the program. */
bool source_add_map(struct source *source, const char *path, struct error *err);

/* Finds the name of the function at an address by the maps, then as source_find_function does. */
const char *source_find_name(struct source *source, const struct source_address *address, uint64_t *offset);

/* Finds the name of code that a just-in-time compiler generated, in the compiler's /tmp/perf-PID.map. The process
 * must have ended, because the file grows until then. Returns NULL if there is no name. */
const char *source_find_generated(struct source *source, int32_t pid, uint64_t va, uint64_t *offset);
const struct symbol_table *source_generated(struct source *source, int32_t pid); /* returns all of these names */

/* Returns the symbols of a file and its debug file. The source owns them. */
const struct symbol_table *source_symbols(struct source *source, const char *path);
/* Returns the lines, which live until source_release_lines. Returns NULL if there are none. */
struct lines *source_lines(struct source *source, const char *path);

/* Calls `visit` with each map of addresses as linked in the program. */
void source_visit_program_maps(const struct source *source, void (*visit)(void *, const struct symbol_table *),
			       void *context);

/* Finds the source line of the instruction at file_va. The texts are valid until source_release_lines or
 * source_destroy, and line->calls until the next lookup. Returns false if the line is not known; *line is then
 * unchanged. */
bool source_find_line(struct source *source, const char *path, uint64_t file_va, struct source_line *line);

/* Frees the debug information of a file if it is large. Small debug information is kept for the next process. */
void source_release_lines(struct source *source, const char *path);

/* Drops files that were replaced since they were read, as a build between two processes of a run does. No text or
 * table of the source may be in use. */
void source_drop_changed(struct source *source);

/* Finds the address as linked of the byte at offset_bytes in the file. Returns false if the file cannot be read or
 * does not load the byte; *file_va is then unchanged. */
bool source_find_va(struct source *source, const char *path, uint64_t offset_bytes, uint64_t *file_va);

#endif
