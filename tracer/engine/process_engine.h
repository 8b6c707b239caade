/* The engine of one process (struct engine in run.h). */
#ifndef ITRACE_ENGINE_PROCESS_ENGINE_H
#define ITRACE_ENGINE_PROCESS_ENGINE_H

#include "engine/run.h"

/* Creates the engine of a process, as process->engine. */
struct engine *engine_create(struct run *run, struct process *process);

/* Passes the profile of a followed process that is gone or detached to plan->on_child, and destroys the engine. */
void engine_finish(struct engine *engine);
void engine_destroy(struct engine *engine);

/* Plants the plan's triggers in new modules. The second function is for a program that has started: it turns an error
 * into a note, and only the regions of the failing trigger are lost. */
bool engine_sync_triggers(struct engine *engine, struct error *err);
void engine_sync_triggers_or_note(struct engine *engine);

/* Returns false, with the reason, if the program of a process cannot be traced. */
bool engine_check_program(const struct process *process, struct error *why);

/* Notes which privileges the program lacks because it is traced, and whether --no-aslr has no effect on it. */
void engine_note_program(struct engine *engine);

/* Plants in a forked process the functions that its parent found only while it ran. */
void engine_inherit_functions(struct engine *engine, const struct engine *from);

/* Sets profile->argv, also after the process has executed another program. */
void engine_name_program(struct engine *engine);

/* Records how the process ended, and which requested regions were not found in it. */
void engine_record_end(struct engine *engine);

#endif
