/* Reads names for code from the file of option --map.
 *
 * The first line that fits one of three formats decides:
 *   nm, nm -S      ADDRESS [SIZE] TYPE NAME; types t, T, w, W and i are code                 addresses as linked
 *   GNU ld -Map    sections .text*, .init, .fini and .plt* and the symbols in them            addresses as linked
 *   perf-PID.map   ADDRESS SIZE NAME, as just-in-time compilers write                         run-time addresses
 * Addresses are hexadecimal. Files are not trusted: lines of no known format are skipped.
 */
#ifndef ITRACE_SOURCE_NAME_MAP_H
#define ITRACE_SOURCE_NAME_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "source/symbol_table.h"

struct name_map {
	bool is_run_time; /* true: run-time addresses; false: addresses as linked */
	struct symbol_table table;
};

/* Fails with ERROR_FORMAT if no line names code. On success the caller deinits the map. */
bool name_map_read(struct name_map *map, const char *path, struct error *err);
void name_map_deinit(struct name_map *map);

#endif
