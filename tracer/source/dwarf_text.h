/* Strings of debug information. libdw hands them out even where the section ends before they do. */
#ifndef ITRACE_SOURCE_DWARF_TEXT_H
#define ITRACE_SOURCE_DWARF_TEXT_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/* Where the unit ends that the DIE is the root of; NULL: that cannot be told. */
const unsigned char *dwarf_text_unit_end(Dwarf_Die *root);

/* The string of an attribute, or NULL. dwarf_text_find also looks at what the DIE originates from or specifies. */
const char *dwarf_text_get(Dwarf_Die *die, unsigned name);
const char *dwarf_text_find(Dwarf_Die *die, unsigned name);

/* Whether the last string ends in each section of strings. To be asked after libdw has opened the file. */
bool dwarf_text_sections_are_sound(Dwarf *dwarf);

/* Whether the strings of a root that libdw reads by itself end. */
bool dwarf_text_root_is_sound(Dwarf_Die *root);

#endif
