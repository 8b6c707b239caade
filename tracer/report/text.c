#include "report/formats.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/escape.h"
#include "base/units.h"
#include "report/layout.h"

/* How many of the forms without a figure are named. */
#define N_UNKNOWN_NAMED 3

/* The rate of fewer instructions says more about how a visit begins and ends. */
#define N_RATED_MIN 1000

/* A sentence is put together from parts, then written as a paragraph. */
struct sentence {
	FILE *stream;
	char *text;
	size_t n_bytes;
};

static FILE *sentence_begin(struct sentence *sentence)
{
	sentence->stream = open_memstream(&sentence->text, &sentence->n_bytes);
	if (!sentence->stream)
		abort();
	return sentence->stream;
}

static void sentence_end(struct sentence *sentence, const struct report *report, size_t bold_bytes)
{
	fclose(sentence->stream);
	paragraph_write(report->out, sentence->text, report->options->width, bold_bytes, report->options->color);
	free(sentence->text);
}

static __attribute__((format(printf, 2, 3))) void write_sentence(const struct report *report, const char *format, ...)
{
	struct sentence sentence;
	va_list args;

	va_start(args, format);
	vfprintf(sentence_begin(&sentence), format, args);
	va_end(args);
	sentence_end(&sentence, report, 0);
}

static void print_name(FILE *out, const char *raw)
{
	char *name = escape_text(raw, ESCAPE_FOR_TERMINAL);

	fputs(name, out);
	free(name);
}

/* A form and how often it was executed, on one line. */
static void print_part(FILE *out, const struct profile *profile, const struct profile_group_part *part)
{
	for (const char *at = profile->forms[part->form].form.text; *at; at++)
		fputc(*at == ' ' ? LAYOUT_NO_BREAK[0] : *at, out);
	fprintf(out, LAYOUT_NO_BREAK "(%s)", units_count(part->executions).text);
}

static void print_count(FILE *out, uint64_t n, const char *noun)
{
	fprintf(out, "%s %s%s", units_count(n).text, noun, n == 1 ? "" : "s");
}

static int compare_syscalls(const void *left, const void *right)
{
	const struct profile_syscall *a = *(struct profile_syscall *const *)left;
	const struct profile_syscall *b = *(struct profile_syscall *const *)right;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return a < b ? -1 : a > b;
}

static void print_syscalls(FILE *out, const struct profile_region *region)
{
	const struct profile_syscall **sorted = xcalloc(region->n_syscalls, sizeof(*sorted));
	uint64_t total = 0;

	for (size_t i = 0; i < region->n_syscalls; i++) {
		sorted[i] = &region->syscalls[i];
		total += region->syscalls[i].count;
	}
	qsort(sorted, region->n_syscalls, sizeof(*sorted), compare_syscalls);
	if (total > 0)
		print_count(out, total, "system call");
	else
		fputs("no system calls", out);
	for (size_t i = 0; i < region->n_syscalls; i++) {
		fputs(i == 0 ? " (" : ", ", out);
		print_name(out, sorted[i]->name);
		fprintf(out, "%s" LAYOUT_NO_BREAK "%s", sorted[i]->is_int80 ? "/int80" : "",
			units_count(sorted[i]->count).text);
	}
	if (region->n_syscalls > 0)
		fputc(')', out);
	free(sorted);
}

static void write_headline(const struct report *report, const struct section *section)
{
	struct sentence sentence;
	FILE *out = sentence_begin(&sentence);
	size_t title_bytes;

	print_name(out, section->title);
	fflush(out);
	title_bytes = sentence.n_bytes;
	fputs(": ", out);
	print_count(out, section->region->visits, "visit");
	fputs(", ", out);
	print_count(out, section->executions, "instruction");
	if (section->iterations > 0) {
		fputs(" (", out);
		print_count(out, section->iterations, "REP iteration");
		fputc(')', out);
	}
	fputs(", ", out);
	print_syscalls(out, section->region);
	sentence_end(&sentence, report, title_bytes);
}

static void write_total(const struct report *report, const struct section *section)
{
	const struct estimate *estimate = &section->estimates[0];
	uint64_t cycle_ps = model_cycle_ps(report->models[0]);
	bool is_unknown = figure_of_region(estimate).kind == FIGURE_UNKNOWN;
	struct sentence sentence;
	FILE *out = sentence_begin(&sentence);

	print_count(out, section->executions, "instruction");
	fprintf(out, " taking %s cycles", is_unknown ? "?" : units_cycles(estimate->ranked_mcyc).text);
	if (cycle_ps > 0 && !is_unknown)
		fprintf(out, " (%s)", units_duration(estimate->time_ns).text);
	fputs(" on ", out);
	print_name(out, model_name(report->models[0]));
	if (cycle_ps > 0)
		fprintf(out, " at %s", units_clock(cycle_ps).text);
	if (estimate->unknown > 0 && !is_unknown)
		fprintf(out, ", not counting %s without a figure", units_count(estimate->unknown).text);
	sentence_end(&sentence, report, 0);
}

/* What else an estimator found: parts of the executions and of the cycles. */
static void write_figures(const struct report *report, const struct section *section, size_t model)
{
	const struct estimate *estimate = &section->estimates[model];
	struct sentence sentence;
	FILE *out = sentence_begin(&sentence);

	fprintf(out, "%s on ", estimate->estimator);
	print_name(out, model_name(report->models[model]));
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

static int compare_parts(const void *left, const void *right)
{
	const struct profile_group_part *a = left, *b = right;

	if (a->executions != b->executions)
		return a->executions < b->executions ? 1 : -1;
	return a->form < b->form ? -1 : a->form > b->form;
}

static void write_unknown(const struct report *report, const struct section *section, size_t model)
{
	const struct estimate *estimate = &section->estimates[model];
	struct profile_group_part *parts = xcalloc(report->profile->n_forms, sizeof(*parts));
	struct profile_groups groups;
	struct sentence sentence;
	FILE *out = sentence_begin(&sentence);
	size_t n_parts = 0;

	profile_group_init(&groups, report->profile, section->region_index, GROUP_BY_FORM);
	for (size_t i = 0; i < groups.n_groups; i++)
		if (estimate->costs[groups.groups[i].parts[0].form].match == COST_UNKNOWN)
			parts[n_parts++] = groups.groups[i].parts[0];
	qsort(parts, n_parts, sizeof(*parts), compare_parts);

	print_name(out, model_name(report->models[model]));
	fputs(" has no figure for ", out);
	print_count(out, n_parts, "form");
	for (size_t i = 0; i < n_parts && i < N_UNKNOWN_NAMED; i++) {
		fputs(i == 0 ? ": " : ", ", out);
		print_part(out, report->profile, &parts[i]);
	}
	if (n_parts > N_UNKNOWN_NAMED)
		fprintf(out, ", %s more", units_count(n_parts - N_UNKNOWN_NAMED).text);
	sentence_end(&sentence, report, 0);
	profile_group_deinit(&groups);
	free(parts);
}

static void write_visits(const struct report *report, const struct profile_region *region)
{
	if (region->visits_cut > 0)
		write_sentence(report, "%s of %s visit%s had not ended when the program did: no end marker was reached",
			       units_count(region->visits_cut).text, units_count(region->visits).text,
			       region->visits == 1 ? "" : "s");
	if (region->visits_left > 0)
		write_sentence(report, "%s visit%s without an end marker: a longjmp, an exception or a missing PA_END",
			       units_count(region->visits_left).text,
			       region->visits_left == 1 ? " was left" : "s were left");
	if (region->unmatched_ends > 0)
		write_sentence(report, "%s end marker%s reached while the region was not active",
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
	if (wall_ns > 0)
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

static void write_section(const struct report *report, const struct section *section, bool marks_used[N_TEXT_MARKS])
{
	write_headline(report, section);
	if (has_cost(section)) {
		fputc('\n', report->out);
		report_write_text_table(report, section, marks_used);
		fputc('\n', report->out);
		write_total(report, section);
		for (size_t i = 0; i < report->n_models; i++)
			if (section->estimates[i].n_figures > 0)
				write_figures(report, section, i);
		for (size_t i = 0; i < report->n_models; i++)
			if (section->estimates[i].unknown > 0)
				write_unknown(report, section, i);
	}
	write_visits(report, section->region);
	write_overhead(report, section);
	fputc('\n', report->out);
}

/* What a model's cycles are the sum of. */
enum basis { BASIS_THROUGHPUT, BASIS_LATENCY, BASIS_IN_ORDER, BASIS_PAIRING, N_BASES };

static enum basis model_basis(const struct report *report, size_t model)
{
	if (model_estimator(report->models[model]) == ESTIMATOR_PAIRING)
		return BASIS_PAIRING;
	for (size_t i = 0; i < report->sections->n_sections; i++) {
		const struct estimate *estimate = &report->sections->sections[i].estimates[model];

		if (estimate->latency_mcyc != estimate->throughput_mcyc)
			return model_rank(report->models[model]) == COST_LATENCY ? BASIS_LATENCY : BASIS_THROUGHPUT;
	}
	return BASIS_IN_ORDER;
}

static void write_basis(const struct report *report)
{
	static const char *const texts[] = {
		[BASIS_THROUGHPUT] = "reciprocal throughputs, as if everything overlapped,",
		[BASIS_LATENCY] = "latencies, as if nothing overlapped,",
		[BASIS_IN_ORDER] = "one figure for each instruction,",
		[BASIS_PAIRING] = "two pipes in order, simulated,",
	};
	struct sentence sentence;
	FILE *out = sentence_begin(&sentence);
	bool is_first = true, are_sums = true;

	for (size_t i = 0; i < report->n_models; i++)
		are_sums &= model_estimator(report->models[i]) == ESTIMATOR_TABLE;
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
			print_name(out, model_name(report->models[i]));
			is_first = false;
		}
	}
	fputs("; cache misses and mispredicted branches come on top", out);
	sentence_end(&sentence, report, 0);
}

static void write_notes(const struct report *report)
{
	for (size_t i = 0; i < report->n_models; i++) {
		struct sentence sentence;
		FILE *out;

		if (!model_note(report->models[i]))
			continue;
		out = sentence_begin(&sentence);
		print_name(out, model_name(report->models[i]));
		fputs(": ", out);
		print_name(out, model_note(report->models[i]));
		sentence_end(&sentence, report, 0);
	}
}

static void write_legend(const struct report *report, const bool marks_used[N_TEXT_MARKS])
{
	static const char *const meanings[] = {
		[MARK_FALLBACK] = "~ a related form's figure",
		[MARK_AT_LEAST] = "> at least: a part has no figure",
		[MARK_AT_MOST] = "< at most, likewise",
		[MARK_UNKNOWN] = "? no figure",
	};
	struct sentence sentence;
	FILE *out = sentence_begin(&sentence);
	bool is_first = true;

	for (int mark = MARK_FALLBACK; mark < N_TEXT_MARKS; mark++) {
		if (!marks_used[mark])
			continue;
		fprintf(out, "%s%s", is_first ? "" : "; ", meanings[mark]);
		is_first = false;
	}
	if (is_first) {
		fclose(out);
		free(sentence.text);
		return;
	}
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
		print_name(out, region->name[0] ? region->name : "(unnamed)");
		fputs(" (", out);
		print_count(out, region->n_markers, "begin marker");
		if (region->unmatched_ends > 0) {
			fputs(", ", out);
			print_count(out, region->unmatched_ends, "end");
			fputs(" reached", out);
		}
		fputc(')', out);
	}
	sentence_end(&sentence, report, 0);
}

static void write_program(const struct report *report)
{
	const struct profile *profile = report->profile;

	if (profile->signal) {
		const char *name = sigabbrev_np(profile->signal);

		if (name)
			write_sentence(report, "the program was killed by SIG%s", name);
		else
			write_sentence(report, "the program was killed by signal %d", profile->signal);
	} else if (!profile->exited) {
		write_sentence(report, "tracing stopped before the program ended");
	} else if (profile->exit_status) {
		write_sentence(report, "the program exited with status %d", profile->exit_status);
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
		write_notes(report);
		write_legend(report, marks_used);
	}
	if (report->sections->n_sections == 0)
		write_sentence(report, "no region was reached");
	write_unreached(report);
	for (size_t i = 0; i < report->profile->n_notes; i++) {
		char *note = escape_text(report->profile->notes[i], ESCAPE_FOR_TERMINAL);

		write_sentence(report, "%s", note);
		free(note);
	}
	write_program(report);
}
