#include "source/search.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/edit_distance.h"
#include "base/path.h"
#include "source/function_name.h"
#include "source/lines.h"
#include "source/symbol_table.h"

struct search {
	const struct function_pattern *pattern;
	bool (*fits)(const struct function_pattern *pattern, const char *name);
	const char *required; /* a text that is part of all matching symbols; NULL: unknown */
	struct function_list *list;
};

static bool is_alias(const struct symbol_table *table, size_t i)
{
	return i > 0 && table->symbols[i - 1].start_va == table->symbols[i].start_va;
}

static void search_table(void *context, const struct symbol_table *table)
{
	const struct search *search = context;

	for (size_t i = 0; i < table->n_symbols; i++) {
		const struct symbol *symbol = &table->symbols[i];
		const char *name;

		if (symbol->end_va <= symbol->start_va || (symbol->rank == SYMBOL_UNNAMED && is_alias(table, i)))
			continue;
		if (search->required && symbol->name && !strstr(symbol->name, search->required))
			continue;
		name = symbol_table_name(table, i);
		if (search->fits(search->pattern, name))
			*ARRAY_ADD(search->list, functions) = (struct function_symbol){
				.file_va = symbol->start_va,
				.size_bytes = symbol->has_size ? symbol->end_va - symbol->start_va : 0,
				.is_ifunc = symbol->is_ifunc,
				.symbol = xstrdup(name),
			};
	}
}

static int compare_functions(const void *left, const void *right)
{
	const struct function_symbol *a = left, *b = right;

	return a->file_va < b->file_va ? -1 : a->file_va > b->file_va;
}

/* Finds a text that is part of the mangled names of all functions that match, because demangling takes most of the
 * time of a search. The text is the last part of the pattern's name if that is an identifier. A mangled name
 * abbreviates operators and classes of std. The caller frees the text. Returns NULL if any symbol may match. */
static char *find_required(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$";
	char *part = function_name_base(name);

	if (!strstr(name, "operator") && !strstr(name, "std::") && strspn(part, letters) == strlen(part))
		return part;
	free(part);
	return NULL;
}

static void search_file(struct source *source, const char *path, bool is_program, const struct search *search)
{
	if (is_program)
		source_visit_program_maps(source, search_table, (void *)(uintptr_t)search);
	search_table((void *)(uintptr_t)search, source_symbols(source, path));
}

static void find(void *context, const char *path, bool is_program, const char *name, struct function_list *list)
{
	struct function_pattern pattern;
	size_t n_before = list->n_functions;
	char *required;

	function_pattern_init(&pattern, name);
	required = find_required(pattern.name);
	if (function_pattern_fits_module(&pattern, path)) {
		search_file(context, path, is_program,
			    &(struct search){&pattern, function_pattern_is_name, required, list});
		if (list->n_functions == n_before && pattern.wildcards)
			search_file(context, path, is_program,
				    &(struct search){&pattern, function_pattern_fits_name, NULL, list});
	}
	if (list->n_functions > n_before)
		qsort(list->functions + n_before, list->n_functions - n_before, sizeof(*list->functions),
		      compare_functions);
	free(required);
	function_pattern_deinit(&pattern);
}

static bool find_start(void *context, const char *path, uint64_t file_va, uint64_t *start_va)
{
	uint64_t offset;

	if (!source_find_function(context, path, file_va, &offset))
		return false;
	*start_va = file_va - offset;
	return true;
}

/* Returns the function with the most similar name, apart from classes and namespaces; NULL if no name is similar. */
static const char *find_similar(const struct symbol_table *table, const char *name)
{
	char *typed = function_name_base(name);
	const char *similar = NULL;
	size_t least = SIZE_MAX;

	for (size_t i = 0; i < table->n_symbols; i++) {
		const char *candidate = symbol_table_name(table, i);
		char *base = function_name_base(candidate);

		if (table->symbols[i].rank < SYMBOL_PLT && edit_is_typo(typed, base) &&
		    edit_distance(typed, base) < least) {
			least = edit_distance(typed, base);
			similar = candidate;
		}
		free(base);
	}
	free(typed);
	return similar;
}

static char *explain_in(struct source *source, const char *path, const struct function_pattern *pattern)
{
	struct lines *lines = source_lines(source, path);
	struct source_call call;
	const char *similar;

	if (lines && lines_find_inlined(lines, pattern, &call))
		return xasprintf("%s exists only inlined, for example in %s:%" PRIu32
				 "; --by inlined shows it, and noinline makes it a function",
				 call.function, call.file ? path_file_name(call.file) : "?", call.line);
	if (strcmp(pattern->name, path_file_name(path)) == 0)
		return xasprintf("%s is no function: reports use this name for the code of the file that belongs to no "
				 "known function; use --start and --stop",
				 pattern->name);
	similar = find_similar(source_symbols(source, path), pattern->name);
	return similar ? xasprintf("did you mean %s?", similar) : NULL;
}

static char *explain(void *context, int32_t pid, const char *path, const char *name)
{
	const struct function_pattern whole = {.name = (char *)(uintptr_t)name};
	struct function_list generated = {0};
	struct function_pattern pattern;
	char *sentence = NULL;

	function_pattern_init(&pattern, name);
	search_table(&(struct search){&whole, function_pattern_is_name, NULL, &generated},
		     source_generated(context, pid));
	if (generated.n_functions)
		sentence = xasprintf("%s is code that the program generates while it runs: use --all, or --start and "
				     "--stop around its call",
				     generated.functions[0].symbol);
	else if (function_pattern_fits_module(&pattern, path))
		sentence = explain_in(context, path, &pattern);
	elf_file_functions_deinit(&generated);
	function_pattern_deinit(&pattern);
	source_release_lines(context, path);
	return sentence;
}

struct function_finder source_function_finder(struct source *source)
{
	return (struct function_finder){.context = source, .find = find, .find_start = find_start, .explain = explain};
}
