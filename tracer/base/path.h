/* Paths of files. */
#ifndef ITRACE_BASE_PATH_H
#define ITRACE_BASE_PATH_H

/* The part behind the last slash, or the whole path. Points into `path`. */
const char *path_file_name(const char *path);

#endif
