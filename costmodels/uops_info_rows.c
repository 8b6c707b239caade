#include "costmodels/uops_info_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* What uops.info calls CPUs; years are of their introduction. */
static const struct {
	const char *architecture, *title, *vendor;
	int year;
} cpus[] = {
	{"CON", "Intel Conroe", "Intel", 2006},
	{"WOL", "Intel Wolfdale", "Intel", 2008},
	{"NHM", "Intel Nehalem", "Intel", 2008},
	{"WSM", "Intel Westmere", "Intel", 2010},
	{"SNB", "Intel Sandy Bridge", "Intel", 2011},
	{"IVB", "Intel Ivy Bridge", "Intel", 2012},
	{"HSW", "Intel Haswell", "Intel", 2013},
	{"BDW", "Intel Broadwell", "Intel", 2014},
	{"SKL", "Intel Skylake", "Intel", 2015},
	{"SKX", "Intel Skylake-X", "Intel", 2017},
	{"KBL", "Intel Kaby Lake", "Intel", 2016},
	{"CFL", "Intel Coffee Lake", "Intel", 2017},
	{"CNL", "Intel Cannon Lake", "Intel", 2018},
	{"CLX", "Intel Cascade Lake", "Intel", 2019},
	{"ICL", "Intel Ice Lake", "Intel", 2019},
	{"TGL", "Intel Tiger Lake", "Intel", 2020},
	{"RKL", "Intel Rocket Lake", "Intel", 2021},
	{"ADL-P", "Intel Alder Lake (P-core)", "Intel", 2021},
	{"ADL-E", "Intel Alder Lake (E-core)", "Intel", 2021},
	{"BNL", "Intel Bonnell", "Intel", 2008},
	{"AMT", "Intel Airmont", "Intel", 2015},
	{"GLM", "Intel Goldmont", "Intel", 2016},
	{"GLP", "Intel Goldmont Plus", "Intel", 2017},
	{"TRM", "Intel Tremont", "Intel", 2020},
	{"ZEN+", "AMD Zen+", "AMD", 2018},
	{"ZEN2", "AMD Zen 2", "AMD", 2019},
	{"ZEN3", "AMD Zen 3", "AMD", 2020},
	{"ZEN4", "AMD Zen 4", "AMD", 2022},
};

static const struct uops_operand *operand_of(const struct uops_instruction *instruction, unsigned idx)
{
	for (size_t i = 0; i < instruction->n_operands; i++)
		if (instruction->operands[i].idx == idx)
			return &instruction->operands[i];
	return NULL;
}

/* An operand's position in the form; of one that does not show, what it is. */
static void print_operand(FILE *out, const struct uops_operand *operand)
{
	if (operand->position)
		fprintf(out, "%u", operand->position);
	else if (operand->type == UOPS_FLAGS)
		fputs("flags", out);
	else if (operand->is_mask)
		fputs("k", out);
	else if (operand->type != UOPS_REGISTER)
		fputs("mem", out);
	else
		for (const char *at = operand->first; *at; at++)
			if ((*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9'))
				fputc(*at >= 'A' ? *at | 0x20 : *at, out);
}

static void print_milli(FILE *out, int64_t value)
{
	char text[32];
	size_t n = (size_t)snprintf(text, sizeof(text), "%lld.%03lld", (long long)(value / 1000),
				    (long long)(value % 1000));

	while (text[n - 1] == '0')
		text[--n] = '\0';
	if (text[n - 1] == '.')
		text[--n] = '\0';
	fputs(text, out);
}

/* The longest one to a register or flags; to memory, which is a store's way through the store buffer, only if there
 * is no other. -1: none. */
static int64_t longest(const struct uops_instruction *instruction, const struct uops_latencies *latencies, bool is_same)
{
	int64_t to_register = -1, to_memory = -1;

	for (size_t i = 0; i < latencies->n_items; i++) {
		const struct uops_latency *latency = &latencies->items[i];
		const struct uops_operand *target = operand_of(instruction, latency->target);
		int64_t *max = target && target->type == UOPS_MEMORY ? &to_memory : &to_register;

		if (latency->is_same == is_same && latency->milli > *max)
			*max = latency->milli;
	}
	return to_register >= 0 ? to_register : to_memory;
}

static void print_latencies(FILE *out, const struct uops_instruction *instruction,
			    const struct uops_latencies *latencies, bool is_same)
{
	const char *separator = "";

	for (size_t i = 0; i < latencies->n_items; i++) {
		const struct uops_latency *latency = &latencies->items[i];
		const struct uops_operand *source = operand_of(instruction, latency->source);
		const struct uops_operand *target = operand_of(instruction, latency->target);

		if (latency->is_same != is_same || !source || !target)
			continue;
		fputs(separator, out);
		print_operand(out, source);
		fprintf(out, "%.1s>", latency->kind == 'a' ? "a" : latency->kind == 'i' ? "i" : "");
		print_operand(out, target);
		fputc(':', out);
		print_milli(out, latency->milli);
		separator = " ";
	}
}

static void print_count(FILE *out, int64_t value)
{
	if (value >= 0)
		fprintf(out, "%lld", (long long)((value + 500) / 1000));
}

/* "1*p0156+1*p23" becomes "p0156:1 p23:1". What is not written so is left out whole. */
static void print_ports(FILE *out, const char *ports)
{
	const char *separator = "";

	for (const char *at = ports; *at; at += *at == '+') {
		size_t n_count = strspn(at, "0123456789"), n_name;
		const char *name = at + n_count + 1;

		if (!n_count || n_count > 4 || at[n_count] != '*')
			return;
		n_name = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
		if (!n_name || (name[n_name] && name[n_name] != '+'))
			return;
		fprintf(out, "%s%.*s:%.*s", separator, (int)n_name, name, (int)n_count, at);
		separator = " ";
		at = name + n_name;
	}
}

static void print_flags(FILE *out, const struct uops_instruction *instruction)
{
	bool loads = false, stores = false;

	for (size_t i = 0; i < instruction->n_operands; i++) {
		const struct uops_operand *operand = &instruction->operands[i];

		loads |= operand->type == UOPS_MEMORY && operand->is_read;
		stores |= operand->type == UOPS_MEMORY && operand->is_written;
	}
	fprintf(out, "%s%s%s", loads ? "load" : "", loads && stores ? " " : "", stores ? "store" : "");
}

static char *make_cells(const struct uops_instruction *instruction, const struct uops_measurement *measurement,
			const struct uops_latencies *latencies, bool is_same)
{
	int64_t latency = longest(instruction, latencies, is_same);
	char *cells = NULL;
	size_t n_bytes;
	FILE *out = open_memstream(&cells, &n_bytes);

	if (latency >= 0)
		print_milli(out, latency);
	fputs(" | ", out);
	if (measurement->throughput_milli >= 0)
		print_milli(out, measurement->throughput_milli);
	fputs(" | ", out);
	print_count(out, measurement->uops);
	fputs(" | ", out);
	print_ports(out, measurement->ports);
	fputs(" | ", out);
	print_flags(out, instruction);
	fputs(" | ", out);
	print_count(out, measurement->fused);
	fputs(" | ", out);
	print_latencies(out, instruction, latencies, is_same);
	fclose(out);
	return cells;
}

bool uops_rows_add(struct uops_rows *rows, const char *form, bool is_special, bool is_same,
		   const struct uops_instruction *instruction, const struct uops_measurement *measurement,
		   const struct uops_latencies *latencies)
{
	uint32_t added = (uint32_t)rows->n_rows, number;
	struct uops_row *row;
	char *text;

	if (rows->n_rows == UOPS_MAX_ROWS)
		return false;
	if (measurement->throughput_milli < 0 && longest(instruction, latencies, is_same) < 0)
		return true;
	text = xasprintf("%s%s", form, is_same ? " (same)" : "");
	number = *text_index_put(&rows->by_form, text, strlen(text), added);
	if (number == added) {
		*ARRAY_ADD(rows, rows) = (struct uops_row){.form = text, .is_special = is_special};
	} else {
		free(text);
		rows->n_twice++;
		if (is_special || !rows->rows[number].is_special)
			return true;
	}
	row = &rows->rows[number];
	free(row->cells);
	row->cells = make_cells(instruction, measurement, latencies, is_same);
	row->is_special = is_special;
	return true;
}

static int compare_rows(const void *a, const void *b)
{
	return strcmp(((const struct uops_row *)a)->form, ((const struct uops_row *)b)->form);
}

void uops_rows_write(struct uops_rows *rows, const char *architecture, const char *name, FILE *out)
{
	size_t cpu = 0;

	while (cpu < ARRAY_LENGTH(cpus) && strcmp(cpus[cpu].architecture, architecture) != 0)
		cpu++;
	fprintf(out, "itrace-cost-model 1\n# Made by 'itrace models import'.\nname = %s\n", name);
	if (cpu < ARRAY_LENGTH(cpus))
		fprintf(out, "title = %s, by uops.info\nvendor = %s\nyear = %d\n", cpus[cpu].title, cpus[cpu].vendor,
			cpus[cpu].year);
	else
		fprintf(out, "title = %s, by uops.info\n", architecture);
	fprintf(out,
		"rank = throughput\nsource = uops.info, instructions.xml, measurements of %s\n[forms]\n"
		"# form | latency | throughput | uops | ports | flags | fused | latencies\n",
		architecture);
	qsort(rows->rows, rows->n_rows, sizeof(*rows->rows), compare_rows);
	for (size_t i = 0; i < rows->n_rows; i++)
		fprintf(out, "%s | %s\n", rows->rows[i].form, rows->rows[i].cells);
}

void uops_rows_deinit(struct uops_rows *rows)
{
	for (size_t i = 0; i < rows->n_rows; i++) {
		free(rows->rows[i].form);
		free(rows->rows[i].cells);
	}
	free(rows->rows);
	text_index_deinit(&rows->by_form);
	*rows = (struct uops_rows){0};
}
