/* Counts the runs of source lines, from the counts of their instructions. */
#include <stdlib.h>

#include "base/array.h"
#include "base/order.h"
#include "profile/group.h"

struct walk {
	const struct profile *profile;
	const uint64_t *executions;
	const uint32_t *insns; /* [n_insns] executed, by module and address */
	size_t n_insns;
	bool by_column;
};

static int compare_addresses(const void *left, const void *right, void *insns)
{
	uint32_t left_index = *(const uint32_t *)left, right_index = *(const uint32_t *)right;
	const struct profile_insn *a = (struct profile_insn *)insns + left_index,
				  *b = (struct profile_insn *)insns + right_index;

	return ORDER(a->module, b->module) ?: ORDER(a->va, b->va) ?: ORDER(left_index, right_index);
}

static bool is_same_line(const struct walk *walk, size_t i, size_t k)
{
	const struct profile_insn *insns = walk->profile->insns;
	const struct profile_location *a = &walk->profile->locations[insns[walk->insns[i]].location],
				      *b = &walk->profile->locations[insns[walk->insns[k]].location];

	return a->file == b->file && a->line == b->line && (!walk->by_column || a->column == b->column);
}

static bool reaches_next(enum insn_flow flow)
{
	return flow != FLOW_JUMP && flow != FLOW_JUMP_INDIRECT && flow != FLOW_RETURN && flow != FLOW_STOP;
}

/* Returns the flow of the instruction directly before the i-th one in memory; FLOW_STOP if it was not executed. */
static enum insn_flow flow_before(const struct walk *walk, size_t i)
{
	const struct profile_insn *before, *insn = &walk->profile->insns[walk->insns[i]];
	struct insn decoded = {.flow = FLOW_STOP};

	if (i == 0)
		return FLOW_STOP;
	before = &walk->profile->insns[walk->insns[i - 1]];
	if (before->module == insn->module && before->va + before->length == insn->va)
		insn_decode(before->bytes, before->length, &decoded);
	return decoded.flow;
}

/* Returns how often a line started with the i-th instruction. `block`: position of the first instruction of its basic
 * block. `before`: flow_before(i). */
static uint64_t count_line_starts(const struct walk *walk, size_t i, size_t block, enum insn_flow before)
{
	uint64_t executions = walk->executions[walk->insns[i]], continued;

	for (size_t k = i; k-- > block;)
		if (is_same_line(walk, i, k))
			return 0;
	if (i == 0 || !reaches_next(before) || !is_same_line(walk, i, i - 1))
		return executions;
	continued = walk->executions[walk->insns[i - 1]];
	return executions > continued ? executions - continued : 0;
}

/* Returns the position in walk->insns of an address in a module; n_insns: the address was not executed. */
static size_t find_insn(const struct walk *walk, uint32_t module, uint64_t va)
{
	const struct profile_insn *insns = walk->profile->insns;
	size_t low = 0, high = walk->n_insns;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct profile_insn *insn = &insns[walk->insns[middle]];

		if (insn->module < module || (insn->module == module && insn->va < va))
			low = middle + 1;
		else
			high = middle;
	}
	if (low < walk->n_insns && insns[walk->insns[low]].module == module && insns[walk->insns[low]].va == va)
		return low;
	return walk->n_insns;
}

/* A jump to the condition of a loop starts the line of the loop. Control that arrives at the condition by this jump
 * does not start the line again. */
static void subtract_jump(const struct walk *walk, size_t i, uint64_t *runs)
{
	const struct profile_insn *insn = &walk->profile->insns[walk->insns[i]];
	uint64_t executions = walk->executions[walk->insns[i]], *starts;
	struct insn decoded;
	size_t target;

	if (!insn_decode(insn->bytes, insn->length, &decoded) || decoded.flow != FLOW_JUMP)
		return;
	target = find_insn(walk, insn->module, insn->va + insn->length + (uint64_t)(int64_t)decoded.displacement);
	if (target == walk->n_insns || !is_same_line(walk, i, target))
		return;
	starts = &runs[walk->insns[target]];
	*starts -= executions < *starts ? executions : *starts;
}

void profile_count_runs(const struct profile *profile, uint32_t region, bool by_column, uint64_t *runs)
{
	const struct profile_region *counted = &profile->regions[region];
	uint32_t *insns = xcalloc(counted->n_counts, sizeof(*insns));
	struct walk walk = {profile, counted->executions, insns, 0, by_column};
	size_t block = 0;

	for (uint32_t i = 0; i < counted->n_counts; i++)
		if (counted->executions[i])
			insns[walk.n_insns++] = i;
	if (walk.n_insns)
		qsort_r(insns, walk.n_insns, sizeof(*insns), compare_addresses, profile->insns);
	for (size_t i = 0; i < walk.n_insns; i++) {
		enum insn_flow before = flow_before(&walk, i);

		if (before != FLOW_NEXT || walk.executions[insns[i]] != walk.executions[insns[i - 1]])
			block = i;
		runs[insns[i]] = count_line_starts(&walk, i, block, before);
	}
	for (size_t i = 0; i < walk.n_insns; i++)
		subtract_jump(&walk, i, runs);
	free(insns);
}
