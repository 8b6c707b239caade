#include "costmodels/estimators/pipeline/simulation/simulator.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "costmodels/estimators/pipeline/simulation/simulator_private.h"

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
	/* Instructions without reads, writes or uses still point into these arrays. */
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

/* The cycles of one instruction in the pipeline, and the cause of its latest stall. */
struct progress {
	uint64_t delivered, issued;
	enum stall_cause issue_stall;
	uint64_t ready[N_PARTS]; /* cycle in which the sources of each part are ready */
	uint64_t executed, result, stored, completed;
	enum stall_cause stall; /* cause of the wait for `completed` */
	struct pipeline_part_times parts[N_PARTS];
};

static void complete(struct progress *progress, uint64_t cycle, enum stall_cause stall)
{
	if (cycle <= progress->completed)
		return;
	progress->completed = cycle;
	progress->stall = stall;
}

static enum stall_cause find_stall(const struct progress *progress, uint64_t ready, uint64_t started)
{
	if (started > later(ready, progress->issued + 1))
		return STALL_PORT;
	return ready > progress->issued + 1 ? STALL_RESULT : progress->issue_stall;
}

/* Returns the first cycle in which a buffer has a free entry. Entries are released in order. */
static uint64_t entry_free_cycle(const uint64_t *released, uint64_t n_used, uint32_t entries)
{
	if (!entries || entries >= MAX_WINDOW || n_used < entries)
		return 0;
	return released[(n_used - entries) % MAX_WINDOW] + 1;
}

static bool schedulers_have_room(const struct simulator *simulator)
{
	const struct pipeline *pipeline = simulator->pipeline;

	for (size_t i = 0; i < pipeline->n_schedulers; i++)
		if (simulator->waiting[i] &&
		    simulator->waiting[i] + pipeline->parameters.issue_width > pipeline->schedulers[i].entries)
			return false;
	return true;
}

/* The first slot of a cycle issues when the reorder buffer and the schedulers have room for issue_width micro-
 * operations. */
static void begin_group(struct simulator *simulator)
{
	const struct machine_parameters *parameters = simulator->parameters;
	uint64_t free = entry_free_cycle(simulator->slot_retired, simulator->n_slots + parameters->issue_width - 1,
					 parameters->rob);

	if (free > simulator->issue_cycle)
		simulator_advance(simulator, free);
	while (!schedulers_have_room(simulator))
		simulator_advance(simulator, simulator->issue_cycle + 1);
}

static void issue(struct simulator *simulator, const struct sim_insn *insn, uint32_t slots, struct progress *progress)
{
	const struct machine_parameters *parameters = simulator->parameters;
	uint64_t buffers = 0, begin;

	if (insn->reads_memory)
		buffers = entry_free_cycle(simulator->load_retired, simulator->n_loads, parameters->load_buffer);
	if (insn->writes_memory)
		buffers = later(buffers, entry_free_cycle(simulator->store_committed, simulator->n_stores,
							  parameters->store_buffer));
	progress->issue_stall = STALL_ISSUE;
	if (progress->delivered > simulator->issue_cycle) {
		simulator_advance(simulator, progress->delivered);
		progress->issue_stall = STALL_FRONT_END;
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
		progress->issue_stall = STALL_ISSUE;
	progress->issued = simulator->issue_cycle;
}

static void gather_sources(const struct simulator *simulator, const struct sim_insn *insn, bool syncs,
			   struct progress *progress)
{
	const struct sim_read *reads = &simulator->reads[insn->first_read];

	for (uint32_t i = 0; i < insn->n_reads; i++) {
		uint64_t ready = simulator->ready[location_resolve(reads[i].location, simulator->st_top)] +
				 reads[i].weight;

		if (syncs && reads[i].location == LOCATION_GENERAL + GENERAL_RSP)
			ready++;
		if (ready > progress->ready[reads[i].part])
			progress->ready[reads[i].part] = ready;
	}
}

/* Returns the cycle in which the loaded value is ready. */
static uint64_t load(struct simulator *simulator, const struct sim_insn *insn,
		     const struct sim_load_source *load_source, uint64_t started)
{
	const struct machine_parameters *parameters = simulator->parameters;
	bool is_chased = insn->base != NO_REGISTER && simulator->from_load[insn->base];
	uint32_t latency = is_chased ? insn->chased_latency : insn->load_latency;
	uint64_t value = started + latency + load_source->extra_cycles;

	if (load_source->forwarded == UINT64_MAX || load_source->committed < started)
		return value;
	/* The load waits until the store commits. In a loop, the store commits at least two cycles after the value of
	 * the previous iteration's load is ready. With these two cycles an iteration takes failed_forward_cycles. */
	if (load_source->fails)
		return later(value, load_source->committed + parameters->failed_forward_cycles - 2);
	return later(value, load_source->forwarded + (load_source->is_renamed ? 0 : insn->forward_latency));
}

/* Returns the earliest cycle in which the instruction's result is ready. Sets *stall to the cause of the wait for the
 * loaded value. */
static uint64_t execute_load(struct simulator *simulator, const struct sim_insn *insn,
			     const struct sim_load_source *load_source, struct progress *progress,
			     enum stall_cause *stall)
{
	struct sim_use *uses = &simulator->uses[insn->first_use];
	uint64_t ready = later(progress->issued + 1, progress->ready[PART_LOAD]), started = ready, value;

	for (uint32_t i = 0; i < insn->n_uses; i++)
		if (uses[i].part == PART_LOAD)
			started = later(started, simulator_occupy(simulator, &uses[i], ready));
	value = load(simulator, insn, load_source, started);
	progress->parts[PART_LOAD] = (struct pipeline_part_times){started, value};
	*stall = value > started + insn->load_latency ? STALL_MEMORY
						      : find_stall(progress, progress->ready[PART_LOAD], started);
	return value + insn->latency;
}

/* Executes the micro-operations that are neither load nor store. The result is ready when the last of them has its
 * result. */
static void execute_operation(struct simulator *simulator, const struct sim_insn *insn, uint64_t result,
			      enum stall_cause stall, struct progress *progress)
{
	struct sim_use *uses = &simulator->uses[insn->first_use];
	uint64_t ready = later(progress->issued + 1, result > insn->latency ? result - insn->latency : 0);
	bool has_operation = false;

	for (uint32_t i = 0; i < insn->n_uses; i++) {
		uint64_t cycle;

		if (uses[i].part != PART_OPERATION)
			continue;
		cycle = simulator_occupy(simulator, &uses[i], ready);
		if (cycle > ready)
			stall = STALL_PORT;
		progress->executed = later(progress->executed, cycle);
		has_operation = true;
	}
	if (has_operation) {
		result = later(result, progress->executed + insn->latency);
		progress->parts[PART_OPERATION] = (struct pipeline_part_times){progress->executed, result};
	} else {
		progress->executed = insn->reads_memory ? progress->parts[PART_LOAD].started : progress->issued + 1;
	}
	progress->result = result;
	complete(progress, later(result, later(progress->executed, progress->issued)) + 1, stall);
}

static void execute_store(struct simulator *simulator, const struct sim_insn *insn, struct progress *progress)
{
	struct sim_use *uses = &simulator->uses[insn->first_use];
	uint64_t stored = progress->result;

	for (uint32_t i = 0; i < insn->n_uses; i++) {
		uint64_t ready = progress->result, cycle;

		if (uses[i].part != PART_STORE)
			continue;
		if (uses[i].is_store_address)
			ready = progress->ready[PART_STORE] ? progress->ready[PART_STORE] - 1 : 0;
		cycle = simulator_occupy(simulator, &uses[i], later(progress->issued + 1, ready));
		complete(progress, cycle + 1, find_stall(progress, ready, cycle));
		if (uses[i].is_store_address)
			stored = later(stored, cycle + 1);
		else
			progress->parts[PART_STORE] = (struct pipeline_part_times){cycle, cycle + 1};
	}
	progress->stored = later(stored, progress->ready[PART_STORE]);
}

static void execute(struct simulator *simulator, const struct sim_insn *insn, const struct sim_load_source *load_source,
		    struct progress *progress)
{
	uint64_t result = progress->ready[PART_OPERATION];
	enum stall_cause stall = result > progress->issued + 1 ? STALL_RESULT : progress->issue_stall;

	if (insn->reads_memory) {
		enum stall_cause load_stall;
		uint64_t loaded = execute_load(simulator, insn, load_source, progress, &load_stall);

		if (loaded >= result) {
			result = loaded;
			stall = load_stall;
		}
	}
	execute_operation(simulator, insn, result, stall, progress);
	if (insn->writes_memory)
		execute_store(simulator, insn, progress);
}

static void write_results(struct simulator *simulator, const struct sim_insn *insn, uint64_t result)
{
	const uint8_t *writes = &simulator->writes[insn->first_write];

	simulator->st_top -= insn->st_pushes;
	for (uint32_t i = 0; i < insn->n_writes; i++) {
		uint32_t location = location_resolve(writes[i], simulator->st_top);

		simulator->ready[location] = result;
		simulator->from_load[location] = insn->is_pure_load;
		if (location < INSN_N_GENERAL)
			simulator->versions[location]++;
	}
	simulator->st_top += insn->st_pops;
}

/* The instructions that retire in a cycle share it. The oldest is also charged with the cycles without retirement
 * before it. */
static void charge_group(struct simulator *simulator)
{
	mcyc_t gap = (mcyc_t)(simulator->group_cycle - simulator->previous_group_cycle) * MCYC_PER_CYCLE;
	mcyc_t share;

	if (!simulator->n_group || !gap)
		return;
	share = MCYC_PER_CYCLE / simulator->n_group;
	for (uint32_t i = 1; i < simulator->n_group; i++)
		simulator->charges[simulator->group[i]].stalls_mcyc[simulator->group_stall] += share;
	simulator->charges[simulator->group[0]].stalls_mcyc[simulator->group_stall] +=
		gap - share * (mcyc_t)(simulator->n_group - 1);
}

static void retire(struct simulator *simulator, uint32_t number, uint32_t slots, const struct progress *progress)
{
	const struct machine_parameters *parameters = simulator->parameters;
	uint32_t width = parameters->retire_width ? parameters->retire_width : parameters->issue_width;
	enum stall_cause stall = progress->stall;
	uint64_t cycle = simulator->retire_cycle;

	if (progress->completed > cycle) {
		cycle = progress->completed;
		simulator->retired = 0;
	} else if (simulator->retired + slots > width && simulator->retired) {
		cycle++;
		simulator->retired = 0;
		stall = STALL_RETIRE;
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
		simulator->group_stall = stall;
		/* The mispredicted branch is charged with the stall that it caused. */
		if (stall == STALL_FRONT_END && simulator->mispredicted != NO_INSN) {
			simulator->group_stall = STALL_MISPREDICT;
			number = simulator->mispredicted;
		}
	}
	if (slots)
		simulator->mispredicted = NO_INSN;
	simulator->group[simulator->n_group++] = number;
}

/* Stores commit in order, after all earlier instructions have completed. */
static void commit_store(struct simulator *simulator)
{
	uint32_t width = (uint32_t)__builtin_popcountll(simulator->parameters->store_data_ports);
	uint64_t cycle = later(simulator->completed + 1, simulator->last_commit);

	/* One cycle commits as many stores as there are ports for data. */
	if (simulator->n_stores >= width)
		cycle = later(cycle, simulator->store_committed[(simulator->n_stores - width) % MAX_WINDOW] + 1);
	simulator->last_commit = cycle;
	simulator->store_committed[simulator->n_stores++ % MAX_WINDOW] = cycle;
}

uint64_t simulator_step(struct simulator *simulator, const struct sim_block *block, uint32_t number,
			const struct sim_load_source *load_source, struct pipeline_times *times)
{
	const struct sim_insn *insn = &simulator->insns[number];
	bool syncs = simulator->stack_moved && insn->uses_rsp && insn->reads_rsp;
	uint32_t slots = insn->issue_slots + syncs;
	struct progress progress = {.stall = STALL_ISSUE};

	if (insn->uses_rsp)
		simulator->stack_moved = false;
	simulator->stack_moved |= insn->moves_stack;
	progress.delivered = front_end_deliver(simulator, block, insn);
	issue(simulator, insn, slots, &progress);
	gather_sources(simulator, insn, syncs, &progress);
	if (syncs) {
		struct sim_use sync = {.ports = simulator->parameters->alu_ports, .cycles = 1};

		simulator_occupy(simulator, &sync, progress.issued + 1);
	}
	execute(simulator, insn, load_source, &progress);
	simulator->last_executed = progress.executed;
	write_results(simulator, insn, progress.result);
	simulator->completed = later(simulator->completed, progress.completed);
	retire(simulator, number, slots, &progress);
	if (insn->reads_memory)
		simulator->load_retired[simulator->n_loads++ % MAX_WINDOW] = simulator->retire_cycle;
	if (insn->writes_memory)
		commit_store(simulator);
	if (times) {
		*times = (struct pipeline_times){.issued = progress.issued, .retired = simulator->retire_cycle};
		memcpy(times->parts, progress.parts, sizeof(times->parts));
	}
	return progress.stored;
}
