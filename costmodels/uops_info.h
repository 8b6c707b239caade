/* Reads uops.info's instructions.xml, which a user has downloaded, into a .cost file.
 *
 * The file is read as a stream: memory depends on what one CPU has, not on the file's size. What of it becomes what
 * cell is told in data/FORMAT.md, "Import".
 */
#ifndef ITRACE_COSTMODELS_UOPS_INFO_H
#define ITRACE_COSTMODELS_UOPS_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

struct uops_info_counts {
	size_t n_rows;	/* forms that were written */
	size_t n_twice; /* measurements of a form that has a row already */
	size_t n_no_form; /* of instructions for which no form could be made, or with REP, which was measured for one count */
};

/* Writes the model `name` of an architecture in the file's spelling ("SKL") to `out`, or, on failure, nothing:
 * ERROR_FORMAT with file:line for a file that is not as expected, ERROR_USAGE for an architecture that it does not
 * have. */
bool uops_info_import(const char *path, const char *architecture, const char *name, FILE *out,
		      struct uops_info_counts *counts, struct error *err);

#endif
