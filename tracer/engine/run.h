/* One run: the traced processes, and an engine for each of them. Shared between the files of engine/ only. */
#ifndef ITRACE_ENGINE_RUN_H
#define ITRACE_ENGINE_RUN_H

#include "engine/engine.h"
#include "engine/task.h"
#include "target/target.h"

struct run {
	const struct trace_plan *plan;
	struct target target;
	uint64_t begin_ns;
	uint64_t n_visits;	 /* that ended, in all processes */
	uint64_t n_instructions; /* executed by processes that are gone */
	unsigned n_ticks;	 /* when the clock was looked at last */
	uint64_t tick_due_ns;	 /* when the next one comes, as far as limits.c hastened it */
	unsigned n_due_ticks;	 /* when it did so */
	bool is_leaving;	 /* threads are let go as they stop */
	char reason[64];	 /* why: "after 10 visits" */
	unsigned n_pinned;	 /* tasks */
	cpu_set_t own_cpus;	 /* itrace's, while a task is pinned */
};

/* engine.c: counts what one process executes, and is process->engine. engine_finish hands over the profile of one that was
 * followed, and destroys the engine. */
struct engine *engine_create(struct run *run, struct process *process);
void engine_finish(struct engine *engine);
void engine_destroy(struct engine *engine);

/* Plants what the plan asks for in modules that are new. Once the program runs, what cannot be planted is lost for its region
 * only: a note says so. */
bool engine_sync_triggers(struct engine *engine, struct error *err);
void engine_sync_triggers_or_note(struct engine *engine);

/* False, with the reason, when the program that a process runs is not one that can be traced. */
bool engine_check_program(const struct process *process, struct error *why);

/* Notes what privileges the program that a process has executed does not get because it is traced. */
void engine_note_privileges(struct engine *engine);

/* Notes that --no-aslr does nothing for the program. */
void engine_note_addresses(struct engine *engine);

/* Plants the functions that only running the program revealed, in a copy of it. */
void engine_inherit_functions(struct engine *engine, const struct engine *from);

/* The process executes another program now. */
void engine_name_program(struct engine *engine);

/* What is left to say of the process: how it ended, and what was not found in it. */
void engine_record_end(struct engine *engine);

/* Lets all threads of all processes go. False, with the reason, when waiting for their stops failed. */
bool run_leave(struct run *run, struct error *err);

/* Whether a limit of the plan is reached, or was, with run->reason. */
bool run_is_over(struct run *run);

/* Whether so few instructions are left until the limit that they are stepped. Else a tick is due when a thread was sent into
 * translated code: it comes out to be counted. */
bool run_is_near_limit(const struct run *run);
void run_hasten_tick(struct run *run);

/* stops.c: acts on a stop of a thread, and lets it go on. */
void stops_handle(struct run *run, const struct stop *stop);

#endif
