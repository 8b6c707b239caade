/* Costs in the tables of texts that show one model: call trees, and what is charged to lines. Private to report/. */
#ifndef ITRACE_REPORT_TEXT_COST_CELLS_H
#define ITRACE_REPORT_TEXT_COST_CELLS_H

#include "analysis/cost_split.h"
#include "report/text/layout.h"
#include "report/text/marks.h"

/* Which of the costs are shown: cycles on the first model, or executions where it has no figure for anything in the region. */
struct cost_cells {
	size_t n_models;
	size_t shown;	/* COST_CYCLES or COST_EXECUTIONS */
	uint64_t whole; /* the region's */
	bool *marks_used;
};

void cost_cells_init(struct cost_cells *cells, const struct report *report, const struct section *section,
		     bool marks_used[N_TEXT_MARKS]);

/* Whether there is anything to show: cycles, or executions without a figure. */
bool cost_cells_has(const struct cost_cells *cells, const uint64_t *costs);

/* Fills a cell of the table's last row: with a cost, marked as it can be trusted, or its share of the region's. */
void cost_cells_set(const struct cost_cells *cells, struct table *table, size_t column, const uint64_t *costs);
void cost_cells_set_share(const struct cost_cells *cells, struct table *table, size_t column, const uint64_t *costs);

#endif
