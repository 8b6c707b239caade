/* Names and places in the source for addresses: symbols of a file on disk, demangled, line tables and inlined calls.
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

/* A call that was inlined. */
struct source_call {
	const char *function; /* what was called, demangled */
	const char *file;     /* of the call; NULL: unknown */
	uint32_t line;	      /* 0: unknown */
	uint32_t column;      /* 0: unknown */
};

struct source_line {
	const char *file;		 /* joined with the compilation directory; NULL: unknown */
	uint32_t line;			 /* 0: unknown */
	uint32_t column;		 /* 0: unknown */
	const uint8_t *md5;		 /* [16] of the file's text as it was compiled; NULL: unknown */
	const struct source_call *calls; /* [n_calls] whose bodies it is in, from the outermost one inwards */
	size_t n_calls;
};

/* Where the instruction at file_va of the ELF file at `path` comes from, by DWARF 2 to 5 in the file, its debug file, .dwo files
 * and what these share by dwz. Texts are valid until source_forget_lines or source_destroy, calls until the next question.
 * False when that is not known; the output is then untouched. */
bool source_find_line(struct source *source, const char *path, uint64_t file_va, struct source_line *line);

/* Releases what answering took, which may be much. */
void source_forget_lines(struct source *source, const char *path);

/* The address as linked of what lies at this offset of the ELF file at `path`. False when the file cannot be read or loads
 * no such byte; the output is then untouched. */
bool source_find_va(struct source *source, const char *path, uint64_t offset_bytes, uint64_t *file_va);

/* The demangled C++ or Rust name, to be freed; NULL where `symbol` is not a mangled name. */
char *source_demangle(const char *symbol);

#endif
