#include "source/dwarf_text.h"

#include <dwarf.h>
#include <gelf.h>
#include <string.h>

#include "base/array.h"

/* The data of the next section after *section (NULL: of the first one) whose name holds one of the two; NULL: there is none. */
static Elf_Data *next_data(Elf *elf, Elf_Scn **section, const char *name, const char *other_name)
{
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	while ((*section = elf_nextscn(elf, *section))) {
		const char *found;
		GElf_Shdr header;
		Elf_Data *data;

		if (!gelf_getshdr(*section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		found = elf_strptr(elf, names, header.sh_name);
		if (!found || (!strstr(found, name) && !strstr(found, other_name)) || strstr(found, "offsets"))
			continue;
		data = elf_getdata(*section, NULL);
		if (data && data->d_buf && data->d_size > 0)
			return data;
	}
	return NULL;
}

/* Where the section ends that a DIE is in, or NULL: a unit may claim to go on behind. */
static const unsigned char *section_end(Dwarf_Die *die)
{
	Elf *elf = dwarf_getelf(dwarf_cu_getdwarf(die->cu));
	Elf_Scn *section = NULL;
	Elf_Data *data;

	while ((data = next_data(elf, &section, "debug_info", "debug_types"))) {
		const unsigned char *start = data->d_buf;

		if ((const unsigned char *)die->addr >= start &&
		    (const unsigned char *)die->addr < start + data->d_size)
			return start + data->d_size;
	}
	return NULL;
}

const unsigned char *dwarf_text_unit_end(Dwarf_Die *root)
{
	Dwarf_Off offset = dwarf_dieoffset(root), start = offset - dwarf_cuoffset(root), next;
	const unsigned char *end = section_end(root);
	size_t header_bytes;

	if (!end ||
	    dwarf_next_unit(dwarf_cu_getdwarf(root->cu), start, &next, &header_bytes, NULL, NULL, NULL, NULL, NULL,
			    NULL) != 0 ||
	    next <= offset)
		return NULL;
	if (next - offset < (Dwarf_Off)(end - (const unsigned char *)root->addr))
		end = (const unsigned char *)root->addr + (next - offset);
	return end;
}

static bool has_end(Dwarf_Attribute *attribute, const char *text)
{
	const unsigned char *start = (const unsigned char *)text, *end;
	Dwarf_Die root;

	if (dwarf_whatform(attribute) != DW_FORM_string)
		return true;
	if (dwarf_cu_info(attribute->cu, NULL, NULL, &root, NULL, NULL, NULL, NULL) != 0)
		return false;
	end = section_end(&root);
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
	Elf_Scn *section = NULL;
	Elf_Data *data;

	while ((data = next_data(dwarf_getelf(dwarf), &section, "debug_str", "debug_line_str")))
		if (((const char *)data->d_buf)[data->d_size - 1] != '\0')
			return false;
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
