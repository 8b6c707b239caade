/* Iterates over the sections of an open ELF file. */
#ifndef ITRACE_ELF_SECTION_H
#define ITRACE_ELF_SECTION_H

#include <gelf.h>
#include <stdbool.h>

struct elf_section { /* all zero: before the first section */
	Elf_Scn *handle;
	GElf_Shdr header;
	const char *name; /* "" if the file has none; owned by libelf */
};

/* Advances to the next section of this type (SHT_NULL: any) and name (NULL: any). Returns false after the last
 * section, and clears the struct. Skips sections with unreadable headers. */
bool elf_section_next(Elf *elf, GElf_Word type, const char *name, struct elf_section *section);

#endif
