#include "engine/run.h"

#include <signal.h>

static void heed_interrupts(struct run *run, struct engine *engine, const struct engine_interrupts *interrupts,
			    int *seen)
{
	if (interrupts->count == *seen)
		return;
	*seen = interrupts->count;
	if (interrupts->insists) {
		profile_note(engine->profile,
			     "itrace killed the program, as it was told three times within two seconds to stop");
		target_kill(&run->target, SIGKILL);
	} else if (interrupts->signal) {
		target_kill(&run->target, interrupts->signal);
	}
}

static bool run_to_end(struct run *run, struct engine *engine, const struct engine_interrupts *interrupts,
		       struct error *err)
{
	struct stop stop;
	int seen = 0;

	for (;;) {
		heed_interrupts(run, engine, interrupts, &seen);
		if (!target_wait(&run->target, &stop, err))
			return false;
		if (stop.kind == STOP_ENDED)
			return true;
		if (stop.kind != STOP_INTERRUPTED)
			stops_handle(&stop);
	}
}

static bool start(struct engine *engine, struct error *err)
{
	if (!engine_check_program(engine->process, err) || !engine_sync_triggers(engine, err))
		return false;
	thread_resume(engine->target, engine->target->threads[0], RESUME_RUN, 0, 0);
	return true;
}

bool engine_run(const struct trace_plan *plan, const struct engine_interrupts *interrupts, struct profile *profile,
		struct error *err)
{
	struct run run = {.plan = plan, .begin_ns = clock_now_ns()};
	struct error late = {0};
	struct engine *engine;
	bool ok;

	if (!target_launch(&run.target, plan->argv, plan->disable_aslr, err))
		return false;
	engine = engine_create(&run, run.target.process);
	ok = start(engine, err);
	if (!ok) {
		target_kill(&run.target, SIGKILL);
	} else if (!run_to_end(&run, engine, interrupts, &late)) {
		profile_note(engine->profile, "tracing ended early: %s", late.text);
		target_kill(&run.target, SIGKILL);
	}
	for (size_t i = 0; i < run.target.n_threads; i++)
		if (run.target.threads[i]->task)
			stream_flush(run.target.threads[i]->process->engine, run.target.threads[i]->task);
	if (ok) {
		engine_record_end(engine);
		*profile = *engine->profile;
		profile_init(engine->profile);
	}
	for (size_t i = 0; i < run.target.n_threads; i++)
		task_destroy(run.target.threads[i]->task);
	engine_destroy(engine);
	target_deinit(&run.target);
	return ok;
}
