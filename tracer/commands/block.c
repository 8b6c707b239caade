#include "commands/block.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "commands/function_blocks.h"
#include "commands/message.h"
#include "commands/option_refusal.h"
#include "decode/insn.h"
#include "report/block.h"

static const char usage[] =
	"usage: itrace block [options] --hex HEX                     one basic block, in hexadecimal\n"
	"       itrace block [options] --csv FILE                    the first column of each line but the header\n"
	"       itrace block [options] -                             the same from the input\n"
	"       itrace block [options] --object FILE --function NAME the blocks of a function\n"
	"\n"
	"What one iteration costs on an out-of-order CPU in the steady state, and what bounds it.\n"
	"\n"
	"  -m, --model A,B       cost models [skylake]\n"
	"      --mode MODE       unrolled, copies of the block in a row, or loop [loop for a block that ends\n"
	"                        with a jump to its begin, else unrolled]\n"
	"      --pointers WHAT   distinct: registers point to different places, or same: all registers and all memory\n"
	"                        hold one address, as measured blocks are set up [same if unrolled, else distinct]\n"
	"      --timeline[=N]    when each instruction of N iterations was issued, executed and retired [some 24\n"
	"                        instructions]\n"
	"      --format FORMAT   text, json or csv [csv for --csv and -, else text]\n"
	"  -h, --help            this text\n";

enum {
	OPTION_HEX = 256,
	OPTION_CSV,
	OPTION_OBJECT,
	OPTION_FUNCTION,
	OPTION_MODE,
	OPTION_POINTERS,
	OPTION_TIMELINE,
	OPTION_FORMAT
};

static const struct option long_options[] = {
	{"model", required_argument, NULL, 'm'},
	{"hex", required_argument, NULL, OPTION_HEX},
	{"csv", required_argument, NULL, OPTION_CSV},
	{"object", required_argument, NULL, OPTION_OBJECT},
	{"function", required_argument, NULL, OPTION_FUNCTION},
	{"mode", required_argument, NULL, OPTION_MODE},
	{"pointers", required_argument, NULL, OPTION_POINTERS},
	{"timeline", optional_argument, NULL, OPTION_TIMELINE},
	{"format", required_argument, NULL, OPTION_FORMAT},
	{"help", no_argument, NULL, 'h'},
	{0},
};

enum {
	ITERATIONS_MAX = 1000, /* of a timeline */
	TIMELINE_INSNS = 24,   /* if it is not said how many iterations */
};

enum mode_choice { MODE_BY_BLOCK, MODE_UNROLLED, MODE_LOOP };
enum pointers_choice { POINTERS_BY_MODE, POINTERS_CHOSEN_DISTINCT, POINTERS_CHOSEN_SAME };

struct block_options {
	const char *models, *hex, *csv, *object, *function;
	bool from_stdin, has_format, wants_help, wants_timeline;
	uint32_t iterations; /* of the timeline; 0: as many as are good to read */
	enum mode_choice mode;
	enum pointers_choice pointers;
	enum report_format format;
};

/* Models, their pipelines, and room for what they say of one block. */
struct run {
	struct model **models; /* [n_models] */
	size_t n_models, models_capacity;
	struct block_estimate *estimates; /* [n_models] */
	enum mode_choice mode;
	enum pointers_choice pointers;
	bool wants_timeline;
	uint32_t iterations;
	struct block_writer writer;
};

static bool parse_mode(const char *text, enum mode_choice *mode, struct error *err)
{
	if (strcmp(text, "unrolled") == 0)
		*mode = MODE_UNROLLED;
	else if (strcmp(text, "loop") == 0)
		*mode = MODE_LOOP;
	else
		return error_set(err, ERROR_USAGE, "--mode %s: there are unrolled and loop", text);
	return true;
}

static bool parse_pointers(const char *text, enum pointers_choice *pointers, struct error *err)
{
	if (strcmp(text, "distinct") == 0)
		*pointers = POINTERS_CHOSEN_DISTINCT;
	else if (strcmp(text, "same") == 0)
		*pointers = POINTERS_CHOSEN_SAME;
	else
		return error_set(err, ERROR_USAGE, "--pointers %s: there are distinct and same", text);
	return true;
}

static bool parse_format(const char *text, enum report_format *format, struct error *err)
{
	if (strcmp(text, "text") == 0)
		*format = REPORT_TEXT;
	else if (strcmp(text, "json") == 0)
		*format = REPORT_JSON;
	else if (strcmp(text, "csv") == 0)
		*format = REPORT_CSV;
	else
		return error_set(err, ERROR_USAGE, "--format %s: there are text, json and csv", text);
	return true;
}

static bool parse_iterations(const char *text, uint32_t *iterations, struct error *err)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || !number || number > ITERATIONS_MAX)
		return error_set(err, ERROR_USAGE, "--timeline=%.80s: give a number of iterations, 1 to %d", text,
				 ITERATIONS_MAX);
	*iterations = (uint32_t)number;
	return true;
}

static bool apply(struct block_options *options, int option, const char *value, struct error *err)
{
	switch (option) {
	case 'm':
		options->models = value;
		return true;
	case OPTION_HEX:
		options->hex = value;
		return true;
	case OPTION_CSV:
		options->csv = value;
		return true;
	case OPTION_OBJECT:
		options->object = value;
		return true;
	case OPTION_FUNCTION:
		options->function = value;
		return true;
	case OPTION_MODE:
		return parse_mode(value, &options->mode, err);
	case OPTION_POINTERS:
		return parse_pointers(value, &options->pointers, err);
	case OPTION_TIMELINE:
		options->wants_timeline = true;
		return !value || parse_iterations(value, &options->iterations, err);
	case OPTION_FORMAT:
		options->has_format = true;
		return parse_format(value, &options->format, err);
	default:
		options->wants_help = true;
		return true;
	}
}

static bool check(struct block_options *options, int n_rest, char **rest, struct error *err)
{
	options->from_stdin = n_rest == 1 && strcmp(rest[0], "-") == 0;
	if (n_rest && !options->from_stdin)
		return error_set(err, ERROR_USAGE, "block: '%.80s' is no option; try 'itrace block --help'", rest[0]);
	if (!options->object != !options->function)
		return error_set(err, ERROR_USAGE, "--object and --function are given together or not at all");
	if (!!options->hex + !!options->csv + !!options->object + options->from_stdin != 1)
		return error_set(err, ERROR_USAGE,
				 "block: give one of --hex, --csv, --object and -; try 'itrace block --help'");
	if (!options->has_format)
		options->format = options->csv || options->from_stdin ? REPORT_CSV : REPORT_TEXT;
	if (options->wants_timeline && options->format == REPORT_CSV)
		return error_set(
			err, ERROR_USAGE,
			"--timeline is for --format text and json; many blocks are csv unless another is given");
	return true;
}

static bool parse_options(struct block_options *options, int argc, char **argv, struct error *err)
{
	int option;

	*options = (struct block_options){.models = "skylake"};
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":m:h", long_options, NULL)) != -1) {
		if (option == '?' || option == ':')
			return option_refuse(option, argv[optind - 1], long_options, "itrace block --help", err);
		if (!apply(options, option, optarg, err))
			return false;
	}
	return options->wants_help || check(options, argc - optind, argv + optind, err);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* bytes[strlen(hex) / 2]. False if it is not an even number of digits, at least two. */
static bool parse_hex(const char *hex, uint8_t *bytes, size_t *n_bytes)
{
	size_t n = 0;

	for (; *hex; hex += 2) {
		int high = hex_digit(hex[0]), low = high < 0 ? -1 : hex_digit(hex[1]);

		if (low < 0)
			return false;
		bytes[n++] = (uint8_t)(high << 4 | low);
	}
	*n_bytes = n;
	return n > 0;
}

static enum pipeline_mode mode_of(enum mode_choice choice, const uint8_t *bytes, size_t n_bytes)
{
	struct insn insn;
	size_t at = 0;

	if (choice != MODE_BY_BLOCK)
		return choice == MODE_LOOP ? PIPELINE_LOOP : PIPELINE_UNROLLED;
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

	how.pointers = run->pointers == POINTERS_CHOSEN_SAME ||
				       (run->pointers == POINTERS_BY_MODE && report.mode == PIPELINE_UNROLLED)
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
	uint8_t *bytes = xcalloc(strlen(hex) / 2 + 1, 1);
	size_t n_bytes;
	bool ok = parse_hex(hex, bytes, &n_bytes);

	if (ok)
		ok = estimate(run, hex, "", bytes, n_bytes, err);
	else
		error_set(err, ERROR_USAGE, "'%.80s' is no block: give bytes in hexadecimal", hex);
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

static bool load(struct run *run, const char *names, struct error *err)
{
	char *copy = xstrdup(names), *rest = copy, *name;
	bool ok = true;

	while (ok && (name = strsep(&rest, ","))) {
		struct model *model = *name ? model_load(name, err) : NULL;

		if (!*name)
			continue;
		ok = model;
		if (ok)
			*ARRAY_ADD(run, models) = model;
	}
	free(copy);
	if (ok && !run->n_models)
		ok = error_set(err, ERROR_USAGE, "--model names no model; 'itrace models' lists them");
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

	if (!parse_options(&options, argc, argv, &err))
		return message_error(&err);
	if (options.wants_help) {
		fputs(usage, stdout);
		return message_end_output();
	}
	ok = run_all(&run, &options, &err);
	unload(&run);
	return ok ? 0 : message_error(&err);
}
