#include "source/symbol_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"
#include "source/location.h"

/* Puts the plainest of a function's names first: "printf" before "_IO_printf". */
static int compare_names(const char *a, const char *b)
{
	return ORDER(strspn(a, "_"), strspn(b, "_")) ?: ORDER(strlen(a), strlen(b)) ?: strcmp(a, b);
}

static int compare_symbols(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;

	if (a->start_va != b->start_va || !a->name || !b->name)
		return ORDER(a->start_va, b->start_va) ?: !a->name - !b->name;
	return ORDER(b->has_size, a->has_size) ?: ORDER(a->rank, b->rank) ?: compare_names(a->name, b->name);
}

void symbol_table_arrange(struct symbol_table *table)
{
	uint64_t covered_va = 0; /* end of the named symbols with a size so far */

	if (table->n_symbols > 0)
		qsort(table->symbols, table->n_symbols, sizeof(*table->symbols), compare_symbols);
	for (size_t i = 0, next; i < table->n_symbols; i = next) {
		struct symbol *symbol = &table->symbols[i];

		for (next = i + 1; next < table->n_symbols; next++)
			if (table->symbols[next].start_va != symbol->start_va)
				break;
		if (symbol->start_va < covered_va && (!symbol->has_size || !symbol->name))
			continue; /* a label in a function, or a part of a function */
		if (!symbol->has_size && next < table->n_symbols && table->symbols[next].start_va < symbol->end_va)
			symbol->end_va = table->symbols[next].start_va;
		if (symbol->name && symbol->end_va > covered_va)
			covered_va = symbol->end_va;
		address_map_add(&table->map, &(struct address_range){symbol->start_va, symbol->end_va, (uint32_t)i, 0});
	}
	address_map_arrange(&table->map);
}

void symbol_table_deinit(struct symbol_table *table)
{
	for (size_t i = 0; i < table->n_symbols; i++)
		free(table->symbols[i].name);
	free(table->symbols);
	address_map_deinit(&table->map);
	*table = (struct symbol_table){0};
}

static void demangle(const struct symbol_table *table, struct symbol *symbol)
{
	char *demangled = symbol->name ? source_demangle(symbol->name) : NULL, *shown;

	if (!symbol->name)
		shown = xasprintf("%s+0x%" PRIx64, table->module, symbol->start_va - table->module_va);
	else
		shown = xasprintf("%s%s", demangled ? demangled : symbol->name,
				  symbol->rank == SYMBOL_PLT ? "@plt" : "");
	free(demangled);
	free(symbol->name);
	symbol->name = shown;
	symbol->is_demangled = true;
}

const char *symbol_table_name(const struct symbol_table *table, size_t i)
{
	struct symbol *symbol = &table->symbols[i];

	if (!symbol->is_demangled)
		demangle(table, symbol);
	return symbol->name;
}

const char *symbol_table_find(const struct symbol_table *table, uint64_t file_va, uint64_t *offset)
{
	uint32_t index = address_map_find(&table->map, file_va);

	if (index == ADDRESS_NONE)
		return NULL;
	*offset = file_va - table->symbols[index].start_va;
	return symbol_table_name(table, index);
}
