/* Checks that sums fit their types. Counts may come from a damaged file and models from anywhere. */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_ESTIMATE_CHECK_H
#define ITRACE_COSTMODELS_ESTIMATORS_ESTIMATE_CHECK_H

#include <stdbool.h>

#include "base/error.h"
#include "costmodels/model/model.h"
#include "profile/profile.h"

/* Returns false if a region's executions, or its cycles in either column, overflow their types. Call it before
 * estimate_region_init, which asserts it. */
bool estimate_check(const struct model *model, const struct profile *profile, uint32_t region, struct error *err);

#endif
