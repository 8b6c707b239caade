#include "profile/flow.h"

#include <stdlib.h>

#include "base/array.h"
#include "profile/coder.h"

/* More returns for a place, on average, than any real program has. */
#define MAX_RETURNS 8

static uint32_t find_place(const struct profile_insn *insns, const uint32_t *places, size_t n_places, uint64_t va)
{
	size_t found = ARRAY_SEARCH(n_places, i, insns[places[i]].va < va);

	return found < n_places && insns[places[found]].va == va ? (uint32_t)found : FLOW_NO_PLACE;
}

static void count_few(uint8_t *count)
{
	*count += *count < 3;
}

void flow_init(struct flow *flow, const struct profile_insn *insns, const uint32_t *places, size_t n_places)
{
	*flow = (struct flow){.n_places = n_places};
	flow->places = xcalloc(n_places, sizeof(*flow->places));
	flow->executions = xcalloc(n_places, sizeof(*flow->executions));
	flow->left = xcalloc(n_places, sizeof(*flow->left));
	flow->explained = xcalloc(n_places, sizeof(*flow->explained));
	for (size_t i = 0; i < n_places; i++) {
		const struct profile_insn *insn = &insns[places[i]];
		struct flow_place *place = &flow->places[i], *target;
		uint64_t target_va;
		bool is_call, is_earlier;

		place->opcode = code_fields_opcode(insn->bytes, insn->length);
		place->follows = i > 0 && insns[places[i - 1]].va + insns[places[i - 1]].length == insn->va;
		place->target = FLOW_NO_PLACE;
		if (code_fields_target(insn->bytes, insn->length, insn->va, &place->transfer, &target_va))
			place->target = find_place(insns, places, n_places, target_va);
		if (place->target == FLOW_NO_PLACE)
			continue;
		target = &flow->places[place->target];
		is_call = place->transfer == CODE_CALL;
		is_earlier = i < place->target;
		count_few(is_call      ? is_earlier ? &target->n_calls_earlier : &target->n_calls_later
			  : is_earlier ? &target->n_jumps_earlier
				       : &target->n_jumps_later);
	}
}

void flow_deinit(struct flow *flow)
{
	free(flow->places);
	free(flow->executions);
	free(flow->left);
	free(flow->explained);
	free(flow->returns);
	free(flow->wanting);
	*flow = (struct flow){0};
}

bool flow_runs_on(const struct flow *flow, size_t place)
{
	enum code_transfer transfer;

	if (place == 0 || !flow->places[place].follows)
		return false;
	transfer = flow->places[place - 1].transfer;
	return transfer == CODE_NONE || transfer == CODE_CONDITIONAL;
}

static bool is_behind_call(const struct flow *flow, size_t place)
{
	enum code_transfer transfer;

	if (place == 0 || !flow->places[place].follows)
		return false;
	transfer = flow->places[place - 1].transfer;
	return transfer == CODE_CALL || transfer == CODE_INDIRECT_CALL;
}

uint64_t flow_predict_executions(const struct flow *flow, size_t place)
{
	uint64_t executions = flow->explained[place];

	if (flow_runs_on(flow, place))
		executions += flow->left[place - 1];
	else if (is_behind_call(flow, place))
		executions += flow->executions[place - 1];
	return executions;
}

void flow_set_executions(struct flow *flow, size_t place, uint64_t executions)
{
	flow->executions[place] = flow->left[place] = executions;
	if (flow_runs_on(flow, place))
		flow->explained[place] += flow->left[place - 1];
}

void flow_add_edge(struct flow *flow, size_t from, size_t to, uint64_t count)
{
	flow->left[from] -= count;
	flow->explained[to] += count;
}

uint64_t flow_need(const struct flow *flow, size_t place)
{
	uint64_t need = flow->executions[place] - flow->explained[place];

	return need > INT64_MAX ? 0 : need;
}

void flow_find_wanting(struct flow *flow)
{
	flow->wanting = xcalloc(flow->n_places, sizeof(*flow->wanting));
	for (uint32_t i = 0; i < flow->n_places; i++)
		if (flow_need(flow, i) > 0 && !is_behind_call(flow, i))
			flow->wanting[flow->n_wanting++] = i;
}

static int compare_returns(const void *left, const void *right)
{
	const struct flow_return *a = left, *b = right;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

static void sort_returns(struct flow *flow)
{
	size_t n = 0;

	if (flow->n_returns > 0)
		qsort(flow->returns, flow->n_returns, sizeof(*flow->returns), compare_returns);
	for (size_t i = 0; i < flow->n_returns; i++)
		if (n == 0 || compare_returns(&flow->returns[n - 1], &flow->returns[i]) != 0)
			flow->returns[n++] = flow->returns[i];
	flow->n_returns = n;
}

size_t flow_first_return(const struct flow *flow, size_t n_returns, uint32_t function)
{
	return ARRAY_SEARCH(n_returns, i, flow->returns[i].function < function);
}

void flow_find_returns(struct flow *flow, const struct profile_insn *insns, const uint32_t *places,
		       const struct flow_edge *edges, size_t n_edges)
{
	size_t n_direct;

	for (size_t i = 0; i < n_edges; i++) {
		size_t behind = edges[i].from + (size_t)1;

		if (behind < flow->n_places && is_behind_call(flow, behind))
			*ARRAY_ADD(flow, returns) = (struct flow_return){insns[places[edges[i].to]].function,
									 (uint32_t)behind};
	}
	sort_returns(flow);
	n_direct = flow->n_returns;
	/* Who jumps to another function lets that return to the caller. */
	for (size_t i = 0; i < n_edges; i++) {
		enum code_transfer transfer = flow->places[edges[i].from].transfer;
		uint32_t from = insns[places[edges[i].from]].function, to = insns[places[edges[i].to]].function;

		if (from == to || transfer == CODE_CALL || transfer == CODE_INDIRECT_CALL)
			continue;
		for (size_t k = flow_first_return(flow, n_direct, from);
		     k < n_direct && flow->returns[k].function == from; k++) {
			if (flow->n_returns >= MAX_RETURNS * flow->n_places)
				break;
			*ARRAY_ADD(flow, returns) = (struct flow_return){to, flow->returns[k].place};
		}
	}
	sort_returns(flow);
}
