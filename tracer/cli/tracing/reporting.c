#include "cli/tracing/reporting.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/array.h"
#include "base/output.h"
#include "cli/message.h"
#include "cli/options/output_path.h"
#include "source/text.h"
#include "costmodels/estimators/estimate_check.h"
#include "costmodels/model/model_path.h"
#include "report/report.h"

static bool has_model(const struct reporting *reporting, const char *name)
{
	for (size_t i = 0; i < reporting->n_models; i++)
		if (strcmp(model_name(reporting->models[i]), name) == 0)
			return true;
	return false;
}

/* All that are not there yet. One that does not load is said, and does not keep the others from being shown. */
static void load_all(struct reporting *reporting)
{
	struct model_path_files list;

	model_path_list_init(&list);
	for (size_t i = 0; i < list.n_files; i++) {
		struct error err = {0};
		struct model *model;

		if (has_model(reporting, list.files[i].name))
			continue;
		model = model_load(list.files[i].path, &err);
		if (!model)
			message_error(&err);
		else if (has_model(reporting, model_name(model)))
			model_destroy(model);
		else
			*ARRAY_ADD(reporting, models) = model;
	}
	model_path_list_deinit(&list);
}

static bool load_models(struct reporting *reporting, struct error *err)
{
	for (size_t i = 0; i < reporting->options->n_model_names; i++) {
		const char *name = reporting->options->model_names[i];
		struct model *model;

		if (strcmp(name, "all") == 0) {
			load_all(reporting);
			continue;
		}
		if (!model_load_once(name, reporting->models, reporting->n_models, &model, err))
			return false;
		if (model)
			*ARRAY_ADD(reporting, models) = model;
	}
	if (reporting->n_models == 0)
		return error_set(err, ERROR_USAGE, "no model is installed; ITRACE_MODEL_PATH may name their folder");
	return true;
}

bool reporting_init(struct reporting *reporting, struct options *options, FILE *standard, struct error *err)
{
	bool writable;
	char *path;

	*reporting = (struct reporting){.options = options, .standard = standard};
	if (!load_models(reporting, err))
		return false;
	if (!options->output_path)
		return true;
	path = output_path_expand(options->output_path, (int32_t)getpid());
	/* A run may take long: what can fail now should. It is left as it is until there is a report. */
	writable = output_check(path, err);
	free(path);
	return writable;
}

void reporting_deinit(struct reporting *reporting)
{
	for (size_t i = 0; i < reporting->n_models; i++)
		model_destroy(reporting->models[i]);
	free(reporting->models);
	multi_process_deinit(&reporting->processes);
	if (reporting->gathered)
		fclose(reporting->gathered);
	free(reporting->text);
	*reporting = (struct reporting){0};
}

static void fit_to_terminal(struct reporting *reporting)
{
	struct report_options *options = &reporting->options->report;
	const char *columns = getenv("COLUMNS"), *no_color = getenv("NO_COLOR");
	int fd = fileno(reporting->standard);
	struct winsize size;

	if (!isatty(fd))
		return;
	options->color = !no_color || !*no_color;
	if (columns && atoi(columns) > 0)
		options->width = (unsigned)atoi(columns);
	else if (ioctl(fd, TIOCGWINSZ, &size) == 0)
		options->width = size.ws_col;
}

/* As one piece: stderr has no buffer, and others write to it. False with errno set when not all could be written. */
static bool write_text(FILE *out, const char *text, size_t n_bytes)
{
	return fwrite(text, 1, n_bytes, out) == n_bytes && fflush(out) == 0;
}

static bool write_text_to_file(const char *path, const char *text, size_t n_bytes, struct error *err)
{
	FILE *file = output_open(path, err);
	bool written;

	if (!file)
		return false;
	written = write_text(file, text, n_bytes);
	if (fclose(file) != 0 || !written)
		return error_set_errno(err, ERROR_ENVIRONMENT, "cannot write the report to '%s'", path);
	return true;
}

static bool check_sums(const struct reporting *reporting, const struct profile *profile, struct error *err)
{
	for (uint32_t i = 0; i < profile->n_regions; i++)
		for (size_t k = 0; k < reporting->n_models; k++)
			if (!estimate_check(reporting->models[k], profile, i, err))
				return false;
	return true;
}

bool reporting_wants_edges(const struct reporting *reporting)
{
	for (size_t i = 0; i < reporting->n_models; i++)
		if (model_estimator(reporting->models[i]) == ESTIMATOR_PAIRING)
			return true;
	return false;
}

/* A report that cannot be written where it should go is shown instead of lost. */
static bool put_out_to_file(const char *path, const char *text, size_t n_bytes)
{
	struct error err = {0};

	if (write_text_to_file(path, text, n_bytes, &err))
		return true;
	message_error(&err);
	fputs("itrace: here it is instead:\n", stderr);
	write_text(stderr, text, n_bytes);
	return false;
}

static bool put_out(const struct reporting *reporting, const char *path, const char *text, size_t n_bytes)
{
	struct error err = {0};

	if (path)
		return put_out_to_file(path, text, n_bytes);
	/* Without stderr there is nobody to be told. */
	if (write_text(reporting->standard, text, n_bytes) || reporting->standard == stderr)
		return true;
	error_set_errno(&err, ERROR_ENVIRONMENT, "cannot write the report to standard output");
	message_error(&err);
	return false;
}

/* Whether the reports on all processes go to one place. */
static bool gathers(const struct options *options)
{
	return options->follow && !(options->output_path && strstr(options->output_path, "%p"));
}

static void analyse(struct run_analysis *analysis, const struct reporting *reporting, const struct profile *profile)
{
	struct analysis_request request = report_request(&reporting->options->report);

	analysis_init(analysis, profile, (const struct model *const *)reporting->models, reporting->n_models, &request);
}

static bool gather(struct reporting *reporting, const struct profile *profile)
{
	struct run_analysis analysis;

	if (!reporting->gathered)
		reporting->gathered = open_memstream(&reporting->text, &reporting->n_bytes);
	if (!reporting->gathered)
		return false;
	analyse(&analysis, reporting, profile);
	multi_process_write(&reporting->processes, reporting->gathered, &reporting->options->report, &analysis);
	analysis_deinit(&analysis);
	return true;
}

/* A saved profile does not tell its process. */
static char *expand(const char *path, const struct profile *profile)
{
	return profile->pid ? output_path_expand(path, profile->pid) : xstrdup(path);
}

static bool write_one(const struct reporting *reporting, const struct profile *profile)
{
	const char *path = reporting->options->output_path;
	char *expanded = path ? expand(path, profile) : NULL, *text = NULL;
	size_t n_bytes = 0;
	FILE *memory = open_memstream(&text, &n_bytes);
	bool written = false;

	if (memory) {
		struct run_analysis analysis;

		analyse(&analysis, reporting, profile);
		report_write(memory, &reporting->options->report, &analysis);
		analysis_deinit(&analysis);
		written = fclose(memory) == 0;
	}
	if (written) {
		written = put_out(reporting, expanded, text, n_bytes);
	} else {
		struct error err;

		error_set_errno(&err, ERROR_ENVIRONMENT, "cannot make the report");
		message_error(&err);
	}
	free(text);
	free(expanded);
	return written;
}

bool reporting_write(struct reporting *reporting, const struct profile *profile)
{
	struct options *options = reporting->options;
	struct source_text *texts = NULL;
	struct error err = {0};
	bool is_good;

	if (!check_sums(reporting, profile, &err)) {
		message_error(&err);
		return false;
	}
	if (!options->output_path)
		fit_to_terminal(reporting);
	if (options->report.annotate || options->report.format == REPORT_HTML) {
		texts = source_texts_create(profile, options->source_folders, options->n_source_folders);
		options->report.sources = texts;
	}
	is_good = gathers(options) ? gather(reporting, profile) : write_one(reporting, profile);
	source_texts_destroy(texts, profile->n_files);
	return is_good;
}

bool reporting_end(struct reporting *reporting)
{
	bool written;

	if (!reporting->gathered)
		return true;
	multi_process_end(&reporting->processes, reporting->gathered, &reporting->options->report);
	written = fclose(reporting->gathered) == 0 &&
		  put_out(reporting, reporting->options->output_path, reporting->text, reporting->n_bytes);
	reporting->gathered = NULL;
	return written;
}
