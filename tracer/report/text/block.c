#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/units.h"
#include "report/block_formats.h"
#include "report/text/layout.h"

/* Writes each line as a paragraph that fits the width. */
static void write_lines(const struct block_writer *writer, char *text)
{
	for (char *line; (line = strsep(&text, "\n")) && text;)
		paragraph_write(writer->out, line, writer->width, 0, writer->color);
}

enum {
	TIMELINE_WIDTH = 120,	   /* if the width is unlimited */
	TIMELINE_LABEL_WIDTH = 15, /* iteration, part */
	TIMELINE_GAP = 2,
	TIMELINE_MIN_CYCLES = 10,
	TIMELINE_MAX_CYCLES = 68, /* later cycles are cut */
};

static size_t text_columns_of(const struct pipeline_result *result, const char *const *disassembly)
{
	size_t columns = 0;

	for (size_t i = 0; i < result->n_insns; i++)
		if (strlen(disassembly[i]) > columns)
			columns = strlen(disassembly[i]);
	return columns;
}

/* Returns the number of cycles that the timeline shows: as many as fit beside the instructions. */
static uint64_t shown_cycles(const struct block_writer *writer, const struct pipeline_result *result,
			     const char *const *disassembly)
{
	uint64_t last = result->times[result->n_times - 1].retired + 1;
	int room = (int)(writer->width ?: TIMELINE_WIDTH) - TIMELINE_LABEL_WIDTH - TIMELINE_GAP -
		   (int)text_columns_of(result, disassembly);

	room = room < TIMELINE_MIN_CYCLES   ? TIMELINE_MIN_CYCLES
	       : room < TIMELINE_MAX_CYCLES ? room
					    : TIMELINE_MAX_CYCLES;
	return last < (uint64_t)room ? last : (uint64_t)room;
}

static void write_scale(FILE *out, uint64_t cycles)
{
	fprintf(out, "%*s", TIMELINE_LABEL_WIDTH, "");
	for (uint64_t i = 0; i <= (cycles - 1) / 10 * 10; i++)
		fputc(i % 10 ? ' ' : (int)('0' + i / 10 % 10), out);
	fprintf(out, "\n%*s", TIMELINE_LABEL_WIDTH, "");
	for (uint64_t i = 0; i < cycles; i++)
		fputc((int)('0' + i % 10), out);
	fputc('\n', out);
}

/* Returns the letter for one part of an instruction in one cycle. N_PARTS: an instruction that executes nothing. */
static char stage_at(const struct pipeline_times *times, int part, bool is_last, uint64_t cycle)
{
	uint64_t started = part == N_PARTS ? times->issued + 1 : times->parts[part].started;
	uint64_t done = part == N_PARTS ? times->issued + 1 : times->parts[part].done;

	if (cycle == times->issued)
		return 'D';
	if (cycle < times->issued || cycle > times->retired || (!is_last && cycle > started && cycle >= done))
		return ' ';
	if (cycle < started)
		return '=';
	if (cycle < done || (cycle == started && part != N_PARTS))
		return 'e';
	return cycle == times->retired ? 'R' : '-';
}

static void write_row(FILE *out, uint64_t cycles, const struct pipeline_times *times, int part, bool is_last,
		      bool has_text)
{
	char row[TIMELINE_MAX_CYCLES + 1];
	size_t n = 0;

	for (uint64_t i = 0; i < cycles; i++)
		row[n++] = stage_at(times, part, is_last, i);
	if (is_last && times->retired >= cycles)
		row[n - 1] = '>';
	while (!has_text && n && row[n - 1] == ' ')
		n--;
	row[n] = '\0';
	fputs(row, out);
}

static void write_insn(FILE *out, uint64_t cycles, size_t iteration, const struct pipeline_times *times,
		       const char *disassembly)
{
	int last = N_PARTS;
	bool is_first = true;

	for (int part = 0; part < N_PARTS; part++)
		if (times->parts[part].done)
			last = part;
	for (int part = last == N_PARTS ? N_PARTS : 0; part <= last; part++) {
		if (part < N_PARTS && !times->parts[part].done)
			continue;
		if (is_first)
			fprintf(out, "%4zu %-10s", iteration, part < N_PARTS ? block_part_name(part) : "");
		else
			fprintf(out, "%4s %-10s", "", block_part_name(part));
		write_row(out, cycles, times, part, part == last, is_first);
		if (is_first)
			fprintf(out, "%*s%s", TIMELINE_GAP, "", disassembly);
		fputc('\n', out);
		is_first = false;
	}
}

static void write_timeline(const struct block_writer *writer, const struct pipeline_result *result,
			   const char *const *disassembly)
{
	uint64_t cycles = shown_cycles(writer, result, disassembly);
	FILE *out = writer->out;

	fputc('\n', out);
	paragraph_write(out,
			"timeline of the first iterations: D issued, = waits, e executes, - waits to retire, R "
			"retires, > later",
			writer->width, 0, writer->color);
	fputc('\n', out);
	write_scale(out, cycles);
	for (size_t i = 0; i < result->n_times; i++) {
		if (result->times[i].issued >= cycles) {
			fprintf(out, "%*s\n", TIMELINE_LABEL_WIDTH, "...");
			break;
		}
		write_insn(out, cycles, i / result->n_insns, &result->times[i], disassembly[i % result->n_insns]);
	}
}

/* Lists the ports that the block uses, ordered by name. Returns their number. */
static size_t find_ports(const struct pipeline *pipeline, const struct pipeline_result *result,
			 size_t ports[PIPELINE_MAX_PORTS])
{
	size_t n = 0, at;

	for (size_t port = 0; port < pipeline_n_ports(pipeline); port++) {
		const char *name = pipeline_port_name(pipeline, port);
		bool is_used = false;

		for (size_t i = 0; i < result->n_insns; i++)
			is_used |= result->insns[i].port_mcyc[port] > 0;
		if (!is_used)
			continue;
		for (at = n++; at && strcmp(name, pipeline_port_name(pipeline, ports[at - 1])) < 0; at--)
			ports[at] = ports[at - 1];
		ports[at] = port;
	}
	return n;
}

/* A table of some of a block's ports. The first table also has the micro-operations and the critical path. */
struct port_table {
	const struct block_report *report;
	const struct block_estimate *estimate;
	const size_t *ports; /* [n_ports] */
	size_t n_ports;
	bool is_first;
};

static const char *cost_note(enum cost_match match)
{
	return match == COST_UNKNOWN	? "   (no cost: assumed)"
	       : match == COST_FALLBACK ? "   (cost of a related form)"
					: "";
}

static void write_ports(const struct block_writer *writer, const struct port_table *part)
{
	const struct pipeline_result *result = &part->estimate->result;
	struct table table;

	table_init(&table, part->n_ports + 2);
	table_add_heading(&table, "instruction", NULL);
	if (part->is_first)
		table_set_cell(&table, 0, "uops");
	for (size_t i = 0; i < part->n_ports; i++)
		table_set_cell(&table, i + 1, "%s", pipeline_port_name(part->estimate->pipeline, part->ports[i]));
	for (size_t i = 0; i < result->n_insns; i++) {
		const struct pipeline_insn *insn = &result->insns[i];

		table_add_row(&table);
		if (part->is_first)
			table_set_cell(&table, 0, "%s", insn->is_fused ? "+" : units_count(insn->issue_slots).text);
		for (size_t k = 0; k < part->n_ports; k++)
			if (insn->port_mcyc[part->ports[k]] >= MCYC_PER_CYCLE / 200) /* does not round to 0.00 */
				table_set_cell(&table, k + 1, "%s",
					       units_cycles_each(insn->port_mcyc[part->ports[k]], 1).text);
		if (part->is_first && insn->is_critical)
			table_set_cell(&table, part->n_ports + 1, "*");
		table_set_label(&table, "%s%s", part->report->disassembly[i], cost_note(insn->match));
	}
	table_end(&table, writer->out, writer->width, writer->color);
}

/* Returns how many of the ports fit beside the instructions, at least 1. */
static size_t count_fitting(const struct block_writer *writer, const struct port_table *part)
{
	enum { GAP = 2, FIGURE_COLUMNS = 4, OTHER_COLUMNS = 11 /* uops, '*', the gap before the instruction */ };
	size_t used = OTHER_COLUMNS, label = text_columns_of(&part->estimate->result, part->report->disassembly), n = 0;

	for (size_t i = 0; i < part->estimate->result.n_insns; i++)
		if (*cost_note(part->estimate->result.insns[i].match) && label < LAYOUT_LABEL_COLUMNS)
			label = LAYOUT_LABEL_COLUMNS;
	for (used += label; n < part->n_ports; n++) {
		size_t columns = strlen(pipeline_port_name(part->estimate->pipeline, part->ports[n]));

		used += GAP + (columns > FIGURE_COLUMNS ? columns : FIGURE_COLUMNS);
		if (writer->width > 0 && used > writer->width && n > 0)
			break;
	}
	return n;
}

/* On a narrow terminal, several tables show the ports. */
static void write_table(const struct block_writer *writer, const struct block_report *report,
			const struct block_estimate *estimate)
{
	size_t ports[PIPELINE_MAX_PORTS], n_ports = find_ports(estimate->pipeline, &estimate->result, ports), end = 0;

	do {
		struct port_table part = {report, estimate, ports + end, n_ports - end, end == 0};

		part.n_ports = count_fitting(writer, &part);
		fputs(end ? "\n" : "", writer->out);
		write_ports(writer, &part);
		end += part.n_ports;
	} while (end < n_ports);
}

static void write_bounds(FILE *out, const struct block_estimate *estimate)
{
	const struct pipeline_result *result = &estimate->result;

	fputs("bounds:", out);
	for (size_t i = 0; i < N_BOUNDS; i++)
		if (result->bounds_mcyc[i] >= 0)
			fprintf(out, " %s %s", pipeline_bound_name((enum pipeline_bound)i),
				units_cycles_each(result->bounds_mcyc[i], 1).text);
	if (result->bottlenecks >> BOUND_PORTS & 1) {
		const char *separator = "; limiting ports: ";

		for (size_t i = 0; i < pipeline_n_ports(estimate->pipeline); i++)
			if (result->limiting_ports >> i & 1) {
				fprintf(out, "%s%s", separator, pipeline_port_name(estimate->pipeline, i));
				separator = " ";
			}
	}
	fprintf(out, "; simulated %s\n", units_cycles_each(result->simulated_mcyc, 1).text);
}

static void write_bottlenecks(FILE *out, const struct pipeline_result *result)
{
	uint32_t left = result->bottlenecks;
	const char *separator = ", bound by ";

	if (!result->bottlenecks)
		fprintf(out, ", more than any bound (%s %s)", pipeline_bound_name(result->bottleneck),
			units_cycles_each(result->bounds_mcyc[result->bottleneck], 1).text);
	for (; left; left &= left - 1) {
		fprintf(out, "%s%s", separator, pipeline_bound_name((enum pipeline_bound)__builtin_ctz(left)));
		separator = __builtin_popcount(left) > 2 ? ", " : " and ";
	}
}

static void write_assumptions(FILE *out, const struct pipeline_result *result)
{
	if (result->n_unknown)
		fprintf(out,
			"%" PRIu32
			" of %zu instruction%s without a cost, assumed to be one micro-operation of one cycle\n",
			result->n_unknown, result->n_insns, result->n_insns == 1 ? "" : "s");
	if (result->n_fallback)
		fprintf(out, "%" PRIu32 " of %zu instruction%s with the cost of a related form\n", result->n_fallback,
			result->n_insns, result->n_insns == 1 ? "" : "s");
}

/* Writes the block's time on this machine, and how far the estimate is from it. */
static void write_clock(FILE *out, const struct block_clock *clock, int64_t estimate_mcyc)
{
	if (clock->is_measured && clock->mcyc > 0)
		fprintf(out, "this machine: %s cycles per iteration (spread %.1f %%); the estimate is %+.1f %% off\n",
			units_cycles_each(clock->mcyc, 1).text, clock->spread_permille / 10.0,
			100.0 * (double)(estimate_mcyc - clock->mcyc) / (double)clock->mcyc);
	else if (clock->is_asked)
		fprintf(out, "this machine: cannot time the block: %s\n", clock->problem);
}

void text_block_write(struct block_writer *writer, const struct block_report *report)
{
	for (size_t i = 0; i < report->n_estimates; i++) {
		const struct block_estimate *estimate = &report->estimates[i];
		const struct pipeline_result *result = &estimate->result;
		const char *model = model_name(pipeline_model(estimate->pipeline));
		char *text = NULL;
		size_t n_bytes = 0;
		FILE *out;

		if (estimate->failed)
			continue;
		out = open_memstream(&text, &n_bytes);
		if (!out)
			abort();
		fputs(writer->n_tables ? "\n" : "", writer->out);
		fprintf(out, "%s%s%s, %s: %s cycles per iteration", report->name, *report->name ? " on " : "", model,
			block_mode_name(report->mode), units_cycles_each(result->cycles_mcyc, 1).text);
		write_bottlenecks(out, result);
		fprintf(out, "; %zu instruction%s, %" PRIu32 " uop%s\n", result->n_insns,
			result->n_insns == 1 ? "" : "s", result->issue_slots, result->issue_slots == 1 ? "" : "s");
		write_clock(out, &report->clock, result->cycles_mcyc);
		write_bounds(out, estimate);
		write_assumptions(out, result);
		fclose(out);
		write_lines(writer, text);
		free(text);
		fputc('\n', writer->out);
		write_table(writer, report, estimate);
		if (result->n_times)
			write_timeline(writer, result, report->disassembly);
		writer->n_tables++;
	}
}

void text_block_end(struct block_writer *writer)
{
	if (!writer->n_tables)
		return;
	fputc('\n', writer->out);
	paragraph_write(writer->out,
			"uops: issued, +: fused with the instruction before; then cycles on each port; *: on the "
			"longest dependency cycle",
			writer->width, 0, writer->color);
}
