#include "report/json/region.h"

#include "costmodels/estimators/pipeline/region/region.h"

static json_t *json_waits(const mcyc_t stalls_mcyc[N_STALLS])
{
	static const char *const keys[] = {
		[STALL_FRONT_END] = "front_end", [STALL_MISPREDICT] = "misprediction",
		[STALL_ISSUE] = "issue",	 [STALL_PORT] = "port",
		[STALL_RESULT] = "result",	 [STALL_MEMORY] = "memory",
		[STALL_RETIRE] = "retirement",
	};
	json_t *object = json_object();

	for (int i = 0; i < N_STALLS; i++)
		json_set(object, keys[i], json_cycles(stalls_mcyc[i]));
	return object;
}

static json_t *json_loop(const struct profile *profile, const struct region_loop *loop)
{
	const struct profile_insn *insn = &profile->insns[loop->head];
	json_t *object = json_object();

	json_set(object, "function", json_function(profile, insn->function));
	json_set(object, "offset", insn->function == PROFILE_NONE ? json_null() : json_integer(insn->function_offset));
	json_set(object, "module", json_module(profile, insn->module));
	json_set(object, "rounds", json_count(loop->iterations));
	json_set(object, "instructions", json_count(loop->executions));
	json_set(object, "waits", json_waits(loop->stalls_mcyc));
	return object;
}

static json_t *json_misses(const struct region_cycles *cycles)
{
	static const char *const keys[] = {
		[MISS_SERVED_BY_L2] = "l2",
		[MISS_SERVED_BY_L3] = "l3",
		[MISS_SERVED_BY_MEMORY] = "memory",
		[MISS_SERVED_BY_STLB] = "second_tlb",
		[MISS_SERVED_BY_PAGE_TABLES] = "page_tables",
	};
	json_t *object = json_object();

	for (int i = 0; i < N_PROFILE_MISSES; i++)
		json_set(object, keys[i], json_count(cycles->n_misses[i]));
	return object;
}

json_t *json_pipeline(const struct profile *profile, const struct region_cycles *cycles)
{
	json_t *object = json_object(), *loops = json_array();

	for (size_t i = 0; i < cycles->n_loops; i++)
		json_add(loops, json_loop(profile, &cycles->loops[i]));
	json_set(object, "waits", json_waits(cycles->stalls_mcyc));
	json_set(object, "mispredictions", json_count(cycles->n_mispredicts));
	json_set(object, "loads", cycles->has_caches ? json_misses(cycles) : json_null());
	json_set(object, "simulated", json_count(cycles->n_simulated));
	json_set(object, "simulated_elsewhere", json_count(cycles->n_other_context));
	json_set(object, "averaged", json_count(cycles->n_averaged));
	json_set(object, "loops", loops);
	return object;
}
