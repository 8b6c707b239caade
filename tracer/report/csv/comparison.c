#include <inttypes.h>

#include "base/units.h"
#include "report/csv/csv.h"
#include "report/json/region.h"

static void write_key(const struct report *report, const struct region_analysis *region, const char *by,
		      const struct profile_group *group)
{
	csv_write_region(report, region);
	fprintf(report->out, ",%s", by);
	csv_write_field(report->out, group ? group->name : NULL);
	csv_write_field(report->out, group ? csv_module(report, group->module) : NULL);
	fprintf(report->out, ",%" PRIu64 ",%" PRIu64, group ? group->executions : region->executions,
		group ? group->iterations : region->iterations);
}

static void write_total(const struct report *report, const struct region_analysis *region, size_t model)
{
	const struct estimate *estimate = &region->estimates[model];

	write_key(report, region, "region", NULL);
	csv_write_field(report->out, model_name(report->models[model]));
	fprintf(report->out, ",,%s,%d,%" PRIu64 "\n", units_cycles_exact(estimate->total_mcyc).text,
		estimate->total_mcyc > 0, estimate->unknown);
}

static void write_rank(const struct report *report, const struct region_analysis *region, enum profile_group_by by,
		       const struct comparison_row *row, size_t model)
{
	const struct comparison_rank *rank = &row->ranks[model];

	write_key(report, region, json_by_name(by), row->group);
	csv_write_field(report->out, model_name(report->models[model]));
	if (rank->rank)
		fprintf(report->out, ",%" PRIu32 ",%s,%.6f,%" PRIu64 "\n", rank->rank,
			units_cycles_exact(rank->mcyc).text, rank->share_ppm / 1e6, rank->unknown);
	else
		fprintf(report->out, ",,,,%" PRIu64 "\n", rank->unknown);
}

void csv_write_comparison(const struct report *report)
{
	csv_write_region_names(report);
	fputs(",by,name,module,executions,iterations,model,rank,cycles,share,unknown\n", report->out);
	for (size_t i = 0; i < report->analysis->n_regions; i++) {
		const struct region_analysis *region = &report->analysis->regions[i];

		for (size_t model = 0; model < report->n_models; model++)
			write_total(report, region, model);
		for (size_t k = 0; k < report->analysis->request.n_by; k++) {
			const struct comparison *comparison = &region->comparisons[k];

			for (size_t row = 0; row < comparison->groups.n_groups; row++)
				for (size_t model = 0; model < report->n_models; model++)
					write_rank(report, region, comparison->by, &comparison->rows[row], model);
		}
	}
}
