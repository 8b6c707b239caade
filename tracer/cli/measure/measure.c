#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/array.h"
#include "base/output.h"
#include "base/path.h"
#include "base/progress.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/measure/table.h"
#include "cli/message.h"
#include "cli/tracing/signals.h"
#include "costmodels/model/host.h"
#include "timing/conditions.h"
#include "timing/machine/parameters.h"
#include "timing/model_writer.h"

#define SUFFIX ".cost"
#define DEFAULT_PATH "host.cost"
/* The forms of this model are measured, too, because most programs use only these. */
#define EXTRA_MODEL "skylake"

/* A round of the commonest forms takes some 5 s on a busy machine, of all forms 90 to 260 s. */
static const struct survey_rounds quick_rounds = {5, 10}, all_rounds = {2, 5};

static volatile sig_atomic_t interrupted_by;

struct measurement {
	const struct options *options;
	struct host_cpu cpu;
	char *path, *name;
	struct model *model; /* the CPU's */
	const char **forms;  /* [n_forms] */
	size_t n_forms, forms_capacity;
	struct model *extra_model;
	struct model_set compared; /* with --compare */
	struct instruction_timer timer;
	struct conditions conditions;
	struct survey survey;
	struct measured_parameter parameters[MAX_MEASURED_PARAMETERS];
	size_t n_parameters;
	struct progress progress;
	struct timespec begin;
};

static void on_interrupt(int signal, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	interrupted_by = signal;
}

/* Makes the user's folder of models (FORMAT.md, "Where models are found"), and returns the file in it. */
static char *find_installed_path(struct error *err)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char *path = config && *config == '/' ? xasprintf("%s/itrace/models/" DEFAULT_PATH, config)
		     : home && *home	      ? xasprintf("%s/.config/itrace/models/" DEFAULT_PATH, home)
					      : NULL;

	if (!path) {
		error_set(err, ERROR_USAGE, "--install: the variable HOME is not set; use -o FILE");
		return NULL;
	}
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0777) && errno != EEXIST) {
			error_set_errno(err, ERROR_ENVIRONMENT, "--install: cannot make the folder %s", path);
			free(path);
			return NULL;
		}
		*slash = '/';
	}
	return path;
}

/* Takes the model's name from the name of its file. */
static bool find_name(struct measurement *measurement, struct error *err)
{
	const char *file_name = path_file_name(measurement->path);
	size_t n = strlen(file_name);

	if (n <= strlen(SUFFIX) || strcmp(file_name + n - strlen(SUFFIX), SUFFIX) != 0 ||
	    strspn(file_name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-") != n)
		return error_set(err, ERROR_USAGE,
				 "-o: expected a file NAME.cost, with letters, digits and '. _ + -' in the name, got "
				 "'%.80s'",
				 file_name);
	measurement->name = xasprintf("%.*s", (int)(n - strlen(SUFFIX)), file_name);
	return true;
}

static void add_form(struct measurement *measurement, const char *form_text)
{
	const char *pattern = measurement->options->forms;

	if (!pattern || fnmatch(pattern, form_text, FNM_CASEFOLD) == 0)
		*ARRAY_ADD(measurement, forms) = form_text;
}

static bool choose_forms(struct measurement *measurement, struct error *err)
{
	const char *form_text;

	for (size_t i = 0; i < SURVEY_N_COMMON_FORMS && measurement->options->quick; i++)
		add_form(measurement, survey_common_forms[i]);
	if (!measurement->options->quick) {
		measurement->extra_model = model_load(EXTRA_MODEL, err);
		if (!measurement->extra_model)
			return false;
		for (size_t i = 0; (form_text = model_row_form(measurement->model, i)); i++)
			add_form(measurement, form_text);
		for (size_t i = 0; (form_text = model_row_form(measurement->extra_model, i)); i++)
			if (!model_has_row(measurement->model, form_text))
				add_form(measurement, form_text);
		for (size_t i = 0; (form_text = survey_locked_forms[i]); i++)
			if (!model_has_row(measurement->model, form_text) &&
			    !model_has_row(measurement->extra_model, form_text))
				add_form(measurement, form_text);
	}
	return measurement->n_forms ||
	       error_set(err, ERROR_USAGE, "--forms: no form %smatches '%.80s'; 'itrace models form HEX' shows forms",
			 measurement->options->quick ? "of --quick " : "", measurement->options->forms);
}

/* A table is enough for those who ask for no file. */
static bool writes_model(const struct options *options)
{
	return !options->compare || options->output_path || options->install;
}

static bool prepare(struct measurement *measurement, struct error *err)
{
	const struct options *options = measurement->options;

	measurement->path = options->install ? find_installed_path(err)
					     : xstrdup(options->output_path ? options->output_path : DEFAULT_PATH);
	if (!measurement->path || !find_name(measurement, err) ||
	    (writes_model(options) && !output_check(measurement->path, err)) ||
	    (options->compare && !model_set_load(&measurement->compared, options->compare, true, "--compare", err)) ||
	    !host_find(&measurement->cpu, err))
		return false;
	measurement->model = model_load(measurement->cpu.model, err);
	if (!measurement->model || !choose_forms(measurement, err) || !clock_pin(err))
		return false;
	if (!measurement->cpu.is_exact)
		fprintf(stderr, "itrace: %s has no model; what cannot be measured is taken from %s\n",
			measurement->cpu.text, measurement->cpu.model);
	return true;
}

static uint64_t elapsed_ns(const struct measurement *measurement)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)((now.tv_sec - measurement->begin.tv_sec) * 1000000000 + now.tv_nsec -
			  measurement->begin.tv_nsec);
}

static bool show_progress(void *context, uint64_t done, uint64_t total)
{
	struct measurement *measurement = context;

	progress_update_part(&measurement->progress, "forms", done, total, elapsed_ns(measurement));
	return !interrupted_by;
}

static bool is_interrupted(void)
{
	return interrupted_by;
}

static void measure_machine(struct measurement *measurement)
{
	struct machine machine;
	char *missing;

	machine_init(&machine, &measurement->timer.clock, &measurement->timer.code);
	machine.must_stop = is_interrupted;
	for (size_t i = 0; i < machine_n_steps() && !interrupted_by; i++) {
		progress_update_part(&measurement->progress, machine_step_subject(i), i, machine_n_steps(),
				     elapsed_ns(measurement));
		machine_measure(&machine, i);
	}
	measurement->n_parameters = machine_list_parameters(&machine, measurement->model, measurement->parameters);
	missing = machine_describe_missing(&machine);
	if (missing)
		conditions_add(&measurement->conditions, missing);
}

static bool write_model(struct measurement *measurement, size_t *n_rows, struct error *err)
{
	struct conditions *conditions = &measurement->conditions;
	struct measured_model model = {
		.name = measurement->name,
		.inherited_name = measurement->cpu.model,
		.inherited = measurement->model,
		.survey = &measurement->survey,
		.parameters = measurement->parameters,
		.n_parameters = measurement->n_parameters,
		.cpu = conditions->cpu,
		.clock_mhz = conditions->clock_mhz,
		.conditions = (const char *const *)conditions->lines,
		.n_conditions = conditions->n_lines,
	};
	FILE *out = output_open(measurement->path, err);

	if (!out)
		return false;
	*n_rows = model_writer_write(out, &model);
	if (ferror(out) | fclose(out))
		return error_set_errno(err, ERROR_ENVIRONMENT, "cannot write all of %s", measurement->path);
	return true;
}

static void print_summary(const struct measurement *measurement, size_t n_rows)
{
	size_t n_unsteady = 0;

	for (size_t i = 0; i < measurement->survey.n_forms; i++)
		n_unsteady += measurement->survey.timings[i].has_throughput &&
			      !survey_is_steady(&measurement->survey.timings[i]);
	fprintf(stderr, "itrace: %s: %s of %s forms measured in %s%s\n", measurement->path, units_count(n_rows).text,
		units_count(measurement->n_forms).text, units_duration(elapsed_ns(measurement)).text,
		interrupted_by ? "; interrupted" : "");
	if (n_unsteady)
		fprintf(stderr,
			"itrace: the samples of %s forms differ by more than 2 %%: other programs run on this "
			"processor; measure again when it is idle\n",
			units_count(n_unsteady).text);
	if (!measurement->options->install)
		fprintf(stderr, "itrace: use it with --model ./%s, or run 'itrace measure --install'\n",
			path_file_name(measurement->path));
}

static bool measure(struct measurement *measurement, struct error *err)
{
	const char *vector_load = model_parameter(measurement->model, "vector_load_latency");
	size_t n_rows;
	bool is_done;

	clock_gettime(CLOCK_MONOTONIC, &measurement->begin);
	progress_init(&measurement->progress, stderr);
	if (!instruction_timer_init(&measurement->timer, vector_load ? atoi(vector_load) * MCYC_PER_CYCLE : 0, err))
		return false;
	conditions_init(&measurement->conditions, &measurement->timer.clock);
	is_done = survey_init(&measurement->survey, measurement->forms, measurement->n_forms,
			      measurement->options->quick ? quick_rounds : all_rounds, err) &&
		  survey_run(&measurement->survey, &measurement->timer, show_progress, measurement, err);
	if (is_done && !measurement->options->forms && writes_model(measurement->options))
		measure_machine(measurement);
	progress_end(&measurement->progress);
	if (is_done && measurement->options->compare)
		measure_table_write(&measurement->survey, measurement->conditions.clock_mhz, &measurement->compared);
	if (is_done && writes_model(measurement->options) && write_model(measurement, &n_rows, err))
		print_summary(measurement, n_rows);
	if (measurement->survey.timings)
		survey_deinit(&measurement->survey);
	conditions_deinit(&measurement->conditions);
	instruction_timer_deinit(&measurement->timer);
	return !err->kind;
}

int command_measure(const struct options *options)
{
	struct measurement measurement = {.options = options};
	struct error err = {0};

	signals_catch(on_interrupt);
	if (prepare(&measurement, &err))
		measure(&measurement, &err);
	model_destroy(measurement.model);
	model_destroy(measurement.extra_model);
	model_set_deinit(&measurement.compared);
	free(measurement.forms);
	free(measurement.path);
	free(measurement.name);
	if (err.kind)
		return message_error(&err);
	if (interrupted_by)
		signals_die_of(interrupted_by);
	return 0;
}
