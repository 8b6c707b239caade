#include "timing/machine/machine.h"

#include <assert.h>
#include <string.h>

#include "base/array.h"
#include "timing/machine/machine_private.h"

#define MAX_ATTEMPTS 12
#define GOOD_PERMILLE 5
#define USABLE_PERMILLE 30

static const struct {
	const char *subject;
	void (*measure)(struct machine *machine);
} steps[] = {
	{"issue width", machine_measure_width},
	{"loads and stores", machine_measure_loads},
	{"mispredictions", machine_measure_misprediction},
	{"TLBs", machine_measure_tlbs},
	{"caches", machine_measure_caches},
	{"reorder buffer", machine_measure_window},
};

void machine_init(struct machine *machine, struct clock *clock, struct timed_code *code)
{
	*machine = (struct machine){.clock = clock, .code = code};
}

size_t machine_n_steps(void)
{
	return ARRAY_LENGTH(steps);
}

const char *machine_step_subject(size_t step)
{
	return steps[step].subject;
}

void machine_measure(struct machine *machine, size_t step)
{
	size_t n_before = machine->n_parameters;

	steps[step].measure(machine);
	if (machine_must_stop(machine))
		machine->n_parameters = n_before;
}

bool machine_must_stop(const struct machine *machine)
{
	return machine->must_stop && machine->must_stop();
}

const struct machine_parameter *machine_find(const struct machine *machine, const char *key)
{
	for (size_t i = 0; i < machine->n_parameters; i++)
		if (!strcmp(machine->parameters[i].key, key) && !machine->parameters[i].missing)
			return &machine->parameters[i];
	return NULL;
}

bool machine_time(struct machine *machine, const struct timed_code_body *body, const struct timed_code_state *state,
		  struct clock_result *out)
{
	struct clock_result best = {.spread_permille = UINT32_MAX}, result;

	for (int i = 0; i < MAX_ATTEMPTS && best.spread_permille > GOOD_PERMILLE && !machine_must_stop(machine); i++)
		if (clock_measure_body(machine->clock, machine->code, body, state, &result) &&
		    result.spread_permille < best.spread_permille)
			best = result;
	*out = best;
	return best.spread_permille <= USABLE_PERMILLE;
}

static void add(struct machine *machine, const struct machine_parameter *parameter)
{
	assert(machine->n_parameters < MACHINE_MAX_PARAMETERS);
	machine->parameters[machine->n_parameters++] = *parameter;
}

void machine_add(struct machine *machine, const char *key, const char *how, const struct clock_result *result)
{
	const struct machine_parameter parameter = {
		.key = key,
		.how = how,
		.value = result->mcyc > 0 ? (uint32_t)((result->mcyc + MILLI / 2) / MILLI) : 0,
		.milli = result->mcyc,
		.spread_permille = result->spread_permille,
	};

	add(machine, &parameter);
}

void machine_add_missing(struct machine *machine, const char *key, const char *missing)
{
	add(machine, &(struct machine_parameter){.key = key, .missing = missing});
}

void machine_add_size(struct machine *machine, const char *key, const char *how, uint32_t last, uint32_t first_after)
{
	const struct machine_parameter parameter = {
		.key = key,
		.how = how,
		.value = last,
		.milli = (int64_t)last * MILLI,
		.spread_permille = (first_after - last) * 1000 / last,
	};

	add(machine, &parameter);
}
