#include <inttypes.h>

#include "base/units.h"
#include "report/block_formats.h"

static void write_estimate(struct block_writer *writer, const struct block_report *report,
			   const struct pipeline_result *result)
{
	const char *separator = "";

	fprintf(writer->out, "%s,%s,%s,%" PRIu32 ",", report->code_hex, units_cycles_exact(result->cycles_mcyc).text,
		pipeline_bound_name(result->bottleneck), result->n_unknown);
	for (size_t i = 0; i < N_BOUNDS; i++)
		if (result->bottlenecks >> i & 1) {
			fprintf(writer->out, "%s%s", separator, pipeline_bound_name((enum pipeline_bound)i));
			separator = " ";
		}
}

static void write_clock(const struct block_writer *writer, const struct block_clock *clock)
{
	if (writer->has_clock)
		fprintf(writer->out, ",%s", clock->is_measured ? units_cycles_exact(clock->mcyc).text : "");
	fputc('\n', writer->out);
}

void csv_block_write(struct block_writer *writer, const struct block_report *report)
{
	for (size_t i = 0; i < report->n_estimates; i++) {
		const struct block_estimate *estimate = &report->estimates[i];

		if (writer->n_models > 1)
			fprintf(writer->out, "%s,", model_name(pipeline_model(estimate->pipeline)));
		if (estimate->failed)
			fprintf(writer->out, "%s,,undecodable,,", report->code_hex);
		else
			write_estimate(writer, report, &estimate->result);
		write_clock(writer, &report->clock);
	}
}

void csv_block_begin(struct block_writer *writer)
{
	fprintf(writer->out, "%scode_hex,cycles_per_iteration,bottleneck,unknown_forms,bottlenecks%s\n",
		writer->n_models > 1 ? "model," : "", writer->has_clock ? ",clock_cycles" : "");
}
