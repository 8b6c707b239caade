#include "source/inlines.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/array.h"

void inlines_add_ranges(Dwarf_Die *die, uint32_t id, uint32_t depth, struct address_map *map)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;

	while ((offset = dwarf_ranges(die, offset, &base, &start, &end)) > 0)
		address_map_add(map, &(struct address_range){start, end, id, depth});
}

static uint32_t add_scope(struct inlines *inlines, Dwarf_Die *die, uint32_t outer, uint32_t depth)
{
	uint32_t index = (uint32_t)inlines->n_scopes;

	*ARRAY_ADD(inlines, scopes) = (struct inline_scope){.die = *die, .outer = outer};
	inlines_add_ranges(die, index, depth, &inlines->map);
	return index;
}

/* Whether there may be inlined calls below the DIE. *scope is the scope around it, and then the one around its children. */
static bool enter(struct inlines *inlines, Dwarf_Die *die, uint32_t *scope, uint32_t depth)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		if (!dwarf_haschildren(die) && !dwarf_hasattr(die, DW_AT_low_pc) && !dwarf_hasattr(die, DW_AT_ranges))
			return false;
		*scope = add_scope(inlines, die, ADDRESS_NONE, depth);
		return true;
	case DW_TAG_inlined_subroutine:
		if (*scope == ADDRESS_NONE)
			return false;
		*scope = add_scope(inlines, die, *scope, depth);
		return true;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return true;
	default:
		return false;
	}
}

static void read_children(struct inlines *inlines, Dwarf_Die *parent, uint32_t scope, uint32_t depth)
{
	Dwarf_Die die;

	if (depth >= INLINES_MAX_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		uint32_t inner = scope;

		if (enter(inlines, &die, &inner, depth))
			read_children(inlines, &die, inner, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

void inlines_read(struct inlines *inlines, Dwarf_Die *root)
{
	read_children(inlines, root, ADDRESS_NONE, 0);
	address_map_arrange(&inlines->map);
}

void inlines_deinit(struct inlines *inlines)
{
	for (size_t i = 0; i < inlines->n_scopes; i++)
		free(inlines->scopes[i].name);
	free(inlines->scopes);
	address_map_deinit(&inlines->map);
	*inlines = (struct inlines){0};
}

/* The string of an attribute of the DIE, or of the one that it originates from or specifies; NULL: there is none. */
static const char *find_string(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

const char *inlines_name(struct inlines *inlines, uint32_t index)
{
	struct inline_scope *scope = &inlines->scopes[index];
	const char *name;

	if (scope->name)
		return scope->name;
	name = find_string(&scope->die, DW_AT_linkage_name);
	if (!name)
		name = find_string(&scope->die, DW_AT_MIPS_linkage_name);
	if (name)
		scope->name = source_demangle(name);
	else
		name = find_string(&scope->die, DW_AT_name);
	if (!scope->name)
		scope->name = xstrdup(name ? name : "(unnamed)");
	return scope->name;
}
