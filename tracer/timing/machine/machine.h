/* Measures the parameters of this CPU that costmodels/data/FORMAT.md defines. */
#ifndef ITRACE_TIMING_MACHINE_MACHINE_H
#define ITRACE_TIMING_MACHINE_MACHINE_H

#include "timing/clock.h"

#define MACHINE_MAX_PARAMETERS 32

struct machine_parameter {
	const char *key; /* in [parameters] */
	const char *how; /* how it was measured */
	/* The reason why there is no value, so that models leave the parameter out; else NULL. */
	const char *missing;
	uint32_t value; /* in the unit of the key, as FORMAT.md says */
	int64_t milli;	/* thousandths of this unit, before rounding */
	/* Of a time: the width of the narrowest range that holds a third of the samples. Of a size: the distance
	 * between the sizes on both sides of the step. In thousandths of the value. */
	uint32_t spread_permille;
};

struct machine {
	struct clock *clock;
	struct timed_code *code;
	bool (*must_stop)(void); /* may be NULL; if it returns true, the step ends and adds nothing */
	struct machine_parameter parameters[MACHINE_MAX_PARAMETERS];
	size_t n_parameters;
};

/* Clock and code must outlive the measurements. */
void machine_init(struct machine *machine, struct clock *clock, struct timed_code *code);

/* The measurements come in steps, which use the results of earlier ones. A step takes from 0.1 s to some seconds. */
size_t machine_n_steps(void);

/* Returns the subject of a step, for a progress line: "caches". */
const char *machine_step_subject(size_t step);

/* Adds the parameters of the step to machine->parameters. */
void machine_measure(struct machine *machine, size_t step);

/* Returns the parameter if it is known, else NULL. */
const struct machine_parameter *machine_find(const struct machine *machine, const char *key);

#endif
