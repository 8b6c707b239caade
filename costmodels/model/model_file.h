/* Reads .cost files (data/FORMAT.md). Private to costmodels/. */
#ifndef ITRACE_COSTMODELS_MODEL_MODEL_FILE_H
#define ITRACE_COSTMODELS_MODEL_MODEL_FILE_H

#include "costmodels/model/model_private.h"

/* How many files may stand in a chain of `inherit`. */
#define MODEL_MAX_INHERITANCE 8

/* Reads a file by its path. NULL on failure. */
struct model *model_read(const char *path, struct error *err);

#endif
