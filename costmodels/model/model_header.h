/* The header of a .cost file: the lines before its first section. Private to costmodels/. */
#ifndef ITRACE_COSTMODELS_MODEL_MODEL_HEADER_H
#define ITRACE_COSTMODELS_MODEL_MODEL_HEADER_H

#include "costmodels/model/cost.h"
#include "costmodels/model/text_file.h"

/* Strings are "" when not stated. */
struct model_header {
	const char *name, *aliases, *stands_in, *inherit, *title, *vendor, *year_text, *clock_mhz, *cycle_ns, *unit,
		*rank_text, *estimator_text, *source, *note, *map;
	unsigned inherit_line; /* line of `inherit` */
	int year;	       /* 0: not stated */
	int64_t clock_khz;     /* 0 if not stated; a file states clock_khz or cycle_ps, not both */
	int64_t cycle_ps;      /* 0: not stated */
	enum cost_column rank;
	enum model_estimator estimator;
	bool is_us; /* figures of [opcodes] and of map parameters are microseconds */
};

/* Reads the header from the start of a file. Sets *section to the first section's name, or NULL at the end of the
 * file. */
bool model_header_read(struct text_file *file, struct model_header *header, char **section, struct error *err);

/* Opens a file and reads only its header. The strings are valid until the caller closes *file. */
bool model_header_read_alone(const char *path, struct text_file *file, struct model_header *out, struct error *err);

/* Copies unstated values from the parent, except those that belong to one file, such as the name. */
void model_header_inherit(struct model_header *header, const struct model_header *parent);

#endif
