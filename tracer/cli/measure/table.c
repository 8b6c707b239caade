#include "cli/measure/table.h"

#include <stdio.h>

#include "base/units.h"
#include "cli/terminal.h"
#include "report/text/layout.h"

enum { COLUMN_THROUGHPUT, COLUMN_LATENCY, N_OWN_COLUMNS };

/* Three digits, as the User Macro Level Instruction Timer had for the VAX, which took microseconds. */
static void set_time(struct table *table, size_t column, double us, int64_t mcyc, bool is_related)
{
	int digits = us < 0.001 ? 6 : us < 0.01 ? 5 : us < 0.1 ? 4 : us < 1 ? 3 : 2;

	table_set_cell(table, column, "%s%.*f (%s)", is_related ? "~" : "", digits, us, units_cycles_exact(mcyc).text);
}

static void set_own(struct table *table, const struct instruction_timing *timing, uint32_t clock_mhz)
{
	int64_t latency = -1;

	for (size_t i = 0; i < timing->n_latencies; i++)
		if (timing->latencies[i].mcyc > latency)
			latency = timing->latencies[i].mcyc;
	set_time(table, COLUMN_THROUGHPUT, (double)timing->throughput_mcyc / MCYC_PER_CYCLE / clock_mhz,
		 timing->throughput_mcyc / 10 * 10, false);
	if (latency >= 0)
		set_time(table, COLUMN_LATENCY, (double)latency / MCYC_PER_CYCLE / clock_mhz, latency / 10 * 10, false);
}

static void set_model(struct table *table, size_t column, const struct model *model, const char *form_text)
{
	double cycle_us = (double)model_cycle_ps(model) / 1e6;
	struct cost cost;

	model_lookup(model, form_text, &cost);
	if (cost.match == COST_UNKNOWN)
		table_set_cell(table, column, "?");
	else if (cycle_us > 0)
		set_time(table, column, (double)cost.throughput_mcyc / MCYC_PER_CYCLE * cycle_us, cost.throughput_mcyc,
			 cost.match == COST_FALLBACK);
	else
		table_set_cell(table, column, "(%s)", units_cycles_exact(cost.throughput_mcyc).text);
}

void measure_table_write(const struct survey *survey, uint32_t clock_mhz, const struct model_set *models)
{
	struct report_options fitted = {0};
	struct table table;

	terminal_fit(stdout, &fitted);
	table_init(&table, N_OWN_COLUMNS + models->n_models);
	table_add_heading(&table, "instruction", NULL);
	table_set_cell(&table, COLUMN_THROUGHPUT, "this machine");
	table_set_cell(&table, COLUMN_LATENCY, "its latency");
	for (size_t i = 0; i < models->n_models; i++)
		table_set_cell(&table, N_OWN_COLUMNS + i, "%s", model_name(models->models[i]));
	for (size_t i = 0; i < survey->n_forms; i++) {
		if (!survey->timings[i].has_throughput)
			continue;
		table_add_row(&table);
		table_set_label(&table, "%s", survey->forms[i]);
		set_own(&table, &survey->timings[i], clock_mhz);
		for (size_t k = 0; k < models->n_models; k++)
			set_model(&table, N_OWN_COLUMNS + k, models->models[k], survey->forms[i]);
	}
	table_end(&table, stdout, fitted.width, fitted.color);
	putchar('\n');
	paragraph_write(stdout,
			"microseconds (cycles) of each of many executions that do not wait for one another; latency: "
			"where each waits for the one before; ~: a related instruction, ?: no figure",
			fitted.width, 0, fitted.color);
}
