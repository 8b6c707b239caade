/* Charge-back: the cost of library code, its system calls and its memory, at the line of the user's code that called
 * it.
 *
 * The user's code (user_code.h) is charged to its own line. Other code is charged to the line of the nearest caller
 * in the user's code. If that line is unknown, its function is charged.
 */
#ifndef ITRACE_ANALYSIS_CHARGES_H
#define ITRACE_ANALYSIS_CHARGES_H

#include "analysis/call_tree.h"

struct charge_options {
	const char *const *user_modules; /* [n_user_modules] paths or file names of modules of the user's code */
	size_t n_user_modules;
	bool share_by_bytes; /* distribute the cost of all allocators in proportion to bytes */
};

/* Columns of a row. CHARGE_SELF: the user's code. CHARGE_MODULES + i: the code of module i. The last column is for code
 * outside of all modules. */
enum { CHARGE_SELF, CHARGE_MODULES };

/* The charges of a line of the user's code. */
struct charge_row {
	uint32_t function; /* function of the line: index in the profile or PROFILE_NONE */
	uint32_t file;	   /* index or PROFILE_NONE: the line is unknown */
	uint32_t line;
	bool is_outside;	 /* the row of code without a caller in the user's code */
	bool has_more_functions; /* the line has code of other functions, too */
	uint64_t *costs;	 /* [n_columns][width] a cost row for each column */
	uint64_t *total;	 /* [width] sum of all columns */
};

struct charge_syscall {
	uint32_t row, syscall; /* indices in rows, and in the region's syscalls */
	uint64_t count;
};

/* Memory that a line got from one allocator, or returned to it. */
struct charge_memory {
	uint32_t row; /* index in rows */
	enum profile_allocator allocator;
	uint64_t calls, bytes, kept_calls, kept_bytes; /* as in struct profile_allocation */
	uint64_t *costs;			       /* cost row of the allocator; see share_by_bytes */
};

struct charges {
	struct costed_region costed;
	size_t width;	  /* of cost rows */
	size_t n_columns; /* of a charge_row */
	/* By descending total cycles on the first model, then by executions. */
	struct charge_row *rows;
	size_t n_rows, rows_capacity;
	uint32_t *columns; /* [n_used_columns] CHARGE_SELF, then other columns with executions, by descending cost */
	size_t n_used_columns;
	struct charge_syscall *syscalls; /* by descending count, then row */
	size_t n_syscalls, syscalls_capacity;
	struct charge_memory *memory; /* by descending bytes, then calls */
	size_t n_memory, memory_capacity;
};

/* The result borrows what the tree borrows. */
void charges_init(struct charges *charges, const struct call_tree *tree, const struct charge_options *options);
void charges_deinit(struct charges *charges);

/* Returns the cost row of a column. */
const uint64_t *charges_costs(const struct charges *charges, const struct charge_row *row, uint32_t column);

/* Returns the path of a column's module; NULL for code outside of all modules. Not for CHARGE_SELF. */
const char *charges_module(const struct charges *charges, uint32_t column);

#endif
