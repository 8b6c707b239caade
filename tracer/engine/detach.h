/* Detaches from all processes: each thread leaves its backend and is parked at its next stop. When all are parked,
 * the memory of their processes is restored, and they go on with the signals that they were about to receive. */
#ifndef ITRACE_ENGINE_DETACH_H
#define ITRACE_ENGINE_DETACH_H

#include "engine/run.h"

/* Returns false, with the reason, if waiting for stops failed. */
bool run_detach(struct run *run, struct error *err);

#endif
