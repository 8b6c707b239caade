#include <stdlib.h>

#include "base/array.h"
#include "profile/columns.h"
#include "profile/flow.h"
#include "profile/format.h"

/* How often an edge was taken. */
enum told {
	TOLD_NONE,
	TOLD_LESS, /* what its place has left, or what its target needs, whichever is less */
	TOLD_LEFT,
	TOLD_COUNT, /* the count follows */
};

struct count_io {
	const struct bytes_io *io;
	struct format_counts *counts;
	struct flow flow;
	size_t *first_edges; /* [n_places + 1] when writing: the edges of each place */
	bool *is_told;	     /* [n_edges] when writing */
	struct {
		struct flow_edge *edges; /* in the order in which they were told */
		size_t n_edges, edges_capacity;
	} told;
};

static bool has_failed(const struct count_io *cio)
{
	return cio->io->reader && cio->io->reader->problem;
}

static unsigned n_bits(uint64_t value)
{
	return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

/* Sums of a region must not wrap, nor its counts. */
static void set_executions(struct count_io *cio, size_t place, uint64_t executions)
{
	if (executions > INT64_MAX - cio->counts->total) {
		bytes_fail(cio->io->reader, "its counts are too large");
		return;
	}
	cio->counts->total += executions;
	cio->counts->executions[place] = executions;
	flow_set_executions(&cio->flow, place, executions);
}

static void io_executions(struct count_io *cio, size_t place)
{
	const struct flow_place *code = &cio->flow.places[place];
	enum code_transfer before = place > 0 ? code[-1].transfer : CODE_NONE;
	uint64_t predicted = flow_predict_executions(&cio->flow, place), ways, all;
	struct hint hint;

	ways = hint_mix((uint64_t)code->n_jumps_later << 2 | code->n_calls_later,
			(uint64_t)before << 2 | (unsigned)code->follows << 1 | (predicted > 0));
	all = hint_mix(ways, (uint64_t)code->n_jumps_earlier << 2 | code->n_calls_earlier);
	hint = (struct hint){COLUMN_EXECUTIONS,
			     4,
			     {ways, all, hint_mix(ways, n_bits(predicted)), hint_mix(all, code->opcode)}};
	set_executions(cio, place,
		       predicted + (uint64_t)bytes_io_int(cio->io, &hint,
							  (int64_t)(cio->counts->executions[place] - predicted)));
}

/* When writing: the edge that is not told yet, or NULL. */
static struct flow_edge *find_edge(const struct count_io *cio, size_t from, size_t to)
{
	const struct flow_edge *edges;
	size_t first, n, found;

	if (!cio->io->writer)
		return NULL;
	first = cio->first_edges[from];
	n = cio->first_edges[from + 1] - first;
	edges = cio->counts->edges + first;
	found = ARRAY_SEARCH(n, i, edges[i].to < to);
	return found < n && edges[found].to == to && !cio->is_told[first + found] ? &cio->counts->edges[first + found]
										  : NULL;
}

/* `edge` is what to write; NULL: none. Whether there is one. */
static bool io_edge(struct count_io *cio, enum column column, size_t from, size_t to, const struct flow_edge *edge,
		    uint64_t context)
{
	struct flow *flow = &cio->flow;
	uint64_t left = flow->left[from], need = flow_need(flow, to), less = left < need ? left : need, count;
	/* A place that was not visited yet needs nothing that is known. */
	uint64_t sizes = (uint64_t)(left == 0) << 3 | (uint64_t)(need == 0) << 2 | (uint64_t)(left < need) << 1 |
			 (left == need);
	struct hint hint = {(uint8_t)column,
			    5,
			    {context, hint_mix(context, sizes),
			     hint_mix(hint_mix(context, sizes), flow->places[from].opcode),
			     hint_mix(hint_mix(context, sizes), n_bits(left)),
			     hint_mix(sizes, n_bits(left) * 64 + n_bits(need))}};
	uint64_t told = TOLD_NONE;

	if (edge)
		told = edge->count == less ? TOLD_LESS : edge->count == left ? TOLD_LEFT : TOLD_COUNT;
	told = bytes_io_uint(cio->io, &hint, told);
	if (told == TOLD_NONE)
		return false;
	if (edge)
		cio->is_told[edge - cio->counts->edges] = true;
	hint = (struct hint){COLUMN_COUNT,
			     3,
			     {n_bits(left), hint_mix(n_bits(left), n_bits(need)), hint_mix(context, n_bits(left))}};
	count = told == TOLD_LESS   ? less
		: told == TOLD_LEFT ? left
				    : bytes_io_uint(cio->io, &hint, edge ? edge->count : 0);
	if (count > INT64_MAX)
		bytes_fail(cio->io->reader, "its counts are too large");
	if (has_failed(cio) || (cio->io->reader && !bytes_charge(cio->io->reader, 1, FORMAT_EDGE_BYTES)))
		return false;
	*ARRAY_ADD(&cio->told, edges) = (struct flow_edge){(uint32_t)from, (uint32_t)to, count};
	flow_add_edge(flow, from, to, count);
	return true;
}

static void io_direct_edge(struct count_io *cio, size_t place)
{
	const struct flow_place *code = &cio->flow.places[place], *target = &cio->flow.places[code->target];
	bool runs_on = place + 1 < cio->flow.n_places && code[1].follows;
	uint64_t context, ways;

	ways = (uint64_t)(target->n_jumps_earlier + target->n_jumps_later) << 2 |
	       (unsigned)flow_runs_on(&cio->flow, code->target) << 1 | (code->target <= place);
	context = hint_mix((uint64_t)code->transfer << 1 | runs_on, ways);
	if (runs_on && code->transfer == CODE_CONDITIONAL)
		context = hint_mix(context, code[1].n_jumps_earlier + code[1].n_jumps_later + 1u);
	io_edge(cio, COLUMN_DIRECT_EDGE, place, code->target, find_edge(cio, place, code->target), context);
}

/* The rank of a place among those that want executions, or of the next one. */
static size_t rank_of(const struct flow *flow, uint32_t place)
{
	return ARRAY_SEARCH(flow->n_wanting, i, flow->wanting[i] < place);
}

/* A target by its rank, seen from another place; or if it has none, by its distance. */
static uint32_t io_target(struct count_io *cio, size_t from, uint32_t seen_from, uint32_t to)
{
	const struct flow *flow = &cio->flow;
	uint64_t rank = rank_of(flow, to), here = rank_of(flow, seen_from), context = flow->places[from].transfer;
	bool is_ranked = rank < flow->n_wanting && flow->wanting[rank] == to;
	struct hint hint = {COLUMN_IS_RANKED, 1, {context}};

	context = hint_mix(context, seen_from == from);
	is_ranked = bytes_io_uint(cio->io, &hint, is_ranked);
	hint = (struct hint){COLUMN_TARGET,
			     3,
			     {hint_mix(context, is_ranked), hint_mix(is_ranked, flow->places[from].opcode), is_ranked}};
	if (is_ranked) {
		rank = here + (uint64_t)bytes_io_int(cio->io, &hint, (int64_t)(rank - here));
		if (rank < flow->n_wanting)
			return flow->wanting[rank];
	} else {
		uint64_t place = seen_from + (uint64_t)bytes_io_int(cio->io, &hint, (int64_t)to - seen_from);

		if (place < flow->n_places)
			return (uint32_t)place;
	}
	bytes_fail(cio->io->reader, "an edge leads nowhere");
	return 0;
}

static void io_other_edges(struct count_io *cio, size_t place)
{
	const struct flow_place *code = &cio->flow.places[place];
	uint64_t left = cio->flow.left[place];
	bool runs_on = place + 1 < cio->flow.n_places && code[1].follows;
	uint64_t context = hint_mix((uint64_t)code->transfer << 2 | (unsigned)runs_on << 1 | (left > 0), 0);
	struct hint hint = {COLUMN_N_EDGES,
			    3,
			    {context, hint_mix(context, code->opcode), hint_mix(context, n_bits(left) + 1)}};
	uint32_t seen_from = (uint32_t)place;
	uint64_t n = 0;

	for (size_t i = cio->io->writer ? cio->first_edges[place] : 0;
	     cio->io->writer && i < cio->first_edges[place + 1]; i++)
		n += !cio->is_told[i];
	n = bytes_io_uint(cio->io, &hint, n);
	for (size_t next = cio->io->writer ? cio->first_edges[place] : 0; n > 0 && !has_failed(cio); n--) {
		const struct flow_edge *edge = NULL;

		while (cio->io->writer && cio->is_told[next])
			next++;
		if (cio->io->writer)
			edge = &cio->counts->edges[next];
		seen_from = io_target(cio, place, seen_from, edge ? edge->to : 0);
		/* One that was never taken has to be told as such. */
		if (!io_edge(cio, COLUMN_OTHER_EDGE, place, seen_from, edge, hint_mix(code->transfer, n < 3 ? n : 3)))
			bytes_fail(cio->io->reader, "an edge leads nowhere");
	}
}

/* Back to the callers of its function. */
static void io_returns(struct count_io *cio, size_t place)
{
	struct flow *flow = &cio->flow;
	uint32_t function = cio->counts->insns[cio->counts->places[place]].function;

	for (size_t low = flow_first_return(flow, flow->n_returns, function);
	     low < flow->n_returns && flow->returns[low].function == function && !has_failed(cio); low++) {
		uint32_t to = flow->returns[low].place;
		bool is_last = low + 1 == flow->n_returns || flow->returns[low + 1].function != function;

		io_edge(cio, COLUMN_RETURN_EDGE, place, to, find_edge(cio, place, to), is_last);
	}
}

static void find_edges(struct count_io *cio)
{
	size_t edge = 0;

	cio->first_edges = xcalloc(cio->counts->n_places + 1, sizeof(*cio->first_edges));
	cio->is_told = xcalloc(cio->counts->n_edges, sizeof(*cio->is_told));
	for (size_t i = 0; i <= cio->counts->n_places; i++) {
		while (edge < cio->counts->n_edges && cio->counts->edges[edge].from < i)
			edge++;
		cio->first_edges[i] = edge;
	}
}

static bool is_indirect(const struct flow_place *place)
{
	return place->transfer == CODE_INDIRECT_JUMP || place->transfer == CODE_INDIRECT_CALL;
}

void format_io_counts(const struct bytes_io *io, struct format_counts *counts)
{
	struct count_io cio = {.io = io, .counts = counts};
	size_t n_places = counts->n_places;

	if (io->writer)
		find_edges(&cio);
	flow_init(&cio.flow, counts->insns, counts->places, n_places);
	for (size_t i = 0; i < n_places && !has_failed(&cio); i++) {
		io_executions(&cio, i);
		if (cio.flow.places[i].target != FLOW_NO_PLACE)
			io_direct_edge(&cio, i);
	}
	flow_find_wanting(&cio.flow);
	for (size_t i = 0; i < n_places && !has_failed(&cio); i++)
		if (is_indirect(&cio.flow.places[i]))
			io_other_edges(&cio, i);
	flow_find_returns(&cio.flow, counts->insns, counts->places, cio.told.edges, cio.told.n_edges);
	for (size_t i = 0; i < n_places && !has_failed(&cio); i++) {
		if (cio.flow.places[i].transfer == CODE_RETURN)
			io_returns(&cio, i);
		if (!is_indirect(&cio.flow.places[i]))
			io_other_edges(&cio, i);
	}
	flow_deinit(&cio.flow);
	if (io->reader) {
		counts->edges = cio.told.edges;
		counts->n_edges = cio.told.n_edges;
	} else {
		free(cio.told.edges);
	}
	free(cio.first_edges);
	free(cio.is_told);
}
