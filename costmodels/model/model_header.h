/* The header of a .cost file: the lines before its first section. Private to costmodels/. */
#ifndef ITRACE_COSTMODELS_MODEL_MODEL_HEADER_H
#define ITRACE_COSTMODELS_MODEL_MODEL_HEADER_H

#include "costmodels/model/cost.h"
#include "costmodels/model/text_file.h"

/* Strings are "" when not stated.
 * stands_in_for: names of CPUs without figures of their own; a user who names one gets this model. */
struct model_header {
	const char *name, *aliases, *stands_in_for, *inherit, *title, *vendor, *year_text, *clock_mhz, *cycle_ns, *unit,
		*ranking_text, *estimator_text, *source, *note, *map;
	unsigned inherit_line; /* line of `inherit` */
	int year;	       /* 0: not stated */
	/* Converted from clock_mhz and cycle_ns. A file states at most one of these keys; 0: not stated. */
	int64_t clock_khz, cycle_ps;
	enum cost_column ranking_column; /* the column that reports add up and sort by */
	enum model_estimator estimator;
	bool is_us; /* figures of [opcodes] and of map parameters are microseconds */
};

/* Reads the header from the start of a file. Sets *section to the first section's name, or NULL at the end of the
 * file. */
bool model_header_read(struct text_file *file, struct model_header *header, char **section, struct error *err);

/* Opens a file and reads only its header. The strings are valid until the caller closes *file. */
bool model_header_read_alone(const char *path, struct text_file *file, struct model_header *out, struct error *err);

/* Copies from the parent each value that the header does not state, except `name`,
 * `aliases`, `stands_in`, `inherit` and `source`. */
void model_header_inherit(struct model_header *header, const struct model_header *parent);

#endif
