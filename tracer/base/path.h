/* Paths of files. */
#ifndef ITRACE_BASE_PATH_H
#define ITRACE_BASE_PATH_H

/* What stands behind the last slash; the path itself where nothing does. Points into it. */
const char *path_file_name(const char *path);

#endif
