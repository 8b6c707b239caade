/* Handles stops of threads, and decides how each thread goes on: natively outside regions, else in a backend. */
#ifndef ITRACE_ENGINE_DISPATCH_H
#define ITRACE_ENGINE_DISPATCH_H

#include "engine/run.h"

void dispatch_stop(struct run *run, const struct stop *stop);

#endif
