#include <inttypes.h>

#include "analysis/comparison.h"
#include "base/units.h"
#include "report/formats.h"
#include "report/json/parts.h"

static void write_key(const struct report *report, const struct section *section, const char *by,
		      const struct profile_group *group)
{
	FILE *out = report->out;

	csv_write_section(report, section);
	fprintf(out, ",%s,", by);
	csv_write_field(out, group ? group->name : "");
	fputc(',', out);
	if (group && group->module != PROFILE_NONE)
		csv_write_field(out, report->profile->modules[group->module].path);
	fprintf(out, ",%" PRIu64 ",%" PRIu64 ",", group ? group->executions : section->executions,
		group ? group->iterations : section->iterations);
}

static void write_total(const struct report *report, const struct section *section, size_t model)
{
	const struct estimate *estimate = &section->estimates[model];

	write_key(report, section, "region", NULL);
	csv_write_field(report->out, model_name(report->models[model]));
	fprintf(report->out, ",,%s,%d,%" PRIu64 "\n", units_cycles_exact(estimate->ranked_mcyc).text,
		estimate->ranked_mcyc > 0, estimate->unknown);
}

static void write_place(const struct report *report, const struct section *section, enum profile_group_by by,
			const struct compare_row *row, size_t model)
{
	const struct compare_place *place = &row->places[model];

	write_key(report, section, json_by_name(by), row->group);
	csv_write_field(report->out, model_name(report->models[model]));
	if (place->rank)
		fprintf(report->out, ",%" PRIu32 ",%s,%.6f,%" PRIu64 "\n", place->rank,
			units_cycles_exact(place->mcyc).text, place->share_ppm / 1e6, place->unknown);
	else
		fprintf(report->out, ",,,,%" PRIu64 "\n", place->unknown);
}

void report_write_compare_csv(const struct report *report)
{
	enum profile_group_by by[COMPARE_MAX_BY];
	size_t n_by = report_compare_by(report->options, by);

	csv_write_section_header(report);
	fputs(",by,name,module,executions,iterations,model,rank,cycles,share,unknown\n", report->out);
	for (size_t i = 0; i < report->sections->n_sections; i++) {
		const struct section *section = &report->sections->sections[i];

		for (size_t k = 0; k < report->n_models; k++)
			write_total(report, section, k);
		for (size_t k = 0; k < n_by; k++) {
			struct comparison comparison;

			comparison_init(&comparison, report->profile, section->region_index, by[k], section->estimates,
					report->n_models);
			for (size_t row = 0; row < comparison.groups.n_groups; row++)
				for (size_t model = 0; model < report->n_models; model++)
					write_place(report, section, by[k], &comparison.rows[row], model);
			comparison_deinit(&comparison);
		}
	}
}
