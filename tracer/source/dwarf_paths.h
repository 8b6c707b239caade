/* The paths that debug information names: of source files, and of further files with debug information. */
#ifndef ITRACE_SOURCE_DWARF_PATHS_H
#define ITRACE_SOURCE_DWARF_PATHS_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/* Without "//", "/./" and "/x/../", to be freed. By the letter: links are not followed. */
char *dwarf_paths_clean(const char *path);

/* A path as libdw tells it, cleaned, to be freed; below `folder`, that of the compilation (or NULL), if it is not absolute. libdw
 * 0.188 joins the two, but not for DWARF 5 where the path has a relative folder of its own. */
char *dwarf_paths_join(const char *folder, const char *path);

/* Whether libdw may open the file that the debug information shares with others (.gnu_debugaltlink), or that of a unit (.dwo):
 * it does so by itself, and would wait for ever at a FIFO. True also where there is none. fd: the file that names it. */
bool dwarf_paths_alt_is_safe(Dwarf *dwarf, int fd);
bool dwarf_paths_split_is_safe(Dwarf_Die *unit, int fd);

#endif
