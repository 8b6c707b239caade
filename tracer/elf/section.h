/* The sections of an ELF file that libelf has open. */
#ifndef ITRACE_ELF_SECTION_H
#define ITRACE_ELF_SECTION_H

#include <gelf.h>
#include <stdbool.h>

struct elf_section { /* all zero: before the first section */
	Elf_Scn *handle;
	GElf_Shdr header;
	const char *name; /* "" where the file gives none; owned by libelf */
};

/* Goes on to the next section of this type (SHT_NULL: of any) and this name (NULL: any). False behind the last one; the
 * struct is then all zero again. Sections whose header cannot be read are skipped. */
bool elf_section_next(Elf *elf, GElf_Word type, const char *name, struct elf_section *section);

#endif
