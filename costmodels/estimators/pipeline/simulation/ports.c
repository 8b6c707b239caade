/* Assigns ports and cycles to micro-operations. */
#include <string.h>

#include "costmodels/estimators/pipeline/simulation/simulator_private.h"

/* Frees the scheduler entries of the micro-operations that start in a cycle. */
static void leave_schedulers(struct simulator *simulator, port_set_t starts)
{
	for (port_set_t rest = starts; rest; rest &= rest - 1) {
		unsigned port = (unsigned)__builtin_ctzll(rest);

		simulator->pending[port]--;
		simulator->waiting[simulator->scheduler_of_port[port]]--;
	}
}

void simulator_advance(struct simulator *simulator, uint64_t cycle)
{
	uint64_t last = cycle;

	if (last - simulator->issue_cycle > N_CYCLES)
		last = simulator->issue_cycle + N_CYCLES;
	for (uint64_t i = simulator->issue_cycle + 1; i <= last; i++) {
		port_set_t *starts = &simulator->starts[i % N_CYCLES];

		if (*starts)
			leave_schedulers(simulator, *starts);
		*starts = 0;
		if (i % WORD_CYCLES == 0)
			for (size_t port = 0; port < simulator->pipeline->n_ports; port++)
				simulator->taken[port][(i / WORD_CYCLES - 1) % N_WORDS] = 0;
	}
	simulator->issue_cycle = cycle;
	simulator->issued = 0;
	if (simulator->parameters->port_choice == PORT_AT_ISSUE)
		memcpy(simulator->pending_before, simulator->pending,
		       simulator->pipeline->n_ports * sizeof(simulator->pending[0]));
}

/* uiCA (ICS 2022), section on ports: alternate issue slots of a cycle use the port for which the fewest micro-
 * operations wait, and the second such port. The second port is not used if at least three more micro-operations wait
 * for it. Of equal ports, the one with the highest number comes first. */
#define PORT_IMBALANCE 3

static unsigned choose_port(const struct simulator *simulator, port_set_t ports)
{
	unsigned best = 0, second = 0;
	uint32_t fewest = UINT32_MAX, next = UINT32_MAX;

	for (port_set_t rest = ports; rest; rest &= rest - 1) {
		unsigned port = (unsigned)__builtin_ctzll(rest);
		uint32_t n = simulator->pending_before[port];

		if (n <= fewest) {
			next = fewest;
			second = best;
			fewest = n;
			best = port;
		} else if (n <= next) {
			next = n;
			second = port;
		}
	}
	return simulator->issued % 2 == 0 && next != UINT32_MAX && next - fewest < PORT_IMBALANCE ? second : best;
}

/* Returns whether the occupied ports of a cycle are recorded. */
static bool is_tracked(const struct simulator *simulator, uint64_t cycle)
{
	return cycle - simulator->issue_cycle < N_CYCLES;
}

/* Returns the first cycle, at or after the given one, in which any of the ports is free. */
static uint64_t first_free(const struct simulator *simulator, port_set_t ports, uint64_t cycle)
{
	uint64_t word = cycle / WORD_CYCLES, last = simulator->issue_cycle / WORD_CYCLES + N_WORDS;
	uint64_t wanted = UINT64_MAX << cycle % WORD_CYCLES;

	for (; word < last; word++) {
		uint64_t taken = UINT64_MAX;

		for (port_set_t rest = ports; rest; rest &= rest - 1)
			taken &= simulator->taken[__builtin_ctzll(rest)][word % N_WORDS];
		if (~taken & wanted)
			return word * WORD_CYCLES + (uint64_t)__builtin_ctzll(~taken & wanted);
		wanted = UINT64_MAX;
	}
	return cycle;
}

static bool is_taken(const struct simulator *simulator, unsigned port, uint64_t cycle)
{
	return simulator->taken[port][cycle / WORD_CYCLES % N_WORDS] >> cycle % WORD_CYCLES & 1;
}

static void take(struct simulator *simulator, unsigned port, uint64_t cycle, bool starts)
{
	simulator->used[port]++;
	if (!is_tracked(simulator, cycle))
		return;
	simulator->taken[port][cycle / WORD_CYCLES % N_WORDS] |= (uint64_t)1 << cycle % WORD_CYCLES;
	if (starts)
		simulator->starts[cycle % N_CYCLES] |= (port_set_t)1 << port;
}

/* Returns the free port that has been occupied for the fewest cycles. */
static unsigned choose_free(const struct simulator *simulator, port_set_t ports, uint64_t cycle)
{
	uint64_t least = UINT64_MAX;
	unsigned best = 0;

	for (port_set_t rest = ports; rest; rest &= rest - 1) {
		unsigned port = (unsigned)__builtin_ctzll(rest);

		if (simulator->used[port] < least && !is_taken(simulator, port, cycle)) {
			least = simulator->used[port];
			best = port;
		}
	}
	return least == UINT64_MAX ? (unsigned)__builtin_ctzll(ports) : best;
}

/* Returns the first cycle, at or after the given one, in which the chosen port is free. */
static uint64_t find_cycle(const struct simulator *simulator, port_set_t ports, uint64_t cycle, unsigned *port)
{
	if (simulator->parameters->port_choice == PORT_AT_ISSUE && ports & (ports - 1)) {
		*port = choose_port(simulator, ports);
		return first_free(simulator, (port_set_t)1 << *port, cycle);
	}
	cycle = first_free(simulator, ports, cycle);
	*port = choose_free(simulator, ports, cycle);
	return cycle;
}

uint64_t simulator_occupy(struct simulator *simulator, struct sim_use *use, uint64_t from)
{
	uint32_t n = use->cycles;
	uint64_t first = UINT64_MAX;

	use->carried_mcyc = (uint16_t)(use->carried_mcyc + use->fraction_mcyc);
	if (use->carried_mcyc >= MCYC_PER_CYCLE) {
		use->carried_mcyc = (uint16_t)(use->carried_mcyc - MCYC_PER_CYCLE);
		n++;
	}
	for (uint32_t i = 0; i < n; i++) {
		unsigned port;
		uint64_t cycle = find_cycle(simulator, use->ports, from, &port);
		bool waits = i < use->n_scheduler_entries && is_tracked(simulator, cycle);

		take(simulator, port, cycle, waits);
		if (waits) {
			simulator->waiting[simulator->scheduler_of_port[port]]++;
			simulator->pending[port]++;
		}
		if (cycle < first)
			first = cycle;
	}
	return n ? first : from;
}
