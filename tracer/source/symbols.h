/* Reads the functions of an ELF file into a symbol table. */
#ifndef ITRACE_SOURCE_SYMBOLS_H
#define ITRACE_SOURCE_SYMBOLS_H

#include <elfutils/libdwfl.h>

#include "source/symbol_table.h"

/* Appends the functions of the module: those of .symtab, of its debug file or of .gnu_debugdata, else of .dynsym; the
 * entries of its procedure linkage table; and, as SYMBOL_UNNAMED, the functions that .eh_frame describes. */
void symbols_read(Dwfl_Module *module, struct symbol_table *table);

/* Appends the entries of the procedure linkage table (.plt, .plt.sec, .plt.got), under the names of the functions that
 * they jump to. */
void symbols_read_plt(Elf *elf, struct symbol_table *table);

#endif
