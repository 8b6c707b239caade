/* Reads the layout, the markers and the function symbols of an ELF file.
 *
 * Files are not trusted: any content gives a result or an error.
 */
#ifndef ITRACE_ELF_FILE_H
#define ITRACE_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct elf_segment { /* PT_LOAD */
	uint64_t file_va, offset_bytes, file_bytes, memory_bytes;
	bool executable;
};

struct elf_file; /* an open file; immutable */

/* Opens an x86-64 program or library for reading. NULL on failure; ERROR_FORMAT for any other kind of file. */
struct elf_file *elf_file_open(const char *path, struct error *err);

/* Also opens object files (.o). Their code sections serve as segments, and a file_va is an offset in the file. Bytes
 * that relocations fill in are zero. */
struct elf_file *elf_file_open_any(const char *path, struct error *err);
void elf_file_close(struct elf_file *file);

bool elf_file_is_object(const struct elf_file *file);	       /* a .o: not linked yet */
uint64_t elf_file_entry(const struct elf_file *file);	       /* file_va of the entry point */
const char *elf_file_interpreter(const struct elf_file *file); /* PT_INTERP, or NULL if the program is static */
const struct elf_segment *elf_file_segments(const struct elf_file *file, size_t *n_segments);

/* The GNU build ID, or NULL and *n_bytes 0. */
const uint8_t *elf_file_build_id(const struct elf_file *file, size_t *n_bytes);

/* Sets *bias to the load bias of a mapping of this file: run-time address minus file_va. Returns false if no segment
 * holds map_offset_bytes. */
bool elf_file_bias(const struct elf_file *file, uint64_t map_start_va, uint64_t map_offset_bytes, uint64_t *bias);

enum marker_kind { MARKER_BEGIN, MARKER_END, MARKER_SCOPE_BEGIN, MARKER_SCOPE_END };

struct marker {		  /* An SDT note of provider "itrace", or "itrace_scope" for PA_SCOPE. */
	uint64_t file_va; /* of its one-byte NOP; corrected for prelink by .stapsdt.base */
	enum marker_kind kind;
	char *region; /* the region's name; "" for PA_BEGIN() without one and for the end of any scope */
};

struct marker_list {
	struct marker *markers;
	size_t n_markers, markers_capacity;
};

/* All markers of the file, in file order, one for each address, kind and region. Skips malformed notes, and notes whose
 * address is not that of a NOP in the program's code: linkers keep the notes of functions that they drop. */
void elf_file_markers_init(const struct elf_file *file, struct marker_list *list);
void elf_file_markers_deinit(struct marker_list *list);

struct function_symbol {
	uint64_t file_va;
	uint64_t size_bytes; /* 0: unknown */
	bool is_ifunc;	     /* STT_GNU_IFUNC: file_va is that of the resolver */
	char *symbol;	     /* mangled, without @VERSION */
};

struct function_list {
	struct function_symbol *functions;
	size_t n_functions, functions_capacity;
};

/* The defined function symbols of .symtab and .dynsym that `matches` accepts, sorted by address, one for each address
 * and name. Labels in code count as functions, because assembly programs rarely declare functions. */
typedef bool elf_symbol_predicate(const char *symbol, void *context);
bool elf_symbol_is(const char *symbol, void *name); /* accepts one name */
void elf_file_functions_init(const struct elf_file *file, elf_symbol_predicate *matches, void *context,
			     struct function_list *list);
void elf_file_functions_deinit(struct function_list *list);

/* Finds functions in files of a running program by all names that reports show (source/search.h). */
struct function_finder {
	void *context; /* passed to the functions */

	/* Appends to the list the functions that `name` stands for in the file at `path`: sorted by address, and with
	 * the names that reports show. is_program: the file is the program itself, not a library. */
	void (*find)(void *context, const char *path, bool is_program, const char *name, struct function_list *list);

	/* Sets the start of the function that holds file_va; false: there is none. */
	bool (*find_start)(void *context, const char *path, uint64_t file_va, uint64_t *start_va);

	/* A sentence without a full stop: why `name` stands for no function of the file, or which function may be
	 * meant. NULL: the reason is not known. The caller frees the text. pid: the process, which has ended. */
	char *(*explain)(void *context, int32_t pid, const char *path, const char *name);
};

#endif
