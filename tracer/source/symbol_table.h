/* Finds the functions of one file by address. */
#ifndef ITRACE_SOURCE_SYMBOL_TABLE_H
#define ITRACE_SOURCE_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/address_map.h"

/* The symbol with the lowest rank gives the name if several are at one address. */
enum symbol_rank {
	SYMBOL_GLOBAL,
	SYMBOL_WEAK,
	SYMBOL_LOCAL,
	SYMBOL_LABEL,	/* has no type, as in assembly */
	SYMBOL_PLT,	/* a stub that jumps to a function of another file; shown with "@plt" */
	SYMBOL_UNNAMED, /* a function without a symbol; used only if no symbol covers its start */
};

struct symbol {
	uint64_t start_va;
	uint64_t end_va; /* one past the last byte; if has_size is false, an upper limit */
	bool has_size;
	bool is_demangled;
	bool is_ifunc; /* start_va is the address of the resolver */
	enum symbol_rank rank;
	char *name; /* owned by the table; for SYMBOL_UNNAMED NULL until first used */
};

/* The caller zeroes the struct. ARRAY_ADD(table, symbols) adds symbols. After symbol_table_arrange() the table can
 * only be searched. */
struct symbol_table {
	struct symbol *symbols;
	size_t n_symbols, symbols_capacity;
	struct address_map map; /* finds indices in symbols */
	/* The name of a SYMBOL_UNNAMED is "module+0xOFFSET", with the offset from module_va. Borrowed. */
	const char *module;
	uint64_t module_va;
};

void symbol_table_arrange(struct symbol_table *table);
void symbol_table_deinit(struct symbol_table *table);

/* Returns the demangled name of table->symbols[i], which lives as long as the table. Of symbols with equal starts, a
 * lookup by address finds the first one. */
const char *symbol_table_name(const struct symbol_table *table, size_t i);

/* Returns the demangled name of the innermost function at file_va, and sets *offset to the distance from its start.
 * The name lives as long as the table. Returns NULL if there is none; *offset is then unchanged. */
const char *symbol_table_find(const struct symbol_table *table, uint64_t file_va, uint64_t *offset);

#endif
