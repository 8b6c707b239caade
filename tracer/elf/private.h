/* An open ELF file and limited access to its sections, for the .c files of this room.
 *
 * libelf checks every offset against the size of the file, but does not limit how often it reads one range of bytes
 * into memory. A budget limits the bytes read from sections.
 */
#ifndef ITRACE_ELF_PRIVATE_H
#define ITRACE_ELF_PRIVATE_H

#include <gelf.h>

#include "elf/file.h"
#include "elf/section.h"

#define ELF_MAX_INTERPRETER_BYTES 4096	      /* PATH_MAX */
#define ELF_MAX_REGION_NAME_BYTES 4096	      /* include/itrace/markers.h promises 4,000 */
#define ELF_MAX_SYMBOL_BYTES (64u << 10)      /* longer names are skipped; the longest one in libLLVM 22 has 512 */
#define ELF_MAX_NOTES_BYTES (64u << 10)	      /* of a segment that is searched for the build ID */
#define ELF_MAX_MARKERS 1000000		      /* of a file; the rest is ignored */
#define ELF_NOTES_BUDGET_BYTES (256ull << 20) /* of all notes of a file; a marker's note has 60 bytes and its name */
#define ELF_SYMBOL_NAMES_BUDGET_BYTES (256ull << 20) /* of all names that one search finds */

struct elf_file {
	int fd;
	Elf *elf;
	bool loads_anywhere; /* ET_DYN */
	bool is_object;	     /* ET_REL: symbol values are offsets in sections */
	uint64_t entry;
	char *interpreter;
	uint8_t *build_id; /* [n_build_id] or NULL */
	size_t n_build_id;
	struct elf_segment *segments;
	size_t n_segments, segments_capacity;
};

/* The executable segment that holds file_va among its bytes in the file, or NULL. */
const struct elf_segment *elf_file_code_segment(const struct elf_file *file, uint64_t file_va);

/* Returns a section's bytes, decompressed if necessary, and deducts their number from *budget_bytes. Returns NULL if
 * there are none or they exceed the budget. */
Elf_Data *elf_file_section_data(const struct elf_section *section, uint64_t *budget_bytes);

#endif
