#include <inttypes.h>

#include "base/units.h"
#include "report/block_formats.h"

void csv_block_write(struct block_writer *writer, const struct block_report *report)
{
	for (size_t i = 0; i < report->n_estimates; i++) {
		const struct block_estimate *estimate = &report->estimates[i];

		if (writer->n_models > 1)
			fprintf(writer->out, "%s,", model_name(pipeline_model(estimate->pipeline)));
		if (estimate->failed)
			fprintf(writer->out, "%s,,undecodable,\n", report->code_hex);
		else
			fprintf(writer->out, "%s,%s,%s,%" PRIu32 "\n", report->code_hex,
				units_cycles_exact(estimate->result.cycles_mcyc).text,
				pipeline_bound_name(estimate->result.bottleneck), estimate->result.n_unknown);
	}
}

void csv_block_begin(struct block_writer *writer)
{
	fprintf(writer->out, "%scode_hex,cycles_per_iteration,bottleneck,unknown_forms\n",
		writer->n_models > 1 ? "model," : "");
}
