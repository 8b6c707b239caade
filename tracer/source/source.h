/* Names for addresses: symbols of a file on disk, demangled. Line tables and inlined calls come here too.
 *
 * Addresses are as linked (_file_va), so the same file mapped twice, unmapped or replaced by exec needs no care.
 */
#ifndef ITRACE_SOURCE_SOURCE_H
#define ITRACE_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source; /* caches every file that was asked for */

struct source *source_create(void);
void source_destroy(struct source *source);

/* The function that holds file_va in the ELF file at `path`: its demangled name (cut to fit) and the distance from its
 * start. Separate debug files (.gnu_debuglink, build id under /usr/lib/debug) are used where installed. False when the
 * file cannot be read or no function covers the address; outputs are then untouched. */
bool source_find_function(struct source *source, const char *path, uint64_t file_va, char *name, size_t name_bytes,
			  uint64_t *offset);

/* The address as linked of what lies at this offset of the ELF file at `path`. False when the file cannot be read or loads
 * no such byte; the output is then untouched. */
bool source_find_va(struct source *source, const char *path, uint64_t offset_bytes, uint64_t *file_va);

/* The demangled C++ or Rust name, to be freed; NULL where `symbol` is not a mangled name. */
char *source_demangle(const char *symbol);

#endif
