#include "report/text/cost_cells.h"

#include "base/units.h"

void cost_cells_init(struct cost_cells *cells, const struct report *report, const struct section *section,
		     bool marks_used[N_TEXT_MARKS])
{
	*cells = (struct cost_cells){.n_models = report->n_models,
				     .shown = COST_EXECUTIONS,
				     .whole = section->executions,
				     .marks_used = marks_used};
	if (section->estimates[0].ranked_mcyc > 0) {
		cells->shown = COST_CYCLES;
		cells->whole = (uint64_t)section->estimates[0].ranked_mcyc;
	}
}

bool cost_cells_has(const struct cost_cells *cells, const uint64_t *costs)
{
	return costs[cells->shown] > 0 || (cells->shown == COST_CYCLES && cost_unknown(costs, cells->n_models, 0) > 0);
}

static enum text_mark mark_of(const struct cost_cells *cells, const uint64_t *costs)
{
	return cells->shown == COST_CYCLES ? mark_of_figure(cost_figure(costs, cells->n_models, 0)) : MARK_NONE;
}

void cost_cells_set(const struct cost_cells *cells, struct table *table, size_t column, const uint64_t *costs)
{
	struct units_text text = cells->shown == COST_CYCLES ? units_cycles((mcyc_t)costs[COST_CYCLES])
							     : units_count(costs[COST_EXECUTIONS]);

	mark_set_cell(table, column, mark_of(cells, costs), text.text, cells->marks_used);
}

void cost_cells_set_share(const struct cost_cells *cells, struct table *table, size_t column, const uint64_t *costs)
{
	enum text_mark mark = mark_of(cells, costs);

	mark_set_cell(table, column, mark == MARK_UNKNOWN ? mark : MARK_NONE,
		      units_share(costs[cells->shown], cells->whole).text, cells->marks_used);
}
