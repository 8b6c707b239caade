/* The memory part of charge-back. Private to charges.c and charges_memory.c. */
#ifndef ITRACE_ANALYSIS_CHARGES_PRIVATE_H
#define ITRACE_ANALYSIS_CHARGES_PRIVATE_H

#include "analysis/charges.h"

/* Adds the allocations of the region and their cost. rows[n_allocations]: the charge_row of each allocation. */
void charges_add_memory(struct charges *charges, const struct call_tree *tree, const uint32_t *rows,
			bool share_by_bytes);

#endif
