/* --caches: whose caches are simulated while a program runs. */
#ifndef ITRACE_COMMANDS_CACHES_H
#define ITRACE_COMMANDS_CACHES_H

#include "commands/options.h"
#include "costmodels/cache_tally.h"

/* A tally with the caches of the models that --caches names, or of those of --model that state some. NULL: one cannot be loaded, one
 * that --caches names states none, or none does. */
struct cache_tally *caches_create(const struct options *options, struct error *err);

#endif
