#include "source/symbol_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "source/source.h"

static size_t count_underscores(const struct symbol *symbol)
{
	size_t n = 0;

	while (n < symbol->name_bytes && symbol->name[n] == '_')
		n++;
	return n;
}

static int compare_sizes(size_t a, size_t b)
{
	return a < b ? -1 : a > b;
}

/* Of a function's names the plainest first: "printf" before "_IO_printf". */
static int compare_names(const struct symbol *a, const struct symbol *b)
{
	int order = compare_sizes(count_underscores(a), count_underscores(b));

	if (order == 0)
		order = compare_sizes(a->name_bytes, b->name_bytes);
	return order != 0 ? order : memcmp(a->name, b->name, a->name_bytes);
}

static int compare_symbols(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;

	if (a->start_va != b->start_va)
		return a->start_va < b->start_va ? -1 : 1;
	if (a->has_size != b->has_size)
		return a->has_size ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return compare_names(a, b);
}

static void drop_aliases(struct symbol_table *table)
{
	size_t n_kept = 0;

	for (size_t i = 0; i < table->n_symbols; i++)
		if (n_kept == 0 || table->symbols[n_kept - 1].start_va != table->symbols[i].start_va)
			table->symbols[n_kept++] = table->symbols[i];
	table->n_symbols = n_kept;
}

static void begin_range(struct symbol_table *table, uint64_t start_va, size_t symbol)
{
	struct symbol_range *range;

	if (table->n_ranges > 0 && table->ranges[table->n_ranges - 1].start_va == start_va)
		table->n_ranges--;
	range = ARRAY_ADD(table, ranges);
	range->start_va = start_va;
	range->symbol = symbol;
}

/* Symbols may nest and overlap (parts of functions, labels in assembly). The stack holds those that the sweep is in,
 * the latest on top: where it ends, the one below goes on, if that reaches so far. */
struct sweep {
	struct symbol_table *table;
	size_t *stack; /* [n_symbols] */
	size_t depth;
};

static void leave_until(struct sweep *sweep, uint64_t va)
{
	const struct symbol *symbols = sweep->table->symbols;

	while (sweep->depth > 0 && symbols[sweep->stack[sweep->depth - 1]].end_va <= va) {
		uint64_t end_va = symbols[sweep->stack[--sweep->depth]].end_va;

		while (sweep->depth > 0 && symbols[sweep->stack[sweep->depth - 1]].end_va <= end_va)
			sweep->depth--;
		begin_range(sweep->table, end_va, sweep->depth > 0 ? sweep->stack[sweep->depth - 1] : SIZE_MAX);
	}
}

void symbol_table_arrange(struct symbol_table *table)
{
	struct sweep sweep = {.table = table};

	if (table->n_symbols == 0)
		return;
	qsort(table->symbols, table->n_symbols, sizeof(*table->symbols), compare_symbols);
	drop_aliases(table);
	sweep.stack = xcalloc(table->n_symbols, sizeof(*sweep.stack));
	for (size_t i = 0; i < table->n_symbols; i++) {
		struct symbol *symbol = &table->symbols[i];

		leave_until(&sweep, symbol->start_va);
		if (!symbol->has_size) {
			if (sweep.depth > 0)
				continue; /* a label within a function */
			if (i + 1 < table->n_symbols && table->symbols[i + 1].start_va < symbol->end_va)
				symbol->end_va = table->symbols[i + 1].start_va;
		}
		if (symbol->end_va <= symbol->start_va)
			continue;
		begin_range(table, symbol->start_va, i);
		sweep.stack[sweep.depth++] = i;
	}
	leave_until(&sweep, UINT64_MAX);
	free(sweep.stack);
}

void symbol_table_deinit(struct symbol_table *table)
{
	for (size_t i = 0; i < table->n_symbols; i++)
		free(table->symbols[i].shown);
	free(table->symbols);
	free(table->ranges);
	*table = (struct symbol_table){0};
}

struct symbol *symbol_table_find(const struct symbol_table *table, uint64_t file_va)
{
	size_t behind = ARRAY_SEARCH(table->n_ranges, i, table->ranges[i].start_va <= file_va);

	if (behind == 0 || table->ranges[behind - 1].symbol == SIZE_MAX)
		return NULL;
	return &table->symbols[table->ranges[behind - 1].symbol];
}

const char *symbol_shown(struct symbol *symbol)
{
	char *name, *demangled;

	if (symbol->shown)
		return symbol->shown;
	name = xasprintf("%.*s", (int)symbol->name_bytes, symbol->name);
	demangled = source_demangle(name);
	symbol->shown = xasprintf("%s%s", demangled ? demangled : name, symbol->rank == SYMBOL_PLT ? "@plt" : "");
	free(demangled);
	free(name);
	return symbol->shown;
}
