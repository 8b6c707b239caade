/* JSON values. Functions return new references. Private to report/. */
#ifndef ITRACE_REPORT_JSON_JSON_H
#define ITRACE_REPORT_JSON_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "analysis/costs.h"

json_t *json_text(const char *raw); /* null for NULL; bytes that are not UTF-8 become \xNN */
json_t *json_count(uint64_t n);
json_t *json_nonzero(uint32_t number);	      /* null for 0 */
json_t *json_cycles(mcyc_t mcyc);	      /* the value is in cycles */
json_t *json_cycle_sum(struct cycle_sum sum); /* in cycles; null for CYCLE_SUM_UNKNOWN */

/* Paths and names of the profile; null for PROFILE_NONE. */
json_t *json_module(const struct profile *profile, uint32_t module);
json_t *json_function(const struct profile *profile, uint32_t function);
json_t *json_path(const struct profile *profile, uint32_t file);

const char *json_match_name(enum cost_match match);

/* The functions below take over references to values. */

/* Returns an object. Arguments: pairs of a key and a value, then NULL. */
json_t *json_members(const char *key, ...) __attribute__((sentinel));
void json_set(json_t *object, const char *key, json_t *value);
void json_add(json_t *array, json_t *value);

/* Writes and releases a whole document. The caller checks ferror(out). */
void json_write(json_t *root, FILE *out);

#endif
