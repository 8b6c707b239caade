#include "commands/run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/escape.h"
#include "base/progress.h"
#include "commands/options.h"
#include "commands/symbolize.h"
#include "costmodels/model.h"
#include "engine/engine.h"
#include "report/report.h"
#include "source/source.h"

#define EXIT_FAILED 125

static struct engine_interrupts interrupts;

struct run {
	struct options options;
	struct model **models; /* [options.n_model_names] */
	FILE *report;
	FILE *trace; /* or NULL */
	struct source *source;
	struct progress progress;
	struct timespec begin;
};

static void complain(const struct error *err)
{
	fprintf(stderr, "itrace: %s\n", err->text);
}

static void on_interrupt(int signal, siginfo_t *info, void *context)
{
	enum { INSISTENCE = 3, INSISTENCE_S = 2 };
	static time_t times[INSISTENCE]; /* of the last interrupts */
	struct timespec now;

	(void)context;
	clock_gettime(CLOCK_MONOTONIC, &now);
	/* ^C and ^\ reach the whole foreground group, the program too; a signal that someone sent is passed on. */
	interrupts.signal = info->si_code == SI_KERNEL ? 0 : signal;
	times[interrupts.count % INSISTENCE] = now.tv_sec;
	interrupts.count++;
	interrupts.insists = interrupts.count >= INSISTENCE &&
			     now.tv_sec - times[interrupts.count % INSISTENCE] <= INSISTENCE_S;
}

static void on_broken_pipe(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	(void)context;
}

/* What nohup ignores stays ignored. */
static void catch_signal(int signal, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	struct sigaction former;

	if (sigaction(signal, NULL, &former) == 0 && former.sa_handler != SIG_IGN)
		sigaction(signal, &action, NULL);
}

static void catch_interrupts(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP};

	for (size_t i = 0; i < ARRAY_LENGTH(signals); i++)
		catch_signal(signals[i], on_interrupt);
	/* A reader of the trace that goes away must not end the traced program. Ignoring would be inherited by it. */
	catch_signal(SIGPIPE, on_broken_pipe);
}

static void on_instruction(void *context, struct profile *profile, uint32_t insn)
{
	struct run *run = context;

	symbolize_insn(profile, run->source, insn);
	report_write_trace_line(run->trace, profile, insn);
}

static void on_progress(void *context, const char *region, uint64_t instructions)
{
	struct run *run = context;
	struct timespec now;

	if (!region) {
		progress_end(&run->progress);
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	progress_update(&run->progress, region, instructions,
			(uint64_t)(now.tv_sec - run->begin.tv_sec) * 1000000000u + (uint64_t)now.tv_nsec -
				(uint64_t)run->begin.tv_nsec);
}

static bool load_models(struct run *run, struct error *err)
{
	run->models = xcalloc(run->options.n_model_names, sizeof(*run->models));
	for (size_t i = 0; i < run->options.n_model_names; i++) {
		run->models[i] = model_load(run->options.model_names[i], err);
		if (!run->models[i])
			return false;
	}
	return true;
}

static FILE *open_output(const char *path, struct error *err)
{
	FILE *file = fopen(path, "we");

	if (!file)
		error_set_errno(err, ERROR_ENVIRONMENT, "cannot write to '%s'", path);
	return file;
}

static bool prepare(struct run *run, struct error *err)
{
	if (!load_models(run, err))
		return false;
	run->report = stderr;
	if (run->options.output_path && !(run->report = open_output(run->options.output_path, err)))
		return false;
	if (run->options.trace) {
		run->trace = stderr;
		if (run->options.trace_path && !(run->trace = open_output(run->options.trace_path, err)))
			return false;
	}
	run->source = source_create();
	progress_init(&run->progress, stderr);
	clock_gettime(CLOCK_MONOTONIC, &run->begin);
	return true;
}

static void release(struct run *run)
{
	for (size_t i = 0; run->models && i < run->options.n_model_names; i++)
		model_destroy(run->models[i]);
	free(run->models);
	source_destroy(run->source);
	if (run->report && run->report != stderr)
		fclose(run->report);
	if (run->trace && run->trace != stderr)
		fclose(run->trace);
	options_deinit(&run->options);
}

static void fit_to_terminal(struct report_options *options)
{
	struct winsize size;
	const char *columns = getenv("COLUMNS"), *no_color = getenv("NO_COLOR");

	if (!isatty(STDERR_FILENO))
		return;
	options->color = !no_color || !*no_color;
	if (columns && atoi(columns) > 0)
		options->width = (unsigned)atoi(columns);
	else if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0)
		options->width = size.ws_col;
}

static bool flushed(FILE *file, const char *what, const char *path, struct error *err)
{
	errno = 0;
	if (fflush(file) == 0 && !ferror(file))
		return true;
	return error_set_errno(err, ERROR_ENVIRONMENT, "cannot write the %s to '%s'", what, path);
}

/* A report that cannot be written where it should go is shown instead of lost. */
static bool write_report(struct run *run, const struct profile *profile)
{
	const struct model *const *models = (const struct model *const *)run->models;
	struct error err = {0};

	if (!run->options.output_path)
		fit_to_terminal(&run->options.report);
	report_write(run->report, profile, models, run->options.n_model_names, &run->options.report);
	if (!run->options.output_path || flushed(run->report, "report", run->options.output_path, &err))
		return true;
	complain(&err);
	fputs("itrace: here it is instead:\n", stderr);
	report_write(stderr, profile, models, run->options.n_model_names, &run->options.report);
	return false;
}

static bool any_region_reached(const struct run *run, const struct profile *profile)
{
	for (size_t i = 0; i < profile->n_regions; i++) {
		bool wanted = !run->options.n_regions;

		for (size_t j = 0; j < run->options.n_regions; j++)
			wanted |= strcmp(run->options.regions[j], profile->regions[i].name) == 0;
		if (wanted && profile->regions[i].visits)
			return true;
	}
	return false;
}

static bool is_known_region(const struct profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->n_regions; i++)
		if (strcmp(profile->regions[i].name, name) == 0)
			return true;
	return false;
}

static void explain_no_region(const struct options *options, const struct profile *profile)
{
	bool any = false;

	fputs("itrace: no region was reached, so there is nothing to report\n", stderr);
	for (size_t i = 0; i < options->n_regions; i++)
		if (!is_known_region(profile, options->regions[i]))
			fprintf(stderr, "itrace: no region is named '%s'\n", options->regions[i]);
	for (size_t i = 0; i < profile->n_notes; i++) {
		char *note = escape_text(profile->notes[i], ESCAPE_FOR_TERMINAL);

		fprintf(stderr, "itrace: %s\n", note);
		free(note);
	}
	for (size_t i = 0; i < profile->n_regions; i++) {
		const struct profile_region *region = &profile->regions[i];
		char *name;

		if (!region->n_markers)
			continue;
		fputs(any ? "," : "itrace: the program marks these regions:", stderr);
		any = true;
		name = escape_text(region->name, ESCAPE_FOR_TERMINAL);
		fprintf(stderr, " %s (%u place%s%s)", name, region->n_markers, region->n_markers == 1 ? "" : "s",
			region->visits ? ", reached" : "");
		free(name);
	}
	if (any)
		fputs("\n", stderr);
	else
		fputs("itrace: the program has no PA_BEGIN markers; --function NAME, --start and --stop, or --all choose a region "
		      "without them, --scopes those of PA_SCOPE\n",
		      stderr);
}

/* The program's signal becomes itrace's, without a core dump of itrace's own. */
static void die_like_program(int signal)
{
	const struct rlimit none = {0};
	sigset_t set;

	setrlimit(RLIMIT_CORE, &none);
	fflush(NULL);
	sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
	sigemptyset(&set);
	sigaddset(&set, signal);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(signal);
}

static int run_program(struct run *run)
{
	const struct options *options = &run->options;
	struct error err = {0};
	struct profile profile;
	struct trace_plan plan = {
		.argv = options->program,
		.disable_aslr = options->disable_aslr,
		.functions = options->functions,
		.n_functions = options->n_functions,
		.start = options->start,
		.stop = options->stop,
		.whole_program = options->whole_program,
		.only_regions = options->regions,
		.n_only_regions = options->n_regions,
		.scopes = options->scopes,
		.demangle = source_demangle,
		.context = run,
	};
	int status, signal;

	if (!prepare(run, &err)) {
		complain(&err);
		return error_exit_status(&err);
	}
	if (run->trace)
		plan.on_instruction = on_instruction;
	if (run->progress.out && run->trace != stderr)
		plan.on_progress = on_progress;
	catch_interrupts();
	if (!engine_run(&plan, &interrupts, &profile, &err)) {
		progress_end(&run->progress);
		complain(&err);
		return error_exit_status(&err);
	}
	progress_end(&run->progress);
	signal = profile.signal;
	status = profile.exit_status;
	if (run->trace && run->trace != stderr && !flushed(run->trace, "trace", options->trace_path, &err)) {
		complain(&err);
		status = EXIT_FAILED;
	}
	if (any_region_reached(run, &profile)) {
		if (options->report.by == GROUP_BY_FUNCTION)
			symbolize_all(&profile, run->source);
		if (!write_report(run, &profile))
			status = EXIT_FAILED;
	} else {
		explain_no_region(options, &profile);
		if (!status)
			status = EXIT_FAILED;
	}
	profile_deinit(&profile);
	if (signal)
		die_like_program(signal);
	return status;
}

int command_run(int argc, char **argv)
{
	struct error err = {0};
	struct run run = {0};
	int status = 0;

	switch (options_parse(&run.options, argc, argv, &err)) {
	case OPTIONS_RUN:
		status = run_program(&run);
		break;
	case OPTIONS_HELP:
		fputs(options_help, stdout);
		break;
	case OPTIONS_VERSION:
		puts("itrace " ITRACE_VERSION);
		break;
	case OPTIONS_WRONG:
		complain(&err);
		status = EXIT_FAILED;
		break;
	}
	release(&run);
	return status;
}
