#include "report/html/page_tables.h"

#include <stdlib.h>

#include "analysis/user_code.h"
#include "base/array.h"
#include "base/order.h"
#include "report/json/region.h"
#include "report/text/labels.h"

/* Lines that are shown before and after an executed line. */
#define CONTEXT_LINES 3

json_t *page_index(uint32_t index)
{
	return index == PROFILE_NONE ? json_integer(-1) : json_count(index);
}

json_t *page_function(const char *name, uint32_t module)
{
	json_t *function = json_array();

	json_add(function, json_text(name));
	json_add(function, page_index(module));
	return function;
}

void page_tables_init(struct page_tables *tables, const struct report *report)
{
	*tables = (struct page_tables){.report = report,
				       .functions = json_array(),
				       .texts = json_array(),
				       .text_indices = json_object()};
	tables->function_indices = xcalloc(report->profile->n_functions, sizeof(*tables->function_indices));
	for (size_t i = 0; i < report->profile->n_functions; i++)
		tables->function_indices[i] = PROFILE_NONE;
}

void page_tables_deinit(struct page_tables *tables)
{
	json_decref(tables->functions);
	json_decref(tables->texts);
	json_decref(tables->text_indices);
	free(tables->function_indices);
	free(tables->lines);
	*tables = (struct page_tables){0};
}

static int64_t intern_function(struct page_tables *tables, uint32_t function)
{
	const struct profile_function *added = &tables->report->profile->functions[function];
	uint32_t *index = &tables->function_indices[function];

	if (*index == PROFILE_NONE) {
		*index = (uint32_t)json_array_size(tables->functions);
		json_add(tables->functions, page_function(added->name, added->module));
	}
	return *index;
}

/* Returns the address in the file, which is the same in each run. */
static uint64_t linked_address(const struct profile *profile, const struct profile_insn *insn)
{
	return insn->va - (insn->module == PROFILE_NONE ? 0 : profile->modules[insn->module].bias);
}

static json_t *intern_text(struct page_tables *tables, const struct profile_insn *insn)
{
	char text[256];
	json_t *index;

	insn_disassemble(insn->bytes, insn->length, linked_address(tables->report->profile, insn), text, sizeof(text));
	index = json_object_get(tables->text_indices, text);
	if (!index) {
		index = json_count(json_array_size(tables->texts));
		json_add(tables->texts, json_string(text));
		json_set(tables->text_indices, text, index);
	}
	return json_incref(index);
}

static int compare_addresses(const void *a, const void *b, void *context)
{
	const struct profile *profile = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	return ORDER(profile->insns[i].va, profile->insns[k].va) ?: ORDER(i, k);
}

/* A region's executed instructions, by address. */
struct page_insns {
	uint32_t *insns; /* [n_insns] to be freed */
	size_t n_insns;
};

static struct page_insns find_insns(const struct page_tables *tables, const struct profile_region *region)
{
	struct page_insns found = {.insns = xcalloc(region->n_counts, sizeof(*found.insns))};

	for (uint32_t i = 0; i < region->n_counts; i++)
		if (region->executions[i] || region->iterations[i])
			found.insns[found.n_insns++] = i;
	qsort_r(found.insns, found.n_insns, sizeof(*found.insns), compare_addresses, (void *)tables->report->profile);
	return found;
}

/* Appends a value to a run-length encoded column: value, repetitions, value ... */
static void add_repeated(json_t *column, int64_t value)
{
	size_t n = json_array_size(column);
	json_t *repetitions = json_array_get(column, n - 1);

	if (n > 0 && json_integer_value(json_array_get(column, n - 2)) == value) {
		json_integer_set(repetitions, json_integer_value(repetitions) + 1);
		return;
	}
	json_add(column, json_integer(value));
	json_add(column, json_integer(1));
}

/* Returns the cycles of one execution by form. Adds instructions with another cost to `others`. */
static json_t *costs_of_forms(const struct page_tables *tables, const struct costed_region *costed, size_t model,
			      const struct page_insns *insns, json_t *others)
{
	size_t n_forms = tables->report->profile->n_forms;
	mcyc_t *each = xcalloc(n_forms, sizeof(*each));
	json_t *costs = json_array();

	for (size_t i = 0; i < insns->n_insns; i++) {
		uint32_t insn = insns->insns[i];
		mcyc_t mcyc = costed->estimates[model].insn_mcyc[insn];
		mcyc_t executions = (mcyc_t)costed->region->executions[insn];
		mcyc_t *of_form = &each[tables->report->profile->insns[insn].form];

		if (*of_form == 0 && executions > 0)
			*of_form = mcyc / executions;
		if (mcyc == *of_form * executions)
			continue;
		json_add(others, json_count(i));
		json_add(others, json_cycles(mcyc));
	}
	for (size_t i = 0; i < n_forms; i++)
		json_add(costs, json_cycles(each[i]));
	free(each);
	return costs;
}

static void set_costs(json_t *object, const struct page_tables *tables, const struct costed_region *costed,
		      const struct page_insns *insns)
{
	static const char letters[] = {[COST_UNKNOWN] = '?', [COST_FALLBACK] = '~', [COST_EXACT] = '='};
	size_t n_forms = tables->report->profile->n_forms;
	json_t *each = json_array(), *cycles = json_array(), *match = json_array();
	char *text = xcalloc(n_forms + 1, 1);

	for (size_t m = 0; m < costed->n_models; m++) {
		json_t *others = json_array();

		json_add(each, costs_of_forms(tables, costed, m, insns, others));
		json_add(cycles, others);
		for (size_t i = 0; i < n_forms; i++)
			text[i] = letters[costed->estimates[m].costs[i].match];
		json_add(match, json_string(text));
	}
	free(text);
	json_set(object, "each", each);
	json_set(object, "cycles", cycles);
	json_set(object, "match", match);
}

json_t *page_insns(struct page_tables *tables, const struct region_analysis *region)
{
	const struct profile *profile = tables->report->profile;
	json_t *address = json_array(), *function = json_array(), *form = json_array(), *file = json_array(),
	       *line = json_array(), *executions = json_array(), *runs = json_array(), *text = json_array(), *object;
	uint64_t *line_runs = xcalloc(region->costed.region->n_counts, sizeof(*line_runs));
	struct page_insns insns = find_insns(tables, region->costed.region);
	uint64_t before = 0;

	profile_count_runs(profile, region->costed.index, false, line_runs);
	for (size_t i = 0; i < insns.n_insns; i++) {
		const struct profile_insn *insn = &profile->insns[insns.insns[i]];
		const struct profile_location *location = &profile->locations[insn->location];
		bool has_line = insn->location && location->file != PROFILE_NONE;
		uint64_t linked = linked_address(profile, insn);

		json_add(address, json_integer((json_int_t)(linked - before)));
		before = linked;
		add_repeated(function, insn->function == PROFILE_NONE ? -1 : intern_function(tables, insn->function));
		json_add(form, json_count(insn->form));
		add_repeated(file, has_line ? (int64_t)location->file : -1);
		add_repeated(line, has_line ? location->line : 0);
		if (has_line)
			*ARRAY_ADD(tables, lines) = (uint64_t)location->file << 32 | location->line;
		add_repeated(executions, (int64_t)region->costed.region->executions[insns.insns[i]]);
		add_repeated(runs, (int64_t)line_runs[insns.insns[i]]);
		json_add(text, intern_text(tables, insn));
	}
	object = json_members("address", address, "function", function, "form", form, "file", file, "line", line,
			      "executions", executions, "runs", runs, "text", text, NULL);
	set_costs(object, tables, &region->costed, &insns);
	free(insns.insns);
	free(line_runs);
	return object;
}

static int compare_lines(const void *left, const void *right)
{
	return ORDER(*(const uint64_t *)left, *(const uint64_t *)right);
}

/* lines[n_lines]: executed lines of the file, sorted. */
static json_t *page_excerpts(const struct source_text *source, const uint64_t *lines, size_t n_lines)
{
	json_t *excerpts = json_array(), *excerpt = NULL;
	size_t next = 1; /* the first line that is not in an excerpt */

	for (size_t i = 0; i < n_lines; i++) {
		size_t line = (uint32_t)lines[i], first = line > CONTEXT_LINES ? line - CONTEXT_LINES : 1;

		if (line == 0)
			continue;
		if (!excerpt || first > next) {
			next = first > next ? first : next;
			excerpt = json_array();
			json_add(excerpt, json_count(next));
			json_add(excerpts, excerpt);
		}
		for (; next <= line + CONTEXT_LINES && next <= source->n_lines; next++)
			json_add(excerpt, json_text(source->lines[next - 1]));
	}
	return excerpts;
}

json_t *page_files(struct page_tables *tables)
{
	const struct profile *profile = tables->report->profile;
	const struct source_text *sources = tables->report->options->sources;
	json_t *files = json_array();
	struct user_code code;
	size_t first = 0, end;

	user_code_init(&code, profile, NULL, 0);
	if (tables->n_lines > 0)
		qsort(tables->lines, tables->n_lines, sizeof(*tables->lines), compare_lines);
	for (size_t i = 0; i < profile->n_files; i++, first = end) {
		const struct source_text *source = sources && sources[i].lines ? &sources[i] : NULL;

		for (end = first; end < tables->n_lines && tables->lines[end] >> 32 == i;)
			end++;
		if (end == first) {
			json_add(files, json_null());
			continue;
		}
		json_add(files,
			 json_members("path", json_text(profile->files[i].path), "is_own",
				      json_boolean(code.user_files[i]), "note",
				      json_text(label_source_state(tables->report, (uint32_t)i)), "lines",
				      source ? page_excerpts(source, tables->lines + first, end - first) : json_null(),
				      NULL));
	}
	user_code_deinit(&code);
	return files;
}
