/* Saved runs: .itrace files, described in FORMAT.md. */
#ifndef ITRACE_SAVEFILE_SAVEFILE_H
#define ITRACE_SAVEFILE_SAVEFILE_H

#include <stdbool.h>

#include "base/error.h"
#include "profile/profile.h"

/* Writes the whole profile to a new file next to `path`, then renames it to `path`, or writes nothing. `path` must be
 * a regular file, which is replaced, or not exist; links and devices are refused. */
bool savefile_write(const struct profile *profile, const char *path, struct error *err);

/* Returns true if savefile_write can create a file at `path`. Call it before a long run. */
bool savefile_check_path(const char *path, struct error *err);

/* Returns true if the file's first bytes or its suffix ".itrace" mark it as a saved run. */
bool savefile_detect(const char *path);

/* Reads a file that savefile_write wrote. The file is not trusted: any content gives a profile with all indices in
 * range, or ERROR_FORMAT, within limited memory. Instructions ascend by address. Forms are numbered in order of first
 * use by an instruction. On success the caller deinits the profile. */
bool savefile_read(const char *path, struct profile *profile, struct error *err);

#endif
