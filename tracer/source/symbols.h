/* Reads the functions of an ELF file into a symbol table. */
#ifndef ITRACE_SOURCE_SYMBOLS_H
#define ITRACE_SOURCE_SYMBOLS_H

#include <elfutils/libdwfl.h>

#include "source/symbol_table.h"

/* Appends the functions of the module: the symbols of .symtab of the file, its debug file or .gnu_debugdata, or else
 * of .dynsym; the entries of its procedure linkage table (.plt, .plt.sec, .plt.got); and, as SYMBOL_UNNAMED, the
 * functions that .eh_frame describes. */
void symbols_read(Dwfl_Module *module, struct symbol_table *table);

#endif
