#include "report/text/qualifiers.h"

#include "report/text/sentences.h"

/* If both totals lack less than this share of the executions, their ratio is still worth reading. */
#define LITTLE_PERCENT 1

enum qualifier qualifier_of_figure(struct figure figure)
{
	static const enum qualifier qualifiers[] = {
		[FIGURE_EXACT] = QUALIFIER_NONE,
		[FIGURE_FALLBACK] = QUALIFIER_FALLBACK,
		[FIGURE_PARTIAL] = QUALIFIER_AT_LEAST,
		[FIGURE_UNKNOWN] = QUALIFIER_UNKNOWN,
	};

	return qualifiers[figure.kind];
}

enum qualifier qualifier_of_total(const struct estimate *estimate)
{
	enum qualifier qualifier = qualifier_of_figure(figure_of_region(estimate));

	return qualifier == QUALIFIER_FALLBACK ? QUALIFIER_NONE : qualifier;
}

static bool lacks_little(const struct estimate *estimate)
{
	uint64_t executions = estimate->exact + estimate->fallback + estimate->unknown;

	return (__int128)estimate->unknown * 100 < (__int128)executions * LITTLE_PERCENT;
}

/* If one total is too low, the ratio is a bound. If both are much too low, it says nothing. */
enum qualifier qualifier_of_ratio(const struct estimate *estimate, const struct estimate *first)
{
	enum figure_kind kind = figure_of_region(estimate).kind, first_kind = figure_of_region(first).kind;

	if (kind == FIGURE_UNKNOWN || first_kind == FIGURE_UNKNOWN)
		return QUALIFIER_UNKNOWN;
	if (kind == FIGURE_PARTIAL && first_kind == FIGURE_PARTIAL)
		return lacks_little(estimate) && lacks_little(first) ? QUALIFIER_ABOUT : QUALIFIER_UNKNOWN;
	return kind == FIGURE_PARTIAL	      ? QUALIFIER_AT_LEAST
	       : first_kind == FIGURE_PARTIAL ? QUALIFIER_AT_MOST
					      : QUALIFIER_NONE;
}

static const struct {
	const char *sign, *meaning;
} rows[] = {
	[QUALIFIER_NONE] = {"", NULL},
	[QUALIFIER_FALLBACK] = {"~", "cost of a related form"},
	[QUALIFIER_ABOUT] = {"\u2248", "about: both totals lack the cost of less than 1% of the executions"},
	[QUALIFIER_AT_LEAST] = {">", "at least: a part has no cost"},
	[QUALIFIER_AT_MOST] = {"<", "at most: a part of the first model's total has no cost"},
	[QUALIFIER_UNKNOWN] = {"?", "no cost"},
};

void qualifier_set_cell(const struct report *report, struct table *table, size_t column, enum qualifier qualifier,
			const char *text)
{
	report->qualifiers_used[qualifier] = true;
	table_set_cell(table, column, "%s%s", rows[qualifier].sign, qualifier == QUALIFIER_UNKNOWN ? "" : text);
}

void qualifiers_write_legend(const struct report *report)
{
	struct sentence sentence;
	FILE *out = sentence_begin(&sentence);
	const char *separator = "";

	for (int i = 0; i < N_QUALIFIERS; i++) {
		if (!report->qualifiers_used[i] || !rows[i].meaning)
			continue;
		fprintf(out, "%s%s %s", separator, rows[i].sign, rows[i].meaning);
		separator = "; ";
	}
	sentence_end(&sentence, report, 0);
}
