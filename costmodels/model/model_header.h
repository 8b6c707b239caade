/* What stands before the first section of a .cost file. Private to costmodels/. */
#ifndef ITRACE_COSTMODELS_MODEL_MODEL_HEADER_H
#define ITRACE_COSTMODELS_MODEL_MODEL_HEADER_H

#include "costmodels/model/cost.h"
#include "costmodels/model/text_file.h"

/* Strings are "" when not stated. */
struct model_header {
	const char *name, *aliases, *stands_in, *inherit, *title, *vendor, *year_text, *clock_mhz, *cycle_ns, *unit,
		*rank_text, *estimator_text, *source, *note, *map;
	unsigned inherit_line;
	int year;	   /* 0: not stated */
	int64_t clock_khz; /* 0: not stated, as the next; at most one of them is stated */
	int64_t cycle_ps;
	enum cost_column rank;
	enum model_estimator estimator;
	bool is_us; /* figures of [opcodes] and of the map's parameters are microseconds */
};

/* Reads on from the begin of a file. Leaves the first section's name in *section, NULL at the end of the file. */
bool model_header_read(struct text_file *file, struct model_header *header, char **section, struct error *err);

/* Opens a file by its path and reads only that: enough to know the model's name and aliases. The strings live as long as *file, which
 * the caller closes. */
bool model_header_read_alone(const char *path, struct text_file *file, struct model_header *out, struct error *err);

/* Takes over what the header does not state itself, but for what a file says of itself alone, such as its name. */
void model_header_inherit(struct model_header *header, const struct model_header *parent);

/* Whether a list of names, separated by commas, has this one. */
bool model_names_have(const char *names, const char *name);

#endif
