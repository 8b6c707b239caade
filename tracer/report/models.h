/* Writes the list of installed models for tools: JSON, described by models.schema.json. */
#ifndef ITRACE_REPORT_MODELS_H
#define ITRACE_REPORT_MODELS_H

#include <stdio.h>

#include "base/error.h"
#include "costmodels/model/model.h"

/* `host` is the model of this machine's CPU; NULL if it has none, and `host_error` then says why. The caller checks
 * `out` for write errors. */
void models_report_write_json(FILE *out, const struct model_list *list, const struct model *host,
			      const struct error *host_error);

#endif
