/* The `pairing` estimator simulates each run of a region (p5/runs.h) on the pipes of a P5 once and multiplies the
 * cycles by the run's count.
 *
 * Pairing depends on the run alone. A branch issues alone or second in a pair, never first (242816, "General Pairing
 * Rules"). Therefore the instruction after a branch, taken or not, always starts in U.
 *
 * Two results of a run can delay the next run: a register that the last cycle wrote and an address needs, and x87
 * results that are not ready. Each run starts with the state that its predecessor left. If several runs end at one
 * branch, the most frequent run determines that state. For addresses, this approximation is off by at most one cycle
 * per run.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "costmodels/estimators/estimate_private.h"
#include "costmodels/estimators/p5/pairing.h"
#include "costmodels/estimators/p5/runs.h"

/* The state that the most frequent run with a given last instruction leaves. */
struct ending {
	uint64_t count; /* executions of that run; 0: no run yet */
	struct pairing_state state;
};

struct simulation {
	struct pairing_insn *insns; /* [n_insns] */
	struct runs runs;
	struct ending *endings; /* [n_endings] */
	size_t n_endings, endings_capacity;
	uint32_t *ending_of; /* [n_insns] index in endings by last instruction, or PROFILE_NONE */
	uint32_t *run_insns; /* [run_insns_capacity] the instructions of the current run */
	size_t run_insns_capacity;
	struct pairing_totals real, ideal;
};

static void list_insns(struct simulation *simulation, const struct run *run)
{
	uint32_t at = run->first;

	simulation->run_insns = array_reserve(simulation->run_insns, &simulation->run_insns_capacity, run->n_insns,
					      sizeof(*simulation->run_insns));
	for (uint32_t i = 0; i < run->n_insns; i++, at = simulation->runs.next[at])
		simulation->run_insns[i] = at;
}

/* Keeps the state that a run leaves if the run is the most frequent one with its last instruction so far. */
static void update_ending(struct simulation *simulation, const struct run *run)
{
	struct pairing_totals ignored = {0};
	struct pairing_state state = {0};
	struct ending *ending;
	uint32_t last;

	list_insns(simulation, run);
	last = simulation->run_insns[run->n_insns - 1];
	if (simulation->ending_of[last] == PROFILE_NONE) {
		ARRAY_ADD(simulation, endings);
		simulation->ending_of[last] = (uint32_t)simulation->n_endings - 1;
	}
	ending = &simulation->endings[simulation->ending_of[last]];
	if (run->count <= ending->count)
		return;
	pairing_run(simulation->insns, &(struct pairing_sequence){simulation->run_insns, run->n_insns, 0}, PAIRING_REAL,
		    &state, &ignored);
	*ending = (struct ending){run->count, state};
}

static void simulate_run(struct simulation *simulation, const struct run *run)
{
	struct pairing_state state = {0}, ideal_state;
	struct pairing_sequence sequence;
	uint32_t ending = run->from == PROFILE_NONE ? PROFILE_NONE : simulation->ending_of[run->from];

	if (ending != PROFILE_NONE)
		state = simulation->endings[ending].state;
	ideal_state = state;
	list_insns(simulation, run);
	sequence = (struct pairing_sequence){simulation->run_insns, run->n_insns, run->count};
	pairing_run(simulation->insns, &sequence, PAIRING_REAL, &state, &simulation->real);
	pairing_run(simulation->insns, &sequence, PAIRING_IDEAL, &ideal_state, &simulation->ideal);
}

static void simulation_init(struct simulation *simulation, const struct estimate *estimate,
			    const struct profile *profile, uint32_t region)
{
	*simulation = (struct simulation){0};
	simulation->insns = xcalloc(estimate->n_insns, sizeof(*simulation->insns));
	simulation->ending_of = xcalloc(estimate->n_insns, sizeof(*simulation->ending_of));
	for (size_t i = 0; i < estimate->n_insns; i++) {
		const struct profile_insn *insn = &profile->insns[i];

		simulation->ending_of[i] = PROFILE_NONE;
		if (profile->regions[region].executions[i])
			pairing_insn_init(&simulation->insns[i], &estimate->costs[insn->form], insn->bytes,
					  insn->length);
	}
	runs_init(&simulation->runs, profile, region);
}

static void simulation_deinit(struct simulation *simulation)
{
	runs_deinit(&simulation->runs);
	free(simulation->insns);
	free(simulation->endings);
	free(simulation->ending_of);
	free(simulation->run_insns);
}

static void add_figure(struct estimate *estimate, struct estimate_figure figure)
{
	assert(estimate->n_figures < ESTIMATE_MAX_FIGURES);
	estimate->figures[estimate->n_figures++] = figure;
}

static void set_figures(struct estimate *estimate, const struct simulation *simulation)
{
	const struct pairing_totals *real = &simulation->real;
	mcyc_t failed_mcyc = real->mcyc - simulation->ideal.mcyc;

	assert(real->v_executions <= INT64_MAX);
	add_figure(estimate, (struct estimate_figure){"v_pipe_instructions", "went through the V pipe",
						      ESTIMATE_INSTRUCTIONS, (int64_t)real->v_executions});
	add_figure(estimate, (struct estimate_figure){"address_generation_cycles", "lost to address generation",
						      ESTIMATE_CYCLES, real->address_mcyc});
	/* Negative if pairing two instructions early prevented a better pair later. */
	add_figure(estimate, (struct estimate_figure){"pairing_failure_cycles", "lost to pairing failures",
						      ESTIMATE_CYCLES, failed_mcyc > 0 ? failed_mcyc : 0});
	add_figure(estimate,
		   (struct estimate_figure){"prefix_cycles", "lost to prefixes", ESTIMATE_CYCLES, real->prefix_mcyc});
}

void estimate_pairing(struct estimate *estimate, const struct profile *profile, uint32_t region)
{
	const struct profile_region *profiled = &profile->regions[region];
	struct simulation simulation;

	estimate->estimator = "pairing";
	simulation_init(&simulation, estimate, profile, region);
	for (size_t i = 0; i < simulation.runs.n_runs; i++)
		update_ending(&simulation, &simulation.runs.runs[i]);
	for (size_t i = 0; i < simulation.runs.n_runs; i++)
		simulate_run(&simulation, &simulation.runs.runs[i]);
	for (size_t i = 0; i < estimate->n_insns; i++) {
		const struct cost *cost = &estimate->costs[profile->insns[i].form];

		estimate->insn_mcyc[i] = cost_total_mcyc(cost, COST_LATENCY, 0, profiled->iterations[i]);
		estimate_add_mcyc(&estimate->insn_mcyc[i], simulation.insns[i].mcyc);
	}
	set_figures(estimate, &simulation);
	simulation_deinit(&simulation);
}
