/* The `pipeline` estimator: cycles per iteration of one basic block in the steady state of an out-of-order CPU.
 *
 * The estimator simulates the block until the time of an iteration settles (simulation/simulator.h). The result is at
 * least the largest of four bounds (README.md, "The pipeline"): the front end, issue slots, ports, and the longest
 * cycle of dependencies between iterations. All accesses are assumed to hit the L1 cache, and all branches to be
 * predicted.
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

/* Reads the parameters and rules of a model. A model without `pipeline_rules` gives ERROR_USAGE. The pipeline
 * borrows the model. Returns NULL on failure. */
struct pipeline *pipeline_create(const struct model *model, struct error *err);
void pipeline_destroy(struct pipeline *pipeline);

const struct model *pipeline_model(const struct pipeline *pipeline);
size_t pipeline_n_ports(const struct pipeline *pipeline);
const char *pipeline_port_name(const struct pipeline *pipeline, size_t port); /* "p0", "load" */

/* Estimates one block. Bytes that are not whole instructions give ERROR_USAGE. The caller zeroes *result before the
 * first call, may pass the same struct to further calls, and releases it with pipeline_result_deinit. */
bool pipeline_estimate(struct pipeline *pipeline, const uint8_t *bytes, size_t n_bytes,
		       const struct pipeline_options *options, struct pipeline_result *result, struct error *err);
void pipeline_result_deinit(struct pipeline_result *result);

#endif
