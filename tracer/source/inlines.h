/* The functions of one compilation unit and the calls that were inlined in them. */
#ifndef ITRACE_SOURCE_INLINES_H
#define ITRACE_SOURCE_INLINES_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "source/address_map.h"
#include "source/source.h"

#define INLINES_MAX_DEPTH 256 /* of blocks and calls in each other; compilers go to some dozens */

struct inline_scope { /* a function, or the body of an inlined call */
	Dwarf_Die die;
	uint32_t outer; /* index of the scope that this call is in; ADDRESS_NONE: a function */
	char *name;	/* demangled; NULL until it is asked for */
};

struct inlines { /* all zero when empty */
	struct inline_scope *scopes;
	size_t n_scopes, scopes_capacity;
	struct address_map map; /* of indices in scopes */
};

/* Reads the tree below the root DIE of a unit, which must outlive it. Addresses are those of the DWARF. */
void inlines_read(struct inlines *inlines, Dwarf_Die *root);
void inlines_deinit(struct inlines *inlines);

/* The name of a scope for people; "(unnamed)" where there is none. */
const char *inlines_name(struct inlines *inlines, uint32_t scope);

/* Adds the ranges of a DIE to a map. */
void inlines_add_ranges(Dwarf_Die *die, uint32_t id, uint32_t depth, struct address_map *map);

#endif
