/* Paths of files. */
#ifndef ITRACE_BASE_PATH_H
#define ITRACE_BASE_PATH_H

#include <stdint.h>

/* The part behind the last slash, or the whole path. Points into `path`. */
const char *path_file_name(const char *path);

/* The path without "//", "/./" and "/x/../", to be freed. By the letter: links are not followed. */
char *path_normalize(const char *path);

/* The path, normalized, to be freed; below `folder` (or NULL), unless it is absolute or begins with the folder. */
char *path_join(const char *folder, const char *path);

/* The path with the process ID in place of each %p; to be freed. */
char *path_expand_pid(const char *path, int32_t pid);

#endif
