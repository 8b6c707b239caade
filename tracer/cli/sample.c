#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/output.h"
#include "base/path.h"
#include "cli/commands.h"
#include "cli/message.h"
#include "cli/terminal.h"
#include "cli/tracing/signals.h"
#include "source/search.h"
#include "source/symbolize.h"
#include "costmodels/estimators/estimate.h"
#include "engine/engine.h"
#include "report/samples.h"
#include "source/source.h"

static struct interrupts *interrupts;

/* One run of `itrace sample`. */
struct sample_run {
	const struct options *options;
	struct model *model; /* of --check, or NULL */
	struct source *source;
	FILE *out;
	struct sampling sampling;
	struct sample_table table;
	struct sample_threads threads;
	struct sample_verdict verdict;
	struct sample_check check;
};

static bool prepare(struct sample_run *run, struct error *err)
{
	const struct options *options = run->options;

	run->source = source_create();
	for (size_t i = 0; i < options->maps.n_items; i++)
		if (!source_add_map(run->source, options->maps.items[i], err))
			return false;
	if (options->check && !(run->model = model_load(options->models, err)))
		return false;
	run->out = stderr;
	if (options->output_path && !(run->out = output_open(options->output_path, err)))
		return false;
	return true;
}

static void release(struct sample_run *run)
{
	sample_check_deinit(&run->check);
	sample_verdict_deinit(&run->verdict);
	sample_threads_deinit(&run->threads);
	sample_table_deinit(&run->table);
	sampling_deinit(&run->sampling);
	source_destroy(run->source);
	model_destroy(run->model);
	if (run->out && run->out != stderr)
		fclose(run->out);
}

/* The second run, for --check, reads the input of the first one if it can be rewound. The second output is hidden, as
 * the user has seen the first. */
struct standard_files {
	off_t input_offset; /* -1: cannot be rewound */
	int copies[2];	    /* of stdout and stderr while /dev/null replaces them; -1: none */
};

static void hide_output(struct standard_files *files)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (files->input_offset >= 0)
		lseek(STDIN_FILENO, files->input_offset, SEEK_SET);
	fflush(NULL);
	for (int i = 0; i < 2; i++) {
		files->copies[i] = fcntl(STDOUT_FILENO + i, F_DUPFD_CLOEXEC, 3);
		if (null >= 0 && files->copies[i] >= 0)
			dup2(null, STDOUT_FILENO + i);
	}
	if (null >= 0)
		close(null);
}

static void show_output(const struct standard_files *files)
{
	for (int i = 0; i < 2; i++) {
		if (files->copies[i] < 0)
			continue;
		dup2(files->copies[i], STDOUT_FILENO + i);
		close(files->copies[i]);
	}
}

static bool compare(struct sample_run *run, const struct profile *profile, struct error *err)
{
	const struct options *options = run->options;
	const char *function = option_list_last(&options->functions),
		   *region_name = option_list_last(&options->regions);
	const char *wanted = function ? function : region_name ? region_name : "all";
	struct profile_groups groups;
	struct estimate estimate;
	struct sample_exact *exact;
	uint32_t region = 0;

	while (region < profile->n_regions && (strcmp(profile->regions[region].name, wanted) != 0 ||
					       profile->regions[region].handlers_of != PROFILE_NONE))
		region++;
	if (region == profile->n_regions || !profile_region_executions(&profile->regions[region]))
		return error_set(err, ERROR_USAGE, "--check: the traced run did not reach %s %s",
				 function ? "function" : "region", wanted);
	estimate_region_init(&estimate, run->model, profile, region);
	profile_group_init(&groups, profile, region, GROUP_BY_FUNCTION);
	exact = xcalloc(groups.n_groups, sizeof(*exact));
	for (size_t i = 0; i < groups.n_groups; i++) {
		const struct profile_group *group = &groups.groups[i];

		exact[i].name = group->name;
		exact[i].module = group->module == PROFILE_NONE ? ""
								: path_file_name(profile->modules[group->module].path);
		exact[i].mcyc = estimate_group_mcyc(&estimate, group, NULL);
	}
	sample_check_init(&run->check, &run->table, model_name(run->model), exact, groups.n_groups);
	free(exact);
	profile_group_deinit(&groups);
	estimate_region_deinit(&estimate);
	return true;
}

static bool trace_and_compare(struct sample_run *run, struct standard_files *files, struct error *err)
{
	const struct options *options = run->options;
	const char *function = option_list_last(&options->functions), *region = option_list_last(&options->regions);
	const struct function_finder finder = source_function_finder(run->source);
	const struct trace_plan plan = {
		.argv = options->arguments,
		.disable_aslr = options->disable_aslr,
		.functions = &function,
		.n_functions = function ? 1 : 0,
		.only_regions = &region,
		.n_only_regions = region ? 1 : 0,
		.whole_program = !function && !region,
		.finder = &finder,
	};
	struct profile profile;
	bool ok;

	hide_output(files);
	ok = engine_run(&plan, interrupts, &profile, err);
	show_output(files);
	if (!ok)
		return false;
	symbolize_functions(&profile, run->source);
	ok = compare(run, &profile, err);
	profile_deinit(&profile);
	return ok;
}

static bool write_report(struct sample_run *run, struct error *err)
{
	const struct options *options = run->options;
	struct report_options how = options->report;
	const struct sample_report report = {
		.sampling = &run->sampling,
		.table = &run->table,
		.threads = options->per_thread ? &run->threads : NULL,
		.verdict = &run->verdict,
		.check = run->check.model ? &run->check : NULL,
	};

	if (!options->output_path)
		terminal_fit(stderr, &how);
	errno = 0;
	report_write_samples(run->out, &report, &how);
	if (fflush(run->out) == 0 && !ferror(run->out))
		return true;
	return error_set_errno(err, ERROR_ENVIRONMENT, "cannot write the report to '%s'",
			       options->output_path ? options->output_path : "stderr");
}

static int sample_program(struct sample_run *run)
{
	static const double ratios[] = {M_PI_2, M_E, M_PI};
	const struct options *options = run->options;
	const struct sample_plan plan = {
		.argv = options->arguments,
		.pid = (int32_t)options->pid,
		.disable_aslr = options->disable_aslr,
		.method = options->method,
		.period_ns = options->period_ns,
		.ratios = ratios,
		.n_ratios = options->trials ? ARRAY_LENGTH(ratios) : 0,
		.duration_ns = options->duration_ns,
	};
	struct standard_files files = {.input_offset = lseek(STDIN_FILENO, 0, SEEK_CUR)};
	struct error err = {0};
	int status;

	if (!prepare(run, &err))
		return message_error(&err);
	interrupts = signals_catch_interrupts(!plan.pid);
	if (!sampler_run(&plan, interrupts, &run->sampling, &err))
		return message_error(&err);
	sample_table_init(&run->table, &run->sampling, run->source, options->sample_by);
	sample_threads_init(&run->threads, &run->sampling, &run->table);
	sample_verdict_init(&run->verdict, &run->sampling, &run->table);
	status = run->sampling.exit_status;
	/* A user who interrupted the sampled run does not want another one. */
	if (options->check && interrupts->n_requests)
		sampling_note(&run->sampling, "no exact run for --check, because the sampled run was interrupted");
	else if (options->check && !trace_and_compare(run, &files, &err))
		status = message_error(&err);
	signals_release_interrupts();
	err = (struct error){0};
	if (!write_report(run, &err))
		status = message_error(&err);
	if (run->sampling.signal) {
		/* JSON and CSV must be alone on standard error. */
		if (options->output_path || options->report.format == REPORT_TEXT)
			message_killed(run->sampling.signal);
		signals_die_of(run->sampling.signal);
	}
	return status;
}

int command_sample(const struct options *options)
{
	struct sample_run run = {.options = options};
	int status = sample_program(&run);

	release(&run);
	return status;
}
