/* Paths of files. */
#ifndef ITRACE_BASE_PATH_H
#define ITRACE_BASE_PATH_H

#include <stdint.h>

/* The part after the last slash, or the whole path. Points into `path`. */
const char *path_file_name(const char *path);

/* The path without "//", "/./" and "/x/../". Only the text is changed: links are not followed. The caller frees it. */
char *path_normalize(const char *path);

/* The normalized path. A relative path is relative to `folder`, unless it begins with the folder already. `folder`
 * may be NULL. The caller frees the result. */
char *path_join(const char *folder, const char *path);

/* The path with the process ID in place of each %p. The caller frees it. */
char *path_expand_pid(const char *path, int32_t pid);

#endif
