#include "cli/block.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "cli/function_blocks.h"
#include "cli/hex_bytes.h"
#include "cli/message.h"
#include "cli/options/block_options.h"
#include "cli/options/model_names.h"
#include "decode/insn.h"
#include "report/block.h"

#define TIMELINE_INSNS 24 /* if it is not said how many iterations */

/* Models, their pipelines, and room for what they say of one block. */
struct run {
	struct model **models; /* [n_models] */
	size_t n_models, models_capacity;
	struct block_estimate *estimates; /* [n_models] */
	enum block_mode mode;
	enum block_pointers pointers;
	bool wants_timeline;
	uint32_t iterations;
	struct block_writer writer;
};

static enum pipeline_mode mode_of(enum block_mode choice, const uint8_t *bytes, size_t n_bytes)
{
	struct insn insn;
	size_t at = 0;

	if (choice != BLOCK_MODE_BY_BLOCK)
		return choice == BLOCK_MODE_LOOP ? PIPELINE_LOOP : PIPELINE_UNROLLED;
	while (at < n_bytes && insn_decode(bytes + at, n_bytes - at, &insn)) {
		at += insn.length;
		if (at == n_bytes && (insn.flow == FLOW_BRANCH || insn.flow == FLOW_JUMP) &&
		    insn.displacement == -(int64_t)n_bytes)
			return PIPELINE_LOOP;
	}
	return PIPELINE_UNROLLED;
}

/* At least two iterations, so that one sees how they overlap. */
static uint32_t iterations_of(const struct run *run, const uint8_t *bytes, size_t n_bytes)
{
	struct insn insn;
	uint32_t n_insns = 0;

	if (!run->wants_timeline || run->iterations)
		return run->iterations;
	for (size_t at = 0; at < n_bytes && insn_decode(bytes + at, n_bytes - at, &insn); at += insn.length)
		n_insns++;
	return n_insns * 2 < TIMELINE_INSNS ? TIMELINE_INSNS / (n_insns ? n_insns : 1) : 2;
}

static char **disassemble(const struct pipeline_result *result, const uint8_t *bytes, size_t n_bytes)
{
	char **texts = xcalloc(result->n_insns + 1, sizeof(*texts));

	for (size_t i = 0; i < result->n_insns; i++) {
		size_t at = result->insns[i].offset;
		char text[256];

		insn_disassemble(bytes + at, n_bytes - at, at, text, sizeof(text));
		texts[i] = xstrdup(text);
	}
	return texts;
}

/* False if no model could make anything of the bytes. */
static bool estimate(struct run *run, const char *hex, const char *name, const uint8_t *bytes, size_t n_bytes,
		     struct error *err)
{
	struct block_report report = {.code_hex = hex,
				      .name = name,
				      .mode = mode_of(run->mode, bytes, n_bytes),
				      .estimates = run->estimates,
				      .n_estimates = run->n_models};
	struct pipeline_options how = {.mode = report.mode, .timeline_iterations = iterations_of(run, bytes, n_bytes)};
	char **texts = NULL;
	bool ok = true;

	how.pointers = run->pointers == BLOCK_POINTERS_SAME ||
				       (run->pointers == BLOCK_POINTERS_BY_MODE && report.mode == PIPELINE_UNROLLED)
			       ? POINTERS_SAME
			       : POINTERS_DISTINCT;
	for (size_t i = 0; i < run->n_models; i++) {
		struct block_estimate *one = &run->estimates[i];

		one->failed = !pipeline_estimate((struct pipeline *)one->pipeline, bytes, n_bytes, &how, &one->result,
						 err);
		one->problem = one->failed ? err->text : NULL;
		ok &= !one->failed;
	}
	if (ok && run->writer.format != REPORT_CSV)
		texts = disassemble(&run->estimates[0].result, bytes, n_bytes);
	report.disassembly = (const char *const *)texts;
	report_block_write(&run->writer, &report);
	for (size_t i = 0; texts && texts[i]; i++)
		free(texts[i]);
	free(texts);
	return ok;
}

static bool estimate_hex(struct run *run, const char *hex, struct error *err)
{
	size_t n_bytes = 0, n_most = strlen(hex) / 2;
	uint8_t *bytes = xcalloc(n_most + 1, 1);
	char *digits = hex_without_blanks(hex);
	bool ok = hex_bytes_add(hex, n_most, bytes, &n_bytes) && n_bytes > 0;

	if (ok)
		ok = estimate(run, digits, "", bytes, n_bytes, err);
	else
		error_set(err, ERROR_USAGE, "'%.80s' is no block: give bytes in hexadecimal", hex);
	free(digits);
	free(bytes);
	return ok;
}

static bool is_hex(const char *text)
{
	return *text && strspn(text, "0123456789abcdefABCDEF") == strlen(text);
}

/* The header is what stands in the first line and is no hexadecimal number. */
static bool estimate_lines(struct run *run, FILE *in, const char *path, struct error *err)
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
			ok = error_set(err, ERROR_FORMAT, "%s:%zu: '%.80s' is not bytes in hexadecimal", path, number,
				       line);
		else if (!estimate_hex(run, line, &problem))
			fprintf(stderr, "itrace: %s:%zu: %s\n", path, number, problem.text);
	}
	if (ok && ferror(in))
		ok = error_set_errno(err, ERROR_ENVIRONMENT, "cannot read %s", path);
	free(line);
	return ok;
}

static bool estimate_file(struct run *run, const char *path, struct error *err)
{
	FILE *in = fopen(path, "re");
	bool ok;

	if (!in)
		return error_set_errno(err, ERROR_ENVIRONMENT, "cannot open %s", path);
	ok = estimate_lines(run, in, path, err);
	fclose(in);
	return ok;
}

static bool estimate_function(struct run *run, const struct block_options *options, struct error *err)
{
	struct function_blocks blocks;
	bool ok = true;

	if (!function_blocks_init(&blocks, options->object, options->function, err))
		return false;
	for (size_t i = 0; ok && i < blocks.n_blocks; i++) {
		const struct function_block *block = &blocks.blocks[i];
		char *hex = xcalloc(2 * block->n_bytes + 1, 1);
		char *name = xasprintf("%s+0x%zx", options->function, block->offset);

		for (size_t j = 0; j < block->n_bytes; j++)
			snprintf(hex + 2 * j, 3, "%02x", blocks.bytes[block->offset + j]);
		ok = estimate(run, hex, name, blocks.bytes + block->offset, block->n_bytes, err);
		free(hex);
		free(name);
	}
	function_blocks_deinit(&blocks);
	return ok;
}

static bool load(struct run *run, const char *list, struct error *err)
{
	char *copy = xstrdup(list);
	size_t n_names = 0;
	const char **names = model_names_split(copy, "--model", &n_names, err);
	bool ok = names;

	for (size_t i = 0; ok && i < n_names; i++) {
		struct model *model = NULL;

		ok = model_load_once(names[i], run->models, run->n_models, &model, err);
		if (model)
			*ARRAY_ADD(run, models) = model;
	}
	free(names);
	free(copy);
	run->estimates = xcalloc(run->n_models + 1, sizeof(*run->estimates));
	for (size_t i = 0; ok && i < run->n_models; i++) {
		run->estimates[i].pipeline = pipeline_create(run->models[i], err);
		ok = run->estimates[i].pipeline;
	}
	return ok;
}

static void unload(struct run *run)
{
	for (size_t i = 0; i < run->n_models; i++) {
		pipeline_destroy((struct pipeline *)run->estimates[i].pipeline);
		pipeline_result_deinit(&run->estimates[i].result);
		model_destroy(run->models[i]);
	}
	free(run->models);
	free(run->estimates);
}

static bool run_all(struct run *run, const struct block_options *options, struct error *err)
{
	bool ok;

	if (!load(run, options->models, err))
		return false;
	run->mode = options->mode;
	run->pointers = options->pointers;
	run->wants_timeline = options->wants_timeline && options->format != REPORT_CSV;
	run->iterations = options->iterations;
	run->writer = (struct block_writer){.out = stdout, .format = options->format, .n_models = run->n_models};
	report_block_begin(&run->writer);
	ok = options->hex	   ? estimate_hex(run, options->hex, err)
	     : options->csv	   ? estimate_file(run, options->csv, err)
	     : options->from_stdin ? estimate_lines(run, stdin, "the input", err)
				   : estimate_function(run, options, err);
	report_block_end(&run->writer);
	if (ok && (fflush(stdout) != 0 || ferror(stdout)))
		ok = error_set_errno(err, ERROR_ENVIRONMENT, "cannot write the output");
	return ok;
}

int command_block(int argc, char **argv)
{
	struct block_options options;
	struct run run = {0};
	struct error err = {0};
	bool ok;

	if (!block_options_parse(&options, argc, argv, &err))
		return message_error(&err);
	if (options.wants_help) {
		fputs(block_options_help, stdout);
		return message_end_output();
	}
	ok = run_all(&run, &options, &err);
	unload(&run);
	return ok ? 0 : message_error(&err);
}
