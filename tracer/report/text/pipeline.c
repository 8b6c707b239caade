#include "report/text/tables.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/units.h"
#include "costmodels/estimators/pipeline/region/region.h"
#include "report/text/layout.h"
#include "report/text/sentences.h"

enum {
	N_LOOPS_SHOWN = 5,
	LOOP_SHARE_DIVISOR = 100, /* a loop is shown if it takes at least 1/100 of all cycles */
	WAIT_SHARE_DIVISOR = 50,  /* a cause of stalls is named if it takes at least 1/50 of all cycles */
	LOOP_COLUMNS = 70,	  /* for the loop's name and most of its waits */
};

enum { COLUMN_CYCLES, COLUMN_SHARE, COLUMN_ITERATIONS, COLUMN_EACH, COLUMN_RATE, N_COLUMNS };

/* By descending cycles. */
static void sort_waits(const mcyc_t stalls_mcyc[N_STALLS], int order[N_STALLS])
{
	for (int i = 0; i < N_STALLS; i++) {
		int k = i;

		for (; k > 0 && stalls_mcyc[order[k - 1]] < stalls_mcyc[i]; k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
}

static mcyc_t sum_waits(const mcyc_t stalls_mcyc[N_STALLS])
{
	mcyc_t sum = 0;

	for (int i = 0; i < N_STALLS; i++)
		sum += stalls_mcyc[i];
	return sum;
}

static void print_waits(FILE *out, const mcyc_t stalls_mcyc[N_STALLS])
{
	static const char *const texts[] = {
		[STALL_FRONT_END] = "front end", [STALL_MISPREDICT] = "mispredicted branches",
		[STALL_ISSUE] = "issue",	 [STALL_PORT] = "ports",
		[STALL_RESULT] = "results",	 [STALL_MEMORY] = "memory",
		[STALL_RETIRE] = "retirement",
	};
	uint64_t whole = (uint64_t)sum_waits(stalls_mcyc);
	int order[N_STALLS];

	sort_waits(stalls_mcyc, order);
	for (int i = 0; i < N_STALLS; i++) {
		uint64_t part = (uint64_t)stalls_mcyc[order[i]];

		if (part == 0 || (i > 0 && part < whole / WAIT_SHARE_DIVISOR))
			break;
		fprintf(out, "%s%s %s", i ? ", " : "", texts[order[i]], units_share(part, whole).text);
	}
}

static double rate(uint64_t executions, mcyc_t mcyc)
{
	return mcyc ? (double)executions * MCYC_PER_CYCLE / (double)mcyc : 0.0;
}

static void print_misses(FILE *out, const uint64_t n_misses[N_PROFILE_MISSES])
{
	uint64_t n_tlb = n_misses[MISS_SERVED_BY_STLB] + n_misses[MISS_SERVED_BY_PAGE_TABLES];

	fprintf(out, "; loads from L2 %s, ", units_count(n_misses[MISS_SERVED_BY_L2]).text);
	fprintf(out, "L3 %s, ", units_count(n_misses[MISS_SERVED_BY_L3]).text);
	fprintf(out, "memory %s, ", units_count(n_misses[MISS_SERVED_BY_MEMORY]).text);
	fprintf(out, "first-level TLB misses %s", units_count(n_tlb).text);
}

void pipeline_write_waits(const struct report *report, const struct region_analysis *region, size_t model)
{
	const struct estimate *estimate = &region->estimates[model];
	const struct region_cycles *cycles = estimate->pipeline;
	struct sentence sentence;
	FILE *out = sentence_begin(&sentence);

	fprintf(out, "pipeline on %s: %.2f instructions a cycle; waited for ", model_name(report->models[model]),
		rate(region->executions, estimate->total_mcyc));
	print_waits(out, cycles->stalls_mcyc);
	if (cycles->n_mispredicts) {
		fputs("; ", out);
		sentence_print_count(out, cycles->n_mispredicts, "branch misprediction");
	}
	if (cycles->has_caches)
		print_misses(out, cycles->n_misses);
	if (cycles->n_other_context)
		fprintf(out, "; %s simulated after another path than the executed one",
			units_share(cycles->n_other_context, region->executions).text);
	if (cycles->n_averaged)
		fprintf(out, "; %s not simulated, costed as the mean of the others",
			units_share(cycles->n_averaged, region->executions).text);
	sentence_end(&sentence, report, 0);
}

static void set_loop_label(const struct profile *profile, const struct region_loop *loop, struct table *table)
{
	const struct profile_insn *insn = &profile->insns[loop->head];
	char *waits = NULL;
	size_t n_bytes = 0;
	FILE *out = open_memstream(&waits, &n_bytes);

	if (!out)
		abort();
	print_waits(out, loop->stalls_mcyc);
	fclose(out);
	if (insn->function == PROFILE_NONE)
		table_set_label(table, "0x%" PRIx64 ": %s", insn->va, waits);
	else
		table_set_label(table, "%s+0x%" PRIx32 ": %s", profile->functions[insn->function].name,
				insn->function_offset, waits);
	free(waits);
}

static void add_loop(const struct report *report, const struct region_analysis *region, const struct region_loop *loop,
		     struct table *table)
{
	mcyc_t mcyc = sum_waits(loop->stalls_mcyc);
	uint64_t whole = (uint64_t)region->estimates[0].total_mcyc;

	table_add_row(table);
	table_set_cell(table, COLUMN_CYCLES, "%s", units_cycles(mcyc).text);
	table_set_cell(table, COLUMN_SHARE, "%s", units_share((uint64_t)mcyc, whole).text);
	table_set_cell(table, COLUMN_ITERATIONS, "%s", units_count(loop->iterations).text);
	table_set_cell(table, COLUMN_EACH, "%s", units_cycles_each(mcyc, loop->iterations).text);
	table_set_cell(table, COLUMN_RATE, "%.2f", rate(loop->executions, mcyc));
	set_loop_label(report->profile, loop, table);
}

void pipeline_write_loops(const struct report *report, const struct region_analysis *region)
{
	static const char *const headings[N_COLUMNS] = {"cycles", "share", "iterations", "each", "IPC"};
	const struct region_cycles *cycles = region->estimates[0].pipeline;
	mcyc_t least_mcyc = region->estimates[0].total_mcyc / LOOP_SHARE_DIVISOR;
	struct table table;

	if (!cycles->n_loops || sum_waits(cycles->loops[0].stalls_mcyc) < least_mcyc)
		return;
	table_init(&table, N_COLUMNS);
	table_add_heading(&table, "loop: waits for", headings);
	table.label_columns = LOOP_COLUMNS;
	for (size_t i = 0; i < cycles->n_loops && i < N_LOOPS_SHOWN; i++) {
		if (sum_waits(cycles->loops[i].stalls_mcyc) < least_mcyc)
			break;
		add_loop(report, region, &cycles->loops[i], &table);
	}
	table_end(&table, report->out, report->options->width, report->options->color);
	fputc('\n', report->out);
}
