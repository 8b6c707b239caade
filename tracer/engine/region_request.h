/* The request for the triggers of a process: which regions the plan chooses. */
#ifndef ITRACE_ENGINE_REGION_REQUEST_H
#define ITRACE_ENGINE_REGION_REQUEST_H

#include "engine/run.h"

/* Sets engine->request, which refers to the engine and its plan. */
void region_request_init(struct engine *engine);
void region_request_deinit(struct engine *engine);

/* Adds notes to the profile: which functions a name stands for, and what was not found. */
void region_request_note(struct engine *engine);

#endif
