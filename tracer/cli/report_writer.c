#include "cli/report_writer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/output.h"
#include "base/path.h"
#include "cli/message.h"
#include "cli/terminal.h"
#include "costmodels/estimators/estimate.h"
#include "source/text.h"

bool report_writer_init(struct report_writer *writer, const struct options *options, FILE *standard, struct error *err)
{
	bool is_writable;
	char *path;

	*writer = (struct report_writer){.options = options, .report = options->report, .standard = standard};
	if (!model_set_load(&writer->models, options->models, true, "--model", err))
		return false;
	terminal_fit(options->output_path ? NULL : standard, &writer->report);
	if (!options->output_path)
		return true;
	path = path_expand_pid(options->output_path, (int32_t)getpid());
	is_writable = output_check(path, err);
	free(path);
	return is_writable;
}

void report_writer_deinit(struct report_writer *writer)
{
	model_set_deinit(&writer->models);
	multi_process_deinit(&writer->processes);
	if (writer->gathered)
		fclose(writer->gathered);
	free(writer->text);
	*writer = (struct report_writer){0};
}

bool report_writer_wants_calls(const struct report_writer *writer)
{
	return writer->options->calls || report_requires_calls(&writer->report) || writer->report.format == REPORT_HTML;
}

bool report_writer_wants_edges(const struct report_writer *writer)
{
	for (size_t i = 0; i < writer->models.n_models; i++)
		if (model_estimator(writer->models.models[i]) == ESTIMATOR_PAIRING)
			return true;
	return false;
}

/* Writes in one piece, because stderr is unbuffered and the program writes to it, too. On failure errno is set. */
static bool write_text(FILE *out, const char *text, size_t n_bytes)
{
	return fwrite(text, 1, n_bytes, out) == n_bytes && fflush(out) == 0;
}

static bool write_file(const char *path, const char *text, size_t n_bytes, struct error *err)
{
	FILE *file = output_open(path, err);
	bool is_written;

	if (!file)
		return false;
	is_written = write_text(file, text, n_bytes);
	if (fclose(file) != 0 || !is_written)
		return error_set_errno(err, ERROR_ENVIRONMENT, "cannot write the report to '%s'", path);
	return true;
}

/* Writes to the file, or to writer->standard if `path` is NULL. A report that the file does not take goes to stderr. */
static bool deliver(const struct report_writer *writer, const char *path, const char *text, size_t n_bytes)
{
	struct error err = {0};

	if (path) {
		if (write_file(path, text, n_bytes, &err))
			return true;
		message_error(&err);
		fputs("itrace: the report follows instead:\n", stderr);
		write_text(stderr, text, n_bytes);
		return false;
	}
	/* If stderr fails, no message can be shown. */
	if (write_text(writer->standard, text, n_bytes) || writer->standard == stderr)
		return true;
	error_set_errno(&err, ERROR_ENVIRONMENT, "cannot write the report to standard output");
	message_error(&err);
	return false;
}

/* Returns true if the reports on all processes go to one place. */
static bool gathers_processes(const struct options *options)
{
	return options->follow && !(options->output_path && strstr(options->output_path, "%p"));
}

static void analyse(const struct report_writer *writer, const struct profile *profile, struct run_analysis *analysis)
{
	struct analysis_request request = report_request(&writer->report);

	analysis_init(analysis, profile, (const struct model *const *)writer->models.models, writer->models.n_models,
		      &request);
}

static bool gather(struct report_writer *writer, const struct profile *profile)
{
	struct run_analysis analysis;

	if (!writer->gathered)
		writer->gathered = open_memstream(&writer->text, &writer->n_bytes);
	if (!writer->gathered)
		return false;
	analyse(writer, profile, &analysis);
	multi_process_write(&writer->processes, writer->gathered, &writer->report, &analysis);
	analysis_deinit(&analysis);
	return true;
}

static bool write_one(const struct report_writer *writer, const struct profile *profile)
{
	const char *path = writer->options->output_path;
	char *expanded = NULL, *text = NULL;
	size_t n_bytes = 0;
	FILE *memory = open_memstream(&text, &n_bytes);
	struct error err = {0};
	bool is_written = false;

	if (memory) {
		struct run_analysis analysis;

		analyse(writer, profile, &analysis);
		report_write(memory, &writer->report, &analysis);
		analysis_deinit(&analysis);
		is_written = fclose(memory) == 0;
	}
	if (is_written) {
		/* A saved profile has no process ID. */
		if (path)
			expanded = profile->pid ? path_expand_pid(path, profile->pid) : xstrdup(path);
		is_written = deliver(writer, expanded, text, n_bytes);
	} else {
		error_set_errno(&err, ERROR_ENVIRONMENT, "cannot make the report");
		message_error(&err);
	}
	free(text);
	free(expanded);
	return is_written;
}

static bool check_sums(const struct report_writer *writer, const struct profile *profile, struct error *err)
{
	for (uint32_t i = 0; i < profile->n_regions; i++)
		for (size_t k = 0; k < writer->models.n_models; k++)
			if (!estimate_check_overflow(writer->models.models[k], profile, i, err))
				return false;
	return true;
}

bool report_writer_write(struct report_writer *writer, const struct profile *profile)
{
	const struct option_list *folders = &writer->options->source_folders;
	struct source_text *texts = NULL;
	struct error err = {0};
	bool ok;

	if (!check_sums(writer, profile, &err)) {
		message_error(&err);
		return false;
	}
	if (writer->report.annotate || writer->report.format == REPORT_HTML) {
		texts = source_texts_create(profile, folders->items, folders->n_items);
		writer->report.sources = texts;
	}
	ok = gathers_processes(writer->options) ? gather(writer, profile) : write_one(writer, profile);
	source_texts_destroy(texts, profile->n_files);
	return ok;
}

bool report_writer_end(struct report_writer *writer)
{
	bool is_written;

	if (!writer->gathered)
		return true;
	multi_process_end(&writer->processes, writer->gathered, &writer->report);
	is_written = fclose(writer->gathered) == 0 &&
		     deliver(writer, writer->options->output_path, writer->text, writer->n_bytes);
	writer->gathered = NULL;
	return is_written;
}
