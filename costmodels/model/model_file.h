/* Reads .cost files (data/FORMAT.md). Private to costmodels/. */
#ifndef ITRACE_COSTMODELS_MODEL_MODEL_FILE_H
#define ITRACE_COSTMODELS_MODEL_MODEL_FILE_H

#include "costmodels/model/model_private.h"

/* Maximum number of files in a chain of `inherit`. */
#define MODEL_MAX_INHERITANCE 8

/* Reads a file by its path. Returns NULL on failure. */
struct model *model_read(const char *path, struct error *err);

#endif
