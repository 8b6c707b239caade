#include "engine/stall.h"

#include <stdio.h>

#define PATIENCE_NS UINT64_C(5000000000)   /* without any stop */
#define INTERRUPTED_NS UINT64_C(500000000) /* without any stop, after itrace was told to stop */
#define DETACHING_NS UINT64_C(1000000000)  /* from the stall until detaching counts as failed */

static bool is_quiet(struct run *run, uint64_t now_ns)
{
	struct stall *stall = &run->stall;
	uint64_t patience_ns = run->was_told_to_stop ? INTERRUPTED_NS : PATIENCE_NS;

	if (stall->n_stops != run->n_stops) {
		stall->n_stops = run->n_stops;
		stall->quiet_since_ns = now_ns;
		stall->waiting_tid = 0;
	}
	return now_ns - stall->quiet_since_ns >= patience_ns;
}

bool stall_detect(struct run *run)
{
	uint64_t now_ns = monotonic_now_ns();
	struct stall *stall = &run->stall;
	const struct engine *engine;
	pid_t tid;

	if (run->is_leaving || !is_quiet(run, now_ns))
		return false;
	tid = target_find_waiting(&run->target);
	/* A thread that stopped just now is handled before the next tick. */
	if (!tid || tid != stall->waiting_tid) {
		stall->waiting_tid = tid;
		if (!tid)
			stall->quiet_since_ns = now_ns;
		return false;
	}
	snprintf(run->reason, sizeof(run->reason), "because it had stalled");
	run->is_leaving = true;
	stall->found_ns = now_ns;
	engine = run->target.process->engine;
	profile_note(engine->profile,
		     "the program stalled: thread %d waited for itrace, and nothing else happened for %.1f s", (int)tid,
		     (double)(now_ns - stall->quiet_since_ns) / 1e9);
	return true;
}

bool stall_persists(struct run *run)
{
	const struct engine *engine = run->target.process->engine;

	if (!run->stall.found_ns || monotonic_now_ns() - run->stall.found_ns < DETACHING_NS)
		return false;
	profile_note(engine->profile, run->plan->pid
					      ? "the stalled program could not be detached cleanly: it may crash"
					      : "itrace killed the stalled program, because it could not be detached");
	return true;
}
