#include "source/dwarf_text.h"

#include <dwarf.h>
#include <gelf.h>
#include <string.h>

#include "base/array.h"

const unsigned char *dwarf_text_unit_end(Dwarf_Die *root)
{
	Dwarf_Off offset = dwarf_dieoffset(root), start = offset - dwarf_cuoffset(root), next;
	size_t header_bytes;

	if (dwarf_next_unit(dwarf_cu_getdwarf(root->cu), start, &next, &header_bytes, NULL, NULL, NULL, NULL, NULL,
			    NULL) != 0 ||
	    next <= offset)
		return NULL;
	return (const unsigned char *)root->addr + (next - offset);
}

static bool has_end(Dwarf_Attribute *attribute, const char *text)
{
	const unsigned char *start = (const unsigned char *)text, *end;
	Dwarf_Die root;

	if (dwarf_whatform(attribute) != DW_FORM_string)
		return true;
	if (dwarf_cu_info(attribute->cu, NULL, NULL, &root, NULL, NULL, NULL, NULL) != 0)
		return false;
	end = dwarf_text_unit_end(&root);
	return end && start < end && memchr(start, '\0', (size_t)(end - start));
}

static const char *check(Dwarf_Attribute *attribute)
{
	const char *text = attribute ? dwarf_formstring(attribute) : NULL;

	return text && has_end(attribute, text) ? text : NULL;
}

const char *dwarf_text_get(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return check(dwarf_attr(die, name, &attribute));
}

const char *dwarf_text_find(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return check(dwarf_attr_integrate(die, name, &attribute));
}

bool dwarf_text_sections_are_sound(Dwarf *dwarf)
{
	Elf *elf = dwarf_getelf(dwarf);
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (!name || (!strstr(name, "debug_str") && !strstr(name, "debug_line_str")))
			continue;
		if (strstr(name, "offsets"))
			continue;
		data = elf_getdata(section, NULL);
		if (data && data->d_size > 0 && ((const char *)data->d_buf)[data->d_size - 1] != '\0')
			return false;
	}
	return true;
}

bool dwarf_text_root_is_sound(Dwarf_Die *root)
{
	static const unsigned names[] = {DW_AT_name, DW_AT_comp_dir, DW_AT_dwo_name, DW_AT_GNU_dwo_name};

	for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
		if (dwarf_hasattr(root, names[i]) && !dwarf_text_get(root, names[i]))
			return false;
	return true;
}
