#include <inttypes.h>

#include "base/units.h"
#include "report/csv/csv.h"

static void write_check(FILE *out, const struct sample_check *check)
{
	fputs("function,module,samples,share,low,high,exact_cycles,exact_share,p,different\n", out);
	for (size_t i = 0; i < check->n_rows; i++) {
		const struct sample_check_row *row = &check->rows[i];

		csv_write_text(out, row->name);
		csv_write_field(out, row->module);
		fprintf(out, ",%" PRIu64 ",%.6f,%.6f,%.6f,%s,%.6f,%.3g,%d\n", row->samples, row->share, row->low,
			row->high, units_cycles_exact(row->exact_mcyc).text, row->exact_share, row->p,
			row->is_different);
	}
}

static bool row_moved(const struct sample_verdict *verdict, size_t row)
{
	for (size_t i = 0; i < verdict->n_moves; i++)
		if (verdict->moves[i].row == row)
			return true;
	return false;
}

static void write_table(FILE *out, const struct sample_report *samples)
{
	const struct sample_table *table = samples->table;

	fputs("name,module,samples,share,low,high", out);
	for (size_t s = 1; s < table->n_series; s++)
		fprintf(out, ",samples_%" PRIu64 "ns", samples->sampling->series[s].period_ns);
	fputs(table->n_series > 1 ? ",moved\n" : "\n", out);
	for (size_t i = 0; i < table->n_rows; i++) {
		const struct sample_row *row = &table->rows[i];

		csv_write_text(out, row->name);
		csv_write_field(out, row->module);
		fprintf(out, ",%" PRIu64 ",%.6f,%.6f,%.6f", row->samples[0],
			report_sample_share(row->samples[0], table->totals[0]), row->low, row->high);
		for (size_t s = 1; s < table->n_series; s++)
			fprintf(out, ",%" PRIu64, row->samples[s]);
		if (table->n_series > 1)
			fprintf(out, ",%d", row_moved(samples->verdict, i));
		fputc('\n', out);
	}
}

void csv_write_samples(const struct report *report)
{
	if (report->samples->check)
		write_check(report->out, report->samples->check);
	else
		write_table(report->out, report->samples);
}
