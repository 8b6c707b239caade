#include "source/dwarf_unit.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/array.h"
#include "source/dwarf_text.h"

/* Blocks and inlined calls in each other: compilers go to some dozens. */
#define MAX_DEPTH 512

void dwarf_unit_add_ranges(Dwarf_Die *die, uint32_t id, uint32_t depth, struct spans *spans, size_t *work_left)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;

	while (*work_left > 0 && (offset = dwarf_ranges(die, offset, &base, &start, &end)) > 0) {
		--*work_left;
		spans_add(spans, start, end, id, depth);
	}
}

static uint32_t get_number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &value) != 0 || value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

static uint32_t add_scope(struct dwarf_unit *unit, Dwarf_Die *die, uint32_t caller)
{
	struct dwarf_scope *scope = ARRAY_ADD(unit, scopes);

	*scope = (struct dwarf_scope){.origin = dwarf_dieoffset(die), .caller = caller};
	if (caller != SPAN_NONE) {
		scope->call_file = get_number(die, DW_AT_call_file);
		scope->call_line = get_number(die, DW_AT_call_line);
		scope->call_column = get_number(die, DW_AT_call_column);
	}
	return (uint32_t)unit->n_scopes - 1;
}

/* The scope of what is below the DIE; false: nothing below matters. */
static bool enter(struct dwarf_unit *unit, Dwarf_Die *die, uint32_t *scope, uint32_t depth, size_t *work_left)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		if (!dwarf_haschildren(die) && !dwarf_hasattr(die, DW_AT_low_pc) && !dwarf_hasattr(die, DW_AT_ranges))
			return false;
		*scope = add_scope(unit, die, SPAN_NONE);
		dwarf_unit_add_ranges(die, *scope, depth, &unit->spans, work_left);
		return true;
	case DW_TAG_inlined_subroutine:
		if (*scope == SPAN_NONE)
			return false;
		*scope = add_scope(unit, die, *scope);
		dwarf_unit_add_ranges(die, *scope, depth, &unit->spans, work_left);
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

/* Where a walk over the DIEs of a unit is. libdw's own dwarf_siblingof goes over children again, those of each level once more, and
 * where they refer to siblings before them, for ever: it is only asked where it looks at one DIE. */
struct walk {
	struct dwarf_unit *unit;
	Dwarf *dwarf;
	const unsigned char *end; /* of the unit */
	const unsigned char *at;  /* the latest DIE */
	size_t *work_left;
};

static bool find_end(struct walk *walk, Dwarf_Die *root)
{
	walk->dwarf = dwarf_cu_getdwarf(root->cu);
	walk->at = (const unsigned char *)root->addr - 1;
	walk->end = dwarf_text_unit_end(root);
	return walk->end;
}

/* Goes on to the DIE at an address; false: that is not after the latest one, or the walk has taken too long. */
static bool advance(struct walk *walk, const Dwarf_Die *die)
{
	if (*walk->work_left == 0 || (const unsigned char *)die->addr <= walk->at)
		return false;
	--*walk->work_left;
	walk->at = die->addr;
	return true;
}

static const unsigned char *walk_children(struct walk *walk, Dwarf_Die *child, uint32_t scope, bool matters,
					  uint32_t depth);

/* The DIE after this one, in its list; 0: *next is it; 1: the list ends at *end; -1: the unit is damaged. */
static int walk_die(struct walk *walk, Dwarf_Die *die, uint32_t scope, bool matters, uint32_t depth, Dwarf_Die *next,
		    const unsigned char **end)
{
	bool has_children = dwarf_haschildren(die) == 1;
	Dwarf_Die child;
	int result;

	matters = matters && enter(walk->unit, die, &scope, depth, walk->work_left);
	if (has_children && dwarf_child(die, &child) == 0 && (matters || !dwarf_hasattr(die, DW_AT_sibling))) {
		const unsigned char *children_end = walk_children(walk, &child, scope, matters, depth + 1);

		if (!children_end)
			return -1;
		*end = children_end + 1;
		if (*end >= walk->end || **end == 0)
			return 1;
		return dwarf_die_addr_die(walk->dwarf, (void *)*end, next) ? 0 : -1;
	}
	next->addr = NULL;
	result = dwarf_siblingof(die, next);
	*end = next->addr;
	return result;
}

/* From the first child on; where their list ends, or NULL. */
static const unsigned char *walk_children(struct walk *walk, Dwarf_Die *child, uint32_t scope, bool matters,
					  uint32_t depth)
{
	const unsigned char *end = NULL;
	Dwarf_Die die = *child, next;
	int result = 0;

	while (result == 0) {
		if (depth >= MAX_DEPTH || !advance(walk, &die))
			return NULL;
		result = walk_die(walk, &die, scope, matters, depth, &next, &end);
		die = next;
	}
	return result == 1 ? end : NULL;
}

static bool find_tree(struct dwarf_unit *unit)
{
	uint8_t unit_type;

	unit->tree = unit->die;
	if (!unit->is_split)
		return true;
	return dwarf_cu_info(unit->die.cu, NULL, &unit_type, NULL, &unit->tree, NULL, NULL, NULL) == 0 &&
	       unit->tree.addr;
}

/* A table makes about one row of each byte. Units may share one, and hostile ones have tables that overlap. */
void dwarf_unit_read_lines(struct dwarf_unit *unit, size_t *work_left)
{
	if (unit->has_read_lines)
		return;
	unit->has_read_lines = true;
	if (!dwarf_text_root_is_sound(&unit->die))
		return;
	line_header_init(&unit->header, &unit->die);
	if (unit->header.n_bytes > *work_left) {
		*work_left = 0;
		return;
	}
	*work_left -= unit->header.n_bytes;
	if (dwarf_getsrclines(&unit->die, &unit->lines, &unit->n_lines) != 0)
		unit->lines = NULL;
}

void dwarf_unit_read(struct dwarf_unit *unit, size_t *work_left)
{
	struct walk walk = {.unit = unit, .work_left = work_left};
	Dwarf_Die child;

	if (unit->is_read)
		return;
	unit->is_read = true;
	dwarf_unit_read_lines(unit, work_left);
	if (!dwarf_text_root_is_sound(&unit->die) || !find_tree(unit) || !dwarf_text_root_is_sound(&unit->tree) ||
	    (unit->is_split && !dwarf_text_sections_are_sound(dwarf_cu_getdwarf(unit->tree.cu))))
		return;
	if (dwarf_getsrcfiles(&unit->tree, &unit->files, &unit->n_files) != 0)
		unit->files = NULL;
	if (find_end(&walk, &unit->tree) && dwarf_child(&unit->tree, &child) == 0)
		walk_children(&walk, &child, SPAN_NONE, true, 0);
	spans_arrange(&unit->spans);
}

void dwarf_unit_add_line_ranges(const struct dwarf_unit *unit, uint32_t id, struct spans *spans, size_t *work_left)
{
	Dwarf_Addr start = 0;
	bool is_inside = false;

	for (size_t i = 0; unit->lines && i<unit->n_lines && * work_left> 0; i++) {
		Dwarf_Line *row = dwarf_onesrcline(unit->lines, i);
		Dwarf_Addr va;
		bool is_end;

		--*work_left;
		if (dwarf_lineaddr(row, &va) != 0 || dwarf_lineendsequence(row, &is_end) != 0)
			continue;
		if (is_end && is_inside)
			spans_add(spans, start, va, id, 0);
		if (!is_end && !is_inside)
			start = va;
		is_inside = !is_end;
	}
}

void dwarf_unit_deinit(struct dwarf_unit *unit)
{
	for (size_t i = 0; i < unit->n_scopes; i++)
		free(unit->scopes[i].name);
	free(unit->scopes);
	line_header_deinit(&unit->header);
	spans_deinit(&unit->spans);
}

/* Of several rows at one address the last one counts: the others have no bytes. */
static Dwarf_Line *find_row(const struct dwarf_unit *unit, uint64_t file_va)
{
	size_t low = 0, high = unit->n_lines;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		Dwarf_Addr va;

		if (dwarf_lineaddr(dwarf_onesrcline(unit->lines, middle), &va) != 0)
			return NULL;
		if (va <= file_va)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? dwarf_onesrcline(unit->lines, low - 1) : NULL;
}

static const uint8_t *find_md5(const struct dwarf_unit *unit, Dwarf_Line *row)
{
	Dwarf_Files *files;
	size_t number;

	if (dwarf_line_file(row, &files, &number) != 0 || number >= unit->header.n_md5)
		return NULL;
	return unit->header.md5[number];
}

bool dwarf_unit_find_line(const struct dwarf_unit *unit, uint64_t file_va, const char **file, struct source_line *found)
{
	Dwarf_Line *row = unit->lines ? find_row(unit, file_va) : NULL;
	int line, column = 0;
	bool is_end;

	if (!row || dwarf_lineendsequence(row, &is_end) != 0 || is_end || dwarf_lineno(row, &line) != 0 || line <= 0)
		return false;
	*file = dwarf_linesrc(row, NULL, NULL);
	if (!*file)
		return false;
	dwarf_linecol(row, &column);
	found->line = (uint32_t)line;
	found->column = column > 0 ? (uint32_t)column : 0;
	found->md5 = find_md5(unit, row);
	return true;
}

const char *dwarf_unit_folder(const struct dwarf_unit *unit)
{
	Dwarf_Die die = unit->die;

	return dwarf_text_get(&die, DW_AT_comp_dir);
}

const char *dwarf_unit_scope_name(struct dwarf_unit *unit, uint32_t index)
{
	struct dwarf_scope *scope = &unit->scopes[index];
	Dwarf_Die die;
	const char *raw;

	if (scope->name)
		return scope->name;
	if (dwarf_offdie(dwarf_cu_getdwarf(unit->tree.cu), scope->origin, &die)) {
		raw = dwarf_text_find(&die, DW_AT_linkage_name);
		if (!raw)
			raw = dwarf_text_find(&die, DW_AT_MIPS_linkage_name);
		if (raw)
			scope->name = source_demangle(raw);
		if (!raw)
			raw = dwarf_text_find(&die, DW_AT_name);
		if (raw && !scope->name)
			scope->name = xstrdup(raw);
	}
	if (!scope->name)
		scope->name = xstrdup("(unnamed)");
	return scope->name;
}
