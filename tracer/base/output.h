/* Opens the file for a report.
 *
 * Like a shell's `>`, output_open() follows symbolic links, writes to FIFOs and devices, and empties an existing file,
 * with two exceptions. In a sticky folder that everybody may write to, such as /tmp, it refuses links, files and FIFOs
 * of other users, unless they own the folder. Linux does the same if fs.protected_symlinks, protected_regular and
 * protected_fifos are set (proc(5), /proc/sys/fs). A file that already is standard output or standard error is not
 * emptied; the report is appended.
 */
#ifndef ITRACE_BASE_OUTPUT_H
#define ITRACE_BASE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/* NULL, with the reason in *err, if the file cannot be opened. */
FILE *output_open(const char *path, struct error *err);

/* True if output_open would succeed now, so that a long run is not wasted. Creates and empties nothing. */
bool output_check(const char *path, struct error *err);

#endif
