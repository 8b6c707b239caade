/* Groups the instructions of a region by a common property. Reports show a row for each group. */
#ifndef ITRACE_PROFILE_GROUP_H
#define ITRACE_PROFILE_GROUP_H

#include "profile/profile.h"

/* The property by which the instructions of a region are grouped. */
enum profile_group_by {
	GROUP_BY_FORM,
	GROUP_BY_MNEMONIC,
	GROUP_BY_CATEGORY,
	GROUP_BY_ISA_EXTENSION,
	GROUP_BY_FUNCTION,
	GROUP_BY_FILE, /* source file */
	GROUP_BY_LINE,
	GROUP_BY_COLUMN,  /* line and column: a token of the source */
	GROUP_BY_INLINED, /* a function, and the calls inlined in it that lead to the instruction */
};

/* Returns true if the groups depend on source positions. */
bool profile_group_by_is_source(enum profile_group_by by);

/* Returns true if groups have profile_group.runs: for lines and columns. */
bool profile_group_has_runs(enum profile_group_by by);

/* The instructions of a group that have one form. */
struct profile_group_form {
	uint32_t form;
	uint64_t executions;
	uint64_t iterations;
};

/* The executed instructions with one value of the property. */
struct profile_group {
	/* The value: "ADD r64, m64", "main", "(no function)", "/src/a.c:12:7". Instructions without a line form a group
	 * "(no line)" for each module. Inlined calls are named from the innermost to the outermost: "skip <- parse
	 * (a.c:7) <- main (a.c:12)". Owned by the profile or the groups. */
	const char *name;
	uint32_t module;   /* of a function, of inlined calls, or of instructions without a line; else PROFILE_NONE */
	uint32_t function; /* by source: profile_source_function() of the first instruction; else PROFILE_NONE */
	uint32_t location; /* by source: location of the first instruction; else 0 */
	struct profile_group_form *forms; /* [n_forms] by GROUP_BY_FORM: exactly one */
	size_t n_forms, forms_capacity;
	uint32_t *insns; /* [n_insns] instruction indices, ascending */
	size_t n_insns, insns_capacity;
	uint64_t executions, iterations; /* sums over the forms */
	uint64_t runs;			 /* of a line or column: how often it ran (profile_count_runs); else 0 */
	bool has_more_functions;	 /* by source: the group also has code of functions other than `function` */
};

struct profile_groups {
	struct profile_group *groups; /* [n_groups] with executions or iterations, ordered by first instruction */
	size_t n_groups, groups_capacity;
	char **names; /* names that are not in the profile */
	size_t n_names, names_capacity;
};

/* Groups one region. The result refers to the profile and must not outlive it. */
void profile_group_init(struct profile_groups *groups, const struct profile *profile, uint32_t region,
			enum profile_group_by by);
void profile_group_deinit(struct profile_groups *groups);

/* Counts how often the source lines of a region ran; with by_column, their columns. Sets runs[n_counts]: how often
 * a line started with each executed instruction. The runs of a line are the sum over its instructions. A line starts
 * with its first instruction in a basic block, unless the previous block in memory ends with the same line and falls
 * through. A jump within the line to this instruction does not start the line again. */
void profile_count_runs(const struct profile *profile, uint32_t region, bool by_column, uint64_t *runs);

#endif
