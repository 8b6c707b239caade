#include "report/formats.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/charges.h"
#include "analysis/coverage.h"
#include "base/array.h"
#include "base/escape.h"
#include "base/units.h"
#include "costmodels/estimators/pipeline/region/region.h"
#include "report/text/labels.h"
#include "report/text/layout.h"
#include "report/text/marks.h"
#include "report/text/pipeline.h"
#include "report/text/sentences.h"

/* How many of the forms without a figure are named. */
#define N_UNKNOWN_NAMED 3

/* How many threads of a region are told. */
#define N_THREADS_NAMED 4

/* The rate of fewer instructions says more about how a visit begins and ends. */
#define N_RATED_MIN 1000

static void write_total(const struct report *report, const struct section *section)
{
	const struct estimate *estimate = &section->estimates[0];
	uint64_t cycle_ps = model_cycle_ps(report->models[0]);
	bool is_unknown = figure_of_region(estimate).kind == FIGURE_UNKNOWN;
	struct sentence sentence;
	FILE *out = sentence_begin(&sentence);

	sentence_print_count(out, section->executions, "instruction");
	fprintf(out, " taking %s cycles", is_unknown ? "?" : units_cycles(estimate->ranked_mcyc).text);
	if (cycle_ps > 0 && !is_unknown)
		fprintf(out, " (%s)", units_duration(estimate->time_ns).text);
	fputs(" on ", out);
	sentence_print_name(out, model_name(report->models[0]));
	if (cycle_ps > 0)
		fprintf(out, " at %s", units_clock(cycle_ps).text);
	if (estimate->unknown > 0 && !is_unknown)
		fprintf(out,
			estimate->pipeline ? ", %s of them without a figure and taken as one operation each"
					   : ", not counting %s without a figure",
			units_count(estimate->unknown).text);
	sentence_end(&sentence, report, 0);
}

/* What else an estimator found: parts of the executions and of the cycles. */
static void write_figures(const struct report *report, const struct section *section, size_t model)
{
	const struct estimate *estimate = &section->estimates[model];
	struct sentence sentence;
	FILE *out = sentence_begin(&sentence);

	fprintf(out, "%s on ", estimate->estimator);
	sentence_print_name(out, model_name(report->models[model]));
	for (size_t i = 0; i < estimate->n_figures; i++) {
		const struct estimate_figure *figure = &estimate->figures[i];
		uint64_t value = (uint64_t)figure->value;

		fputs(i == 0 ? ": " : "; ", out);
		if (figure->unit == ESTIMATE_INSTRUCTIONS)
			fprintf(out, "%s of the instructions", units_share(value, section->executions).text);
		else
			fprintf(out, "%s cycle%s", figure->value ? units_cycles(figure->value).text : "no",
				figure->value == MCYC_PER_CYCLE ? "" : "s");
		fprintf(out, " %s", figure->text);
	}
	sentence_end(&sentence, report, 0);
}

static void write_unknown(const struct report *report, const struct section *section, size_t model)
{
	struct coverage coverage;
	struct sentence sentence;
	FILE *out = sentence_begin(&sentence);

	coverage_init(&coverage, &section->estimates[model], report->profile, section->region_index);
	sentence_print_name(out, model_name(report->models[model]));
	fputs(" has no figure for ", out);
	sentence_print_count(out, coverage.n_unknown, "form");
	for (size_t i = 0; i < coverage.n_unknown && i < N_UNKNOWN_NAMED; i++) {
		fputs(i == 0 ? ": " : ", ", out);
		sentence_print_form(out, &coverage.unknown[i]);
	}
	if (coverage.n_unknown > N_UNKNOWN_NAMED)
		fprintf(out, ", %s more", units_count(coverage.n_unknown - N_UNKNOWN_NAMED).text);
	sentence_end(&sentence, report, 0);
	coverage_deinit(&coverage);
}

static int compare_shares(const void *left, const void *right)
{
	const struct profile_share *a = left, *b = right;

	if (a->executions != b->executions)
		return a->executions < b->executions ? 1 : -1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

/* Which threads executed most. */
static void write_threads(const struct report *report, const struct profile_region *region)
{
	struct profile_share *sorted = xcalloc(region->n_shares, sizeof(*sorted));
	uint64_t n_threads = 0, n_left = 0;
	struct sentence sentence;
	FILE *out;

	for (size_t i = 0; i < region->n_shares; i++) {
		sorted[i] = region->shares[i];
		n_threads += report->profile->threads[sorted[i].thread].n_threads;
		n_left += i >= N_THREADS_NAMED;
	}
	if (n_threads > 1) {
		qsort(sorted, region->n_shares, sizeof(*sorted), compare_shares);
		out = sentence_begin(&sentence);
		fprintf(out, "%s threads:", units_count(n_threads).text);
		for (size_t i = 0; i < region->n_shares && i < N_THREADS_NAMED; i++) {
			char *label = label_thread(report->profile, sorted[i].thread);

			fprintf(out, "%s %s%s in ", i == 0 ? "" : ",", units_count(sorted[i].executions).text,
				i == 0 ? " instructions" : "");
			sentence_print_name(out, label);
			free(label);
		}
		if (n_left > 0)
			fprintf(out, ", fewer in %s more", units_count(n_left).text);
		sentence_end(&sentence, report, 0);
	}
	free(sorted);
}

static void write_visits(const struct report *report, const struct profile_region *region)
{
	bool was_let_go = !report->profile->exited && !report->profile->signal;

	if (region->visits_cut > 0)
		sentence_write(
			report,
			"%s of %s visit%s had not ended when the program %s: no end marker was reached, and all that ran until "
			"then is counted",
			units_count(region->visits_cut).text, units_count(region->visits).text,
			region->visits == 1 ? "" : "s", was_let_go ? "was let go" : "did");
	if (region->visits_left > 0)
		sentence_write(
			report,
			"%s visit%s without an end marker (a longjmp, an exception or a missing PA_END), and what ran until the next "
			"begin is counted",
			units_count(region->visits_left).text, region->visits_left == 1 ? " was left" : "s were left");
	if (region->unmatched_ends > 0)
		sentence_write(report, "%s end marker%s reached while the region was not active",
			       units_count(region->unmatched_ends).text,
			       region->unmatched_ends == 1 ? " was" : "s were");
}

static void write_overhead(const struct report *report, const struct section *section)
{
	uint64_t tracing_ns = section->region->tracing_ns, wall_ns = report->profile->wall_ns;
	struct sentence sentence;
	FILE *out;

	if (tracing_ns == 0)
		return;
	out = sentence_begin(&sentence);
	fprintf(out, "tracing took %s", units_duration(tracing_ns).text);
	/* Threads are traced side by side, and their times add up. */
	if (tracing_ns > wall_ns && wall_ns > 0)
		fprintf(out, " of its threads' time, in a run of %s", units_duration(wall_ns).text);
	else if (wall_ns > 0)
		fprintf(out, " of the run's %s", units_duration(wall_ns).text);
	if (section->executions >= N_RATED_MIN)
		fprintf(out, ", %s instructions a second", units_rate(section->executions, tracing_ns).text);
	sentence_end(&sentence, report, 0);
}

/* A REP string instruction that was cut has iterations without an execution. */
static bool has_cost(const struct section *section)
{
	return section->executions + section->iterations > 0;
}

static void write_view(const struct report *report, const struct section *section, bool marks_used[N_TEXT_MARKS])
{
	switch (report->options->view) {
	case REPORT_VIEW_TABLE:
		report_write_text_table(report, section, marks_used);
		break;
	case REPORT_VIEW_TREE:
		report_write_text_tree(report, section, marks_used);
		break;
	case REPORT_VIEW_CHARGES:
		report_write_text_charges(report, section, marks_used);
		break;
	case REPORT_VIEW_MEMORY:
		report_write_text_memory(report, section, marks_used);
		break;
	}
}

static void write_section(const struct report *report, const struct section *section, bool marks_used[N_TEXT_MARKS])
{
	sentence_write_headline(report, section);
	if (has_cost(section)) {
		fputc('\n', report->out);
		write_view(report, section, marks_used);
		fputc('\n', report->out);
		if (section->estimates[0].pipeline)
			report_write_loops(report, section);
		write_total(report, section);
		for (size_t i = 0; i < report->n_models; i++) {
			if (section->estimates[i].pipeline)
				report_write_pipeline(report, section, i);
			if (section->estimates[i].problem)
				sentence_write(report, "%s", section->estimates[i].problem);
		}
		for (size_t i = 0; i < report->n_models; i++)
			if (section->estimates[i].n_figures > 0)
				write_figures(report, section, i);
		for (size_t i = 0; i < report->n_models; i++)
			if (section->estimates[i].unknown > 0)
				write_unknown(report, section, i);
	}
	write_threads(report, section->region);
	write_visits(report, section->region);
	write_overhead(report, section);
	fputc('\n', report->out);
}

/* What a model's cycles are the sum of. */
enum basis { BASIS_THROUGHPUT, BASIS_LATENCY, BASIS_IN_ORDER, BASIS_PAIRING, BASIS_PIPELINE, N_BASES };

static enum basis model_basis(const struct report *report, size_t model)
{
	if (model_estimator(report->models[model]) == ESTIMATOR_PAIRING)
		return BASIS_PAIRING;
	for (size_t i = 0; i < report->sections->n_sections; i++) {
		const struct estimate *estimate = &report->sections->sections[i].estimates[model];

		if (estimate->pipeline)
			return BASIS_PIPELINE;
		if (estimate->latency_mcyc != estimate->throughput_mcyc)
			return model_rank(report->models[model]) == COST_LATENCY ? BASIS_LATENCY : BASIS_THROUGHPUT;
	}
	return BASIS_IN_ORDER;
}

static bool simulates_caches(const struct report *report, size_t model)
{
	for (size_t i = 0; i < report->sections->n_sections; i++) {
		const struct region_cycles *pipeline = report->sections->sections[i].estimates[model].pipeline;

		if (pipeline && pipeline->has_caches)
			return true;
	}
	return false;
}

static void write_basis(const struct report *report)
{
	static const char *const texts[] = {
		[BASIS_THROUGHPUT] = "reciprocal throughputs, as if everything overlapped,",
		[BASIS_LATENCY] = "latencies, as if nothing overlapped,",
		[BASIS_IN_ORDER] = "one figure for each instruction,",
		[BASIS_PAIRING] = "two pipes in order, simulated,",
		[BASIS_PIPELINE] = "an out-of-order pipeline, its branches predicted, simulated,",
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
			sentence_print_name(out, model_name(report->models[i]));
			is_first = false;
		}
	}
	if (n_cached == report->n_models)
		fputs("; caches are simulated as well", out);
	else if (n_pipelines == report->n_models)
		fputs("; cache misses come on top", out);
	else if (n_pipelines)
		fputs("; cache misses come on top, and without a pipeline mispredicted branches", out);
	else
		fputs("; cache misses and mispredicted branches come on top", out);
	sentence_end(&sentence, report, 0);
}

static void write_unreached(const struct report *report)
{
	struct sentence sentence;
	FILE *out;

	if (report->sections->n_unreached == 0)
		return;
	out = sentence_begin(&sentence);
	for (size_t i = 0; i < report->sections->n_unreached; i++) {
		const struct profile_region *region = &report->profile->regions[report->sections->unreached[i]];

		fputs(i == 0 ? "never begun: " : ", ", out);
		sentence_print_name(out, region->name[0] ? region->name : "(unnamed)");
		fputs(" (", out);
		sentence_print_count(out, region->n_markers, "begin marker");
		if (region->unmatched_ends > 0) {
			fputs(", ", out);
			sentence_print_count(out, region->unmatched_ends, "end");
			fputs(" reached", out);
		}
		fputc(')', out);
	}
	sentence_end(&sentence, report, 0);
}

/* Those of --user that did nothing: a library's file may be called otherwise than it is asked for. */
static void write_idle_modules(const struct report *report)
{
	const struct report_options *options = report->options;
	const struct profile *profile = report->profile;

	for (size_t i = 0; i < options->n_user_modules; i++) {
		size_t k = 0;
		struct sentence sentence;

		while (k < profile->n_modules &&
		       !charges_is_name_of(options->user_modules[i], profile->modules[k].path))
			k++;
		if (k < profile->n_modules)
			continue;
		fputs("--user ", sentence_begin(&sentence));
		sentence_print_name(sentence.stream, options->user_modules[i]);
		fputs(": no module of this name was executed", sentence.stream);
		sentence_end(&sentence, report, 0);
	}
}

static void write_program(const struct report *report)
{
	const struct profile *profile = report->profile;

	if (profile->signal) {
		const char *name = sigabbrev_np(profile->signal);

		if (name)
			sentence_write(report, "the program was killed by SIG%s", name);
		else
			sentence_write(report, "the program was killed by signal %d", profile->signal);
	} else if (!profile->exited) {
		sentence_write(report, "tracing stopped before the program ended");
	} else if (profile->exit_status) {
		sentence_write(report, "the program exited with status %d", profile->exit_status);
	}
}

void report_write_text(const struct report *report)
{
	bool marks_used[N_TEXT_MARKS] = {false};
	bool has_cycles = false;

	for (size_t i = 0; i < report->sections->n_sections; i++) {
		write_section(report, &report->sections->sections[i], marks_used);
		has_cycles |= has_cost(&report->sections->sections[i]);
	}
	if (has_cycles) {
		write_basis(report);
		sentence_write_notes(report);
		marks_write_legend(report, marks_used);
	}
	if (report->sections->n_sections == 0)
		sentence_write(report, "no region was reached");
	write_unreached(report);
	if (report->options->view == REPORT_VIEW_CHARGES || report->options->view == REPORT_VIEW_MEMORY)
		write_idle_modules(report);
	for (size_t i = 0; i < report->profile->n_notes; i++) {
		char *note = escape_text(report->profile->notes[i], ESCAPE_FOR_TERMINAL);

		sentence_write(report, "%s", note);
		free(note);
	}
	write_program(report);
}
