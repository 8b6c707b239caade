/* The function symbols of one file, arranged so that the one that holds an address is found in a few steps. */
#ifndef ITRACE_SOURCE_SYMBOL_TABLE_H
#define ITRACE_SOURCE_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a symbol is: of several at one address, the one with the lowest value gives the name. */
enum symbol_rank {
	SYMBOL_GLOBAL,
	SYMBOL_WEAK,
	SYMBOL_LOCAL,
	SYMBOL_LABEL, /* without a type, as in assembly */
	SYMBOL_PLT,   /* a jump to a function of another file; shown with "@plt" */
};

struct symbol {
	uint64_t start_va;
	uint64_t end_va;  /* one past its last byte */
	const char *name; /* [name_bytes], not terminated; borrowed */
	size_t name_bytes;
	bool has_size; /* else it ends where the next one begins, and end_va is where it must end: its section's end */
	enum symbol_rank rank;
	char *shown; /* demangled; made when first asked for */
};

struct symbol_range { /* up to the next range */
	uint64_t start_va;
	size_t symbol; /* index, or SIZE_MAX where there is none */
};

/* Fill with ARRAY_ADD(table, symbols), then arrange; the table may then only be read. */
struct symbol_table {
	struct symbol *symbols;
	size_t n_symbols, symbols_capacity;
	struct symbol_range *ranges; /* ascending */
	size_t n_ranges, ranges_capacity;
};

void symbol_table_arrange(struct symbol_table *table);
void symbol_table_deinit(struct symbol_table *table);

/* The symbol that holds file_va, the innermost where they nest, or NULL. */
struct symbol *symbol_table_find(const struct symbol_table *table, uint64_t file_va);

/* Its name for people; owned by the symbol. */
const char *symbol_shown(struct symbol *symbol);

#endif
