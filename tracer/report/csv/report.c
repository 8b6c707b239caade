#include <inttypes.h>

#include "report/csv/csv.h"

/* Rows of functions have inclusive costs if the run has call trees. */
static bool has_inclusive(const struct report *report)
{
	return report->options->by == GROUP_BY_FUNCTION && report->profile->has_calls;
}

static void write_header(const struct report *report)
{
	static const char *const columns[] = {
		[GROUP_BY_FORM] = "form,mnemonic,category,isa_extension",
		[GROUP_BY_MNEMONIC] = "mnemonic",
		[GROUP_BY_CATEGORY] = "category",
		[GROUP_BY_ISA_EXTENSION] = "isa_extension",
		[GROUP_BY_FUNCTION] = "function,module",
		[GROUP_BY_FILE] = "file,module",
		[GROUP_BY_LINE] = "file,line,function,module",
		[GROUP_BY_COLUMN] = "file,line,column,function,module",
		[GROUP_BY_INLINED] = "calls,module",
	};

	csv_write_region_names(report);
	fprintf(report->out, ",%s,executions,iterations", columns[report->options->by]);
	csv_write_cycle_sum_names(report, "", "");
	if (profile_group_has_runs(report->options->by))
		fputs(",runs", report->out);
	if (has_inclusive(report)) {
		fputs(",executions_with_calls", report->out);
		csv_write_cycle_sum_names(report, "", "_with_calls");
	}
	fputc('\n', report->out);
}

static void write_group(const struct report *report, const struct profile_group *group)
{
	const struct profile_location *location = &report->profile->locations[group->location];
	enum profile_group_by by = report->options->by;
	bool has_source = profile_group_by_is_source(by) && by != GROUP_BY_INLINED;
	FILE *out = report->out;

	csv_write_field(out, has_source ? csv_file(report, location->file) : group->name);
	if (by == GROUP_BY_FORM) {
		const struct form *form = &report->profile->forms[group->forms[0].form].form;

		csv_write_field(out, form->mnemonic);
		csv_write_field(out, form->category);
		csv_write_field(out, form->isa_extension);
	}
	if (by == GROUP_BY_LINE || by == GROUP_BY_COLUMN)
		csv_write_number(out, location->line);
	if (by == GROUP_BY_COLUMN)
		csv_write_number(out, location->column);
	if (by == GROUP_BY_LINE || by == GROUP_BY_COLUMN)
		csv_write_field(out, csv_function(report, group->function));
	if (by == GROUP_BY_FUNCTION || profile_group_by_is_source(by))
		csv_write_field(out, csv_module(report, group->module));
}

/* costs may be NULL: the fields of a region without a call tree, such as a signal handler, are empty. */
static void write_inclusive(const struct report *report, const uint64_t *costs)
{
	fputc(',', report->out);
	if (costs)
		fprintf(report->out, "%" PRIu64, costs[COST_EXECUTIONS]);
	for (size_t i = 0; i < report->n_models; i++) {
		if (costs)
			csv_write_cycle_sum(report->out, cost_cycle_sum(costs, report->n_models, i));
		else
			fputs(",,", report->out);
	}
}

static void write_row(const struct report *report, const struct region_analysis *region,
		      const struct profile_group *group)
{
	csv_write_region(report, region);
	write_group(report, group);
	fprintf(report->out, ",%" PRIu64 ",%" PRIu64, group->executions, group->iterations);
	for (size_t i = 0; i < report->n_models; i++)
		csv_write_cycle_sum(report->out, cycle_sum_of_group(&region->estimates[i], group));
	if (profile_group_has_runs(report->options->by))
		fprintf(report->out, ",%" PRIu64, group->runs);
	if (has_inclusive(report))
		write_inclusive(report, inclusive_of(&region->inclusive, group));
	fputc('\n', report->out);
}

static void write_groups(const struct report *report)
{
	write_header(report);
	for (size_t i = 0; i < report->analysis->n_regions; i++) {
		const struct region_analysis *region = &report->analysis->regions[i];
		const struct ranking *ranking = analysis_ranking(report->analysis, region);

		for (size_t k = 0; k < ranking->groups.n_groups; k++)
			write_row(report, region, ranking->rows[k].group);
	}
}

void csv_write_report(const struct report *report)
{
	static report_writer *const tables[] = {
		[REPORT_VIEW_TABLE] = write_groups,
		[REPORT_VIEW_TREE] = csv_write_call_tree,
		[REPORT_VIEW_CHARGES] = csv_write_charges,
		[REPORT_VIEW_MEMORY] = csv_write_memory,
	};

	tables[report->options->view](report);
}
