/* Charge-back: the cost of library code, and the system calls that it makes, at the line of the user's code that asked for it.
 * Private to report/.
 *
 * The user's code is what the program's own executable and the modules named in report_options.user_modules hold, but for what
 * comes from files in /usr/include and /usr/lib alone, as templates do. It is charged to its own line, the innermost one in
 * another file where calls were inlined; what runs elsewhere to the line of the nearest caller in the user's code. Without debug
 * information, functions stand for lines.
 */
#ifndef ITRACE_ANALYSIS_CHARGES_H
#define ITRACE_ANALYSIS_CHARGES_H

#include "analysis/call_tree.h"
#include "report/report.h"

/* The columns of a row: CHARGE_OWN, then CHARGE_MODULES + the index of a module, then code outside all modules. */
enum { CHARGE_OWN, CHARGE_MODULES };

/* A place in the user's code. */
struct charge_row {
	uint32_t function; /* that it is in: index in the profile or PROFILE_NONE */
	uint32_t file;	   /* index or PROFILE_NONE: the line is not known */
	uint32_t line;
	bool is_outside;   /* none: what ran without a caller in the user's code */
	uint64_t *figures; /* [n_columns][width] rows of costs (cost_split.h) */
	uint64_t *total;   /* [width] over all columns */
};

struct charge_syscall {
	uint32_t row, syscall; /* indices in rows, and in the region's syscalls */
	uint64_t count;
};

/* Memory that one allocator handed out, or took back, for a line. */
struct charge_memory {
	uint32_t row; /* index in rows */
	enum profile_allocator allocator;
	uint64_t calls, bytes, kept_calls, kept_bytes; /* as in struct profile_allocation */
	uint64_t *figures; /* [width] the allocator's own, or its share by bytes of what all allocators cost */
};

struct charges {
	const struct profile *profile;
	const struct profile_region *region;
	size_t n_models, width, n_columns;
	struct charge_row
		*rows; /* by descending total on the first model, or of executions where that has no figures */
	size_t n_rows, rows_capacity;
	uint32_t *columns; /* [n_used_columns] with any cost: CHARGE_OWN, then the others by descending cost */
	size_t n_used_columns;
	struct charge_syscall *syscalls; /* by descending count, then row */
	size_t n_syscalls, syscalls_capacity;
	struct charge_memory *memory; /* by descending bytes, then calls */
	size_t n_memory, memory_capacity;

	/* Private. */
	bool *is_user;		    /* [n_modules] */
	uint32_t *sites;	    /* [n_contexts] instruction that what runs outside the user's code is charged to */
	struct charge_entry *index; /* rows by place */
	uint32_t *rows_of_insns; /* [n_insns] index + 1 of the row that an instruction's line is in; 0: not known yet */
	uint32_t row_outside;	 /* likewise */
	uint8_t *places;	 /* [n_insns] whether an instruction is in the user's code, once that is known */
};

void charges_init(struct charges *charges, const struct profile *profile, uint32_t region,
		  const struct estimate *estimates, size_t n_models, const struct report_options *options);
/* Of charges_init: adds the allocations of the region, and what they cost. row_of gives the row of an instruction in a context. */
void charges_add_memory(struct charges *charges, const struct call_tree *tree, bool share_by_bytes,
			uint32_t (*row_of)(struct charges *charges, uint32_t context, uint32_t insn));
int charges_compare_memory(const void *left, const void *right);

void charges_deinit(struct charges *charges);

const uint64_t *charges_figures(const struct charges *charges, const struct charge_row *row, uint32_t column);

/* "file.c:10 main", or "main"; to be freed. short_paths as label_short_paths made them. */
char *charges_label(const struct charges *charges, const struct charge_row *row, char *const *short_paths);

/* Whether a user names the module with this path so. */
bool charges_is_name_of(const char *name, const char *path);

/* The path of a column's module; NULL for code outside all modules. Not for CHARGE_OWN. */
const char *charges_module(const struct charges *charges, uint32_t column);

#endif
