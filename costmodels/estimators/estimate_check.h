/* Whether sums stay within their type: counts may come from a file, and models from anywhere. */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_ESTIMATE_CHECK_H
#define ITRACE_COSTMODELS_ESTIMATORS_ESTIMATE_CHECK_H

#include <stdbool.h>

#include "base/error.h"
#include "costmodels/model/model.h"
#include "profile/profile.h"

/* False if the cycles of a region, in either column, do not fit mcyc_t, or its executions do not fit. To be asked before
 * estimate_region_init, which takes this for granted. */
bool estimate_check(const struct model *model, const struct profile *profile, uint32_t region, struct error *err);

#endif
