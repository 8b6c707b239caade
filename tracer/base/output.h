/* Opening the file that a user wants a report in, by the name that they gave.
 *
 * Symbolic links are followed, FIFOs and devices written to, and a file that exists is emptied, as by a shell's `>`. Two
 * things differ. In a folder that everybody may write to, such as /tmp, what another user put there who does not own the folder,
 * is neither followed nor written to: Linux does the same where fs.protected_symlinks, protected_regular and protected_fifos
 * are on (proc(5), /proc/sys/fs). And a file that is the standard output or error already is not emptied: what is written
 * goes behind what is there.
 */
#ifndef ITRACE_BASE_OUTPUT_H
#define ITRACE_BASE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/* NULL, with the reason, when the file cannot be opened. */
FILE *output_open(const char *path, struct error *err);

/* Whether output_open would succeed as of now, so that no long run is in vain. Nothing is created or emptied. */
bool output_check(const char *path, struct error *err);

#endif
