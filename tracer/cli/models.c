#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/escape.h"
#include "base/units.h"
#include "cli/form_check.h"
#include "cli/commands.h"
#include "cli/hex_bytes.h"
#include "cli/message.h"
#include "costmodels/model/model.h"
#include "costmodels/model/text_file.h"
#include "decode/insn.h"
#include "report/report.h"

static const char *const match_texts[] = {
	[COST_UNKNOWN] = "unknown",
	[COST_FALLBACK] = "fallback",
	[COST_EXACT] = "exact",
};

/* Widens a column so that it holds the text. */
static void fit(int *column, const char *text)
{
	int columns = (int)escape_count_columns(text);

	*column = columns > *column ? columns : *column;
}

static void print_info(const struct model_info *info, int name, int title, int vendor)
{
	static const char *const estimators[] = {[ESTIMATOR_TABLE] = "table", [ESTIMATOR_PAIRING] = "pairing"};
	char year[8] = "   -";

	if (info->year)
		snprintf(year, sizeof(year), "%4d", info->year);
	printf("%-*s  %-*s  %-*s  %s  %5zu  %-9s  %s%s%s\n", name, info->name, title, info->title, vendor, info->vendor,
	       year, info->n_rows, estimators[info->estimator], info->source, *info->note ? "; note: " : "",
	       info->note);
}

/* The model that "host" stands for. */
static void print_host(void)
{
	struct error err = {0};
	struct model *model = model_load("host", &err);
	char *text = escape_text(model ? model_name(model) : err.text, ESCAPE_FOR_TERMINAL);

	printf("\nhost is %s%s%s\n", text, model && model_note(model) ? ": " : "",
	       model && model_note(model) ? model_note(model) : "");
	free(text);
	model_destroy(model);
}

static int list_models(void)
{
	struct model_list list;
	int name = (int)strlen("name"), title = (int)strlen("title"), vendor = (int)strlen("vendor");

	model_list_init(&list);
	for (size_t i = 0; i < list.n_models; i++) {
		fit(&name, list.models[i].name);
		fit(&title, list.models[i].title);
		fit(&vendor, list.models[i].vendor);
	}
	printf("%-*s  %-*s  %-*s  year   rows  estimator  source\n", name, "name", title, "title", vendor, "vendor");
	for (size_t i = 0; i < list.n_models; i++) {
		const struct model_info *info = &list.models[i];
		char *problem = info->problem ? escape_text(info->problem, ESCAPE_FOR_TERMINAL) : NULL;

		if (problem)
			printf("%-*s  does not load: %s\n", name, info->name, problem);
		else
			print_info(info, name, title, vendor);
		free(problem);
	}
	model_list_deinit(&list);
	print_host();
	return message_end_output();
}

static int list_models_json(void)
{
	struct error err = {0};
	struct model *host = model_load("host", &err);
	struct model_list list;

	model_list_init(&list);
	report_write_models(stdout, &list, host, &err);
	model_list_deinit(&list);
	model_destroy(host);
	return message_end_output();
}

static int check_files(size_t n_files, char **files)
{
	struct form_check forms = {0};
	const struct model_form_check form_check = {form_check_explain, &forms};
	struct text_problems problems = {0};
	int status = 0;

	for (size_t i = 0; i < n_files; i++)
		model_check(files[i], &form_check, &problems);
	form_check_deinit(&forms);
	for (size_t i = 0; i < problems.n_texts; i++) {
		struct error err;

		error_set(&err, ERROR_FORMAT, "%s", problems.texts[i]);
		status = message_error(&err);
	}
	text_problems_deinit(&problems);
	return status;
}

/* Prints nothing if the text is NULL. */
static void print_text(const char *key, const char *text)
{
	char *escaped = text ? escape_text(text, ESCAPE_FOR_TERMINAL) : NULL;

	if (escaped)
		printf("%-10s  %s\n", key, escaped);
	free(escaped);
}

static int show_form(size_t n_words, char **words)
{
	const char *name = words[0], *form_text = words[1];
	struct error err = {0};
	struct model *model = model_load(name, &err);
	struct cost cost;
	char *row;

	(void)n_words;
	if (!model)
		return message_error(&err);
	model_lookup(model, form_text, &cost);
	printf("model       %s, %s\n", model_name(model), model_title(model));
	print_text("form", form_text);
	print_text("match", match_texts[cost.match]);
	print_text("via", cost.via);
	print_text("rule", cost.rule);
	print_text("why", cost.reason);
	if (cost.match == COST_UNKNOWN && !strchr(form_text, ' '))
		print_text("hint", "a form is a mnemonic and its operands, as 'ADD r64, m64'; 'itrace models form HEX' "
				   "prints that of an instruction");
	if (cost.match != COST_UNKNOWN) {
		printf("latency     %s\n", units_cycles_exact(cost.latency_mcyc).text);
		printf("throughput  %s\n", units_cycles_exact(cost.throughput_mcyc).text);
	}
	if (cost.per_iteration_mcyc)
		printf("iteration   %s\n", units_cycles_exact(cost.per_iteration_mcyc).text);
	if (cost.uops)
		printf("uops        %u\n", cost.uops);
	print_text("ports", cost.ports);
	print_text("flags", cost.flags);
	if (cost.fused)
		printf("fused       %u\n", cost.fused);
	print_text("latencies", cost.latencies);
	row = cost.path ? xasprintf("%s:%u", cost.path, cost.line) : NULL;
	print_text("row", row);
	print_text("note", model_note(model));
	print_text("source", model_source(model));
	free(row);
	model_destroy(model);
	return message_end_output();
}

static int form_of_lines(void)
{
	char *line = NULL;
	size_t line_bytes = 0, number = 0;
	struct error err = {0};
	ssize_t n;

	while ((n = getline(&line, &line_bytes, stdin)) >= 0) {
		uint8_t bytes[INSN_MAX_BYTES];
		size_t n_bytes = 0;
		struct form form;

		number++;
		line[strcspn(line, "\r\n")] = '\0';
		if (!hex_bytes_add(line, INSN_MAX_BYTES, bytes, &n_bytes) || n_bytes == 0) {
			error_set(&err, ERROR_USAGE,
				  "line %zu of the input: expected 1 to %d bytes in hexadecimal, got '%.80s'", number,
				  INSN_MAX_BYTES, line);
			break;
		}
		form_of_bytes(bytes, n_bytes, &form);
		printf("%s\t%s\n", line, form.text);
	}
	if (!err.kind && ferror(stdin))
		error_set_errno(&err, ERROR_ENVIRONMENT, "cannot read the input");
	free(line);
	return err.kind ? message_error(&err) : message_end_output();
}

static void print_costs(const char *form_text)
{
	struct model_list list;
	int name = (int)strlen("model");

	model_list_init(&list);
	for (size_t i = 0; i < list.n_models; i++)
		fit(&name, list.models[i].name);
	printf("\n%-*s  latency  throughput  via\n", name, "model");
	for (size_t i = 0; i < list.n_models; i++) {
		const struct model_info *info = &list.models[i];
		struct error err = {0};
		struct model *model = info->problem ? NULL : model_load(info->path, &err);
		struct cost cost = {0};

		if (model)
			model_lookup(model, form_text, &cost);
		if (!model)
			printf("%-*s  %7s  %10s  does not load\n", name, info->name, "-", "-");
		else if (cost.match == COST_UNKNOWN)
			printf("%-*s  %7s  %10s  unknown\n", name, info->name, "-", "-");
		else
			printf("%-*s  %7s  %10s  %s%s%s%s\n", name, info->name,
			       units_cycles_exact(cost.latency_mcyc).text,
			       units_cycles_exact(cost.throughput_mcyc).text, cost.via, cost.rule ? " (" : "",
			       cost.rule ? cost.rule : "", cost.rule ? ")" : "");
		model_destroy(model);
	}
	model_list_deinit(&list);
}

static bool read_insn(size_t n_words, char **words, uint8_t bytes[INSN_MAX_BYTES], size_t *n_bytes, struct error *err)
{
	struct insn insn;

	for (size_t i = 0; i < n_words; i++)
		if (!hex_bytes_add(words[i], INSN_MAX_BYTES, bytes, n_bytes))
			return error_set(err, ERROR_USAGE,
					 "expected the 1 to %d bytes of one instruction in hexadecimal, got '%.80s'",
					 INSN_MAX_BYTES, words[i]);
	if (!insn_decode(bytes, *n_bytes, &insn))
		return error_set(err, ERROR_USAGE, "these bytes are no complete instruction of 64-bit mode");
	if (insn.length != *n_bytes)
		return error_set(
			err, ERROR_USAGE,
			"expected one instruction, which ends after %u of these %zu bytes; 'itrace models form -' "
			"reads one from each line",
			insn.length, *n_bytes);
	return true;
}

static int show_form_of_bytes(size_t n_words, char **words)
{
	uint8_t bytes[INSN_MAX_BYTES];
	size_t n_bytes = 0;
	struct error err = {0};
	struct form form;
	char disassembly[256];

	if (n_words == 1 && strcmp(words[0], "-") == 0)
		return form_of_lines();
	if (!read_insn(n_words, words, bytes, &n_bytes, &err))
		return message_error(&err);
	form_of_bytes(bytes, n_bytes, &form);
	insn_disassemble(bytes, n_bytes, 0, disassembly, sizeof(disassembly));
	printf("form         %s\n", form.text);
	printf("disassembly  %s\n", disassembly);
	printf("category     %s\n", form.category);
	printf("extension    %s\n", form.isa_extension);
	print_costs(form.text);
	return message_end_output();
}

/* The importer reads its own options. */
static int import(size_t n_words, char **words)
{
	return command_models_import((int)n_words + 1, words - 1);
}

/* The first word after `itrace models`, and the function that takes the words after it. */
static const struct subcommand {
	const char *name;
	size_t least, most; /* number of words */
	const char *expected;
	int (*run)(size_t n_words, char **words);
} subcommands[] = {
	{"show", 2, 2, "a model and a form", show_form},
	{"form", 1, SIZE_MAX, "the bytes of an instruction in hexadecimal, or -", show_form_of_bytes},
	{"check", 1, SIZE_MAX, "model files", check_files},
	{"import", 0, SIZE_MAX, "", import},
};

int command_models(const struct options *options)
{
	char **words = (char **)options->arguments;
	size_t n_words = options->n_arguments;
	struct error err = {0};
	bool is_json = options->report.format == REPORT_JSON;

	if (!n_words)
		return is_json ? list_models_json() : list_models();
	if (is_json) {
		error_set(&err, ERROR_USAGE, "models: --format json is for the list of models; leave out '%.80s'",
			  words[0]);
		return message_error(&err);
	}
	for (size_t i = 0; i < ARRAY_LENGTH(subcommands); i++) {
		const struct subcommand *sub = &subcommands[i];

		if (strcmp(words[0], sub->name) != 0)
			continue;
		if (n_words - 1 >= sub->least && n_words - 1 <= sub->most)
			return sub->run(n_words - 1, words + 1);
		error_set(&err, ERROR_USAGE, "models %s: expected %s, got %zu argument%s; try 'itrace models --help'",
			  sub->name, sub->expected, n_words - 1, n_words == 2 ? "" : "s");
		return message_error(&err);
	}
	error_set(&err, ERROR_USAGE,
		  "models: expected show, form, check or import, got '%.80s'; try 'itrace models --help'", words[0]);
	return message_error(&err);
}
