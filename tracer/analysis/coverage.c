#include "analysis/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"

static int compare_rows(const void *left, const void *right)
{
	const struct coverage_row *a = left, *b = right;

	return ORDER(b->executions, a->executions) ?: strcmp(a->text, b->text);
}

static void add_rule(struct coverage *coverage, const char *rule, uint64_t executions)
{
	for (size_t i = 0; i < coverage->n_rules; i++) {
		if (strcmp(coverage->rules[i].text, rule) == 0) {
			coverage->rules[i].executions += executions;
			return;
		}
	}
	*ARRAY_ADD(coverage, rules) = (struct coverage_row){rule, executions};
}

void coverage_init(struct coverage *coverage, const struct estimate *estimate, const struct profile_groups *forms)
{
	*coverage = (struct coverage){0};
	for (size_t i = 0; i < forms->n_groups; i++) {
		const struct profile_group *group = &forms->groups[i];
		const struct cost *cost = &estimate->costs[group->forms[0].form];

		if (cost->match == COST_FALLBACK)
			add_rule(coverage, cost->rule, group->executions);
		else if (cost->match == COST_UNKNOWN)
			*ARRAY_ADD(coverage, unknown) = (struct coverage_row){group->name, group->executions};
	}
	if (coverage->n_rules)
		qsort(coverage->rules, coverage->n_rules, sizeof(*coverage->rules), compare_rows);
	if (coverage->n_unknown)
		qsort(coverage->unknown, coverage->n_unknown, sizeof(*coverage->unknown), compare_rows);
}

void coverage_deinit(struct coverage *coverage)
{
	free(coverage->rules);
	free(coverage->unknown);
	*coverage = (struct coverage){0};
}
