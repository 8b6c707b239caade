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
	unsigned n_pinned;  /* tasks */
	cpu_set_t own_cpus; /* itrace's, while a task is pinned */
};

/* engine.c: counts what one process executes, and is process->engine. */
struct engine *engine_create(struct run *run, struct process *process);
void engine_destroy(struct engine *engine);

/* Plants what the plan asks for in modules that are new. Once the program runs, what cannot be planted is lost for its region
 * only: a note says so. */
bool engine_sync_triggers(struct engine *engine, struct error *err);
void engine_sync_triggers_or_note(struct engine *engine);

/* False, with the reason, when the program that a process runs is not one that can be traced. */
bool engine_check_program(const struct process *process, struct error *why);

/* What is left to say of the process: how it ended, and what was not found in it. */
void engine_record_end(struct engine *engine);

/* stops.c: acts on a stop of a thread, and lets it go on. */
void stops_handle(const struct stop *stop);

#endif
