#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/commands.h"
#include "cli/function_blocks.h"
#include "cli/hex_bytes.h"
#include "cli/message.h"
#include "cli/model_set.h"
#include "cli/terminal.h"
#include "decode/insn.h"
#include "report/block.h"
#include "timing/block/block.h"

#define TIMELINE_INSNS 24 /* by default; more would not fit a screen */

/* The pipelines of the models, which estimate one block after the other. */
struct estimator {
	const struct options *options;
	struct model_set models;
	struct block_estimate *estimates; /* [models.n_models] of the current block */
	struct block_writer writer;
	uint64_t va;		  /* of the current block, as linked or in its function; 0: unknown */
	struct block_timer timer; /* with --clock */
	struct error clock_error; /* of the current block */
};

static enum pipeline_mode choose_mode(enum block_mode choice, const uint8_t *bytes, size_t n_bytes)
{
	struct insn insn;
	size_t at = 0;

	if (choice != BLOCK_MODE_AUTO)
		return choice == BLOCK_MODE_LOOP ? PIPELINE_LOOP : PIPELINE_UNROLLED;
	while (at < n_bytes && insn_decode(bytes + at, n_bytes - at, &insn)) {
		at += insn.length;
		if (at == n_bytes && (insn.flow == FLOW_BRANCH || insn.flow == FLOW_JUMP) &&
		    insn.displacement == -(int64_t)n_bytes)
			return PIPELINE_LOOP;
	}
	return PIPELINE_UNROLLED;
}

/* At least two iterations, which show how they overlap; 0: no timeline. */
static uint32_t choose_iterations(const struct options *options, const uint8_t *bytes, size_t n_bytes)
{
	struct insn insn;
	uint32_t n_insns = 0;

	if (!options->timeline || options->report.format == REPORT_CSV)
		return 0;
	if (options->timeline_iterations)
		return (uint32_t)options->timeline_iterations;
	for (size_t at = 0; at < n_bytes && insn_decode(bytes + at, n_bytes - at, &insn); at += insn.length)
		n_insns++;
	return n_insns * 2 < TIMELINE_INSNS ? TIMELINE_INSNS / (n_insns ? n_insns : 1) : 2;
}

static char **disassemble(const struct pipeline_result *result, const uint8_t *bytes, size_t n_bytes, uint64_t va)
{
	char **texts = xcalloc(result->n_insns + 1, sizeof(*texts));

	for (size_t i = 0; i < result->n_insns; i++) {
		size_t at = result->insns[i].offset;
		char text[256];

		insn_disassemble(bytes + at, n_bytes - at, va + at, text, sizeof(text));
		texts[i] = xstrdup(text);
	}
	return texts;
}

static void time_block(struct estimator *estimator, const struct block_to_time *block, struct block_clock *out)
{
	struct clock_result result;

	*out = (struct block_clock){.is_asked = true, .problem = estimator->clock_error.text};
	out->is_measured = block_timer_measure(&estimator->timer, block, &result, &estimator->clock_error);
	out->mcyc = result.mcyc;
	out->spread_permille = result.spread_permille;
}

/* False if a model could not decode the bytes; the report says so, too. */
static bool estimate(struct estimator *estimator, const char *hex, const char *name, const uint8_t *bytes,
		     size_t n_bytes, struct error *err)
{
	const struct options *options = estimator->options;
	struct block_report report = {.code_hex = hex,
				      .name = name,
				      .mode = choose_mode(options->mode, bytes, n_bytes),
				      .estimates = estimator->estimates,
				      .n_estimates = estimator->models.n_models};
	struct pipeline_options how = {.mode = report.mode,
				       .timeline_iterations = choose_iterations(options, bytes, n_bytes)};
	char **texts = NULL;
	bool ok = true;

	how.pointers = options->pointers == BLOCK_POINTERS_SAME ||
				       (options->pointers == BLOCK_POINTERS_AUTO && report.mode == PIPELINE_UNROLLED)
			       ? POINTERS_SAME
			       : POINTERS_DISTINCT;
	for (size_t i = 0; i < report.n_estimates; i++) {
		struct block_estimate *one = &estimator->estimates[i];

		one->failed = !pipeline_estimate((struct pipeline *)one->pipeline, bytes, n_bytes, &how, &one->result,
						 err);
		one->problem = one->failed ? err->text : NULL;
		ok &= !one->failed;
	}
	if (ok && estimator->writer.format != REPORT_CSV)
		texts = disassemble(&estimator->estimates[0].result, bytes, n_bytes, estimator->va);
	if (ok && options->clock)
		time_block(estimator,
			   &(struct block_to_time){bytes, n_bytes, report.mode == PIPELINE_LOOP,
						   how.pointers == POINTERS_SAME},
			   &report.clock);
	report.disassembly = (const char *const *)texts;
	report_block_write(&estimator->writer, &report);
	for (size_t i = 0; texts && texts[i]; i++)
		free(texts[i]);
	free(texts);
	return ok;
}

static bool estimate_hex(struct estimator *estimator, const char *hex, struct error *err)
{
	size_t n_bytes = 0, max_bytes = strlen(hex) / 2;
	uint8_t *bytes = xcalloc(max_bytes + 1, 1);
	char *digits = hex_without_blanks(hex);
	bool ok = hex_bytes_add(hex, max_bytes, bytes, &n_bytes) && n_bytes > 0;

	if (ok)
		ok = estimate(estimator, digits, "", bytes, n_bytes, err);
	else
		error_set(err, ERROR_USAGE, "expected the bytes of a block in hexadecimal, got '%.80s'", hex);
	free(digits);
	free(bytes);
	return ok;
}

static bool is_hex(const char *text)
{
	return *text && strspn(text, "0123456789abcdefABCDEF") == strlen(text);
}

/* A first line that is not hexadecimal is a header. */
static bool estimate_lines(struct estimator *estimator, FILE *in, const char *path, struct error *err)
{
	size_t line_bytes = 0, number = 0;
	char *line = NULL;
	bool ok = true;

	while (ok && getline(&line, &line_bytes, in) >= 0) {
		struct error problem = {0};

		number++;
		line[strcspn(line, ",\r\n")] = '\0';
		if (!*line || (number == 1 && !is_hex(line)))
			continue;
		if (!is_hex(line) || strlen(line) % 2)
			ok = error_set(err, ERROR_FORMAT, "%s:%zu: expected bytes in hexadecimal, got '%.80s'", path,
				       number, line);
		else if (!estimate_hex(estimator, line, &problem))
			fprintf(stderr, "itrace: %s:%zu: %s\n", path, number, problem.text);
	}
	if (ok && ferror(in))
		ok = error_set_errno(err, ERROR_ENVIRONMENT, "cannot read %s", path);
	free(line);
	return ok;
}

static bool estimate_file(struct estimator *estimator, const char *path, struct error *err)
{
	FILE *in = fopen(path, "re");
	bool ok;

	if (!in)
		return error_set_errno(err, ERROR_ENVIRONMENT, "cannot open %s", path);
	ok = estimate_lines(estimator, in, path, err);
	fclose(in);
	return ok;
}

static bool estimate_function(struct estimator *estimator, struct error *err)
{
	const struct options *options = estimator->options;
	const char *function = option_list_last(&options->functions);
	struct function_blocks blocks;
	bool ok = true;

	if (!function_blocks_init(&blocks, options->object, function, err))
		return false;
	for (size_t i = 0; ok && i < blocks.n_blocks; i++) {
		const struct function_block *block = &blocks.blocks[i];
		char *hex = xcalloc(2 * block->n_bytes + 1, 1);
		char *name = xasprintf("%s+0x%zx", function, block->offset);

		for (size_t j = 0; j < block->n_bytes; j++)
			snprintf(hex + 2 * j, 3, "%02x", blocks.bytes[block->offset + j]);
		estimator->va = blocks.va + block->offset;
		ok = estimate(estimator, hex, name, blocks.bytes + block->offset, block->n_bytes, err);
		free(hex);
		free(name);
	}
	function_blocks_deinit(&blocks);
	return ok;
}

static bool load(struct estimator *estimator, struct error *err)
{
	const struct model_set *set = &estimator->models;
	bool ok = model_set_load(&estimator->models, estimator->options->models, true, "--model", err);

	estimator->estimates = xcalloc(set->n_models + 1, sizeof(*estimator->estimates));
	for (size_t i = 0; ok && i < set->n_models; i++) {
		estimator->estimates[i].pipeline = pipeline_create(set->models[i], err);
		ok = estimator->estimates[i].pipeline;
	}
	return ok && (!estimator->options->clock || block_timer_init(&estimator->timer, err));
}

static void unload(struct estimator *estimator)
{
	for (size_t i = 0; i < estimator->models.n_models; i++) {
		pipeline_destroy((struct pipeline *)estimator->estimates[i].pipeline);
		pipeline_result_deinit(&estimator->estimates[i].result);
	}
	free(estimator->estimates);
	block_timer_deinit(&estimator->timer);
	model_set_deinit(&estimator->models);
}

static bool estimate_all(struct estimator *estimator, struct error *err)
{
	const struct options *options = estimator->options;
	struct report_options fitted = options->report;
	bool ok;

	terminal_fit(stdout, &fitted);
	estimator->writer = (struct block_writer){.out = stdout,
						  .format = fitted.format,
						  .width = fitted.width,
						  .color = fitted.color,
						  .n_models = estimator->models.n_models,
						  .has_clock = options->clock};
	report_block_begin(&estimator->writer);
	ok = options->hex      ? estimate_hex(estimator, options->hex, err)
	     : options->csv    ? estimate_file(estimator, options->csv, err)
	     : options->object ? estimate_function(estimator, err)
			       : estimate_lines(estimator, stdin, "the input", err);
	report_block_end(&estimator->writer);
	return ok;
}

int command_block(const struct options *options)
{
	struct estimator estimator = {.options = options};
	struct error err = {0};
	int status;

	if (load(&estimator, &err) && estimate_all(&estimator, &err))
		status = message_end_output();
	else
		status = message_error(&err);
	unload(&estimator);
	return status;
}
