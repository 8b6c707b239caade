#include "costmodels/estimators/pipeline/simulation/simulate.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "costmodels/estimators/pipeline/simulation/simulate_private.h"

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint8_t scheduler_of(const struct pipeline *pipeline, unsigned port)
{
	uint8_t i = 0;

	while (i < pipeline->n_schedulers && !(pipeline->schedulers[i].ports >> port & 1))
		i++;
	return i;
}

struct simulator *simulator_create(struct pipeline *pipeline)
{
	struct simulator *simulator = xcalloc(1, sizeof(*simulator));

	simulator->pipeline = pipeline;
	simulator->parameters = &pipeline->parameters;
	simulator->mispredicted = NO_INSN;
	/* Instructions that have none of these have an empty part of them. */
	simulator->reads = array_reserve(NULL, &simulator->reads_capacity, 1, sizeof(*simulator->reads));
	simulator->writes = array_reserve(NULL, &simulator->writes_capacity, 1, sizeof(*simulator->writes));
	simulator->uses = array_reserve(NULL, &simulator->uses_capacity, 1, sizeof(*simulator->uses));
	for (uint8_t i = 0; i < PIPELINE_MAX_PORTS; i++)
		simulator->scheduler_of_port[i] = scheduler_of(pipeline, i);
	return simulator;
}

void simulator_destroy(struct simulator *simulator)
{
	if (!simulator)
		return;
	free(simulator->blocks);
	free(simulator->insns);
	free(simulator->charges);
	free(simulator->reads);
	free(simulator->writes);
	free(simulator->uses);
	free(simulator->accesses);
	free(simulator);
}

/* How one instruction fares, and what it waits for. */
struct progress {
	uint64_t delivered, issued;
	enum simulator_wait issue_wait;
	uint64_t ready[N_NODES]; /* the sources of each node are there */
	uint64_t executed, result, stored, completed;
	enum simulator_wait wait; /* of what completes last */
	struct sim_part parts[N_NODES];
};

static void complete(struct progress *progress, uint64_t cycle, enum simulator_wait wait)
{
	if (cycle <= progress->completed)
		return;
	progress->completed = cycle;
	progress->wait = wait;
}

static enum simulator_wait wait_of(const struct progress *progress, uint64_t ready, uint64_t started)
{
	if (started > later(ready, progress->issued + 1))
		return WAIT_PORT;
	return ready > progress->issued + 1 ? WAIT_RESULT : progress->issue_wait;
}

/* A buffer with entries that are given back in order: the cycle in which the next one is to be had. */
static uint64_t entry_free(const uint64_t *given_back, uint64_t n_used, uint32_t entries)
{
	if (!entries || entries >= MAX_WINDOW || n_used < entries)
		return 0;
	return given_back[(n_used - entries) % MAX_WINDOW] + 1;
}

static bool has_room(const struct simulator *simulator)
{
	const struct pipeline *pipeline = simulator->pipeline;

	for (size_t i = 0; i < pipeline->n_schedulers; i++)
		if (simulator->waiting[i] &&
		    simulator->waiting[i] + pipeline->parameters.issue_width > pipeline->schedulers[i].entries)
			return false;
	return true;
}

/* A group is issued when there is room for as many as it may have. */
static void begin_group(struct simulator *simulator)
{
	const struct machine_parameters *parameters = simulator->parameters;
	uint64_t free = entry_free(simulator->slot_retired, simulator->n_slots + parameters->issue_width - 1,
				   parameters->rob);

	if (free > simulator->issue_cycle)
		simulator_advance(simulator, free);
	while (!has_room(simulator))
		simulator_advance(simulator, simulator->issue_cycle + 1);
}

static void issue(struct simulator *simulator, const struct sim_insn *insn, uint32_t slots, struct progress *progress)
{
	const struct machine_parameters *parameters = simulator->parameters;
	uint64_t buffers = 0, begin;

	if (insn->reads_memory)
		buffers = entry_free(simulator->load_retired, simulator->n_loads, parameters->load_buffer);
	if (insn->writes_memory)
		buffers = later(buffers,
				entry_free(simulator->store_committed, simulator->n_stores, parameters->store_buffer));
	progress->issue_wait = WAIT_ISSUE;
	if (progress->delivered > simulator->issue_cycle) {
		simulator_advance(simulator, progress->delivered);
		progress->issue_wait = WAIT_FRONT_END;
	}
	begin = simulator->issue_cycle;
	if (buffers > begin)
		simulator_advance(simulator, buffers);
	for (uint32_t i = 0; i < slots; i++) {
		if (simulator->issued == parameters->issue_width)
			simulator_advance(simulator, simulator->issue_cycle + 1);
		if (!simulator->issued)
			begin_group(simulator);
		simulator->issued++;
		simulator->slot_issued[simulator->n_slots++ % MAX_WINDOW] = simulator->issue_cycle;
	}
	if (simulator->issue_cycle > begin)
		progress->issue_wait = WAIT_ISSUE;
	progress->issued = simulator->issue_cycle;
}

static void gather_sources(const struct simulator *simulator, const struct sim_insn *insn, bool syncs,
			   struct progress *progress)
{
	const struct sim_read *reads = &simulator->reads[insn->first_read];

	for (uint32_t i = 0; i < insn->n_reads; i++) {
		uint64_t ready = simulator->ready[location_of(reads[i].location, simulator->st_top)] + reads[i].weight;

		if (syncs && reads[i].location == LOCATION_GENERAL + GENERAL_RSP)
			ready++;
		if (ready > progress->ready[reads[i].node])
			progress->ready[reads[i].node] = ready;
	}
}

/* Yields when the value is there. */
static uint64_t load(struct simulator *simulator, const struct sim_insn *insn, const struct sim_memory *memory,
		     uint64_t started)
{
	const struct machine_parameters *parameters = simulator->parameters;
	bool is_chased = insn->base != NO_BASE && simulator->from_load[insn->base];
	uint32_t latency = is_chased ? insn->chased_latency : insn->load_latency;
	uint64_t value = started + latency + memory->extra_cycles;

	if (memory->forwarded == UINT64_MAX || memory->committed < started)
		return value;
	/* It waits until the store has left for the cache, which it does in its turn. From the load before it to that takes
	 * the cycles to complete, and to leave. */
	if (memory->fails)
		return later(value, memory->committed + parameters->failed_forward_cycles - 2);
	return later(value, memory->forwarded + (memory->is_renamed ? 0 : insn->forward_latency));
}

static void execute(struct simulator *simulator, const struct sim_insn *insn, const struct sim_memory *memory,
		    struct progress *progress)
{
	struct sim_use *uses = &simulator->uses[insn->first_use];
	uint64_t from = progress->issued + 1, started = from, result = progress->ready[NODE_RESULT];
	enum simulator_wait wait = result > from ? WAIT_RESULT : progress->issue_wait;
	uint64_t stored = 0;
	bool has_operation = false;

	if (insn->reads_memory) {
		started = later(from, progress->ready[NODE_LOAD]);
		for (uint32_t i = 0; i < insn->n_uses; i++)
			if (uses[i].node == NODE_LOAD)
				started = later(started, simulator_occupy(simulator, &uses[i],
									  later(from, progress->ready[NODE_LOAD])));
		uint64_t value = load(simulator, insn, memory, started);

		progress->parts[NODE_LOAD] = (struct sim_part){started, value};
		if (value + insn->latency >= result) {
			result = value + insn->latency;
			wait = value > started + insn->load_latency
				       ? WAIT_MEMORY
				       : wait_of(progress, progress->ready[NODE_LOAD], started);
		}
	}
	for (uint32_t i = 0; i < insn->n_uses; i++) {
		uint64_t ready = result > insn->latency ? result - insn->latency : 0, cycle;

		if (uses[i].node != NODE_RESULT)
			continue;
		cycle = simulator_occupy(simulator, &uses[i], later(from, ready));
		if (cycle > later(from, ready))
			wait = WAIT_PORT;
		progress->executed = later(progress->executed, cycle);
		has_operation = true;
	}
	if (has_operation) {
		result = later(result, progress->executed + insn->latency);
		progress->parts[NODE_RESULT] = (struct sim_part){progress->executed, result};
	} else {
		progress->executed = started;
	}
	progress->result = result;
	complete(progress, later(result, later(progress->executed, progress->issued)) + 1, wait);
	if (!insn->writes_memory)
		return;
	stored = result;
	for (uint32_t i = 0; i < insn->n_uses; i++) {
		uint64_t ready = result, cycle;

		if (uses[i].node != NODE_STORE)
			continue;
		if (uses[i].is_store_address)
			ready = progress->ready[NODE_STORE] ? progress->ready[NODE_STORE] - 1 : 0;
		cycle = simulator_occupy(simulator, &uses[i], later(from, ready));
		complete(progress, cycle + 1, wait_of(progress, ready, cycle));
		if (uses[i].is_store_address)
			stored = later(stored, cycle + 1);
		else
			progress->parts[NODE_STORE] = (struct sim_part){cycle, cycle + 1};
	}
	progress->stored = later(stored, progress->ready[NODE_STORE]);
}

static void write_results(struct simulator *simulator, const struct sim_insn *insn, uint64_t result)
{
	const uint8_t *writes = &simulator->writes[insn->first_write];

	simulator->st_top -= (uint32_t)insn->st_pushes_before;
	for (uint32_t i = 0; i < insn->n_writes; i++) {
		uint32_t location = location_of(writes[i], simulator->st_top);

		simulator->ready[location] = result;
		simulator->from_load[location] = insn->is_pure_load;
		if (location < INSN_N_GENERAL)
			simulator->versions[location]++;
	}
	simulator->st_top -= (uint32_t)insn->st_pushes_after;
}

/* A cycle in which instructions retired is over: they share it, and the oldest had those before it to itself. */
static void charge_group(struct simulator *simulator)
{
	mcyc_t gap = (mcyc_t)(simulator->group_cycle - simulator->previous_group_cycle) * MCYC_PER_CYCLE;
	mcyc_t share;

	if (!simulator->n_group || !gap)
		return;
	share = MCYC_PER_CYCLE / simulator->n_group;
	for (uint32_t i = 1; i < simulator->n_group; i++)
		simulator->charges[simulator->group[i]].waits_mcyc[simulator->group_wait] += share;
	simulator->charges[simulator->group[0]].waits_mcyc[simulator->group_wait] +=
		gap - share * (mcyc_t)(simulator->n_group - 1);
}

static void retire(struct simulator *simulator, uint32_t number, uint32_t slots, const struct progress *progress)
{
	const struct machine_parameters *parameters = simulator->parameters;
	uint32_t width = parameters->retire_width ? parameters->retire_width : parameters->issue_width;
	enum simulator_wait wait = progress->wait;
	uint64_t cycle = simulator->retire_cycle;

	if (progress->completed > cycle) {
		cycle = progress->completed;
		simulator->retired = 0;
	} else if (simulator->retired + slots > width && simulator->retired) {
		cycle++;
		simulator->retired = 0;
		wait = WAIT_RETIRE;
	}
	for (uint32_t i = 0; i < slots; i++) {
		if (simulator->retired == width) {
			cycle++;
			simulator->retired = 0;
		}
		simulator->retired++;
		simulator->slot_retired[(simulator->n_slots - slots + i) % MAX_WINDOW] = cycle;
	}
	simulator->retire_cycle = cycle;
	if (cycle != simulator->group_cycle || simulator->n_group == MAX_GROUP) {
		charge_group(simulator);
		simulator->previous_group_cycle = simulator->group_cycle;
		simulator->group_cycle = cycle;
		simulator->n_group = 0;
		simulator->group_wait = wait;
		/* What the branch made all wait for is charged to it. */
		if (wait == WAIT_FRONT_END && simulator->mispredicted != NO_INSN) {
			simulator->group_wait = WAIT_MISPREDICT;
			number = simulator->mispredicted;
		}
	}
	if (slots)
		simulator->mispredicted = NO_INSN;
	simulator->group[simulator->n_group++] = number;
}

/* In turn, when all before it have completed: blocks with failing forwards take no longer for what retires beside them. */
static void commit_store(struct simulator *simulator)
{
	uint32_t width = (uint32_t)__builtin_popcountll(simulator->parameters->store_data_ports);
	uint64_t cycle = later(simulator->completed + 1, simulator->last_commit);

	/* As many a cycle as have ports for their data. */
	if (simulator->n_stores >= width)
		cycle = later(cycle, simulator->store_committed[(simulator->n_stores - width) % MAX_WINDOW] + 1);
	simulator->last_commit = cycle;
	simulator->store_committed[simulator->n_stores++ % MAX_WINDOW] = cycle;
}

uint64_t simulator_step(struct simulator *simulator, const struct sim_block *block, uint32_t number,
			const struct sim_memory *memory, struct sim_times *times)
{
	const struct sim_insn *insn = &simulator->insns[number];
	bool syncs = simulator->stack_moved && insn->uses_rsp && insn->reads_rsp;
	uint32_t slots = insn->issue_slots + syncs;
	struct progress progress = {.wait = WAIT_ISSUE};

	if (insn->uses_rsp)
		simulator->stack_moved = false;
	simulator->stack_moved |= insn->moves_stack;
	progress.delivered = front_deliver(simulator, block, insn);
	issue(simulator, insn, slots, &progress);
	gather_sources(simulator, insn, syncs, &progress);
	if (syncs) {
		struct sim_use sync = {.ports = simulator->parameters->alu_ports, .cycles = 1};

		simulator_occupy(simulator, &sync, progress.issued + 1);
	}
	execute(simulator, insn, memory, &progress);
	simulator->last_executed = progress.executed;
	write_results(simulator, insn, progress.result);
	simulator->completed = later(simulator->completed, progress.completed);
	retire(simulator, number, slots, &progress);
	if (insn->reads_memory)
		simulator->load_retired[simulator->n_loads++ % MAX_WINDOW] = simulator->retire_cycle;
	if (insn->writes_memory)
		commit_store(simulator);
	if (times) {
		*times = (struct sim_times){.issued = progress.issued, .retired = simulator->retire_cycle};
		memcpy(times->parts, progress.parts, sizeof(times->parts));
	}
	return progress.stored;
}
