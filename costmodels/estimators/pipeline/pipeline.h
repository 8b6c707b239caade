/* The `pipeline` estimator: what one basic block costs per iteration on an out-of-order CPU, in the steady state.
 *
 * It simulates the block until an iteration has settled (simulate.h), and takes no less than the largest of some bounds,
 * each of which the hardware cannot beat (README.md, "The pipeline"): the front end that delivers the instructions, the slots to
 * issue them, the ports that execute them, and the longest cycle of dependencies from one iteration to the next. All memory is
 * taken to be in the L1 cache and all branches to be predicted.
 */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_PIPELINE_H
#define ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "costmodels/estimators/pipeline/result.h"
#include "costmodels/model/model.h"

/* "predecode", "decode", "op-cache", "loop-buffer", "issue", "ports", "latency" */
const char *pipeline_bound_name(enum pipeline_bound bound);

struct pipeline;

/* Reads the parameters and rules of a model. A model that states no `pipeline_rules` gives ERROR_USAGE: it cannot be
 * estimated so. The pipeline borrows the model. NULL on failure. */
struct pipeline *pipeline_create(const struct model *model, struct error *err);
void pipeline_destroy(struct pipeline *pipeline);

const struct model *pipeline_model(const struct pipeline *pipeline);
size_t pipeline_n_ports(const struct pipeline *pipeline);
const char *pipeline_port_name(const struct pipeline *pipeline, size_t port); /* "p0", "load" */

/* Estimates one block. Bytes that are no whole instructions give ERROR_USAGE. *result is reused: zeroed at first, and
 * released with pipeline_result_deinit. */
bool pipeline_estimate(struct pipeline *pipeline, const uint8_t *bytes, size_t n_bytes,
		       const struct pipeline_options *options, struct pipeline_result *result, struct error *err);
void pipeline_result_deinit(struct pipeline_result *result);

#endif
