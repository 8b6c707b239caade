#include "cli/sample.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/array.h"
#include "base/output.h"
#include "base/path.h"
#include "cli/message.h"
#include "cli/options/sample_options.h"
#include "cli/tracing/signals.h"
#include "source/demangle.h"
#include "source/symbolize.h"
#include "costmodels/estimators/estimate.h"
#include "engine/engine.h"
#include "report/samples.h"
#include "sampler/name_map.h"
#include "source/source.h"

static struct sampler_interrupts interrupts;
static struct engine_interrupts engine_interrupts;

struct command {
	struct sample_options options;
	struct model *model; /* of --check, or NULL */
	struct source *source;
	FILE *out;
	struct name_map *maps; /* [n_maps] */
	size_t n_maps, maps_capacity;
	struct sampling sampling;
	struct sample_table table;
	struct sample_threads threads;
	struct sample_verdict verdict;
	struct sample_check check;
};

static void on_interrupt(int signal, siginfo_t *info, void *context)
{
	(void)context;
	interrupts.signal = engine_interrupts.signal = signals_to_pass_on(signal, info);
	interrupts.count++;
	engine_interrupts.count++;
}

static bool prepare(struct command *command, struct error *err)
{
	const struct sample_options *options = &command->options;

	for (size_t i = 0; i < options->n_maps; i++) {
		struct name_map map;

		if (!name_map_read(&map, options->maps[i], err))
			return false;
		*ARRAY_ADD(command, maps) = map;
	}
	if (options->check && !(command->model = model_load(options->model, err)))
		return false;
	command->out = stderr;
	if (options->output_path && !(command->out = output_open(options->output_path, err)))
		return false;
	command->source = source_create();
	return true;
}

static void release(struct command *command)
{
	sample_check_deinit(&command->check);
	sample_verdict_deinit(&command->verdict);
	sample_threads_deinit(&command->threads);
	sample_table_deinit(&command->table);
	sampling_deinit(&command->sampling);
	for (size_t i = 0; i < command->n_maps; i++)
		name_map_deinit(&command->maps[i]);
	free(command->maps);
	source_destroy(command->source);
	model_destroy(command->model);
	if (command->out && command->out != stderr)
		fclose(command->out);
	sample_options_deinit(&command->options);
}

/* A just-in-time compiler leaves the names of what it made in /tmp/perf-PID.map. */
static void add_map_of_compiler(struct command *command)
{
	struct error ignored = {0};
	struct name_map map;
	char path[64];

	if (command->n_maps)
		return;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)command->sampling.pid);
	if (access(path, R_OK) == 0 && name_map_read(&map, path, &ignored))
		*ARRAY_ADD(command, maps) = map;
}

/* The second run reads the same input as the first, where that can be wound back, and what it prints is known
 * already. */
struct standard_files {
	off_t input_offset; /* -1: cannot be wound back */
	int output, error;  /* the true ones, while the run has /dev/null; -1 */
};

static void hide_output(struct standard_files *files)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	files->output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	files->error = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (files->input_offset >= 0)
		lseek(STDIN_FILENO, files->input_offset, SEEK_SET);
	fflush(NULL);
	if (null >= 0 && files->output >= 0)
		dup2(null, STDOUT_FILENO);
	if (null >= 0 && files->error >= 0)
		dup2(null, STDERR_FILENO);
	if (null >= 0)
		close(null);
}

static void show_output(const struct standard_files *files)
{
	if (files->output >= 0) {
		dup2(files->output, STDOUT_FILENO);
		close(files->output);
	}
	if (files->error >= 0) {
		dup2(files->error, STDERR_FILENO);
		close(files->error);
	}
}

static bool compare(struct command *command, const struct profile *profile, struct error *err)
{
	const struct sample_options *options = &command->options;
	const char *wanted = options->function ? options->function : options->region ? options->region : "all";
	struct profile_groups groups;
	struct estimate estimate;
	struct sample_exact *exact;
	uint32_t region = 0;

	while (region < profile->n_regions && (strcmp(profile->regions[region].name, wanted) != 0 ||
					       profile->regions[region].handlers_of != PROFILE_NONE))
		region++;
	if (region == profile->n_regions || !profile_region_executions(&profile->regions[region]))
		return error_set(err, ERROR_USAGE, "--check: %s was not reached in the traced run", wanted);
	estimate_region_init(&estimate, command->model, profile, region);
	profile_group_init(&groups, profile, region, GROUP_BY_FUNCTION);
	exact = xcalloc(groups.n_groups, sizeof(*exact));
	for (size_t i = 0; i < groups.n_groups; i++) {
		const struct profile_group *group = &groups.groups[i];

		exact[i].name = group->name;
		exact[i].module = group->module == PROFILE_NONE ? ""
								: path_file_name(profile->modules[group->module].path);
		exact[i].mcyc = estimate_group_mcyc(&estimate, group, NULL);
	}
	sample_check_init(&command->check, &command->table, model_name(command->model), exact, groups.n_groups);
	free(exact);
	profile_group_deinit(&groups);
	estimate_region_deinit(&estimate);
	return true;
}

static bool trace_and_compare(struct command *command, struct standard_files *files, struct error *err)
{
	const struct sample_options *options = &command->options;
	const struct trace_plan plan = {
		.argv = options->program,
		.disable_aslr = options->disable_aslr,
		.functions = &options->function,
		.n_functions = options->function ? 1 : 0,
		.only_regions = &options->region,
		.n_only_regions = options->region ? 1 : 0,
		.whole_program = !options->function && !options->region,
		.demangle = source_demangle,
	};
	struct profile profile;
	bool ok;

	hide_output(files);
	ok = engine_run(&plan, &engine_interrupts, &profile, err);
	show_output(files);
	if (!ok)
		return false;
	symbolize_functions(&profile, command->source);
	ok = compare(command, &profile, err);
	profile_deinit(&profile);
	return ok;
}

static void fit_to_terminal(struct report_options *options)
{
	const char *columns = getenv("COLUMNS"), *no_color = getenv("NO_COLOR");
	struct winsize size;

	if (!isatty(STDERR_FILENO))
		return;
	options->color = !no_color || !*no_color;
	if (columns && atoi(columns) > 0)
		options->width = (unsigned)atoi(columns);
	else if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0)
		options->width = size.ws_col;
}

static bool write_report(struct command *command, struct error *err)
{
	struct sample_options *options = &command->options;
	const struct sample_report report = {
		.sampling = &command->sampling,
		.table = &command->table,
		.threads = options->per_thread ? &command->threads : NULL,
		.verdict = &command->verdict,
		.check = command->check.model ? &command->check : NULL,
	};

	if (!options->output_path)
		fit_to_terminal(&options->report);
	errno = 0;
	report_write_samples(command->out, &report, &options->report);
	if (fflush(command->out) == 0 && !ferror(command->out))
		return true;
	return error_set_errno(err, ERROR_ENVIRONMENT, "cannot write the report to '%s'",
			       options->output_path ? options->output_path : "stderr");
}

static int sample_program(struct command *command)
{
	static const double ratios[] = {M_PI_2, M_E, M_PI};
	const struct sample_options *options = &command->options;
	const struct sample_plan plan = {
		.argv = options->program,
		.pid = options->pid,
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

	if (!prepare(command, &err))
		return message_error(&err);
	signals_catch_interrupts(on_interrupt);
	if (!sampler_run(&plan, &interrupts, &command->sampling, &err))
		return message_error(&err);
	add_map_of_compiler(command);
	sample_table_init(&command->table, &command->sampling, command->source, command->maps, command->n_maps,
			  options->by);
	sample_threads_init(&command->threads, &command->sampling, &command->table);
	sample_verdict_init(&command->verdict, &command->sampling, &command->table);
	status = command->sampling.exit_status;
	/* Who interrupts the sampled run does not want another one. */
	if (options->check && !interrupts.count && !trace_and_compare(command, &files, &err))
		status = message_error(&err);
	err = (struct error){0};
	if (!write_report(command, &err))
		status = message_error(&err);
	if (command->sampling.signal)
		signals_die_of(command->sampling.signal);
	return status;
}

int command_sample(int argc, char **argv)
{
	struct command command = {0};
	struct error err = {0};
	int status = 0;

	switch (sample_options_parse(&command.options, argc, argv, &err)) {
	case SAMPLE_OPTIONS_RUN:
		status = sample_program(&command);
		break;
	case SAMPLE_OPTIONS_HELP:
		fputs(sample_options_help, stdout);
		status = message_end_output();
		break;
	case SAMPLE_OPTIONS_WRONG:
		status = message_error(&err);
		break;
	}
	release(&command);
	return status;
}
