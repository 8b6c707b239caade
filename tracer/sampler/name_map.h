/* Names for code from a file that someone else wrote: --map.
 *
 * Three formats, told apart by the first line that is one of them:
 *   nm, nm -S      ADDRESS [SIZE] TYPE NAME, of which types t, T, w, W, i are code    addresses as linked
 *   GNU ld -Map    the sections .text*, .init, .fini and .plt* and the symbols in them   addresses as linked
 *   perf-PID.map   ADDRESS SIZE NAME, as written by just-in-time compilers             addresses at run time
 * Addresses are hexadecimal. Files are not trusted: lines that say nothing are skipped.
 */
#ifndef ITRACE_SAMPLER_NAME_MAP_H
#define ITRACE_SAMPLER_NAME_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "source/symbol_table.h"

struct name_map {
	bool is_run_time; /* addresses are those of the running program; else of the program's file */
	struct symbol_table table;
};

/* ERROR_FORMAT when no line names code. name_map_deinit is due only on success. */
bool name_map_read(struct name_map *map, const char *path, struct error *err);
void name_map_deinit(struct name_map *map);

/* The demangled name of the code at va, or NULL. */
const char *name_map_find(const struct name_map *map, uint64_t va);

#endif
