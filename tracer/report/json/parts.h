/* What the JSON of reports, comparisons and annotations has in common. All values returned are new references. Private to
 * report/. */
#ifndef ITRACE_REPORT_JSON_PARTS_H
#define ITRACE_REPORT_JSON_PARTS_H

#include <jansson.h>

#include "report/formats.h"

json_t *json_text(const char *raw); /* bytes that are no UTF-8 read \xNN */
json_t *json_count(uint64_t n);
json_t *json_cycles(mcyc_t mcyc);
json_t *json_figure(struct figure figure); /* its cycles; null where nothing has a figure */

json_t *json_models(const struct report *report);
json_t *json_estimates(const struct report *report, const struct section *section);
json_t *json_handled_region(const struct report *report, const struct section *section); /* its name, or null */
json_t *json_thread(const struct profile *profile, uint32_t thread);
void json_set_thread(json_t *object, const struct report *report, const struct section *section); /* if it is a part */
json_t *json_call_tree(const struct report *report, const struct section *section);
json_t *json_charges(const struct report *report, const struct section *section);
json_t *json_memory(const struct report *report, const struct section *section);
json_t *json_program(const struct profile *profile, const struct report_options *options);
json_t *json_notes(const struct profile *profile);
const char *json_by_name(enum profile_group_by by);
json_t *json_path(const struct profile *profile, uint32_t file); /* null for PROFILE_NONE */
json_t *json_number(uint32_t number);				 /* of a line or column; null for 0 */

json_t *json_calls(const struct profile *profile, uint32_t inlined); /* from the innermost one outwards */

/* What tells a group beside its name: "module", "file", "line", "column", "function", "calls", as far as they apply. */
void json_set_group(json_t *object, const struct profile *profile, enum profile_group_by by,
		    const struct profile_group *group);

/* A region with what annotations and comparisons say of each; they add their own. */
json_t *json_section(const struct report *report, const struct section *section);

/* Writes an annotation or a comparison: what `section` makes of each region, and what is said of the run. */
void json_write_sections(const struct report *report, int format,
			 json_t *(*section)(const struct report *, const struct section *));

/* page_data.c: all that the page shows, by columns. */
json_t *json_page(const struct report *report);

/* json_pipeline.c */
struct region_cycles;
json_t *json_pipeline(const struct profile *profile, const struct region_cycles *cycles);

/* Writes and releases the whole. */
void json_write(json_t *root, FILE *out);

/* These take over the value. */
void json_set(json_t *object, const char *key, json_t *value);
void json_add(json_t *array, json_t *value);

#endif
