/* What a group of instructions is called in texts. Private to report/. */
#ifndef ITRACE_REPORT_TEXT_LABELS_H
#define ITRACE_REPORT_TEXT_LABELS_H

#include "report/formats.h"

/* "instruction", "function", "line" ... */
const char *label_noun(enum profile_group_by by);

/* The paths of source files, each cut to as many of its last names as tell it from the others: [profile->n_files]. */
char **label_short_paths(const struct profile *profile);
void label_short_paths_free(char **paths, const struct profile *profile);

/* Not escaped, to be freed. For a form its text alone. */
char *label_group(const struct report *report, enum profile_group_by by, const struct profile_group *group);

/* "thread 2 (worker)", "936 other threads (worker)"; not escaped, to be freed. */
char *label_thread(const struct profile *profile, uint32_t thread);

/* What a reader must know of a source file's text, in parentheses; NULL: nothing. */
const char *label_source_state(const struct report *report, uint32_t file);

#endif
