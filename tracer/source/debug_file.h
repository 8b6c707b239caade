/* Where the symbols of a stripped program are. */
#ifndef ITRACE_SOURCE_DEBUG_FILE_H
#define ITRACE_SOURCE_DEBUG_FILE_H

#include <libelf.h>

/* Opens the installed debug file of the ELF file at `path`, which is open as `elf`: by build id under /usr/lib/debug,
 * else by .gnu_debuglink in the usual three places. Returns a descriptor for reading, or -1. Never asks a debuginfod
 * server. */
int debug_file_open(const char *path, Elf *elf);

#endif
