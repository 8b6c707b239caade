/* A run that reached none of the regions that it was to trace. */
#ifndef ITRACE_CLI_TRACING_NO_REGION_H
#define ITRACE_CLI_TRACING_NO_REGION_H

#include "cli/options/options.h"
#include "profile/profile.h"

/* Returns true if the profile has a region of this name, reached or not. */
bool profile_has_region(const struct profile *profile, const char *name);

/* Returns true if no region, or none that --region names, has a visit. */
bool no_region_reached(const struct options *options, const struct profile *profile);

/* Prints to stderr that there is no report, why, and which regions could be chosen. */
void no_region_explain(const struct options *options, const struct profile *profile);

#endif
