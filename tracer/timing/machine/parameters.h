/* The measured parameters as lines of a model. */
#ifndef ITRACE_TIMING_MACHINE_PARAMETERS_H
#define ITRACE_TIMING_MACHINE_PARAMETERS_H

#include "timing/machine/machine.h"
#include "timing/model_writer.h"

#define MAX_MEASURED_PARAMETERS (MACHINE_MAX_PARAMETERS + 1)

/* Writes the lines of the parameters that are known and returns their number. An inherited value within the spread of
 * the measured one, or within 1 %, stays. */
size_t machine_list_parameters(const struct machine *machine, const struct model *inherited,
			       struct measured_parameter lines[MAX_MEASURED_PARAMETERS]);

/* Returns a sentence with the missing parameters and the reasons, or NULL if there are none. The caller frees it. */
char *machine_describe_missing(const struct machine *machine);

#endif
