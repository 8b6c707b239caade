#include "cli/tracing/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/output.h"
#include "base/progress.h"
#include "cli/message.h"
#include "cli/model_set.h"
#include "cli/tracing/no_region.h"
#include "cli/tracing/signals.h"
#include "cli/tracing/supervisor.h"
#include "recorders/recorder_set.h"
#include "source/search.h"
#include "source/symbolize.h"

static struct engine_interrupts interrupts;

/* The state while the program runs. */
struct tracer {
	const struct session_plan *plan;
	struct session *session;
	FILE *trace; /* of --trace; or NULL */
	struct source *source;
	struct cache_recorder *caches; /* or NULL */
	struct recorder_set recorders;
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
	struct tracer *tracer = context;

	symbolize_insn(profile, tracer->source, insn);
	report_write_trace_line(tracer->trace, profile, insn);
}

static void on_progress(void *context, const char *region, uint64_t instructions)
{
	struct tracer *tracer = context;
	struct timespec now;

	if (!region) {
		progress_end(&tracer->progress);
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	progress_update(&tracer->progress, region, instructions,
			(uint64_t)(now.tv_sec - tracer->begin.tv_sec) * 1000000000u + (uint64_t)now.tv_nsec -
				(uint64_t)tracer->begin.tv_nsec);
}

static void on_call(void *context, struct profile *profile, uint32_t insn)
{
	struct tracer *tracer = context;

	symbolize_insn(profile, tracer->source, insn);
}

static void take_profile(void *context, struct profile *profile)
{
	struct tracer *tracer = context;
	const struct session_plan *plan = tracer->plan;

	recorder_set_finish(&tracer->recorders, profile);
	source_drop_changed(tracer->source);
	if (!no_region_reached(plan->options, profile)) {
		tracer->session->n_reached++;
		tracer->session->has_failed |= !plan->take_profile(plan->context, profile, tracer->source);
	}
}

/* Adds the caches of the models in a list. A model that does not state its caches is skipped, or an error if
 * is_required. */
static bool add_caches(struct cache_recorder *tally, const char *models, bool is_required, struct error *err)
{
	struct model_set set = {0};
	struct cache_geometry geometry;
	size_t n_added = 0;
	bool ok = model_set_load(&set, models, false, "--caches", err);

	for (size_t i = 0; ok && i < set.n_models; i++) {
		if (cache_geometry_from_model(set.models[i], &geometry)) {
			cache_recorder_add_geometry(tally, &geometry);
			n_added++;
		} else if (is_required) {
			ok = error_set(err, ERROR_USAGE, "--caches: the model %s does not state its caches",
				       model_name(set.models[i]));
		}
	}
	if (ok && !n_added)
		ok = error_set(err, ERROR_USAGE,
			       "--caches: no model in '%.200s' states its caches; name some that do, as in "
			       "--caches=skylake,zen4",
			       models);
	model_set_deinit(&set);
	return ok;
}

static bool open_trace(struct tracer *tracer, struct error *err)
{
	const struct options *options = tracer->plan->options;

	if (options->trace)
		tracer->trace = options->trace_path ? output_open(options->trace_path, err) : stderr;
	return !options->trace || tracer->trace;
}

static bool prepare(struct tracer *tracer, struct error *err)
{
	const struct options *options = tracer->plan->options;
	struct recorder_plan recorders = {
		.calls = tracer->plan->wants_calls,
		.memory = tracer->plan->wants_calls && options->memory,
		.paths = options->pipeline,
		.symbolize = on_call,
		.context = tracer,
	};

	if (!open_trace(tracer, err))
		return false;
	if (options->caches) {
		const char *models = options->cache_models ? options->cache_models : options->models;

		tracer->caches = cache_recorder_create();
		if (!add_caches(tracer->caches, models, options->cache_models, err))
			return false;
	}
	recorders.caches = tracer->caches;
	recorder_set_init(&tracer->recorders, &recorders);
	tracer->source = source_create();
	for (size_t i = 0; i < options->maps.n_items; i++)
		if (!source_add_map(tracer->source, options->maps.items[i], err))
			return false;
	progress_init(&tracer->progress, stderr);
	clock_gettime(CLOCK_MONOTONIC, &tracer->begin);
	return true;
}

static void release(struct tracer *tracer)
{
	recorder_set_deinit(&tracer->recorders);
	cache_recorder_destroy(tracer->caches);
	source_destroy(tracer->source);
	if (tracer->trace && tracer->trace != stderr)
		fclose(tracer->trace);
}

static bool trace(struct tracer *tracer, struct error *err)
{
	const struct options *options = tracer->plan->options;
	const struct function_finder finder = source_function_finder(tracer->source);
	bool shows_progress = tracer->progress.out && tracer->trace != stderr; /* it would break lines of the trace */
	const struct trace_plan plan = {
		.argv = options->arguments,
		.pid = (int32_t)options->pid,
		.follow = options->follow,
		.max_instructions = options->max_instructions,
		.max_visits = options->max_visits,
		.timeout_ns = options->timeout_ns,
		.visit_period = options->every,
		.disable_aslr = options->disable_aslr,
		.engine = options->engine,
		.per_thread = options->per_thread,
		.want_edges = tracer->plan->wants_edges,
		.functions = options->functions.items,
		.n_functions = options->functions.n_items,
		.finder = &finder,
		.starts = options->starts.items,
		.stops = options->stops.items,
		.n_ranges = options->starts.n_items,
		.whole_program = options->whole_program,
		.scopes = options->scopes,
		.stream = recorder_set_stream(&tracer->recorders),
		.only_regions = options->regions.items,
		.n_only_regions = options->regions.n_items,
		.on_child = take_profile,
		.on_instruction = tracer->trace ? on_instruction : NULL,
		.on_progress = shows_progress ? on_progress : NULL,
		.context = tracer,
	};
	bool ok;

	signals_catch_interrupts(on_interrupt);
	signals_survive(SIGPIPE); /* the reader of --trace may leave; the program runs on */
	ok = engine_run(&plan, &interrupts, &tracer->session->profile, err);
	progress_end(&tracer->progress);
	return ok;
}

static bool flush_trace(const struct tracer *tracer)
{
	struct error err = {0};

	errno = 0;
	if (!tracer->trace || tracer->trace == stderr || (fflush(tracer->trace) == 0 && !ferror(tracer->trace)))
		return true;
	error_set_errno(&err, ERROR_ENVIRONMENT, "cannot write the trace to '%s'", tracer->plan->options->trace_path);
	message_error(&err);
	return false;
}

static int fail(const struct session_plan *plan, const struct error *err)
{
	int status = message_error(err);
	const char *meant = err->kind == ERROR_NOT_FOUND ? command_suggest(plan->options->arguments[0]) : NULL;

	if (meant)
		fprintf(stderr, "itrace: did you mean 'itrace %s'?\n", meant);
	return status;
}

bool session_run(struct session *session, const struct session_plan *plan, int *status)
{
	struct tracer tracer = {.plan = plan, .session = session};
	struct error err = {0};
	bool ok;

	*session = (struct session){.is_attached = plan->options->pid};
	if (session->is_attached && supervisor_wait(status))
		return false;
	ok = prepare(&tracer, &err) && trace(&tracer, &err);
	if (ok) {
		session->has_failed |= !flush_trace(&tracer);
		take_profile(&tracer, &session->profile);
		if (!session->n_reached)
			no_region_explain(plan->options, &session->profile);
	} else {
		*status = fail(plan, &err);
	}
	release(&tracer);
	return ok;
}

int session_end(struct session *session, bool has_reported)
{
	struct profile *profile = &session->profile;
	bool has_failed = session->has_failed || !has_reported;
	int program_status = 0, signal = 0;

	/* A process that ran before itrace did is not waited for. */
	if (!session->is_attached) {
		if (!profile->exited && !profile->signal)
			engine_await_end(profile, &interrupts);
		signal = profile->signal;
		program_status = profile->exit_status;
	}
	profile_deinit(profile);
	if (signal)
		signals_die_of(signal);
	/* The program's own failure tells more than that no region was reached. */
	return has_failed || (!session->n_reached && !program_status) ? EXIT_FAILED : program_status;
}
