/* An itrace whose translated code has traces from the start. A number chooses their blocks (engine.h). Programs with
 * known answers rarely run long enough for traces otherwise. ITRACE_TRACES_SEED sets the number; the default is 1.
 * Linked with --wrap=engine_run. */
#include <stdlib.h>

#include "engine/engine.h"

bool __real_engine_run(const struct trace_plan *plan, struct interrupts *interrupts, struct profile *profile,
		       struct error *err);
bool __wrap_engine_run(const struct trace_plan *plan, struct interrupts *interrupts, struct profile *profile,
		       struct error *err);

bool __wrap_engine_run(const struct trace_plan *plan, struct interrupts *interrupts, struct profile *profile,
		       struct error *err)
{
	const char *seed = getenv("ITRACE_TRACES_SEED");
	struct trace_plan seeded = *plan;

	seeded.traces_seed = seed ? (uint32_t)strtoul(seed, NULL, 10) : 1;
	return __real_engine_run(&seeded, interrupts, profile, err);
}
