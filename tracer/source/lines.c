#include "source/lines.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/path.h"
#include "source/address_map.h"
#include "source/function_name.h"

#define MAX_DEPTH 256 /* depth of nested blocks and inlined calls; compilers reach some dozens */

/* A function or the body of an inlined call. */
struct scope {
	Dwarf_Die die;
	uint32_t outer; /* index of the scope that holds this call; ADDRESS_NONE: a function */
	char *name;	/* demangled; NULL until first used */
};

/* A compilation unit. */
struct unit {
	Dwarf_Die root; /* the skeleton unit in split DWARF, because it has the line table */
	bool is_read;	/* the members below are filled */
	Dwarf_Files *files;
	size_t n_files;
	struct scope *scopes;
	size_t n_scopes, scopes_capacity;
	struct address_map map; /* finds indices in scopes */
};

/* A path from libdw. Two units never share the pointer `raw`, so `raw` also identifies the unit's folder. */
struct path_entry {
	UT_hash_handle hh;
	const char *raw;
	char *path; /* normalized */
};

struct lines {
	size_t file_bytes;
	Dwarf_Addr bias; /* address as linked minus address in the DWARF; not 0 after prelink */
	struct unit *units;
	size_t n_units, units_capacity;
	struct address_map map;	  /* finds indices in units */
	struct path_entry *paths; /* hash by raw */
	struct source_call calls[MAX_DEPTH];
};

static void add_ranges(Dwarf_Die *die, uint32_t id, uint32_t depth, struct address_map *map)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;

	while ((offset = dwarf_ranges(die, offset, &base, &start, &end)) > 0)
		address_map_add(map, &(struct address_range){start, end, id, depth});
}

static uint32_t add_scope(struct unit *unit, Dwarf_Die *die, uint32_t outer, uint32_t depth)
{
	uint32_t index = (uint32_t)unit->n_scopes;

	*ARRAY_ADD(unit, scopes) = (struct scope){.die = *die, .outer = outer};
	add_ranges(die, index, depth, &unit->map);
	return index;
}

/* Called with the scope that contains the DIE. Sets *scope to the scope that contains the DIE's children. Returns
 * false if no inlined call can be among the children. */
static bool enter_die(struct unit *unit, Dwarf_Die *die, uint32_t *scope, uint32_t depth)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		if (!dwarf_haschildren(die) && !dwarf_hasattr(die, DW_AT_low_pc) && !dwarf_hasattr(die, DW_AT_ranges))
			return false;
		*scope = add_scope(unit, die, ADDRESS_NONE, depth);
		return true;
	case DW_TAG_inlined_subroutine:
		if (*scope == ADDRESS_NONE)
			return false;
		*scope = add_scope(unit, die, *scope, depth);
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

static void read_children(struct unit *unit, Dwarf_Die *parent, uint32_t scope, uint32_t depth)
{
	Dwarf_Die die;

	if (depth >= MAX_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		uint32_t inner = scope;

		if (enter_die(unit, &die, &inner, depth))
			read_children(unit, &die, inner, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* Adds the ranges of a unit's line table. */
static void add_line_ranges(struct unit *unit, uint32_t index, struct address_map *map)
{
	struct address_range range = {.id = index};
	bool is_inside = false;
	Dwarf_Lines *rows;
	size_t n_rows;

	if (dwarf_getsrclines(&unit->root, &rows, &n_rows) != 0)
		return;
	for (size_t i = 0; i < n_rows; i++) {
		Dwarf_Line *row = dwarf_onesrcline(rows, i);
		bool is_end;

		if (dwarf_lineaddr(row, is_inside ? &range.end_va : &range.start_va) != 0 ||
		    dwarf_lineendsequence(row, &is_end) != 0)
			continue;
		if (is_end && is_inside)
			address_map_add(map, &range);
		is_inside = !is_end;
	}
}

static void add_unit(struct lines *lines, Dwarf_Die *root, Dwarf_Half version)
{
	uint32_t index = (uint32_t)lines->n_units;
	struct unit *unit = ARRAY_ADD(lines, units);
	size_t n_ranges = lines->map.n_ranges;

	unit->root = *root;
	add_ranges(root, index, 0, &lines->map);
	/* Strict DWARF 2 has no DW_AT_ranges. Only the line table lists code in further sections. */
	if (dwarf_tag(root) != DW_TAG_partial_unit &&
	    (lines->map.n_ranges == n_ranges || (version == 2 && !dwarf_hasattr(root, DW_AT_ranges))))
		add_line_ranges(unit, index, &lines->map);
}

struct lines *lines_create(Dwfl_Module *module)
{
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(module, &bias);
	struct lines *lines;
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;
	uint8_t type;
	Dwarf_Die root;

	if (!dwarf)
		return NULL;
	lines = xcalloc(1, sizeof(*lines));
	lines->bias = bias;
	elf_rawfile(dwarf_getelf(dwarf), &lines->file_bytes);
	while (dwarf_get_units(dwarf, cu, &cu, &version, &type, &root, NULL) == 0)
		if (type == DW_UT_compile || type == DW_UT_skeleton || type == DW_UT_partial)
			add_unit(lines, &root, version);
	address_map_arrange(&lines->map);
	return lines;
}

static void unit_deinit(struct unit *unit)
{
	for (size_t i = 0; i < unit->n_scopes; i++)
		free(unit->scopes[i].name);
	free(unit->scopes);
	address_map_deinit(&unit->map);
}

void lines_destroy(struct lines *lines)
{
	struct path_entry *entry, *next;

	if (!lines)
		return;
	for (size_t i = 0; i < lines->n_units; i++)
		unit_deinit(&lines->units[i]);
	HASH_ITER (hh, lines->paths, entry, next)
		free(entry->path);
	HASH_FREE(lines->paths);
	free(lines->units);
	address_map_deinit(&lines->map);
	free(lines);
}

uint64_t lines_file_bytes(const struct lines *lines)
{
	return lines ? lines->file_bytes : 0;
}

static void read_unit(struct unit *unit)
{
	Dwarf_Die split;

	if (unit->is_read)
		return;
	unit->is_read = true;
	/* The functions of a skeleton are in its .dwo file. */
	if (dwarf_cu_info(unit->root.cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) != 0 || !split.addr)
		split = unit->root;
	if (dwarf_getsrcfiles(&split, &unit->files, &unit->n_files) != 0)
		unit->n_files = 0;
	read_children(unit, &split, ADDRESS_NONE, 0);
	address_map_arrange(&unit->map);
}

/* Returns the string attribute of the DIE, or of its abstract origin or specification, or NULL. */
static const char *find_string(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

static const char *scope_name(struct scope *scope)
{
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

static const char *normalize(struct lines *lines, struct unit *unit, const char *raw)
{
	struct path_entry *entry;
	Dwarf_Attribute folder;

	if (!raw)
		return NULL;
	HASH_FIND_PTR(lines->paths, &raw, entry);
	if (!entry) {
		entry = xcalloc(1, sizeof(*entry));
		entry->raw = raw;
		/* libdw 0.188 joins folder and name, but not if DWARF 5 has a separate relative folder. */
		entry->path = path_join(dwarf_formstring(dwarf_attr(&unit->root, DW_AT_comp_dir, &folder)), raw);
		HASH_ADD_PTR(lines->paths, raw, entry);
	}
	return entry->path;
}

static uint32_t get_number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (dwarf_formudata(dwarf_attr(die, name, &attribute), &value) != 0 || value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

static void set_call(struct lines *lines, struct unit *unit, struct scope *scope, struct source_call *call)
{
	uint32_t file = get_number(&scope->die, DW_AT_call_file), line = get_number(&scope->die, DW_AT_call_line);

	*call = (struct source_call){.function = scope_name(scope)};
	if (file >= unit->n_files || line == 0)
		return;
	call->file = normalize(lines, unit, dwarf_filesrc(unit->files, file, NULL, NULL));
	if (!call->file)
		return;
	call->line = line;
	call->column = get_number(&scope->die, DW_AT_call_column);
}

static void find_calls(struct lines *lines, struct unit *unit, uint64_t va, struct source_line *found)
{
	struct scope *scopes = unit->scopes;
	uint32_t innermost = address_map_find(&unit->map, va);

	for (uint32_t i = innermost; i != ADDRESS_NONE && scopes[i].outer != ADDRESS_NONE; i = scopes[i].outer)
		found->n_calls++;
	for (size_t depth = found->n_calls; depth > 0; innermost = scopes[innermost].outer)
		set_call(lines, unit, &scopes[innermost], &lines->calls[--depth]);
	found->calls = lines->calls;
}

static void find_row(struct lines *lines, struct unit *unit, uint64_t va, struct source_line *found)
{
	Dwarf_Line *row = dwarf_getsrc_die(&unit->root, va);
	int line, column;

	if (!row || dwarf_lineno(row, &line) != 0 || line <= 0)
		return;
	found->file = normalize(lines, unit, dwarf_linesrc(row, NULL, NULL));
	if (!found->file)
		return;
	found->line = (uint32_t)line;
	if (dwarf_linecol(row, &column) == 0 && column > 0)
		found->column = (uint32_t)column;
}

bool lines_find(struct lines *lines, uint64_t file_va, struct source_line *line)
{
	uint64_t va = file_va - lines->bias;
	uint32_t index = address_map_find(&lines->map, va);
	struct source_line found = {0};
	struct unit *unit;

	if (index == ADDRESS_NONE)
		return false;
	unit = &lines->units[index];
	read_unit(unit);
	find_row(lines, unit, va, &found);
	find_calls(lines, unit, va, &found);
	if (!found.file && found.n_calls == 0)
		return false;
	*line = found;
	return true;
}

bool lines_find_inlined(struct lines *lines, const struct function_pattern *pattern, struct source_call *call)
{
	char *base = function_name_base(pattern->name);
	bool is_found = false;

	for (size_t i = 0; i < lines->n_units && !is_found; i++) {
		struct unit *unit = &lines->units[i];

		read_unit(unit);
		for (size_t k = 0; k < unit->n_scopes && !is_found; k++) {
			/* A function that was always inlined may have no mangled name: only its own name is known. */
			is_found = unit->scopes[k].outer != ADDRESS_NONE &&
				   (function_pattern_is_name(pattern, scope_name(&unit->scopes[k])) ||
				    strcmp(base, scope_name(&unit->scopes[k])) == 0);
			if (is_found)
				set_call(lines, unit, &unit->scopes[k], call);
		}
	}
	free(base);
	return is_found;
}
