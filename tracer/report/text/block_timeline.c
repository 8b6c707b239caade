#include "report/text/block_timeline.h"

#include <inttypes.h>
#include <string.h>

#include "base/array.h"

enum {
	WIDTH = 120,
	LABEL_WIDTH = 15, /* iteration, part */
	CYCLES_MAX = 68,
};

static const char *const part_names[] = {[PART_LOAD] = "load", [PART_OPERATION] = "operation", [PART_STORE] = "store"};

/* How many cycles are drawn. */
static uint64_t cycles_of(const struct pipeline_result *result)
{
	uint64_t last = result->times[result->n_times - 1].retired + 1;

	return last < CYCLES_MAX ? last : CYCLES_MAX;
}

static void write_scale(FILE *out, uint64_t cycles)
{
	fprintf(out, "%*s", LABEL_WIDTH, "");
	for (uint64_t i = 0; i <= (cycles - 1) / 10 * 10; i++)
		fputc(i % 10 ? ' ' : (int)('0' + i / 10 % 10), out);
	fprintf(out, "\n%*s", LABEL_WIDTH, "");
	for (uint64_t i = 0; i < cycles; i++)
		fputc((int)('0' + i % 10), out);
	fputc('\n', out);
}

/* What is drawn in a cycle of one part; `part` N_PARTS: an instruction that executes nothing. */
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
	char row[CYCLES_MAX + 1];
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
	int last = N_PARTS, text_width = (int)(WIDTH - LABEL_WIDTH - cycles - 2);
	bool is_first = true;

	for (int part = 0; part < N_PARTS; part++)
		if (times->parts[part].done)
			last = part;
	for (int part = last == N_PARTS ? N_PARTS : 0; part <= last; part++) {
		if (part < N_PARTS && !times->parts[part].done)
			continue;
		if (is_first)
			fprintf(out, "%4zu %-10s", iteration, part < N_PARTS ? part_names[part] : "");
		else
			fprintf(out, "%4s %-10s", "", part_names[part]);
		write_row(out, cycles, times, part, part == last, is_first);
		if (is_first)
			fprintf(out, "  %.*s", text_width, disassembly);
		fputc('\n', out);
		is_first = false;
	}
}

void block_timeline_write(FILE *out, const struct pipeline_result *result, const char *const *disassembly)
{
	uint64_t cycles = cycles_of(result);

	fputs("\ntimeline of the first iterations: D issued, = waits, e executes, - waits to retire, R retires\n\n",
	      out);
	write_scale(out, cycles);
	for (size_t i = 0; i < result->n_times; i++) {
		if (result->times[i].issued >= cycles) {
			fprintf(out, "%*s\n", LABEL_WIDTH, "...");
			break;
		}
		write_insn(out, cycles, i / result->n_insns, &result->times[i], disassembly[i % result->n_insns]);
	}
}

json_t *block_timeline_json(const struct pipeline_result *result)
{
	json_t *list = json_array();

	for (size_t i = 0; i < result->n_times; i++) {
		const struct pipeline_times *times = &result->times[i];
		json_t *parts = json_array();

		for (int part = 0; part < N_PARTS; part++)
			if (times->parts[part].done)
				json_array_append_new(parts,
						      json_pack("{s:s, s:I, s:I}", "part", part_names[part], "started",
								(json_int_t)times->parts[part].started, "done",
								(json_int_t)times->parts[part].done));
		json_array_append_new(list,
				      json_pack("{s:I, s:I, s:I, s:I, s:o}", "iteration",
						(json_int_t)(i / result->n_insns), "instruction",
						(json_int_t)(i % result->n_insns), "issued", (json_int_t)times->issued,
						"retired", (json_int_t)times->retired, "parts", parts));
	}
	return list;
}
