#include "cli/tracing/tracing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/escape.h"
#include "base/output.h"
#include "base/progress.h"
#include "cli/message.h"
#include "cli/subcommand.h"
#include "cli/tracing/front.h"
#include "cli/tracing/listeners.h"
#include "cli/tracing/signals.h"
#include "source/demangle.h"
#include "source/symbolize.h"
#include "engine/engine.h"
#include "report/report.h"

#define EXIT_FAILED 125

static struct engine_interrupts interrupts;

struct tracing {
	const struct options *options;
	FILE *trace; /* or NULL */
	struct source *source;
	struct listeners listeners;
	tracing_use *use;
	void *use_context;
	size_t n_used;	 /* processes that reached a region */
	bool has_failed; /* to use the profile of one */
	struct progress progress;
	struct timespec begin;
};

static void on_interrupt(int signal, siginfo_t *info, void *context)
{
	enum { INSISTENCE = 3, INSISTENCE_S = 2 };
	static time_t times[INSISTENCE]; /* of the last interrupts */
	struct timespec now;

	(void)context;
	clock_gettime(CLOCK_MONOTONIC, &now);
	interrupts.signal = signals_to_pass_on(signal, info);
	times[interrupts.count % INSISTENCE] = now.tv_sec;
	interrupts.count++;
	interrupts.insists = interrupts.count >= INSISTENCE &&
			     now.tv_sec - times[interrupts.count % INSISTENCE] <= INSISTENCE_S;
}

static void on_instruction(void *context, struct profile *profile, uint32_t insn)
{
	struct tracing *tracing = context;

	symbolize_insn(profile, tracing->source, insn);
	report_write_trace_line(tracing->trace, profile, insn);
}

static void on_progress(void *context, const char *region, uint64_t instructions)
{
	struct tracing *tracing = context;
	struct timespec now;

	if (!region) {
		progress_end(&tracing->progress);
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	progress_update(&tracing->progress, region, instructions,
			(uint64_t)(now.tv_sec - tracing->begin.tv_sec) * 1000000000u + (uint64_t)now.tv_nsec -
				(uint64_t)tracing->begin.tv_nsec);
}

static bool any_region_reached(const struct options *options, const struct profile *profile)
{
	for (size_t i = 0; i < profile->n_regions; i++) {
		bool wanted = !options->n_regions;

		for (size_t j = 0; j < options->n_regions; j++)
			wanted |= strcmp(options->regions[j], profile->regions[i].name) == 0;
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
	else if (!options->n_functions && !options->start)
		fputs("itrace: the program has no PA_BEGIN markers; --function NAME, --start and --stop, or --all choose a region "
		      "without them, --scopes those of PA_SCOPE\n",
		      stderr);
}

static void use_profile(struct tracing *tracing, struct profile *profile)
{
	tracing->n_used++;
	tracing->has_failed |= !tracing->use(tracing->use_context, profile, tracing->source);
}

static void on_child(void *context, struct profile *profile)
{
	struct tracing *tracing = context;

	listeners_finish(&tracing->listeners, profile);
	if (any_region_reached(tracing->options, profile))
		use_profile(tracing, profile);
}

static bool trace(struct tracing *tracing, struct profile *profile, struct error *err)
{
	const struct options *options = tracing->options;
	struct trace_plan plan = {
		.argv = options->program,
		.pid = options->pid,
		.follow = options->follow,
		.on_child = on_child,
		.max_instructions = options->max_instructions,
		.max_visits = options->max_visits,
		.timeout_ns = options->timeout_ns,
		.every = options->every,
		.disable_aslr = options->disable_aslr,
		.engine = options->engine,
		.per_thread = options->per_thread,
		.want_edges = options->want_edges,
		.functions = options->functions,
		.n_functions = options->n_functions,
		.start = options->start,
		.stop = options->stop,
		.whole_program = options->whole_program,
		.scopes = options->scopes,
		.stream = listeners_stream(&tracing->listeners),
		.only_regions = options->regions,
		.n_only_regions = options->n_regions,
		.demangle = source_demangle,
		.context = tracing,
	};
	bool is_good;

	if (tracing->trace)
		plan.on_instruction = on_instruction;
	if (tracing->progress.out && tracing->trace != stderr)
		plan.on_progress = on_progress;
	signals_catch_interrupts(on_interrupt);
	signals_survive_broken_pipes();
	is_good = engine_run(&plan, &interrupts, profile, err);
	progress_end(&tracing->progress);
	if (is_good)
		listeners_finish(&tracing->listeners, profile);
	return is_good;
}

static bool trace_flushed(const struct tracing *tracing)
{
	struct error err = {0};

	errno = 0;
	if (!tracing->trace || tracing->trace == stderr || (fflush(tracing->trace) == 0 && !ferror(tracing->trace)))
		return true;
	error_set_errno(&err, ERROR_ENVIRONMENT, "cannot write the trace to '%s'", tracing->options->trace_path);
	message_error(&err);
	return false;
}

/* The program's own failure tells more than that no region was reached. */
static int exit_status(const struct tracing *tracing, int program_status)
{
	if (tracing->has_failed || (!tracing->n_used && !program_status))
		return EXIT_FAILED;
	return program_status;
}

static bool open_trace(struct tracing *tracing, struct error *err)
{
	const char *path = tracing->options->trace_path;

	if (!tracing->options->trace)
		return true;
	tracing->trace = path ? output_open(path, err) : stderr;
	return tracing->trace;
}

static void close_trace(struct tracing *tracing)
{
	if (tracing->trace && tracing->trace != stderr)
		fclose(tracing->trace);
}

/* Its exit status, after its end if it was let go, which the report does not wait for; or the signal that it died of. */
static int await_status(const struct options *options, struct profile *profile, int *signal)
{
	/* A program that was there before goes on as it would, and its end is not itrace's. */
	if (options->pid)
		return 0;
	if (!profile->exited && !profile->signal)
		engine_await_end(profile, &interrupts);
	*signal = profile->signal;
	return profile->exit_status;
}

static void suggest_subcommand(const char *program)
{
	const struct subcommand *meant = subcommand_meant(program);

	if (meant)
		fprintf(stderr, "itrace: did you mean 'itrace %s'?\n", meant->name);
}

int tracing_run(const struct options *options, tracing_use *use, tracing_end *end, void *context)
{
	struct tracing tracing = {.options = options, .use = use, .use_context = context};
	struct profile profile;
	struct error err = {0};
	int status, signal = 0;

	if (!open_trace(&tracing, &err))
		return message_error(&err);
	if (options->pid && front_waits(&status))
		return status;
	tracing.source = source_create();
	if (!listeners_init(&tracing.listeners, options, tracing.source, &err)) {
		source_destroy(tracing.source);
		close_trace(&tracing);
		return message_error(&err);
	}
	progress_init(&tracing.progress, stderr);
	clock_gettime(CLOCK_MONOTONIC, &tracing.begin);
	if (trace(&tracing, &profile, &err)) {
		tracing.has_failed |= !trace_flushed(&tracing);
		if (any_region_reached(options, &profile))
			use_profile(&tracing, &profile);
		else if (!tracing.n_used)
			explain_no_region(options, &profile);
		tracing.has_failed |= !end(context);
		status = exit_status(&tracing, await_status(options, &profile, &signal));
		profile_deinit(&profile);
	} else {
		status = message_error(&err);
		if (err.kind == ERROR_NOT_FOUND)
			suggest_subcommand(options->program[0]);
	}
	listeners_deinit(&tracing.listeners);
	source_destroy(tracing.source);
	close_trace(&tracing);
	if (signal)
		signals_die_of(signal);
	return status;
}
