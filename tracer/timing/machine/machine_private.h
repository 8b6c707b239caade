/* Shared by machine.c and the files that measure a group of parameters. */
#ifndef ITRACE_TIMING_MACHINE_MACHINE_PRIVATE_H
#define ITRACE_TIMING_MACHINE_MACHINE_PRIVATE_H

#include "timing/machine/machine.h"

#define MILLI 1000

/* Times a body until the samples agree. Returns false if they never agree within 3 %. */
bool machine_time(struct machine *machine, const struct timed_code_body *body, const struct timed_code_state *state,
		  struct clock_result *out);

/* Returns true if the step must end soon; its results do not count. */
bool machine_must_stop(const struct machine *machine);

/* Adds a parameter: the result, rounded to a whole number. */
void machine_add(struct machine *machine, const char *key, const char *how, const struct clock_result *result);
void machine_add_missing(struct machine *machine, const char *key, const char *missing);

/* Adds the size `last`, after which the measured time rises; it has risen at first_after. */
void machine_add_size(struct machine *machine, const char *key, const char *how, uint32_t last, uint32_t first_after);

/* The steps. */
void machine_measure_width(struct machine *machine);
void machine_measure_loads(struct machine *machine);
void machine_measure_misprediction(struct machine *machine);
void machine_measure_caches(struct machine *machine);
void machine_measure_window(struct machine *machine);
void machine_measure_tlbs(struct machine *machine);

#endif
