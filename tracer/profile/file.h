/* Saved profiles: .itrace files, described in FORMAT.md. */
#ifndef ITRACE_PROFILE_FILE_H
#define ITRACE_PROFILE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "profile/profile.h"

/* Writes the whole profile or nothing: to a new file beside `path`, which then takes its name. `path` may be a regular
 * file, which is replaced, or not exist; links and devices are refused. */
bool profile_save(const struct profile *profile, const char *path, struct error *err);

/* Whether profile_save may succeed there, to be asked before a long run. */
bool profile_save_check(const char *path, struct error *err);

/* Whether the file is meant as a saved profile: by its first bytes, or by its name, which ends in ".itrace". */
bool profile_is_saved(const char *path);

/* Reads what profile_save wrote. The file is not trusted: any content gives a profile whose indices are all in range, or
 * ERROR_FORMAT; the memory taken has a limit. Instructions come in the order of their addresses, and so do forms and
 * functions. The caller deinits the profile if it was loaded. */
bool profile_load(const char *path, struct profile *profile, struct error *err);

#endif
