/* Shared by the files of the estimators. Private to costmodels/. */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_ESTIMATE_PRIVATE_H
#define ITRACE_COSTMODELS_ESTIMATORS_ESTIMATE_PRIVATE_H

#include "costmodels/estimators/estimate.h"

/* Adds mcyc to *sum. Overflow is a failed assertion. */
void estimate_add_mcyc(mcyc_t *sum, mcyc_t mcyc);

/* The `pairing` estimator: fills insn_mcyc and figures. */
void estimate_pairing(struct estimate *estimate, const struct profile *profile, uint32_t region);

/* The `pipeline` estimator: fills insn_mcyc and pipeline. Returns false and leaves insn_mcyc unchanged if it does
 * not apply. */
bool estimate_pipeline(struct estimate *estimate, const struct profile *profile, uint32_t region);

#endif
