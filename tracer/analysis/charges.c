#include "analysis/charges.h"

#include <stdlib.h>

#include "analysis/charges_private.h"
#include "analysis/user_code.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/order.h"

/* The key of a row. */
struct charge_key {
	uint32_t file, line; /* file PROFILE_NONE: the line is unknown, and the function identifies the row */
	uint32_t function;
	uint32_t is_outside;
};

struct charge_entry {
	UT_hash_handle hh;
	struct charge_key key;
	uint32_t row;
};

/* Look-up tables for the construction of the charges. */
struct builder {
	struct charges *charges;
	const struct profile *profile;
	const struct profile_region *region;
	struct user_code code;
	uint32_t *sites;	    /* [n_contexts] the nearest call site in the user's code, or PROFILE_NONE */
	struct charge_entry *index; /* rows by key */
	uint32_t *rows_of_insns;    /* [n_insns] 1 + index of the row of an instruction's line; 0: not looked up */
	uint32_t row_outside;	    /* 1 + index of the row of code without a caller in the user's code; 0: none */
};

const uint64_t *charges_costs(const struct charges *charges, const struct charge_row *row, uint32_t column)
{
	return row->costs + column * charges->width;
}

const char *charges_module(const struct charges *charges, uint32_t column)
{
	uint32_t module = column - CHARGE_MODULES;

	return module < charges->costed.profile->n_modules ? charges->costed.profile->modules[module].path : NULL;
}

static void find_sites(struct builder *builder)
{
	const struct profile_region *region = builder->region;

	for (size_t i = 0; i < region->n_contexts; i++) {
		const struct profile_context *context = &region->contexts[i];

		if (context->parent == PROFILE_NONE)
			builder->sites[i] = PROFILE_NONE;
		else if (user_code_has_insn(&builder->code, context->site))
			builder->sites[i] = context->site;
		else
			builder->sites[i] = builder->sites[context->parent];
	}
}

static uint32_t row_of_key(struct builder *builder, const struct charge_key *key)
{
	struct charges *charges = builder->charges;
	struct charge_entry *entry;
	struct charge_row *row;

	HASH_FIND(hh, builder->index, key, sizeof(*key), entry);
	if (entry)
		return entry->row;
	row = ARRAY_ADD(charges, rows);
	*row = (struct charge_row){.function = key->function,
				   .file = key->file,
				   .line = key->line,
				   .is_outside = key->is_outside};
	row->costs = xcalloc((charges->n_columns + 1) * charges->width, sizeof(*row->costs));
	row->total = row->costs + charges->n_columns * charges->width;
	entry = xcalloc(1, sizeof(*entry));
	*entry = (struct charge_entry){.key = *key, .row = (uint32_t)charges->n_rows - 1};
	HASH_ADD(hh, builder->index, key, sizeof(*key), entry);
	return entry->row;
}

/* Returns the row of an instruction in the user's code. PROFILE_NONE: code without a caller in the user's code. */
static uint32_t row_of_insn(struct builder *builder, uint32_t insn)
{
	struct charge_key key = {.file = PROFILE_NONE, .function = PROFILE_NONE, .is_outside = insn == PROFILE_NONE};
	uint32_t function, row;

	if (insn != PROFILE_NONE) {
		struct user_line line = user_code_find_line(&builder->code, insn);

		key.function = line.function;
		key.file = line.file;
		key.line = line.line;
	}
	if (key.file == PROFILE_NONE)
		return row_of_key(builder, &key);
	/* A line has one row, even if it was inlined into several functions. */
	function = key.function;
	key.function = PROFILE_NONE;
	row = row_of_key(builder, &key);
	if (builder->charges->rows[row].function == PROFILE_NONE)
		builder->charges->rows[row].function = function;
	builder->charges->rows[row].has_more_functions |= builder->charges->rows[row].function != function;
	return row;
}

/* Returns the row of an instruction that was executed in a context. */
static uint32_t row_of(struct builder *builder, uint32_t context, uint32_t insn)
{
	uint32_t entry = builder->region->contexts[context].entry;
	/* The first PLT entry has no symbol. The entry of its context distinguishes it from user code. */
	bool is_own = user_code_has_insn(&builder->code, insn) && !user_code_is_stub(builder->profile, entry);
	uint32_t charged = is_own ? insn : builder->sites[context];
	uint32_t *row = charged == PROFILE_NONE ? &builder->row_outside : &builder->rows_of_insns[charged];

	if (!*row)
		*row = row_of_insn(builder, charged) + 1;
	return *row - 1;
}

static uint32_t column_of(const struct builder *builder, uint32_t insn)
{
	uint32_t module = builder->profile->insns[insn].module;

	if (module == PROFILE_NONE)
		return CHARGE_MODULES + (uint32_t)builder->profile->n_modules;
	return builder->code.user_modules[module] ? CHARGE_SELF : CHARGE_MODULES + module;
}

static void charge_run(struct builder *builder, struct cost_split *split, uint32_t context,
		       const struct profile_context_run *run)
{
	size_t width = builder->charges->width;

	for (uint32_t i = 0; i < run->n_insns; i++) {
		uint32_t insn = run->first + i, index = row_of(builder, context, insn);
		struct charge_row *row = &builder->charges->rows[index];
		uint64_t *sums = row->costs + column_of(builder, insn) * width;

		for (size_t k = 0; k < width; k++)
			row->total[k] -= sums[k];
		cost_split_add(split, insn, run->executions, sums);
		for (size_t k = 0; k < width; k++)
			row->total[k] += sums[k];
	}
}

static void charge_executions(struct builder *builder)
{
	const struct profile_region *region = builder->region;
	struct cost_split split;

	cost_split_init(&split, &builder->charges->costed);
	for (uint32_t i = 0; i < region->n_contexts; i++)
		for (size_t k = 0; k < region->contexts[i].n_runs; k++)
			charge_run(builder, &split, i, &region->context_runs[region->contexts[i].first_run + k]);
	cost_split_deinit(&split);
}

static void charge_syscalls(struct builder *builder)
{
	struct charges *charges = builder->charges;

	for (size_t i = 0; i < builder->region->n_syscall_sites; i++) {
		const struct profile_syscall_site *site = &builder->region->syscall_sites[i];
		uint32_t row = row_of(builder, site->context, site->insn);
		size_t k = 0;

		while (k < charges->n_syscalls &&
		       (charges->syscalls[k].row != row || charges->syscalls[k].syscall != site->syscall))
			k++;
		if (k == charges->n_syscalls)
			*ARRAY_ADD(charges, syscalls) = (struct charge_syscall){.row = row, .syscall = site->syscall};
		charges->syscalls[k].count += site->count;
	}
}

static void charge_memory(struct builder *builder, const struct call_tree *tree, bool share_by_bytes)
{
	const struct profile_region *region = builder->region;
	uint32_t *rows = xcalloc(region->n_allocations, sizeof(*rows));

	for (size_t i = 0; i < region->n_allocations; i++)
		rows[i] = row_of(builder, region->allocations[i].context, region->allocations[i].insn);
	charges_add_memory(builder->charges, tree, rows, share_by_bytes);
	free(rows);
}

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct charge_row *rows = context;
	const struct charge_row *a = &rows[*(const uint32_t *)left], *b = &rows[*(const uint32_t *)right];

	return ORDER(b->total[COST_CYCLES], a->total[COST_CYCLES])
		       ?: ORDER(b->total[COST_EXECUTIONS], a->total[COST_EXECUTIONS])
		       ?: ORDER(a->file, b->file)
		       ?: ORDER(a->line, b->line)
		       ?: ORDER(a->function, b->function);
}

static int compare_syscalls(const void *left, const void *right)
{
	const struct charge_syscall *a = left, *b = right;

	return ORDER(b->count, a->count) ?: ORDER(a->row, b->row) ?: ORDER(a->syscall, b->syscall);
}

static int compare_memory(const void *left, const void *right)
{
	const struct charge_memory *a = left, *b = right;

	return ORDER(b->bytes, a->bytes)
		       ?: ORDER(b->calls, a->calls)
		       ?: ORDER(a->row, b->row)
		       ?: ORDER(a->allocator, b->allocator);
}

static void sort(struct charges *charges)
{
	struct charge_row *sorted = xcalloc(charges->n_rows, sizeof(*sorted));
	uint32_t *order = xcalloc(charges->n_rows, sizeof(*order));
	uint32_t *sorted_index = xcalloc(charges->n_rows, sizeof(*sorted_index));

	for (uint32_t i = 0; i < charges->n_rows; i++)
		order[i] = i;
	qsort_r(order, charges->n_rows, sizeof(*order), compare_rows, charges->rows);
	for (uint32_t i = 0; i < charges->n_rows; i++) {
		sorted[i] = charges->rows[order[i]];
		sorted_index[order[i]] = i;
	}
	for (size_t i = 0; i < charges->n_syscalls; i++)
		charges->syscalls[i].row = sorted_index[charges->syscalls[i].row];
	for (size_t i = 0; i < charges->n_memory; i++)
		charges->memory[i].row = sorted_index[charges->memory[i].row];
	if (charges->n_memory)
		qsort(charges->memory, charges->n_memory, sizeof(*charges->memory), compare_memory);
	if (charges->n_syscalls)
		qsort(charges->syscalls, charges->n_syscalls, sizeof(*charges->syscalls), compare_syscalls);
	free(charges->rows);
	charges->rows = sorted;
	free(order);
	free(sorted_index);
}

static uint64_t column_sum(const struct charges *charges, uint32_t column, size_t cost)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < charges->n_rows; i++)
		sum += charges_costs(charges, &charges->rows[i], column)[cost];
	return sum;
}

static void find_columns(struct charges *charges)
{
	uint64_t *sums = xcalloc(charges->n_columns, sizeof(*sums));

	charges->columns = xcalloc(charges->n_columns, sizeof(*charges->columns));
	charges->columns[charges->n_used_columns++] = CHARGE_SELF;
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

void charges_init(struct charges *charges, const struct call_tree *tree, const struct charge_options *options)
{
	const struct profile *profile = tree->costed.profile;
	struct builder builder = {.charges = charges, .profile = profile, .region = tree->costed.region};

	*charges = (struct charges){.costed = tree->costed,
				    .width = tree->width,
				    .n_columns = CHARGE_MODULES + profile->n_modules + 1};
	builder.rows_of_insns = xcalloc(profile->n_insns, sizeof(*builder.rows_of_insns));
	builder.sites = xcalloc(builder.region->n_contexts, sizeof(*builder.sites));
	user_code_init(&builder.code, profile, options->user_modules, options->n_user_modules);
	find_sites(&builder);
	charge_executions(&builder);
	charge_syscalls(&builder);
	charge_memory(&builder, tree, options->share_by_bytes);
	sort(charges);
	find_columns(charges);
	HASH_FREE(builder.index);
	user_code_deinit(&builder.code);
	free(builder.sites);
	free(builder.rows_of_insns);
}

void charges_deinit(struct charges *charges)
{
	for (size_t i = 0; i < charges->n_rows; i++)
		free(charges->rows[i].costs);
	for (size_t i = 0; i < charges->n_memory; i++)
		free(charges->memory[i].costs);
	free(charges->rows);
	free(charges->columns);
	free(charges->syscalls);
	free(charges->memory);
	*charges = (struct charges){0};
}
