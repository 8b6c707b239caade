/* --caches: whose caches are simulated while a program runs. */
#ifndef ITRACE_CLI_TRACING_CACHES_H
#define ITRACE_CLI_TRACING_CACHES_H

#include "cli/options/options.h"
#include "recorders/caches.h"

/* A tally with the caches of the models that --caches names, or of those of --model that state some. NULL: one cannot be loaded, one
 * that --caches names states none, or none does. */
struct cache_recorder *caches_create(const struct options *options, struct error *err);

#endif
