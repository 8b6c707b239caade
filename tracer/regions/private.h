/* The search of new modules for triggers, for the .c files of this room. */
#ifndef ITRACE_REGIONS_PRIVATE_H
#define ITRACE_REGIONS_PRIVATE_H

#include "regions/triggers.h"

struct scan {
	struct triggers *triggers;
	const struct trigger_request *request;
	struct process *process;
	const struct mapping_list *mappings;
};

/* Adds a trigger, unless it exists, and its breakpoint. */
bool scan_add(const struct scan *scan, uint64_t va, enum trigger_kind kind, uint32_t region, struct error *err);

bool scan_is_executable(const struct scan *scan, uint64_t va);

/* Adds a trigger of this kind at each symbol of this name in the module's file. */
bool scan_plant_symbol(const struct scan *scan, const struct module *module, const char *symbol, enum trigger_kind kind,
		       struct error *err);

bool scan_plant_functions(const struct scan *scan, const struct module *module, struct error *err); /* functions.c */
bool scan_plant_ranges(const struct scan *scan, const struct module *module, struct error *err);    /* ranges.c */

#endif
