/* The line rows and the inlined calls of one compilation unit, read when first asked for. */
#ifndef ITRACE_SOURCE_DWARF_UNIT_H
#define ITRACE_SOURCE_DWARF_UNIT_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "source/line_header.h"
#include "source/source.h"
#include "source/spans.h"

/* A function, or a call of one that was inlined. */
struct dwarf_scope {
	Dwarf_Off origin;   /* its DIE */
	uint32_t caller;    /* index of the scope that it was inlined in, or SPAN_NONE: a function */
	uint32_t call_file; /* number in the unit's table of files */
	uint32_t call_line, call_column;
	char *name; /* demangled; made when first asked for */
};

struct dwarf_unit {
	Dwarf_Die die; /* that with the line table: in split DWARF the skeleton */
	bool is_split;
	bool has_read_lines;
	bool is_read;
	Dwarf_Lines *lines; /* [n_lines] by address; NULL: none */
	size_t n_lines;
	struct line_header header; /* of the line table */
	Dwarf_Die tree;		   /* that with the functions; in split DWARF of the .dwo file */
	Dwarf_Files *files;	   /* those that call_file means, or NULL */
	size_t n_files;
	struct dwarf_scope *scopes;
	size_t n_scopes, scopes_capacity;
	struct spans spans; /* of the scopes, by index */
};

/* Reads the line table, if that was not read yet. */
void dwarf_unit_read_lines(struct dwarf_unit *unit, size_t *work_left);

/* Reads what is not read yet. work_left: how many entries and ranges of the file may still be looked at; what is beyond is
 * left out. */
void dwarf_unit_read(struct dwarf_unit *unit, size_t *work_left);
void dwarf_unit_deinit(struct dwarf_unit *unit);

/* Adds the ranges of a DIE to spans. */
void dwarf_unit_add_ranges(Dwarf_Die *die, uint32_t id, uint32_t depth, struct spans *spans, size_t *work_left);

/* For a unit that has no ranges, as in strict DWARF 2: adds those of its line table, which must have been read. */
void dwarf_unit_add_line_ranges(const struct dwarf_unit *unit, uint32_t id, struct spans *spans, size_t *work_left);

/* The row that holds the address: its line, column and md5 in *found; false: none. The file's name points into libdw's tables. */
bool dwarf_unit_find_line(const struct dwarf_unit *unit, uint64_t file_va, const char **file,
			  struct source_line *found);

/* The compilation directory, or NULL. */
const char *dwarf_unit_folder(const struct dwarf_unit *unit);

/* The name of a scope. */
const char *dwarf_unit_scope_name(struct dwarf_unit *unit, uint32_t scope);

#endif
