/* The names of groups, functions and lines in texts. Private to report/. Labels are not escaped, and the caller frees
 * them. */
#ifndef ITRACE_REPORT_TEXT_LABELS_H
#define ITRACE_REPORT_TEXT_LABELS_H

#include "report/writer.h"

/* "instruction", "function", "line" ... Not to be freed. */
const char *label_noun(enum profile_group_by by);

/* Returns the paths of the source files, [profile->n_files]. Each keeps only as many of its last
 * components as make it unique. */
char **label_short_paths(const struct profile *profile);
void label_short_paths_free(char **paths, const struct profile *profile);

char *label_group(const struct report *report, enum profile_group_by by, const struct profile_group *group);

/* "name [module]", or the name alone if it begins with the module's file name. */
char *label_function(const struct profile *profile, const char *name, uint32_t module);

/* "file.c:10 main", or "main". */
char *label_charge(const struct report *report, const struct charge_row *row);

/* Returns a warning about a source file's text, in parentheses, or NULL. Not to be freed. */
const char *label_source_state(const struct report *report, uint32_t file);

/* Sets the label of a table's last row, which sums up n_rows rows that are not shown. */
struct table;
void label_set_more(struct table *table, size_t n_rows);

/* Returns how many of n_rows rows --top allows. */
size_t label_n_shown(const struct report *report, size_t n_rows);

#endif
