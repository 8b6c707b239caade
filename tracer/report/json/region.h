/* Common parts of the JSON of reports, comparisons and annotations. Functions return new references. Private to
 * report/. */
#ifndef ITRACE_REPORT_JSON_REGION_H
#define ITRACE_REPORT_JSON_REGION_H

#include "report/writer.h"
#include "report/json/json.h"

struct region_cycles;

json_t *json_models(const struct report *report);
json_t *json_notes(const struct profile *profile);
json_t *json_program(const struct report *report);
json_t *json_thread(const struct profile *profile, uint32_t thread);
const char *json_by_name(enum profile_group_by by);

/* The inlined calls that lead to an instruction, the innermost one first. */
json_t *json_inlined(const struct profile *profile, uint32_t inlined);

/* Sets the members that identify a group, except "name". These are "module", "file", "line", "column", "function" and
 * "calls", as far as they apply to the grouping. */
void json_set_group(json_t *object, const struct profile *profile, enum profile_group_by by,
		    const struct profile_group *group);

json_t *json_estimates(const struct report *report, const struct region_analysis *region);
json_t *json_pipeline(const struct profile *profile, const struct region_cycles *cycles);
json_t *json_call_tree(const struct report *report, const struct region_analysis *region);
json_t *json_charges(const struct report *report, const struct region_analysis *region);
json_t *json_memory(const struct report *report, const struct region_analysis *region);

/* Sets "name", "signal_handlers_of" and, for the region of one thread, "thread". */
void json_set_region_name(json_t *object, const struct profile *profile, const struct region_analysis *region);

/* Returns an object with the common members of regions in annotations and comparisons. */
json_t *json_region(const struct report *report, const struct region_analysis *region);

/* Writes an annotation or a comparison. `json_one` returns one region. */
void json_write_regions(const struct report *report, int format,
			json_t *(*json_one)(const struct report *, const struct region_analysis *));

#endif
