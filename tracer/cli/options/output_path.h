/* The names of files that are written. */
#ifndef ITRACE_CLI_OPTIONS_OUTPUT_PATH_H
#define ITRACE_CLI_OPTIONS_OUTPUT_PATH_H

#include <stdint.h>

/* A path with the ID of a process in place of each %p, to be freed. */
char *output_path_expand(const char *path, int32_t pid);

#endif
