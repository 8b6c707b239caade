/* Saved runs: .itrace files, described in FORMAT.md. */
#ifndef ITRACE_SAVEFILE_SAVEFILE_H
#define ITRACE_SAVEFILE_SAVEFILE_H

#include <stdbool.h>

#include "base/error.h"
#include "profile/profile.h"

/* Writes the whole profile or nothing: to a new file beside `path`, which then takes its name. `path` may be a regular
 * file, which is replaced, or not exist; links and devices are refused. */
bool savefile_write(const struct profile *profile, const char *path, struct error *err);

/* True if savefile_write can create a file there, to be asked before a long run. */
bool savefile_check_path(const char *path, struct error *err);

/* True if a file is meant as a saved run: its first bytes say so, or its name ends in ".itrace". */
bool savefile_is_one(const char *path);

/* Reads what savefile_write wrote. The file is not trusted: any content gives a profile whose indices are all in range,
 * or ERROR_FORMAT; the memory taken has a limit. Instructions ascend by address, and forms are in the order in which
 * instructions have them. The caller deinits the profile if it was read. */
bool savefile_read(const char *path, struct profile *profile, struct error *err);

#endif
