#include "timing/model_writer.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/units.h"

/* A latency is rounded to a whole number of cycles if it is this close to one, or within a hundredth of it. */
#define WHOLE_MCYC 60
#define WHOLE_SHARE 100
/* Throughputs are whole numbers or fractions of up to 12 instructions in a cycle, measured within 2 %. */
#define TWELFTHS 12
#define FRACTION_SHARE 50

static int64_t round_latency(int64_t mcyc)
{
	int64_t whole = (mcyc + MCYC_PER_CYCLE / 2) / MCYC_PER_CYCLE * MCYC_PER_CYCLE;
	int64_t tolerance = mcyc / WHOLE_SHARE > WHOLE_MCYC ? mcyc / WHOLE_SHARE : WHOLE_MCYC;

	return llabs(whole - mcyc) <= tolerance ? whole : (mcyc + 5) / 10 * 10;
}

static int64_t round_throughput(int64_t mcyc)
{
	int64_t whole = (mcyc + MCYC_PER_CYCLE / 2) / MCYC_PER_CYCLE * MCYC_PER_CYCLE;
	int64_t twelfths = (mcyc * TWELFTHS + MCYC_PER_CYCLE / 2) / MCYC_PER_CYCLE;
	int64_t rounded = (twelfths * MCYC_PER_CYCLE + TWELFTHS / 2) / TWELFTHS;

	if (llabs(whole - mcyc) * FRACTION_SHARE <= mcyc)
		return whole;
	return llabs(rounded - mcyc) * FRACTION_SHARE <= mcyc ? rounded : (mcyc + 5) / 10 * 10;
}

/* Reports rank by this figure: the longest latency to a register or the flags. -1: none was measured. A latency from a
 * mask does not count: few chains go through one, and it varies where an instruction merges (Zen 4: 1 to 3 cycles). */
static int64_t longest_latency(const struct instruction_timing *timing)
{
	int64_t longest = -1;

	for (size_t i = 0; i < timing->n_latencies; i++) {
		int64_t mcyc = round_latency(timing->latencies[i].mcyc);

		if (strcmp(timing->latencies[i].from, "k") != 0)
			longest = mcyc > longest ? mcyc : longest;
	}
	return longest;
}

/* Writes the ports of an inherited row. Their cycles limit the throughput, so if the measured one is smaller, an entry
 * of several cycles shrinks with it. */
static void write_ports(FILE *out, const char *ports, int64_t inherited_mcyc, int64_t measured_mcyc)
{
	const char *separator = " ";

	while (*ports) {
		size_t n_name = strcspn(ports, ":");
		char *after;
		double cycles = strtod(ports + n_name + 1, &after);

		if (inherited_mcyc > 0 && measured_mcyc < inherited_mcyc && cycles > 1) {
			double scaled = cycles * (double)measured_mcyc / (double)inherited_mcyc;

			cycles = scaled < 1 ? 1 : (double)(int64_t)(scaled * 100 + 0.5) / 100;
		}
		fprintf(out, "%s%.*s:%g", separator, (int)n_name, ports, cycles);
		ports = after + strspn(after, " ");
		separator = " ";
	}
}

static void write_latencies(FILE *out, const struct instruction_timing *timing)
{
	for (size_t i = 0; i < timing->n_latencies; i++) {
		const struct instruction_latency *latency = &timing->latencies[i];

		fprintf(out, " %s>%s:%s", latency->from, latency->to,
			units_cycles_exact(round_latency(latency->mcyc)).text);
	}
}

static uint32_t widest_spread_permille(const struct instruction_timing *timing)
{
	uint32_t widest = timing->throughput_spread_permille;

	for (size_t i = 0; i < timing->n_latencies; i++)
		if (timing->latencies[i].spread_permille > widest)
			widest = timing->latencies[i].spread_permille;
	return widest;
}

/* Writes the flags. A measured cost of iterations replaces an inherited one, which may be the middle of a range. */
static void write_flags(FILE *out, const char *inherited, const struct instruction_timing *timing)
{
	const char *flags = inherited					    ? inherited
			    : timing->reads_memory && timing->writes_memory ? "load store"
			    : timing->reads_memory			    ? "load"
			    : timing->writes_memory			    ? "store"
									    : "-";

	if (!timing->iteration_mcyc) {
		fprintf(out, " %s |", flags);
		return;
	}
	while (*flags) {
		size_t n_word = strcspn(flags, " ");

		if (strncmp(flags, "iteration:", strlen("iteration:")) != 0 && strncmp(flags, "range", n_word) != 0)
			fprintf(out, " %.*s", (int)n_word, flags);
		flags += n_word;
		flags += strspn(flags, " ");
	}
	fprintf(out, " iteration:%s |", units_cycles_exact(timing->iteration_mcyc).text);
}

static void write_row(FILE *out, const struct model *inherited, const char *form_text,
		      const struct instruction_timing *timing)
{
	int64_t latency = longest_latency(timing), throughput = round_throughput(timing->throughput_mcyc);
	struct cost cost;

	model_lookup(inherited, form_text, &cost);
	if (!model_has_row(inherited, form_text))
		cost = (struct cost){.latency_mcyc = -1};
	if (latency < 0)
		latency = timing->iteration_mcyc ? throughput : cost.latency_mcyc;
	fprintf(out, "%s | %s | %s |", form_text, latency < 0 ? "-" : units_cycles_exact(latency).text,
		units_cycles_exact(throughput).text);
	fprintf(out, cost.uops ? " %u |" : " - |", cost.uops);
	if (cost.ports)
		write_ports(out, cost.ports, cost.throughput_mcyc, throughput);
	else
		fputs(" -", out);
	fputs(" |", out);
	write_flags(out, cost.flags, timing);
	fprintf(out, cost.fused ? " %u |" : " - |", cost.fused);
	write_latencies(out, timing);
	fprintf(out, "  # spread %u.%u %%\n", widest_spread_permille(timing) / 10, widest_spread_permille(timing) % 10);
}

static void write_header(FILE *out, const struct measured_model *model)
{
	char date[32];
	time_t now = time(NULL);
	struct tm utc;

	strftime(date, sizeof(date), "%Y-%m-%d", gmtime_r(&now, &utc));
	fputs("itrace-cost-model 1\n", out);
	for (size_t i = 0; i < model->n_conditions; i++)
		fprintf(out, "# %s\n", model->conditions[i]);
	fprintf(out, "name = %s\ninherit = %s\n", model->name, model->inherited_name);
	fprintf(out, "title = %s, measured\n", model->cpu);
	fprintf(out, "clock_mhz = %u\n", model->clock_mhz);
	fprintf(out, "source = measured on this machine on %s by itrace measure %s\n", date, ITRACE_VERSION);
	fprintf(out, "note = measured on this machine\n");
}

size_t model_writer_write(FILE *out, const struct measured_model *model)
{
	const struct survey *survey = model->survey;
	size_t n_rows = 0;

	write_header(out, model);
	fputs("[parameters]\n", out);
	for (size_t i = 0; i < model->n_parameters; i++)
		fprintf(out, "%s = %s  # %s\n", model->parameters[i].key, model->parameters[i].value,
			model->parameters[i].comment);
	fputs("[forms]\n# form | latency | throughput | uops | ports | flags | fused | latencies\n", out);
	for (size_t i = 0; i < survey->n_forms; i++) {
		if (!survey->timings[i].has_throughput)
			continue;
		write_row(out, model->inherited, survey->forms[i], &survey->timings[i]);
		n_rows++;
	}
	return n_rows;
}
