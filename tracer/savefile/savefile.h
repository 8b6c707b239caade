/* Saved runs: .itrace files, described in FORMAT.md. */
#ifndef ITRACE_SAVEFILE_SAVEFILE_H
#define ITRACE_SAVEFILE_SAVEFILE_H

#include <stdbool.h>

#include "base/error.h"
#include "profile/profile.h"

/* Writes the whole profile to a temporary file in the folder of `path`, then renames the file to `path`. On failure
 * `path` is unchanged. Replaces a regular file. Refuses links and devices. */
bool savefile_write(const struct profile *profile, const char *path, struct error *err);

/* Returns true if savefile_write can create a file at `path`. Call it before a long run. */
bool savefile_check_path(const char *path, struct error *err);

/* Returns true if the file's first bytes or its suffix ".itrace" mark it as a saved run. */
bool savefile_detect(const char *path);

/* Reads a file of savefile_write. A damaged file gives ERROR_FORMAT, or a profile with all indices in range, within
 * limited memory. Instructions are sorted by address. Forms are in the order of their first instruction. On success the
 * caller calls profile_deinit. */
bool savefile_read(const char *path, struct profile *profile, struct error *err);

#endif
