/* Groups the instructions of a region: the rows of a ranking. */
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
	GROUP_BY_FILE, /* of source */
	GROUP_BY_LINE,
	GROUP_BY_COLUMN,  /* a line and a column in it, that is, a token */
	GROUP_BY_INLINED, /* a function, and the calls inlined in it that lead to the instruction */
};

/* True if the groups depend on source positions. */
bool profile_group_by_is_source(enum profile_group_by by);

/* True if reports tell how often the groups ran: lines and columns of lines. */
bool profile_group_has_runs(enum profile_group_by by);

/* The instructions of a group that have one form. */
struct profile_group_form {
	uint32_t form;
	uint64_t executions;
	uint64_t iterations;
};

/* The instructions with one value of that property. */
struct profile_group {
	/* The text of the common property, such as "ADD r64, m64", "main", "(no function)" or "/src/a.c:12:7". Each
	 * module has a group "(no line)". Inlined calls, innermost first: "skip <- parse (a.c:7) <- main (a.c:12)".
	 * Owned by the profile or the groups. */
	const char *name;
	uint32_t module;   /* of a function, of inlined calls, or of instructions without a line; else PROFILE_NONE */
	uint32_t function; /* for groups by source: that of the first instruction, inlined or not, or PROFILE_NONE */
	uint32_t location; /* for groups by source: that of the first instruction; 0: unknown */
	struct profile_group_form *forms; /* with GROUP_BY_FORM exactly one */
	size_t n_forms, forms_capacity;
	uint32_t *insns; /* [n_insns] instruction indices, ascending */
	size_t n_insns, insns_capacity;
	uint64_t executions, iterations; /* sums over the forms */
	uint64_t runs;		 /* of a line or a column of a line: how often it ran (profile_count_runs); else 0 */
	bool has_more_functions; /* for groups by source: it has code of other functions than that one, too */
};

struct profile_groups {
	struct profile_group *groups; /* those with executions or iterations, ordered by their first instruction */
	size_t n_groups, groups_capacity;
	char **names; /* names that are not in the profile */
	size_t n_names, names_capacity;
};

/* Groups one region. The result refers to the profile and must not outlive it. */
void profile_group_init(struct profile_groups *groups, const struct profile *profile, uint32_t region,
			enum profile_group_by by);
void profile_group_deinit(struct profile_groups *groups);

/* For each instruction of a region, sets runs[n_counts] to how often its source line, or column of a line, began to
 * run with it. A line begins where its first instruction in a basic block runs, unless it goes on from the instruction
 * before. The sum over a line's instructions is how often it ran. Sets only those that were executed. */
void profile_count_runs(const struct profile *profile, uint32_t region, bool by_column, uint64_t *runs);

#endif
