#include "report/writer.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/user_code.h"
#include "base/array.h"
#include "base/order.h"
#include "base/units.h"
#include "costmodels/estimators/pipeline/region/region.h"
#include "report/text/qualifiers.h"
#include "report/text/sentences.h"
#include "report/text/tables.h"

/* Number of a region's threads that are named. The others are counted. */
#define N_THREADS_NAMED 4

/* With more models, one paragraph for all models names forms without a cost. */
#define N_MODELS_DETAILED 4

/* With fewer instructions, entering and leaving the region takes most of the tracing time. */
#define N_RATED_MIN 1000

static void write_total(const struct report *report, const struct region_analysis *region)
{
	const struct estimate *estimate = &region->estimates[0];
	uint64_t cycle_ps = model_cycle_ps(report->models[0]);
	bool is_unknown = cycle_sum_of_region(estimate).kind == CYCLE_SUM_UNKNOWN;
	struct sentence sentence;
	FILE *out = sentence_begin(&sentence);

	sentence_print_count(out, region->executions, "instruction");
	fputs(" taking ", out);
	sentence_print_cycles(out, is_unknown ? "?" : units_cycles(estimate->total_mcyc).text);
	if (cycle_ps > 0 && !is_unknown)
		fprintf(out, " (%s)", units_duration(estimate->time_ns).text);
	fprintf(out, " on %s", model_name(report->models[0]));
	if (cycle_ps > 0)
		fprintf(out, " at %s", units_clock(cycle_ps).text);
	if (estimate->unknown > 0 && !is_unknown)
		fprintf(out,
			estimate->pipeline ? ", %s of them without a cost and taken as one micro-operation each"
					   : ", not counting %s without a cost",
			units_count(estimate->unknown).text);
	sentence_end(&sentence, report, 0);
}

/* Writes estimate.figures. */
static void write_figures(const struct report *report, const struct region_analysis *region, size_t model)
{
	const struct estimate *estimate = &region->estimates[model];
	struct sentence sentence;
	FILE *out = sentence_begin(&sentence);

	fprintf(out, "%s on %s", estimate->estimator, model_name(report->models[model]));
	for (size_t i = 0; i < estimate->n_figures; i++) {
		const struct estimate_figure *figure = &estimate->figures[i];

		fputs(i == 0 ? ": " : "; ", out);
		if (figure->unit == ESTIMATE_INSTRUCTIONS)
			fprintf(out, "%s of the instructions",
				units_share((uint64_t)figure->value, region->executions).text);
		else
			sentence_print_cycles(out, figure->value ? units_cycles(figure->value).text : "no");
		fprintf(out, " %s", figure->text);
	}
	sentence_end(&sentence, report, 0);
}

static void write_unknown(const struct report *report, const struct region_analysis *region, size_t model)
{
	struct sentence sentence;
	FILE *out = sentence_begin(&sentence);

	fprintf(out, "%s has no cost for ", model_name(report->models[model]));
	sentence_print_count(out, region->coverage[model].n_unknown, "form");
	fputc(':', out);
	sentence_print_unknown_forms(out, &region->coverage[model]);
	sentence_end(&sentence, report, 0);
}

static int compare_thread_totals(const void *left, const void *right)
{
	const struct profile_thread_totals *a = left, *b = right;

	return ORDER(b->executions, a->executions) ?: ORDER(a->thread, b->thread);
}

/* Names the threads with the most executions. */
static void write_threads(const struct report *report, const struct profile_region *region)
{
	struct profile_thread_totals *sorted = xcalloc(region->n_thread_totals, sizeof(*sorted));
	uint64_t n_threads = 0;
	struct sentence sentence;
	FILE *out = sentence_begin(&sentence);

	for (size_t i = 0; i < region->n_thread_totals; i++) {
		sorted[i] = region->thread_totals[i];
		n_threads += report->profile->threads[sorted[i].thread].n_threads;
	}
	qsort(sorted, region->n_thread_totals, sizeof(*sorted), compare_thread_totals);
	if (n_threads > 1)
		fprintf(out, "%s threads:", units_count(n_threads).text);
	for (size_t i = 0; n_threads > 1 && i < region->n_thread_totals && i < N_THREADS_NAMED; i++) {
		char *name = analysis_thread_name(report->profile, sorted[i].thread);

		fprintf(out, "%s %s%s in %s", i == 0 ? "" : ",", units_count(sorted[i].executions).text,
			i == 0 ? " instructions" : "", name);
		free(name);
	}
	if (n_threads > 1 && region->n_thread_totals > N_THREADS_NAMED)
		fprintf(out, ", fewer in %s more", units_count(region->n_thread_totals - N_THREADS_NAMED).text);
	sentence_end(&sentence, report, 0);
	free(sorted);
}

static void write_visits(const struct report *report, const struct profile_region *region)
{
	bool has_ended = report->profile->exited || report->profile->signal;

	if (region->visits_cut > 0)
		sentence_write(
			report,
			"%s of %s visit%s reached no end marker before %s; what was executed until then is counted",
			units_count(region->visits_cut).text, units_count(region->visits).text,
			region->visits == 1 ? "" : "s", has_ended ? "the program ended" : "tracing stopped");
	if (region->visits_left > 0)
		sentence_write(
			report,
			"%s visit%s ended without an end marker (longjmp, exception or missing PA_END); what was "
			"executed until the next begin marker is counted",
			units_count(region->visits_left).text, region->visits_left == 1 ? "" : "s");
	if (region->unmatched_ends > 0)
		sentence_write(report, "%s end marker%s reached while the region was not active",
			       units_count(region->unmatched_ends).text,
			       region->unmatched_ends == 1 ? " was" : "s were");
}

static void write_overhead(const struct report *report, const struct region_analysis *region)
{
	uint64_t tracing_ns = region->costed.region->tracing_ns, wall_ns = report->profile->wall_ns;
	struct sentence sentence;
	FILE *out;

	if (tracing_ns == 0)
		return;
	out = sentence_begin(&sentence);
	fprintf(out, "tracing took %s", units_duration(tracing_ns).text);
	/* Threads are traced in parallel, and their times add up. */
	if (tracing_ns > wall_ns && wall_ns > 0)
		fprintf(out, " of its threads' time, in a run of %s", units_duration(wall_ns).text);
	else if (wall_ns > 0)
		fprintf(out, " of the run's %s", units_duration(wall_ns).text);
	if (region->executions >= N_RATED_MIN)
		fprintf(out, ", %s instructions a second", units_rate(region->executions, tracing_ns).text);
	sentence_end(&sentence, report, 0);
}

static void write_cost(const struct report *report, const struct region_analysis *region)
{
	static void (*const tables[])(const struct report *, const struct region_analysis *) = {
		[REPORT_VIEW_TABLE] = table_write_groups,
		[REPORT_VIEW_TREE] = table_write_call_tree,
		[REPORT_VIEW_CHARGES] = table_write_charges,
		[REPORT_VIEW_MEMORY] = table_write_memory,
	};

	fputc('\n', report->out);
	tables[report->options->view](report, region);
	fputc('\n', report->out);
	if (region->estimates[0].pipeline)
		pipeline_write_loops(report, region);
	write_total(report, region);
	for (size_t i = 0; i < report->n_models; i++) {
		if (region->estimates[i].pipeline)
			pipeline_write_waits(report, region, i);
		if (region->estimates[i].problem)
			sentence_write(report, "%s", region->estimates[i].problem);
	}
	for (size_t i = 0; i < report->n_models; i++)
		if (region->estimates[i].n_figures > 0)
			write_figures(report, region, i);
	if (report->n_models > N_MODELS_DETAILED)
		sentence_write_coverage(report, region, COST_UNKNOWN);
	for (size_t i = 0; i < report->n_models && report->n_models <= N_MODELS_DETAILED; i++)
		if (region->estimates[i].unknown > 0)
			write_unknown(report, region, i);
	sentence_write_library(report, region);
}

static void write_region(const struct report *report, const struct region_analysis *region)
{
	sentence_write_headline(report, region);
	if (analysis_has_cost(region))
		write_cost(report, region);
	write_threads(report, region->costed.region);
	write_visits(report, region->costed.region);
	write_overhead(report, region);
	fputc('\n', report->out);
}

/* The figures that a model's cycles are computed from. */
enum basis { BASIS_THROUGHPUT, BASIS_LATENCY, BASIS_IN_ORDER, BASIS_PAIRING, BASIS_PIPELINE, N_BASES };

static enum basis model_basis(const struct report *report, size_t model)
{
	if (model_estimator(report->models[model]) == ESTIMATOR_PAIRING)
		return BASIS_PAIRING;
	for (size_t i = 0; i < report->analysis->n_regions; i++) {
		const struct estimate *estimate = &report->analysis->regions[i].estimates[model];

		if (estimate->pipeline)
			return BASIS_PIPELINE;
		if (estimate->latency_mcyc != estimate->throughput_mcyc)
			return model_ranking_column(report->models[model]) == COST_LATENCY ? BASIS_LATENCY
											   : BASIS_THROUGHPUT;
	}
	return BASIS_IN_ORDER;
}

static bool simulates_caches(const struct report *report, size_t model)
{
	for (size_t i = 0; i < report->analysis->n_regions; i++) {
		const struct region_cycles *pipeline = report->analysis->regions[i].estimates[model].pipeline;

		if (pipeline && pipeline->has_caches)
			return true;
	}
	return false;
}

static void write_basis(const struct report *report)
{
	static const char *const texts[] = {
		[BASIS_THROUGHPUT] = "reciprocal throughputs (everything overlaps)",
		[BASIS_LATENCY] = "latencies (nothing overlaps)",
		[BASIS_IN_ORDER] = "one cost for each instruction",
		[BASIS_PAIRING] = "two simulated in-order pipes",
		[BASIS_PIPELINE] = "a simulated out-of-order pipeline with branch prediction",
	};
	struct sentence sentence;
	FILE *out = sentence_begin(&sentence);
	bool is_first = true, are_sums = true;
	size_t n_pipelines = 0, n_cached = 0;

	for (size_t i = 0; i < report->n_models; i++) {
		n_pipelines += model_basis(report, i) == BASIS_PIPELINE;
		n_cached += simulates_caches(report, i);
		are_sums &= model_estimator(report->models[i]) == ESTIMATOR_TABLE &&
			    model_basis(report, i) != BASIS_PIPELINE;
	}
	fprintf(out, "cycles are %s tables, not measured:", are_sums ? "sums over" : "computed from");
	for (int basis = 0; basis < N_BASES; basis++) {
		size_t n_named = 0;

		for (size_t i = 0; i < report->n_models; i++) {
			if (model_basis(report, i) != (enum basis)basis)
				continue;
			if (n_named++ == 0)
				fprintf(out, "%s %s on ", is_first ? "" : ";", texts[basis]);
			else
				fputs(", ", out);
			fputs(model_name(report->models[i]), out);
			is_first = false;
		}
	}
	if (n_cached == report->n_models)
		fputs("; caches are simulated, too", out);
	else if (n_pipelines == report->n_models)
		fputs("; cache misses are not included", out);
	else if (n_pipelines)
		fputs("; cache misses are not included, nor, without a pipeline, mispredicted branches", out);
	else
		fputs("; cache misses and mispredicted branches are not included", out);
	sentence_end(&sentence, report, 0);
}

static void write_unreached(const struct report *report)
{
	struct sentence sentence;
	FILE *out = sentence_begin(&sentence);

	for (size_t i = 0; i < report->analysis->n_unreached; i++) {
		const struct profile_region *region = &report->profile->regions[report->analysis->unreached[i]];

		fprintf(out, "%s%s (", i == 0 ? "never reached: " : ", ", region->name[0] ? region->name : "(unnamed)");
		sentence_print_count(out, region->n_markers, "begin marker");
		if (region->unmatched_ends > 0) {
			fputs(", ", out);
			sentence_print_count(out, region->unmatched_ends, "end marker");
			fputs(" reached", out);
		}
		fputc(')', out);
	}
	sentence_end(&sentence, report, 0);
}

/* Names each --user without effect, for example a misspelled name or a link to the library's file. */
static void write_unused_user_modules(const struct report *report)
{
	const struct charge_options *options = &report->analysis->request.charges;
	const struct profile *profile = report->profile;

	for (size_t i = 0; i < options->n_user_modules; i++) {
		size_t k = 0;

		while (k < profile->n_modules &&
		       !user_code_name_matches(options->user_modules[i], profile->modules[k].path))
			k++;
		if (k == profile->n_modules)
			sentence_write(report, "--user %s: no executed module has this name", options->user_modules[i]);
	}
}

static void write_program(const struct report *report)
{
	const struct profile *profile = report->profile;
	const char *name = sigabbrev_np(profile->signal);

	if (profile->signal && name)
		sentence_write(report, "the program was killed by SIG%s", name);
	else if (profile->signal)
		sentence_write(report, "the program was killed by signal %d", profile->signal);
	else if (profile->exit_status)
		sentence_write(report, "the program exited with status %d", profile->exit_status);
}

void text_write_report(const struct report *report)
{
	const struct run_analysis *analysis = report->analysis;
	bool has_cost = false;

	for (size_t i = 0; i < analysis->n_regions; i++) {
		write_region(report, &analysis->regions[i]);
		has_cost |= analysis_has_cost(&analysis->regions[i]);
	}
	if (has_cost) {
		write_basis(report);
		sentence_write_notes(report);
		qualifiers_write_legend(report);
	}
	if (analysis->n_regions == 0)
		sentence_write(report, "no region was reached");
	write_unreached(report);
	if (analysis->request.analyses & ANALYSIS_CHARGES)
		write_unused_user_modules(report);
	for (size_t i = 0; i < report->profile->n_notes; i++)
		sentence_write(report, "%s", report->profile->notes[i]);
	write_program(report);
}
