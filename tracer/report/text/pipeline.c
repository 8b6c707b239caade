#include "report/text/pipeline.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/escape.h"
#include "base/units.h"
#include "costmodels/estimators/pipeline/region/region.h"
#include "report/text/layout.h"
#include "report/text/sentences.h"

enum {
	N_LOOPS_SHOWN = 5,
	LOOP_SHARE_MIN = 100, /* a loop is shown that takes this part of all cycles, or more */
	WAIT_SHARE_MIN = 50,  /* a wait is named likewise */
};

enum { COLUMN_CYCLES, COLUMN_SHARE, COLUMN_ROUNDS, COLUMN_EACH, COLUMN_RATE, N_COLUMNS };

/* What a region waited for that took most of its cycles, and so on. */
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

static const char *wait_text(int wait)
{
	static const char *const texts[] = {
		[STALL_FRONT_END] = "code",
		[STALL_MISPREDICT] = "mispredicted branches",
		[STALL_ISSUE] = "issue",
		[STALL_PORT] = "ports",
		[STALL_RESULT] = "results",
		[STALL_MEMORY] = "memory",
		[STALL_RETIRE] = "slots to retire",
	};

	return texts[wait];
}

static void print_waits(FILE *out, const mcyc_t stalls_mcyc[N_STALLS])
{
	uint64_t whole = (uint64_t)sum_waits(stalls_mcyc);
	int order[N_STALLS];

	sort_waits(stalls_mcyc, order);
	for (int i = 0; i < N_STALLS; i++) {
		uint64_t part = (uint64_t)stalls_mcyc[order[i]];

		if (part == 0 || (i > 0 && part < whole / WAIT_SHARE_MIN))
			break;
		fprintf(out, "%s%s %s", i ? ", " : "", wait_text(order[i]), units_share(part, whole).text);
	}
}

static void print_rate(FILE *out, uint64_t executions, mcyc_t mcyc)
{
	fprintf(out, "%.2f", mcyc ? (double)executions * MCYC_PER_CYCLE / (double)mcyc : 0.0);
}

static void print_misses(FILE *out, const uint64_t n_misses[N_PROFILE_MISSES])
{
	uint64_t n_tlb = n_misses[MISS_IN_STLB] + n_misses[MISS_IN_PAGE_TABLES];

	fprintf(out, "; loads from L2 %s, ", units_count(n_misses[MISS_IN_L2]).text);
	fprintf(out, "L3 %s, ", units_count(n_misses[MISS_IN_L3]).text);
	fprintf(out, "memory %s, ", units_count(n_misses[MISS_IN_MEMORY]).text);
	fprintf(out, "past the first TLB %s", units_count(n_tlb).text);
}

void report_write_pipeline(const struct report *report, const struct section *section, size_t model)
{
	const struct estimate *estimate = &section->estimates[model];
	const struct region_cycles *cycles = estimate->pipeline;
	struct sentence sentence;
	FILE *out = sentence_begin(&sentence);

	fputs("pipeline on ", out);
	sentence_print_name(out, model_name(report->models[model]));
	fputs(": ", out);
	print_rate(out, section->executions, estimate->ranked_mcyc);
	fputs(" instructions a cycle; waited for ", out);
	print_waits(out, cycles->stalls_mcyc);
	if (cycles->n_mispredicts) {
		fputs("; ", out);
		sentence_print_count(out, cycles->n_mispredicts, "branch misprediction");
	}
	if (cycles->has_caches)
		print_misses(out, cycles->n_misses);
	if (cycles->n_related)
		fprintf(out, "; %s simulated behind other code than was executed",
			units_share(cycles->n_related, section->executions).text);
	if (cycles->n_averaged)
		fprintf(out, "; %s not simulated but taken as the mean",
			units_share(cycles->n_averaged, section->executions).text);
	sentence_end(&sentence, report, 0);
}

static char *place_of_insn(const struct profile *profile, uint32_t index)
{
	const struct profile_insn *insn = &profile->insns[index];

	if (insn->function == PROFILE_NONE)
		return xasprintf("0x%" PRIx64, insn->va);
	return xasprintf("%s+0x%" PRIx32, profile->functions[insn->function].name, insn->function_offset);
}

static char *loop_label(const struct report *report, const struct region_loop *loop)
{
	char *place = place_of_insn(report->profile, loop->head), *label = NULL, *escaped;
	size_t n_bytes = 0;
	FILE *out = open_memstream(&label, &n_bytes);

	if (!out)
		abort();
	fprintf(out, "%s: ", place);
	print_waits(out, loop->stalls_mcyc);
	fclose(out);
	escaped = escape_text(label, ESCAPE_FOR_TERMINAL);
	free(label);
	free(place);
	return escaped;
}

static void add_loop(const struct report *report, const struct section *section, const struct region_loop *loop,
		     struct table *table)
{
	mcyc_t mcyc = sum_waits(loop->stalls_mcyc);
	char *label = loop_label(report, loop), rate[32];

	table_add_row(table);
	table_set_cell(table, COLUMN_CYCLES, units_cycles(mcyc).text);
	table_set_cell(table, COLUMN_SHARE,
		       units_share((uint64_t)mcyc, (uint64_t)section->estimates[0].ranked_mcyc).text);
	table_set_cell(table, COLUMN_ROUNDS, units_count(loop->iterations).text);
	table_set_cell(table, COLUMN_EACH, units_cycles_each(mcyc, loop->iterations).text);
	snprintf(rate, sizeof(rate), "%.2f", mcyc ? (double)loop->executions * MCYC_PER_CYCLE / (double)mcyc : 0.0);
	table_set_cell(table, COLUMN_RATE, rate);
	table_set_label(table, label);
	free(label);
}

void report_write_loops(const struct report *report, const struct section *section)
{
	const struct estimate *estimate = &section->estimates[0];
	const struct region_cycles *cycles = estimate->pipeline;
	struct table table;
	size_t n_shown = 0;

	table_init(&table, N_COLUMNS);
	table_add_row(&table)->is_heading = true;
	table_set_cell(&table, COLUMN_CYCLES, "cycles");
	table_set_cell(&table, COLUMN_SHARE, "share");
	table_set_cell(&table, COLUMN_ROUNDS, "rounds");
	table_set_cell(&table, COLUMN_EACH, "each");
	table_set_cell(&table, COLUMN_RATE, "IPC");
	table_set_label(&table, "loop: waits for");
	for (; n_shown < cycles->n_loops && n_shown < N_LOOPS_SHOWN; n_shown++) {
		const struct region_loop *loop = &cycles->loops[n_shown];

		if (sum_waits(loop->stalls_mcyc) < estimate->ranked_mcyc / LOOP_SHARE_MIN)
			break;
		add_loop(report, section, loop, &table);
	}
	if (n_shown) {
		table_write(&table, report->out, report->options->width, report->options->color);
		fputc('\n', report->out);
	}
	table_deinit(&table);
}
