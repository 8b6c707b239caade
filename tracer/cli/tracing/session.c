#include "cli/tracing/session.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/progress.h"
#include "cli/message.h"
#include "cli/model_set.h"
#include "cli/tracing/no_region.h"
#include "cli/tracing/signals.h"
#include "cli/tracing/supervisor.h"
#include "cli/tracing/trace_output.h"
#include "recorders/recorder_set.h"
#include "source/search.h"
#include "source/symbolize.h"

static struct interrupts *interrupts;

/* The state while the program runs. */
struct tracer {
	const struct session_plan *plan;
	struct session *session;
	struct trace_output *trace; /* of --trace; or NULL */
	struct source *source;
	struct cache_recorder *caches; /* or NULL */
	struct recorder_set recorders;
	struct progress progress;
	struct timespec begin;
};

static bool on_event(void *context, struct profile *profile, const struct trace_event *event)
{
	struct tracer *tracer = context;

	return trace_output_write(tracer->trace, profile, tracer->source, event);
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

static void symbolize_call(void *context, struct profile *profile, uint32_t insn)
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
static bool add_caches(struct cache_recorder *caches, const char *models, bool is_required, struct error *err)
{
	struct model_set set = {0};
	struct cache_geometry geometry;
	size_t n_added = 0;
	bool ok = model_set_load(&set, models, false, "--caches", err);

	for (size_t i = 0; ok && i < set.n_models; i++) {
		if (cache_geometry_from_model(set.models[i], &geometry)) {
			cache_recorder_add_geometry(caches, &geometry);
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

static bool prepare(struct tracer *tracer, struct error *err)
{
	const struct options *options = tracer->plan->options;
	struct recorder_plan recorders = {
		.calls = tracer->plan->wants_calls,
		.memory = tracer->plan->wants_calls && options->memory,
		.paths = options->pipeline,
		.symbolize = symbolize_call,
		.context = tracer,
	};

	if (options->trace && !(tracer->trace = trace_output_create(options->trace_path, options->trace_limit, err)))
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
	trace_output_destroy(tracer->trace);
}

/* Returns true if the launched program has not ended. itrace does not wait for a process that it attached to. */
static bool is_running(const struct session *session)
{
	return !session->is_attached && !session->profile.exited && !session->profile.signal;
}

static bool trace(struct tracer *tracer, struct error *err)
{
	const struct options *options = tracer->plan->options;
	const struct function_finder finder = source_function_finder(tracer->source);
	/* Progress would break lines of the trace. */
	bool shows_progress = tracer->progress.out && !trace_output_is_stderr(tracer->trace);
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
		.on_event = tracer->trace ? on_event : NULL,
		.on_progress = shows_progress ? on_progress : NULL,
		.context = tracer,
	};
	bool ok;

	interrupts = signals_catch_interrupts(!options->pid);
	signals_survive(SIGPIPE); /* the reader of --trace may exit before the program ends */
	ok = engine_run(&plan, interrupts, &tracer->session->profile, err);
	/* While the program is still running, itrace passes signals on to it. */
	if (!ok || !is_running(tracer->session))
		signals_release_interrupts();
	progress_end(&tracer->progress);
	return ok;
}

static bool flush_trace(const struct tracer *tracer)
{
	struct error err = {0};

	if (!tracer->trace || trace_output_finish(tracer->trace, &err))
		return true;
	message_error(&err);
	return false;
}

static int report_failure(const struct session_plan *plan, const struct error *err)
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

	*session = (struct session){.is_attached = plan->options->pid,
				    .report_shows_signal = plan->report_shows_signal};
	if (session->is_attached && supervisor_fork(status))
		return false;
	ok = prepare(&tracer, &err) && trace(&tracer, &err);
	if (ok) {
		session->has_failed |= !flush_trace(&tracer);
		take_profile(&tracer, &session->profile);
		if (!session->n_reached)
			no_region_explain(plan->options, &session->profile);
	} else {
		*status = report_failure(plan, &err);
	}
	release(&tracer);
	return ok;
}

int session_end(struct session *session, bool has_reported)
{
	struct profile *profile = &session->profile;
	bool has_failed = session->has_failed || !has_reported;
	bool is_shown = session->report_shows_signal && session->n_reached && profile->signal;
	int program_status = 0, signal = 0;

	if (is_running(session)) {
		engine_await_end(profile, interrupts);
		signals_release_interrupts();
	}
	if (!session->is_attached) {
		signal = profile->signal;
		program_status = profile->exit_status;
	}
	session->was_interrupted = interrupts->n_requests;
	profile_deinit(profile);
	if (signal) {
		if (!is_shown)
			message_killed(signal);
		signals_die_of(signal);
	}
	/* The program's own failure tells more than that no region was reached. */
	return has_failed || (!session->n_reached && !program_status) ? EXIT_FAILED : program_status;
}
