#include "report/text/qualifiers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/array.h"
#include "base/units.h"
#include "report/text/sentences.h"

#define PPM 1000000
#define SHOWN_PPM 500 /* rounds to 0.1 % */

/* A ratio counts as about right if each total lacks the cost of less than 5 % of the executions. */
#define LITTLE_PPM 50000

enum qualifier qualifier_of_cycle_sum(struct cycle_sum sum)
{
	static const enum qualifier qualifiers[] = {
		[CYCLE_SUM_EXACT] = QUALIFIER_NONE,
		[CYCLE_SUM_FALLBACK] = QUALIFIER_FALLBACK,
		[CYCLE_SUM_PARTIAL] = QUALIFIER_AT_LEAST,
		[CYCLE_SUM_UNKNOWN] = QUALIFIER_UNKNOWN,
	};

	return qualifiers[sum.kind];
}

enum qualifier qualifier_of_total(const struct estimate *estimate)
{
	enum qualifier qualifier = qualifier_of_cycle_sum(cycle_sum_of_region(estimate));

	return qualifier == QUALIFIER_FALLBACK ? QUALIFIER_NONE : qualifier;
}

/* Returns the executions without a cost, in millionths of all executions. */
static uint64_t unknown_ppm(const struct estimate *estimate)
{
	unsigned __int128 executions = estimate->exact + estimate->fallback + estimate->unknown;

	return executions ? (uint64_t)(estimate->unknown * (unsigned __int128)PPM / executions) : 0;
}

/* If both totals are nearly complete, the ratio is about right. Otherwise, if one is complete, the ratio is a bound.
 * If neither is complete, the ratio is unknown. */
static enum qualifier qualifier_of_ratio(const struct estimate *estimate, const struct estimate *first)
{
	enum cycle_sum_kind kind = cycle_sum_of_region(estimate).kind, first_kind = cycle_sum_of_region(first).kind;

	if (kind == CYCLE_SUM_UNKNOWN || first_kind == CYCLE_SUM_UNKNOWN)
		return QUALIFIER_UNKNOWN;
	if (!estimate->unknown && !first->unknown)
		return QUALIFIER_NONE;
	if (unknown_ppm(estimate) < LITTLE_PPM && unknown_ppm(first) < LITTLE_PPM)
		return QUALIFIER_ABOUT;
	return !first->unknown ? QUALIFIER_AT_LEAST : !estimate->unknown ? QUALIFIER_AT_MOST : QUALIFIER_UNKNOWN;
}

static const struct {
	const char *sign, *meaning;
} rows[] = {
	[QUALIFIER_NONE] = {"", NULL},
	[QUALIFIER_FALLBACK] = {"~", "cost of a related form"},
	[QUALIFIER_MAPPED] = {"=", "cost of these instructions of another machine"},
	[QUALIFIER_ABOUT] = {"\u2248", "about:"},
	[QUALIFIER_AT_LEAST] = {">", "at least: a part has no cost"},
	[QUALIFIER_AT_MOST] = {"<", "at most: a part of the first model's total has no cost"},
	[QUALIFIER_UNKNOWN] = {"?", "no cost"},
};

/* In ASCII, "about" is "~=", because "~" marks a fallback. */
static const char *sign_of(const struct report *report, enum qualifier qualifier)
{
	return qualifier == QUALIFIER_ABOUT && report->options->is_ascii ? "~=" : rows[qualifier].sign;
}

void qualifier_set_cell(const struct report *report, struct table *table, size_t column, enum qualifier qualifier,
			const char *text)
{
	report->qualifiers->used[qualifier] = true;
	table_set_cell(table, column, "%s%s", sign_of(report, qualifier), qualifier == QUALIFIER_UNKNOWN ? "" : text);
}

void qualifier_set_ratio(const struct report *report, struct table *table, size_t column,
			 const struct estimate *estimate, const struct estimate *first)
{
	enum qualifier qualifier = qualifier_of_ratio(estimate, first);
	uint64_t *most = &report->qualifiers->about_ppm;

	if (qualifier == QUALIFIER_ABOUT) {
		*most = MAX(*most, unknown_ppm(estimate));
		*most = MAX(*most, unknown_ppm(first));
	}
	qualifier_set_cell(report, table, column, qualifier,
			   units_ratio((uint64_t)estimate->total_mcyc, (uint64_t)first->total_mcyc).text);
}

char *qualifier_via(const struct report *report, size_t model, const struct cost *cost, const char *form_text)
{
	enum qualifier qualifier = cost->match == COST_FALLBACK ? QUALIFIER_FALLBACK : QUALIFIER_MAPPED;

	if (!cost->via || strcmp(cost->via, form_text) == 0 ||
	    (qualifier == QUALIFIER_MAPPED && !model_is_mapped(report->models[model])))
		return xstrdup("");
	report->qualifiers->used[qualifier] = true;
	return xasprintf(" %s %s", rows[qualifier].sign, cost->via);
}

void qualifiers_write_legend(const struct report *report)
{
	struct sentence sentence;
	FILE *out = sentence_begin(&sentence);
	const char *separator = "";

	for (int i = 0; i < N_QUALIFIERS; i++) {
		if (!report->qualifiers->used[i] || !rows[i].meaning)
			continue;
		fprintf(out, "%s%s %s", separator, sign_of(report, (enum qualifier)i), rows[i].meaning);
		if (i == QUALIFIER_ABOUT && report->qualifiers->about_ppm < SHOWN_PPM)
			fputs(" less than 0.1% of the executions have no cost", out);
		else if (i == QUALIFIER_ABOUT)
			fprintf(out, " up to %s of the executions have no cost",
				units_share(report->qualifiers->about_ppm, PPM).text);
		separator = "; ";
	}
	sentence_end(&sentence, report, 0);
}
