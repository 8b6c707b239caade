#include "analysis/charges.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/path.h"

struct charge_key {
	uint32_t file, line; /* file PROFILE_NONE: `function` in place of the line */
	uint32_t function;
	uint32_t is_outside;
};

struct charge_entry {
	UT_hash_handle hh;
	struct charge_key key;
	uint32_t row;
};

const uint64_t *charges_figures(const struct charges *charges, const struct charge_row *row, uint32_t column)
{
	return row->figures + column * charges->width;
}

const char *charges_module(const struct charges *charges, uint32_t column)
{
	uint32_t module = column - CHARGE_MODULES;

	return module < charges->profile->n_modules ? charges->profile->modules[module].path : NULL;
}

bool charges_is_name_of(const char *name, const char *path)
{
	return strcmp(name, path) == 0 || strcmp(name, path_file_name(path)) == 0;
}

static void find_user_modules(struct charges *charges, const struct report_options *options)
{
	const struct profile *profile = charges->profile;

	charges->is_user = xcalloc(profile->n_modules, sizeof(*charges->is_user));
	for (size_t i = 0; i < profile->n_modules; i++) {
		const char *path = profile->modules[i].path;

		charges->is_user[i] = profile->modules[i].is_program;
		for (size_t k = 0; k < options->n_user_modules; k++)
			charges->is_user[i] |= charges_is_name_of(options->user_modules[k], path);
	}
}

/* The linkage stubs of a module are not what its author wrote. */
static bool is_stub(const struct profile *profile, const struct profile_insn *insn)
{
	return insn->function != PROFILE_NONE && profile_function_is_stub(profile, insn->function);
}

static bool is_users_file(const struct profile *profile, uint32_t file)
{
	const char *path;

	if (file == PROFILE_NONE)
		return false;
	path = profile->files[file].path;
	return strncmp(path, "/usr/include/", 13) != 0 && strncmp(path, "/usr/lib/", 9) != 0;
}

/* From the body of an inlined function to where it was called, until that is in the user's files. */
static void find_line(const struct profile *profile, uint32_t insn, struct charge_key *key)
{
	uint32_t index = profile->insns[insn].location, call;

	key->function = profile->insns[insn].function;
	key->file = PROFILE_NONE;
	if (index >= profile->n_locations)
		return;
	key->file = profile->locations[index].file;
	key->line = profile->locations[index].line;
	for (call = profile->locations[index].inlined; call != PROFILE_NONE && !is_users_file(profile, key->file);
	     call = profile->inlined[call].caller) {
		key->file = profile->inlined[call].file;
		key->line = profile->inlined[call].line;
	}
	if (!key->line)
		key->file = PROFILE_NONE;
	if (key->file == PROFILE_NONE)
		key->line = 0;
}

/* Not where all of the line's files are a library's, as those of templates are. */
static bool find_whether_in_user_code(const struct charges *charges, uint32_t insn)
{
	const struct profile_insn *at = &charges->profile->insns[insn];
	struct charge_key key = {0};

	if (at->module == PROFILE_NONE || !charges->is_user[at->module] || is_stub(charges->profile, at))
		return false;
	find_line(charges->profile, insn, &key);
	return key.file == PROFILE_NONE || is_users_file(charges->profile, key.file);
}

static bool is_in_user_code(const struct charges *charges, uint32_t insn)
{
	enum { NOT_KNOWN, IN_USER_CODE, ELSEWHERE };

	if (charges->places[insn] == NOT_KNOWN)
		charges->places[insn] = find_whether_in_user_code(charges, insn) ? IN_USER_CODE : ELSEWHERE;
	return charges->places[insn] == IN_USER_CODE;
}

static void find_sites(struct charges *charges)
{
	const struct profile_region *region = charges->region;

	charges->sites = xcalloc(region->n_contexts, sizeof(*charges->sites));
	for (size_t i = 0; i < region->n_contexts; i++) {
		const struct profile_context *context = &region->contexts[i];

		if (context->parent == PROFILE_NONE)
			charges->sites[i] = PROFILE_NONE;
		else if (is_in_user_code(charges, context->site))
			charges->sites[i] = context->site;
		else
			charges->sites[i] = charges->sites[context->parent];
	}
}

static uint32_t get_row(struct charges *charges, const struct charge_key *key)
{
	struct charge_entry *entry;
	struct charge_row *row;

	HASH_FIND(hh, charges->index, key, sizeof(*key), entry);
	if (entry)
		return entry->row;
	row = ARRAY_ADD(charges, rows);
	row->function = key->function;
	row->file = key->file;
	row->line = key->line;
	row->is_outside = key->is_outside;
	row->figures = xcalloc((charges->n_columns + 1) * charges->width, sizeof(*row->figures));
	row->total = row->figures + charges->n_columns * charges->width;
	entry = xcalloc(1, sizeof(*entry));
	*entry = (struct charge_entry){.key = *key, .row = (uint32_t)charges->n_rows - 1};
	HASH_ADD(hh, charges->index, key, sizeof(*key), entry);
	return entry->row;
}

/* The row of an instruction in the user's code, or of none. */
static uint32_t make_row(struct charges *charges, uint32_t insn)
{
	struct charge_key key = {.file = PROFILE_NONE, .function = PROFILE_NONE, .is_outside = insn == PROFILE_NONE};

	if (insn != PROFILE_NONE)
		find_line(charges->profile, insn, &key);
	/* A line belongs to one row, whatever functions it was inlined into. */
	if (key.file != PROFILE_NONE) {
		uint32_t function = key.function, row;

		key.function = PROFILE_NONE;
		row = get_row(charges, &key);
		if (charges->rows[row].function == PROFILE_NONE)
			charges->rows[row].function = function;
		return row;
	}
	return get_row(charges, &key);
}

/* The row of an instruction that was executed in a context. */
static uint32_t row_of(struct charges *charges, uint32_t context, uint32_t insn)
{
	const struct profile_insn *entry = &charges->profile->insns[charges->region->contexts[context].entry];
	/* The head of the linkage table has no symbol of its own. */
	bool is_own = is_in_user_code(charges, insn) && !is_stub(charges->profile, entry);
	uint32_t charged = is_own ? insn : charges->sites[context];
	uint32_t *row = charged == PROFILE_NONE ? &charges->row_outside : &charges->rows_of_insns[charged];

	if (!*row)
		*row = make_row(charges, charged) + 1;
	return *row - 1;
}

static uint32_t column_of(const struct charges *charges, uint32_t insn)
{
	uint32_t module = charges->profile->insns[insn].module;

	if (module == PROFILE_NONE)
		return CHARGE_MODULES + (uint32_t)charges->profile->n_modules;
	return charges->is_user[module] ? CHARGE_OWN : CHARGE_MODULES + module;
}

static void charge(struct charges *charges, struct cost_split *split, uint32_t context,
		   const struct profile_context_run *run)
{
	for (uint32_t i = 0; i < run->n_insns; i++) {
		uint32_t insn = run->first + i, index = row_of(charges, context, insn);
		struct charge_row *row = &charges->rows[index];
		uint64_t *sums = row->figures + column_of(charges, insn) * charges->width;

		for (size_t k = 0; k < charges->width; k++)
			row->total[k] -= sums[k];
		cost_split_add(split, insn, run->executions, sums);
		for (size_t k = 0; k < charges->width; k++)
			row->total[k] += sums[k];
	}
}

static void charge_syscalls(struct charges *charges)
{
	for (size_t i = 0; i < charges->region->n_syscall_sites; i++) {
		const struct profile_syscall_site *site = &charges->region->syscall_sites[i];
		uint32_t row = row_of(charges, site->context, site->insn);
		size_t k = 0;

		while (k < charges->n_syscalls &&
		       (charges->syscalls[k].row != row || charges->syscalls[k].syscall != site->syscall))
			k++;
		if (k == charges->n_syscalls)
			*ARRAY_ADD(charges, syscalls) = (struct charge_syscall){.row = row, .syscall = site->syscall};
		charges->syscalls[k].count += site->count;
	}
}

static const struct charges *sorting; /* qsort has no context */

static int compare_rows(const void *left, const void *right)
{
	const struct charge_row *a = &sorting->rows[*(const uint32_t *)left],
				*b = &sorting->rows[*(const uint32_t *)right];

	for (size_t i = COST_CYCLES + 1; i-- > COST_EXECUTIONS;)
		if (a->total[i] != b->total[i])
			return a->total[i] < b->total[i] ? 1 : -1;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

static int compare_syscalls(const void *left, const void *right)
{
	const struct charge_syscall *a = left, *b = right;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return a->syscall < b->syscall ? -1 : a->syscall > b->syscall;
}

static void sort(struct charges *charges)
{
	struct charge_row *sorted = xcalloc(charges->n_rows, sizeof(*sorted));
	uint32_t *order = xcalloc(charges->n_rows, sizeof(*order));
	uint32_t *places = xcalloc(charges->n_rows, sizeof(*places));

	for (uint32_t i = 0; i < charges->n_rows; i++)
		order[i] = i;
	sorting = charges;
	qsort(order, charges->n_rows, sizeof(*order), compare_rows);
	for (uint32_t i = 0; i < charges->n_rows; i++) {
		sorted[i] = charges->rows[order[i]];
		places[order[i]] = i;
	}
	for (size_t i = 0; i < charges->n_syscalls; i++)
		charges->syscalls[i].row = places[charges->syscalls[i].row];
	for (size_t i = 0; i < charges->n_memory; i++)
		charges->memory[i].row = places[charges->memory[i].row];
	if (charges->n_memory)
		qsort(charges->memory, charges->n_memory, sizeof(*charges->memory), charges_compare_memory);
	if (charges->n_syscalls)
		qsort(charges->syscalls, charges->n_syscalls, sizeof(*charges->syscalls), compare_syscalls);
	free(charges->rows);
	charges->rows = sorted;
	free(order);
	free(places);
}

static uint64_t column_sum(const struct charges *charges, uint32_t column, size_t figure)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < charges->n_rows; i++)
		sum += charges_figures(charges, &charges->rows[i], column)[figure];
	return sum;
}

static void find_columns(struct charges *charges)
{
	uint64_t *sums = xcalloc(charges->n_columns, sizeof(*sums));

	charges->columns = xcalloc(charges->n_columns, sizeof(*charges->columns));
	charges->columns[charges->n_used_columns++] = CHARGE_OWN;
	for (uint32_t column = CHARGE_MODULES; column < charges->n_columns; column++) {
		size_t at = charges->n_used_columns;

		if (!column_sum(charges, column, COST_EXECUTIONS))
			continue;
		sums[column] = column_sum(charges, column, COST_CYCLES);
		for (; at > 1 && sums[charges->columns[at - 1]] < sums[column]; at--)
			charges->columns[at] = charges->columns[at - 1];
		charges->columns[at] = column;
		charges->n_used_columns++;
	}
	free(sums);
}

void charges_init(struct charges *charges, const struct profile *profile, uint32_t region,
		  const struct estimate *estimates, size_t n_models, const struct report_options *options)
{
	const struct profile_region *counted = &profile->regions[region];
	struct cost_split split;

	*charges = (struct charges){.profile = profile,
				    .region = counted,
				    .n_models = n_models,
				    .width = cost_width(n_models),
				    .n_columns = CHARGE_MODULES + profile->n_modules + 1};
	charges->places = xcalloc(profile->n_insns, sizeof(*charges->places));
	charges->rows_of_insns = xcalloc(profile->n_insns, sizeof(*charges->rows_of_insns));
	find_user_modules(charges, options);
	find_sites(charges);
	cost_split_init(&split, profile, counted, estimates, n_models);
	for (uint32_t i = 0; i < counted->n_contexts; i++)
		for (size_t k = 0; k < counted->contexts[i].n_runs; k++)
			charge(charges, &split, i, &counted->context_runs[counted->contexts[i].first_run + k]);
	cost_split_deinit(&split);
	charge_syscalls(charges);
	if (counted->n_allocations) {
		struct call_tree tree;

		call_tree_init(&tree, profile, region, estimates, n_models);
		charges_add_memory(charges, &tree, options->share_by_bytes, row_of);
		call_tree_deinit(&tree);
	}
	sort(charges);
	find_columns(charges);
}

void charges_deinit(struct charges *charges)
{
	HASH_FREE(charges->index);
	for (size_t i = 0; i < charges->n_rows; i++)
		free(charges->rows[i].figures);
	free(charges->rows);
	free(charges->columns);
	free(charges->syscalls);
	for (size_t i = 0; i < charges->n_memory; i++)
		free(charges->memory[i].figures);
	free(charges->memory);
	free(charges->is_user);
	free(charges->rows_of_insns);
	free(charges->places);
	free(charges->sites);
	*charges = (struct charges){0};
}

char *charges_label(const struct charges *charges, const struct charge_row *row, char *const *short_paths)
{
	const struct profile *profile = charges->profile;
	const char *function = row->function == PROFILE_NONE ? "?" : profile->functions[row->function].name;

	if (row->is_outside)
		return xstrdup("(no caller in the program)");
	if (row->file == PROFILE_NONE)
		return xstrdup(function);
	return xasprintf("%s:%u %s", short_paths[row->file], row->line, function);
}
