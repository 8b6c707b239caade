#include "elf/section.h"

#include <string.h>

bool elf_section_next(Elf *elf, GElf_Word type, const char *name, struct elf_section *section)
{
	size_t names;
	bool has_names = elf_getshdrstrndx(elf, &names) == 0;

	while ((section->handle = elf_nextscn(elf, section->handle))) {
		if (!gelf_getshdr(section->handle, &section->header))
			continue;
		section->name = has_names ? elf_strptr(elf, names, section->header.sh_name) : NULL;
		if (!section->name)
			section->name = "";
		if ((type == SHT_NULL || section->header.sh_type == type) &&
		    (!name || strcmp(section->name, name) == 0))
			return true;
	}
	*section = (struct elf_section){0};
	return false;
}
