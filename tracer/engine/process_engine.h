/* The engine of one process (struct engine in run.h). */
#ifndef ITRACE_ENGINE_PROCESS_ENGINE_H
#define ITRACE_ENGINE_PROCESS_ENGINE_H

#include "engine/run.h"

/* Creates the engine of a process, as process->engine. */
struct engine *engine_create(struct run *run, struct process *process);

/* A followed process is gone or detached: hands over its profile and destroys the engine. */
void engine_finish(struct engine *engine);
void engine_destroy(struct engine *engine);

/* Plants the plan's triggers in modules that are new. The second function turns an error into a note, for a program
 * that runs already: only the regions of that trigger are lost. */
bool engine_sync_triggers(struct engine *engine, struct error *err);
void engine_sync_triggers_or_note(struct engine *engine);

/* False, with the reason, when the program of a process cannot be traced. */
bool engine_check_program(const struct process *process, struct error *why);

/* Notes which privileges the program lacks because it is traced. */
void engine_note_privileges(struct engine *engine);

/* Plants functions that were found only while the program ran in a forked copy of it. */
void engine_inherit_functions(struct engine *engine, const struct engine *from);

/* The process executes another program: sets profile->argv. */
void engine_name_program(struct engine *engine);

/* Records how the process ended, and what was not found in it. */
void engine_record_end(struct engine *engine);

#endif
